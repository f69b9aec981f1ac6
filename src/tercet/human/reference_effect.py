"""What the reference that raters are shown does to their judgements: averages, tests, and what metrics make of it.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", chapter 6: Table 6.2
(averages by reference, paired t-tests) and Table 6.3 (correlation of a metric that is given one reference with people
who were shown another).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..data.scores import Scores
from ..errors import DataError
from ..stats.corrections import holm
from ..stats.correlation import pearson
from .agreement_measures import RaterResamples
from .agreement_panel import Panel, crew_of
from .gold import Floats

EXACT = 10_000  # ways to divide raters into two groups that are all tried; more are drawn


@dataclass(frozen=True)
class Average:
    """The mean judgement of raters who were shown the same: of every output first, then over outputs."""

    shown: str
    is_source: bool
    mean: float
    raters: int
    outputs: int


@dataclass(frozen=True)
class Contrast:
    """Two groups of raters on the outputs that both judged; difference: the mean of the first less the second.

    low, high: over resamples of raters. p: paired t-test over outputs, as the thesis has it; it knows these raters
    only. p_raters: the share of all ways to divide these raters into two such groups that part them at least as far:
    it asks whether the reference does it or the people. Both are two-sided; _holm: corrected for all contrasts.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    outputs: int
    p: float
    p_raters: float
    p_holm: float = math.nan
    p_raters_holm: float = math.nan


@dataclass(frozen=True)
class Correlation:
    """Pearson's r over outputs of a metric that was given one reference and of people who were shown another.

    Signs are such that more is better agreement, also where the metric or people count errors.
    """

    metric: str
    shown: str
    given: str
    value: float
    outputs: int


def output_means(panel: Panel, shown: str) -> Floats:
    """The mean judgement of every item by raters who were shown this, shape (items,); NaN where there is none."""
    rows = [number for number, row in enumerate(panel.rows) if row.shown == shown]
    part = panel.take(np.isin(panel.row, rows))
    counts = np.bincount(part.item, minlength=len(panel.items))
    sums = np.bincount(part.item, part.value, minlength=len(panel.items))
    means: Floats = np.divide(sums, counts, out=np.full(len(panel.items), np.nan), where=counts > 0)
    return means


def averages(panel: Panel) -> list[Average]:
    """One for each thing shown, where there are several (Table 6.2)."""
    found = []
    for shown in panel.shown if len(panel.shown) > 1 else ():
        means = output_means(panel, shown)
        judged = means[~np.isnan(means)]
        raters = len({row.rater for row in panel.rows if row.shown == shown})
        found.append(Average(shown, shown in panel.sources, float(judged.mean()), raters, len(judged)))
    return found


def contrasts(panel: Panel, draws: RaterResamples, *, seed: int) -> list[Contrast]:
    """All pairs of things shown."""
    found = []
    for first, second in combinations(panel.shown, 2):
        one, other = output_means(panel, first), output_means(panel, second)
        both = ~np.isnan(one) & ~np.isnan(other)
        difference = one[both] - other[both]
        mean = float(difference.mean()) if len(difference) else math.nan
        effects = _rater_effects(panel, (first, second))
        low, high = _interval(panel, effects, (first, second), draws)
        p_raters = _divided(*(effects[_rows(panel, shown)] for shown in (first, second)), seed=seed)
        if not {panel.rows[row].rater for row in _rows(panel, first)}.isdisjoint(
            panel.rows[row].rater for row in _rows(panel, second)
        ):
            p_raters = math.nan  # who saw both is in both groups, and cannot be dealt out
        found.append(Contrast(first, second, mean, low, high, len(difference), _p_paired(difference), p_raters))
    corrected = holm([item.p for item in found]), holm([item.p_raters for item in found])
    return [
        replace(item, p_holm=float(p), p_raters_holm=float(p_raters))
        for item, p, p_raters in zip(found, *corrected, strict=True)
    ]


def _rows(panel: Panel, shown: str) -> list[int]:
    return [number for number, row in enumerate(panel.rows) if row.shown == shown]


