"""WER: word error rate, the fewest insertions, deletions and substitutions per word of the reference.

Levenshtein (1966), "Binary codes capable of correcting deletions, insertions, and reversals"; for translation Nießen et
al. (2000), "An Evaluation Tool for Machine Translation: Fast Evaluation for MT Research", LREC. Equals jiwer with
variant=jiwer, also in its match error rate and word information lost (Morris et al., 2004, "From WER and RIL to MER and
WIL", Interspeech). variant=moses equals the scorer of Moses (mert), whose number is 1 - WER, with its choice among
several references (see `choose_references`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import UsageError
from ...text.coding import Ints, Units, Words, code_points, split_words
from ...text.editing import count_edits, edit_script, words_of
from ...text.tokenisers import check_tokeniser
from ...types import Floats
from .._parameters import CASE, param
from ..bases.words import ErrorRateMetric, error_rate, tokeniser_of

VARIANTS = {"jiwer": "jiwer4", "moses": "moses", "standard": None}
_RUN = re.compile(r"\s\s+")
_SINGLE = str.maketrans({"\t": "\ue000", "\n": "\ue001", "\v": "\ue002", "\f": "\ue003", "\r": "\ue004"})


@dataclass(frozen=True)
class WER(ErrorRateMetric):
    """Word errors per reference word: 0 is perfect, and above 1 is possible.

    tokenize: moses (English; moses-LANG for others) by default, any tokeniser, or none for tokenised text, which is
    split at ASCII blanks. lowercase: ignore case.
    rate: wer; mer, errors per error or match, 0 to 1; wil, 1 minus the product of the shares of words that match.
    variant: standard takes the reference with the lowest rate; moses chooses like Moses; jiwer splits words like jiwer.
    """

    tokenize: str = param(check=check_tokeniser, key="tok")
    lowercase: bool = param(False, key="case", words=CASE)
    rate: str = param("wer", choices=("mer", "wer", "wil"), quiet=True)
    variant: str = param("standard", choices=VARIANTS, quiet=True)

    signature_order = ("case", "tok")
    version = 3  # 2: an empty reference has no rate; 3: Moses' lower case
    script = staticmethod(edit_script)
    summary = "({substitutions} sub, {deletions} del, {insertions} ins / {ref_len} ref)"
    paper = "Nießen et al. (2000), An Evaluation Tool for Machine Translation: Fast Evaluation for MT Research"

    def validate(self) -> None:
        if self.variant == "jiwer" and self.tokenize not in (None, "none"):
            raise UsageError(f"wer: variant jiwer splits text at spaces; leave tokenize={self.tokenize} out.")
        if self.variant == "moses" and self.rate != "wer":
            raise UsageError(f"wer: Moses does not know rate {self.rate}; leave variant=moses out.")

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"tokenize": "none" if self.variant == "jiwer" else tokeniser_of(language)}

    @property
    def compatible(self) -> str | None:
        return VARIANTS[self.variant]

    def words(self, texts: Sequence[str]) -> Words:
        if self.variant == "jiwer":
            # Runs of blanks become a space, and words end at spaces alone: a single tab is part of a word.
            texts = [_RUN.sub(" ", text).strip().translate(_SINGLE) for text in texts]
            if self.lowercase:
                texts = [text.lower() for text in texts]
            return split_words(*code_points(texts), ascii_blanks=True)
        return words_of(texts, self.tokenize, lowercase=self.lowercase, ascii_case=self.variant == "moses")

    def count_errors(self, outputs: Units, references: Units, segments: Ints) -> Floats:
        return count_edits(outputs, references, segments).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        substitutions, deletions, insertions, matches = (totals[..., i] for i in range(4))
        errors = substitutions + deletions + insertions
        reference, output = matches + substitutions + deletions, matches + substitutions + insertions
        if self.rate == "mer":
            rate = errors / np.maximum(errors + matches, 1)
        elif self.rate == "wil":
            both = np.maximum(reference, 1) * np.maximum(output, 1)
            rate = np.where(reference + output > 0, 1 - matches * matches / both, 0.0)
        elif self.variant == "moses":
            rate = np.where(reference > 0, errors / np.maximum(reference, 1), 0.0)  # nothing to find: perfect
        elif self.variant == "jiwer":
            rate = errors / np.maximum(reference, 1)  # for an empty reference, the number of output words
        else:
            rate = error_rate(errors, reference)
        return np.asarray(rate, dtype=np.float64)

    def details(self, totals: Floats) -> dict[str, object]:
        substitutions, deletions, insertions, matches = totals.astype(int).tolist()
        return {
            "substitutions": substitutions,
            "deletions": deletions,
            "insertions": insertions,
            "matches": matches,
            "ref_len": matches + substitutions + deletions,
        }
