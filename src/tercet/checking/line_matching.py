"""Test whether two texts are parallel, by comparing each line with its counterpart and with all other lines.

`tercet.text.drift` finds lines that were lost or added in texts of the same order. It cannot find shuffled, reversed
or unrelated texts of equal length. Here, for a sample of lines, the most similar line of the other text is searched
(cosine of rare words, names and numbers; as with the cognates of Simard et al. 1992, this also works between
languages). In parallel texts this is usually the counterpart, in others hardly ever. On the 18 language pairs of WMT19,
34 to 78 % of source lines and 44 to 97 % of output lines find their own reference, and at most one in a hundred after
shuffling.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..text.drift import MOST_LINES, Break

SAMPLE = 400  # lines that are compared
FEWEST = 6  # with fewer answers, no decision
CLEARLY = 1.25  # how much more similar another line must be than the counterpart
FEW = 0.12  # not parallel: at most this share of lines is most similar to the counterpart
MANY = 0.3  # parallel: at least this share
WIDESPREAD = 200  # words in more lines are ignored
ALIKE = 0.3  # similarity from which a line counts as a displaced translation


@dataclass(frozen=True)
class LineMatch:
    """How many lines are most like their counterpart (own) or clearly like another line (other), and which."""

    own: int
    other: int
    displaced: tuple[tuple[int, int], ...]

    @property
    def parallel(self) -> bool | None:
        """Return whether the texts are parallel, None if they share too little to decide."""
        asked = self.own + self.other
        if asked < FEWEST:
            return None
        if self.own <= FEW * asked:
            return False
        return True if self.own >= MANY * asked else None


def align(base: Sequence[set[str]], other: Sequence[set[str]], breaks: Sequence[Break] = ()) -> LineMatch:
    """Compare the lines of two texts, as `words_of` gives them. breaks: where the counterparts of lines are shifted."""
    base = base[:MOST_LINES]
    offsets = {place.base_line - 1: place.offset for place in breaks}
    counterparts, offset = [], 0
    for row in range(len(base)):
        offset = offsets.get(row, offset)
        counterparts.append(row + offset)
    rows = [row for row, counterpart in enumerate(counterparts) if 0 <= counterpart < len(other)]
    index = _Index(other)
    own = elsewhere = 0
    displaced = []
    for row in rows[:: max(1, -(-len(rows) // SAMPLE))]:
        likeness = index.likeness(base[row])
        if likeness is None:
            continue
        here, best = likeness[counterparts[row]], int(likeness.argmax())
        if here >= likeness[best]:
            own += 1
        elif likeness[best] > CLEARLY * here:
            elsewhere += 1
            if likeness[best] >= ALIKE:
                displaced.append((row + 1, best + 1))
    return LineMatch(own, elsewhere, tuple(displaced))


class _Index:
    """An inverted index of the lines of a text by their words."""

    def __init__(self, lines: Sequence[set[str]]) -> None:
        places: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(lines):
            for word in words:
                places[word].append(number)
        size = max(len(lines), 20)  # so that words of a short text do not count as frequent
        self.rarest = math.log(size + 1)
        self.weights = {word: self.rarest - math.log(len(where)) for word, where in places.items()}
        squares = {word: weight**2 for word, weight in self.weights.items()}
        self.lengths = np.sqrt([sum(map(squares.__getitem__, words)) or 1.0 for words in lines])
        self.places = {word: np.array(where) for word, where in places.items() if len(where) <= WIDESPREAD}

    def length(self, words: set[str]) -> float:
        return math.sqrt(sum(self.weights.get(word, self.rarest) ** 2 for word in words)) or 1.0

    def likeness(self, words: set[str]) -> NDArray[np.float64] | None:
        """Return the cosine of these words with every line; None if no line shares one of them."""
        known = sorted(word for word in words if word in self.places)  # so that sums are the same in every run
        if not known:
            return None
        places = [self.places[word] for word in known]
        worth = np.repeat([self.weights[word] ** 2 for word in known], [len(where) for where in places])
        sums = np.bincount(np.concatenate(places), worth, minlength=len(self.lengths))
        return np.asarray(sums / (self.lengths * self.length(words)))
