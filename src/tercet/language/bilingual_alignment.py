"""Word alignment between two languages: find the source word of each target word.

A hidden Markov model on top of a lexical table: Vogel, Ney and Tillmann (1996), "HMM-Based Word Alignment in
Statistical Translation", COLING. The probability of a source position depends only on the width of the jump from the
previous one. The empty word keeps the position, and jump probabilities are smoothed with the uniform distribution, as
in Och and Ney (2003), "A Systematic Comparison of Various Statistical Alignment Models", Computational Linguistics.
The alignments of both directions are combined as in Koehn, Och and Marcu (2003), "Statistical Phrase-Based
Translation", NAACL.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UnknownName, UsageError
from ..kernels import lexical as kernel
from ..kernels import symmetry, warn_if_slow
from ..text.coding import Ints, Units, call, offsets_of
from ..types import Floats
from .lexical_tables import (
    FLOOR,
    LexicalTable,
    Words,
    check_parallel,
    perplexity,
    sentence_sums,
    train_table,
    usable_pairs,
)

log = logging.getLogger(__name__)

MOST_CELLS = 1 << 24  # maximum of source words times target words of one pair; more would take half a gigabyte
METHODS = {  # union, grow, final (1: one of the words has no link, 2: neither has): see kernels.symmetry.symmetrise
    "intersection": (False, False, 0),
    "union": (True, False, 0),
    "grow-diag": (False, True, 0),
    "grow-diag-final": (False, True, 1),
    "grow-diag-final-and": (False, True, 2),
}
Links = list[tuple[int, int]]


@dataclass(frozen=True, eq=False, repr=False)
class HMM:
    """The hidden Markov model of one direction: it aligns each target word with a source word.

    jumps: the probability of each jump width, an odd number of them; the middle one is width 0. The first target word
    jumps from before the first source word. null: the probability of alignment with the empty word. smoothing: the
    weight of the uniform distribution over jumps. perplexities: of the training data, by iteration, and at the end.
    """

    table: LexicalTable
    jumps: Floats
    null: float = 0.2
    smoothing: float = 0.2
    perplexities: tuple[float, ...] = field(default=())

    def __post_init__(self) -> None:
        if not 0 <= self.null < 1 or not 0 < self.smoothing <= 1:
            raise UsageError(
                f"null must be at least 0 and below 1, smoothing above 0 and at most 1; they are {self.null} and "
                f"{self.smoothing}."
            )

    def align(self, sources: Sequence[Words], targets: Sequence[Words]) -> list[list[int]]:
        """Return the most probable alignment of each pair: for each target word a source position, -1 for none."""
        flat, target = self.best_paths(sources, targets)
        positions = flat.tolist()
        return [positions[begin:end] for begin, end in pairwise(target.offsets.tolist())]

    def best_paths(self, sources: Sequence[Words], targets: Sequence[Words]) -> tuple[NDArray[np.int32], Units]:
        """Return the alignments of `align` as one array over all target words, and the coded target texts."""
        source, target = self._code(sources, targets)
        n, cells = int(source.lengths.max(initial=0)), _most_cells(source, target)
        alignment, table = np.empty(len(target.ids), dtype=np.int32), self.table
        call(
            kernel.find_best_path, source.ids, source.offsets, target.ids, target.offsets, table.starts, table.targets,
            table.probabilities, self.jumps, self.null, self.smoothing, FLOOR, alignment, *_scratch(n, cells),
            np.empty(2 * n), np.empty(cells, dtype=np.int32),
        )  # fmt: skip
        return alignment, target

    def log_probabilities(self, sources: Sequence[Words], targets: Sequence[Words]) -> Floats:
        """Return the natural logarithm of each target's probability given its source, summed over all alignments."""
        source, target = self._code(sources, targets)
        sums = self._read(source, target, self.table.probabilities, self.jumps)
        return sentence_sums(np.log(sums), target)

    def _code(self, sources: Sequence[Words], targets: Sequence[Words]) -> tuple[Units, Units]:
        check_parallel(sources, targets)
        source, target = self.table.code_sources(sources), self.table.code_targets(targets)
        large = source.lengths * np.maximum(source.lengths, target.lengths) > MOST_CELLS
        if large.any():
            at = int(large.argmax())
            raise DataError(
                f"Sentence pair {at + 1} is too long to be aligned: {len(sources[at])} source words and "
                f"{len(targets[at])} target words. Texts must have one sentence per line. Split it or remove it."
            )
        return source, target

    def _read(self, source: Units, target: Units, probabilities: Floats, jumps: Floats, *counts: Floats) -> Floats:
        """Return the probability of each target word given the previous ones. counts: of pairs and jumps, added to."""
        n, cells = int(source.lengths.max(initial=0)), _most_cells(source, target)
        sums = np.empty(len(target.ids))
        call(
            kernel.read_states, source.ids, source.offsets, target.ids, target.offsets, self.table.starts,
            self.table.targets, probabilities, jumps, self.null, self.smoothing, FLOOR, bool(counts), sums,
            *(counts or (np.empty(0), np.empty(0))), *_scratch(n, cells), np.empty(cells + n), np.empty(4 * n),
        )  # fmt: skip
        return sums

    def trained(
        self, sources: Sequence[Words], targets: Sequence[Words], *, iterations: int = 5, longest: int = 100
    ) -> Self:
        """Return the model after some iterations of EM. The perplexity falls in practice, but need not."""
        if iterations < 1:
            raise UsageError(f"The number of iterations must be at least 1, not {iterations}.")
        warn_if_slow()
        sources, targets = usable_pairs(sources, targets, longest)
        source, target = self._code(sources, targets)
        probabilities, jumps = self.table.probabilities.copy(), self.jumps.copy()
        rows = np.repeat(
            np.arange(len(self.table.starts) - 1), np.diff(self.table.starts)
        )  # the source word of each pair
        perplexities = []
        for iteration in range(iterations):
            counts, jump_counts = np.zeros(len(probabilities) + 1), np.zeros(len(jumps))
            sums = self._read(source, target, probabilities, jumps, counts, jump_counts)
            perplexities.append(perplexity(sums))
            log.debug("HMM, after %d iterations: perplexity %.4f", iteration, perplexities[-1])
            totals = np.bincount(rows, counts[:-1])[rows]
            np.divide(counts[:-1], totals, out=probabilities, where=totals > 0)
            jumps = jump_counts / max(jump_counts.sum(), np.finfo(float).tiny)
        perplexities.append(perplexity(self._read(source, target, probabilities, jumps)))
        table = replace(self.table, probabilities=probabilities)
        return replace(self, table=table, jumps=jumps, perplexities=tuple(perplexities))


