"""The numbers of the organiser's page: progress, pace, quality control, agreement, and the ranking of systems.

Everything is computed from the answers stored so far; a rater's last answer to an item counts. Tutorial items are not
used. Control items are used in progress and quality control, and to standardise scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median

import numpy as np

from ..data.judgements import KINDS, Judgement, Judgements
from ..errors import DataError, MissingDependency
from ..stats.agreement import kappa_matrix
from ..stats.correlation import pearson
from ..stats.raters import bounds, draw_raters, pair_means
from ..stats.resampling import SEED
from . import control, mqm
from .answers import judgements_of
from .campaign import Campaign, Rater
from .gold import Floats, means, standardise
from .pairs import pairs_of_rankings
from .progress import SystemRanking, rank_systems
from .storage import StoredRecord, answer_row

_LARGEST_MQM = 5.0  # the weight of one major error


@dataclass(frozen=True)
class RaterLine:
    """One rater. seconds: median time per item, NaN if nothing is judged yet. left: expected seconds of work left."""

    name: str
    group: str
    done: int
    total: int
    changes: int
    seconds: float
    left: float
    last: str
    problems: tuple[str, ...]
    checks: int  # control items judged


@dataclass(frozen=True)
class RaterAgreement:
    """Mean agreement over pairs of raters. low, high: bootstrap interval over raters, NaN for fewer than five."""

    label: str
    value: float
    low: float
    high: float
    pairs: int
    items: int  # judged by two raters or more


@dataclass(frozen=True)
class Dashboard:
    """All numbers of the organiser's page. notes: what could not be computed, and why."""

    raters: tuple[RaterLine, ...]
    done: int
    total: int
    changes: int
    per_hour: float
    left: float  # seconds of work, all raters together
    agreement: tuple[RaterAgreement, ...]
    ranking: SystemRanking | None
    score: str  # what systems are ranked by
    notes: tuple[str, ...] = field(default=())


def compute(
    campaign: Campaign, records: Sequence[StoredRecord], *, seed: int = SEED, resamples: int = 1000
) -> Dashboard:
    """Compute the dashboard of a campaign from its stored answers."""
    notes: list[str] = []
    judgements = _weighed(judgements_of(campaign, map(answer_row, records)), notes)
    judgements = judgements.where(lambda row: row.check != "tutorial")
    problems = _problems(campaign, judgements, notes)
    by_rater: dict[str, list[StoredRecord]] = {}
    for record in records:
        by_rater.setdefault(record.rater, []).append(record)
    lines = tuple(
        _rater_line(campaign, rater, by_rater.get(rater.name, ()), problems.get(rater.name, ()))
        for rater in campaign.raters
    )
    done, total = sum(line.done for line in lines), sum(line.total for line in lines)
    plain = control.without_checks(judgements).kept if len(judgements) else judgements
    failed = sum(bool(line.problems) for line in lines)
    if failed:
        notes.append(f"Raters with a failed check: {failed}. Their judgements are included below.")
    agreement: tuple[RaterAgreement, ...] = ()
    ranking, score = None, ""
    if len(plain) and done:  # done is 0 if all judged items were removed from the campaign
        agreement = tuple(_agreement(campaign, plain, resamples=resamples, seed=seed))
        ranking, score = _ranking(judgements, (total - done) / done, notes, resamples=resamples, seed=seed)
    working = [line.seconds for line in lines if line.seconds > 0]
    return Dashboard(
        raters=lines,
        done=done,
        total=total,
        changes=sum(line.changes for line in lines),
        per_hour=3600 / median(working) if working else math.nan,
        left=math.fsum(line.left for line in lines if not math.isnan(line.left)),
        agreement=agreement,
        ranking=ranking,
        score=score,
        notes=tuple(notes),
    )


def _weighed(judgements: Judgements, notes: list[str]) -> Judgements:
    """Convert marked errors (MQM) to scores. Other kinds of judgements are returned unchanged."""
    if "mqm" not in judgements.kinds:
        return judgements
    try:
        return mqm.weigh(judgements)
    except DataError as error:
        notes.append(str(error))
        return judgements.where(lambda row: False)


