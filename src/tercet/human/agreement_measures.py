"""The coefficients of agreement of a panel, each with an interval over raters, by group of raters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..stats.agreement import kappa
from ..stats.correlation import pearson
from ..stats.raters import Bools, bounds, pair_means, pair_ratio
from ..stats.reliability import LEVELS, Cells, Ratings, icc, preference_agreement
from .agreement_panel import (
    ALL,
    DIFFERENT,
    SAME_REFERENCE,
    SOURCE,
    WITHIN,
    Crew,
    Panel,
    crew_in,
    crew_of,
    paired_values,
    slice_of,
)
from .gold import Floats

KAPPAS = {"kappa": "standard", "kappa, linear": "linear", "kappa, one-off": "one-off", "kappa, quadratic": "quadratic"}
PREFERENCES = ("P(A)", "P(E)", "kappa")
WITHOUT_TIES = ("P(A), no ties", "P(E), no ties", "kappa, no ties")


@dataclass(frozen=True)
class MeasuredAgreement:
    """One coefficient of one group. low, high: the interval; NaN where there are too few raters.

    group: all, same reference, different references, source, within raters. raters: who have a pair in the group.
    pairs: of raters, that a mean is over. items: outputs judged by two of them; of rankings, pairs of comparisons.
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
    """How much more raters agree who were shown the same reference than those who were shown different ones."""

    measure: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RaterResamples:
    """Resamples of raters: weights of a panel's rows, shape (resamples, rows)."""

    weights: Floats
    confidence: float

    @property
    def once(self) -> Floats:
        """Everybody as often as he is there."""
        return np.ones((1, self.weights.shape[1]))

    def bounds(self, drawn: Floats, crew: Crew) -> tuple[float, float]:
        """The interval of what was computed for each resample."""
        return bounds(drawn, raters=crew.raters, strata=crew.strata, confidence=self.confidence)


def measure_scores(
    panel: Panel, draws: RaterResamples, *, categories: bool
) -> tuple[list[MeasuredAgreement], list[Gap]]:
    """Coefficients of judgements on a scale. categories: it has few values, a step of 1 apart, so that kappa has sense.

    Cohen's kappa and Pearson's r are means over pairs of raters. Fleiss' kappa and Krippendorff's alpha take all raters
    of a group together; for raters with the same reference an output with another reference is another item. So does
    ICC, whose intervals are not from resamples but from F distributions.
    """
    found: list[MeasuredAgreement] = []
    gaps: list[Gap] = []
    ways: dict[str, Callable[[Floats, Floats], float]] = {"Pearson's r": _correlation}
    if categories:
        ways = {name: _kappa_of(weights) for name, weights in KAPPAS.items()}
    for name, way in ways.items():
        part, gap = pair_measures(panel, name, paired_values(panel, way), draws)
        found += part
        gaps += gap
    for group, cells in _groups(panel).items():
        found += _joint(panel, group, cells, draws, categories=categories)
    return found, gaps


def pair_measures(
    panel: Panel, name: str, values: Floats, draws: RaterResamples
) -> tuple[list[MeasuredAgreement], list[Gap]]:
    """The mean of a matrix of values, shape (rows, rows), over the pairs of each group; and how groups differ."""
    found, samples = [], {}
    for group, pairs in panel.relations.items():
        counted = pairs & ~np.isnan(values)
        if not counted.any():
            continue
        samples[group] = pair_means(values, pairs, draws.weights)
        crew = crew_in(panel, counted)
        low, high = draws.bounds(samples[group], crew)
        value = float(pair_means(values, pairs, draws.once)[0])
        number, items = int(counted.sum()) // 2, shared(panel, pairs)
        found.append(MeasuredAgreement(name, group, value, low, high, crew.raters, number, items))
    return found, _gaps(panel, name, found, samples, draws)


def _gaps(
    panel: Panel, name: str, found: list[MeasuredAgreement], samples: Mapping[str, Floats], draws: RaterResamples
) -> list[Gap]:
    by_group = {item.group: item for item in found}
    if not {SAME_REFERENCE, DIFFERENT} <= by_group.keys():
        return []
    same, other = by_group[SAME_REFERENCE], by_group[DIFFERENT]
    drawn = samples[SAME_REFERENCE] - samples[DIFFERENT]
    referred = [number for number, row in enumerate(panel.rows) if row.shown not in panel.sources]
    low, high = draws.bounds(drawn, crew_of(panel, referred))
    return [Gap(name, same.value - other.value, low, high)]


