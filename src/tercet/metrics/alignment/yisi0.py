"""YiSi-0: overlap of word n-grams, where the similarity of words is that of their common substrings.

Lo (2019), "YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric for Languages with Different Levels of
Available Resources", WMT. Each n-gram is compared with its most similar counterpart; rare words weigh more. The weights
are learnt from all references of the test set, and the signature has a checksum of them: a segment's score depends on
the test set it is in. variant=original equals the program yisi (fd07bfc) with lexsim-type=lcs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import UsageError
from ...kernels import substrings
from ...text.coding import Ints, Units, call, offsets_of
from ...text.explanations import Alignment, Link, ListedAlignment, Seen
from ...text.tokenisers import check_tokeniser, lower, tokenise
from .. import BestReferenceMetric, Corpus, Floats, Learnt, MeanPartsMetric
from .._parameters import CASE, param
from ..bases.frequencies import DocumentFrequencies, count_references
from ..bases.pairs import number_words, refuse_long

VARIANTS = ("corrected", "original")
MOST_BYTES = 100_000  # of one text: half a minute


class _References(NamedTuple):
    known: DocumentFrequencies
    numbers: dict[str, int]
    units: Units
    weights: list[float]


@dataclass(frozen=True)
class YiSi0(MeanPartsMetric, BestReferenceMetric):
    """YiSi-0, the mean of segments, 0 to 1.

    n: words in an n-gram; shorter texts are compared by n-grams of their length.
    alpha: the weight of recall, from 0 to 1, against precision.
    lowercase: ignore case. WMT19's scores are near those of lower-cased text in Moses' tokens.
    tokenize: how words are found.
    variant: original splits words at the character U+0020 alone, not at tabs and other blanks.
    With several references the one with the highest score counts, and all of them are learnt from.
    """

    n: int = param(3, low=1, high=100)
    alpha: float = param(0.8, low=0, high=1)
    lowercase: bool = param(False, key="case", words=CASE)
    tokenize: str = param("none", check=check_tokeniser, key="tok")
    variant: str = param("corrected", choices=VARIANTS)

    explains = (Alignment,)
    paper = "Lo (2019), YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric"

    def validate(self) -> None:
        if self.variant == "original" and self.tokenize != "none":
            raise UsageError("yisi0: variant original splits at blanks; leave tokenize out.")

    @property
    def compatible(self) -> str | None:
        return "yisi-fd07bfc" if self.variant == "original" else None

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        if self.lowercase:
            texts = lower(texts)
        if self.variant == "original":
            return [[word for word in text.split(" ") if word] for text in texts]
        return tokenise(texts, self.tokenize).strings()

    def learn(self, testset: Corpus) -> Learnt:
        learnt = count_references(testset, self._words)
        return Learnt(learnt, {"weights": learnt.checksum})

    def read(self, texts: Sequence[str], opened: DocumentFrequencies | None) -> _References:
        known, numbers = self.learnt(opened, "word weights are"), dict[str, int]()
        units = number_words(self._words(texts), numbers)
        return _References(known, numbers, units, [known.weight(word) for word in numbers])

    def compare(self, outputs: Sequence[str], references: _References, whose: Ints) -> Floats:
        """Count the score, 1 for the segment, precision, recall."""
        sums = self._match(outputs, references, whose)
        similarities, weights = sums[:, 0::2], sums[:, 1::2]
        parts = similarities / np.where(weights > 0, weights, 1.0)  # 0 where a text is empty
        precision, recall = parts[:, 0], parts[:, 1]
        both = precision * recall
        scores = both / np.where(both > 0, self.alpha * precision + (1 - self.alpha) * recall, 1.0)
        return np.column_stack([scores, np.ones(len(scores)), parts])

    def _match(self, written: Sequence[str], references: _References, whose: Ints) -> Floats:
        """Return weighted similarities and weights of both texts' n-grams, shape (references, 4)."""
        known, numbers = references.known, dict(references.numbers)
        outputs, units = number_words(self._words(written), numbers), references.units
        words = list(numbers)
        weights = references.weights + [known.weight(word) for word in words[len(references.weights) :]]
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        sizes = np.array([len(word) for word in encoded], dtype=np.int64)
        lengths, reference_lengths = _byte_lengths(outputs, sizes), _byte_lengths(units, sizes)
        refuse_long("yisi0", "bytes", written, lengths, reference_lengths, whose, most=MOST_BYTES)
        sums = np.empty(4 * len(whose))
        most = int(units.lengths.max(initial=0))
        texts = (outputs.ids, outputs.offsets, whose, units.ids, units.offsets)
        letters = np.frombuffer(bytearray(b"".join(encoded)), dtype=np.uint8), np.cumsum(sizes)
        scratch: list[Any] = [np.zeros(len(words) + 1, dtype=np.int32), np.empty(most + 1, dtype=np.int32)]
        scratch += [np.empty(size) for size in (self.n * most + 1, most + 1, 2 * most + 1)]
        scratch += [np.empty(int(sizes.max(initial=0)) + 1, dtype=np.int32)]
        weighed = np.array(weights, dtype=np.float64)
        call(substrings.match_grams, *texts, *letters, weighed, self.n, sums, *scratch)
        return sums.reshape(-1, 4)

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: DocumentFrequencies) -> Seen:
        words, others = self._words([output, reference])
        values = {"precision": float(counts[2]), "recall": float(counts[3])}
        links = [_best_match(place, word, others, opened) for place, word in enumerate(words)]
        return Seen(float(counts[0]), [ListedAlignment(words, others, links, "output")], values=values)


def _best_match(place: int, word: str, reference: Sequence[str], known: DocumentFrequencies) -> Link:
    weight = {"weight": known.weight(word)}
    if not reference:
        return Link([place], [], 0.0, values=weight)
    best = max(range(len(reference)), key=lambda other: similarity(word, reference[other]))
    return Link([place], [best], similarity(word, reference[best]), values=weight)


def _byte_lengths(units: Units, sizes: Ints) -> Ints:
    """Return the number of bytes of the words of each text."""
    return np.asarray(np.diff(offsets_of(sizes[units.ids])[units.offsets]))


def similarity(word: str, other: str) -> float:
    """Return twice the longest common substring over the sum of the lengths, all in bytes."""
    data, wanted = word.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass")
    longest, row = 0, [0] * (len(wanted) + 1)
    for unit in data:
        row = [0] + [row[j] + 1 if unit == byte else 0 for j, byte in enumerate(wanted)]
        longest = max(longest, *row)
    return 2 * longest / (len(data) + len(wanted))
