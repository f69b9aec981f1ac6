"""`explain`: what metrics saw in one segment: matched n-grams, edits and shifts, alignments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from .data.testset import TestSet
from .errors import UsageError
from .metrics import Batch, Metric, create

SHOWN = 12  # n-grams of one order that the text form lists
MARKS = " .:-=+#"  # for characters of the output, by the longest matching n-gram around them


@dataclass(frozen=True)
class Explanation:
    """What one metric saw in one segment of one system; `seen` is what its `explain_segment` returned."""

    system: str
    metric: str
    label: str
    segment: int  # from 1
    score: float
    seen: Any

    def to_dict(self) -> dict[str, Any]:
        """Everything, as the JSON form has it."""
        seen = asdict(self.seen) if is_dataclass(self.seen) and not isinstance(self.seen, type) else dict(self.seen)
        head = {"system": self.system, "metric": self.metric, "name": self.label, "segment": self.segment}
        return {**head, **seen, "score": self.score}

    def lines(self) -> list[str]:
        """The same in text."""
        if hasattr(self.seen, "lines"):
            shown: list[str] = self.seen.lines()
            return shown or ["nothing to edit"]
        if not isinstance(self.seen, dict):
            return str(self.seen).split("\n")
        return [line for key, value in self.seen.items() for line in _lines_of(key, value, self.seen)]


def explain(
    testset: TestSet, metrics: Sequence[str | Metric], *, segment: int = 1, systems: Sequence[str] | None = None
) -> list[Explanation]:
    """What every metric saw in segment number `segment` (from 1) of every system, or of those named."""
    if not 1 <= segment <= len(testset):
        raise UsageError(f"There is no segment {segment}: the test set has {len(testset)}.")
    if systems is not None:
        testset = testset.only(systems)
    one = testset[segment - 1 : segment]
    references = [texts[0] for texts in one.references.values() if texts[0] is not None]
    found = []
    for spec in metrics:
        metric = create(spec, language=testset.target_language)
        metric.check_needs(testset)
        metric = metric.fitted(testset)
        prepared = metric.prepare(one)
        for system, outputs in one.outputs.items():
            counts = metric.count(Batch(outputs, one.references, one.source, prepared))
            value = float(metric.segment_scores(counts)[0])
            seen = metric.explain_segment(outputs[0], references)
            found.append(Explanation(system, metric.spec, metric.label, segment, value, seen))
    return found


def _lines_of(key: str, value: Any, seen: dict[str, Any]) -> list[str]:
    """One part of what a metric saw; parts that are known get a form of their own."""
    if key in ("score", "reference_words", "characters"):
        return []
    if key == "output_words":
        return [f"words: {' '.join(value)}"]
    if key == "ngrams":
        return [line for order in value for line in _order(order)]
    if key == "longest_match":
        top = len(MARKS) - 1
        return [f"characters: {seen['characters']}", "matched:    " + "".join(MARKS[min(n, top)] for n in value)]
    if key == "alignment":
        words = seen["reference_words"]
        pairs = [f"{link['word']}={words[link['at']]}@{link['at'] + 1}" for link in value if link["at"] is not None]
        alone = [link["word"] for link in value if link["at"] is None]
        return [f"aligned: {' '.join(pairs) or 'nothing'}", f"not aligned: {' '.join(alone) or 'nothing'}"]
    if key == "reference":
        return [f"reference: number {value + 1}"]
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return [f"{key}: " + ", ".join(f"{name} {part!r}" for name, part in item.items()) for item in value]
    return [f"{key}: {value:.4f}" if isinstance(value, float) else f"{key}: {value}"]


def _order(order: dict[str, Any]) -> list[str]:
    lines = [f"{order['n']}-grams: {order['matches']} of {order['total']} match"]
    for kind in ("matched", "unmatched"):
        grams = order[kind]
        if grams:
            more = f" … and {len(grams) - SHOWN} more" if len(grams) > SHOWN else ""
            lines.append(f"  {kind}: {' | '.join(grams[:SHOWN])}{more}")
    return lines
