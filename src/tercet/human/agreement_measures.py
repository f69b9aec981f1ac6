"""Agreement coefficients of a panel by group of raters, each with a confidence interval from resampled raters."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..data.judgements import Codes
from ..stats.agreement import kappa
from ..stats.correlation import pearson
from ..stats.raters import Bools, bounds, draw_raters, pair_means, pair_ratio
from ..stats.reliability import Cells, Ratings, icc, preference_agreement
from ..types import Floats
from .agreement_panel import (
    ALL,
    DIFFERENT,
    SAME_REFERENCE,
    SOURCE,
    WITHIN,
    Panel,
    paired_values,
    slice_of,
)
from .gold import mean_of, ratio

Way = Callable[[Floats, Floats], float]  # to measure the agreement of two raters
KAPPAS = {"kappa": "standard", "kappa, linear": "linear", "kappa, one-off": "one-off", "kappa, quadratic": "quadratic"}
PREFERENCES = ("P(A)", "P(E)", "kappa")
WITHOUT_TIES = ("P(A), no ties", "P(E), no ties", "kappa, no ties")
USUAL_LEVELS = ("nominal", "ordinal", "interval")  # of measurement, for alpha


@dataclass(frozen=True)
class MeasuredAgreement:
    """One coefficient of one group. low, high: the confidence interval, NaN if there are too few raters.

    group: all, same reference, different references, source, within raters. raters: the number of raters in a pair of
    the group. pairs: the number of pairs of raters. items: outputs judged by two of the raters; for rankings, the
    number of pairs of comparisons.
    """

    measure: str
    group: str
    value: float
    low: float
    high: float
    raters: int
    pairs: int
    items: int


@dataclass(frozen=True)
class Gap:
    """Agreement of raters who were shown the same reference, minus that of raters who were shown different ones."""

    measure: str
    value: float
    low: float
    high: float


Measured = tuple[list[MeasuredAgreement], list[Gap]]


class RaterResamples:
    """A panel, and resamples of its raters within their strata: weights of the panel's rows, (resamples, rows)."""

    def __init__(self, panel: Panel, *, resamples: int, seed: int, confidence: float = 0.95) -> None:
        self.panel, self.confidence = panel, confidence
        self.weights = draw_raters(panel.strata, resamples=resamples, seed=seed)[:, panel.person]
        self.observed = np.ones((1, len(panel.rows)))  # the weights of the observed sample

    def bounds(self, samples: Floats, rows: Codes | Sequence[int]) -> tuple[float, float]:
        """Return the confidence interval of a value of some rows that was computed for each resample."""
        people = self.panel.raters_of(rows)
        strata = len({self.panel.strata[person] for person in people})
        return bounds(samples, raters=len(people), strata=strata, confidence=self.confidence)

    def measured(
        self, name: str, group: str, value: float, bounds: Floats | tuple[float, float], met: Bools, *counts: int
    ) -> MeasuredAgreement:
        """Return a coefficient of the pairs of rows that met. bounds: its interval, or its value in each resample."""
        rows = np.flatnonzero(met.any(1))
        low, high = bounds if isinstance(bounds, tuple) else self.bounds(bounds, rows)
        return MeasuredAgreement(name, group, value, low, high, len(self.panel.raters_of(rows)), *counts)


def measure_scores(resampled: RaterResamples, *, categories: bool, levels: Sequence[str] = ()) -> Measured:
    """Compute the coefficients of judgements on a scale. categories: the scale has few values in steps of 1 (kappa).

    levels: the levels of measurement of alpha; by default ordinal and interval, and nominal for categories.

    Cohen's kappa and Pearson's r are means over pairs of raters. Fleiss' kappa, Krippendorff's alpha and ICC use all
    raters of a group together; in the group "same reference", an output shown with another reference is another item.
    The intervals of ICC come from F distributions instead of resamples.
    """
    found: list[MeasuredAgreement] = []
    gaps: list[Gap] = []
    ways: dict[str, Way] = {"Pearson's r": correlation}
    if categories:
        ways = {name: partial(kappa, weights=weights) for name, weights in KAPPAS.items()}
    for name, way in ways.items():
        part, gap = pair_measures(resampled, name, way)
        found += part
        gaps += gap
    for group, cells in _groups(resampled.panel).items():
        found += _joint_coefficients(resampled, group, cells, levels, categories=categories)
    return found, gaps


def pair_measures(resampled: RaterResamples, name: str, way: Way) -> Measured:
    """Return the mean agreement of two raters, measured in this way, over the pairs of each group; and the gap."""
    values = paired_values(resampled.panel, way)
    return ratio_measures(resampled, name, np.nan_to_num(values), (~np.isnan(values)).astype(np.float64))


