"""Layered: words, order, syntax and meaning, after the metric LAYERED of WMT14.

Gautam and Bhattacharyya (2014), "LAYERED: Metric for Machine Translation Evaluation", WMT: a weighted sum of BLEU;
Hamming, Kendall and Spearman distances of the word order; shallow semantics (entities and roles); deep semantics
(textual entailment). Its weights are known here from memory only. RIBES, a rank correlation, is the layer of order; a
kernel of dependency trees takes the place of roles, and UPF-Cobalt that of entailment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..bases.mixed import MixedMetric


@dataclass(frozen=True)
class Layered(MixedMetric):
    """The weighted mean of sentence BLEU, RIBES, a tree kernel and UPF-Cobalt on one scale; higher is better.

    scale: max divides each by its largest absolute value in the test set, z standardises it, none leaves it.
    parses: a folder that keeps parses for later runs.
    """

    paper: ClassVar[str] = "After Gautam and Bhattacharyya (2014), LAYERED: Metric for Machine Translation Evaluation"
    weights: ClassVar[Mapping[str, float]] = {
        "sentbleu": 0.26, "ribes": 0.20, "tree_kernel:of=relations": 0.28, "cobalt": 0.26
    }  # fmt: skip
