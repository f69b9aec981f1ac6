"""Batches of packed pairs, each of one pair of languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np

POWER = 0.6  # a pair of languages is drawn by its number of sentences to this power
LONGEST = 120  # pieces of a text; longer and very short ones are left out
SHORTEST = 3
MOST = 3_000  # pairs of a batch
HELD_OUT = 500  # pairs of two languages with 3,000 or more


class Pairs:
    """What `prepare` packed, grouped by languages; some are held out."""

    def __init__(self, path: Path, seed: int) -> None:
        with np.load(path) as stored:
            self.pieces, self.starts, languages = stored["pieces"], stored["starts"], stored["languages"]
        self.random = np.random.default_rng(seed)
        self.lengths = np.diff(self.starts)
        both = self.lengths.reshape(-1, 2)
        fits = ((both >= SHORTEST) & (both <= LONGEST)).all(1)
        keys = languages[:, 0].astype(np.int64) * 100 + languages[:, 1]
        self.keys = keys
        self.groups: dict[int, np.ndarray] = {}
        self._sorted: dict[int, np.ndarray] = {}
        self.held_out: dict[int, np.ndarray] = {}
        fixed = np.random.default_rng(0)  # the same pairs are held out in every run
        for key in np.unique(keys).tolist():
            rows = np.flatnonzero((keys == key) & fits)
            fixed.shuffle(rows)
            held = min(HELD_OUT, len(rows) // 10) if len(rows) > 3000 else 0
            self.groups[key], self.held_out[key] = rows[held:], rows[:held]
        sizes = np.array([len(rows) for rows in self.groups.values()]) ** POWER
        self.chances = sizes / sizes.sum()

    def draw(self, size: int) -> np.ndarray:
        """Return the numbers of distinct pairs of two languages."""
        rows = list(self.groups.values())[self.random.choice(len(self.chances), p=self.chances)]
        return np.unique(rows[self.random.integers(0, len(rows), size)])

    def draw_even(self, pieces: int) -> np.ndarray:
        """Return the numbers of pairs of two languages and of similar length, with about so many pieces a side."""
        key = list(self.groups)[self.random.choice(len(self.chances), p=self.chances)]
        rows = self._sorted.get(key)
        if rows is None:
            rows = self.groups[key]
            longest = self.lengths.reshape(-1, 2)[rows].max(1) * self.random.uniform(0.9, 1.1, len(rows))
            rows = self._sorted[key] = rows[np.argsort(longest, kind="stable")]
        first = int(self.random.integers(0, len(rows)))
        width = int(self.lengths.reshape(-1, 2)[rows[first]].max()) + 1
        size = min(len(rows), MOST, max(8, pieces // width))
        first = min(first, len(rows) - size)
        return rows[first : first + size]

    def side(self, rows: np.ndarray, which: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the pieces of one side of pairs, one after the other, and how many each text has."""
        texts = 2 * rows + which
        lengths = self.lengths[texts]
        ends = np.cumsum(lengths)
        places = np.repeat(self.starts[texts] - (ends - lengths), lengths) + np.arange(ends[-1])
        return self.pieces[places].astype(np.int64), lengths
