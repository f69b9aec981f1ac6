"""Find where two parallel texts stop being parallel: lines lost, added or shifted.

By lengths (Gale and Church 1993) and shared words, names and numbers (Simard et al. 1992), reduced to one offset per
line; the most probable sequence of offsets is found by dynamic programming.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..types import Floats

WINDOW = 8  # offsets tried on each side, beyond the difference between the numbers of lines
WIDEST = 40
LONGEST = 1000  # characters of a line that are compared
MOST_LINES = 200_000  # maximum number of lines compared
BREAK_COST, STEP_COST = 12.0, 2.0
END_BONUS = 8.0  # for ending at the offset that the numbers of lines imply
SHARED_CAP, LENGTH_CAP = 10.0, 3.0

_WORD = re.compile(r"\d+|[^\W\d_]{4,}")
_UNSPACED = re.compile("[\u3041-\u30ff\u3400-\u9fff\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]{2,}")


@dataclass(frozen=True)
class Break:
    """A position where the other text loses or gains lines, from 1, and the lines by which it is behind from there."""

    line: int
    base_line: int
    change: int
    offset: int


def find_breaks(
    base: Sequence[str], other: Sequence[str], words: Sequence[list[set[str]]] | None = None
) -> list[Break]:
    """Return where `other` stops being parallel to `base`. words: of both texts by `words_of`, if known."""
    rows = min(len(base), MOST_LINES)
    if not rows or not other or base == other:
        return []
    surplus = len(other) - len(base)
    width = min(WIDEST, WINDOW + abs(surplus))
    known = words or [[words_of(line) for line in lines] for lines in (base[:rows], other[: rows + width])]
    gains = _gains(base[:rows], other[: rows + width], width, [known[0][:rows], known[1][: rows + width]])
    offsets = _likeliest(gains, width, surplus if abs(surplus) <= width else None) - width
    found = []
    before = 0
    for row in np.flatnonzero(np.diff(offsets, prepend=0)).tolist():
        change = int(offsets[row]) - before
        place = row if change > 0 else _lost_lines(gains, row, before + width, change)
        if place + before < len(other):  # otherwise the other text ends there
            found.append(Break(max(place + before, 0) + 1, place + 1, change, int(offsets[row])))
        before = int(offsets[row])
    return found


def _lost_lines(gains: Floats, row: int, column: int, change: int) -> int:
    """Return the best position of a break with lost lines: where skipping that many base lines costs least."""
    lost = -change
    begins = range(max(0, row - lost - 1), row + 1)
    low, high = begins[0], min(len(gains), row + 2 * lost + 1)
    worth = [gains[low:at, column].sum() + gains[at + lost : high, column + change].sum() for at in begins]
    return begins[int(np.argmax(worth))]


def _gains(base: Sequence[str], other: Sequence[str], width: int, words: Sequence[list[set[str]]]) -> Floats:
    """Return how well base line i matches other line i + d, shape (lines, 2 * width + 1). words: of all lines."""
    left, right = words
    counts = Counter(word for words in (*left, *right) for word in words)
    common = sorted(set().union(*left) & set().union(*right))
    size = max(len(left) + len(right), 500)  # so that words of a short text do not count as frequent
    weights = np.array([min(math.log(size / counts[word]), 6.0) for word in common])
    number = {word: place for place, word in enumerate(common)}
    # A number for every known word of every line: that of the line times the number of words, plus its own.
    ours, theirs = (
        np.sort(
            np.array(
                [row * len(common) + number[word] for row, each in enumerate(lines) for word in each if word in number],
                dtype=np.int64,
            )
        )
        for lines in words
    )
    base_words = max(len(common), 1)
    rows, worth = ours // base_words, weights[ours % base_words]
    many, there = np.bincount(rows, minlength=len(left)), np.bincount(theirs // base_words, minlength=len(right))
    gains = _length_gains(base, other, width)
    for column in range(2 * width + 1):
        shift = column - width
        found = np.isin(ours + shift * len(common), theirs, assume_unique=True)
        shared = np.bincount(rows[found], minlength=len(left))
        sums = np.bincount(rows[found], worth[found], minlength=len(left))
        begin, end = max(0, -shift), min(len(left), len(right) - shift)
        if begin >= end:
            continue
        missing = 0.1 * (many[begin:end] + there[begin + shift : end + shift] - 2 * shared[begin:end])
        gain = 0.5 * np.minimum(sums[begin:end], SHARED_CAP) - np.minimum(missing, 1.0)
        gains[begin:end, column] += np.where(many[begin:end] > 0, gain, 0.0)
    return gains


def words_of(line: str) -> set[str]:
    """Return the words of at least four letters, the numbers, and character pairs in scripts without spaces."""
    line = line[:LONGEST]
    pairs = (run[i : i + 2] for run in _UNSPACED.findall(line) for i in range(len(run) - 1))
    return {*_WORD.findall(line.lower()), *pairs}


def _length_gains(base: Sequence[str], other: Sequence[str], width: int) -> Floats:
    """Return the negative surprise of the ratio of lengths, relative to the median ratio of the two texts."""
    ours, theirs = (np.log(np.minimum([*map(len, lines)], LONGEST) + 5.0) for lines in (base, other))
    usual = float(np.median(theirs) - np.median(ours))
    gains = np.full((len(ours), 2 * width + 1), -1.0)
    for column in range(2 * width + 1):
        begin, end = max(0, width - column), min(len(ours), len(theirs) - column + width)
        if begin < end:
            surprise = theirs[begin + column - width : end + column - width] - ours[begin:end] - usual
            gains[begin:end, column] = -0.5 * np.minimum((surprise / 0.3) ** 2 / 2, LENGTH_CAP)
    return gains


def _likeliest(gains: Floats, width: int, end: int | None) -> NDArray[np.int64]:
    """Return the best column of every row, by dynamic programming over rows."""
    states = np.arange(2 * width + 1)
    steps = np.abs(states[:, None] - states)
    cost = np.where(steps > 0, BREAK_COST + STEP_COST * steps, 0.0)
    best = -cost[width]
    came_from = np.empty(gains.shape, dtype=np.int16)
    for row, gain in enumerate(gains):
        if row:
            # Staying is free, so a path changes only to a state that is better by more than the cost of a break.
            if best.max() - best.min() > BREAK_COST:
                ways = best[:, None] - cost
                came_from[row] = ways.argmax(0)
                best = ways.max(0)
            else:
                came_from[row] = states
        best = best + gain
    if end:
        best[width + end] += END_BONUS
    path = np.empty(len(gains), dtype=np.int64)
    path[-1] = int(best.argmax())
    for row in range(len(gains) - 1, 0, -1):
        path[row - 1] = came_from[row, path[row]]
    return path