def train_hmm(
    table: LexicalTable,
    sources: Sequence[Words],
    targets: Sequence[Words],
    *,
    iterations: int = 5,
    longest: int = 100,
    null: float = 0.2,
    smoothing: float = 0.2,
) -> HMM:
    """Train a model with EM, starting from the table and uniform jump probabilities."""
    widest = max((len(source) for source in sources if len(source) <= longest), default=0)
    jumps = np.full(2 * widest + 1, 1 / (2 * widest + 1))
    return HMM(table, jumps, null, smoothing).trained(sources, targets, iterations=iterations, longest=longest)


@dataclass(frozen=True, eq=False, repr=False)
class WordAligner:
    """Models of both directions: `forward` aligns target words with source words, `backward` the reverse."""

    forward: HMM
    backward: HMM

    def align(
        self, sources: Sequence[Words], targets: Sequence[Words], *, method: str = "grow-diag-final-and"
    ) -> list[Links]:
        """Return the links of each pair, sorted (source position, target position), combined by one of METHODS."""
        forward, target = self.forward.best_paths(sources, targets)
        backward, source = self.backward.best_paths(targets, sources)
        return _symmetrised(forward, target, backward, source, method)


def train_aligner(
    sources: Sequence[Words],
    targets: Sequence[Words],
    *,
    table_iterations: int = 5,
    iterations: int = 5,
    longest: int = 100,
) -> WordAligner:
    """Train Model 1 and the HMM in both directions on sentence pairs."""
    models = []
    for first, second in ((sources, targets), (targets, sources)):
        table = train_table(first, second, iterations=table_iterations, longest=longest)
        models.append(train_hmm(table, first, second, iterations=iterations, longest=longest))
    return WordAligner(*models)


def symmetrise(
    forward: Sequence[Sequence[int]], backward: Sequence[Sequence[int]], *, method: str = "grow-diag-final-and"
) -> list[Links]:
    """Combine alignments of both directions. The target is the "English" side of the published algorithm."""
    if len(forward) != len(backward):
        raise DataError(f"There are {len(forward)} alignments in one direction but {len(backward)} in the other.")
    for number, (first, second) in enumerate(zip(forward, backward, strict=True), 1):
        for one, other in ((first, second), (second, first)):
            if wrong := [place for place in one if not -1 <= place < len(other)]:
                raise DataError(f"Pair {number}: position {wrong[0]} is outside the other text of {len(other)} words.")
    target, source = (
        Units(np.fromiter(chain.from_iterable(side), dtype=np.int32), offsets_of(list(map(len, side))))
        for side in (forward, backward)
    )
    return _symmetrised(target.ids, target, source.ids, source, method)


def _symmetrised(
    forward: NDArray[np.int32], target: Units, backward: NDArray[np.int32], source: Units, method: str
) -> list[Links]:
    if method not in METHODS:
        raise UnknownName("symmetrisation method", method, METHODS)
    words = int((source.lengths + target.lengths).max(initial=0))
    links = np.empty((len(forward) + len(backward), 2), dtype=np.int32)
    offsets = np.zeros(len(target.offsets), dtype=np.int64)
    cells = np.empty(_most_cells(source, target), dtype=np.int32)
    texts = forward, target.offsets, backward, source.offsets
    call(symmetry.symmetrise, *texts, *METHODS[method], links.reshape(-1), offsets, cells, np.empty(words, np.int32))
    points = list(zip(*links[: offsets[-1]].T.tolist(), strict=True))
    return [points[begin:end] for begin, end in pairwise(offsets.tolist())]


def _most_cells(source: Units, target: Units) -> int:
    return int((source.lengths * target.lengths).max(initial=0))


def _scratch(n: int, cells: int) -> tuple[Ints, Floats, Floats]:
    """Allocate work arrays for the places, emissions and moves of the largest pair."""
    return np.empty(cells, dtype=np.int64), np.empty(cells), np.empty(n * n)
