"""Reports on single raters: number of judgements, spread, drift, speed, agreement with other raters, failed checks."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from ..data.grouping import grouped
from ..data.judgements import KINDS, Codes, Judgement, Judgements, count
from ..data.rankings import SAME
from ..types import Floats
from . import control
from .agreement_measures import count_comparisons
from .agreement_panel import Panel
from .gold import mean_of


@dataclass(frozen=True, kw_only=True)
class RaterReport:
    """The report on one rater. Values that are not known or not defined are NaN.

    mean, spread: mean and standard deviation (n - 1) of the judgements. ties: for rankings, the share of ties.
    drift: the mean difference from other raters on the same outputs, in the second half of the work minus the first.
    agreement: mean over the other raters (linear kappa or Pearson's r; for rankings, P(A)). seconds: median time of a
    judgement. checks: number of control items. repeats: number of outputs judged again. repeat_difference: their mean
    absolute difference (for rankings, the share of comparisons with another outcome). failed: descriptions of failed
    checks.
    """

    rater: str
    shown: tuple[str, ...]
    judgements: int
    mean: float = math.nan
    spread: float = math.nan
    ties: float = math.nan
    drift: float = math.nan
    agreement: float
    seconds: float
    checks: int
    repeats: int
    repeat_difference: float
    failed: tuple[str, ...] = ()


def report_scores(judgements: Judgements, panel: Panel, values: Floats) -> list[RaterReport]:
    """Report on raters who judge on a scale. values: the agreement of each pair of rows of the panel."""
    ready = control.with_originals(judgements)
    pairs = control.paired(ready, "repeat")
    repeats = {rater: np.abs(again - first).tolist() for rater, (first, again) in pairs.items()}
    failed = control.failed_checks(ready, control.REPEATS_APART * _scale(judgements))
    checks = count(row.rater for row in judgements.rows if row.check and not row.check.startswith(SAME))
    found = []
    for rater, rows, facts in _raters(judgements, panel):
        own, again = panel.value[np.isin(panel.row, rows)], repeats[rater]
        spread = float(own.std(ddof=1)) if len(own) > 1 else math.nan
        facts |= {"mean": float(own.mean()), "spread": spread, "drift": _drift(panel, rows.tolist())}
        facts |= {"agreement": mean_of(values[rows].ravel().tolist()), "checks": checks.get(rater, 0)}
        facts |= {"repeats": len(again), "repeat_difference": mean_of(again)}
        found.append(RaterReport(judgements=len(own), failed=tuple(failed.get(rater, ())), **facts))
    return found


def _raters(judgements: Judgements, panel: Panel) -> Iterator[tuple[str, Codes, dict[str, Any]]]:
    """Yield each rater, the rater's rows of the panel, and what is reported on raters in every case."""
    mine = grouped((row.rater, row) for row in judgements.rows)
    for number, rater in enumerate(panel.raters):
        rows = np.flatnonzero(panel.person == number)
        shown = tuple(panel.rows[row].shown for row in rows.tolist())
        yield rater, rows, {"rater": rater, "shown": shown, "seconds": _pace(mine[rater])}


def report_rankings(judgements: Judgements, panel: Panel, controls: Judgements) -> list[RaterReport]:
    """Report on raters who rank outputs. A comparison made twice is a repeat, whether planned or not."""
    counts = count_comparisons(panel)
    failed = control.passing_bad_items(controls, keep_untested=True).report.dropped if len(controls) else {}
    tasks, checks = (
        count(rater for rater, _ in {(row.rater, row.task) for row in part.rows}) for part in (judgements, controls)
    )
    found = []
    for rater, rows, facts in _raters(judgements, panel):
        others = np.setdiff1d(np.arange(len(panel.rows)), rows)
        met, same = (float(part[np.ix_(rows, others)].sum()) for part in (counts.met, counts.same))
        again, kept = (float(part[rows, rows].sum()) for part in (counts.met, counts.same))
        ties = float(counts.ties[rows].sum() / max(counts.made[rows].sum(), 1.0))
        facts |= {"ties": ties, "agreement": same / met if met else math.nan, "checks": checks.get(rater, 0)}
        facts |= {"repeats": int(again), "repeat_difference": 1 - kept / again if again else math.nan}
        problems = (failed[rater],) if rater in failed else ()
        found.append(RaterReport(judgements=tasks[rater], failed=problems, **facts))
    return found


def seconds_by_slice(judgements: Judgements, slices: int) -> dict[int, float]:
    """Return the mean over raters of their median time in each part of their work, NaN if no time is known."""
    times = grouped(
        (part, _pace(rows[math.ceil(part * len(rows) / slices) : math.ceil((part + 1) * len(rows) / slices)]))
        for rows in grouped((row.rater, row) for row in judgements.rows).values()
        for part in range(slices)
    )
    return {part: mean_of(own) for part, own in times.items()}


def _pace(rows: Sequence[Judgement]) -> float:
    known = [row.seconds for row in rows if not math.isnan(row.seconds)]
    return median(known) if known else math.nan


def _drift(panel: Panel, rows: list[int]) -> float:
    counts = np.bincount(panel.item, minlength=len(panel.items))
    sums = np.bincount(panel.item, panel.value, minlength=len(panel.items))
    mine = np.isin(panel.row, rows)
    item, value = panel.item[mine], panel.value[mine]
    # If a rater has two rows for an item, "others" includes that rater; this is rare and only reduces the drift.
    others = counts[item] - 1
    known = others > 0
    apart = value[known] - (sums[item[known]] - value[known]) / others[known]
    late = panel.stage[mine][known] >= 0.5
    if not late.any() or late.all():
        return math.nan
    return float(apart[late].mean() - apart[~late].mean())


def _scale(judgements: Judgements) -> float:
    """Return the length of the kind's scale; if it has no bounds, the range of the judgements."""
    kind = KINDS[next(iter(judgements.kinds))]
    length = kind.high - kind.low
    return length if not math.isnan(length) else float(np.ptp(judgements.values))
