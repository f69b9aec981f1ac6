"""Tables of human judgements that people make themselves: CSV, TSV, XLSX, and Label Studio's JSON.

A table is understood by the names of its columns (`columns.NAMES`), or by those that the caller gives. `layout_of`
finds its form; `read_layout` turns the rows into judgements, or into scores of systems.
"""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...errors import DataError
from ..display import listed
from ..field_checks import MISSING, is_number, number
from ..grouping import grouped
from ..judgements import KINDS, Judgement, Judgements, Span, find_problem
from ..names import bare_name
from ..tables import Published, Table
from . import JUDGEMENTS, columns
from .format import CERTAIN, LIKELY, Contents, Format, Guess, Head, Request, first_lines

SAMPLE = 20  # lines by which a table is recognised
ROLES = (*columns.JUDGED, *columns.TEXTS, "file")
_LEFT_OUT = ("source", "output", "reference", "file", "pair")  # roles that judgements do not need
_TELLING = frozenset(columns.JUDGED) - {"pair", "choice", "category"}
# Columns of numbers that nobody gave as a score.
_NO_SCORES = frozenset(
    "index|number|row|time|seconds|duration|timestamp|date|start|end|item|revision|words|characters|length|batch|"
    "lead time|annotation id|task id|created at|updated at|inner id".split("|")
)
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


def layout_of(table: Table, request: Request) -> Layout | str:
    """Return the form of a table of judgements, or what is missing in it, as a clause for messages."""
    header = [name for name in table.header if name]
    roles = _roles(header)
    kinds = {name: columns.KINDS[plain] for name in header if (plain := columns.plain(name)) in columns.KINDS}
    given = {role: name for role, name in request.columns.items() if role in ROLES}
    for name in given.values():
        table.column(name)  # raises an error for a column that is not there
    roles = {role: name for role, name in roles.items() if name not in given.values()} | given
    taken = {*roles.values(), *kinds}
    free = [name for name in header if name not in taken and columns.plain(name) not in _NO_SCORES]
    numeric = {name: name for name in free if _is_numeric(table.column(name))}
    if "score" in roles and (roles["score"] not in kinds or "score" in given):
        kinds = {roles["score"]: columns.KINDS.get(columns.plain(roles["score"]), "")}
    has = roles.__contains__
    systems = {name: fit for name in (*free, *kinds) if (fit := _system(name, request.outputs))}
    if not (roles.keys() & _TELLING or kinds or systems) or "metric" in map(columns.plain, header):
        return "a column with the system, segment, rater or score"
    for form, needed, of_each in (
        ("errors", ("severity", "system"), " of each error"), ("choices", ("left", "right"), ""),
        ("preferences", ("better", "worse"), " of each preference"), ("rankings", ("rank", "system"), " of each rank"),
    ):  # fmt: skip
        chosen = {"choice": roles.get("choice") or roles.get("better", "")} if form == "choices" else {}
        if all(map(has, needed)) and all(chosen.values()):
            return Layout(form, {**roles, **chosen}) if has("segment") else f"a column with the segment{of_each}"
    if not has("system") and systems and all(_is_numeric(table.column(name)) for name in systems):
        return Layout("systems", roles, systems)
    if kinds and has("system"):
        return Layout("ratings", roles, kinds)
    if has("system") and numeric and (has("segment") or (has("rater") and len(numeric) == 1)):
        return Layout("raters", roles, numeric) if len(numeric) > 1 else Layout("ratings", roles, {min(numeric): ""})
    if not has("system") and len(request.outputs) < 2 and (kinds or len(numeric) > 1) and not has("rank"):
        if kinds:
            return Layout("ratings", roles, kinds)
        return Layout("systems" if has("rater") and not request.outputs else "raters", roles, numeric)
    if not has("system") and len(numeric) > 1 and not kinds:
        return Layout("systems", roles, numeric)
    missing = [] if has("system") else ["a column with the system (or one of scores per system)"]
    missing += ["a column with the segment"] if len(numeric) > 1 and not (kinds or has("segment")) else []
    missing += [] if kinds or len(numeric) > 1 else ["a column with scores"]
    return " and ".join(missing)


def _roles(header: Sequence[str]) -> dict[str, str]:
    return {role: found for role in ROLES if (found := columns.find(header, role))}


