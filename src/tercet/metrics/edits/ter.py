"""TER: translation edit rate, edits per reference word where moving a phrase counts as one edit.

Snover et al. (2006), "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA. Shifts are found
greedily: the one that saves most edits is made, until none saves any. By default scores equal those of sacreBLEU 2.6 (0
to 100 and above), except for normalised text: sacreBLEU normalises references twice, so that an output may differ from
an equal reference; variant=sacrebleu does that too. variant=tercom equals tercom 0.10 (Java). variant=moses equals
TERCpp as the scorer of Moses calls it, which moves words of the reference and tries few shifts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import UsageError
from ...text import tercom
from ...text.coding import Ints, Vocabulary, Words, code_points, split_words
from ...text.editing import ShiftSearch, count_shifts, shift_script, words_of
from ...text.explanations import Edits, Seen
from ...text.tokenisers import check_tokeniser
from .. import BestReferenceMetric, Floats
from .._parameters import NO, YES, param
from ..bases.pairs import best_rows
from ..bases.words import tokeniser_of

ALL = 1 << 62
SEARCHES = {
    "moses": ShiftSearch(beam=10, max_size=10, max_distance=25, max_tried=10, moses=True, max_words=2000),
    "sacrebleu": ShiftSearch(beam=25, max_size=10, max_distance=50, max_tried=1000),
    "standard": ShiftSearch(beam=25, max_size=10, max_distance=50, max_tried=1000),
    "tercom": ShiftSearch(beam=20, max_size=10, max_distance=50, max_tried=20_000, tercom=True, max_words=500),
}
# Blanks in Python but not in tercom, which splits at ASCII blanks only: replaced while text is normalised.
_ASIDE = {
    ord(c): 0xF0000 + i
    for i, c in enumerate(
        "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
        "\u202f\u205f\u3000"
    )
}
_BACK = {aside: blank for blank, aside in _ASIDE.items()}
_KANA = re.compile("([\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u31f0-\u31ff]+)")
_EMPTY = "\U000f1000"  # stands for the empty word that Java's split finds before a leading blank


@dataclass(frozen=True)
class TER(BestReferenceMetric):
    """Edits and shifts per word of the reference, in percent: 0 is perfect, and above 100 is possible.

    normalized: put spaces around punctuation and undo XML escapes. no_punct: remove punctuation. asian_support: both
    also for Chinese and Japanese, whose characters become words. case_sensitive: keep case.
    variant: standard, sacrebleu, tercom or moses. tokenize: for variant=moses alone, which knows none of the above but
    case: moses (moses-LANG), or none for text that is tokenised.
    With several references the fewest edits count, over the mean length of the references.
    """

    normalized: bool = param(False, key="norm", words=YES)
    no_punct: bool = param(False, key="punct", words=NO)
    asian_support: bool = param(False, key="asian", words=YES)
    case_sensitive: bool = param(False, key="case", words={True: "mixed", False: "lc"})
    variant: str = param("standard", choices=SEARCHES, quiet=True)
    tokenize: str = param(check=check_tokeniser, key="tok")

    signature_order = ("case", "tok", "norm", "punct", "asian")
    higher_is_better = False
    version = 2  # Moses' lower case
    explains = (Edits,)
    summary = "({substitutions} sub, {deletions} del, {insertions} ins, {shifts} shifts / {ref_length:g} ref)"
    paper = "Snover et al. (2006), A Study of Translation Edit Rate with Targeted Human Annotation"
    decimals = 1

    def validate(self) -> None:
        if self.variant != "moses" and self.tokenize not in (None, "tercom"):
            raise UsageError(f"ter: tokenize={self.tokenize} goes with variant=moses; other variants have normalized.")
        if self.variant == "moses" and (self.normalized or self.no_punct or self.asian_support):
            raise UsageError("ter: variant moses takes tokenize; normalized, no_punct and asian_support are tercom's.")

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {"tokenize": tokeniser_of(language) if self.variant == "moses" else "tercom"}

    @property
    def compatible(self) -> str | None:
        if self.variant == "standard":
            return None if self.normalized or self.no_punct else "sacrebleu2.6"
        return {"moses": "moses", "sacrebleu": "sacrebleu2.6", "tercom": "tercom0.10"}[self.variant]

    def _normalise_like_tercom(self, texts: Sequence[str]) -> list[str]:
        """Return texts as tercom normalises them; it treats blanks, <skipped>, kana and leading marks its own way."""
        texts = [text.translate(_ASIDE) for text in texts]
        if not self.case_sensitive:
            texts = [text.lower() for text in texts]
        if self.normalized:
            texts = [text.replace("<skipped>", "") for text in texts]
            if self.asian_support:
                texts = [_KANA.sub(r" \1 ", text) for text in texts]
        options = {"asian_support": self.asian_support, "case_sensitive": True}
        texts = tercom.normalise(texts, normalised=self.normalized, **options)
        if not self.no_punct:
            return texts
        first_words = tercom.normalise([text.split(" ", 1)[0] for text in texts], no_punct=True, **options)
        bare = tercom.normalise(texts, no_punct=True, **options)
        return [
            f"{_EMPTY} {text}" if text and not first else text for text, first in zip(bare, first_words, strict=True)
        ]

    def _words(self, texts: Sequence[str], *, reference: bool) -> Words:
        if self.variant == "moses":
            return words_of(texts, self.tokenize, lowercase=not self.case_sensitive, ascii_case=True)
        if self.variant == "tercom":
            return split_words(*code_points(self._normalise_like_tercom(texts)), ascii_blanks=True)
        options = {
            "normalised": self.normalized,
            "no_punct": self.no_punct,
            "asian_support": self.asian_support,
            "case_sensitive": self.case_sensitive,
        }
        texts = [text.rstrip() for text in texts]
        if self.variant == "sacrebleu" and reference:
            texts = tercom.normalise(texts, **options)  # as sacreBLEU 2.6 does, by mistake: references twice
        return tercom.words(texts, **options)

    def read(self, texts: Sequence[str], opened: object) -> Vocabulary:
        return Vocabulary(self._words(texts, reference=True))

    def compare(self, outputs: Sequence[str], references: Vocabulary, whose: Ints) -> Floats:
        """Count all edits and the mean length of the references; then substitutions, deletions, insertions, shifts."""
        found = references.find(self._words(outputs, reference=False))
        edits = count_shifts(found, references.units, whose, SEARCHES[self.variant])[:, [0, 1, 2, 4]]
        lengths = np.bincount(whose, references.units.lengths) / np.maximum(np.bincount(whose), 1)
        return np.column_stack([edits.sum(1), lengths[whose], edits]).astype(np.float64)

    def choose(self, counts: Floats, groups: Ints) -> Ints:
        return best_rows(counts[:, 0], groups, highest=False)

    def score(self, totals: Floats) -> Floats:
        edits, reference = totals[..., 0], totals[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            # In Moses every output is perfect against an empty reference.
            empty = 0.0 if self.variant == "moses" else (edits > 0).astype(edits.dtype)
            rate = np.where(reference > 0, edits / reference, empty)
        return np.asarray(100 * rate)

    def details(self, totals: Floats) -> dict[str, Any]:
        return {
            "num_edits": int(totals[0]),
            "ref_length": float(totals[1]),
            "substitutions": int(totals[2]),
            "deletions": int(totals[3]),
            "insertions": int(totals[4]),
            "shifts": int(totals[5]),
        }

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        both = (self._words([output], reference=False), self._words([reference], reference=True))
        shown, expected = ([word.translate(_BACK).replace(_EMPTY, "") for word in words.strings()[0]] for words in both)
        return Seen(parts=[shift_script(shown, expected, SEARCHES[self.variant])])
