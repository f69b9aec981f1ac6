"""Whether the lines of two texts belong together at all: each line against its counterpart and against all others.

What `tercet.text.drift` finds is lines lost or added, with a text that goes on in order. Shuffled, reversed and
unrelated texts of the right length have no such place. Here each line of a sample is asked which line of the other text
it resembles most (cosine of rare words, names and numbers; as with the cognates of Simard et al. 1992, this works
between languages too). In parallel texts that is its own counterpart, in others it hardly ever is. On the 18 language
pairs of WMT19, 34 to 78 % of the sources' lines and 44 to 97 % of the outputs' find their own reference, and at most
one in a hundred if they are shuffled.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ..text.drift import MOST_LINES, WIDEST, Break, words_of

SAMPLE = 400  # lines that are asked
FEWEST = 6  # answers that settle the question
CLEARLY = 1.25  # times more like another line than like its own
FEW = 0.12  # share of lines that fit their own counterpart best, where texts are not parallel
MANY = 0.3  # the same, where they are
WIDESPREAD = 200  # lines that share a word, from which on it tells nothing about one of them
ALIKE = 0.3  # the resemblance of a line and its displaced translation


@dataclass(frozen=True)
class LineMatch:
    """How many lines resemble their own counterpart most, and how many clearly resemble another line instead.

    displaced: (line, line of the other text) that resemble each other, for the lines that found a better place.
    """

    own: int
    other: int
    displaced: tuple[tuple[int, int], ...]

    @property
    def parallel(self) -> bool | None:
        """Whether the texts go together line by line; None where they share too little to tell."""
        asked = self.own + self.other
        if asked < FEWEST:
            return None
        if self.own <= FEW * asked:
            return False
        return True if self.own >= MANY * asked else None


def align(base: Sequence[str], other: Sequence[str], breaks: Sequence[Break] = ()) -> LineMatch:
    """Compare the lines of `base` with those of `other`; `breaks` say where the counterpart of a line is shifted."""
    base, other = base[:MOST_LINES], other[: MOST_LINES + WIDEST]
    counterparts = _counterparts(len(base), breaks)
    rows = [row for row, counterpart in enumerate(counterparts) if 0 <= counterpart < len(other)]
    index = _Index([words_of(line) for line in other])
    own = elsewhere = 0
    displaced = []
    for row in rows[:: max(1, -(-len(rows) // SAMPLE))]:
        likeness = index.likeness(words_of(base[row]))
        if not likeness:
            continue
        here = likeness.get(counterparts[row], 0.0)
        best = max(likeness, key=lambda number: likeness[number])
        if here >= likeness[best]:
            own += 1
        elif likeness[best] > CLEARLY * here:
            elsewhere += 1
            if likeness[best] >= ALIKE:
                displaced.append((row + 1, best + 1))
    return LineMatch(own, elsewhere, tuple(displaced))


def _counterparts(rows: int, breaks: Sequence[Break]) -> list[int]:
    offsets = {place.base_line - 1: place.offset for place in breaks}
    found, offset = [], 0
    for row in range(rows):
        offset = offsets.get(row, offset)
        found.append(row + offset)
    return found


class _Index:
    """The lines of a text by their words."""

    def __init__(self, lines: Sequence[set[str]]) -> None:
        self.places: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(lines):
            for word in words:
                self.places[word].append(number)
        size = max(len(lines), 20)  # a word of a short text is not frequent because the text is short
        self.rarest = math.log(size + 1)
        self.weights = {word: self.rarest - math.log(len(where)) for word, where in self.places.items()}
        self.lengths = [self.length(words) for words in lines]

    def length(self, words: set[str]) -> float:
        return math.sqrt(sum(self.weights.get(word, self.rarest) ** 2 for word in words)) or 1.0

    def likeness(self, words: set[str]) -> dict[int, float]:
        """The cosine of these words with every line that shares one of them."""
        found: dict[int, float] = defaultdict(float)
        for word in sorted(words):  # in a fixed order, so that sums and ties come out the same in every run
            where = self.places.get(word, ())
            if len(where) <= WIDESPREAD:
                for number in where:
                    found[number] += self.weights[word] ** 2
        length = self.length(words)
        return {number: worth / (self.lengths[number] * length) for number, worth in found.items()}
