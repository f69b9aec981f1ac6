"""sentBLEU: BLEU of single segments, with one added to every count, as in Moses' program sentence-bleu.

Lin and Och (2004), "ORANGE: a Method for Evaluating Automatic Evaluation Metrics for Machine Translation", COLING,
introduced the smoothing; Moses also adds one to the counts of single words. The WMT metrics tasks used it as their
sentence-level baseline, on text tokenised by Moses. The score of a system is the mean of its segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...text.coding import Ints, NgramIndex, Vocabulary, Words, closest_lengths, code_points, ngram_totals, split_words
from ...text.explanations import Matches, Seen
from ...text.tokenisers import check_tokeniser, lower, tokenise
from .. import Floats, Metric, Shard, explain_ngrams, group_references
from .._parameters import CASE, param
from ..bases.words import tokeniser_of

ORDER = 4


class _References(NamedTuple):
    vocabulary: Vocabulary
    ngrams: NgramIndex
    groups: Ints


@dataclass(frozen=True)
class SentBLEU(Metric):
    """Smoothed sentence BLEU of Moses, 0 to 1.

    tokenize: by default moses (English; moses-LANG for others), as the program expects. Use none for tokenised
    text: it is then split at ASCII spaces only, as in the program.
    lowercase: ignore case, as the WMT metrics tasks did.
    The program computes in single precision, this metric in double: they agree to about 6 digits.
    """

    tokenize: str = param(check=check_tokeniser, key="tok")
    lowercase: bool = param(False, key="case", words=CASE)

    signature_order = ("case", "tok")
    explains = (Matches,)
    paper = "Lin and Och (2004), ORANGE: a Method for Evaluating Automatic Evaluation Metrics for Machine Translation"
    compatible = "moses"
    label = "sentBLEU"

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {"tokenize": tokeniser_of(language)}

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return the words, and which n-grams of each order match a reference."""
        words = self.words([output, *references]).strings()
        return explain_ngrams(self.score_one(output, references), words, ORDER)

    def words(self, texts: list[str]) -> Words:
        if self.lowercase:
            texts = lower(texts)
        if self.tokenize == "none":
            return split_words(*code_points(texts), ascii_blanks=True)
        return tokenise(texts, self.tokenize)

    def prepare(self, shard: Shard, opened: object) -> _References:
        texts, groups = group_references(shard.references)
        vocabulary = Vocabulary(self.words(texts))
        return _References(vocabulary, NgramIndex(vocabulary.units, groups, ORDER), groups)

    def count_outputs(self, outputs: Sequence[str], prepared: _References) -> Floats:
        """Count output and closest reference length, matches and n-grams of each order, the score, and 1."""
        vocabulary, ngrams, groups = prepared
        units = vocabulary.find(self.words(list(outputs)))
        matches = ngrams.count_matches(units, np.arange(len(outputs)))
        totals = ngram_totals(units.lengths, ORDER)
        closest = closest_lengths(units.lengths, vocabulary.units.lengths, groups)
        logs = np.log((matches + 1) / (totals + 1)).mean(1)
        # An empty output scores 0, or 1 if the reference is empty too, as in the program.
        shortfall = closest / np.where(units.lengths > 0, units.lengths, 1e-9)
        scores = np.exp(logs + np.where(closest > units.lengths, 1 - shortfall, 0.0))
        return np.column_stack([units.lengths, closest, matches, totals, scores, np.ones(len(scores))])

    def score(self, totals: Floats) -> Floats:
        return np.asarray(totals[..., -2] / totals[..., -1])

    def details(self, totals: Floats) -> dict[str, Any]:
        return {
            "sys_len": int(totals[0]),
            "ref_len": int(totals[1]),
            "counts": totals[2 : 2 + ORDER].astype(int).tolist(),
            "totals": totals[2 + ORDER : 2 + 2 * ORDER].astype(int).tolist(),
            "segments": int(totals[-1]),
        }
