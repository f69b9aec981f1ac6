"""The sentence pairs of one chunk and what their features share, made when it is first asked for.

Words are the tokens in lower case. All sentences go through models and tables at once; what looks at single tokens
looks at each different one once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...language.ngram_models import NgramModel, Scored
from ..tokens import NONE_TAGGED, Tagged, tags, tokenise
from .alignment_arrays import AlignedWords

if TYPE_CHECKING:
    from ..resources import Resources

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
T = TypeVar("T")


class TextSide:
    """Sources or targets."""

    def __init__(self, texts: Sequence[str], language: str, tagger: str | None = None) -> None:
        self.texts, self.language, self.tagger = texts, language, tagger
        self.tagged: Mapping[str, list[str]] = {}

    @cached_property
    def tokens(self) -> list[list[str]]:
        """As they are written."""
        return tokenise(self.texts, self.language)

    @cached_property
    def words(self) -> list[list[str]]:
        """In lower case."""
        return [[token.lower() for token in tokens] for tokens in self.tokens]

    @cached_property
    def lines(self) -> list[str]:
        """The words of each sentence with blanks between, as language models take them."""
        return [" ".join(words) for words in self.words]

    @cached_property
    def backward(self) -> list[str]:
        """The lines from end to beginning."""
        return [" ".join(words[::-1]) for words in self.words]

    @cached_property
    def offsets(self) -> Ints:
        """Where the tokens of each sentence begin among all."""
        offsets = np.zeros(len(self.tokens) + 1, dtype=np.int64)
        np.cumsum([len(tokens) for tokens in self.tokens], out=offsets[1:])
        return offsets

    @cached_property
    def lengths(self) -> Floats:
        """Tokens of each sentence."""
        return np.diff(self.offsets).astype(np.float64)

    @cached_property
    def rows(self) -> Ints:
        """The sentence of each token."""
        return np.repeat(np.arange(len(self.tokens)), np.diff(self.offsets))

    @cached_property
    def characters(self) -> Floats:
        """Characters of each sentence's tokens."""
        return self.add(self.values(len))

    @cached_property
    def types(self) -> Floats:
        """Different words of each sentence."""
        return np.array([len(set(words)) for words in self.words], dtype=np.float64)

    @cached_property
    def tags(self) -> list[list[str]]:
        """Universal part-of-speech tags of each sentence."""
        return tags(self.texts, self.language, self.tagger, known=self.tagged)

    @cached_property
    def different_tokens(self) -> tuple[list[str], Ints]:
        """The different tokens, and the number of each token among them."""
        return _numbered(self.tokens)

    @cached_property
    def different_words(self) -> tuple[list[str], Ints]:
        """The different words, and the number of each word among them."""
        return _numbered(self.words)

    def values(self, function: Callable[[str], float], *, cased: bool = True) -> Floats:
        """A function's value of each token (cased) or word, which is asked once for each different one."""
        different, numbers = self.different_tokens if cased else self.different_words
        return np.fromiter(map(function, different), dtype=np.float64, count=len(different))[numbers]

    def add(self, values: Floats) -> Floats:
        """The sum over each sentence of a value for each token."""
        sums: Floats = np.bincount(self.rows, weights=values, minlength=len(self.tokens)).astype(np.float64)
        return sums

    def means(self, values: Floats) -> Floats:
        """The mean over each sentence of a value for each token; NaN for an empty one."""
        lengths = self.lengths
        means: Floats = np.divide(self.add(values), lengths, out=np.full(len(lengths), np.nan), where=lengths > 0)
        return means

    def least(self, values: Floats) -> Floats:
        """The least value of a token of each sentence, those apart that are NaN; NaN where there are no others."""
        found = np.full(len(self.tokens), np.inf)
        np.fmin.at(found, self.rows, values)
        return np.where(np.isinf(found), np.nan, found)

    def shares(self, function: Callable[[str], bool]) -> Floats:
        """The share of each sentence's tokens for which something is true; NaN for an empty one."""
        return self.means(self.values(function))

    def strings(self, function: Callable[[str], float]) -> Floats:
        """A number of each text as it is written."""
        return np.array([function(text) for text in self.texts], dtype=np.float64)


def _numbered(texts: Sequence[Sequence[str]]) -> tuple[list[str], Ints]:
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(word, len(numbers)) for text in texts for word in text]
    return list(numbers), np.array(flat, dtype=np.int64)


class SentencePairs:
    """Sources and their translations, and what the resources say about them."""

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

    def kept(self, key: str, make: Callable[[], T]) -> T:
        """What several features share, made once."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def scored(self, name: str) -> Scored:
        """What the language model of this name says: source_lm, target_lm_backward, target_tags_lm and so on."""
        return self.kept(name, lambda: self.resources.given(name, NgramModel).score(self._lines(name)))

    def _lines(self, name: str) -> list[str]:
        side = self.source if name.startswith("source") else self.target
        if "_tags" in name:
            return [" ".join(tags) for tags in side.tags]
        return side.backward if name.endswith("_backward") else side.lines

    @cached_property
    def aligned(self) -> AlignedWords:
        """The word alignments of both directions."""
        from ...language.bilingual_alignment import WordAligner

        return AlignedWords(self.resources.given("aligner", WordAligner), self.source.words, self.target.words)

    @cached_property
    def embedded(self) -> tuple[Floats, Floats]:
        """Unit vectors of sources and of targets, shape (pairs, dimensions)."""
        from ...language.embeddings import open_encoder

        encoder = open_encoder(self.resources.given("embeddings", str))
        source, target = (encoder.encode(side.texts).astype(np.float64) for side in (self.source, self.target))
        return source, target
