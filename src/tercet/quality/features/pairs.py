"""The sentence pairs of one chunk, and intermediate results that features share, computed when first needed.

Words are the tokens in lower case. Models and tables process all sentences at once. A function of single tokens is
called once for each distinct token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...language.ngram_models import NgramModel, Scored
from ...text.coding import offsets_of
from ...types import Floats
from ..tokens import NONE_TAGGED, Tagged, tags, tokenise
from .alignment_arrays import AlignedWords, row_means

if TYPE_CHECKING:
    from ..resources import Resources

Ints = NDArray[np.int64]
T = TypeVar("T")


class TextSide:
    """The sentences of one side, sources or targets."""

    def __init__(self, texts: Sequence[str], language: str, tagger: str | None = None) -> None:
        self.texts, self.language, self.tagger = texts, language, tagger
        self.tagged: Mapping[str, list[str]] = {}

    @cached_property
    def tokens(self) -> list[list[str]]:
        """The tokens of each sentence, with case."""
        return tokenise(self.texts, self.language)

    @cached_property
    def words(self) -> list[list[str]]:
        """The tokens of each sentence in lower case."""
        return [[token.lower() for token in tokens] for tokens in self.tokens]

    @cached_property
    def lines(self) -> list[str]:
        """The words of each sentence with spaces between them, the input of language models."""
        return [" ".join(words) for words in self.words]

    @cached_property
    def backward(self) -> list[str]:
        """The lines with the words in reverse order."""
        return [" ".join(words[::-1]) for words in self.words]

    @cached_property
    def offsets(self) -> Ints:
        """The place of each sentence's first token among all tokens."""
        return offsets_of([len(tokens) for tokens in self.tokens])

    @cached_property
    def lengths(self) -> Floats:
        """The number of tokens of each sentence."""
        return np.diff(self.offsets).astype(np.float64)

    @cached_property
    def rows(self) -> Ints:
        """The sentence of each token."""
        return np.repeat(np.arange(len(self.tokens)), np.diff(self.offsets))

    @cached_property
    def characters(self) -> Floats:
        """The number of characters of each sentence's tokens."""
        return self.add(self.values(len))

    @cached_property
    def types(self) -> Floats:
        """The number of distinct words of each sentence."""
        return np.array([len(set(words)) for words in self.words], dtype=np.float64)

    @cached_property
    def tags(self) -> list[list[str]]:
        """Universal part-of-speech tags of each sentence."""
        return tags(self.texts, self.language, self.tagger, known=self.tagged)

    @cached_property
    def different_tokens(self) -> tuple[list[str], Ints]:
        """The distinct tokens, and the index of each token among them."""
        return _numbered(self.tokens)

    @cached_property
    def different_words(self) -> tuple[list[str], Ints]:
        """The distinct words, and the index of each word among them."""
        return _numbered(self.words)

    def values(self, function: Callable[[str], float], *, cased: bool = True) -> Floats:
        """Return a function's value for each token (cased) or word; it is called once for each distinct one."""
        different, numbers = self.different_tokens if cased else self.different_words
        return np.fromiter(map(function, different), dtype=np.float64, count=len(different))[numbers]

    def add(self, values: Floats) -> Floats:
        """Return the sum of the tokens' values over each sentence."""
        sums: Floats = np.bincount(self.rows, weights=values, minlength=len(self.tokens)).astype(np.float64)
        return sums

    def means(self, values: Floats) -> Floats:
        """Return the mean of the tokens' values over each sentence; NaN for an empty sentence."""
        return row_means(values, self.rows, len(self.tokens))

    def least(self, values: Floats) -> Floats:
        """Return the smallest value of each sentence's tokens, ignoring NaN; NaN if all are NaN."""
        found = np.full(len(self.tokens), np.inf)
        np.fmin.at(found, self.rows, values)
        return np.where(np.isinf(found), np.nan, found)

    def shares(self, function: Callable[[str], bool]) -> Floats:
        """Return the share of each sentence's tokens for which a function is true; NaN for an empty sentence."""
        return self.means(self.values(function))

    def strings(self, function: Callable[[str], float]) -> Floats:
        """Return a function's value for each text, without tokenisation."""
        return np.array([function(text) for text in self.texts], dtype=np.float64)


def _numbered(texts: Sequence[Sequence[str]]) -> tuple[list[str], Ints]:
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(word, len(numbers)) for text in texts for word in text]
    return list(numbers), np.array(flat, dtype=np.int64)


class SentencePairs:
    """Sources and their translations, with the results of language models, aligner and encoder."""

    def __init__(
        self, sources: Sequence[str], targets: Sequence[str], resources: Resources, tagged: Tagged = NONE_TAGGED
    ) -> None:
        self.resources = resources
        self.source = TextSide(sources, resources.source_language, resources.source_tagger)
        self.target = TextSide(targets, resources.target_language, resources.target_tagger)
        self.source.tagged, self.target.tagged = tagged
        self._kept: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.source.texts)

    def side(self, name: str) -> TextSide:
        """Return the side called "source" or "target"."""
        return self.source if name == "source" else self.target

    def kept(self, key: str, make: Callable[[], T]) -> T:
        """Return an intermediate result that several features share, computed once."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def scored(self, name: str) -> Scored:
        """Return the scores of the language model of this name, such as source_lm or target_tags_lm."""
        return self.kept(name, lambda: self.resources.given(name, NgramModel).score(self._lines(name)))

    def _lines(self, name: str) -> list[str]:
        side = self.source if name.startswith("source") else self.target
        if "_tags" in name:
            return [" ".join(tags) for tags in side.tags]
        return side.backward if name.endswith("_backward") else side.lines

    @cached_property
    def aligned(self) -> AlignedWords:
        """The word alignments in both directions."""
        from ...language.bilingual_alignment import WordAligner

        return AlignedWords(self.resources.given("aligner", WordAligner), self.source.words, self.target.words)

    @cached_property
    def embedded(self) -> tuple[Floats, Floats]:
        """Unit vectors of sources and of targets, shape (pairs, dimensions)."""
        from ...language.embeddings import open_encoder

        encoder = open_encoder(self.resources.given("embeddings", str))
        source, target = (encoder.encode(side.texts).astype(np.float64) for side in (self.source, self.target))
        return source, target
