"""Bootstrap resamples and random swaps, and sums of counts over them.

A statistic is a function of sums of counts, so a bootstrap resample is a matrix product (weights times counts) and a
random exchange of two systems is another (swaps times counts). Every caller can rely on this:

- Random numbers come in order from one stream per seed and purpose. Results do not depend on the batch size, and all
  systems share the resamples, so that comparisons are paired.
- Sums are exact (see `exact_columns`). They do not depend on the batches, on the other systems, or on the library that
  multiplies the matrices.
- Batches are small: memory does not grow with the number of resamples.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..errors import DataError, UsageError
from ..types import Floats

Score = Callable[[Floats], Floats]

SEED = 12345
MAX_RESAMPLES = 10_000_000  # all are kept in memory
TOLERANCE = 1e-12  # relative to the scores: far above rounding noise, far below the effect of one segment

_SMALL_BATCH = 2**18  # numbers; 2 MB fit into the cache, which is faster than larger batches
_LARGE_BATCH = 2**21  # numbers; below 64 MB with all temporary arrays
_MIN_ROWS = 32  # fewer rows do not repay reading all counts once per batch; `_LARGE_BATCH` has precedence
_BLOCK = 2**18  # multiplications up to which OpenBLAS uses one thread
_BLOCK_ROWS, _BLOCK_WIDTH, _BLOCK_DEPTH = 16, 256, 512  # the fastest of those measured; 16 x 512 for one column too
_RESAMPLES, _SWAPS = 0, 1  # random streams: resamples and swaps of one seed are independent


@dataclass(frozen=True, eq=False)
class Columns:
    """The distinct columns of all systems' counts side by side, on a grid on which sums over any resample are exact.

    parts: those in single and those in double precision, shape (segments, columns) each.
    places: shape (systems, k), the column of each count among those of both parts.
    totals: shape (systems, k).
    """

    parts: tuple[NDArray[np.float32], Floats]
    places: NDArray[np.int64]
    totals: Floats

    @property
    def shape(self) -> tuple[int, int, int]:
        """Systems, segments, k."""
        systems, k = self.totals.shape
        return systems, len(self.parts[0]), k

    def counts(self, system: int) -> Floats:
        single, double = self.parts
        places = self.places[system]
        result = np.empty((len(single), len(places)))
        in_double = places >= single.shape[1]
        result[:, ~in_double] = single[:, places[~in_double]]
        result[:, in_double] = double[:, places[in_double] - single.shape[1]]
        return result


def check_cube(cube: ArrayLike) -> Floats:
    """Return counts as float64, shape (systems, segments, k). Raise an error if the shape is wrong."""
    array = np.asarray(cube, dtype=np.float64)
    if array.ndim != 3 or array.shape[2] == 0:
        raise UsageError(f"Counts must have the shape (systems, segments, k), not {array.shape}.")
    if array.shape[0] == 0:
        raise UsageError("There are no systems to resample.")
    if array.shape[1] == 0:
        raise DataError("There are no segments to resample.")
    return array


def check_draws(resamples: int, seed: int) -> None:
    """Raise UsageError for an invalid number of resamples or an invalid seed."""
    if not isinstance(resamples, int | np.integer) or resamples < 1:
        raise UsageError(f"The number of resamples must be a whole number, at least 1, not {resamples!r}.")
    if resamples > MAX_RESAMPLES:
        raise UsageError(f"The number of resamples must be at most {MAX_RESAMPLES}, not {resamples}.")
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError(f"The seed must be a whole number and not negative, not {seed!r}.")


def check_share(name: str, value: float) -> None:
    """Raise UsageError for a confidence level, a significance level or a power outside (0, 1)."""
    if not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise UsageError(f"{name} must lie between 0 and 1, not {value!r}.")


def exact_columns(cube: ArrayLike) -> Columns:
    """Return counts laid out for one matrix product, on a grid on which every sum over a resample is exact.

    Integer counts are on the grid already. Others are rounded, column by column, to a power of two such that the
    largest possible sum still fits the format: an error of less than 2**-51 of that sum. If single precision holds
    every possible sum exactly, as for most counts, it is used, because it is twice as fast. A column that equals that
    of the first system, as lengths of references do, is kept once.
    """
    cube = check_cube(cube)
    systems, n, k = cube.shape
    single = np.empty((systems, k), dtype=bool)
    new = np.ones((systems, k), dtype=bool)
    for at in np.ndindex(systems, k):
        single[at] = _exact(cube[at[0], :, at[1]])[1]
        new[at] = at[0] == 0 or not np.array_equal(cube[at[0], :, at[1]], cube[0, :, at[1]])
    # Numbers of the new columns: first those in single precision. Others have that of the first system.
    first, second = (single & new), (~single & new)
    numbers = np.where(single, _count(first), first.sum() + _count(second)) - 1
    places = np.where(new, numbers, numbers[0])
    parts = np.empty((n, int(first.sum())), dtype=np.float32), np.empty((n, int(second.sum())))
    totals = np.empty((systems, k))
    for at in np.ndindex(systems, k):
        if new[at]:
            part = parts[0] if single[at] else parts[1]
            values = _exact(cube[at[0], :, at[1]])[0]
            part[:, places[at] - (0 if single[at] else parts[0].shape[1])] = values
            totals[at] = values.sum()
        else:
            totals[at] = totals[0, at[1]]
    return Columns(parts, places, totals)


def _count(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray(chosen.cumsum().reshape(chosen.shape))


def _exact(values: Floats) -> tuple[Floats, bool]:
    """Return a column on its grid, and whether single precision holds every sum."""
    with np.errstate(invalid="ignore", over="ignore"):
        if (np.rint(values) == values).all() and (largest := len(values) * np.abs(values).max()) < 2**52:
            return values, bool(largest < 2**23)
        if np.array_equal(_on_grid(values, 23), values):
            return values, True
        values = _on_grid(values, 52)
        return np.where(np.isfinite(values), values, np.nan), False  # every sum that contains NaN is undefined


def _on_grid(counts: Floats, bits: int) -> Floats:
    """Return counts rounded so that sums of n of them, with repetitions, are integer multiples below 2**(bits + 1)."""
    _, exponent = np.frexp(len(counts) * np.abs(counts).max(0))
    step = np.maximum(exponent, -900) - bits  # smaller steps have no reciprocal
    result: Floats = np.rint(counts * np.ldexp(1.0, -step)) * np.ldexp(1.0, step)
    return result


def evaluate(score: Score, totals: Floats) -> Floats:
    """Return scores of sums, shape (..., k) -> (...). NaN, without a warning, if a score is undefined or infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.asarray(score(totals), dtype=np.float64)
    if scores.shape != totals.shape[:-1]:
        raise UsageError(
            f"The score function returned shape {scores.shape} for sums of shape {totals.shape}; "
            f"it must return {totals.shape[:-1]}."
        )
    return np.where(np.isfinite(scores), scores, np.nan)


