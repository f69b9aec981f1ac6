"""Is one system better than another on the same segments? Two tests, for two systems or for all pairs at once.

Paired bootstrap: Koehn (2004), "Statistical Significance Tests for Machine Translation Evaluation", EMNLP; two-sided,
with resampled differences centred before their absolute value is taken, as Riezler and Maxwell (2005), "On Some
Pitfalls in Automatic Evaluation and Significance Testing for MT". Approximate randomisation: Noreen (1989),
"Computer-Intensive Methods for Testing Hypotheses". One is added on both sides of a p-value (Phipson and Smyth 2010,
"Permutation P-values Should Never Be Zero").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from .intervals import Interval, is_constant, make_intervals, percentile_bounds, standard_error
from .resampling import (
    SEED,
    TOLERANCE,
    Columns,
    Floats,
    Score,
    check_cube,
    check_draws,
    check_share,
    evaluate,
    exact_columns,
    resampled_scores,
    swapped_sums,
    system_scores,
)

RESAMPLES = {"bootstrap": 1_000, "randomisation": 10_000}  # as many as is customary for each test
Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class PairedComparison:
    """Two systems. NaN: not defined, or not asked for."""

    test: str
    first: float  # score
    second: float
    difference: float  # first - second
    p_value: float
    low: float  # percentile bootstrap interval of the difference
    high: float
    standard_error: float  # of the difference
    wins: float  # share of bootstrap resamples in which the first score is the higher number
    losses: float
    confidence: float
    resamples: int  # of the test
    interval_resamples: int
    seed: int
    n: int  # segments


@dataclass(frozen=True, eq=False)
class Comparisons:
    """All pairs of systems, or one baseline and all others.

    Matrices have shape (systems, systems); the entry [i, j] compares system i with system j, and is NaN where the
    pair was not asked for or is not defined. A system compared with itself has p = 1.
    """

    test: str
    scores: Floats  # (systems,)
    difference: Floats  # scores[i] - scores[j]
    p_value: Floats
    low: Floats  # percentile bootstrap interval of the difference
    high: Floats
    standard_error: Floats  # of the difference
    wins: Floats  # share of bootstrap resamples in which i has the higher number than j
    intervals: tuple[Interval, ...]  # of the scores themselves, by the same resamples
    pairs: Pairs  # each pair that was compared, once
    baseline: int | None
    confidence: float
    resamples: int
    interval_resamples: int
    seed: int
    n: int

    def pair(self, first: int, second: int) -> PairedComparison:
        """One entry of every matrix."""
        at = first, second
        return PairedComparison(
            self.test,
            float(self.scores[first]),
            float(self.scores[second]),
            float(self.difference[at]),
            float(self.p_value[at]),
            float(self.low[at]),
            float(self.high[at]),
            float(self.standard_error[at]),
            float(self.wins[at]),
            float(self.wins[second, first]),
            self.confidence,
            self.resamples,
            self.interval_resamples,
            self.seed,
            self.n,
        )


def paired_bootstrap(
    score: Score,
    first: ArrayLike,
    second: ArrayLike,
    *,
    resamples: int = RESAMPLES["bootstrap"],
    confidence: float = 0.95,
    seed: int = SEED,
) -> PairedComparison:
    """Two systems by the paired bootstrap; counts have shape (segments, k) each."""
    cube = _stack(first, second)
    result = compare_all(score, cube, test="bootstrap", resamples=resamples, confidence=confidence, seed=seed)
    return result.pair(0, 1)


def randomisation(
    score: Score,
    first: ArrayLike,
    second: ArrayLike,
    *,
    resamples: int = RESAMPLES["randomisation"],
    interval_resamples: int = RESAMPLES["bootstrap"],
    confidence: float = 0.95,
    seed: int = SEED,
) -> PairedComparison:
    """Two systems by approximate randomisation; the interval of the difference is still the bootstrap's.

    With interval_resamples=0 there is no interval, and nothing is drawn for it.
    """
    result = compare_all(
        score,
        _stack(first, second),
        test="randomisation",
        resamples=resamples,
        interval_resamples=interval_resamples,
        confidence=confidence,
        seed=seed,
    )
    return result.pair(0, 1)


def compare_all(
    score: Score,
    cube: ArrayLike,
    *,
    test: str = "bootstrap",
    resamples: int | None = None,
    interval_resamples: int | None = None,
    confidence: float = 0.95,
    seed: int = SEED,
    baseline: int | None = None,
) -> Comparisons:
    """All pairs of systems, or the system number `baseline` with all others; `cube` is (systems, segments, k).

    By default 1,000 resamples for the bootstrap and 10,000 for randomisation. `interval_resamples` (by default 1,000,
    0 for none) are those of the interval that goes with randomisation; the bootstrap has one set for both.
    """
    if test not in RESAMPLES:
        raise UnknownName("test", test, RESAMPLES)
    resamples = RESAMPLES[test] if resamples is None else resamples
    if test == "bootstrap":
        interval_resamples = resamples
    elif interval_resamples is None:
        interval_resamples = RESAMPLES["bootstrap"]
    check_draws(resamples, seed)
    if interval_resamples:
        check_draws(interval_resamples, seed)
    check_share("The confidence", confidence)
    cube = check_cube(cube)
    pairs = _pairs(len(cube), baseline)
    columns = exact_columns(cube)
    scores = system_scores(score, cube)
    # What is compared with resampled scores is the score of the same, exact sums.
    observed = evaluate(score, columns.totals)
    samples = resampled_scores(score, columns, resamples=interval_resamples, seed=seed)
    if test == "bootstrap":
        p_values = [_bootstrap_p(samples[i] - samples[j], observed[i], observed[j]) for i, j in pairs]
        if cube.shape[1] == 1:  # one segment resampled is always itself: of a difference nothing is known
            p_values = [p if p == 1 else float("nan") for p in p_values]
    else:
        p_values = _randomisation_p(score, columns, observed, pairs, resamples, seed)
    matrices = {name: _empty_matrix(scores) for name in ("difference", "low", "high", "standard_error", "wins")}
    matrices["p_value"] = _empty_matrix(scores) + 1
    for (i, j), p_value in zip(pairs, p_values, strict=True):
        here = _describe(scores[i] - scores[j], samples[i] - samples[j], observed[i], observed[j], confidence)
        for at, entry in (((i, j), here), ((j, i), here.reversed())):
            matrices["p_value"][at] = p_value
            for name, value in entry._asdict().items():
                if name in matrices:
                    matrices[name][at] = value
    return Comparisons(
        test=test,
        scores=scores,
        intervals=make_intervals(score, columns, scores, samples, confidence=confidence, seed=seed),
        pairs=pairs,
        baseline=baseline,
        confidence=confidence,
        resamples=resamples,
        interval_resamples=interval_resamples,
        seed=seed,
        n=cube.shape[1],
        **matrices,
    )


class _Difference(NamedTuple):
    """What is known of the difference of two scores without a test."""

    difference: float
    low: float
    high: float
    standard_error: float
    wins: float
    losses: float

    def reversed(self) -> _Difference:
        return _Difference(-self.difference, -self.high, -self.low, self.standard_error, self.losses, self.wins)


def _stack(first: ArrayLike, second: ArrayLike) -> Floats:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape:
        raise UsageError(f"Paired systems must have counts of the same shape, not {a.shape} and {b.shape}.")
    return np.stack([a, b])


def _pairs(systems: int, baseline: int | None) -> Pairs:
    if baseline is None:
        return tuple((i, j) for i in range(systems) for j in range(i + 1, systems))
    if not 0 <= baseline < systems:
        raise UsageError(f"The baseline must be a system's number, 0 to {systems - 1}, not {baseline}.")
    return tuple((baseline, j) for j in range(systems) if j != baseline)


def _empty_matrix(scores: Floats) -> Floats:
    """NaN everywhere but on the diagonal: a system that has a score differs from itself by 0."""
    matrix = np.full((len(scores), len(scores)), np.nan)
    np.fill_diagonal(matrix, scores - scores)
    return matrix


def _describe(difference: float, samples: Floats, first: float, second: float, confidence: float) -> _Difference:
    """The difference with its interval, from bootstrap samples of it and the observed scores of the two systems."""
    if not len(samples) or np.isnan(difference) or np.isnan(samples).any():
        nan = float("nan")
        return _Difference(difference, nan, nan, nan, nan, nan)
    scale = max(abs(first), abs(second))
    if is_constant(samples, first - second, scale=scale):
        low, high, error = difference, difference, 0.0
    else:
        (low, high), error = percentile_bounds(samples, confidence), standard_error(samples)
    noise = TOLERANCE * scale
    return _Difference(difference, low, high, error, (samples > noise).mean(), (samples < -noise).mean())


def _bootstrap_p(samples: Floats, first: float, second: float) -> float:
    """Two-sided. Under the null hypothesis differences scatter around 0 as they do here around their mean."""
    extreme = _at_least(samples - samples.mean(), first, second)
    return _p_value(int(np.count_nonzero(extreme)), len(samples), samples.sum() + first - second)


def _randomisation_p(
    score: Score, columns: Columns, observed: Floats, pairs: Pairs, trials: int, seed: int
) -> list[float]:
    """Two-sided. Under the null hypothesis it does not matter which system a segment's output comes from."""
    partners: dict[int, list[int]] = {}
    for i, j in pairs:
        partners.setdefault(i, []).append(j)
    extreme = dict.fromkeys(pairs, 0)
    defined = {pair: observed[pair[0]] - observed[pair[1]] for pair in pairs}  # NaN as soon as anything is
    totals = columns.totals
    for sums in swapped_sums(columns, trials=trials, seed=seed):
        for i, others in partners.items():
            # All pairs of i: what each gives away is subtracted and what it receives is added.
            change = sums[:, others] - sums[:, i : i + 1]
            differences = evaluate(score, totals[i] + change) - evaluate(score, totals[others] - change)
            for place, j in enumerate(others):
                column = differences[:, place]
                extreme[i, j] += int(np.count_nonzero(_at_least(column, observed[i], observed[j])))
                defined[i, j] += column.sum()
    return [_p_value(extreme[pair], trials, defined[pair]) for pair in pairs]


def _at_least(differences: Floats, first: float, second: float) -> NDArray[np.bool_]:
    """Which differences are at least as extreme as the observed one.

    Exact ties are common (few segments, or outputs that are mostly the same) and must count; the same difference
    reached through other sums can differ in its last digits, so a tie is what is equal up to rounding noise, which
    is relative to the scores and not to their difference.
    """
    noise = TOLERANCE * max(abs(first), abs(second))
    result: NDArray[np.bool_] = np.abs(differences) >= abs(first - second) - noise
    return result


def _p_value(extreme: int, trials: int, defined: float) -> float:
    """NaN if any score was undefined: comparisons with NaN are false and would make p too small."""
    return (extreme + 1) / (trials + 1) if not np.isnan(defined) else float("nan")