def _is_numeric(cells: Sequence[str]) -> bool:
    given = [cell.strip() for cell in cells if cell.strip() not in MISSING]
    return bool(given) and all(is_number(cell.replace(",", ".")) for cell in given)


def _system(column: str, outputs: Sequence[str]) -> str:
    """Return the system that a column of scores is called after: its name, also with "score" and the like; or ""."""
    plain = f" {columns.plain(column)} "
    for word in (*columns.NAMES["score"], *columns.KINDS):
        plain = plain.replace(f" {word} ", " ")
    known = ((name, (columns.plain(name), columns.plain(Path(name).stem))) for name in outputs)
    return next((name for name, spellings in known if plain.strip() in spellings), "")


def open_table(path: Path, request: Request) -> Table:
    """Return all rows of a table: CSV with any separator, TSV, a sheet of a workbook, or Label Studio's JSON."""
    head = Head(path)
    if head.ends(".json"):
        from .label_studio import read_rows

        found = read_rows(head.json)
        columns_found = list(dict.fromkeys(name for row in found for name in row))
        cells = [[row.get(name, "") for name in columns_found] for row in found]
        return Table(path, columns_found, cells, range(1, len(found) + 1))
    from ..bilingual import table, xlsx

    read = xlsx.read_records(path, request.columns.get("sheet")) if head.ends(".xlsx") else table.read_records(path)
    (_, header), *rows = read
    names = [name.strip() for name in header]
    return Table(path, names, [[cell.strip() for cell in row] for _, row in rows], [line for line, _ in rows])


def _sample(head: Head) -> Table | None:
    """Return the beginning of a table, or None if the file is none."""
    if not head.ends(".csv", ".tsv", ".xlsx"):
        return None
    try:
        if head.ends(".xlsx"):
            return open_table(head.path, head.request)
        lines = first_lines(head.path, SAMPLE)
        marks = "\t" if head.ends(".tsv") else ",;\t|"
        mark = max(marks, key=lambda each: (lines[0].count(each), each == ",")) if lines else ","
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
    except (DataError, csv.Error):
        return None
    whole = [row for row in rows[1:] if len(row) == len(rows[0])]
    return Table(head.path, rows[0], whole) if whole and len(rows[0]) > 1 else None


def _is_table(head: Head) -> Guess | None:
    table = _sample(head)
    try:
        layout = layout_of(table, head.request) if table is not None else ""
    except DataError:
        return Guess(LIKELY, "columns are given") if head.request.columns else None
    if isinstance(layout, str):
        return None
    named = ", ".join(f"{role} ({name})" for role, name in layout.roles.items() if role not in _LEFT_OUT)
    sure = layout.form not in ("raters", "systems") and ("rater" in layout.roles or layout.form != "ratings")
    why = f"it has columns of {named}" if named else "it has columns of numbers"
    return Guess(0.95 if sure else 0.85 if layout.form == "ratings" and "system" in layout.roles else 0.45, why)


def _read_table(path: Path, request: Request) -> Contents:
    table = open_table(path, request)
    layout = layout_of(table, request)
    if isinstance(layout, str):
        raise DataError(_missing_in(table, request, layout))
    for name in (*layout.roles.values(), *layout.values):
        table.column(name)  # raises an error for a name that two columns have
    return read_layout(table, layout, request)


def _missing_in(table: Table, request: Request, missing: str) -> str:
    header = [name for name in table.header if name]
    roles = _roles(header) | dict(request.columns)
    understood = ", ".join(f"{role} = {name}" for role, name in roles.items()) or "none of them is known"
    return (
        f"{table.path} holds no judgements in a known form. It is a table with the columns "
        f"{listed(header, 12)} ({understood}). Judgements also need {missing}. Say which it is: "
        "`columns` system=COLUMN segment=COLUMN rater=COLUMN score=COLUMN."
    )


def why_not(path: Path, request: Request) -> str:
    """Return what is missing in a table that holds no judgements; "" for a file that is no table."""
    table = _sample(Head(path, request))
    if table is None:
        return ""
    try:
        layout = layout_of(table, request)
    except DataError:
        return ""
    is_asked = request.columns or any(columns.find(table.header, role) for role in _TELLING - {"segment"})
    return _missing_in(table, request, layout) if is_asked and isinstance(layout, str) else ""


