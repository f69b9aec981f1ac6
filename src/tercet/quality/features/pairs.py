"""The sentence pairs of one chunk, and intermediate results that features share, computed when first needed.

Words are the tokens in lower case. Models and tables process all sentences at once. A function of single tokens is
called once for each distinct token. Words are aligned by Vogel, Ney and Tillmann's hidden Markov model
(`language.bilingual_alignment`), which replaces the IBM Model 4 of GIZA++ that Specia et al. (2010) used.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...language.bilingual_alignment import HMM, WordAligner
from ...language.lexical_tables import LexicalTable
from ...language.ngram_models import NgramModel, Scored
from ...text.coding import offsets_of
from ...types import Floats
from ..resources import Resources
from ..tokens import NONE_TAGGED, Tagged, tags, tokenise

Ints = NDArray[np.int64]
T = TypeVar("T")
LONGEST = 250  # words of a sentence that are aligned: time grows with the third power of the length


class TextSide:
    """The sentences of one side, sources or targets.

    tokens: of each sentence, with case; words: the same in lower case. lengths, characters, types: how many tokens,
    characters of tokens and distinct words each sentence has. offsets: the place of its first token among all tokens.
    rows: the sentence of each token. tags: universal part-of-speech tags.
    """

    def __init__(self, texts: Sequence[str], language: str, tagger: str | None = None) -> None:
        self.texts, self.language, self.tagger = texts, language, tagger
        self.tagged: Mapping[str, list[str]] = {}

    @cached_property
    def tokens(self) -> list[list[str]]:
        return tokenise(self.texts, self.language)

    @cached_property
    def words(self) -> list[list[str]]:
        return [[token.lower() for token in tokens] for tokens in self.tokens]

    @cached_property
    def offsets(self) -> Ints:
        return offsets_of([len(tokens) for tokens in self.tokens])

    @cached_property
    def lengths(self) -> Floats:
        return np.diff(self.offsets).astype(np.float64)

    @cached_property
    def rows(self) -> Ints:
        return np.repeat(np.arange(len(self.tokens)), np.diff(self.offsets))

    @cached_property
    def characters(self) -> Floats:
        return self.add(self.values(len))

    @cached_property
    def types(self) -> Floats:
        return np.array([len(set(words)) for words in self.words], dtype=np.float64)

    @cached_property
    def tags(self) -> list[list[str]]:
        return tags(self.texts, self.language, self.tagger, known=self.tagged)

    @cached_property
    def _different(self) -> tuple[tuple[list[str], Ints], tuple[list[str], Ints]]:
        """The distinct tokens and the index of each token among them, and the same of words."""
        return _numbered(self.tokens), _numbered(self.words)

    def values(self, function: Callable[[str], float], *, cased: bool = True) -> Floats:
        """Return a function's value for each token (cased) or word; it is called once for each distinct one."""
        different, numbers = self._different[0 if cased else 1]
        return np.fromiter(map(function, different), dtype=np.float64, count=len(different))[numbers]

    def add(self, values: Floats) -> Floats:
        """Return the sum of the tokens' values over each sentence."""
        return np.bincount(self.rows, weights=values, minlength=len(self.tokens)).astype(np.float64)

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


