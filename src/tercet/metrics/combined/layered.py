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

from .._parameters import param
from ..bases.mixed import BOUNDS, SCALES, MixedMetric


@dataclass(frozen=True)
class Layered(MixedMetric):
    """The weighted mean of sentence BLEU, RIBES, a tree kernel and UPF-Cobalt on one scale; higher is better.

    scale: bounds brings each from its lowest and highest score on WMT12 to 0 and 1, max divides it by its largest
    absolute value in the test set, z standardises it there, none leaves it.
    parses: a folder that keeps parses for later runs.
    """

    scale: str = param(BOUNDS, choices=(BOUNDS, *SCALES))

    paper = "After Gautam and Bhattacharyya (2014), LAYERED: Metric for Machine Translation Evaluation"
    weights: ClassVar[Mapping[str, float]] = {
        "sentbleu": 0.26, "ribes": 0.20, "tree_kernel:of=relations": 0.28, "cobalt": 0.26
    }  # fmt: skip
    bounds: ClassVar[Mapping[str, tuple[float, float]]] = {
        "sentbleu": (0.018, 1), "ribes": (0, 1), "tree_kernel:of=relations": (0.066, 1), "cobalt": (0, 1)
    }  # fmt: skip
    version = 2
