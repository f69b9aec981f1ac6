"""`Panel`: judgements as arrays (who judged what, with which reference, in which order), the input of `agreement`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.grouping import grouped
from ..data.judgements import Codes, Judgement, Judgements
from ..data.rankings import SAME
from ..errors import DataError
from ..stats.raters import Bools
from ..types import Floats
from .gold import check_raters
from .pairs import RankedPairs, pairs_of_rankings

ALL, SAME_REFERENCE, DIFFERENT, SOURCE, WITHIN = (
    "all", "same reference", "different references", "source", "within raters",
)  # fmt: skip


class PanelRow(NamedTuple):
    """A rater and what the rater was shown. A rater who was shown two references has two rows."""

    rater: str
    shown: str


@dataclass(frozen=True, eq=False)
class Panel:
    """The arrays row, item, value and stage have one entry per judgement; for rankings, one per comparison.

    row, item: indices into rows and items. An item is an output (segment, system), or a pair of outputs of a segment.
    value: the judgement; for comparisons 1, 0 or -1. stage: the share of the rater's work done before, in [0, 1).
    sources: values of `shown` that are not references.
    """

    rows: tuple[PanelRow, ...]
    items: tuple[tuple[str, ...], ...]
    row: Codes
    item: Codes
    value: Floats
    stage: Floats
    sources: Collection[str] = ("",)

    @cached_property
    def raters(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.rater for row in self.rows))

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """What raters were shown: references sorted by name, then everything else."""
        names = {row.shown for row in self.rows}
        return tuple(sorted(names, key=lambda name: (name in self.sources, name)))

    @cached_property
    def person(self) -> Codes:
        """The rater of each row, as an index into `raters`."""
        return np.array([self.raters.index(row.rater) for row in self.rows], dtype=np.intp)

    @cached_property
    def view(self) -> Codes:
        """What the rater of each row was shown, as an index into `shown`."""
        return np.array([self.shown.index(row.shown) for row in self.rows], dtype=np.intp)

    @cached_property
    def is_source(self) -> Bools:
        """Whether the rater of each row was shown something that is not a reference."""
        return np.array([row.shown in self.sources for row in self.rows], dtype=bool)

    def table(self) -> Floats:
        """Return the judgements as an array of shape (rows, items), NaN for missing ones."""
        table = np.full((len(self.rows), len(self.items)), np.nan)
        table[self.row, self.item] = self.value
        return table

    def take(self, wanted: NDArray[np.generic]) -> Panel:
        """Return the panel with the selected entries only (a mask or indices). rows and items stay the same."""
        return replace(self, **{name: getattr(self, name)[wanted] for name in ("row", "item", "value", "stage")})

    def complete(self) -> Panel:
        """Return the panel without raters who did not judge all items. items stays the same."""
        counts = np.bincount(self.row, minlength=len(self.rows))
        kept = np.flatnonzero(counts == len(self.items))
        if not len(kept):
            raise DataError(f"No rater judged all {len(self.items)} outputs. Run without `complete`.")
        part = self.take(np.isin(self.row, kept))
        return replace(part, rows=tuple(self.rows[number] for number in kept), row=np.searchsorted(kept, part.row))

    @cached_property
    def relations(self) -> Mapping[str, Bools]:
        """By group, a symmetric mask of its pairs of rows, shape (rows, rows). Two rows of one rater are no pair."""
        others = self.person[:, np.newaxis] != self.person
        if len(self.shown) < 2:
            return {ALL: others}
        equal, referred = self.view[:, np.newaxis] == self.view, ~np.logical_or.outer(self.is_source, self.is_source)
        found = {
            SAME_REFERENCE: equal & referred & others,
            DIFFERENT: ~equal & referred & others,
            SOURCE: np.logical_and.outer(self.is_source, self.is_source) & others,
        }
        return {ALL: others} | {name: pairs for name, pairs in found.items() if pairs.any()}

    @cached_property
    def strata(self) -> tuple[tuple[str, ...], ...]:
        """The stratum of each rater for resampling: everything that the rater was shown."""
        return tuple(tuple(sorted(shown)) for shown in grouped(self.rows).values())

    def raters_of(self, rows: Codes | Sequence[int]) -> set[int]:
        """Return the raters of these rows, as indices into `raters`."""
        return set(self.person[rows].tolist())


def panel_of_scores(judgements: Judgements, sources: Collection[str]) -> Panel:
    """Build the panel of judgements on a scale. Of several judgements of an output by one row, the last counts."""
    check_raters(judgements, "Agreement")
    rows: dict[PanelRow, int] = {}
    items: dict[tuple[str, ...], int] = {}
    last: dict[tuple[int, int], float] = {}
    for judgement in judgements.rows:
        row = rows.setdefault(PanelRow(judgement.rater, judgement.reference), len(rows))
        item = items.setdefault((judgement.segment, judgement.system), len(items))
        last[row, item] = judgement.value
    cells = np.array(list(last), dtype=np.intp).reshape(-1, 2)
    names = [list(rows)[number].rater for number in cells[:, 0].tolist()]
    values = np.array(list(last.values()), dtype=np.float64)
    return Panel(tuple(rows), tuple(items), cells[:, 0], cells[:, 1], values, _stages(names), sources)


def panel_of_rankings(judgements: Judgements, sources: Collection[str], *, identical: str = "once") -> Panel:
    """Build the panel of all pairs in rankings. identical: outputs with one text count "once", or "each", tied."""
    check_raters(judgements, "Agreement")
    if identical == "once":
        judgements = judgements.where(lambda row: not row.check.startswith(SAME))
    pairs = pairs_of_rankings(judgements)
    tasks: dict[tuple[str, str], PanelRow] = {}
    for judgement in judgements.rows:  # in the order in which `pairs` numbers its tasks
        tasks.setdefault((judgement.task, judgement.rater), PanelRow(judgement.rater, judgement.reference))
    rows = tuple(dict.fromkeys(tasks.values()))
    places = {row: number for number, row in enumerate(rows)}
    of_task = np.array([places[row] for row in tasks.values()], dtype=np.intp)
    stages = _stages([row.rater for row in tasks.values()])
    items, item, value = _comparisons(pairs)
    return Panel(rows, items, of_task[pairs.task], item, value, stages[pairs.task], sources)


def _comparisons(pairs: RankedPairs) -> tuple[tuple[tuple[str, ...], ...], Codes, Floats]:
    """Return items, the item of each pair, and outcomes. The order of the two outputs does not matter."""
    names = np.array(pairs.systems, dtype=object)
    flip = (names[pairs.left] > names[pairs.right]).astype(bool)
    first, second = np.where(flip, pairs.right, pairs.left), np.where(flip, pairs.left, pairs.right)
    size = len(pairs.systems)
    distinct, item = np.unique((pairs.segment * size + first) * size + second, return_inverse=True)
    items = tuple(
        (pairs.segments[key // size**2], pairs.systems[key // size % size], pairs.systems[key % size])
        for key in distinct.tolist()
    )
    return items, item, np.where(flip, -pairs.outcome, pairs.outcome).astype(np.float64)


def last_answers(judgements: Judgements) -> Judgements:
    """Keep the last revision of every answer that a rater changed (tasks 17, 17#2, 17#3)."""
    last = {(row.rater, _question(row)): row.task for row in judgements.rows}
    return judgements.where(lambda row: last[row.rater, _question(row)] == row.task)


def _question(row: Judgement) -> str:
    question, mark, number = row.task.rpartition("#")
    return question if mark and number.isdecimal() else row.task


def _stages(raters: Sequence[str]) -> Floats:
    """Return, for judgements in the order in which they were made, the share of the rater's work done before each."""
    stages = np.zeros(len(raters))
    for own in grouped((rater, place) for place, rater in enumerate(raters)).values():
        stages[own] = np.arange(len(own)) / len(own)
    return stages


def slice_of(panel: Panel, slices: int) -> NDArray[np.int64]:
    """Return the part of the rater's work that each entry belongs to, counted from 0."""
    # 1e-9 corrects rounding: the entry at 20 of 100 must be in the second of five parts.
    return np.floor(panel.stage * slices + 1e-9).astype(np.int64)


def paired_values(panel: Panel, measure: Callable[[Floats, Floats], float]) -> Floats:
    """Compute a measure for each pair of rows on the items that both judged, shape (rows, rows); NaN elsewhere."""
    table = panel.table()
    there = ~np.isnan(table)
    found = np.full((len(table), len(table)), np.nan)
    shared = there.astype(np.float32) @ there.T.astype(np.float32)  # with many raters, most pairs share no items
    for i, j in np.argwhere(np.tril(panel.relations[ALL] & (shared > 1))).tolist():
        both = there[i] & there[j]
        found[i, j] = found[j, i] = measure(table[i, both], table[j, both])
    return found
