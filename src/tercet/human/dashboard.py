"""The numbers of the organiser's page: progress, pace, quality control, agreement, and the ranking of systems.

Everything is computed from the answers stored so far; a rater's last answer to an item counts. Tutorial items are not
used. Control items are used in progress and quality control, and to standardise scores.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from statistics import median

import numpy as np

from ..data.grouping import grouped
from ..data.judgements import KINDS, Judgement, Judgements
from ..errors import DataError
from ..stats.agreement import kappa
from ..stats.resampling import SEED
from . import control, mqm
from .agreement_measures import MeasuredAgreement, RaterResamples, Way, correlation, pair_measures
from .agreement_panel import ALL, panel_of_rankings, panel_of_scores
from .answers import judgements_of
from .campaign import Campaign, Item, Rater
from .gold import means, standardise
from .pairs import pairs_of_rankings
from .progress import SystemRanking, rank_systems
from .storage import StoredRecord, answer_row

FASTEST = 10.0  # words a second: nobody reads and judges as fast; the mean of readers is 4 (Brysbaert 2019)
PER_WORD = 1.6  # characters of scripts without spaces that are as much to read as a word
FEWEST, SHARE = 3, 0.1  # a rater is reported from this number and share of hasty answers on
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
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
    hasty: int = 0  # items answered faster than their texts can be read


@dataclass(frozen=True)
class Dashboard:
    """All numbers of the organiser's page. systems: how many are judged. notes: what could not be computed, and why."""

    raters: tuple[RaterLine, ...]
    done: int
    total: int
    changes: int
    per_hour: float
    left: float  # seconds of work, all raters together
    agreement: tuple[MeasuredAgreement, ...]
    ranking: SystemRanking | None
    score: str  # what systems are ranked by
    notes: tuple[str, ...] = field(default=())
    systems: int = 0

    @property
    def can_stop(self) -> bool:
        """Whether the campaign is complete or its ranking stable."""
        return 0 < self.done == self.total or (self.ranking is not None and self.ranking.can_stop)

    @property
    def advice(self) -> tuple[str, str]:
        """Say whether the campaign can be stopped, and why."""
        ranking = self.ranking
        if not self.done:
            return "Nothing is judged yet.", f"0 of {self.total} judgements. Send the raters their links."
        if self.done == self.total:
            all_in = f"All {self.total} planned judgements are in, by {len(self.raters)} raters."
            return "The campaign is complete.", all_in
        so_far = f"{self.done} of {self.total} judgements are in. Results may still change."
        if self.systems < 2:
            return "There is one system, so there is no ranking that could become stable.", (
                f"{so_far} Stop when the interval of its mean is narrow enough for you."
            )
        if ranking is None or math.isnan(ranking.risk):
            return "Too early to tell.", f"{so_far} 20 judged segments of each system are needed."
        stable, open_ = "You can stop: the ranking is stable.", "Continue: the ranking may still change."
        return stable if ranking.can_stop else open_, (
            f"{so_far} If the campaign goes on to its planned end, the probability that the clusters will differ from "
            f"those below is {100 * ranking.risk:.1f} %; that the first will differ, {100 * ranking.risk_best:.1f} %."
        )