def ratio_measures(
    panel: Panel, name: str, part: Floats, whole: Floats, draws: RaterResamples
) -> list[MeasuredAgreement]:
    """Sums over pairs of raters, divided, for each group."""
    found = []
    for group, pairs in panel.relations.items():
        counted = pairs & (whole > 0)
        if counted.any():
            inside = np.where(pairs, part, 0.0), np.where(pairs, whole, 0.0)
            crew = crew_in(panel, counted)
            low, high = draws.bounds(pair_ratio(*inside, draws.weights), crew)
            value = float(pair_ratio(*inside, draws.once)[0])
            number, items = int(counted.sum()) // 2, shared(panel, pairs)
            found.append(MeasuredAgreement(name, group, value, low, high, crew.raters, number, items))
    return found


def shared(panel: Panel, pairs: Bools) -> int:
    """How many items were judged by two raters that are a pair."""
    there = (~np.isnan(panel.table())).astype(np.float32)
    return int(np.count_nonzero((there * (pairs.astype(np.float32) @ there)).any(0)))


def closeness(*, categories: bool) -> Callable[[Floats, Floats], float]:
    """What says in one number how well two raters agree: linear kappa, or Pearson's r."""
    return _kappa_of(KAPPAS["kappa, linear"]) if categories else _correlation


def _kappa_of(weights: str) -> Callable[[Floats, Floats], float]:
    return lambda one, other: kappa(one, other, weights=weights)


def _correlation(one: Floats, other: Floats) -> float:
    return float(pearson(one, other)) if len(one) > 2 else math.nan


def _groups(panel: Panel) -> Mapping[str, Cells]:
    """Ratings by group, as items that all raters of the group judged with the same thing before them."""
    found = {ALL: Cells(panel.row, panel.item, panel.value)}
    if len(panel.shown) < 2:
        return found
    shown = np.array([panel.shown.index(row.shown) for row in panel.rows])[panel.row]
    source = np.array([row.shown in panel.sources for row in panel.rows])[panel.row]
    apart = panel.item * len(panel.shown) + shown
    for group, wanted in ((SAME_REFERENCE, ~source), (SOURCE, source)):
        if group in panel.relations:
            found[group] = Cells(panel.row[wanted], apart[wanted], panel.value[wanted])
    return found


def _joint(
    panel: Panel, group: str, cells: Cells, draws: RaterResamples, *, categories: bool
) -> Iterator[MeasuredAgreement]:
    _, item = np.unique(cells.item, return_inverse=True)
    ratings = Ratings.of(Cells(cells.rater, item, cells.value))
    table = np.full((len(panel.rows), int(item.max()) + 1), np.nan)
    table[cells.rater, item] = cells.value
    there = (~np.isnan(table)).astype(np.float32)
    met = panel.relations[group] & (there @ there.T > 0)
    crew, pairs, items = crew_in(panel, met), int(met.sum()) // 2, int(np.count_nonzero(there.sum(0) > 1))
    if not pairs:
        return
    ways: dict[str, Callable[[Floats], float]] = {"Fleiss' kappa": ratings.fleiss} if categories else {}
    for level in LEVELS[0 if categories else 1 :]:
        ways[f"alpha, {level}"] = _alpha_of(ratings, level)
    for name, way in ways.items():
        drawn = np.array([way(weights) for weights in draws.weights])
        low, high = draws.bounds(drawn, crew)
        yield MeasuredAgreement(name, group, way(draws.once[0]), low, high, crew.raters, pairs, items)
    for found in icc(table, confidence=draws.confidence):
        yield MeasuredAgreement(found.form, group, found.value, found.low, found.high, crew.raters, pairs, found.items)


def _alpha_of(ratings: Ratings, level: str) -> Callable[[Floats], float]:
    return lambda weights: ratings.alpha(level, weights)


@dataclass(frozen=True, eq=False)
class Meetings:
    """How often two rows compared the same outputs and said the same, shape (rows, rows), symmetric.

    On the diagonal: comparisons that a rater made again.
    """

    same: Floats
    met: Floats
    ties: Floats  # of each row, shape (rows,)
    made: Floats