def _rater_line(
    campaign: Campaign, rater: Rater, records: Sequence[StoredRecord], problems: Sequence[str]
) -> RaterLine:
    mine = set(rater.items)
    own = [record for record in records if record.item in mine]
    judged = {record.item for record in own}
    seconds = median(record.seconds for record in own) if own else math.nan
    return RaterLine(
        name=rater.name,
        group=rater.group,
        done=len(judged),
        total=len(mine),
        changes=len(own) - len(judged),
        seconds=seconds,
        left=seconds * (len(mine) - len(judged)),
        last=own[-1].server_time if own else "",
        problems=tuple(problems),
        checks=sum(campaign.item(item).check != "" for item in judged),
    )


def _problems(campaign: Campaign, judgements: Judgements, notes: list[str]) -> dict[str, list[str]]:
    """Return failed checks by rater. Raters with too few control items so far have none."""
    if not any(row.check in ("bad", "repeat") for row in judgements.rows):
        return {}
    if campaign.how.ranks:
        return _problems_of_rankings(campaign, judgements)
    judged = {(row.rater, row.system, row.segment) for row in judgements.rows if not row.check}
    ready = judgements.where(lambda row: not row.check or (row.rater, row.system, row.segment) in judged)
    how = campaign.how
    largest = control.REPEATS_APART * (how.high - how.low) if how.has_value else _LARGEST_MQM
    found: dict[str, list[str]] = {}
    tests: list[Callable[[Judgements], control.Filtered]] = [
        lambda rows: control.passing_bad_items(rows, keep_untested=True),
        lambda rows: control.passing_repeats(rows, largest=largest, keep_untested=True),
    ]
    for test in tests:
        try:
            for rater, why in test(ready).report.dropped.items():
                found.setdefault(rater, []).append(why)
        except MissingDependency as error:
            notes.append(str(error))
    return found


def _problems_of_rankings(campaign: Campaign, judgements: Judgements) -> dict[str, list[str]]:
    """Return failed checks of rankings: at least half of the pairs in repeats must be ranked in the same way."""
    tasks: dict[tuple[str, str], dict[str, float]] = {}
    for row in judgements.rows:
        tasks.setdefault((row.rater, row.task.partition("#")[0]), {})[row.system] = row.value
    same: dict[str, list[bool]] = {}
    for (rater, task), ranks in tasks.items():
        item = campaign.item(task)
        first = tasks.get((rater, item.of))
        if item.check == "repeat" and first is not None:
            for a, b in combinations(ranks, 2):
                if a in first and b in first:
                    same.setdefault(rater, []).append(np.sign(ranks[a] - ranks[b]) == np.sign(first[a] - first[b]))
    return {
        rater: [f"of {len(pairs)} pairs of outputs shown twice, {sum(pairs)} were ranked in the same way."]
        for rater, pairs in same.items()
        if len(pairs) > 1 and sum(pairs) * 2 < len(pairs)
    }


def _units(campaign: Campaign, judgements: Judgements) -> Iterable[tuple[str, tuple[str, ...], float]]:
    """Yield rater, what was judged, and the value. For rankings, yield each pair of outputs with 1, 0 or -1."""
    if not campaign.how.ranks:
        for row in judgements.rows:
            yield row.rater, (row.segment, row.system, row.reference), row.value
        return
    for pair in pairs_of_rankings(judgements).rows():
        flip = pair.left > pair.right
        names = (pair.right, pair.left) if flip else (pair.left, pair.right)
        yield pair.rater, (pair.segment, *names), float(-pair.outcome if flip else pair.outcome)