def compute(
    campaign: Campaign, records: Sequence[StoredRecord], *, seed: int = SEED, resamples: int = 1000
) -> Dashboard:
    """Compute the dashboard of a campaign from its stored answers."""
    notes: list[str] = []
    judgements = _weighed(judgements_of(campaign, map(answer_row, records)), notes)
    judgements = judgements.where(lambda row: row.check != "tutorial")
    problems = _problems(campaign, judgements)
    by_rater = grouped((record.rater, record) for record in records)
    lines = tuple(
        _rater_line(campaign, rater, by_rater.get(rater.name, ()), problems.get(rater.name, ()))
        for rater in campaign.raters
    )
    done, total = sum(line.done for line in lines), sum(line.total for line in lines)
    plain = control.without_checks(judgements).kept if len(judgements) else judgements
    failed = sum(bool(line.problems) for line in lines)
    if failed:
        notes.append(
            f"Raters to look at, for the reasons in the table of raters: {failed}. Their judgements are included below."
        )
    agreement: tuple[MeasuredAgreement, ...] = ()
    ranking, score = None, ""
    if len(plain) and done:  # done is 0 if all judged items were removed from the campaign
        agreement = tuple(_agreement(campaign, plain, resamples=resamples, seed=seed))
        ranking, score = _ranking(campaign, judgements, (total - done) / done, notes, resamples=resamples, seed=seed)
    working = [line.seconds for line in lines if line.seconds > 0]
    return Dashboard(
        lines, done, total,
        changes=sum(line.changes for line in lines),
        per_hour=3600 / median(working) if working else math.nan,
        left=math.fsum(line.left for line in lines if not math.isnan(line.left)),
        agreement=agreement, ranking=ranking, score=score, notes=tuple(notes),
        systems=len({system for item in campaign.items for system in item.judged if not item.check}),
    )  # fmt: skip


def _weighed(judgements: Judgements, notes: list[str]) -> Judgements:
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
    quick = hasty(campaign, own)
    if quick >= FEWEST and quick > SHARE * len(judged):
        speed = f"({FASTEST:g} words a second)."
        problems = (*problems, f"{quick} of {len(judged)} answers came faster than their texts can be read {speed}")
    return RaterLine(
        rater.name, rater.group, done=len(judged), total=len(mine), changes=len(own) - len(judged), seconds=seconds,
        left=seconds * (len(mine) - len(judged)), last=own[-1].server_time if own else "", problems=tuple(problems),
        checks=sum(campaign.item(item).check != "" for item in judged), hasty=quick,
    )  # fmt: skip


def words(text: str) -> float:
    """Return the length of a text in words, also of scripts that put no spaces between them."""
    rest, characters = _WITHOUT_SPACES.subn(" ", text)
    return len(rest.split()) + characters / PER_WORD


def shortest(item: Item) -> float:
    """Return the seconds below which nobody can have read the texts of an item."""
    shown = (item.source or "", item.reference or "", *(output.text for output in item.outputs))
    return sum(map(words, shown)) / FASTEST


def hasty(campaign: Campaign, records: Iterable[StoredRecord]) -> int:
    """Count the items that were answered too fast to be read; the times of several answers to an item add up."""
    spent: dict[str, float] = {}
    for record in records:
        spent[record.item] = spent.get(record.item, 0.0) + record.seconds
    return sum(seconds < shortest(campaign.item(item)) for item, seconds in spent.items())


def _problems(campaign: Campaign, judgements: Judgements) -> dict[str, list[str]]:
    """Return failed checks by rater. Raters with too few control items so far have none."""
    if not any(row.check in ("bad", "repeat") for row in judgements.rows):
        return {}
    if campaign.how.ranks:
        return _problems_of_rankings(campaign, judgements)
    how = campaign.how
    largest = control.REPEATS_APART * (how.high - how.low) if how.has_value else _LARGEST_MQM
    return control.failed_checks(control.with_originals(judgements), largest)


def _problems_of_rankings(campaign: Campaign, judgements: Judgements) -> dict[str, list[str]]:
    """Return failed checks of rankings: damaged copies rank below, half of the repeated pairs agree."""
    tasks: dict[tuple[str, str], dict[str, float]] = {}
    for row in judgements.rows:
        tasks.setdefault((row.rater, row.task.partition("#")[0]), {})[row.system] = row.value
    same = grouped(
        (rater, np.sign(ranks[a] - ranks[b]) == np.sign(first[a] - first[b]))
        for (rater, task), ranks in tasks.items()
        if campaign.item(task).check == "repeat" and (first := tasks.get((rater, campaign.item(task).of)))
        for a, b in combinations(ranks, 2)
        if a in first and b in first
    )
    repeats = {
        rater: f"of {len(pairs)} pairs of outputs shown twice, {sum(pairs)} were ranked in the same way."
        for rater, pairs in same.items()
        if len(pairs) > 1 and sum(pairs) * 2 < len(pairs)
    }
    bad = control.passing_bad_items(judgements, keep_untested=True).report.dropped
    return grouped((*bad.items(), *repeats.items()))