def meetings(panel: Panel, *, ties: bool = True) -> Meetings:
    """Counts for P(A) and P(E); without ties, as if comparisons that ended in one had not been made."""
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
    return Meetings(same, met, np.bincount(row[value == 0], minlength=n).astype(np.float64), made)


def measure_rankings(panel: Panel, draws: RaterResamples) -> list[MeasuredAgreement]:
    """P(A), P(E) and kappa of comparisons, with ties and without, also of raters with themselves."""
    found: list[MeasuredAgreement] = []
    for names, ties in ((PREFERENCES, True), (WITHOUT_TIES, False)):
        counts = meetings(panel, ties=ties)
        within = np.eye(len(panel.rows), dtype=bool)
        for group, pairs in {**panel.relations, WITHIN: within}.items():
            met = np.where(pairs, counts.met, 0.0)
            if met.any():
                samples = _preferences(counts, pairs, draws.weights, alone=group == WITHIN)
                values = _preferences(counts, pairs, draws.once, alone=group == WITHIN)
                crew = crew_in(panel, met > 0)
                number = int(np.count_nonzero(met)) // (1 if group == WITHIN else 2)
                comparisons = int(met.sum()) // (1 if group == WITHIN else 2)
                for place, name in enumerate(names):
                    low, high = draws.bounds(samples[place], crew)
                    value = float(values[place][0])
                    found.append(MeasuredAgreement(name, group, value, low, high, crew.raters, number, comparisons))
    return found


def _preferences(counts: Meetings, pairs: Bools, weights: Floats, *, alone: bool) -> Floats:
    """P(A), P(E) and kappa for each row of weights, shape (3, resamples)."""
    same, met = (np.where(pairs, part, 0.0) for part in (counts.same, counts.met))
    if alone:  # a rater drawn three times met himself three times as often, not nine times
        agreed, total = weights @ same.diagonal(), weights @ met.diagonal()
    else:
        agreed, total = (((weights @ part) * weights).sum(1) / 2 for part in (same, met))
    made = weights @ counts.made
    tied = np.divide(weights @ counts.ties, made, out=np.full(len(weights), np.nan), where=made > 0)
    found = [
        preference_agreement(one, whole - one, ties=share)
        for one, whole, share in zip(agreed.tolist(), total.tolist(), tied.tolist(), strict=True)
    ]
    return np.array([[item.observed, item.expected, item.kappa] for item in found]).T


@dataclass(frozen=True)
class AgreementSlice:
    """One part of the raters' work in the order in which they did it.

    agreement: by group, the mean over pairs of raters of what they judged in the same part (linear kappa, Pearson's r;
    kappa of rankings). spread: the standard deviation of a rater's judgements in this part, mean over raters.
    """

    first: float  # from this share of the work on
    last: float
    measure: str
    agreement: Mapping[str, float]
    spread: float
    seconds: float  # mean over raters of their median time


def time_slices(
    panel: Panel, number: int, *, categories: bool, rankings: bool, seconds: Mapping[int, float]
) -> list[AgreementSlice]:
    """Figures 6.2 and 6.3 of Fomicheva (2017). seconds: by slice, where times are known."""
    place = slice_of(panel, number)
    found = []
    for own in range(number):
        part = panel.take(place == own)
        if rankings:
            name, agreement, spread = "kappa", _slice_of_rankings(part), math.nan
        else:
            name = "kappa, linear" if categories else "Pearson's r"
            values = paired_values(part, closeness(categories=categories))
            everybody = np.ones((1, len(part.rows)))
            agreement = {
                group: float(pair_means(values, pairs, everybody)[0]) for group, pairs in panel.relations.items()
            }
            spread = _spread(part)
        found.append(
            AgreementSlice(own / number, (own + 1) / number, name, agreement, spread, seconds.get(own, math.nan))
        )
    return found


def _slice_of_rankings(part: Panel) -> dict[str, float]:
    counts, everybody = meetings(part), np.ones((1, len(part.rows)))
    return {
        group: float(_preferences(counts, pairs, everybody, alone=False)[2][0])
        for group, pairs in part.relations.items()
    }


def _spread(part: Panel) -> float:
    """By n, as the thesis has it; raters with a single judgement have none."""
    deviations = [
        float(part.value[part.row == row].std())
        for row in range(len(part.rows))
        if np.count_nonzero(part.row == row) > 1
    ]
    return math.fsum(deviations) / len(deviations) if deviations else math.nan