def _agreement(campaign: Campaign, judgements: Judgements, *, resamples: int, seed: int) -> Iterable[RaterAgreement]:
    """Yield kappa for labelled scales and preferences, and Pearson's r for scores."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for rater, unit, value in _units(campaign, judgements):
        found.setdefault(unit, {})[rater] = value
    shared = [unit for unit, values in found.items() if len(values) > 1]
    raters = sorted({rater for unit in shared for rater in found[unit]})
    table = np.array([[found[unit].get(rater, np.nan) for unit in shared] for rater in raters], dtype=np.float64)
    table = table.reshape(len(raters), len(shared))
    matrices: dict[str, Floats]
    if campaign.how.ranks:
        matrices = {"Cohen's kappa (better, equal, worse)": kappa_matrix(table)}
    elif campaign.how.labels:
        matrices = {
            "Cohen's kappa": kappa_matrix(table),
            "Cohen's kappa, quadratic weights": kappa_matrix(table, weights="quadratic"),
        }
    else:
        matrices = {"Pearson's r": _correlations(table)}
    pairs = ~np.eye(len(raters), dtype=np.bool_)
    groups = [campaign.rater(name).group for name in raters]
    people = draw_raters(groups, resamples=resamples, seed=seed)
    for label, values in matrices.items():
        value = float(pair_means(values, pairs, np.ones((1, len(raters))))[0])
        low, high = bounds(pair_means(values, pairs, people), raters=len(raters), strata=len(set(groups)))
        defined = int(np.count_nonzero(~np.isnan(values))) // 2
        yield RaterAgreement(label, value, low, high, defined, len(shared))


def _correlations(table: Floats) -> Floats:
    """Return Pearson's r of each pair of raters on the items that both judged, NaN for fewer than three items."""
    matrix = np.full((len(table), len(table)), np.nan)
    for i, j in combinations(range(len(table)), 2):
        both = ~np.isnan(table[i] + table[j])
        if np.count_nonzero(both) > 2:
            matrix[i, j] = matrix[j, i] = float(pearson(table[i, both], table[j, both]))
    return matrix


def _ranking(
    judgements: Judgements, missing: float, notes: list[str], *, resamples: int, seed: int
) -> tuple[SystemRanking | None, str]:
    """Return the ranking of systems (None if there is too little data), and a label of their scores."""
    kind = next(iter(judgements.kinds))
    if kind in ("da", "esa"):  # control items are included, as WMT does
        judgements = _standardised(judgements, notes)
    judgements = judgements.where(lambda row: not row.check)
    if kind == "rank":
        label = "share of comparisons won, ties as half"
        scored = [Judgement("z", row[0], row[1], row[2]) for row in _wins(judgements)]
        judgements, higher = Judgements(scored, judgements.pair, judgements.name), True
    else:
        higher = KINDS[kind].higher_is_better
        label = {"mqm": "MQM score (Google's weights)"}.get(kind, f"mean {kind}")
        if kind in ("da", "esa"):
            label = f"mean {kind.upper()}, standardised by rater"
    if not len(judgements):
        return None, label
    table = means(judgements)
    if len(table.systems) < 2 or len(table.segments) < 2:
        return None, label
    ranking = rank_systems(
        table.systems, table.values, missing=missing, higher_is_better=higher, resamples=resamples, seed=seed
    )
    return ranking, label


def _wins(judgements: Judgements) -> Iterable[tuple[str, str, float]]:
    for pair in pairs_of_rankings(judgements).rows():
        yield pair.segment, pair.left, (1 + pair.outcome) / 2
        yield pair.segment, pair.right, (1 - pair.outcome) / 2


def _standardised(judgements: Judgements, notes: list[str]) -> Judgements:
    values: dict[str, set[float]] = {}
    for row in judgements.rows:
        values.setdefault(row.rater, set()).add(row.value)
    flat = sorted(rater for rater, own in values.items() if len(own) < 2)
    if flat:
        notes.append(f"Raters who always gave the same score are left out of the ranking: {', '.join(flat)}.")
    varied = judgements.where(lambda row: row.rater not in flat)
    return standardise(varied) if len(varied) else varied
