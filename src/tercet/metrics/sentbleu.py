"""sentBLEU: BLEU of single segments with one added to every count, as the sentence-bleu program of Moses.

Lin and Och (2004), "ORANGE: a Method for Evaluating Automatic Evaluation Metrics for Machine Translation", COLING,
introduced the smoothing; Moses adds one to single words too. The WMT metrics tasks used it as their sentence-level
baseline, on text tokenised by Moses. A system's score is the mean of its segments'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..data.testset import TestSet
from ..text.coding import (
    Ints,
    NgramIndex,
    Vocabulary,
    Words,
    closest_lengths,
    code_points,
    ngram_totals,
    split_words,
)
from ..text.ngrams import compare_ngrams
from ..text.tokenisers import check_tokeniser, lower, tokenise
from ._contract import Batch, Floats, Metric, group_references
from ._words import tokeniser_of

ORDER = 4


class _References(NamedTuple):
    vocabulary: Vocabulary
    ngrams: NgramIndex
    groups: Ints


@dataclass(frozen=True)
class SentBLEU(Metric):
    """Smoothed sentence BLEU of Moses, 0 to 1.

    tokenize: by default moses (English; moses-LANG for others), since the program is made for text tokenised so. Give
    none for text that is tokenised already: it is then split at ASCII blanks alone, as the program does.
    lowercase: ignore case, as the WMT metrics tasks did.
    The program computes in single precision, this in double: they agree to about 6 digits.
    """

    tokenize: str = "moses"
    lowercase: bool = False

    paper: ClassVar[str] = (
        "Lin and Och (2004), ORANGE: a Method for Evaluating Automatic Evaluation Metrics for Machine Translation"
    )

    def __post_init__(self) -> None:
        check_tokeniser(self.tokenize)

    @property
    def label(self) -> str:
        return "sentBLEU"

    @property
    def compatible(self) -> str:
        return "moses"

    @classmethod
    def language_defaults(cls, language: str | None, given: Mapping[str, object]) -> dict[str, object]:
        return {"tokenize": tokeniser_of(language)} if language else {}

    def explain_segment(self, output: str, references: Sequence[str]) -> dict[str, Any]:
        """The words, and which n-grams of each order match a reference."""
        words, *others = self._words([output, *references]).strings()
        return {
            "score": self.score_one(output, references),
            "output_words": words,
            "reference_words": others,
            "ngrams": compare_ngrams(words, others, ORDER),
        }

    def signature_items(self) -> dict[str, str]:
        return {"case": "lc" if self.lowercase else "mixed", "tok": self.tokenize}

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        return cls(tokenize=items.get("tok", "moses"), lowercase=items.get("case") == "lc")

    def _words(self, texts: list[str]) -> Words:
        if self.lowercase:
            texts = lower(texts)
        if self.tokenize == "none":
            return split_words(*code_points(texts), ascii_blanks=True)
        return tokenise(texts, self.tokenize)

    def prepare(self, testset: TestSet) -> _References:
        texts, groups = group_references(testset.references)
        vocabulary = Vocabulary(self._words(texts))
        return _References(vocabulary, NgramIndex(vocabulary.units, groups, ORDER), groups)

    def count(self, batch: Batch) -> Floats:
        """Output and closest reference length, matches and n-grams of each order, the segment's score, and 1."""
        vocabulary, ngrams, groups = batch.prepared
        outputs = vocabulary.find(self._words(list(batch.outputs)))
        matches = ngrams.count_matches(outputs, np.arange(len(batch.outputs)))
        totals = ngram_totals(outputs.lengths, ORDER)
        closest = closest_lengths(outputs.lengths, vocabulary.units.lengths, groups)
        logs = np.log((matches + 1) / (totals + 1)).mean(1)
        # An empty output scores 0, beside an empty reference 1, as the program has it.
        shortfall = closest / np.where(outputs.lengths > 0, outputs.lengths, 1e-9)
        scores = np.exp(logs + np.where(closest > outputs.lengths, 1 - shortfall, 0.0))
        return np.column_stack([outputs.lengths, closest, matches, totals, scores, np.ones(len(scores))])

    def score(self, totals: Floats) -> Floats:
        result: Floats = totals[..., -2] / totals[..., -1]
        return result

    def details(self, totals: Floats) -> dict[str, Any]:
        return {
            "sys_len": int(totals[0]),
            "ref_len": int(totals[1]),
            "counts": totals[2 : 2 + ORDER].astype(int).tolist(),
            "totals": totals[2 + ORDER : 2 + 2 * ORDER].astype(int).tolist(),
            "segments": int(totals[-1]),
        }
