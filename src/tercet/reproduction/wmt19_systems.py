"""The system level of the WMT19 metrics task: published scores of metrics, with direct assessment, by language pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.evidence import open_evidence
from ..metaeval.gold import find_gold
from ..metaeval.joining import align_systems
from ..stats.correlation import pearson
from ..stats.williams import williams_matrix
from ..stats.winners import not_outperformed
from .sources import DataSets

Floats = NDArray[np.float64]

PRINTED_AS = {"sacreBLEU-BLEU": "sacreBLEU.BLEU", "sacreBLEU-chrF": "sacreBLEU.chrF"}
SYSTEM_TABLES = ("wmt19_t3", "wmt19_t4", "wmt19_t5")


@dataclass(frozen=True)
class SystemLevel:
    """Metric scores and direct assessment of the systems of one language pair."""

    metrics: tuple[str, ...]  # names as in the paper
    systems: tuple[str, ...]
    human: Floats  # (systems,)
    values: Floats  # (metrics, systems)

    @property
    def correlations(self) -> Floats:
        return pearson(self.values, self.human)

    @property
    def p_values(self) -> Floats:
        return williams_matrix(self.human, self.values)

    @property
    def winners(self) -> tuple[str, ...]:
        """Metrics that no other significantly outperforms."""
        best = not_outperformed(self.p_values, scores=np.abs(self.correlations))
        return tuple(name for name, wins in zip(self.metrics, best, strict=True) if wins)


def system_level(data: DataSets, pair: str) -> SystemLevel:
    """Return the published scores of the systems of a language pair."""
    return data.once(("wmt19 systems", pair), lambda: _system_level(data, pair))


def _system_level(data: DataSets, pair: str) -> SystemLevel:
    evidence = open_evidence(data.needed("wmt19_sys"), pair)
    human, aligned = align_systems(find_gold(evidence, level="sys"), evidence.scores)
    names = tuple(PRINTED_AS.get(item.label, item.label) for item in evidence.scores)
    return SystemLevel(names, aligned.systems, human, aligned.values)
