"""Score files of the WMT metrics tasks, 2014 to 2023: tab-separated, no header, `METRIC.sys.score`, `METRIC.seg.score`.

The columns differ from year to year and no file names its form. It is recognised by the number of columns and their
contents. If several forms fit, the caller must name the form. The columns are those of the tasks' own pages; `wmt14`
was used until 2018, `wmt21` also for WMT20's system scores, `wmt23` also for WMT22.
"""

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, UnknownName
from .field_checks import check_text, same_width, table_rows
from .files import writing

FORMS = {
    name: tuple(columns.split())
    for name, columns in {
        "wmt14-sys": "metric pair testset system score",
        "wmt14-seg": "metric pair testset system segment score",
        "wmt19-sys": "metric pair testset system score ensemble available",
        "wmt19-seg": "metric pair testset system segment score ensemble available",
        "wmt20-seg": "metric pair testset reference system document segment score",
        "wmt21-sys": "metric pair testset reference system score",
        "wmt21-seg": "metric pair testset reference system segment score",
        "wmt23-sys": "metric pair testset domain reference system score",
        "wmt23-seg": "metric pair testset domain document reference system segment score",
    }.items()
}
WRITABLE = ("wmt19-sys", "wmt19-seg", "wmt23-sys", "wmt23-seg")
_PAIR = re.compile(r"[A-Za-z_]+-[A-Za-z_]+")
_COUNT = re.compile(r"[0-9]{1,9}")
_SCORE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MISSING = frozenset({"None", "nan", "NaN", "NAN"})


class ScoreRecord(NamedTuple):
    """One score, NaN if missing. `segment` counts from 1 and is None for a system score."""

    metric: str
    pair: str
    testset: str
    system: str
    segment: int | None
    score: float
    reference: str | None = None
    domain: str | None = None
    document: str | None = None
    ensemble: str | None = None
    available: str | None = None


def read_wmt_scores(path: str | Path, *, form: str | None = None, first_segment: int = 1) -> list[ScoreRecord]:
    """Read the scores of a file. `first_segment` is the number of its first segment: some submissions count from 0."""
    rows = table_rows(path)
    if not rows:
        raise DataError(f"{path} is empty.")
    same_width(rows, path)
    if form is None:
        form = detect_form(rows, path)
    elif form not in FORMS:
        raise UnknownName("form of score file", form, FORMS)
    else:
        problem = _misfit(rows, form)
        if problem:
            raise DataError(f"{path}, {problem}")
    return _records(rows, form, path, first_segment)


def detect_form(rows: Sequence[Sequence[str]], path: str | Path) -> str:
    """Return the form that fits all rows. Raises DataError if none fits, or more than one."""
    width = len(rows[0])
    candidates = [form for form, columns in FORMS.items() if len(columns) == width]
    if not candidates:
        *widths, most = sorted({len(columns) for columns in FORMS.values()})
        raise DataError(
            f"{path}, line 1: {width} tab-separated fields. A WMT score file has "
            f"{', '.join(map(str, widths))} or {most}: {_described(FORMS)}."
        )
    problems = {form: _misfit(rows, form) or _numbered_systems(rows, form) for form in candidates}
    fitting = [form for form, problem in problems.items() if problem is None]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise DataError(f"{path} fits several forms of WMT score files. Choose one: {_described(fitting)}.")
    reasons = "; ".join(f"not {form}: {problem}" for form, problem in problems.items())
    raise DataError(f"{path} is in none of WMT's forms with {width} columns ({reasons})")


def _described(forms: Iterable[str]) -> str:
    return ", ".join(f"{form} ({' '.join(FORMS[form])})" for form in forms)


