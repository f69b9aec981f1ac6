"""PER: position-independent word error rate, WER for which the order of words does not matter.

Tillmann et al. (1997), "Accelerated DP based search for statistical translation", Eurospeech. variant=moses equals the
scorer of Moses (mert), whose number is 1 - PER: it takes one reference only, and compares total lengths, so that too
many words in one segment compensate for too few in another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import UsageError
from ...text.coding import Ints, NgramIndex, Vocabulary
from ...text.editing import bag_script
from .. import Corpus, Floats, WordMetric
from ..bases.words import error_rate

VARIANTS = {"moses": "moses", "standard": None}


@dataclass(frozen=True)
class PER(WordMetric):
    """Words without a partner per reference word, whatever their order: 0 is perfect, and above 1 is possible.

    variant: standard takes the reference with the lowest rate; moses adds up as Moses does, from one reference.
    """

    variants = VARIANTS
    version = 3  # 2: an empty reference has no rate; 3: Moses' lower case
    script = staticmethod(bag_script)
    paper = "Tillmann et al. (1997), Accelerated DP based search for statistical translation"

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if self.variant == "moses" and len(testset.references) > 1:
            names = ", ".join(testset.references)
            raise UsageError(f"per: variant moses takes one reference, not {names}; choose one, or leave variant out.")

    def read(self, texts: Sequence[str], opened: object) -> tuple[Vocabulary, NgramIndex]:
        vocabulary = Vocabulary(self.words(texts))
        return vocabulary, NgramIndex(vocabulary.units, np.arange(len(texts) + 1), 1)

    def compare(self, outputs: Sequence[str], references: tuple[Vocabulary, NgramIndex], whose: Ints) -> Floats:
        """Count matches, lengths of output and reference, and words without a partner."""
        vocabulary, bags = references
        units, segments = vocabulary.find(self.words(outputs)), whose
        matches = bags.count_matches(units, segments)[:, 0]
        output, reference = units.lengths[segments], vocabulary.units.lengths
        return np.column_stack([matches, output, reference, np.maximum(output, reference) - matches]).astype(np.float64)

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

    def details(self, totals: Floats) -> dict[str, object]:
        matches, output, reference, errors = totals.astype(int).tolist()
        return {"matches": matches, "errors": errors, "sys_len": output, "ref_len": reference}
