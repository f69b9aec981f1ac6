"""BLEU_NRC: smoothed BLEU of segments, as the National Research Council of Canada had it at WMT14.

Chen and Cherry (2014), "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU", WMT. The results of
WMT14 do not say which of the seven techniques and which tokeniser were used. Here they are the seventh (cc7 of `bleu`),
which gives orders without a match a small count and averages the precisions of neighbouring orders, and intl, without
case: of the choices that fit the printed tau of all language pairs, the one with the printed average. The score of a
system is BLEU of its counts, not smoothed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...text.explanations import Matches, Seen
from ...text.tokenisers import check_tokeniser
from .. import Floats, Metric, Shard
from .._parameters import CASE, param
from .bleu import BLEU

ORDER = 4
_UP_TO_ORDER = np.r_[0 : 2 + ORDER, 3 + ORDER : 3 + 2 * ORDER]  # without the n-grams that only the smoothing reads


@dataclass(frozen=True)
class BLEUNRC(Metric):
    """BLEU with the seventh smoothing of Chen and Cherry for segments, 0 to 100.

    tokenize: any tokeniser of bleu. lowercase: ignore case.
    """

    tokenize: str = param("intl", check=check_tokeniser, key="tok")
    lowercase: bool = param(True, key="case", words=CASE)

    signature_order = ("case", "tok")
    explains = (Matches,)
    paper = "Chen and Cherry (2014), A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU"
    decimals = 1
    label = "BLEU_NRC"

    def _bleu(self, smooth_method: str) -> BLEU:
        return BLEU(
            tokenize=self.tokenize, lowercase=self.lowercase, smooth_method=smooth_method, max_ngram_order=ORDER
        )

    def prepare(self, shard: Shard, opened: object) -> Any:
        return self._bleu("cc7").prepare(shard, opened)

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        """Count what BLEU counts, and n-grams of one order more."""
        return self._bleu("cc7").count_outputs(outputs, prepared)

    def score(self, totals: Floats) -> Floats:
        return self._bleu("exp").score(totals[..., _UP_TO_ORDER])

    def segment_scores(self, counts: Floats) -> Floats:
        return self._bleu("cc7").score(counts)

    def details(self, totals: Floats) -> dict[str, object]:
        return self._bleu("exp").details(totals[_UP_TO_ORDER])

    def verbose(self, totals: Floats) -> str:
        return self._bleu("exp").verbose(totals[_UP_TO_ORDER])

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        return self._bleu("cc7").explain_segment(opened, output, references, source)
