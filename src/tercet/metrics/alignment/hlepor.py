"""hLEPOR: a harmonic mean of length penalty, word order and the overlap of words.

Han et al. (2013), "Language-independent Model for Machine Translation Evaluation with Reinforced Factors", MT Summit.
Three factors: ELP penalises outputs that are too long or too short, NPP the distance between the positions of matching
words, HPR is the harmonic mean of precision and recall. variant=wmt19 equals the Perl program of the WMT19 metrics
task and variant=pypi the package hLepor 0.0.4, which differ from each other and, by the mistakes named below, from the
paper.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...errors import UsageError
from ...kernels import alignments
from ...text.coding import Ints, Units, call, offsets_of
from ...text.explanations import Alignment, Seen, word_links
from ...text.tokenisers import check_tokeniser, lower, tokenise
from .. import BestReferenceMetric, Floats, param
from ..bases.pairs import best_rows, number_words, refuse_long

# Variant -> the program, and its weight of HPR. wmt19 counts a reference word as used if the position of another one
# begins with the same digits, aligns words within a sentence with the first match of all, and reads before the
# beginning and behind the end of sentences; pypi confuses two lists of positions, and has no context where that begins
# before the sentence does.
VARIANTS = {"corrected": (None, 3.0), "wmt19": ("hLEPOR-wmt19", 3.0), "pypi": ("hLepor0.0.4", 7.0)}
WEIGHTS = ("weight_elp", "weight_npp", "weight_hpr")
FACTORS = ("elp", "npp", "hpr", "precision", "recall")
# What Perl's \s matches in text; unlike str.split, a blank at the beginning has an empty word before it.
_PERL_BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


@dataclass(frozen=True)
class HLEPOR(BestReferenceMetric):
    """hLEPOR, 0 to 1.

    average: segment, the mean of segment scores (hLEPORa of WMT19), or factors, the formula on the means of the
    factors (hLEPORb).
    alpha, beta: the weights of recall and of precision in HPR.
    n: how many words before and after a word are looked at to choose between several matches.
    weight_elp, weight_npp, weight_hpr: the weights of the three factors; 2, 1 and 3, and 7 for HPR in variant pypi.
    The papers have other weights for some languages: give them.
    tokenize: how words are found; `none` takes what stands between blanks, as all programs did. Case is ignored.
    variant: corrected, wmt19 or pypi.
    With several references the one with the highest score counts.
    """

    average: str = param("segment", choices=("segment", "factors"))
    alpha: float = param(9.0, above=0)
    beta: float = param(1.0, above=0)
    n: int = param(2, low=1, high=100)
    weight_elp: float = param(2.0, above=0, key="")
    weight_npp: float = param(1.0, above=0, key="")
    weight_hpr: float = param(above=0, key="")
    tokenize: str = param("none", check=check_tokeniser, key="tok")
    variant: str = param("corrected", choices=VARIANTS)

    signature_order = ("average", "alpha", "beta", "n", "weights")
    explains = (Alignment,)
    paper = "Han et al. (2013), Language-independent Model for Machine Translation Evaluation with Reinforced Factors"
    label = "hLEPOR"

    def validate(self) -> None:
        if self.variant == "wmt19" and (self.n, self.tokenize) != (2, "none"):
            raise UsageError("hlepor: variant wmt19 looks at 2 words and splits at blanks; leave n and tokenize out.")

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"weight_hpr": VARIANTS[self.variant][1]}

    @property
    def compatible(self) -> str | None:
        return VARIANTS[self.variant][0]

    def signature_items(self) -> dict[str, str]:
        """Return the items with the three weights in one, as 2/1/3."""
        weights = [float(getattr(self, name)) for name in WEIGHTS]
        short = [f"{weight:g}" for weight in weights]
        exact = [float(text) for text in short] == weights
        items = {**super().signature_items(), "weights": "/".join(short if exact else map(repr, weights))}
        return {**{key: items[key] for key in self.signature_order}, **items}

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        weights = items.get("weights", "2/1/3").split("/")
        elp, npp, hpr = map(float, weights)
        return replace(super().from_signature(label, items), weight_elp=elp, weight_npp=npp, weight_hpr=hpr)

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        if self.variant == "wmt19":
            return [_perl_words(text) for text in texts]
        return tokenise(lower(texts), self.tokenize).strings()

    def read(self, texts: Sequence[str], opened: object) -> tuple[dict[str, int], Units]:
        numbers = {"": 0}  # the Perl program takes a word that does not exist for an empty one
        return numbers, number_words(self._words(texts), numbers)

    def compare(self, outputs: Sequence[str], references: tuple[dict[str, int], Units], whose: Ints) -> Floats:
        """Count the score, 1 for the segment, ELP, NPP, HPR, precision, recall."""
        numbers, theirs = references
        units = number_words(self._words(outputs), dict(numbers))
        refuse_long("hlepor", "words", outputs, units.lengths, theirs.lengths, whose)
        factors = self._factors(*self._align(units, theirs, whose), theirs.lengths)
        scores = self._combine(factors)
        return np.column_stack([scores, np.ones(len(scores)), factors])

    def choose(self, counts: Floats, groups: Ints) -> Ints:
        return best_rows(counts[:, 0], groups, highest=True)

    def _align(self, outputs: Units, units: Units, whose: Ints) -> tuple[NDArray[np.int32], Ints, Ints]:
        """Return aligned positions (-1 for none), offsets, and common words (-1: as many as are aligned)."""
        offsets = offsets_of(outputs.lengths[whose])
        alignment = np.empty(int(offsets[-1]), dtype=np.int32)
        common = np.full(len(whose), -1, dtype=np.int64)
        scratch = np.empty(2 * int(units.lengths.max(initial=0)) + 1, dtype=np.int32)
        texts = (outputs.ids, outputs.offsets, whose, units.ids, units.offsets)
        if self.variant == "wmt19":
            call(alignments.align_perl, *texts, alignment, offsets, common, scratch)
        else:
            call(alignments.align_nearest, *texts, self.n, self.variant == "pypi", alignment, offsets, scratch)
        return alignment, offsets, common

    def _factors(self, alignment: NDArray[np.int32], offsets: Ints, common: Ints, reference_lengths: Ints) -> Floats:
        """Return ELP, NPP, HPR, precision and recall, shape (references, 5)."""
        lengths = np.diff(offsets)
        found = np.flatnonzero(alignment >= 0)
        text = np.repeat(np.arange(len(lengths)), lengths)[found]
        here, there = (found - offsets[text] + 1) / lengths[text], (alignment[found] + 1) / reference_lengths[text]
        aligned = np.bincount(text, minlength=len(lengths))
        sums = np.bincount(text, np.abs(here - there), minlength=len(lengths))
        common = np.where(common < 0, aligned, common)
        both = (lengths > 0) & (reference_lengths > 0)
        longer, shorter = np.maximum(lengths, reference_lengths), np.minimum(lengths, reference_lengths)
        elp = np.where(both, np.exp(1 - longer / np.maximum(shorter, 1)), 0.0)
        if self.variant == "wmt19":
            sums[(common == lengths) & (lengths == reference_lengths)] = 0.0
        npp = np.where(lengths > 0, np.exp(-sums / np.maximum(lengths, 1)), 0.0)
        precision, recall = common / np.maximum(lengths, 1), common / np.maximum(reference_lengths, 1)
        if self.variant == "corrected":
            empty = (lengths == 0) & (reference_lengths == 0)  # two empty texts are equal
            elp[empty] = npp[empty] = precision[empty] = recall[empty] = 1.0
        mean = recall * self.beta + self.alpha * precision
        hpr = np.where(mean > 0, (self.alpha + self.beta) * precision * recall / np.where(mean > 0, mean, 1.0), 0.0)
        return np.column_stack([elp, npp, hpr, precision, recall])

    def _combine(self, factors: Floats) -> Floats:
        """Return the weighted harmonic mean of ELP, NPP and HPR, the first three factors; 0 if one is 0."""
        weights = [float(getattr(self, name)) for name in WEIGHTS]
        three = np.moveaxis(factors[..., :3], -1, 0)
        positive = (three > 0).all(0)
        parts = [weight / np.where(positive, factor, 1.0) for weight, factor in zip(weights, three, strict=True)]
        return np.asarray(np.where(positive, sum(weights) / (parts[0] + parts[1] + parts[2]), 0.0))

    def score(self, totals: Floats) -> Floats:
        if self.average == "segment":
            return np.asarray(totals[..., 0] / totals[..., 1])
        return self._combine(totals[..., 2:] / totals[..., 1:2])

    def details(self, totals: Floats) -> dict[str, object]:
        return dict(zip(FACTORS, (totals[2:] / totals[1]).tolist(), strict=True))

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        words, other = self._words([output, reference])
        numbers, units = self.read([reference], None)
        alignment, _, _ = self._align(number_words([words], numbers), units, np.zeros(1, dtype=np.int64))
        values = dict(zip(FACTORS, counts[2:].tolist(), strict=True))
        return Seen(float(counts[0]), [Alignment(words, other, word_links(alignment.tolist()))], values=values)


def _perl_words(text: str) -> list[str]:
    """Return the words of Perl's split(/\\s+/, lc): no final sigma in lower case, no empty words at the end."""
    words = _PERL_BLANKS.split(text.replace("Σ", "σ").lower())
    while words and not words[-1]:
        words.pop()
    return words
