"""Score files of the WMT metrics tasks, 2014 to 2023: tab-separated, no header, `METRIC.sys.score`, `METRIC.seg.score`.

The columns differ from year to year and no file names its form. It is recognised by the number of columns and their
contents. A file that fits several forms is refused. The columns are those of the tasks' own pages; `wmt14`
was used until 2018, `wmt21` also for WMT20's system scores, `wmt23` also for WMT22.
"""

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError
from .field_checks import same_width, table_rows

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
_PAIR = re.compile(r"[A-Za-z_]+-[A-Za-z_]+")
_COUNT = re.compile(r"[0-9]{1,9}")
_SCORE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MISSING = frozenset({"None", "nan", "NaN", "NAN"})


class ScoreRecord(NamedTuple):
    """One score, NaN if missing. `segment` counts from 1, also where the file counts from 0; None for a system."""

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


def read_wmt_scores(path: str | Path) -> list[ScoreRecord]:
    """Read the scores of a file."""
    rows = table_rows(path)
    if not rows:
        raise DataError(f"{path} is empty.")
    same_width(rows, path)
    return _records(rows, detect_form(rows, path), path)


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
    problems = {form: _misfit(rows, form) for form in candidates}
    for form in (form for form, problem in problems.items() if problem is None):
        column = FORMS[form].index("system")
        if all(_COUNT.fullmatch(row[column]) for row in rows):  # more likely segment numbers
            problems[form] = f"line 1: field {column + 1} (system) holds only numbers."
    fitting = [form for form, problem in problems.items() if problem is None]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise DataError(f"{path} fits several forms of WMT score files: {_described(fitting)}.")
    reasons = "; ".join(f"not {form}: {problem}" for form, problem in problems.items())
    raise DataError(f"{path} is in none of WMT's forms with {width} columns ({reasons})")


def _described(forms: Iterable[str]) -> str:
    return ", ".join(f"{form} ({' '.join(FORMS[form])})" for form in forms)


def _misfit(rows: Sequence[Sequence[str]], form: str) -> str | None:
    """Return the first reason why rows do not have a form, as 'line N: …', or None."""
    columns = FORMS[form]
    needed = {"pair": (_PAIR, "a pair such as ru-en"), "score": (_SCORE, "a number")}
    needed["segment"] = (_COUNT, "a segment number")
    checks = [(columns.index(name), *check) for name, check in needed.items() if name in columns]
    for number, row in enumerate(rows, 1):
        for column, pattern, meaning in checks:
            text = row[column]
            if pattern is _SCORE and text in _MISSING:
                continue
            if not pattern.fullmatch(text) or (pattern is _SCORE and math.isinf(float(text))):
                return f"line {number}: field {column + 1} ({columns[column]}) is {text!r}, not {meaning}."
        if "" in row[:4]:
            column = row.index("")
            return f"line {number}: field {column + 1} ({columns[column]}) is empty."
    return None


def _records(rows: Sequence[Sequence[str]], form: str, path: str | Path) -> list[ScoreRecord]:
    columns = FORMS[form]
    records, seen = [], dict[tuple[object, ...], int]()
    from_zero = "segment" in columns and any(int(row[columns.index("segment")]) == 0 for row in rows)
    for number, row in enumerate(rows, 1):
        fields: dict[str, Any] = dict(zip(columns, row, strict=True))
        score, place = fields.pop("score"), None
        if "segment" in fields:
            place = int(fields["segment"]) + from_zero
        value = math.nan if score in _MISSING else float(score)
        record = ScoreRecord(**{**fields, "segment": place, "score": value})
        key = (*record[:5], *record[6:9])  # all but the score, and whether it is an ensemble and available
        if seen.setdefault(key, number) != number:
            raise DataError(f"{path}, line {number}: repeats the score of line {seen[key]}. Remove one of the two.")
        records.append(record)
    return records
