"""Frequencies of words and n-grams in a corpus, and their frequency quartiles.

The features of Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics",
and of QuEst (Specia, Shah, de Souza and Cohn, 2013, "QuEst: A translation quality estimation framework", ACL) are the
shares of a sentence's n-grams in each quartile, and the share that does not occur in the corpus.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UnknownName, UsageError, optional
from ..text.coding import Ints, Units, offsets_of
from ..types import Floats
from .lexical_tables import Words, check_split, code_words, sentence_sums

QUARTILES = 4
LONGEST = 5  # maximum order; features never need more


@dataclass(frozen=True, eq=False, repr=False)
class Frequencies:
    """Counts of the n-grams of a corpus up to some order.

    The key of an n-gram of order n is the index of its first n - 1 words in order n - 1, times the number of words,
    plus the number of its last word. keys[n - 1] (sorted) and counts[n - 1] are those of order n. A count of 0 belongs
    to an n-gram that is present only as the beginning of others. lowercase: texts are lower-cased before look-up.
    """

    words: tuple[str, ...]
    keys: tuple[Ints, ...]
    counts: tuple[Floats, ...]
    lowercase: bool = False

    @property
    def order(self) -> int:
        return len(self.keys)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def cutoffs(self) -> Floats:
        """Return the highest count in each quartile of the distinct n-grams, shape (order, 4), as QuEst computes it."""
        rows = []
        for counts in self.counts:
            rising = np.sort(counts[counts > 0])
            rows.append([rising[q * (len(rising) - 1) // QUARTILES] for q in range(1, QUARTILES + 1)])
        return np.array(rows)

    @cached_property
    def _quartiles(self) -> tuple[NDArray[np.int64], ...]:
        """Return the quartile of each n-gram, 0 for a count of 0; index -1 is an extra 0 for unknown n-grams."""
        return tuple(
            np.append(np.where(counts > 0, np.searchsorted(cutoffs[:-1], counts) + 1, 0), 0)
            for counts, cutoffs in zip(self.counts, self.cutoffs, strict=True)
        )

    def count(self, ngram: Words) -> float:
        places, _ = self._find([ngram], len(ngram))
        return float(self.counts[len(ngram) - 1][places[0]]) if places[0] >= 0 else 0.0

    def shares(self, texts: Sequence[Words], *, order: int) -> Floats:
        """Return each text's shares of unknown n-grams and those in quartiles 1 to 4, shape (texts, 5), or NaN."""
        places, units = self._find(texts, order)
        quartiles = self._quartiles[order - 1][places]
        sums = np.stack([sentence_sums((quartiles == q).astype(float), units) for q in range(QUARTILES + 1)], axis=1)
        totals = units.lengths[:, None].astype(float)
        shares: Floats = np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)
        return shares

    def _find(self, texts: Sequence[Words], order: int) -> tuple[Ints, Units]:
        """Return the index of each n-gram of an order in the texts, -1 for unknown ones, and the texts' offsets."""
        if not 1 <= order <= self.order:
            raise UsageError(f"The table has n-grams of 1 to {self.order} words, not of {order}.")
        check_split(texts)
        if self.lowercase:
            texts = [[word.lower() for word in text] for text in texts]
        units = code_words(texts, self.numbers)
        return _places(units, self.keys, len(self.words), order)


def _places(units: Units, keys: Sequence[Ints], words: int, order: int) -> tuple[Ints, Units]:
    """Look up n-grams as `Frequencies._find` does; `keys` are those of the orders up to this one."""
    lengths = np.maximum(units.lengths - order + 1, 0)
    offsets = offsets_of(lengths)
    begins = np.arange(offsets[-1]) + np.repeat(units.offsets[:-1] - offsets[:-1], lengths)
    ids = units.ids.astype(np.int64)
    places = ids[begins]
    for n in range(1, order):
        last = ids[begins + n]
        wanted = np.where((places >= 0) & (last >= 0), places * words + last, -1)
        found = np.minimum(np.searchsorted(keys[n], wanted), len(keys[n]) - 1)
        places = np.where(keys[n][found] == wanted, found, -1) if len(keys[n]) else np.full_like(places, -1)
    return places, Units(units.ids, offsets)


def count_ngrams(texts: Iterable[Words], *, order: int = 3) -> Frequencies:
    """Count the n-grams of 1 to `order` words."""
    if not 1 <= order <= LONGEST:
        raise UsageError(f"The order of n-grams must be 1 to {LONGEST}, not {order}.")
    numbers: dict[str, int] = {}
    ids, lengths = array("i"), array("q")
    for text in texts:
        check_split([text])
        ids.extend([numbers.setdefault(word, len(numbers)) for word in text])
        lengths.append(len(text))
    if not ids:
        raise DataError("The corpus has no words.")
    units = Units(np.array(ids, dtype=np.int32), offsets_of(lengths))
    keys: list[Ints] = [np.arange(len(numbers), dtype=np.int64)]
    counts = [np.bincount(units.ids, minlength=len(numbers)).astype(float)]
    for n in range(2, order + 1):
        places, grams = _places(units, keys, len(numbers), n - 1)
        # An n-gram is an (n - 1)-gram that is not the last of its text, followed by the next word.
        inner = np.ones(len(places), dtype=bool)
        inner[grams.offsets[1:][grams.lengths > 0] - 1] = False
        nexts = np.arange(len(places)) + np.repeat(units.offsets[:-1] - grams.offsets[:-1], grams.lengths) + n - 1
        found, times = np.unique(places[inner] * len(numbers) + units.ids[nexts[inner]], return_counts=True)
        keys.append(found)
        counts.append(times.astype(float))
    if empty := [n for n, times in enumerate(counts, 1) if not len(times)]:  # there would be no quartiles
        raise DataError(
            f"The corpus, of {len(units.ids)} words, has no n-grams of {empty[0]} words. Use a lower order, or a "
            "larger corpus."
        )
    return Frequencies(tuple(numbers), tuple(keys), tuple(counts))


def word_frequencies(language: str) -> Frequencies:
    """Return the relative frequencies of a language's words from the package wordfreq: order 1, lower case."""
    known = optional("wordfreq", "Word frequencies without a corpus", "qe").available_languages()
    if language not in known:
        raise UnknownName("language with word frequencies", language, known)
    return _packaged_frequencies(language)


@lru_cache(maxsize=8)
def _packaged_frequencies(language: str) -> Frequencies:
    import wordfreq

    shares = wordfreq.get_frequency_dict(language)
    values = np.array(list(shares.values()), dtype=np.float64)
    return Frequencies(tuple(shares), (np.arange(len(shares), dtype=np.int64),), (values,), lowercase=True)
