"""APAC: IMPACT with a prize that is higher for shorter outputs.

Echizen'ya, Araki and Hovy (2014), "Application of Prize based on Sentence Length in Chunk-based Automatic Evaluation of
Machine Translation", WMT. The metric is based on the chunks that output and reference have in common, as IMPACT is, and
has a prize based on sentence length where BLEU has a penalty. The formula of the prize is not known to us: this one is
ours, and its weight was chosen on WMT12. See the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from .._parameters import CASE, param
from .impact import IMPACT, f_measure


@dataclass(frozen=True)
class APAC(IMPACT):
    """APAC, the mean of segments, 0 to 1. An approximation.

    tokenize: by default none: words are divided at blanks. The task's submission was, by its printed figures.
    prize: the weight of the prize, 1 / (1 + ln(words of the output)), relative to the F-measure.
    """

    lowercase: bool = param(False, key="case", words=CASE)
    prize: float = param(0.5, low=0, high=10)

    paper = (
        "Echizen'ya, Araki and Hovy (2014), Application of Prize based on Sentence Length in Chunk-based Automatic "
        "Evaluation of Machine Translation"
    )

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"tokenize": "none"}

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        precision, recall = self.precision_recall(output, reference)
        value = f_measure(precision, recall)
        if value:
            value = (value + self.prize / (1 + log(len(output)))) / (1 + self.prize)
        return value, 1.0, precision, recall
