"""The effect of the reference shown to raters: mean judgements, tests of differences, correlations with metrics.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", chapter 6: Table 6.2
(averages by reference, paired t-tests) and Table 6.3 (correlation of a metric that uses one reference with raters who
were shown another).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..data.scores import Scores
from ..errors import DataError
from ..stats.corrections import holm
from ..stats.correlation import pearson
from ..types import Floats
from .agreement_measures import RaterResamples
from .agreement_panel import Panel
from .control import p_lower
from .gold import means_by, ratio

EXACT = 10_000  # up to this number, all divisions of raters into two groups are tried; above it, random ones


@dataclass(frozen=True)
class Average:
    """The mean judgement of raters who were shown the same thing: averaged by output, then over outputs."""

    shown: str
    is_source: bool
    mean: float
    raters: int
    outputs: int


@dataclass(frozen=True)
class Contrast:
    """Two groups of raters on the outputs that both judged. difference: mean of the first minus mean of the second.

    low, high: confidence interval from resampled raters. p: paired t-test over outputs, as in the thesis; it takes the
    raters as fixed. p_raters: permutation test over raters, the share of all divisions of the raters into groups of
    these sizes with at least this difference. Both are two-sided. p_holm, p_raters_holm: corrected for all contrasts.
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

    @property
    def name(self) -> str:
        """The names of what the two groups were shown."""
        return f"{shown_name(self.first)} − {shown_name(self.second)}"


@dataclass(frozen=True)
class Correlation:
    """Pearson's r over outputs of a metric with one reference and raters by what they saw; higher is better."""

    metric: str
    shown: str
    given: str
    value: float
    outputs: int


def shown_name(name: str) -> str:
    """Return the name of what raters were shown, or "no reference" if it has none."""
    return name or "no reference"


def output_means(panel: Panel, shown: str) -> Floats:
    """Return the mean judgement of every item by raters who were shown this, shape (items,), NaN for none."""
    part = panel.take(np.isin(panel.row, _rows(panel, shown)))
    return means_by(part.item, part.value, len(panel.items))


def averages(panel: Panel) -> list[Average]:
    """Return the mean judgement for each thing shown (Table 6.2), or nothing if all raters were shown the same."""
    found = []
    for shown in panel.shown if len(panel.shown) > 1 else ():
        means = output_means(panel, shown)
        judged = means[~np.isnan(means)]
        raters = len(_raters(panel, shown))
        found.append(Average(shown, shown in panel.sources, float(judged.mean()), raters, len(judged)))
    return found


def contrasts(resampled: RaterResamples, *, seed: int) -> list[Contrast]:
    """Compare the raters of each pair of things shown."""
    found, panel = [], resampled.panel
    for first, second in combinations(panel.shown, 2):
        one, other = output_means(panel, first), output_means(panel, second)
        both = ~np.isnan(one) & ~np.isnan(other)
        difference = one[both] - other[both]
        mean = float(difference.mean()) if len(difference) else math.nan
        effects = _rater_effects(panel, (first, second))
        low, high = _interval(resampled, effects, (first, second))
        p_raters = _p_permuted(*(effects[_rows(panel, shown)] for shown in (first, second)), seed=seed)
        if _raters(panel, first) & _raters(panel, second):
            p_raters = math.nan  # a rater who was shown both is in both groups, so groups cannot be permuted
        found.append(Contrast(first, second, mean, low, high, len(difference), _p_paired(difference), p_raters))
    corrected = holm([item.p for item in found]), holm([item.p_raters for item in found])
    return [
        replace(item, p_holm=float(p), p_raters_holm=float(p_raters))
        for item, p, p_raters in zip(found, *corrected, strict=True)
    ]


def _rows(panel: Panel, shown: str) -> list[int]:
    return [number for number, row in enumerate(panel.rows) if row.shown == shown]


def _raters(panel: Panel, shown: str) -> set[str]:
    return {panel.rows[row].rater for row in _rows(panel, shown)}


def _rater_effects(panel: Panel, shown: tuple[str, str]) -> Floats:
    """Return the mean difference of each row from the mean of both groups on the same outputs, shape (rows,)."""
    wanted = np.isin(panel.row, [*_rows(panel, shown[0]), *_rows(panel, shown[1])])
    part = panel.take(wanted)
    means = [output_means(panel, name) for name in shown]
    middle = (means[0] + means[1]) / 2  # NaN if one of the groups did not judge the output
    apart = part.value - middle[part.item]
    known = ~np.isnan(apart)
    return means_by(part.row[known], apart[known], len(panel.rows))


def _interval(resampled: RaterResamples, effects: Floats, shown: tuple[str, str]) -> tuple[float, float]:
    judged = [[row for row in _rows(resampled.panel, name) if not math.isnan(effects[row])] for name in shown]
    one, other = (
        ratio(resampled.weights[:, rows] @ effects[rows], resampled.weights[:, rows].sum(1)) for rows in judged
    )
    return resampled.bounds(one - other, [*judged[0], *judged[1]])


def _p_permuted(one: Floats, other: Floats, *, seed: int) -> float:
    """Return the p-value of the permutation test over raters, with all divisions or EXACT random ones."""
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if not len(one) or not len(other) or len(one) + len(other) < 3:
        return math.nan
    values = np.concatenate([one, other])
    observed = abs(float(one.mean() - other.mean()))
    added = int(math.comb(len(values), len(one)) > EXACT)  # of random divisions, count the observed one as well
    if added:
        generator = np.random.default_rng(seed)
        ways = np.argsort(generator.random((EXACT, len(values))), axis=1)[:, : len(one)]
    else:
        ways = np.array(list(combinations(range(len(values)), len(one))))
    sums = values[ways].sum(1)
    apart = np.abs(sums / len(one) - (values.sum() - sums) / len(other))
    extreme = int(np.count_nonzero(apart >= observed - 1e-9 * max(observed, 1e-300)))
    return (extreme + added) / (len(ways) + added)


def _p_paired(difference: Floats) -> float:
    """Return the two-sided p-value of the paired t-test; NaN with fewer than two outputs."""
    if len(difference) < 2:
        return math.nan
    return min(1.0, 2 * p_lower(-np.sign(difference.mean()) * difference))


def correlations(
    panel: Panel,
    scores: Mapping[str, Sequence[Scores]],
    segments: Mapping[str, Sequence[str]],
    *,
    higher_is_better: bool,
) -> list[Correlation]:
    """Correlate every metric, with each of its references, with raters by what they were shown (Table 6.3)."""
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
            "Metrics scored none of the judged outputs, because names of systems or segments differ. The first judged "
            f"output is of system {panel.items[0][1]!r}, segment {panel.items[0][0]!r}."
        )
    return found


def _of_items(panel: Panel, metric: Scores, places: Mapping[str, int]) -> Floats:
    sign = -1.0 if metric.higher_is_better is False else 1.0
    values = np.full(len(panel.items), np.nan)
    for number, (segment, system) in enumerate(panel.items):
        if system in metric.segment and segment in places:
            values[number] = sign * metric.segment[system][places[segment]]
    return values
