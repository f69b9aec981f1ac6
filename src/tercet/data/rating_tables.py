"""Turn the rows of a table of human judgements, whose form is known, into judgements or scores of systems."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DataError
from .display import listed
from .field_checks import MISSING, number
from .files import bare_name
from .judgements import KINDS, Judgement, Judgements, Span, find_problem
from .tables import Published, Table

if TYPE_CHECKING:
    from .formats.format import Contents

NO_ERROR = frozenset({"", "no error", "no-error", "none", "no errors", "ok", "correct"})
TIES = frozenset({"tie", "ties", "tied", "equal", "equally good", "same", "both", "neither", "0", "draw", "=",
                  "no preference", "none"})  # fmt: skip
LEFT = frozenset({"a", "1", "left", "first", "system a", "system 1"})
RIGHT = frozenset({"b", "2", "right", "second", "system b", "system 2"})
WHAT = {"ratings": "ratings", "raters": "ratings, a column per rater", "systems": "ratings, a column per system",
        "errors": "marked errors", "choices": "choices between two outputs",
        "preferences": "choices between two outputs", "rankings": "rankings"}  # fmt: skip
OUTPUT = "mt"  # the system of a table that names none


@dataclass(frozen=True)
class Layout:
    """The form of a table of judgements.

    form: a key of `WHAT`. roles: role -> column. values: the columns of scores -> the kind of judgement ("" if the
    column does not say it), the rater or the system, by form.
    """

    form: str
    roles: Mapping[str, str]
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Row:
    """One row: its place for messages, its fields by role, and all by column."""

    place: str
    by_role: dict[str, str]
    cells: dict[str, str]


def read_layout(
    table: Table, layout: Layout, *, kind: str | None, pair: str | None, outputs: Sequence[str] = ()
) -> Contents:
    """Return the judgements of a table; scores of systems if it has no segments and one value per system and rater."""
    from .formats.format import Contents

    rows = _rows(table, layout, pair)
    remarks: list[str] = []
    only = outputs[0] if len(outputs) == 1 else OUTPUT
    if layout.form == "errors":
        found = list(_errors(rows))
        if all(row.spans for row in found):
            remarks.append("outputs without a row are not judged (an output without errors has one with 'no-error')")
    elif layout.form in ("choices", "preferences"):
        found = list(_choices(rows, layout.form))
    else:
        rated = list(_rated(rows, layout, only))
        by_system = _number_segments(rated, layout, remarks)
        kinds = _kinds(rated, layout, kind, remarks)
        found = [row._replace(kind=kinds[row.kind]) for row in rated]
        if layout.form == "rankings" or kind == "rank":
            found = [row._replace(kind="rank", task=f"{row.rater}:{row.segment}") for row in found]
        if by_system:
            about = _about(table, layout, found, [*remarks], "system")
            return Contents(published=_of_systems(table, found), about=about)
    for row, place in zip(found, _places(found, table), strict=True):
        if problem := find_problem(row):
            raise DataError(f"{place}: {problem}")
    if not found:
        raise DataError(f"{table.path}: no row has a judgement.")
    judgements = Judgements(found, pair, bare_name(table.path).rpartition(".")[0] or "unnamed")
    return Contents([judgements], about=_about(table, layout, found, remarks, "segment"))


def _places(found: Sequence[Judgement], table: Table) -> list[str]:
    return [f"{table.path}: system {row.system!r}, segment {row.segment!r}" for row in found]


def _rows(table: Table, layout: Layout, pair: str | None) -> list[_Row]:
    """Return the rows of one language pair, or all if the pair is not given or the table has no column for it."""
    found = []
    for line, fields in zip(table.lines, table.rows, strict=True):
        cells = dict(zip(table.header, fields, strict=True))
        by_role = {role: cells[column] for role, column in layout.roles.items()}
        if pair is None or by_role.get("pair", pair) in ("", pair):
            found.append(_Row(f"{table.path}, line {line}", by_role, cells))
    return found


def _name(text: str) -> str:
    """Return a name; a number that a spreadsheet wrote as 12.0 is 12."""
    return re.sub(r"^([0-9]+)\.0+$", r"\1", text.strip())


def _rated(rows: Sequence[_Row], layout: Layout, only: str) -> Iterator[Judgement]:
    """Yield a judgement per number. `kind` is the column for now; `task` counts the rows."""
    for count, row in enumerate(rows):
        roles = row.by_role
        columns = layout.values or {layout.roles["rank"]: "rank"}
        for column, means in columns.items():
            text = row.cells[column]
            if text in MISSING:
                continue
            system, rater = _name(roles.get("system", only)), _name(roles.get("rater", ""))
            if layout.form == "raters":
                rater = means
            elif layout.form == "systems":
                system = means
            key = f"{means}\n{roles.get('kind', '')}" if layout.form == "ratings" else roles.get("kind", "")
            if layout.form == "rankings":
                key = "rank"
            value = number(text.replace(",", ".").removesuffix("%"), f"{row.place}, column {column!r}")
            yield Judgement(key, _name(roles.get("segment", "")), system, value, rater, str(count))


def _number_segments(rated: list[Judgement], layout: Layout, remarks: list[str]) -> bool:
    """Number the segments of a table that does not name them. Return True if it has one value per system and rater."""
    if "segment" in layout.roles:
        rated[:] = [row._replace(task="") for row in rated]
        return False
    seen: Counter[tuple[str, ...]] = Counter()
    for place, row in enumerate(rated):
        key = row.system, row.rater, row.kind
        seen[key] += 1
        rated[place] = row._replace(segment=str(seen[key]), task="")
    if max(seen.values(), default=0) <= 1:
        return True
    if len(set(seen.values())) > 1:
        raise DataError(
            "The table names no segments, and its systems or raters have different numbers of rows, so that rows "
            "cannot be taken as segments in order. Add a column with the segment, or name it: `columns` segment=COLUMN."
        )
    remarks.append("the rows of a system are its segments in order, because no column names them")
    return False


def _kinds(rated: Sequence[Judgement], layout: Layout, kind: str | None, remarks: list[str]) -> dict[str, str]:
    """Return the kind of judgement for each key of `_rated`."""
    found = {}
    for key in dict.fromkeys(row.kind for row in rated):
        named, _, stated = key.rpartition("\n")
        stated = stated.strip().casefold()
        if stated and stated not in KINDS and not kind:
            raise DataError(f"There is no kind of judgement called {stated!r}; known kinds: {', '.join(KINDS)}.")
        values = [row.value for row in rated if row.kind == key]
        found[key] = kind or stated or named or _guess(values)
        if not (kind or stated or named):
            ends = " to ".join(dict.fromkeys((f"{min(values):g}", f"{max(values):g}")))
            what = "points of direct assessment (da)" if found[key] == "da" else f"a scale ({found[key]})"
            remarks.append(f"values of {ends} are taken as {what}, higher is better; --kind names another")
    return found


def _guess(values: Sequence[float]) -> str:
    """Return "da" for points up to 100, else "likert", which has no bounds."""
    return "da" if min(values) >= 0 and 10 < max(values) <= 100 else "likert"


def _of_systems(table: Table, found: Sequence[Judgement]) -> list[Published]:
    """Return the mean over raters of the values of each system, by kind."""
    published = []
    for kind in dict.fromkeys(row.kind for row in found):
        values: dict[str, list[float]] = {}
        for row in found:
            if row.kind == kind:
                values.setdefault(row.system, []).append(row.value)
        means = [math.fsum(each) / len(each) for each in values.values()]
        better = {} if KINDS[kind].higher_is_better else {kind: False}
        published.append(
            Published(table.path, range(1, len(means) + 1), [*values], None, {kind: means}, frozenset({kind}), better)
        )
    return published


def _choices(rows: Sequence[_Row], form: str) -> Iterator[Judgement]:
    for count, row in enumerate(rows, 1):
        roles = row.by_role
        if form == "preferences":
            left, right, ranks = roles["better"], roles["worse"], (1, 2)
        else:
            left, right, choice = roles["left"], roles["right"], roles["choice"]
            if not choice:
                continue
            ranks = _ranks(choice, left, right, row.place)
        segment, rater = _name(roles["segment"]), _name(roles.get("rater", ""))
        for system, rank in zip((left, right), ranks, strict=True):
            yield Judgement("rank", segment, _name(system), rank, rater, f"{rater}:{count}")


def _ranks(choice: str, left: str, right: str, place: str) -> tuple[int, int]:
    word = choice.strip().casefold()
    if choice == left or (choice != right and word in LEFT):
        return 1, 2
    if choice == right or word in RIGHT:
        return 2, 1
    if word in TIES:
        return 1, 1
    raise DataError(f"{place}: the choice {choice!r} is neither {left!r} nor {right!r}, nor A, B, left, right or tie.")


def _errors(rows: Sequence[_Row]) -> Iterator[Judgement]:
    """Yield a judgement per output and rater, with its errors."""
    spans: dict[tuple[str, str, str], list[Span]] = {}
    for row in rows:
        roles = row.by_role
        key = _name(roles["segment"]), _name(roles["system"]), _name(roles.get("rater", ""))
        errors = spans.setdefault(key, [])
        severity = roles["severity"].strip()
        if severity.casefold() not in NO_ERROR:
            errors.append(Span(None, None, severity, roles.get("category", "").strip()))
    for (segment, system, rater), errors in spans.items():
        yield Judgement("mqm", segment, system, math.nan, rater, spans=tuple(errors))


def _about(table: Table, layout: Layout, found: Sequence[Judgement], remarks: Sequence[str], by: str) -> str:
    """Return what was understood, as a sentence."""
    raters = len({row.rater for row in found if row.rater})
    counts = [f"{raters} rater{'s' * (raters != 1)}" if raters else "raters without names"]
    systems = list(dict.fromkeys(row.system for row in found))
    counts.append(f"{len(systems)} system{'s' * (len(systems) != 1)} ({listed(systems, 3)})")
    if by == "segment":
        segments = len({row.segment for row in found})
        counts.append(f"{segments} segment{'s' * (segments != 1)}")
    what = WHAT[layout.form].replace("ratings", f"ratings by {by}", 1)
    kinds = (
        ", ".join(dict.fromkeys(row.kind for row in found)) if layout.form in ("ratings", "raters", "systems") else ""
    )
    return (
        f"{Path(table.path).name}: a table with the columns {listed([name for name in table.header if name], 8)}: "
        f"{what}{f' ({kinds})' if kinds else ''} of {', '.join(counts)}"
        + "".join(f"; {remark}" for remark in remarks)
        + "."
    )
