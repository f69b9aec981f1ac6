"""Metrics-F: BLEU, METEOR and UPF-Cobalt, together with the fluency of the output.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", section 5.3.1. The
weights of the three scores and of the features of fluency are learnt from people's rankings by logistic regression.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..bases.combined import CombinedMetric


@dataclass(frozen=True)
class MetricsF(CombinedMetric):
    """BLEU, METEOR and UPF-Cobalt with features of fluency; higher is better. The mean of segments.

    lm: a file that `tercet lm` wrote; by default the one that it keeps for the language, or the package's.
    parses: a folder that keeps parses for later runs.
    """

    paper = "Fomicheva (2017), The Role of Human Reference Translation in Machine Translation Evaluation, chapter 5"
    label = "Metrics-F"
