"""`Judgements`: human judgements of outputs, one row each; nothing is averaged or overwritten."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UnknownName
from ..types import Floats
from .display import to_frame
from .names import same_name

if TYPE_CHECKING:
    from pandas import DataFrame

Codes = NDArray[np.intp]


class Kind(NamedTuple):
    """A kind of judgement. `low` and `high` bound the values; NaN means no bound."""

    meaning: str
    higher_is_better: bool
    low: float = math.nan
    high: float = math.nan


KINDS: Mapping[str, Kind] = {
    "da": Kind("direct assessment, raw, 0 to 100", True, 0, 100),
    "z": Kind("direct assessment, standardised by rater", True),
    "rank": Kind("place in a ranking of a few outputs, ties allowed; a preference is a ranking of two", False, 1),
    "adequacy": Kind("how much of the meaning is kept, on a Likert scale", True),
    "fluency": Kind("how well it reads, on a Likert scale", True),
    "likert": Kind("any other Likert scale, higher is better", True),
    "mqm": Kind("marked error spans; the value is their weighted sum, negated, once weights are chosen", True),
    "esa": Kind("error spans, then a score, 0 to 100", True, 0, 100),
    "hter": Kind("edits made in post-editing per word", False, 0),
    "seconds": Kind("time of post-editing or judging", False, 0),
    "keystrokes": Kind("keys pressed in post-editing", False, 0),
}


class Span(NamedTuple):
    """One marked error, from `start` up to but not including `end`, in code points from 0; None for omissions."""

    start: int | None
    end: int | None
    severity: str
    category: str = ""
    in_source: bool = False


class Judgement(NamedTuple):
    """One judgement by one person of one output. Empty texts and NaN mean not known.

    segment: its number in the test set from 1, as text, or its name in the data.
    task: judgements with the same task were made together, as the five outputs of a ranking.
    spans: None if raters did not mark errors; empty if they found none.
    reference: the name of the reference that was shown. check: "bad", "repeat", … for items of quality control, and
    "same as A" if the output was judged together with an identical output of A.
    """

    kind: str
    segment: str
    system: str
    value: float
    rater: str = ""
    task: str = ""
    spans: tuple[Span, ...] | None = None
    seconds: float = math.nan
    reference: str = ""
    check: str = ""


@dataclass(frozen=True)
class Judgements:
    """The judgements of one language pair, checked on construction."""

    rows: Sequence[Judgement]
    pair: str | None = None
    name: str = "unnamed"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        for number, row in enumerate(self.rows, 1):
            if problem := find_problem(row):
                place = f"judgement {number} (segment {row.segment!r}, system {row.system!r})"
                raise DataError(f"Judgements {self.name!r}, {place}: {problem}")

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: "Judgements") -> "Judgements":
        if self.pair != other.pair:
            raise DataError(f"Judgements of {self.pair} and of {other.pair} cannot be joined.")
        return replace(self, rows=(*self.rows, *other.rows))

    def where(self, wanted: Callable[[Judgement], bool]) -> "Judgements":
        rows = tuple(row for row in self.rows if wanted(row))
        return self if len(rows) == len(self.rows) else replace(self, rows=rows)  # all were checked already

    def for_systems(self, systems: Collection[str]) -> "Judgements":
        """Return the judgements with systems called as these are: a.txt is also "a", if only one is called so."""
        called = {name: same_name(name, systems) or name for name in self.systems}
        changed = any(name != other for name, other in called.items())
        rows = [row._replace(system=called[row.system]) for row in self.rows]
        return replace(self, rows=rows) if changed else self

    def of(self, kind: str) -> "Judgements":
        if kind not in self.kinds:
            raise UnknownName(f"kind of judgement in {self.name!r}", kind, self.kinds)
        return self.where(lambda row: row.kind == kind)

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """Return the number of judgements of each kind."""
        return count(row.kind for row in self.rows)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @cached_property
    def segments(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.segment for row in self.rows))

    @cached_property
    def raters(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.rater for row in self.rows if row.rater))

    @cached_property
    def values(self) -> Floats:
        return np.array([row.value for row in self.rows], dtype=np.float64)

    def codes(self, column: str) -> tuple[tuple[str, ...], Codes]:
        """Return the distinct names of a column, in order of appearance, and for each row the index of its name."""
        if column not in ("kind", "segment", "system", "rater", "task", "reference", "check"):
            raise UnknownName("column of names", column, Judgement._fields)
        places: dict[str, int] = {}
        codes = np.array([places.setdefault(getattr(row, column), len(places)) for row in self.rows], dtype=np.intp)
        return tuple(places), codes

    def to_pandas(self) -> "DataFrame":
        return to_frame([row._asdict() for row in self.rows], list(Judgement._fields))


def count(names: Iterable[str]) -> dict[str, int]:
    """Return how often each name occurs, in order of appearance."""
    return dict(Counter(names))


def find_problem(row: Judgement) -> str | None:
    """Return the problem of an invalid judgement as a message, None for a valid one."""
    kind = KINDS.get(row.kind)
    if kind is None:
        return f"there is no kind of judgement called {row.kind!r}; known kinds: {', '.join(KINDS)}."
    if not row.system or not row.segment:
        return "a judgement needs the name of a system and of a segment."
    if math.isinf(row.value) or (math.isnan(row.value) and row.spans is None):
        return f"the value is {row.value}; leave out judgements that were not made."
    if row.value < kind.low or row.value > kind.high:
        bounds = f"at least {kind.low:g}" if math.isnan(kind.high) else f"{kind.low:g} to {kind.high:g}"
        return f"{row.value:g} is out of range for {row.kind} ({bounds})."
    if row.kind == "rank" and not row.task:
        return "a rank needs the task in which it was given."
    for span in row.spans or ():
        if (span.start is None) != (span.end is None):
            return f"a span needs both start and end, or neither: {span.start}, {span.end}."
        if span.start is not None and span.end is not None and not 0 <= span.start <= span.end:
            return f"a span cannot go from {span.start} to {span.end}."
    return None
