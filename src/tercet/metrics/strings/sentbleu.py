"""sentBLEU: BLEU of single segments, with one added to every count, as in Moses' program sentence-bleu.

Lin and Och (2004), "ORANGE: a Method for Evaluating Automatic Evaluation Metrics for Machine Translation", COLING,
introduced the smoothing; Moses also adds one to the counts of single words. The WMT metrics tasks used it as their
sentence-level baseline, on text tokenised by Moses. The score of a system is the mean of its segments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...text.coding import Words, code_points, split_words
from ...text.tokenisers import check_tokeniser, lower, tokenise
from .. import Floats
from .._parameters import CASE, param
from ..bases.words import tokeniser_of
from . import NgramMetric

ORDER = 4


@dataclass(frozen=True)
class SentBLEU(NgramMetric):
    """Smoothed sentence BLEU of Moses, 0 to 1.

    tokenize: by default moses (English; moses-LANG for others), as the program expects. Use none for tokenised
    text: it is then split at ASCII spaces only, as in the program.
    lowercase: ignore case, as the WMT metrics tasks did.
    The program computes in single precision, this metric in double: they agree to about 6 digits.
    """

    tokenize: str = param(check=check_tokeniser, key="tok")
    lowercase: bool = param(False, key="case", words=CASE)

    signature_order = ("case", "tok")
    max_ngram_order = ORDER
    paper = "Lin and Och (2004), ORANGE: a Method for Evaluating Automatic Evaluation Metrics for Machine Translation"
    compatible = "moses"
    label = "sentBLEU"

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"tokenize": tokeniser_of(language)}

    def words(self, texts: Sequence[str]) -> Words:
        if self.lowercase:
            texts = lower(texts)
        if self.tokenize == "none":
            return split_words(*code_points(texts), ascii_blanks=True)
        return tokenise(texts, self.tokenize)

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        """Count output and closest reference length, matches and n-grams of each order, the score, and 1."""
        counts = super().count_outputs(outputs, prepared)
        lengths, closest, matches, totals = counts[:, 0], counts[:, 1], counts[:, 2 : 2 + ORDER], counts[:, 2 + ORDER :]
        logs = np.log((matches + 1) / (totals + 1)).mean(1)
        # An empty output scores 0, or 1 if the reference is empty too, as in the program.
        shortfall = closest / np.where(lengths > 0, lengths, 1e-9)
        scores = np.exp(logs + np.where(closest > lengths, 1 - shortfall, 0.0))
        return np.column_stack([counts, scores, np.ones(len(scores))])

    def score(self, totals: Floats) -> Floats:
        return np.asarray(totals[..., -2] / totals[..., -1])

    def details(self, totals: Floats) -> dict[str, object]:
        return {
            "sys_len": int(totals[0]),
            "ref_len": int(totals[1]),
            "counts": totals[2 : 2 + ORDER].astype(int).tolist(),
            "totals": totals[2 + ORDER : 2 + 2 * ORDER].astype(int).tolist(),
            "segments": int(totals[-1]),
        }