# --- from rows to judgements --------------------------------------------------


class _Row(NamedTuple):
    """One row: its place for messages, its fields by role, and all by column."""

    place: str
    roles: Mapping[str, str]
    cells: Mapping[str, str]

    def name(self, role: str, otherwise: str = "") -> str:
        """Return a name; a number that a spreadsheet wrote as 12.0 is 12."""
        return re.sub(r"^([0-9]+)\.0+$", r"\1", self.roles.get(role, otherwise).strip())


def read_layout(table: Table, layout: Layout, request: Request) -> Contents:
    """Return the judgements of a table; scores of systems if it has no segments and one value per system and rater."""
    rows = []  # of one language pair, or all if the pair is not given or the table has no column for it
    for line, fields in zip(table.lines, table.rows, strict=True):
        cells = dict(zip(table.header, fields, strict=True))
        roles = {role: cells[column] for role, column in layout.roles.items()}
        if request.pair is None or roles.get("pair", request.pair) in ("", request.pair):
            rows.append(_Row(f"{table.path}, line {line}", roles, cells))
    remarks: list[str] = []
    if layout.form == "errors":
        found = list(_errors(rows))
        if all(row.spans for row in found):
            remarks.append("outputs without a row are not judged (an output without errors has one with 'no-error')")
    elif layout.form in ("choices", "preferences"):
        found = list(_choices(rows, layout.form))
    else:
        rated = list(_rated(rows, layout, request.outputs[0] if len(request.outputs) == 1 else OUTPUT))
        by_system = _number_segments(rated, layout, remarks)
        kinds = _kinds(rated, request.kind, remarks)
        found = [row._replace(kind=kinds[row.kind]) for row in rated]
        if layout.form == "rankings" or request.kind == "rank":
            found = [row._replace(kind="rank", task=f"{row.rater}:{row.segment}") for row in found]
        if by_system:
            about = _about(table, layout, found, remarks, "system")
            return Contents(published=_of_systems(table, found), about=about)
    for row in found:
        if problem := find_problem(row):
            raise DataError(f"{table.path}: system {row.system!r}, segment {row.segment!r}: {problem}")
    if not found:
        raise DataError(f"{table.path}: no row has a judgement.")
    judgements = Judgements(found, request.pair, bare_name(table.path).rpartition(".")[0] or "unnamed")
    return Contents([judgements], about=_about(table, layout, found, remarks, "segment"))


def _rated(rows: Sequence[_Row], layout: Layout, only: str) -> Iterator[Judgement]:
    """Yield a judgement per number. `kind` is the column for now; `task` counts the rows."""
    for count, row in enumerate(rows):
        for column, means in (layout.values or {layout.roles["rank"]: "rank"}).items():
            text = row.cells[column]
            if text in MISSING:
                continue
            system, rater, key = row.name("system", only), row.name("rater"), row.roles.get("kind", "")
            if layout.form == "raters":
                rater = means
            elif layout.form == "systems":
                system = means
            elif layout.form == "ratings":
                key = f"{means}\n{key}"
            else:
                key = "rank"
            value = number(text.replace(",", ".").removesuffix("%"), f"{row.place}, column {column!r}")
            yield Judgement(key, row.name("segment"), system, value, rater, str(count))


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


def _kinds(rated: Sequence[Judgement], kind: str | None, remarks: list[str]) -> dict[str, str]:
    """Return the kind of judgement for each key of `_rated`: points up to 100 are "da", other scales "likert"."""
    found = {}
    for key, values in grouped((row.kind, row.value) for row in rated).items():
        named, _, stated = key.rpartition("\n")
        stated = stated.strip().casefold()
        if stated and stated not in KINDS and not kind:
            raise DataError(f"There is no kind of judgement called {stated!r}; known kinds: {', '.join(KINDS)}.")
        found[key] = kind or stated or named
        if not found[key]:
            found[key] = "da" if min(values) >= 0 and 10 < max(values) <= 100 else "likert"
            ends = " to ".join(dict.fromkeys((f"{min(values):g}", f"{max(values):g}")))
            what = "points of direct assessment (da)" if found[key] == "da" else f"a scale ({found[key]})"
            remarks.append(f"values of {ends} are taken as {what}, higher is better, unless a kind is given")
    return found