def ratio_measures(resampled: RaterResamples, name: str, part: Floats, whole: Floats) -> Measured:
    """Return, for each group, the sum of `part` over pairs of raters divided by the sum of `whole`; and the gap."""
    panel = resampled.panel
    found: dict[str, MeasuredAgreement] = {}
    samples: dict[str, Floats] = {}
    for group, pairs in panel.relations.items():
        counted = pairs & (whole > 0)
        if counted.any():
            inside = np.where(pairs, part, 0.0), np.where(pairs, whole, 0.0)
            samples[group] = pair_ratio(*inside, resampled.weights)
            value = float(pair_ratio(*inside, resampled.observed)[0])
            counts = int(counted.sum()) // 2, shared(panel, pairs)
            found[group] = resampled.measured(name, group, value, samples[group], counted, *counts)
    gaps = []
    if {SAME_REFERENCE, DIFFERENT} <= found.keys():
        change = samples[SAME_REFERENCE] - samples[DIFFERENT]
        bounds = resampled.bounds(change, np.flatnonzero(~panel.is_source))
        gaps = [Gap(name, found[SAME_REFERENCE].value - found[DIFFERENT].value, *bounds)]
    return list(found.values()), gaps


def shared(panel: Panel, pairs: Bools) -> int:
    """Count the items that were judged by both raters of at least one pair."""
    there = (~np.isnan(panel.table())).astype(np.float32)
    return int(np.count_nonzero((there * (pairs.astype(np.float32) @ there)).any(0)))


def pair_coefficient(*, categories: bool) -> Way:
    """Return the function that measures the agreement of two raters: linear kappa or Pearson's r."""
    return partial(kappa, weights="linear") if categories else correlation


def correlation(one: Floats, other: Floats) -> float:
    """Return Pearson's r of two raters, NaN for fewer than three items."""
    return float(pearson(one, other)) if len(one) > 2 else math.nan


def _groups(panel: Panel) -> Mapping[str, Cells]:
    """Return the ratings of each group. In groups other than "all", an item is an output and what was shown with it."""
    found = {ALL: Cells(panel.row, panel.item, panel.value)}
    if len(panel.shown) < 2:
        return found
    source = panel.is_source[panel.row]
    apart = panel.item * len(panel.shown) + panel.view[panel.row]
    for group, wanted in ((SAME_REFERENCE, ~source), (SOURCE, source)):
        if group in panel.relations:
            found[group] = Cells(panel.row[wanted], apart[wanted], panel.value[wanted])
    return found


def _joint_coefficients(
    resampled: RaterResamples, group: str, cells: Cells, levels: Sequence[str], *, categories: bool
) -> Iterator[MeasuredAgreement]:
    panel = resampled.panel
    _, item = np.unique(cells.item, return_inverse=True)
    ratings = Ratings.of(Cells(cells.rater, item, cells.value))
    table = np.full((len(panel.rows), int(item.max()) + 1), np.nan)
    table[cells.rater, item] = cells.value
    there = (~np.isnan(table)).astype(np.float32)
    met = panel.relations[group] & (there @ there.T > 0)
    pairs, items = int(met.sum()) // 2, int(np.count_nonzero(there.sum(0) > 1))
    if not pairs:
        return
    ways: dict[str, Callable[[Floats], float]] = {"Fleiss' kappa": ratings.fleiss} if categories else {}
    for level in levels or USUAL_LEVELS[0 if categories else 1 :]:
        ways[f"alpha, {level}"] = partial(ratings.alpha, level)
    for name, way in ways.items():
        samples = np.array([way(weights) for weights in resampled.weights])
        yield resampled.measured(name, group, way(resampled.observed[0]), samples, met, pairs, items)
    for found in icc(table, confidence=resampled.confidence):
        yield resampled.measured(found.form, group, found.value, (found.low, found.high), met, pairs, found.items)


@dataclass(frozen=True, eq=False)
class ComparisonCounts:
    """How often two rows compared the same outputs (met) with the same outcome (same); diagonal: repeats."""

    same: Floats
    met: Floats
    ties: Floats  # number of ties of each row, shape (rows,)
    made: Floats  # number of comparisons of each row, shape (rows,)