def system_scores(score: Score, cube: Floats) -> Floats:
    """Return the corpus score of each system, shape (systems,), bit-identical to `score` of the plain sums."""
    with np.errstate(invalid="ignore"):
        totals = cube.sum(1)
    return evaluate(score, totals)


def batch_rows(width: int) -> int:
    """Return how many resamples of `width` numbers each to compute at once: whole blocks of `_product` if they fit."""
    rows = max(_SMALL_BATCH // width, min(_MIN_ROWS, _LARGE_BATCH // width), 1)
    return rows - rows % _BLOCK_ROWS if rows > _BLOCK_ROWS else rows


def draw_weights(
    n: int, resamples: int, *, seed: int = SEED, rows: int | None = None, dtype: DTypeLike = np.float64
) -> Iterator[NDArray[Any]]:
    """Yield how often each of n segments occurs per resample: batches of shape (rows, n), `resamples` rows in total."""
    rng = _stream(seed, _RESAMPLES)
    for size in _sizes(resamples, rows or batch_rows(n)):
        yield _weights(rng, size, n).astype(dtype)


def _weights(rng: np.random.Generator, size: int, n: int) -> NDArray[np.int64]:
    """Return the weights of one batch. A separate function, so that large arrays are freed before the next batch."""
    drawn = rng.integers(0, n, size=(size, n))
    drawn += np.arange(0, size * n, n)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)


