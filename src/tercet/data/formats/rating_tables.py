"""Tables of human judgements that people make themselves: CSV, TSV, XLSX, and Label Studio's JSON.

A table is understood by the names of its columns (`columns.NAMES`), or by those that the caller gives. `layout_of`
finds its form; `data.rating_tables` turns the rows into judgements.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from ..display import listed
from ..field_checks import MISSING, is_number
from ..rating_tables import Layout, read_layout
from ..tables import Table
from . import JUDGEMENTS, columns
from .format import CERTAIN, LIKELY, Contents, Format, Guess, Head, Request, first_lines

SAMPLE = 20  # lines by which a table is recognised
ROLES = (*columns.JUDGED, *columns.TEXTS, "file")
_LEFT_OUT = ("source", "output", "reference", "file", "pair")  # roles that judgements do not need
_TELLING = frozenset(columns.JUDGED) - {"pair", "choice", "category"}
# Columns of numbers that nobody gave as a score.
_NO_SCORES = frozenset(
    {
        "index",
        "number",
        "row",
        "time",
        "seconds",
        "duration",
        "timestamp",
        "date",
        "start",
        "end",
        "item",
        "revision",
        "words",
        "characters",
        "length",
        "batch",
        "lead time",
        "annotation id",
        "task id",
        "created at",
        "updated at",
        "inner id",
    }
)


def layout_of(table: Table, request: Request) -> Layout | str:
    """Return the form of a table of judgements, or what is missing in it, as a clause for messages."""
    header = [name for name in table.header if name]
    roles = {role: found for role in ROLES if (found := columns.find(header, role))}
    kinds = {name: columns.KINDS[plain] for name in header if (plain := columns.plain(name)) in columns.KINDS}
    given = {role: name for role, name in request.columns.items() if role in ROLES}
    for name in given.values():
        table.column(name)  # raises an error for a column that is not there
    roles = {role: name for role, name in roles.items() if name not in given.values()} | given
    taken = {*roles.values(), *kinds}
    free = [name for name in header if name not in taken and columns.plain(name) not in _NO_SCORES]
    numeric = [name for name in free if _is_numeric(table.column(name))]
    if "score" in roles and (roles["score"] not in kinds or "score" in given):
        kinds = {roles["score"]: columns.KINDS.get(columns.plain(roles["score"]), "")}
    has = roles.__contains__
    systems = {name: fit for name in (*free, *kinds) if (fit := _system(name, request.outputs))}
    if not (roles.keys() & _TELLING or kinds or systems) or "metric" in map(columns.plain, header):
        return "a column with the system, segment, rater or score"
    if has("severity") and has("system"):
        return Layout("errors", roles) if has("segment") else "a column with the segment of each error"
    if has("left") and has("right") and (chosen := roles.get("choice") or roles.get("better")):
        return Layout("choices", {**roles, "choice": chosen}) if has("segment") else "a column with the segment"
    if has("better") and has("worse"):
        return Layout("preferences", roles) if has("segment") else "a column with the segment of each preference"
    if has("rank") and has("system"):
        return Layout("rankings", roles) if has("segment") else "a column with the segment of each rank"
    if not has("system") and systems and all(_is_numeric(table.column(name)) for name in systems):
        return Layout("systems", roles, systems)
    if kinds and has("system"):
        return Layout("ratings", roles, kinds)
    if has("system") and numeric and (has("segment") or (has("rater") and len(numeric) == 1)):
        return Layout("ratings", roles, {numeric[0]: ""}) if len(numeric) == 1 else _wide("raters", roles, numeric)
    if not has("system") and len(request.outputs) < 2 and (kinds or len(numeric) > 1) and not has("rank"):
        if not kinds and len(numeric) > 1 and not request.outputs:
            return _wide("systems" if has("rater") else "raters", roles, numeric)
        return Layout("ratings", roles, kinds) if kinds else _wide("raters", roles, numeric)
    if not has("system") and len(numeric) > 1 and not kinds:
        return _wide("systems", roles, numeric)
    missing = [] if has("system") else ["a column with the system (or one of scores per system)"]
    missing += ["a column with the segment"] if len(numeric) > 1 and not (kinds or has("segment")) else []
    missing += [] if kinds or len(numeric) > 1 else ["a column with scores"]
    return " and ".join(missing)


def _wide(form: str, roles: Mapping[str, str], numeric: Sequence[str]) -> Layout:
    return Layout(form, roles, {name: name for name in numeric})


def _is_numeric(cells: Sequence[str]) -> bool:
    given = [cell.strip() for cell in cells if cell.strip() not in MISSING]
    return bool(given) and all(is_number(cell.replace(",", ".")) for cell in given)


def _system(column: str, outputs: Sequence[str]) -> str:
    """Return the system that a column of scores is called after: its name, also with "score" and the like; or ""."""
    plain = f" {columns.plain(column)} "
    for word in (*columns.NAMES["score"], *columns.KINDS):
        plain = plain.replace(f" {word} ", " ")
    return next(
        (name for name in outputs if plain.strip() in (columns.plain(name), columns.plain(Path(name).stem))), ""
    )


def open_table(path: Path, request: Request) -> Table:
    """Return all rows of a table: CSV with any separator, TSV, a sheet of a workbook, or Label Studio's JSON."""
    head = Head(path)
    if head.ends(".json"):
        return table_of(path, _label_studio_rows(head.json))
    from ..bilingual import table, xlsx

    read = xlsx.read_records(path, request.columns.get("sheet")) if head.ends(".xlsx") else table.read_records(path)
    (_, header), *rows = read
    names = [name.strip() for name in header]
    return Table(path, names, [[cell.strip() for cell in row] for _, row in rows], [line for line, _ in rows])


