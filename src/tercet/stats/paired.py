"""Paired significance tests of two systems on the same segments, or of all pairs of systems at once.

Paired bootstrap: Koehn (2004), "Statistical Significance Tests for Machine Translation Evaluation", EMNLP; two-sided,
with resampled differences centred before their absolute value is taken, as Riezler and Maxwell (2005), "On Some
Pitfalls in Automatic Evaluation and Significance Testing for MT". Approximate randomisation: Noreen (1989),
"Computer-Intensive Methods for Testing Hypotheses". One is added to numerator and denominator of a p-value (Phipson and
Smyth 2010, "Permutation P-values Should Never Be Zero").

Up to EXACT_SEGMENTS segments randomisation is exact: it takes every exchange once. Below FEW_SEGMENTS the bootstrap
finds differences too often, because resamples of few segments vary too little (`benchmarks/calibration.py` measures
it); randomisation keeps its level for any number of segments.
"""

from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from ..types import Floats
from .intervals import Interval, make_intervals, spread
from .resampling import (
    SEED,
    TOLERANCE,
    Columns,
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

RESAMPLES = {"bootstrap": 1_000, "randomisation": 10_000}  # the usual number for each test
EXACT_SEGMENTS = 14  # 2**13 exchanges are fewer than the usual number of random ones
FEW_SEGMENTS = 50  # at 5 % the bootstrap finds a difference between equals in 7 % of cases at 25, in 6 % from about 50
Pairs = tuple[tuple[int, int], ...]


def is_exact(test: str, n: int) -> bool:
    """Return whether a test takes every exchange of n segments once."""
    return test == "randomisation" and n <= EXACT_SEGMENTS


def test_name(test: str, n: int) -> str:
    """Return the full name of a test on n segments."""
    return "paired bootstrap" if test == "bootstrap" else f"{'exact' if is_exact(test, n) else 'approximate'} {test}"


def exchanges(n: int, resamples: int) -> int:
    """Return how many exchanges randomisation makes of n segments: all of them if they are few."""
    return 2 ** (n - 1) if is_exact("randomisation", n) else resamples


def resamples_made(test: str, n: int, resamples: int, grouping: str = "") -> str:
    """Return how many resamples of n segments a test makes, or exchanges if it makes all of them."""
    if is_exact(test, n):
        return f"all {exchanges(n, resamples):{grouping}} exchanges"
    return f"{resamples:{grouping}} resamples"


def smallest_p_value(test: str, n: int, resamples: int) -> float:
    """Return the smallest p-value that a test can give for n segments."""
    return 1 / exchanges(n, resamples) if is_exact(test, n) else 1 / (resamples + 1)


@dataclass(frozen=True)
class PairedComparison:
    """The comparison of two systems. NaN: undefined, or not requested."""

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
    """The comparisons of all pairs of systems, or of one baseline with all others.

    In matrices, shape (systems, systems), [i, j] compares i with j; NaN if not requested or undefined.
    """

    test: str
    scores: Floats  # (systems,)
    difference: Floats  # scores[i] - scores[j]
    p_value: Floats
    low: Floats  # percentile bootstrap interval of the difference
    high: Floats
    standard_error: Floats  # of the difference
    wins: Floats  # share of bootstrap resamples in which i has the higher number than j
    intervals: tuple[Interval, ...]  # of the scores, from the same resamples
    pairs: Pairs  # each compared pair once
    baseline: int | None
    confidence: float
    resamples: int  # of the test; if randomisation was exact, the number of exchanges
    interval_resamples: int
    seed: int
    n: int

    def pair(self, first: int, second: int) -> PairedComparison:
        at = first, second
        return PairedComparison(
            self.test, float(self.scores[first]), float(self.scores[second]), float(self.difference[at]),
            float(self.p_value[at]), float(self.low[at]), float(self.high[at]), float(self.standard_error[at]),
            float(self.wins[at]), float(self.wins[second, first]), self.confidence, self.resamples,
            self.interval_resamples, self.seed, self.n,
        )  # fmt: skip


class TestOptions(TypedDict, total=False):
    """The options of the tests of two systems, with the defaults of `compare_all`."""

    resamples: int | None
    interval_resamples: int | None
    confidence: float
    seed: int


def paired_bootstrap(
    score: Score, first: ArrayLike, second: ArrayLike, **options: Unpack[TestOptions]
) -> PairedComparison:
    """Compare two systems, each with counts of shape (segments, k), by the paired bootstrap; see `compare_all`."""
    return compare_all(score, _stack(first, second), test="bootstrap", **options).pair(0, 1)


def randomisation(
    score: Score, first: ArrayLike, second: ArrayLike, **options: Unpack[TestOptions]
) -> PairedComparison:
    """Compare two systems by approximate randomisation, exact up to EXACT_SEGMENTS; see `compare_all`."""
    return compare_all(score, _stack(first, second), test="randomisation", **options).pair(0, 1)


def compare_all(
    score: Score, cube: ArrayLike, *, test: str = "bootstrap", resamples: int | None = None,
    interval_resamples: int | None = None, confidence: float = 0.95, seed: int = SEED, baseline: int | None = None,
) -> Comparisons:  # fmt: skip
    """Compare all pairs of systems, or system number `baseline` with all others; `cube` is (systems, segments, k).

    The default is 1,000 resamples for the bootstrap and 10,000 for randomisation, which is exact up to EXACT_SEGMENTS
    segments. `interval_resamples` (default 1,000, 0 for none) is the number of bootstrap resamples for the intervals
    that accompany randomisation; the bootstrap test uses the same resamples for both.
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
    # Resampled scores are compared with the score of the same exact sums.
    observed = evaluate(score, columns.totals)
    samples = resampled_scores(score, columns, resamples=interval_resamples, seed=seed)
    if test == "bootstrap":
        p_values = [_bootstrap_p(samples[i] - samples[j], observed[i], observed[j]) for i, j in pairs]
        if cube.shape[1] == 1:  # resamples of a single segment are all the same
            p_values = [p if p == 1 else float("nan") for p in p_values]
    else:
        p_values = _randomisation_p(score, columns, observed, pairs, resamples, seed)
        resamples = exchanges(cube.shape[1], resamples)
    intervals = make_intervals(score, columns, scores, samples, confidence=confidence, seed=seed)
    if cube.shape[1] == 1:
        samples = samples[:, :0]  # and say nothing about a difference
    matrices = {name: _empty_matrix(scores) for name in ("difference", "low", "high", "standard_error", "wins")}
    matrices["p_value"] = _empty_matrix(scores) + 1
    for (i, j), p_value in zip(pairs, p_values, strict=True):
        gap = scores[i] - scores[j]
        low, high, error, wins, losses = _describe(gap, samples[i] - samples[j], observed[i], observed[j], confidence)
        entries = (gap, -gap), (low, -high), (high, -low), (error, error), (wins, losses), (p_value, p_value)
        for matrix, (here, reversed_) in zip(matrices.values(), entries, strict=True):
            matrix[i, j], matrix[j, i] = here, reversed_
    return Comparisons(
        test=test, scores=scores, intervals=intervals, pairs=pairs, baseline=baseline, confidence=confidence,
        resamples=resamples, interval_resamples=interval_resamples, seed=seed, n=cube.shape[1], **matrices,
    )  # fmt: skip


def _stack(first: ArrayLike, second: ArrayLike) -> Floats:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape:
        raise UsageError(f"Both systems must have counts of the same shape, not {a.shape} and {b.shape}.")
    return np.stack([a, b])


def _pairs(systems: int, baseline: int | None) -> Pairs:
    if baseline is None:
        return tuple((i, j) for i in range(systems) for j in range(i + 1, systems))
    if not 0 <= baseline < systems:
        raise UsageError(f"The baseline must be the number of a system, from 0 to {systems - 1}, not {baseline}.")
    return tuple((baseline, j) for j in range(systems) if j != baseline)


def _empty_matrix(scores: Floats) -> Floats:
    """Return a matrix of NaN with 0 on the diagonal for systems that have a score."""
    matrix = np.full((len(scores), len(scores)), np.nan)
    np.fill_diagonal(matrix, scores - scores)
    return matrix


def _describe(
    difference: float, samples: Floats, first: float, second: float, confidence: float
) -> tuple[float, float, float, float, float]:
    """Return the bounds of a difference of two observed scores, its standard error, and shares of wins and losses."""
    if not len(samples) or np.isnan(difference) or np.isnan(samples).any():
        return np.nan, np.nan, np.nan, np.nan, np.nan
    scale = max(abs(first), abs(second))
    low, high, _, error = spread(difference, first - second, samples, confidence, scale=scale)
    noise = TOLERANCE * scale
    return low, high, error, float((samples > noise).mean()), float((samples < -noise).mean())


def _bootstrap_p(samples: Floats, first: float, second: float) -> float:
    """Return the two-sided p-value: under the null hypothesis differences vary around 0 as here around their mean."""
    extreme = _at_least(samples - samples.mean(), first, second)
    return _p_value(int(np.count_nonzero(extreme)), len(samples), samples.sum() + first - second)


def _randomisation_p(
    score: Score, columns: Columns, observed: Floats, pairs: Pairs, trials: int, seed: int
) -> list[float]:
    """Return two-sided p-values: under the null hypothesis the two systems' outputs of a segment are exchangeable."""
    partners: dict[int, list[int]] = {}
    for i, j in pairs:
        partners.setdefault(i, []).append(j)
    extreme = dict.fromkeys(pairs, 0)
    defined = {pair: observed[pair[0]] - observed[pair[1]] for pair in pairs}  # becomes NaN if any score is
    totals, n = columns.totals, columns.shape[1]
    exact = is_exact("randomisation", n)
    for sums in swapped_sums(columns, trials=None if exact else trials, seed=seed):
        for i, others in partners.items():
            # All pairs of i: subtract the counts that a system gives away, add those that it receives.
            change = sums[:, others] - sums[:, i : i + 1]
            differences = evaluate(score, totals[i] + change) - evaluate(score, totals[others] - change)
            for place, j in enumerate(others):
                column = differences[:, place]
                extreme[i, j] += int(np.count_nonzero(_at_least(column, observed[i], observed[j])))
                defined[i, j] += column.sum()
    if exact:  # the observed difference is among them
        return [_p_value(extreme[pair] - 1, exchanges(n, trials) - 1, defined[pair]) for pair in pairs]
    return [_p_value(extreme[pair], trials, defined[pair]) for pair in pairs]


def _at_least(differences: Floats, first: float, second: float) -> NDArray[np.bool_]:
    """Return whether differences are at least as extreme as the observed one, up to rounding noise of the scores."""
    noise = TOLERANCE * max(abs(first), abs(second))
    result: NDArray[np.bool_] = np.abs(differences) >= abs(first - second) - noise
    return result


def _p_value(extreme: int, trials: int, defined: float) -> float:
    """Return the p-value; NaN if any score was undefined, because comparisons with NaN would make p too small."""
    return (extreme + 1) / (trials + 1) if not np.isnan(defined) else float("nan")