def _rater_effects(panel: Panel, shown: tuple[str, str]) -> Floats:
    """How far each row of the two groups is from the mean of both groups on the same outputs, shape (rows,).

    Where everybody judged everything these are the rows' means, but for a constant.
    """
    wanted = np.isin(panel.row, [*_rows(panel, shown[0]), *_rows(panel, shown[1])])
    part = panel.take(wanted)
    means = [output_means(panel, name) for name in shown]
    middle = (means[0] + means[1]) / 2  # NaN where one group did not judge
    apart = part.value - middle[part.item]
    known = ~np.isnan(apart)
    counts = np.bincount(part.row[known], minlength=len(panel.rows))
    sums = np.bincount(part.row[known], apart[known], minlength=len(panel.rows))
    effects: Floats = np.divide(sums, counts, out=np.full(len(panel.rows), np.nan), where=counts > 0)
    return effects


def _interval(panel: Panel, effects: Floats, shown: tuple[str, str], draws: RaterResamples) -> tuple[float, float]:
    drawn, judged = [], list[int]()
    for name in shown:
        rows = [row for row in _rows(panel, name) if not math.isnan(effects[row])]
        weights = draws.weights[:, rows]
        total = weights.sum(1)
        drawn.append(np.divide(weights @ effects[rows], total, out=np.full(len(total), np.nan), where=total > 0))
        judged += rows
    return draws.bounds(drawn[0] - drawn[1], crew_of(panel, judged))


def _divided(one: Floats, other: Floats, *, seed: int) -> float:
    """p by dividing all raters anew into groups of these sizes: every way, or 10,000 that are drawn."""
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if not len(one) or not len(other) or len(one) + len(other) < 3:
        return math.nan
    values = np.concatenate([one, other])
    observed = abs(float(one.mean() - other.mean()))
    everybody = len(values)
    if math.comb(everybody, len(one)) <= EXACT:
        ways = np.array(list(combinations(range(everybody), len(one))))
        drawn = 0
    else:
        generator = np.random.default_rng(seed)
        ways = np.argsort(generator.random((EXACT, everybody)), axis=1)[:, : len(one)]
        drawn = 1  # the observed way is one of those that could have been drawn
    sums = values[ways].sum(1)
    apart = np.abs(sums / len(one) - (values.sum() - sums) / len(other))
    extreme = int(np.count_nonzero(apart >= observed - 1e-9 * max(observed, 1e-300)))
    return (extreme + drawn) / (len(ways) + drawn)


def _p_paired(difference: Floats) -> float:
    """Two-sided, Student's t; NaN without SciPy, or with fewer than two outputs."""
    if len(difference) < 2:
        return math.nan
    spread = float(difference.std(ddof=1))
    if spread == 0:
        return 1.0 if not difference.any() else 0.0
    try:
        from scipy.special import stdtr
    except ImportError:
        return math.nan
    t = abs(float(difference.mean())) / (spread / math.sqrt(len(difference)))
    return 2 * float(stdtr(len(difference) - 1, -t))


def correlations(
    panel: Panel,
    scores: Mapping[str, Sequence[Scores]],
    segments: Mapping[str, Sequence[str]],
    *,
    higher_is_better: bool,
) -> list[Correlation]:
    """For every metric, thing shown and reference given (Table 6.3).

    scores: by the reference that metrics were given, with segment scores; segments: the names of their segments, by
    the same.
    """
    found = []
    for shown in panel.shown:
        human = output_means(panel, shown) * (1 if higher_is_better else -1)
        for given, several in scores.items():
            places = {name: number for number, name in enumerate(segments[given])}
            for metric in several:
                values = _of_items(panel, metric, places)
                both = ~np.isnan(values) & ~np.isnan(human)
                r = float(pearson(human[both], values[both])) if np.count_nonzero(both) > 2 else math.nan
                found.append(Correlation(metric.label, shown, given, r, int(np.count_nonzero(both))))
    if found and not any(item.outputs for item in found):
        raise DataError(
            "Metrics scored none of the outputs that people judged: names of systems or segments differ "
            f"(people: {panel.items[0][1]!r}, segment {panel.items[0][0]!r})."
        )
    return found


def _of_items(panel: Panel, metric: Scores, places: Mapping[str, int]) -> Floats:
    sign = -1.0 if metric.higher_is_better is False else 1.0
    values = np.full(len(panel.items), np.nan)
    for number, (segment, system) in enumerate(panel.items):
        if system in metric.segment and segment in places:
            values[number] = sign * metric.segment[system][places[segment]]
    return values
