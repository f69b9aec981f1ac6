"""RIBES: rank correlation of the positions of the words that output and reference share.

Isozaki, Hirao, Duh, Sudoh and Tsukada (2010), "Automatic Evaluation of Translation Quality for Distant Language Pairs",
EMNLP. Kendall's tau of the aligned words' positions, from 0 to 1, times unigram precision and brevity penalty, both
damped by an exponent. A word that occurs more than once is aligned by the shortest n-gram around it that does not.
Equals RIBES.py 1.03.1 on every text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import alignments
from ...text.coding import Ints, Units, Vocabulary, Words, call, offsets_of
from ...text.explanations import Alignment, Seen, word_links
from ...text.tokenisers import check_tokeniser, lower, tokenise
from .. import BestReferenceMetric, Floats
from .._parameters import CASE, param
from ..bases.pairs import best_rows, refuse_long

VARIANTS = ("corrected", "original")
PARTS = ("nkt", "precision", "bp")


@dataclass(frozen=True)
class RIBES(BestReferenceMetric):
    """RIBES, the mean of segments, 0 to 1.

    alpha, beta: the exponents of precision and of the brevity penalty.
    lowercase: ignore case, as the program does by default (without -c).
    tokenize: how words are found; `none` splits at blanks, for tokenised text.
    variant: a segment whose references are all empty has no score and is left out of the mean. Its score is NaN
    (corrected), or minus infinity as RIBES.py -z prints it (original).
    With several references the one with the highest score counts.
    """

    alpha: float = param(0.25, low=0)
    beta: float = param(0.1, low=0)
    lowercase: bool = param(True, key="case", words=CASE)
    tokenize: str = param("none", check=check_tokeniser, key="tok")
    variant: str = param("corrected", choices=VARIANTS)

    explains = (Alignment,)
    paper = "Isozaki et al. (2010), Automatic Evaluation of Translation Quality for Distant Language Pairs"
    compatible = "RIBES1.03.1"

    def _words(self, texts: Sequence[str]) -> Words:
        return tokenise(lower(texts) if self.lowercase else texts, self.tokenize)

    def read(self, texts: Sequence[str], opened: object) -> Vocabulary:
        return Vocabulary(self._words(texts))

    def compare(self, outputs: Sequence[str], references: Vocabulary, whose: Ints) -> Floats:
        """Count the score, 1 if the segment has one, then its parts: Kendall's tau, precision, brevity penalty."""
        # Words that no reference holds look alike (-1), which does not matter: n-grams with them align nothing.
        found, units = references.find(self._words(outputs)), references.units
        refuse_long("ribes", "words", outputs, found.lengths, units.lengths, whose)
        parts = _parts(*_align(found, units, whose), units.lengths)
        scores = parts[:, 0] * parts[:, 1] ** self.alpha * parts[:, 2] ** self.beta
        counts = np.column_stack([scores, np.ones(len(scores)), parts])
        return np.where(units.lengths[:, None] > 0, counts, 0.0)

    def choose(self, counts: Floats, groups: Ints) -> Ints:
        return best_rows(np.where(counts[:, 1] > 0, counts[:, 0], -1.0), groups, highest=True)

    def score(self, totals: Floats) -> Floats:
        segments = totals[..., 1]
        undefined = np.full_like(segments, np.nan if self.variant == "corrected" else -np.inf)
        return np.asarray(np.divide(totals[..., 0], segments, out=undefined, where=segments > 0))

    def details(self, totals: Floats) -> dict[str, object]:
        means = totals[2:] / max(totals[1], 1.0)
        return dict(zip(PARTS, means.tolist(), strict=True))

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        words, other = self._words([output]), self._words([reference])
        vocabulary = Vocabulary(other)
        alignment, offsets = _align(vocabulary.find(words), vocabulary.units, np.zeros(1, dtype=np.int64))
        values = dict(zip(PARTS, _parts(alignment, offsets, vocabulary.units.lengths)[0].tolist(), strict=True))
        part = Alignment(words.strings()[0], other.strings()[0], word_links(alignment.tolist()))
        return Seen(float(counts[0]) if counts[1] else None, [part], values=values)


def _align(outputs: Units, references: Units, whose: Ints) -> tuple[NDArray[np.int32], Ints]:
    """Return for each output and each of its references the reference position of each word, or -1, and offsets."""
    offsets = offsets_of(outputs.lengths[whose])
    alignment = np.empty(int(offsets[-1]), dtype=np.int32)
    most, most_reference = int(outputs.lengths.max(initial=0)), int(references.lengths.max(initial=0))
    texts = (outputs.ids, outputs.offsets, whose, references.ids, references.offsets)
    scratch = [np.empty(size + 1, dtype=np.int32) for size in (6 * most, max(most, most_reference))]
    call(alignments.align_contexts, *texts, alignment, offsets, *scratch)
    return alignment, offsets


def _parts(alignment: NDArray[np.int32], offsets: Ints, reference_lengths: Ints) -> Floats:
    """Return normalised Kendall's tau, precision and brevity penalty, shape (references, 3)."""
    lengths = np.diff(offsets)
    aligned, ascending = np.empty((2, len(lengths)), dtype=np.int64)
    scratch = np.empty(int(lengths.max(initial=0)) + 1, dtype=np.int32)
    call(alignments.count_ascending, alignment, offsets, aligned, ascending, scratch)
    pairs = aligned * (aligned - 1) / 2
    tau = np.where(pairs > 0, ascending / np.maximum(pairs, 1), 0.0)
    # One word has no order; it is right if the reference has no other.
    tau[(aligned == 1) & (reference_lengths == 1)] = 1.0
    precision = np.where(tau > 0, aligned / np.maximum(lengths, 1), 0.0)
    penalty = np.exp(np.minimum(0.0, 1 - reference_lengths / np.maximum(lengths, 1)))
    penalty[lengths == 0] = 0.0
    return np.column_stack([tau, precision, penalty])