def _misfit(rows: Sequence[Sequence[str]], form: str) -> str | None:
    """Return the first reason why rows do not have a form, as 'line N: …', or None."""
    columns = FORMS[form]
    if len(rows[0]) != len(columns):
        return f"line 1: {len(rows[0])} fields, but {form} has {len(columns)} ({' '.join(columns)})."
    checks = [(columns.index("pair"), _PAIR, "a pair such as ru-en"), (columns.index("score"), _SCORE, "a number")]
    if "segment" in columns:
        checks.append((columns.index("segment"), _COUNT, "a segment number"))
    for number, row in enumerate(rows, 1):
        for column, pattern, meaning in checks:
            if pattern is _SCORE and row[column] in _MISSING:
                continue
            if not pattern.fullmatch(row[column]) or (pattern is _SCORE and math.isinf(float(row[column]))):
                return f"line {number}: field {column + 1} ({columns[column]}) is {row[column]!r}, not {meaning}."
        for column in range(4):
            if not row[column]:
                return f"line {number}: field {column + 1} ({columns[column]}) is empty."
    return None


def _numbered_systems(rows: Sequence[Sequence[str]], form: str) -> str | None:
    """Return a reason against a form in which all systems are numbers: they are more likely segment numbers."""
    column = FORMS[form].index("system")
    if all(_COUNT.fullmatch(row[column]) for row in rows):
        return f"line 1: field {column + 1} (system) holds only numbers."
    return None


def _records(rows: Sequence[Sequence[str]], form: str, path: str | Path, first_segment: int) -> list[ScoreRecord]:
    columns = FORMS[form]
    at = {name: columns.index(name) if name in columns else None for name in ScoreRecord._fields}
    segment, score = at["segment"], at["score"]
    texts = [column for name, column in at.items() if name not in ("segment", "score")]
    records, seen = [], dict[tuple[object, ...], int]()
    for number, row in enumerate(rows, 1):
        first, second, third, fourth, *others = [None if column is None else row[column] for column in texts]
        place = None
        if segment is not None:
            place = int(row[segment]) - first_segment + 1
            if place < 1:
                raise DataError(
                    f"{path}, line {number}: segment {row[segment]}, but the first segment is {first_segment}. "
                    "If the file counts from 0, pass first_segment=0."
                )
        key = (first, second, third, fourth, place, *others[:3])
        if seen.setdefault(key, number) != number:
            raise DataError(f"{path}, line {number}: repeats the score of line {seen[key]}. Remove one of the two.")
        value = row[score] if score is not None else ""
        records.append(
            ScoreRecord(
                str(first), str(second), str(third), str(fourth), place,
                math.nan if value in _MISSING else float(value), *others,
            )
        )  # fmt: skip
    return records


def write_wmt_scores(records: Iterable[ScoreRecord], path: str | Path, *, form: str = "wmt19-sys") -> None:
    """Write scores in the form of WMT19 or WMT23. NaN becomes None. Raises DataError if a record lacks a field."""
    if form not in WRITABLE:
        raise UnknownName("form to write", form, WRITABLE)
    columns = FORMS[form]
    rows = []
    for number, record in enumerate(records, 1):
        values = record._asdict()
        for name, value in values.items():
            if name in columns and value is None:
                raise DataError(
                    f"Record {number} ({record.metric}, {record.system}) has no {name}, which {form} needs."
                )
            if name not in columns and value is not None:
                raise DataError(f"Record {number} ({record.metric}, {record.system}): {form} has no column for {name}.")
        values["score"] = "None" if math.isnan(record.score) else repr(float(record.score))
        fields = [str(values[name]) for name in columns]
        for field in fields:
            check_text(field, f"Record {number}", forbidden="\t\n\r\0")
        rows.append(fields)
    if not rows:
        raise DataError(f"No scores to write into {path}.")
    problem = _misfit(rows, form)
    if problem or rows[0][0].startswith("\ufeff"):
        raise DataError(f"{path} cannot be written: {problem or 'the metric begins with U+FEFF.'}")
    with writing(path) as stream:
        stream.writelines("\t".join(row) + "\n" for row in rows)