def _agreement(campaign: Campaign, judgements: Judgements, *, resamples: int, seed: int) -> Iterator[MeasuredAgreement]:
    """Yield kappa for labelled scales and preferences, and Pearson's r for scores."""
    first = {(row.rater, row.task, row.value, row.spans): row for row in reversed(judgements.rows)}  # of equal texts
    kept = judgements.rows if campaign.how.ranks else first.values()
    rows = sorted(kept, key=lambda row: row.rater)
    if not campaign.how.ranks:  # an output that is shown with another reference is another item
        rows = [row._replace(segment=f"{row.segment}\t{row.reference}") for row in rows]
    rows = [row._replace(reference=campaign.rater(row.rater).group) for row in rows]  # raters are resampled by group
    shown = Judgements(rows, judgements.pair, judgements.name)
    panel = panel_of_rankings(shown, ()) if campaign.how.ranks else panel_of_scores(shown, ())
    ways: dict[str, Way] = {"Pearson's r": correlation}
    if campaign.how.ranks:
        ways = {"Cohen's kappa (better, equal, worse)": kappa}
    elif campaign.how.labels:
        ways = {"Cohen's kappa": kappa, "Cohen's kappa, quadratic weights": partial(kappa, weights="quadratic")}
    resampled = RaterResamples(panel, resamples=resamples, seed=seed)
    for label, way in ways.items():
        yield from (item for item in pair_measures(resampled, label, way)[0] if item.group == ALL)


def _ranking(
    campaign: Campaign, judgements: Judgements, missing: float, notes: list[str], *, resamples: int, seed: int
) -> tuple[SystemRanking | None, str]:
    """Return the ranking of systems (None if there is too little data), and a label of their scores."""
    kind = next(iter(judgements.kinds))
    label, higher = {"mqm": "MQM score (Google's weights)"}.get(kind, f"mean {kind}"), KINDS[kind].higher_is_better
    if kind in ("da", "esa"):  # control items are included, as WMT does
        judgements, label = _standardised(judgements, notes), f"mean {kind.upper()}, standardised by rater"
    judgements = judgements.where(lambda row: not row.check)
    if kind == "rank":
        label = "share of comparisons won, ties as half"
        ties = [(segment, system, 0.5) for segment, *systems in campaign.identical for system in systems]
        if ties:
            notes.append(f"Comparisons of equal texts, counted as ties without a judgement: {len(campaign.identical)}.")
        wins = [
            (pair.segment, system, (1 + sign * pair.outcome) / 2)
            for pair in pairs_of_rankings(judgements).rows()
            for system, sign in ((pair.left, 1), (pair.right, -1))
        ]
        scored = [Judgement("z", *row) for row in (*wins, *ties)]
        judgements, higher = Judgements(scored, judgements.pair, judgements.name), True
    if not len(judgements):
        return None, label
    table = means(judgements)
    if len(table.systems) < 2 or len(table.segments) < 2:
        return None, label
    ranking = rank_systems(
        table.systems, table.values, missing=missing, higher_is_better=higher, resamples=resamples, seed=seed
    )
    return ranking, label


def _standardised(judgements: Judgements, notes: list[str]) -> Judgements:
    values = grouped((row.rater, row.value) for row in judgements.rows)
    flat = sorted(rater for rater, own in values.items() if len(set(own)) < 2)
    if flat:
        notes.append(f"Raters who always gave the same score are left out of the ranking: {', '.join(flat)}.")
    varied = judgements.where(lambda row: row.rater not in flat)
    return standardise(varied) if len(varied) else varied