def _of_systems(table: Table, found: Sequence[Judgement]) -> list[Published]:
    """Return the mean over raters of the values of each system, by kind."""
    published = []
    for kind, rows in grouped((row.kind, row) for row in found).items():
        values = grouped((row.system, row.value) for row in rows)
        means = {kind: [math.fsum(each) / len(each) for each in values.values()]}
        better = {} if KINDS[kind].higher_is_better else {kind: False}
        lines = range(1, len(values) + 1)
        published.append(Published(table.path, lines, [*values], None, means, frozenset(means), better))
    return published


def _choices(rows: Sequence[_Row], form: str) -> Iterator[Judgement]:
    sides = ("better", "worse") if form == "preferences" else ("left", "right")
    for count, row in enumerate(rows, 1):
        ranks, rater = (1, 2) if form == "preferences" else _ranks(row), row.name("rater")
        for role, rank in zip(sides, ranks, strict=True) if ranks else ():
            yield Judgement("rank", row.name("segment"), row.name(role), rank, rater, f"{rater}:{count}")


def _ranks(row: _Row) -> tuple[int, int] | None:
    """Return the ranks of the outputs on the left and on the right, None if nothing was chosen."""
    left, right, choice = row.roles["left"], row.roles["right"], row.roles["choice"]
    word = choice.strip().casefold()
    if not choice:
        return None
    if choice == left or (choice != right and word in LEFT):
        return 1, 2
    if choice == right or word in RIGHT:
        return 2, 1
    if word in TIES:
        return 1, 1
    raise DataError(
        f"{row.place}: the choice {choice!r} is neither {left!r} nor {right!r}, nor A, B, left, right or tie."
    )


def _errors(rows: Sequence[_Row]) -> Iterator[Judgement]:
    """Yield a judgement per output and rater, with its errors."""
    groups = grouped(((row.name("segment"), row.name("system"), row.name("rater")), row.roles) for row in rows)
    for (segment, system, rater), errors in groups.items():
        severities = ((each["severity"].strip(), each.get("category", "").strip()) for each in errors)
        spans = tuple(Span(None, None, *each) for each in severities if each[0].casefold() not in NO_ERROR)
        yield Judgement("mqm", segment, system, math.nan, rater, spans=spans)


def _about(table: Table, layout: Layout, found: Sequence[Judgement], remarks: Sequence[str], by: str) -> str:
    raters = len({row.rater for row in found if row.rater})
    counts = [f"{raters} rater{'s' * (raters != 1)}" if raters else "raters without names"]
    systems = list(dict.fromkeys(row.system for row in found))
    counts.append(f"{len(systems)} system{'s' * (len(systems) != 1)} ({listed(systems, 3)})")
    if by == "segment":
        segments = len({row.segment for row in found})
        counts.append(f"{segments} segment{'s' * (segments != 1)}")
    kinds = ", ".join(dict.fromkeys(row.kind for row in found))
    rated = f" ({kinds})" if kinds and layout.form in ("ratings", "raters", "systems") else ""
    what = WHAT[layout.form].replace("ratings", f"ratings by {by}", 1) + rated
    columns_read = listed([name for name in table.header if name], 8)
    about = f"{table.path.name}: a table with the columns {columns_read}: {what} of {', '.join(counts)}"
    return "; ".join([about, *remarks]) + "."


def _is_label_studio(head: Head) -> Guess | None:
    tasks = head.json if head.first.lstrip().startswith("[") else None
    if isinstance(tasks, list) and tasks and isinstance(tasks[0], dict):
        if {"data", "annotations"} <= tasks[0].keys():
            return Guess(CERTAIN, "its tasks have data and annotations")
        if "annotator" in tasks[0]:
            return Guess(LIKELY, "its objects have an annotator, as in JSON-MIN")
    return None


FORMATS = (
    Format(
        "judgement-table", (JUDGEMENTS,), "a table of judgements: system, segment, rater and score, rank, choice or "
        "error; also a column per rater or per system", _is_table, _read_table, columns.values_of_pairs,
    ),
    Format(
        "label-studio", (JUDGEMENTS,), "annotations of Label Studio: JSON and JSON-MIN", _is_label_studio, _read_table,
    ),
)  # fmt: skip
OWN_TABLES = tuple(format.name for format in FORMATS)  # whose columns may be given
