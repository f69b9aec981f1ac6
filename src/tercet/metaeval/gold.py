"""The gold standard that metrics are compared with: chosen by name, or the only one in the data.

At system level published scores, means, or shares of won comparisons; at segment level scores, or preferences
(rankings, or direct assessments that differ enough: daRR, Ma et al. 2019, section 5.2.1).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..data.evidence import Evidence
from ..data.judgements import KINDS, Judgements
from ..data.rankings import SAME
from ..data.scores import Scores
from ..data.tables import HUMAN
from ..errors import DataError, UnknownName, UsageError
from ..human import pairs as preferences
from ..human.control import without_checks
from ..human.gold import segment_means, standardise, system_means
from ..human.mqm import weigh
from ..human.ranking import expected_wins, trueskill_means, win_rates
from ..types import Floats

log = logging.getLogger(__name__)


MARGIN = 25.0  # points of raw direct assessment; larger differences are preferences (Ma et al. 2019)
STANDARDISED = "da-z"  # direct assessment, standardised by rater
LABELS = {"rr": "RR", "darr": "daRR"}
OF_RANKINGS: Mapping[str, Callable[[preferences.RankedPairs], Scores]] = {
    "expected-wins": expected_wins,
    "win-rate": win_rates,
    "trueskill": trueskill_means,
}


@dataclass(frozen=True, eq=False)
class Gold:
    """A human gold standard. It has at least one of: system (systems,), segment (systems, segments), pairs."""

    name: str
    label: str
    systems: tuple[str, ...]
    segments: tuple[str, ...] = ()
    system: Floats | None = None
    segment: Floats | None = None
    pairs: preferences.RankedPairs | None = None
    judgements: Judgements | None = None  # the judgements whose means are the system scores
    raw: bool = False  # whether values are points from 0 to 100
    left_out: tuple[str, ...] = ()  # judged or scored systems that do not count: references
    repeated: int = 0  # outputs that were judged more than once; their judgements are averaged


def find_gold(evidence: Evidence, *, name: str | None = None, level: str = "sys", wants_pairs: bool = False) -> Gold:
    """Return the gold standard of that name, or the only one that fits. Raises an error if there are several."""
    known = _candidates(evidence)
    return known[_chosen(known, evidence, name, level, wants_pairs)].build()


def check_gold(evidence: Evidence, *, name: str | None = None, level: str = "sys", wants_pairs: bool = False) -> None:
    """Raise the errors that `find_gold` would raise, without building anything."""
    _chosen(_candidates(evidence), evidence, name, level, wants_pairs)


def _chosen(
    known: Mapping[str, _Candidate], evidence: Evidence, name: str | None, level: str, wants_pairs: bool
) -> str:
    fitting = [key for key, make in known.items() if make.fits(level, wants_pairs)]
    if name is not None:
        if name not in known:
            raise UnknownName(f"gold standard in {evidence.name} {evidence.pair}", name, known)
        if name not in fitting:
            need = "preferences" if wants_pairs else f"scores at level {level}"
            raise UsageError(f"The gold standard {name!r} has no {need}. These have: {', '.join(fitting) or 'none'}.")
        return name
    if not fitting:
        there = f" There is only: {', '.join(known)}." if known else ""
        what = "preferences (rankings, or segment scores)" if wants_pairs else f"human scores at level {level}"
        raise DataError(f"{evidence.name} has no {what} for {evidence.pair}.{there}")
    chosen = _usual(known, level, wants_pairs)
    if len(chosen) > 1:
        raise UsageError(
            f"{evidence.name} {evidence.pair} has several gold standards. Choose with `gold`: {', '.join(chosen)}."
        )
    return chosen[0]


def has_preferences(evidence: Evidence, name: str | None = None) -> bool:
    """Return whether people ranked outputs, in the gold standard of that name or, without a name, in any."""
    known = _candidates(evidence)
    return any(one.ranks for key, one in known.items() if name in (None, key))


def gold_names(evidence: Evidence, *, level: str = "sys", wants_pairs: bool = False) -> list[str]:
    """Return the default gold standards: one, or several from which the user must choose."""
    return _usual(_candidates(evidence), level, wants_pairs)


def _usual(known: Mapping[str, _Candidate], level: str, wants_pairs: bool) -> list[str]:
    """Return the defaults: rankings before preferences derived from scores, means before shares of won comparisons."""
    orders = {key: one.order(wants_pairs) for key, one in known.items() if one.fits(level, wants_pairs)}
    return [key for key, order in orders.items() if order == min(orders.values())]


@dataclass(frozen=True)
class _Candidate:
    """A gold standard that can be built, with the levels that it would have."""

    build: Callable[[], Gold]
    levels: frozenset[str]
    ranks: bool = False
    derived: int = 0  # 0: used by default; otherwise the lowest number is

    def fits(self, level: str, wants_pairs: bool) -> bool:
        if wants_pairs:
            return level == "seg" and (self.ranks or "seg" in self.levels) and not self.derived
        return level in self.levels

    def order(self, wants_pairs: bool) -> tuple[bool, int]:
        return (wants_pairs and not self.ranks, self.derived)


def _candidates(evidence: Evidence) -> dict[str, _Candidate]:
    found: dict[str, _Candidate] = {}

    def put(name: str, candidate: _Candidate, judgements: Judgements | None = None) -> None:
        """Add a candidate under this name. If the name is taken, put the name of the set of judgements before it."""
        if name in found and judgements is not None:
            name = f"{judgements.name}-{name}"
        if name in found:
            raise DataError(
                f"{evidence.name} {evidence.pair} has two gold standards called {name!r}. Give the sets of judgements "
                "different names, or leave one out."
            )
        found[name] = candidate

    for scores in evidence.gold:
        has_system = not np.isnan(list(scores.system.values())).all()
        levels = frozenset(["sys"] * has_system + ["seg"] * bool(scores.segment))
        put(scores.metric.spec, _Candidate(partial(_published, scores, evidence), levels))
    for judgements in evidence.judgements:
        for kind in judgements.kinds:
            one = judgements.of(kind)
            if kind == "rank":
                put(judgements.name, _Candidate(partial(_of_rankings, one), frozenset(), ranks=True))
                for number, name in enumerate(OF_RANKINGS, 1):  # after means
                    make = partial(_of_rankings, one, name)
                    put(name, _Candidate(make, frozenset({"sys"}), derived=number), judgements)
                continue
            # If means of the same judgements were published, these are the default.
            derived = int(any(scores.metric.spec == kind for scores in evidence.gold))
            make, both = partial(_means, one, kind, evidence), frozenset({"sys", "seg"})
            put(kind, _Candidate(make, both, derived=derived), judgements)
            if kind == "da" and one.raters:
                put(STANDARDISED, _Candidate(partial(_means, one, STANDARDISED, evidence), both, derived=1), judgements)
    return found


def _published(scores: Scores, evidence: Evidence) -> Gold:
    kinds = {metric: kind for metric, _, kind in HUMAN.values()}
    sign = -1.0 if scores.higher_is_better is False else 1.0
    system, segment = sign * np.array(list(scores.system.values())), None
    if scores.segment:
        missing = np.full(len(evidence.segments), np.nan)
        segment = sign * np.stack([scores.segment.get(name, missing) for name in scores.systems])
    spec, names = scores.metric.spec, tuple(evidence.segments)
    return Gold(spec, scores.label, scores.systems, names, system, segment, raw=kinds.get(spec) == "da")


def _means(judgements: Judgements, kind: str, evidence: Evidence) -> Gold:
    if kind == STANDARDISED:
        judgements, kind = standardise(judgements), "z"
    if kind == "mqm" and np.isnan(judgements.values).any():
        judgements = weigh(judgements)
    judgements = _of_outputs(judgements)
    # Exports of campaigns name segments differently. They can be used at system level only.
    known = set(judgements.segments) <= set(evidence.segments)
    segments = tuple(evidence.segments if known else judgements.segments)
    system, segment = system_means(judgements, segments), segment_means(judgements, segments)
    sign = 1.0 if KINDS[kind].higher_is_better else -1.0
    counts = Counter((row.system, row.segment) for row in judgements.rows)
    return Gold(
        STANDARDISED if kind == "z" else kind, system.label, system.systems, segments,
        sign * np.array(list(system.system.values())),
        sign * np.stack([segment.segment[name] for name in system.systems]), judgements=judgements, raw=kind == "da",
        repeated=sum(count > 1 for count in counts.values()),
    )  # fmt: skip


def _of_outputs(judgements: Judgements, keep: tuple[str, ...] = ()) -> Judgements:
    """Return the judgements without control items, which are not outputs of systems. A warning counts them."""
    kept, report = without_checks(judgements, keep=keep)
    if report.items:
        counts = ", ".join(f"{number} {check}" for check, number in report.items.items())
        log.warning("Judgements %r: left out control items: %s.", judgements.name, counts)
    return kept


def _of_rankings(judgements: Judgements, name: str | None = None) -> Gold:
    """Return the preferences of rankings without control items; with a name, the scores that follow from them."""
    same = {row.check for row in judgements.rows if row.check.startswith(SAME)}
    pairs = preferences.pairs_of_rankings(_of_outputs(judgements, keep=tuple(same)))
    if name is None:
        label = LABELS.get(judgements.name, judgements.name)
        return Gold(judgements.name, label, pairs.systems, pairs.segments, pairs=pairs)
    scores = OF_RANKINGS[name](pairs)
    return Gold(name, scores.label, scores.systems, pairs.segments, np.array(list(scores.system.values())), pairs=pairs)


def without_systems(gold: Gold, names: Collection[str]) -> Gold:
    """Return the gold standard without these systems. Shares of won comparisons still include all opponents."""
    kept = [i for i, system in enumerate(gold.systems) if system not in names]
    judgements, pairs = gold.judgements, gold.pairs
    if pairs is not None and gold.system is None:
        pairs = pairs_between(pairs, [system for system in pairs.systems if system not in names])
    return replace(
        gold,
        systems=tuple(gold.systems[i] for i in kept),
        system=None if gold.system is None else gold.system[kept],
        segment=None if gold.segment is None else gold.segment[kept],
        pairs=pairs,
        judgements=None if judgements is None else judgements.where(lambda row: row.system not in names),
        left_out=tuple(names),
    )


def pairs_between(pairs: preferences.RankedPairs, systems: Collection[str]) -> preferences.RankedPairs:
    """Return the preferences between outputs of these systems."""
    wanted = np.array([name in systems for name in pairs.systems])
    return pairs.take(np.flatnonzero(wanted[pairs.left] & wanted[pairs.right]))


def preferences_of(gold: Gold, margin: float | None = None, *, inclusive: bool = False) -> preferences.RankedPairs:
    """Return rankings, or pairs of scores that differ by more than `margin`, by default 25 for raw assessments."""
    if gold.pairs is not None:
        if margin is not None or inclusive:
            raise UsageError(f"{gold.label} are rankings. A margin applies only to preferences derived from scores.")
        return gold.pairs
    if gold.segment is None:
        raise DataError(f"The gold standard {gold.name!r} has no segment scores to derive preferences from.")
    margin = margin_of(gold) or 0.0 if margin is None else margin
    return preferences.pairs_of_scores(gold.segment, gold.systems, gold.segments, margin=margin, inclusive=inclusive)


def margin_of(gold: Gold) -> float | None:
    """Return the default margin, or None for rankings."""
    return None if gold.pairs is not None else MARGIN if gold.raw else 0.0