class AlignedWords:
    """The alignments of sentence pairs. Places number the words of all sentences of a side.

    source_rows, target_rows: the pair of each word. forward: the place of each target word's source word, -1 for none;
    backward: of each source word's target word.
    """

    def __init__(self, aligner: WordAligner, sources: Sequence[list[str]], targets: Sequence[list[str]]) -> None:
        self.aligner = aligner
        self.sources = [words[:LONGEST] for words in sources]
        self.targets = [words[:LONGEST] for words in targets]
        self.source_offsets, self.target_offsets = (
            offsets_of([len(text) for text in side]) for side in (self.sources, self.targets)
        )

    def __len__(self) -> int:
        return len(self.sources)

    @cached_property
    def source_rows(self) -> Ints:
        return np.repeat(np.arange(len(self)), np.diff(self.source_offsets))

    @cached_property
    def target_rows(self) -> Ints:
        return np.repeat(np.arange(len(self)), np.diff(self.target_offsets))

    @cached_property
    def forward(self) -> Ints:
        positions, _ = self.aligner.forward.best_paths(self.sources, self.targets)
        return _places(positions, self.source_offsets, self.target_rows)

    @cached_property
    def backward(self) -> Ints:
        positions, _ = self.aligner.backward.best_paths(self.targets, self.sources)
        return _places(positions, self.target_offsets, self.source_rows)

    @cached_property
    def links(self) -> Ints:
        """The union of the links of both directions, as (source place, target place)."""
        size = max(int(self.target_offsets[-1]), 1)
        targets, sources = np.flatnonzero(self.forward >= 0), np.flatnonzero(self.backward >= 0)
        codes = np.concatenate([self.forward[targets] * size + targets, sources * size + self.backward[sources]])
        different = np.unique(codes)
        return np.stack([different // size, different % size], axis=1)

    @cached_property
    def degrees(self) -> tuple[Ints, Ints]:
        """The number of links of each source word, and of each target word."""
        sources, targets = self.links.T
        return (
            np.bincount(sources, minlength=int(self.source_offsets[-1])),
            np.bincount(targets, minlength=int(self.target_offsets[-1])),
        )

    @cached_property
    def agreed(self) -> NDArray[np.bool_]:
        """Which target words have a link that is in both directions."""
        found = np.zeros(len(self.forward), dtype=np.bool_)
        linked = np.flatnonzero(self.forward >= 0)
        found[linked] = self.backward[self.forward[linked]] == linked
        return found

    @cached_property
    def jumps(self) -> tuple[Ints, Floats]:
        """For neighbouring linked target words: the row of their pair, and the distance between their source words."""
        linked = np.flatnonzero(self.forward >= 0)
        rows, places = self.target_rows[linked], self.forward[linked]
        same = rows[1:] == rows[:-1]
        return rows[1:][same], (places[1:] - places[:-1])[same].astype(np.float64)

    @cached_property
    def log_probabilities(self) -> tuple[Floats, Floats]:
        """The natural log probability of each target given its source by the hidden Markov model, and vice versa."""
        return self._both_ways(self.aligner.forward, self.aligner.backward)

    @cached_property
    def lexical(self) -> tuple[Floats, Floats]:
        """The same by the lexical tables alone, as in IBM Model 1, which ignores the order of words."""
        return self._both_ways(self.aligner.forward.table, self.aligner.backward.table)

    def _both_ways(self, forward: HMM | LexicalTable, backward: HMM | LexicalTable) -> tuple[Floats, Floats]:
        return (
            forward.log_probabilities(self.sources, self.targets),
            backward.log_probabilities(self.targets, self.sources),
        )

    def mean(self, values: NDArray[Any], rows: Ints) -> Floats:
        """Return the mean of each pair's values; NaN for no values. rows: the pair of each value."""
        return row_means(values, rows, len(self))


def row_means(values: NDArray[np.generic], rows: Ints, n: int) -> Floats:
    """Return the mean of the values, or the share of true values, of each of n rows; NaN for none. rows: of each."""
    sums, counts = np.bincount(rows, weights=values, minlength=n), np.bincount(rows, minlength=n)
    means: Floats = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    return means


def _places(positions: NDArray[Any], offsets: Ints, rows: Ints) -> Ints:
    return np.where(positions >= 0, positions + offsets[:-1][rows], -1).astype(np.int64)


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

    def side(self, name: str) -> TextSide:
        return self.source if name == "source" else self.target

    def kept(self, key: str, make: Callable[[], T]) -> T:
        """Return an intermediate result that several features share, computed once."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def scored(self, name: str) -> Scored:
        """Return the scores of the language model of this name, such as source_lm or target_tags_lm."""

        def score() -> Scored:
            side = self.side(name.partition("_")[0])
            units = side.tags if "_tags" in name else side.words
            lines = [" ".join(line[::-1] if name.endswith("_backward") else line) for line in units]
            return self.resources.given(name, NgramModel).score(lines)

        return self.kept(name, score)

    @cached_property
    def aligned(self) -> AlignedWords:
        return AlignedWords(self.resources.given("aligner", WordAligner), self.source.words, self.target.words)

    @cached_property
    def embedded(self) -> tuple[Floats, Floats]:
        """Unit vectors of sources and of targets, shape (pairs, dimensions)."""
        from ...language.embeddings import open_encoder

        encoder = open_encoder(self.resources.given("embeddings", str))
        source, target = (encoder.encode(side.texts).astype(np.float64) for side in (self.source, self.target))
        return source, target
