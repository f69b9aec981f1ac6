"""Weights of words from the number of references that have them, for metrics in which rare words count more."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import log, log2

from .._contract import Corpus, group_references

SHARD = 10_000  # segments whose references are in memory at once
_ASCII_LOWER = {ord(c): ord(c.lower()) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


@dataclass(frozen=True)
class DocumentFrequencies:
    """The number of references with each word; comparisons and signatures use the checksum."""

    checksum: str
    texts: int
    words: Mapping[str, int] = field(repr=False, compare=False)

    def weight(self, word: str) -> float:
        """Return YiSi's weight, log2(1 + (N + 1) / (df + 1)). Unknown words are looked up in lower case too."""
        found = self.words.get(word) or self.words.get(word.translate(_ASCII_LOWER), 0)
        return log2(1 + (self.texts + 1) / (found + 1))

    def idf(self, word: str) -> float:
        """Return BERTScore's weight, log((N + 1) / (df + 1))."""
        return log((self.texts + 1) / (self.words.get(word, 0) + 1))


def count_references(
    testset: Corpus, split: Callable[[Sequence[str]], Iterable[Sequence[str]]], *, source: bool = False
) -> DocumentFrequencies:
    """Count in how many references (or sources) of a test set each word is; `split` finds the words."""
    found: dict[str, int] = {}
    texts = digests = 0
    for shard in testset.shards(SHARD):
        for words in split(shard.source or () if source else group_references(shard.references)[0]):
            texts += 1
            for word in set(words):
                found[word] = found.get(word, 0) + 1
            # A sum of digests, so that the same references in another order are the same references.
            digest = blake2b("\n".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest()
            digests = (digests + int.from_bytes(digest, "big")) % (1 << 64)
    return DocumentFrequencies(f"{digests:016x}", texts, found)
