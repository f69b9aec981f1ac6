"""The simplest bases: metrics that count, or score, one segment after the other, and means of segments."""

from __future__ import annotations

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

    def count_segment(self, output: str, references: Sequence[Any], source: Any) -> Sequence[float]:
        """Count one segment; references and source are as `prepare_text` returned them."""
        raise NotImplementedError

    def prepare(self, shard: Shard, opened: object) -> tuple[list[list[Any]], list[Any]]:
        rows: list[list[Any]] = [[] for _ in range(len(shard))]
        if "reference" in self.needs:
            for texts in shard.references.values():
                for row, text in zip(rows, texts, strict=True):
                    if text is not None:
                        row.append(self.prepare_text(text))
        source: list[Any] = [None] * len(shard)
        if "source" in self.needs and shard.source is not None:
            source = [self.prepare_text(text) for text in shard.source]
        return rows, source

    def count_outputs(self, outputs: Sequence[str], prepared: tuple[list[list[Any]], list[Any]]) -> Floats:
        references, source = prepared
        rows = zip(outputs, references, source, strict=True)
        return np.array([self.count_segment(*row) for row in rows], dtype=np.float64)


class MeanMetric(SegmentMetric):
    """A metric whose corpus score is the mean of its segment scores."""

    def score_segment(self, output: str, references: Sequence[Any], source: Any) -> float:
        """Return the score of one segment."""
        raise NotImplementedError

    def count_segment(self, output: str, references: Sequence[Any], source: Any) -> Sequence[float]:
        return (self.score_segment(output, references, source), 1.0)

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)


class PrecisionRecall:
    """The mean of segments, with precision and recall beside it. To be named before `Metric` among the base classes."""

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def details(self, totals: Floats) -> dict[str, Any]:
        """Return means over the segments."""
        return {"precision": float(totals[2] / totals[1]), "recall": float(totals[3] / totals[1])}

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        return {"precision": counts[..., 2], "recall": counts[..., 3]}