def draw_swaps(
    n: int, trials: int, *, seed: int = SEED, rows: int | None = None, dtype: DTypeLike = np.float64
) -> Iterator[NDArray[Any]]:
    """Yield which of n segments two systems exchange, 1 or 0: batches of shape (rows, n), `trials` rows in all."""
    rng = _stream(seed, _SWAPS)
    for size in _sizes(trials, rows or batch_rows(n)):
        # A fixed number of 64-bit words per trial: random booleans or bytes would depend on where a batch ends.
        words = rng.integers(0, 2**64, size=(size, -(-n // 64)), dtype=np.uint64)
        bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, count=n, bitorder="little")
        yield bits.astype(dtype)


def all_swaps(n: int, *, rows: int | None = None, dtype: DTypeLike = np.float64) -> Iterator[NDArray[Any]]:
    """Yield all 2**(n - 1) exchanges that leave the last segment in place; the others only change the sign."""
    numbers = np.arange(2 ** (n - 1))[:, np.newaxis]
    rows = rows or batch_rows(n)
    for start in range(0, len(numbers), rows):
        yield (numbers[start : start + rows] >> np.arange(n) & 1).astype(dtype)


def resampled_scores(score: Score, columns: Columns, *, resamples: int, seed: int) -> Floats:
    """Return scores of all systems on the same bootstrap resamples, shape (systems, resamples)."""
    systems, n, k = columns.shape
    scores = np.empty((systems, resamples))
    done = 0
    rows = batch_rows(max(n, systems * k))
    for weights in draw_weights(n, resamples, seed=seed, rows=rows, dtype=np.float32):
        sums = _product(weights, columns)
        scores[:, done : done + len(sums)] = evaluate(score, sums).T
        done += len(sums)
    return scores


def swapped_sums(columns: Columns, *, trials: int | None, seed: int) -> Iterator[Floats]:
    """Yield the sums of each system's counts in the exchanged segments; trials=None takes every exchange."""
    systems, n, k = columns.shape
    how: dict[str, Any] = {"rows": batch_rows(max(n, systems * k)), "dtype": np.float32}
    for swaps in all_swaps(n, **how) if trials is None else draw_swaps(n, trials, seed=seed, **how):
        yield _product(swaps, columns)


def _product(draws: NDArray[np.float32], columns: Columns) -> Floats:
    """Return draws times counts, shape (rows, systems, k), in blocks that run on one thread, which is faster here."""
    sums = [_part_product(draws.astype(part.dtype, copy=False), part) for part in columns.parts if part.shape[1]]
    every = sums[0] if len(sums) == 1 else np.concatenate(sums, axis=1, dtype=np.float64)
    return every.astype(np.float64, copy=False)[:, columns.places]


def _part_product(draws: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    n, width = values.shape
    sums = np.zeros((len(draws), width), dtype=values.dtype)
    whole = len(draws) - len(draws) % _BLOCK_ROWS
    for rows in (slice(0, whole), slice(whole, len(draws))):
        height = min(rows.stop - rows.start, _BLOCK_ROWS)
        if height:  # views, so that one call processes all blocks of rows
            _add_product(draws[rows].reshape(-1, height, n), values, sums[rows].reshape(-1, height, width))
    return sums


def _add_product(draws: NDArray[Any], values: NDArray[Any], sums: NDArray[Any]) -> None:
    width = min(values.shape[1], _BLOCK_WIDTH)
    depth = min(_BLOCK // (_BLOCK_ROWS * width), _BLOCK_DEPTH)
    with np.errstate(invalid="ignore"):
        for left in range(0, values.shape[1], width):
            right = left + width
            for top in range(0, len(values), depth):
                below = top + depth
                sums[:, :, left:right] += draws[:, :, top:below] @ values[top:below, left:right]


def _stream(seed: int, purpose: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(purpose,))))


def _sizes(total: int, rows: int) -> Iterator[int]:
    for start in range(0, total, rows):
        yield min(rows, total - start)
