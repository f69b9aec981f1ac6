"""What metrics share that count for each segment: the score, 1, precision and recall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...types import Floats
from .._contract import mean_score


class PrecisionRecall:
    """The mean of segments, with precision and recall beside it. To be named before `Metric` among the base classes."""

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def details(self, totals: Floats) -> dict[str, Any]:
        """Return means over the segments."""
        return {"precision": float(totals[2] / totals[1]), "recall": float(totals[3] / totals[1])}

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        return {"precision": counts[..., 2], "recall": counts[..., 3]}
