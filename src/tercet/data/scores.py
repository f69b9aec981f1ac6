"""`Scores`: what one metric says of the systems of a test set, with the counts it was computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingDependency

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one metric.

    metric: its string for `create`; metric_signature: its own signature, without the facts of this run.
    system: score by system name. segment: by system name, an array with one score per segment (absent if only sums were
    kept). counts: by system name, shape (segments, k), where we counted ourselves; totals: their sums, shape (k,).
    document_ids: the document of every segment, if known. group: scores of groups of segments (documents, domains,
    lengths: `by`) by system and group. interval: bootstrap intervals by system (`stats.Interval`), where asked for.
    reference_numbers: how many references segments have.
    """

    metric: str
    label: str
    metric_signature: str
    higher_is_better: bool | None
    system: Mapping[str, float]
    segment: Mapping[str, Floats] = field(default_factory=dict)
    counts: Mapping[str, Floats] = field(default_factory=dict)
    totals: Mapping[str, Floats] = field(default_factory=dict)
    document_ids: Sequence[str] | None = None
    by: str | None = None
    group: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    interval: Mapping[str, Any] = field(default_factory=dict)
    reference_numbers: frozenset[int] = frozenset()
    n_segments: int = 0
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.system:
            raise DataError(f"{self.label}: scores of no system.")
        for kind, arrays in (("segment scores", self.segment), ("counts", self.counts)):
            for system, values in arrays.items():
                if system not in self.system:
                    raise DataError(f"{self.label}: {kind} for {system!r}, which has no system score.")
                if len(values) != self.n_segments:
                    raise DataError(
                        f"{self.label}: {len(values)} {kind} for {system!r}, but there are {self.n_segments} segments."
                    )
        if self.document_ids is not None and len(self.document_ids) != self.n_segments:
            raise DataError(f"{self.label}: {len(self.document_ids)} document ids for {self.n_segments} segments.")

    @property
    def signature(self) -> str:
        """The metric's signature in sacreBLEU's form, with the facts of the run where it puts them."""
        run: dict[str, object] = {}
        if self.reference_numbers:
            run["nrefs"] = min(self.reference_numbers) if len(self.reference_numbers) == 1 else "var"
        for interval in list(self.interval.values())[:1]:
            run |= {"bs": interval.resamples, "seed": interval.seed}
        return with_facts(self.metric_signature, run)

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.system)

    @property
    def cube(self) -> Floats:
        """Counts of all systems, shape (systems, segments, k)."""
        if not self.counts:
            raise DataError(f"{self.label}: these scores were kept without counts.")
        return np.stack([self.counts[system] for system in self.systems])

    def rows(self) -> list[dict[str, Any]]:
        """A tidy table: one row per system and segment, or per system where there are no segment scores."""
        if not self.segment:
            return [{"system": s, "metric": self.metric, "score": value} for s, value in self.system.items()]
        documents: Sequence[str | None] = self.document_ids or [None] * self.n_segments
        return [
            {"system": system, "doc": doc, "seg": number, "metric": self.metric, "score": float(value)}
            for system, values in self.segment.items()
            for number, (doc, value) in enumerate(zip(documents, values, strict=True), 1)
        ]

    def to_pandas(self) -> Any:
        """The tidy table as a pandas data frame."""
        try:
            import pandas
        except ImportError:
            raise MissingDependency("A pandas data frame", "frames") from None
        return pandas.DataFrame(self.rows())


def with_facts(signature: str, facts: Mapping[str, object]) -> str:
    """A metric's signature with facts of a run (nrefs, bs, seed, …) after the name."""
    label, *items = signature.split("|")
    return "|".join([label, *(f"{key}:{value}" for key, value in facts.items()), *items])
