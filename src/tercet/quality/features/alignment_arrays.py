"""Word alignments of sentence pairs in both directions, as arrays over all words of a chunk.

Vogel, Ney and Tillmann's hidden Markov model (`language.bilingual_alignment`) replaces the IBM Model 4 of GIZA++, which
Specia et al. (2010) used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...language.bilingual_alignment import HMM, WordAligner
from ...text.coding import offsets_of
from ...types import Floats

Ints = NDArray[np.int64]

LONGEST = 250  # words of a sentence that are aligned: time grows with the third power of the length


class AlignedWords:
    """The alignments of sentence pairs. Places number the words of all sentences of a side."""

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
        """The row of each source word's pair."""
        return np.repeat(np.arange(len(self)), np.diff(self.source_offsets))

    @cached_property
    def target_rows(self) -> Ints:
        """The row of each target word's pair."""
        return np.repeat(np.arange(len(self)), np.diff(self.target_offsets))

    @cached_property
    def forward(self) -> Ints:
        """The place of each target word's source word, -1 for none."""
        return _places(self.aligner.forward, self.sources, self.targets, self.source_offsets, self.target_rows)

    @cached_property
    def backward(self) -> Ints:
        """The place of each source word's target word, -1 for none."""
        return _places(self.aligner.backward, self.targets, self.sources, self.target_offsets, self.source_rows)

    @cached_property
    def links(self) -> Ints:
        """The union of the links of both directions, as (source place, target place)."""
        size = max(int(self.target_offsets[-1]), 1)
        targets, sources = np.flatnonzero(self.forward >= 0), np.flatnonzero(self.backward >= 0)
        codes = np.concatenate([self.forward[targets] * size + targets, sources * size + self.backward[sources]])
        different = np.unique(codes)
        return np.stack([different // size, different % size], axis=1)

    @cached_property
    def link_rows(self) -> Ints:
        """The row of each link's pair."""
        return self.source_rows[self.links[:, 0]]

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
        return (
            self.aligner.forward.log_probabilities(self.sources, self.targets),
            self.aligner.backward.log_probabilities(self.targets, self.sources),
        )

    @cached_property
    def lexical(self) -> tuple[Floats, Floats]:
        """The same by the lexical tables alone, as in IBM Model 1, which ignores the order of words."""
        return (
            self.aligner.forward.table.log_probabilities(self.sources, self.targets),
            self.aligner.backward.table.log_probabilities(self.targets, self.sources),
        )

    def mean(self, values: NDArray[Any], rows: Ints) -> Floats:
        """Return the mean of each pair's values; NaN for no values. rows: the pair of each value."""
        return row_means(values, rows, len(self))


def row_means(values: NDArray[Any], rows: Ints, n: int) -> Floats:
    """Return the mean of the values, or the share of true values, of each of n rows; NaN for none. rows: of each."""
    sums, counts = np.bincount(rows, weights=values, minlength=n), np.bincount(rows, minlength=n)
    means: Floats = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    return means


def _places(
    model: HMM, given: Sequence[list[str]], aligned: Sequence[list[str]], given_offsets: Ints, rows: Ints
) -> Ints:
    positions, _ = model.best_paths(given, aligned)
    places: Ints = np.where(positions >= 0, positions + given_offsets[:-1][rows], -1).astype(np.int64)
    return places
