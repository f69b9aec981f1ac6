"""Pairwise preferences: which of two outputs of a segment people judged better.

Rankings give all pairs of their outputs (ten pairs for five outputs), as at WMT until 2016. Scores give daRR pairs,
whose mean raw scores differ by more than 25 points (Bojar et al. 2017, Ma et al. 2019).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.judgements import KINDS, Codes, Judgement, Judgements
from ..errors import DataError, UsageError
from ..types import Floats
from .gold import locate, means, one_kind


class Pair(NamedTuple):
    """One preference, with names. outcome: 1 if left is better, 0 for a tie, -1 if right is better."""

    segment: str
    left: str
    right: str
    outcome: int
    rater: str = ""


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Preferences as arrays with one entry per pair.

    segment, left, right, rater: indices into the tuples of names; rater is -1 if the rater is not known.
    task: the number of the ranking that a pair comes from; a pair from scores is a task by itself.
    """

    segments: tuple[str, ...]
    systems: tuple[str, ...]
    raters: tuple[str, ...]
    segment: Codes
    left: Codes
    right: Codes
    outcome: NDArray[np.int8]
    rater: Codes
    task: Codes
    name: str = "unnamed"
    pair: str | None = None

    def __post_init__(self) -> None:
        names = {"segment": self.segments, "left": self.systems, "right": self.systems, "rater": self.raters}
        for column, known in names.items():
            codes = getattr(self, column)
            low = -1 if column == "rater" else 0
            if codes.shape != self.outcome.shape or (codes.size and not low <= codes.min() <= codes.max() < len(known)):
                raise DataError(f"Pairs {self.name!r}: column {column} does not fit the names or the other columns.")
        if self.task.shape != self.outcome.shape or np.any(np.abs(self.outcome) > 1):
            raise DataError(f"Pairs {self.name!r}: every pair needs a task, and an outcome of 1, 0 or -1.")
        if np.any(self.left == self.right):
            raise DataError(f"Pairs {self.name!r}: a system is compared with itself.")

    @property
    def n(self) -> int:
        return len(self.outcome)

    @property
    def ties(self) -> int:
        return int(np.count_nonzero(self.outcome == 0))

    def without_ties(self) -> RankedPairs:
        """Return the pairs in which one output was better."""
        return self.take(np.flatnonzero(self.outcome))

    def take(self, places: Codes) -> RankedPairs:
        columns = ("segment", "left", "right", "outcome", "rater", "task")
        return replace(self, **{column: getattr(self, column)[places] for column in columns})

    def rows(self) -> Iterator[Pair]:
        raters = (*self.raters, "")  # index -1 gives an empty name
        columns = (self.segment, self.left, self.right, self.outcome, self.rater)
        for segment, left, right, outcome, rater in zip(*(column.tolist() for column in columns), strict=True):
            yield Pair(self.segments[segment], self.systems[left], self.systems[right], outcome, raters[rater])


def pairs_of_rankings(judgements: Judgements) -> RankedPairs:
    """Return all pairs of outputs in every ranking task, ties included. The smaller rank is better."""
    tasks: dict[tuple[str, str], list[int]] = {}
    for number, row in enumerate(judgements.rows):
        if row.kind != "rank":
            raise DataError(f"{locate(row, judgements)}: a ranking is needed, not a judgement of kind {row.kind}.")
        tasks.setdefault((row.task, row.rater), []).append(number)
    for numbers in tasks.values():
        _check_task([judgements.rows[number] for number in numbers], judgements)
    found = [(*pair, task) for task, numbers in enumerate(tasks.values()) for pair in combinations(numbers, 2)]
    first, second, task = np.array(found, dtype=np.intp).reshape(-1, 3).T
    segments, segment = judgements.codes("segment")
    systems, system = judgements.codes("system")
    raters, rater = judgements.raters, {name: number for number, name in enumerate(judgements.raters)}
    return RankedPairs(
        segments,
        systems,
        raters,
        segment=segment[first],
        left=system[first],
        right=system[second],
        outcome=np.sign(judgements.values[second] - judgements.values[first]).astype(np.int8),
        rater=np.array([rater.get(row.rater, -1) for row in judgements.rows], dtype=np.intp)[first],
        task=task,
        name=judgements.name,
        pair=judgements.pair,
    )


def _check_task(rows: Sequence[Judgement], judgements: Judgements) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.segment != rows[0].segment:
            raise DataError(f"{locate(row, judgements)}: task {row.task!r} also ranks segment {rows[0].segment!r}.")
        if row.system in seen:
            raise DataError(f"{locate(row, judgements)}: task {row.task!r} ranks this system twice.")
        seen.add(row.system)


def pairs_of_scores(
    scores: Judgements | Floats,
    systems: Sequence[str] = (),
    segments: Sequence[str] = (),
    *,
    margin: float = 25.0,
    inclusive: bool = False,
) -> RankedPairs:
    """Return daRR pairs: for every segment, all pairs of systems whose mean scores differ by more than `margin`.

    scores: judgements of one kind (WMT uses raw direct assessment), which are averaged first; or an array of means,
    higher is better, shape (systems, segments), NaN where there are none, together with the names of both.
    inclusive: include pairs that differ by exactly `margin`. Equal scores never form a pair.
    """
    if not margin >= 0:
        raise UsageError(f"The margin between two scores cannot be negative, but is {margin}.")
    if isinstance(scores, Judgements):
        kind = one_kind(scores)
        found = means(scores, segments or None)
        values = found.values.T if KINDS[kind].higher_is_better else -found.values.T
        pairs = pairs_of_scores(values, found.systems, found.segments, margin=margin, inclusive=inclusive)
        return replace(pairs, name=scores.name, pair=scores.pair)
    if scores.shape != (len(systems), len(segments)):
        raise DataError(f"Scores of shape {scores.shape} for {len(systems)} systems and {len(segments)} segments.")
    one, other = np.triu_indices(len(systems), 1)
    difference = (scores[one] - scores[other]).T  # comparisons with NaN are false
    apart = np.abs(difference)
    segment, pair = np.nonzero((apart > 0) & (apart >= margin if inclusive else apart > margin))
    outcome, task = np.sign(difference[segment, pair]).astype(np.int8), np.arange(len(segment), dtype=np.intp)
    nobody = np.full(len(segment), -1, dtype=np.intp)
    return RankedPairs(
        tuple(segments), tuple(systems), (), segment, one[pair], other[pair], outcome, rater=nobody, task=task
    )
