"""Layers of marks for the segment browser: what metrics saw in the words, and the errors that people marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.assessments import segment_names
from ..data.judgements import Judgements, Span
from ..data.scores import Scores
from ..data.testset import TestSet
from ..errors import DataError, TercetError
from ..metrics import Metric, Ready
from ..text.marks import Mark, Marks, utf16_places

OUTPUTS = 500  # of all systems together, that each metric looks at again to mark their words
MINOR = frozenset({"minor", "neutral"})


@dataclass(frozen=True)
class Layer:
    """Marks of one origin.

    meaning: of marks that weigh much, some, and little; empty where there are none. rows: of the segments that were
    looked at. marks: for each of these segments and each system.
    """

    name: str
    meaning: tuple[str, str, str]
    rows: Sequence[int]
    marks: Sequence[Sequence[Marks | None]]


def metric_layers(scores: Iterable[Scores], testset: TestSet, *, segments: int | None = None) -> list[Layer]:
    """Return a layer for each metric that marks words, on the segments in which its scores differ most.

    segments: how many; by default as many as have 500 outputs.
    """
    most = max(1, OUTPUTS // len(testset.systems)) if segments is None else segments
    found = (_metric_layer(item, testset, most) for item in scores)
    return [layer for layer in found if layer is not None]


def _metric_layer(scores: Scores, testset: TestSet, most: int) -> Layer | None:
    ready = scores.metric
    if most == 0 or not isinstance(ready, Ready) or type(ready.metric).explain_segment is Metric.explain_segment:
        return None
    segment = np.stack([scores.segment[system] for system in testset.systems])
    spread = np.nan_to_num(segment.max(0) - segment.min(0), nan=-1.0)
    rows = np.argsort(-spread, kind="stable")[:most].tolist()
    marks: list[list[Marks | None]] = []
    for row in rows:
        marks.append([_marked(ready, testset, system, row) for system in testset.systems])
        if len(marks) == 1 and not any(marks[0]):
            return None
    return Layer(scores.metric.label, ready.metric.marked, rows, marks)


def _marked(ready: Ready, testset: TestSet, system: str, row: int) -> Marks | None:
    references = [text for lines in testset.references.values() if (text := lines[row]) is not None]
    texts = testset.outputs[system][row], references, testset.source[row] if testset.source else None
    try:
        return ready.marks(ready.explain(*texts), *texts)
    except TercetError:  # a text is too long to explain, though it could be scored
        return None


def error_layer(judged: Sequence[Judgements], testset: TestSet, numbers: Sequence[int]) -> Layer | None:
    """Return the errors that people marked in the outputs, and in the source; None if they marked none."""
    names = segment_names(testset)
    whole: dict[tuple[str, str], list[Span]] = {}
    for row in (row for judgements in judged for row in judgements.rows if row.spans):
        whole.setdefault((row.segment, row.system), []).extend(row.spans or ())
    if not whole:
        return None
    marks = [
        [_errors(testset, system, number - 1, whole.get((names[number - 1], system))) for system in testset.systems]
        for number in numbers
    ]
    return Layer("errors", ("", "minor error", "major error"), range(len(numbers)), marks)


def _errors(testset: TestSet, system: str, row: int, spans: Sequence[Span] | None) -> Marks | None:
    output, source = testset.outputs[system][row], testset.source[row] if testset.source else ""
    sides: tuple[list[Mark], list[Mark]] = [], []
    for span in spans or ():
        if span.start is None or span.end is None:
            continue
        length = len(source if span.in_source else output)
        if span.end > length and not span.in_source:
            raise DataError(
                f"Judgements of segment {row + 1} mark {system!r} from character {span.start} to {span.end}, and the "
                f"output has {length}: they are about other texts."
            )
        weight = 0.5 if span.severity.casefold() in MINOR else 0.0
        label = ": ".join(filter(None, (span.severity, span.category)))
        mark = Mark(min(span.start, length), min(span.end, length), weight, label)
        if mark.begin < mark.end:
            sides[span.in_source].append(mark)
    return Marks(tuple(sorted(sides[0])), tuple(sorted(sides[1])), None) if spans else None


def pack(layer: Layer, testset: TestSet) -> dict[str, Any]:
    """Return a layer for the page, in few numbers that compress well.

    A mark is: characters since the mark before it, its length, 100 times its weight, the number of its label, begin and
    length of its partner (-1 and 0 if it has none). Characters are UTF-16 units, as JavaScript counts.
    """
    labels: dict[str, int] = {}
    packed: list[list[Any]] = []
    for row, systems in zip(layer.rows, layer.marks, strict=True):
        references = [text for lines in testset.references.values() if (text := lines[row]) is not None]
        packed.append([])
        for system, marks in zip(testset.systems, systems, strict=True):
            if marks is None:
                packed[-1].append(0)
                continue
            output, source = testset.outputs[system][row], testset.source[row] if testset.source else ""
            other, place = (source, 0) if marks.against is None else (references[marks.against], marks.against + 1)
            own, others = _packed(marks.output, output, other, labels), _packed(marks.other, other, output, labels)
            packed[-1].append([place, own, others])
    return {
        "name": layer.name,
        "meaning": layer.meaning,
        "rows": list(layer.rows),
        "marks": packed,
        "labels": [*labels],
    }


def _packed(marks: Sequence[Mark], text: str, other: str, labels: dict[str, int]) -> list[int]:
    own, others = utf16_places(text), utf16_places(other)
    found: list[int] = []
    last = 0
    for mark in marks:
        begin, end = own(mark.begin), own(mark.end)
        label = labels.setdefault(mark.label, len(labels))
        partner = (-1, 0) if mark.partner is None else (others(mark.partner[0]), others(mark.partner[1]))
        found += [
            begin - last,
            end - begin,
            round(100 * mark.weight),
            label,
            partner[0],
            max(partner[1] - partner[0], 0),
        ]
        last = end
    return found