def table_of(path: Path, rows: Sequence[Mapping[str, str]]) -> Table:
    """Return rows that are given by column as a table."""
    header = list(dict.fromkeys(name for row in rows for name in row))
    return Table(path, header, [[row.get(name, "") for name in header] for row in rows], range(1, len(rows) + 1))


def _sample(head: Head) -> Table | None:
    """Return the beginning of a table, or None if the file is none."""
    if head.ends(".xlsx"):
        try:
            return open_table(head.path, head.request)
        except DataError:
            return None
    lines = first_lines(head.path, SAMPLE)
    mark = (
        "\t"
        if head.ends(".tsv")
        else max(",;\t|", key=lambda each: (lines[0].count(each), each == ","))
        if lines
        else ","
    )
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
    except csv.Error:
        return None
    whole = [row for row in rows[1:] if len(row) == len(rows[0])]
    return Table(head.path, rows[0], whole) if whole and len(rows[0]) > 1 else None


def _is_table(head: Head) -> Guess | None:
    table = _sample(head)
    if table is None:
        return None
    try:
        layout = layout_of(table, head.request)
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
        raise DataError(missing_in(table, request, layout))
    for name in (*layout.roles.values(), *layout.values):
        table.column(name)  # raises an error for a name that two columns have
    return read_layout(table, layout, kind=request.kind, pair=request.pair, outputs=request.outputs)


def missing_in(table: Table, request: Request, missing: str) -> str:
    """Return the error for a table of judgements that lacks something."""
    header = [name for name in table.header if name]
    roles = {role: found for role in ROLES if (found := columns.find(header, role))} | dict(request.columns)
    understood = ", ".join(f"{role} = {name}" for role, name in roles.items()) or "none of them is known"
    return (
        f"{table.path} holds no judgements in a known form. It is a table with the columns "
        f"{listed(header, 12)} ({understood}). Judgements also need {missing}. Say which it is: "
        "`columns` system=COLUMN segment=COLUMN rater=COLUMN score=COLUMN."
    )


def why_not(path: Path, request: Request) -> str:
    """Return what is missing in a table that holds no judgements; "" for a file that is no table."""
    head = Head(path, request)
    table = _sample(head) if head.ends(".csv", ".tsv", ".xlsx") else None
    try:
        layout = layout_of(table, request) if table is not None else None
    except DataError:
        return ""
    known = {role for role in _TELLING if table is not None and columns.find(table.header, role)}
    asked = known - {"segment"} or request.columns
    return missing_in(table, request, layout) if table is not None and asked and isinstance(layout, str) else ""


# --- Label Studio -------------------------------------------------------------


def _is_label_studio(head: Head) -> Guess | None:
    if not head.first.lstrip().startswith("["):
        return None
    tasks = head.json
    if isinstance(tasks, list) and tasks and isinstance(tasks[0], dict):
        if {"data", "annotations"} <= tasks[0].keys():
            return Guess(CERTAIN, "its tasks have data and annotations")
        if "annotator" in tasks[0]:
            return Guess(LIKELY, "its objects have an annotator, as in JSON-MIN")
    return None


def _label_studio_rows(tasks: object) -> list[dict[str, str]]:
    """Return one row per annotation, with the task's data and the values by the names of their controls.

    Marked spans are errors: one row each, the label is the severity.
    """
    rows: list[dict[str, str]] = []
    for task in tasks if isinstance(tasks, list) else []:
        if "annotations" not in task:  # JSON-MIN
            own = {name: value for name, value in _texts(task).items() if name != "id" or "segment" not in task}
            rows.append(own | {"annotator": _person(task.get("annotator"))})
            continue
        for annotation in task["annotations"]:
            if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
                continue
            row = {"segment": str(task.get("inner_id") or task.get("id", ""))} | _texts(task.get("data") or {})
            row["annotator"] = _person(annotation.get("completed_by"))
            spans = []
            for item in annotation.get("result") or []:
                value = item.get("value") or {}
                kind = item.get("type", "")
                found = value.get(kind, value.get("selected"))
                if "start" in value and isinstance(found, list):
                    spans.append({"severity": str(found[0]) if found else "", "span": str(value.get("text", ""))})
                elif found is not None:
                    row[str(item.get("from_name"))] = str(found[0] if isinstance(found, list) and found else found)
            rows += [row | span for span in spans] or [row]
    return rows


def _texts(data: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in data.items() if isinstance(value, str | int | float)}


def _person(value: object) -> str:
    return str(value.get("email") or value.get("id", "")) if isinstance(value, dict) else str(value or "")


def _csv(head: Head) -> Guess | None:
    return _is_table(head) if head.ends(".csv", ".tsv", ".xlsx") else None


FORMATS = (
    Format(
        "judgement-table", (JUDGEMENTS,), "a table of judgements: system, segment, rater and score, rank, choice or "
        "error; also a column per rater or per system", _csv, _read_table, columns.values_of_pairs,
    ),
    Format(
        "label-studio", (JUDGEMENTS,), "annotations of Label Studio: JSON and JSON-MIN", _is_label_studio, _read_table,
    ),
)  # fmt: skip
OWN_TABLES = tuple(format.name for format in FORMATS)  # whose columns may be given
