"""PER: position-independent word error rate, WER for which the order of words does not matter.

Tillmann et al. (1997), "Accelerated DP based search for statistical translation", Eurospeech. variant=moses equals the
scorer of Moses (mert), whose number is 1 - PER: it takes one reference only, and compares total lengths, so that too
many words in one segment compensate for too few in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import UsageError
from ...text.coding import NgramIndex, Units, Vocabulary
from ...text.editing import References, bag_script
from ...text.explanations import Edits, Seen
from ...types import Floats
from .._contract import Corpus, Shard, group_references
from ..bases.pairs import best_rows, one_segment
from ..bases.words import WordMetric, error_rate

VARIANTS = {"moses": "moses", "standard": None}


class _Prepared(NamedTuple):
    references: References
    bags: NgramIndex


@dataclass(frozen=True)
class PER(WordMetric):
    """Words without a partner per reference word, whatever their order: 0 is perfect, and above 1 is possible.

    tokenize: moses (English; moses-LANG for others) by default, any tokeniser, or none for tokenised text, which is
    split at ASCII blanks. lowercase: ignore case.
    variant: standard takes the reference with the lowest rate; moses adds up as Moses does, from one reference.
    """

    variants = VARIANTS
    higher_is_better = False
    version = 3  # 2: an empty reference has no rate; 3: Moses' lower case
    explains = (Edits,)
    paper = "Tillmann et al. (1997), Accelerated DP based search for statistical translation"

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if self.variant == "moses" and len(testset.references) > 1:
            names = ", ".join(testset.references)
            raise UsageError(f"per: variant moses takes one reference, not {names}; choose one, or leave variant out.")

    def prepare(self, shard: Shard, opened: object) -> _Prepared:
        texts, groups = group_references(shard.references)
        vocabulary = Vocabulary(self.words(texts))
        bags = NgramIndex(vocabulary.units, np.arange(len(texts) + 1), 1)
        return _Prepared(References(vocabulary, groups), bags)

    def count_outputs(self, outputs: Sequence[str], prepared: _Prepared) -> Floats:
        """Count matches, lengths of output and reference, and words without a partner."""
        words = self.words(outputs)
        counts = self._counts(prepared, prepared.references.vocabulary.find(words))
        chosen: Floats = counts[best_rows(self.score(counts), prepared.references.groups, highest=False)]
        return chosen

    def _counts(self, prepared: _Prepared, outputs: Units) -> Floats:
        """Return the counts for each reference text."""
        segments = prepared.references.segments
        matches = prepared.bags.count_matches(outputs, segments)[:, 0]
        output, reference = outputs.lengths[segments], prepared.references.units.lengths
        errors = np.maximum(output, reference) - matches
        return np.column_stack([matches, output, reference, errors]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        matches, output, reference, errors = (totals[..., i] for i in range(4))
        if self.variant == "moses":
            correct = (matches - np.maximum(output - reference, 0)) / np.maximum(reference, 1)
            rate = 1 - np.where(
                reference > 0, correct, 0.0
            )  # with an empty reference the rate is 1, even for an empty output
        else:
            rate = error_rate(errors, reference)
        return np.asarray(rate, dtype=np.float64)

    def details(self, totals: Floats) -> dict[str, Any]:
        matches, output, reference, errors = totals.astype(int).tolist()
        return {"matches": matches, "errors": errors, "sys_len": output, "ref_len": reference}

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return which words of the output have a partner in the chosen reference."""
        prepared = self.prepare(one_segment(output, references), opened)
        found = self.words([output])
        counts = self._counts(prepared, prepared.references.vocabulary.find(found))
        chosen = int(best_rows(self.score(counts), prepared.references.groups, highest=False)[0])
        words = self.words([references[chosen]])
        return Seen(parts=[bag_script(found.strings()[0], words.strings()[0])], against=chosen)
