"""The simplest bases: metrics that count, or score, one segment after the other, and means of segments."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...types import Floats
from .._contract import Metric, Shard, mean_score


class SegmentMetric(Metric):
    """A metric that is simple per segment: `count_segment` returns the counts of one segment."""

    def prepare_text(self, text: str) -> Any:
        """Return what `count_segment` gets for a reference or source text; called once for all systems."""
        return text

    def count_segment(self, output: str, references: Sequence[object], source: Any) -> Sequence[float]:
        """Count one segment; references and source are as `prepare_text` returned them."""
        raise NotImplementedError

    def prepare(self, shard: Shard, opened: object) -> tuple[list[list[object]], list[object]]:
        rows: list[list[Any]] = [[]] * len(shard)
        if "reference" in self.needs:
            rows = [[self.prepare_text(text) for text in row] for row in shard.reference_rows]
        source: list[Any] = [None] * len(shard)
        if "source" in self.needs and shard.source is not None:
            source = [self.prepare_text(text) for text in shard.source]
        return rows, source

    def count_outputs(self, outputs: Sequence[str], prepared: tuple[list[list[object]], list[object]]) -> Floats:
        references, source = prepared
        rows = zip(outputs, references, source, strict=True)
        return np.array([self.count_segment(*row) for row in rows], dtype=np.float64)


class MeanMetric(SegmentMetric):
    """A metric whose corpus score is the mean of its segment scores."""

    def score_segment(self, output: str, references: Sequence[object], source: Any) -> float:
        """Return the score of one segment."""
        raise NotImplementedError

    def count_segment(self, output: str, references: Sequence[object], source: Any) -> Sequence[float]:
        return (self.score_segment(output, references, source), 1.0)

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)


class PartsMetric(Metric):
    """A mean of segments with parts beside it: the counts are the score, 1, and the parts."""

    @property
    def part_names(self) -> Sequence[str]:
        return ("precision", "recall")

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        return dict(zip(self.part_names, np.moveaxis(counts[..., 2:], -1, 0), strict=True))


class MeanPartsMetric(PartsMetric):
    """A metric whose details are the means of its parts."""

    def details(self, totals: Floats) -> dict[str, object]:
        return {name: float(value) for name, value in self.extras(totals / totals[1]).items()}
