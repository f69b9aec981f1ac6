"""IMPACT: an F-measure of the longest common parts of output and reference, taken again and again.

Echizen-ya and Araki (2007), "Automatic Evaluation of Machine Translation based on Recursive Acquisition of an Intuitive
Common Parts Continuum", MT Summit XI. A longest common subsequence consists of parts that are contiguous in both texts;
long parts count more (beta). What is left of the texts is compared in the same way, round after round, and counts less
in each (alpha), so that words in another order have some value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from ...data.grouping import places_of
from ...text.explanations import Alignment, Link, Seen
from .. import Floats, PartsMetric, WordPairMetric, param

MOST_ROUNDS = 20  # later ones are worth nothing, as alpha is small


class CommonPart(NamedTuple):
    """Words that follow each other in both texts: where they begin, how many, and the round that found them."""

    output: int
    reference: int
    length: int
    round: int


@dataclass(frozen=True)
class CommonParts(Alignment):
    """The common parts of two texts, labelled with the round that found them."""

    def lines(self, other: str = "reference") -> list[str]:
        return [f"parts: words {[self.output[i] for i in link.output]!r}, {link.label}" for link in self.links]


@dataclass(frozen=True)
class IMPACT(PartsMetric, WordPairMetric):
    """IMPACT, the mean of segments, 0 to 1.

    alpha: what a round counts, relative to the round before.
    beta: the exponent of the length of a common part, 1 or more.
    """

    alpha: float = param(0.1, low=0, high=1)
    beta: float = param(1.2, low=1, high=4)

    most_words = 1_000
    explains = (Alignment,)
    paper = (
        "Echizen-ya and Araki (2007), Automatic Evaluation of Machine Translation based on Recursive Acquisition of an "
        "Intuitive Common Parts Continuum"
    )

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        precision, recall = self.precision_recall(output, reference)
        return f_measure(precision, recall), 1.0, precision, recall

    def precision_recall(self, output: Sequence[str], reference: Sequence[str]) -> tuple[float, float]:
        """Return precision and recall of the common parts."""
        if not output or not reference:
            return 0.0, 0.0
        parts = common_parts(output, reference, self.beta, rounds=MOST_ROUNDS if self.alpha else 1)
        found = sum(self.alpha**part.round * part.length**self.beta for part in parts)
        return self._share(found, len(output)), self._share(found, len(reference))

    def _share(self, found: float, words: int) -> float:
        return float((found / words**self.beta) ** (1 / self.beta))

    def explain_words(self, output: Sequence[str], reference: Sequence[str], counts: Floats) -> Seen:
        links = [
            Link(range(i, i + length), range(j, j + length), label=f"round {number + 1}")
            for i, j, length, number in common_parts(output, reference, self.beta)
        ]
        values = {"precision": float(counts[2]), "recall": float(counts[3])}
        return Seen(parts=[CommonParts(output, reference, links)], values=values)


def f_measure(precision: float, recall: float) -> float:
    """Return F with gamma = precision / recall, as in ROUGE-L: the lower of the two counts more."""
    if not precision or not recall:
        return 0.0
    square = (precision / recall) ** 2
    return (1 + square) * precision * recall / (recall + square * precision)


def common_parts(
    output: Sequence[str], reference: Sequence[str], beta: float, *, rounds: int = MOST_ROUNDS
) -> list[CommonPart]:
    """Return the common parts of all rounds. Words that a part has are in no later one, and divide what is left."""
    ours: list[str | None] = list(output)
    theirs: list[str | None] = list(reference)
    found: list[CommonPart] = []
    for number in range(rounds):
        places = places_of(theirs)
        matches = {i: places[word] for i, word in enumerate(ours) if word is not None and word in places}
        if not matches:
            break
        for i, j, length in _intuitive(matches, beta):
            found.append(CommonPart(i, j, length, number))
            ours[i : i + length] = theirs[j : j + length] = [None] * length
    return found


def _intuitive(matches: Mapping[int, Sequence[int]], beta: float) -> list[tuple[int, int, int]]:
    """Return the longest common subsequence as parts (places and length); of several the one with the longest parts.

    matches: for each word of the output that the reference has, its places there. Other words are in no cell.
    """
    rows = list(matches)
    columns = sorted(set(chain.from_iterable(matches.values())))
    worth = [length**beta for length in range(len(rows) + 1)]
    # For each cell the best (words, weight) of all subsequences up to there, and the part that it ends with.
    best = [[(0, 0.0)] * (len(columns) + 1)]
    ending: list[list[tuple[int, int, int] | None]] = [[None] * (len(columns) + 1)]
    runs: dict[int, int] = {}  # by place in the reference, of the last row
    last = -2
    for row, place in enumerate(rows, 1):
        runs = {j: 1 + (runs.get(j - 1, 0) if place == last + 1 else 0) for j in matches[place]}
        last = place
        values, parts = [(0, 0.0)], [ending[-1][0]]
        for column, j in enumerate(columns, 1):
            value, part = best[-1][column], ending[-1][column]
            if values[-1] > value:
                value, part = values[-1], parts[-1]
            for length in range(1, runs.get(j, 0) + 1):  # words of a run are in neighbouring cells
                words, weight = best[row - length][column - length]
                if (candidate := (words + length, weight + worth[length])) > value:
                    value, part = candidate, (row - length, column - length, length)
            values.append(value)
            parts.append(part)
        best.append(values)
        ending.append(parts)
    chosen = []
    row, column = len(rows), len(columns)
    while (found := ending[row][column]) is not None:
        row, column, length = found
        chosen.append((rows[row], columns[column], length))
    return chosen[::-1]
