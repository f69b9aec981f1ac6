"""Layers of marks for the segment browser: what metrics saw in the words, and the errors that people marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.assessments import segment_names
from ..data.judgements import Judgements
from ..data.judgements import Span as ErrorSpan
from ..data.scores import Scores
from ..data.testset import TestSet
from ..errors import DataError, TercetError
from ..metrics import Metric, Ready
from ..metrics.strings.bleu import BLEU
from ..metrics.strings.chrf import CHRF
from ..text.explanations import Seen, Span, Spans

OUTPUTS = 13_000  # that all metrics look at again to mark their words; fewer where the page has many texts
LEAST = 1_000
MINOR = frozenset({"minor", "neutral"})


@dataclass(frozen=True)
class Layer:
    """Marks of one origin.

    meaning: of marks that weigh much, some, and little; empty where there are none. rows: of the segments that were
    looked at. seen: in each of these segments, in the output of each system. counted: how the page finds the marks of
    all segments itself (counted.js).
    """

    name: str
    meaning: tuple[str, str, str]
    rows: Sequence[int]
    seen: Sequence[Sequence[Seen | None]] = ()
    counted: Mapping[str, object] | None = None

    def of(self, numbers: Sequence[int]) -> Layer:
        """Return the layer of a part of the test set: the segments with these numbers, from 1."""
        places = {number - 1: place for place, number in enumerate(numbers)}
        kept = [(places[row], seen) for row, seen in zip(self.rows, self.seen, strict=True) if row in places]
        return Layer(self.name, self.meaning, [row for row, _ in kept], [seen for _, seen in kept])


def metric_layers(scores: Iterable[Scores], testset: TestSet, *, segments: int | None = None) -> list[Layer]:
    """Return a layer for each metric that marks words, on the segments that differ most; all, if they are few.

    BLEU and chrF mark all segments, as the page counts what they saw.
    """
    able = [(item, item.metric) for item in scores if isinstance(item.metric, Ready)]
    able = [(item, ready) for item, ready in able if ready.metric.explains and not ready.metric.uses_network]
    several, most = len(testset.references) > 1, segments
    counted = {item.label: _counted_by_page(ready.metric, several=several) for item, ready in able}
    slow = sum(how is None for how in counted.values())
    if most is None and slow:
        texts = len(testset) * len(testset.systems)
        most = max(1, max(OUTPUTS - texts // 8, LEAST) // (len(testset.systems) * slow))
    found = [
        Layer(item.label, ready.metric.marked, (), counted=how)
        if (how := counted[item.label]) is not None
        else _metric_layer(item, ready, testset, most or 0)
        for item, ready in able
        if segments != 0
    ]
    return [layer for layer in found if layer is not None]


def _counted_by_page(metric: Metric, *, several: bool) -> dict[str, object] | None:
    """Return how the page counts what a metric saw; None if it cannot. several: there are several references."""
    if isinstance(metric, BLEU) and (metric.variant, metric.tokenize, metric.lowercase) == ("sacrebleu", "13a", False):
        return {"unit": "word", "order": metric.max_ngram_order}
    if not isinstance(metric, CHRF) or not metric.char_order or (several and metric.word_order):
        return None
    known = (metric.variant, metric.unit, metric.lowercase, metric.whitespace, metric.eps_smoothing)
    plain = known == ("sacrebleu", "char", False, False, False)
    return {"unit": "character", "order": metric.char_order, "beta": metric.beta} if plain else None


def _metric_layer(scores: Scores, ready: Ready, testset: TestSet, most: int) -> Layer | None:
    segment = np.stack([scores.segment[system] for system in testset.systems])
    spread = np.nan_to_num(segment.max(0) - segment.min(0), nan=-1.0)
    rows = np.argsort(-spread, kind="stable")[:most].tolist()
    seen: list[list[Seen | None]] = []
    for row in rows:
        seen.append([_seen(ready, testset, system, row) for system in testset.systems])
        if len(seen) == 1 and not any(part.output or part.other for each in seen[0] if each for part in each.parts):
            return None  # nothing in it tells of words
    return Layer(scores.metric.label, ready.metric.marked, rows, seen)


def _seen(ready: Ready, testset: TestSet, system: str, row: int) -> Seen | None:
    try:
        return ready.explain(testset.outputs[system][row], *_against(testset, row))
    except TercetError:  # a text is too long to explain, though it could be scored
        return None


def _against(testset: TestSet, row: int) -> tuple[list[str], str | None]:
    """Return the references of a segment, and its source."""
    references = [text for lines in testset.references.values() if (text := lines[row]) is not None]
    return references, testset.source[row] if testset.source else None


def error_layer(judged: Sequence[Judgements], testset: TestSet, numbers: Sequence[int]) -> Layer | None:
    """Return the errors that people marked in the outputs, and in the source; None if they marked none."""
    names = segment_names(testset)
    whole: dict[tuple[str, str], list[ErrorSpan]] = {}
    for row in (row for judgements in judged for row in judgements.rows if row.spans):
        whole.setdefault((row.segment, row.system), []).extend(row.spans or ())
    if not whole:
        return None
    seen = [
        [_errors(testset, system, number - 1, whole.get((names[number - 1], system))) for system in testset.systems]
        for number in numbers
    ]
    return Layer("errors", ("", "minor error", "major error"), range(len(numbers)), seen)


def _errors(testset: TestSet, system: str, row: int, spans: Sequence[ErrorSpan] | None) -> Seen | None:
    output, source = testset.outputs[system][row], testset.source[row] if testset.source else ""
    sides: tuple[list[Span], list[Span]] = [], []
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
        mark = Span(min(span.start, length), min(span.end, length), weight, label)
        if mark.begin < mark.end:
            sides[span.in_source].append(mark)
    return Seen(parts=[Spans(sorted(sides[0]), sorted(sides[1]))]) if spans else None


def pack(layer: Layer, testset: TestSet) -> dict[str, object]:
    """Return a layer for the page, with what was seen in the form of `text/explanation.schema.json`."""
    shown = [
        [
            None if seen is None else seen.to_dict(lines[row], *_against(testset, row), brief=True)
            for lines, seen in zip(testset.outputs.values(), systems, strict=True)
        ]
        for row, systems in zip(layer.rows, layer.seen, strict=True)
    ]
    how = {} if layer.counted is None else {"counted": layer.counted}
    return {"name": layer.name, "meaning": layer.meaning, "rows": list(layer.rows), "seen": shown, **how}
