"""Align gold standard and metric scores. Whatever is missing on one side is reported, never dropped silently."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..data.display import listed
from ..data.grouping import grouped
from ..data.scores import Scores
from ..data.testset import TestSet
from ..errors import DataError, UnknownName
from ..types import Floats
from .gold import Gold

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]

ADVICE = "Use `common` to leave out for all metrics what one metric lacks."
_WHO = {True: "not all metrics", False: "no metric"}


@dataclass(frozen=True, eq=False)
class JoinedScores:
    """Metric scores: values (metrics, systems) or (metrics, systems, segments), NaN where missing; and notes."""

    systems: tuple[str, ...]
    values: Floats
    notes: tuple[str, ...] = ()


def align_systems(
    gold: Gold, scores: Sequence[Scores], *, systems: Collection[str] = (), common: bool = False
) -> tuple[Floats, JoinedScores]:
    """Return human scores, shape (systems,), and metric scores of the same systems, shape (metrics, systems).

    A system that a metric lacks is NaN, or with `common` left out for all; notes name what is left out.
    """
    if gold.system is None:
        raise DataError(f"The gold standard {gold.name!r} has no system scores.")
    human = dict(zip(gold.systems, gold.system.tolist(), strict=True))
    judged = _chosen([name for name, value in human.items() if not np.isnan(value)], systems, gold)
    notes = _left_out(gold, judged, scores, systems)
    table = np.array([[_sign(item) * item.system.get(name, np.nan) for name in judged] for item in scores])
    gaps = np.isnan(table)
    # A system that no metric scored, such as a judged human reference, tells nothing about any metric.
    dropped = gaps.any(0) if common else gaps.all(0)
    if dropped.any():
        names = [name for name, out in zip(judged, dropped, strict=True) if out]
        notes.append(f"Left out, because {_WHO[common]} scored them: {listed(names)}.")
    lacking = [
        "" if has_only_segments(item) else listed([name for name, gap in zip(judged, row, strict=True) if gap])
        for item, row in zip(scores, (gaps & ~dropped).tolist(), strict=True)
    ]
    only_segments = [item.label for item in scores if has_only_segments(item)]
    notes += [*_without_value(scores, lacking), *only_segments_note(only_segments)]
    kept = tuple(name for name, out in zip(judged, dropped, strict=True) if not out)
    if len(kept) < 2:
        raise _too_few(gold, len(kept), judged, scores)
    return np.array([human[name] for name in kept]), JoinedScores(kept, table[:, ~dropped], tuple(notes))


def align_segments(
    gold: Gold, scores: Sequence[Scores], segments: Sequence[str], *, systems: Collection[str] = ()
) -> JoinedScores:
    """Return metric scores of the judged systems, shape (metrics, systems, segments of the gold standard)."""
    judged = _chosen(list(gold.systems), systems, gold)
    place = {name: i for i, name in enumerate(segments)}
    unknown = [name for name in gold.segments if name not in place]
    if unknown:
        raise DataError(f"{name_of(gold)} has segments that the metrics did not score: {listed(unknown)}.")
    columns = np.array([place[name] for name in gold.segments], dtype=np.intp)
    values = np.full((len(scores), len(judged), len(columns)), np.nan)
    for item, rows in zip(scores, values, strict=True):
        if not item.segment:
            raise DataError(f"{item.label} has no segment scores. Give a file with segment scores, or use `level` sys.")
        _check_length(item, len(segments))
        for row, name in zip(rows, judged, strict=True):
            if name in item.segment:
                row[:] = _sign(item) * item.segment[name][columns]
    notes = _left_out(gold, judged, scores, systems)
    unscored = [name for name in judged if name not in gold.left_out and not any(name in one.segment for one in scores)]
    if unscored:
        notes.append(f"{name_of(gold)} has systems that no metric scored: {listed(unscored)}.")
    return JoinedScores(tuple(judged), values, tuple(notes))


def judged_columns(gold: Gold, segments: Sequence[str], systems: Collection[str] = ()) -> Indices | slice:
    """Return the positions in `segments` that people judged for at least one of the systems."""
    place = {name: i for i, name in enumerate(segments)}
    if any(name not in place for name in gold.segments):
        return slice(None)
    if gold.segment is not None:
        rows = [i for i, name in enumerate(gold.systems) if not systems or name in systems]
        judged = np.flatnonzero(~np.isnan(gold.segment[rows]).all(0))
    elif gold.pairs is not None:
        judged = np.unique(gold.pairs.segment)
    else:
        return slice(None)
    return np.array([place[gold.segments[i]] for i in judged], dtype=np.intp) if len(judged) else slice(None)


def average_segments(scores: Sequence[Scores], columns: Indices | slice, length: int) -> list[Scores]:
    """Return the scores with system scores replaced by means of segment scores in `columns`, where there are any."""
    if not any(item.segment for item in scores):
        raise DataError("`mean_of_segments` needs segment scores, but no metric has any. Leave it out.")
    found = []
    for item in scores:
        if item.segment:
            _check_length(item, length or item.n_segments)
            means = {name: float(row[columns].mean()) for name, row in item.segment.items()}
            item = replace(item, system={name: means.get(name, np.nan) for name in item.system})
        found.append(item)
    return found


def _check_length(item: Scores, length: int) -> None:
    if item.n_segments != length:
        raise DataError(f"{item.label}: scores of {item.n_segments} segments, but the data have {length} segments.")


def has_only_segments(item: Scores) -> bool:
    """Return whether a metric has segment scores but no system score."""
    return bool(item.segment) and bool(np.isnan(list(item.system.values())).all())


def only_segments_note(labels: Sequence[str]) -> list[str]:
    """Return a note on metrics that have segment scores only, if there are any."""
    if not labels:
        return []
    return [f"No system scores, only segment scores: {listed(labels)}. Use `mean_of_segments` to average them."]


def drop_gaps(gaps: NDArray[np.bool_], scores: Sequence[Scores], common: bool, what: str) -> tuple[Mask, list[str]]:
    """Return which items to leave out, and notes: those that no metric scored, with `common` that any lacks."""
    dropped: Mask = np.asarray(gaps.any(0) if common else gaps.all(0))
    notes = []
    if dropped.any():
        notes.append(f"Left out, because {_WHO[common]} scored them: {int(dropped.sum())} {what}.")
    lacking = [f"{number} of {gaps.shape[1]} {what}" if number else "" for number in (gaps & ~dropped).sum(1).tolist()]
    return dropped, notes + _without_value(scores, lacking)


def _without_value(scores: Sequence[Scores], lacking: Sequence[str]) -> list[str]:
    """Return one sentence for all metrics that lack the same scores."""
    alike = grouped((what, item.label) for item, what in zip(scores, lacking, strict=True) if what)
    return [f"No score for {what}, so no value: {', '.join(labels)}. {ADVICE}" for what, labels in alike.items()]


def references_among(testset: TestSet | None, names: Iterable[str]) -> list[str]:
    """Return the systems that are references of the test set, by name or because their texts are the same."""
    if testset is None:
        return []
    references = testset.references
    texts = [lines for lines in references.values() if len(lines) > 1]  # a single equal segment may be chance
    return [name for name in dict.fromkeys(names) if name in references or testset.outputs.get(name) in texts]


def check_systems(gold: Gold, systems: Collection[str]) -> None:
    """Raise UnknownName for systems that people did not judge."""
    _chosen(list(gold.systems), systems, gold)


def name_of(gold: Gold) -> str:
    """Return the name of the gold standard, with the set of judgements that it comes from."""
    made_of = gold.judgements or gold.pairs
    return gold.label if made_of is None else f"{gold.label} (judgements {made_of.name!r})"


def _sign(scores: Scores) -> float:
    """Return -1 if lower is better. Scores are negated only here; elsewhere they are unchanged."""
    return -1.0 if scores.higher_is_better is False else 1.0


def _chosen(judged: list[str], systems: Collection[str], gold: Gold) -> list[str]:
    for name in systems:
        if name not in judged:
            raise UnknownName(f"system judged by people ({gold.label})", name, judged)
    return [name for name in judged if not systems or name in systems]


def _too_few(gold: Gold, kept: int, judged: Sequence[str], scores: Sequence[Scores]) -> DataError:
    scored = dict.fromkeys(name for item in scores for name, value in item.system.items() if not np.isnan(value))
    message = (
        f"{kept} system{'' if kept else 's'} with both {gold.label} and metric scores, but two are needed. "
        f"People judged {listed(judged) or 'none'}; metrics scored {listed([*scored]) or 'none'}."
    )
    only_segments = [item.label for item in scores if has_only_segments(item)]
    if only_segments:
        message += (
            f" There are only segment scores of {listed(only_segments)}: use `level` seg, or average them with "
            "`mean_of_segments`."
        )
    return DataError(message)


def _left_out(gold: Gold, judged: Sequence[str], scores: Sequence[Scores], systems: Collection[str]) -> list[str]:
    if systems:  # the user named those to keep
        return []
    scored = dict.fromkeys(name for item in scores for name in item.system)
    unjudged = [name for name in scored if name not in judged and name not in gold.left_out]
    return [f"Left out, because people did not judge them: {listed(unjudged)}."] if unjudged else []