def count_comparisons(panel: Panel, *, ties: bool = True) -> ComparisonCounts:
    """Count comparisons for P(A) and P(E). ties: whether to include comparisons that ended in a tie."""
    if not ties:
        panel = panel.take(panel.value != 0)
    n = len(panel.rows)
    order = np.argsort(panel.item, kind="stable")
    item, row, value = panel.item[order], panel.row[order], panel.value[order]
    same, met = np.zeros((n, n)), np.zeros((n, n))
    most = int(np.bincount(item).max()) if len(item) else 0
    for distance in range(1, most):
        together = item[distance:] == item[:-distance]
        one, other = row[distance:][together], row[:-distance][together]
        np.add.at(met, (one, other), 1.0)
        np.add.at(same, (one, other), (value[distance:] == value[:-distance])[together].astype(np.float64))
    for counts in (same, met):
        own = counts.diagonal().copy()
        counts += counts.T
        np.fill_diagonal(counts, own)
    made = np.bincount(row, minlength=n).astype(np.float64)
    return ComparisonCounts(same, met, np.bincount(row[value == 0], minlength=n).astype(np.float64), made)


def measure_rankings(resampled: RaterResamples) -> list[MeasuredAgreement]:
    """Compute P(A), P(E) and kappa of comparisons, with and without ties, between raters and within raters."""
    found: list[MeasuredAgreement] = []
    panel = resampled.panel
    for names, ties in ((PREFERENCES, True), (WITHOUT_TIES, False)):
        counts = count_comparisons(panel, ties=ties)
        within = np.eye(len(panel.rows), dtype=bool)
        for group, pairs in {**panel.relations, WITHIN: within}.items():
            met, alone = np.where(pairs, counts.met, 0.0), group == WITHIN
            if not met.any():
                continue
            samples = _preferences(counts, pairs, resampled.weights, alone=alone)
            values = _preferences(counts, pairs, resampled.observed, alone=alone)
            numbers = [int(number) // (1 if alone else 2) for number in (np.count_nonzero(met), met.sum())]
            for name, sample, value in zip(names, samples, values[:, 0].tolist(), strict=True):
                found.append(resampled.measured(name, group, value, sample, met > 0, *numbers))
    return found


def _preferences(counts: ComparisonCounts, pairs: Bools, weights: Floats, *, alone: bool) -> Floats:
    """Return P(A), P(E) and kappa for each row of weights, shape (3, resamples). alone: within raters."""
    same, met = (np.where(pairs, part, 0.0) for part in (counts.same, counts.met))
    if alone:  # the repeats of a rater who is in the resample three times count three times, not nine times
        agreed, total = weights @ same.diagonal(), weights @ met.diagonal()
    else:
        agreed, total = (((weights @ part) * weights).sum(1) for part in (same, met))
    tied = ratio(weights @ counts.ties, weights @ counts.made)
    found = [
        preference_agreement(one, whole - one, ties=share)
        for one, whole, share in zip(agreed.tolist(), total.tolist(), tied.tolist(), strict=True)
    ]
    return np.array([[item.observed, item.expected, item.kappa] for item in found]).T


@dataclass(frozen=True)
class AgreementSlice:
    """One part of the raters' work, in the order in which they did it.

    agreement: by group, the mean over pairs of raters on the outputs that both judged in this part (linear kappa or
    Pearson's r; kappa for rankings). spread: the mean over raters of the standard deviation of their judgements.
    """

    first: float  # where the part begins, as a share of the work
    last: float
    measure: str
    agreement: Mapping[str, float]
    spread: float
    seconds: float  # mean over raters of their median time
    judgements: int = 0


def time_slices(
    panel: Panel, number: int, *, categories: bool, rankings: bool, seconds: Mapping[int, float]
) -> list[AgreementSlice]:
    """Return agreement and spread in `number` parts of the work (Fomicheva 2017, figures 6.2 and 6.3)."""
    place = slice_of(panel, number)
    everybody = np.ones((1, len(panel.rows)))
    name = "kappa" if rankings else "kappa, linear" if categories else "Pearson's r"
    found = []
    for own in range(number):
        part = panel.take(place == own)
        if rankings:
            way, spread = partial(_kappa_of_rankings, count_comparisons(part)), math.nan
        else:
            values = paired_values(part, pair_coefficient(categories=categories))
            way, spread = partial(pair_means, values), _spread(part)
        agreement = {group: float(way(pairs, everybody)[0]) for group, pairs in panel.relations.items()}
        bounds, pace = (own / number, (own + 1) / number), seconds.get(own, math.nan)
        found.append(AgreementSlice(*bounds, name, agreement, spread, pace, judgements=len(part.value)))
    return found


def _kappa_of_rankings(counts: ComparisonCounts, pairs: Bools, weights: Floats) -> Floats:
    kappas: Floats = _preferences(counts, pairs, weights, alone=False)[2]
    return kappas


def _spread(part: Panel) -> float:
    """Return the mean standard deviation (divisor n, as in the thesis) of raters with at least two judgements."""
    judged = (part.value[part.row == row] for row in range(len(part.rows)))
    return mean_of([float(values.std()) for values in judged if len(values) > 1])
