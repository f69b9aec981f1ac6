"""The system level of the WMT19 metrics task: published scores of metrics, with direct assessment, by language pair;
and our own metrics, computed from the texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ....data.evidence import open_evidence
from ....data.layouts import open_testset
from ....errors import DataError
from ....metaeval.gold import find_gold
from ....metaeval.joining import align_systems
from ....stats.correlation import pearson
from ....stats.williams import williams_matrix
from ....stats.winners import not_outperformed
from ....types import Floats
from ..sources import DataSets

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


def own_correlations(data: DataSets, pair: str, rows: Mapping[str, str]) -> dict[str, float]:
    """Return r of our metrics with direct assessment, by row; it is positive where a metric agrees with people."""
    one = system_level(data, pair)
    texts = data.once(("wmt19 texts", pair), lambda: open_testset(data.needed("wmt19"), pair))
    if missing := [system for system in one.systems if system not in texts.systems]:
        raise DataError(f"wmt19 {pair} has no output of {missing[0]}, which people judged.")
    found = {}
    for scores in data.scored(texts, rows, optional=True):
        values = np.array([scores.system[system] for system in one.systems])
        found[scores.label] = float(pearson(values, one.human)) * (-1 if scores.metric.higher_is_better is False else 1)
    return found
