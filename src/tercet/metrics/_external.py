"""Scores of metrics that were computed elsewhere, as metrics: a system's score is the mean of its segments."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..data.scores import Scores
from ..errors import DataError, UsageError
from ..types import Floats
from ._contract import Metric, mean_score
from ._parameters import param
from ._ready import Ready, check_size, make_ready

# Metrics whose score is an error or a distance, by the beginning of their names in lower case.
LOWER = ("ter", "wer", "cer", "per", "cder", "character", "eed", "metricx", "mqm_errors", "perplexity", "hter")


@dataclass(frozen=True)
class ExternalMetric(Metric):
    """A metric that was computed elsewhere. metric: its name. lower_is_better: of errors and distances."""

    metric: str = param("external", key="")
    lower_is_better: bool = param(False, quiet=True)

    name = "external"
    needs = frozenset[str]()

    @property
    def label(self) -> str:
        return self.metric

    @property
    def higher_is_better(self) -> bool:
        return not self.lower_is_better

    def signature_items(self) -> dict[str, str]:
        return {**super().signature_items(), "computed": "elsewhere"}

    def check_needs(self, testset: object) -> None:
        raise UsageError(f"{self.metric} was computed elsewhere. Give its scores by `scores`.")

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)


def is_lower_better(name: str) -> bool:
    """Return whether a metric is known by its name as one whose lower scores are better."""
    return any(name.lower() == known or name.lower().startswith((f"{known}-", f"{known}_")) for known in LOWER)


def external_record(name: str, *, lower_is_better: bool | None = None, asked: str = "") -> Ready:
    """Return the metric of scores computed elsewhere; without a direction, the one known by its name."""
    lower = is_lower_better(name) if lower_is_better is None else lower_is_better
    label = "".join("_" if character in "|,:" else character for character in name).strip() or "external"
    return make_ready(ExternalMetric(metric=label, lower_is_better=lower), asked=asked or label)


def external_scores(record: Ready, segment: Mapping[str, Floats], provenance: Mapping[str, object]) -> Scores:
    """Return scores with counts from segment scores by system; NaN where there is no score."""
    if not segment:
        raise DataError(f"{record.label}: there are no segment scores.")
    counts = {}
    for system, values in segment.items():
        check_size(record.label, system, values)
        known = ~np.isnan(values)
        counts[system] = np.column_stack([np.where(known, values, 0.0), known]).astype(np.float64)
    totals = {system: array.sum(0) for system, array in counts.items()}
    return Scores(
        record, {system: float(record.score(total)) for system, total in totals.items()},
        {system: np.asarray(values, dtype=np.float64) for system, values in segment.items()}, counts, totals,
        n_segments=len(next(iter(segment.values()))), provenance=provenance,
    )  # fmt: skip
