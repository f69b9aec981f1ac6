"""Compute a statistic from a gold standard and metric scores: of systems, of outputs, or of preferences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..data.display import listed
from ..data.evidence import Evidence
from ..data.judgements import KINDS
from ..data.scores import Scores
from ..errors import DataError, UsageError
from ..types import Floats
from .gold import Gold, pairs_between, preferences_of
from .joining import Indices, align_segments, align_systems, average_segments, drop_gaps, judged_columns, name_of
from .measures import Measured, SegmentRatings, Statistic, preference_level, segment_level, system_level

if TYPE_CHECKING:
    from .judging import Request


@dataclass(frozen=True, eq=False)
class Measurement:
    """The measured statistic, and the aligned data that tests, plots and tables use."""

    measured: Measured
    systems: tuple[str, ...]
    human: Floats  # (systems,) or (outputs,)
    metrics: Floats  # (metrics, systems) or (metrics, outputs)
    notes: tuple[str, ...]
    gold: Floats | None = None  # (systems,) or (systems, segments), for permutation tests
    segments: Floats | None = None  # (metrics, systems, segments)
    averaged: tuple[int | None, ...] = ()  # by metric, over how many segments its system scores were averaged


def find(wanted: Statistic, gold: Gold, evidence: Evidence, scores: Sequence[Scores], asked: Request) -> Measurement:
    """Return the measurement of systems, outputs or preferences, depending on the statistic."""
    of_scores = _of_systems if wanted.level == "sys" else _of_outputs
    return (_of_preferences if wanted.wants_pairs else of_scores)(wanted, gold, evidence, scores, asked)


def _of_systems(
    wanted: Statistic, gold: Gold, evidence: Evidence, scores: Sequence[Scores], asked: Request
) -> Measurement:
    columns: Indices | slice = slice(None)
    if asked.mean_of_segments:
        columns = judged_columns(gold, evidence.segments, asked.systems)
        scores = average_segments(scores, columns, len(evidence.segments))
    human, aligned = align_systems(gold, scores, systems=asked.systems, common=asked.common)
    kept = [gold.systems.index(name) for name in aligned.systems]
    notes = list(aligned.notes)
    # Exports of campaigns name segments differently from the texts; their judgements are used by system only.
    known = set(evidence.segments)
    unknown = [name for name in gold.segments if name not in known] if gold.judgements else []
    if unknown and evidence.segments:
        notes.append(f"{name_of(gold)} includes segments that the data do not have: {listed(unknown)}.")
    gold_segments = None if gold.segment is None or unknown else gold.segment[kept][:, columns]
    segments = None
    if all(item.segment for item in scores) and evidence.segments:
        of_outputs = replace(gold, segments=tuple(evidence.segments))
        segments = align_segments(of_outputs, scores, evidence.segments, systems=aligned.systems).values[..., columns]
    ratings = ratings_of(gold, aligned.systems) if wanted.unit == "judgements" else None
    parts = {"human_segments": gold_segments, "metric_segments": segments}
    measured = system_level(wanted, human, aligned.values, **parts, ratings=ratings, draws=asked.draws)
    if wanted.name == "soft-accuracy" and gold_segments is not None:
        judged = ~np.isnan(gold_segments)
        some, every = judged.any(0).sum(), judged.all(0).sum()
        if some > every:
            notes.append(f"Left out, because not all systems were judged on them: {some - every} of {some} segments.")
    people = human if gold_segments is None else gold_segments
    averaged = [
        len(next(iter(item.segment.values()))[columns]) if asked.mean_of_segments and item.segment else None
        for item in scores
    ]
    return Measurement(
        measured, aligned.systems, human, aligned.values, tuple(notes), people, segments, tuple(averaged)
    )


def ratings_of(gold: Gold, systems: Sequence[str]) -> SegmentRatings:
    """Return the judgements behind a gold standard, for resampling; all of them together give its system scores."""
    place = {name: i for i, name in enumerate(systems)}
    if gold.judgements is not None:
        rows = [row for row in gold.judgements.rows if row.system in place]
        sign = [1.0 if KINDS[row.kind].higher_is_better else -1.0 for row in rows]
        return SegmentRatings(
            np.array([row.value for row in rows]) * sign,
            np.array([place[row.system] for row in rows]),
            items=np.array([row.segment for row in rows]),
            units=np.arange(len(rows)),
        )
    if gold.pairs is None:
        raise UsageError("Judgements cannot be resampled: this gold standard has only averages.")
    if gold.name not in OUTCOMES:
        raise UsageError(f"Judgements of {gold.label} cannot be resampled. Set `gold` to {' or '.join(OUTCOMES)}.")
    pairs = gold.pairs.without_ties()
    won = (pairs.outcome > 0).astype(np.float64)  # by the left system; the winner has 1, the loser 0
    own, other = np.concatenate([pairs.left, pairs.right]), np.concatenate([pairs.right, pairs.left])
    codes = np.array([place.get(name, -1) for name in pairs.systems])[own]
    asked = codes >= 0
    items = other if OUTCOMES[gold.name] else np.zeros_like(other)
    # A ranking is one judgement, however many comparisons it contains.
    values, units = np.concatenate([won, 1 - won]), np.tile(pairs.task, 2)
    return SegmentRatings(values[asked], codes[asked], items[asked], units[asked])


# Shares of won comparisons, and whether each is a mean over opponents.
OUTCOMES = {"expected-wins": True, "win-rate": False}


def _of_outputs(
    wanted: Statistic, gold: Gold, evidence: Evidence, scores: Sequence[Scores], asked: Request
) -> Measurement:
    if gold.segment is None:
        raise DataError(f"The gold standard {gold.name!r} has no segment scores.")
    aligned = align_segments(gold, scores, evidence.segments, systems=asked.systems)
    human = gold.segment[[gold.systems.index(name) for name in aligned.systems]]
    judged = ~np.isnan(human)
    dropped, notes = drop_gaps(np.isnan(aligned.values[:, judged]), scores, asked.common, "judged outputs")
    human = human.copy()
    human[judged] = np.where(dropped, np.nan, human[judged])
    judged = ~np.isnan(human)
    if judged.sum() < 2:
        raise DataError(f"{int(judged.sum())} judged outputs with metric scores: at least two are needed.")
    measured = segment_level(wanted, human, aligned.values, draws=asked.draws)
    items, said = human[judged], aligned.values[:, judged]
    return Measurement(measured, aligned.systems, items, said, (*aligned.notes, *notes), human, aligned.values)


def _of_preferences(
    wanted: Statistic, gold: Gold, evidence: Evidence, scores: Sequence[Scores], asked: Request
) -> Measurement:
    segments, systems = evidence.segments, asked.systems
    pairs = preferences_of(gold, asked.margin, inclusive=asked.inclusive)
    standard = replace(gold, systems=pairs.systems, segments=pairs.segments)
    aligned = align_segments(standard, scores, segments)
    notes = aligned.notes
    if systems:
        notes = align_segments(standard, scores, segments, systems=systems).notes  # raises an error for unknown names
        pairs = pairs_between(pairs, systems)
    gaps = np.isnan(aligned.values[:, pairs.left, pairs.segment] + aligned.values[:, pairs.right, pairs.segment])
    dropped, left_out = drop_gaps(gaps, scores, asked.common, "pairs")
    pairs = pairs.take(np.flatnonzero(~dropped))
    if not len(pairs.outcome):
        raise DataError("There are no preferences between outputs that the metrics scored.")
    measured, said = preference_level(wanted, pairs, aligned.values, draws=asked.draws)
    return Measurement(measured, pairs.systems, pairs.outcome.astype(np.float64), said, (*notes, *left_out))
