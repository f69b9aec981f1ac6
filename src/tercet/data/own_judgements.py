"""Tercet's own formats of judgements: JSON lines, which keep all data of `Judgements`, and tables of ratings.

JSON lines have one object per judgement and line:

    {"kind": "mqm", "segment": "12", "system": "sys1", "value": -6.0, "rater": "rater1", "task": "t4",
     "spans": [{"start": 3, "end": 9, "severity": "major", "category": "accuracy/omission", "in_source": true}],
     "seconds": 41.5, "reference": "refA", "check": "bad", "pair": "en-de", "set": "wmt23"}

kind, segment and system are required. Unknown values are left out. A value that is not known yet (errors without
weights) is null.

A table of ratings, as `tercet rate export` writes it, has one row per judgement: unquoted TSV, or CSV, with a header.

    rater item segment system kind value reference seconds time check group document revision spans lp set

rater, item, segment, system, kind and value are required, in any order; unknown columns are ignored. Empty means not
known. time: when the answer was given, UTC. spans: marked errors as JSON, a list of objects as in our JSON lines.
revision: 1 for a rater's first answer to an item. Outputs with the same item were judged together.
"""

import json
import math
from pathlib import Path
from typing import Any

from ..errors import DataError
from .field_checks import check_encodable
from .files import writing
from .jsonl import JUDGED, JsonRow, read_number
from .judgements import Judgement, Judgements, Span, find_problem
from .lines import read_lines
from .names import bare_name
from .tables import number, read_table

TEXTS = ("rater", "task", "reference", "check")
KEYS = frozenset({*JUDGED, "value", "spans", "seconds", "pair", "set", *TEXTS})
SPAN_KEYS = frozenset(Span._fields)
NEEDED = ("rater", "item", "segment", "system", "kind", "value")
COLUMNS = (*NEEDED, "reference", "seconds", "time", "check", "group", "document", "revision", "spans", "lp", "set")


def write_judgements(judgements: Judgements, path: str | Path) -> None:
    """Write judgements so that `read_judgements` returns them unchanged. The file is written atomically."""
    if not judgements.rows:
        raise DataError(f"Judgements {judgements.name!r} are empty; there is nothing to write to {path}.")
    with writing(path) as stream:
        for number, row in enumerate(judgements.rows, 1):
            line = json.dumps(_item(row, judgements), ensure_ascii=False, allow_nan=False)
            check_encodable(line, f"Judgements {judgements.name!r}, judgement {number}")
            stream.write(line + "\n")


def _item(row: Judgement, judgements: Judgements) -> dict[str, object]:
    item: dict[str, Any] = {"kind": row.kind, "segment": row.segment, "system": row.system}
    item["value"] = None if math.isnan(row.value) else row.value
    item |= {key: getattr(row, key) for key in TEXTS if getattr(row, key)}
    if row.spans is not None:
        defaults = Span._field_defaults.items()
        item["spans"] = [
            {key: value for key, value in span._asdict().items() if (key, value) not in defaults} for span in row.spans
        ]
    if not math.isnan(row.seconds):
        item["seconds"] = row.seconds
    if judgements.pair is not None:
        item["pair"] = judgements.pair
    return item | {"set": judgements.name}


def read_judgements(path: str | Path, *, pair: str | None = None, name: str | None = None) -> Judgements:
    """Read the judgements of a file of JSON lines. `pair` and `name` are for files that do not give them."""
    lines = [JsonRow(line, f"{path}, line {number}") for number, line in enumerate(read_lines(path), 1)]
    if not lines:
        raise DataError(f"{path} is empty; one JSON object per judgement is needed.")
    rows = [_judgement(line) for line in lines]
    stem = bare_name(path, ".jsonl") or "unnamed"
    return Judgements(rows, _same(lines, "pair") or pair, _same(lines, "set") or name or stem)


def _judgement(line: JsonRow) -> Judgement:
    if unknown := sorted(line.item.keys() - KEYS):
        line.refuse(f"a judgement has no key {unknown[0]!r}; known keys: {', '.join(sorted(KEYS))}")
    for key in JUDGED:
        if key not in line.item:
            line.refuse(f'a judgement needs "{key}"')
    texts = {key: line.text(f'"{key}"', line.item.get(key, "")) for key in (*JUDGED, *TEXTS)}
    value, seconds = (read_number(line, f'"{key}"', line.item.get(key)) for key in ("value", "seconds"))
    row = Judgement(value=value, spans=read_spans(line), seconds=seconds, **texts)
    if problem := find_problem(row):
        line.refuse(problem.removesuffix("."))
    return row


def read_spans(line: JsonRow) -> tuple[Span, ...] | None:
    """Return the marked errors of a line, None if it has no "spans"."""
    spans = line.item.get("spans")
    if spans is None:
        return None
    if not isinstance(spans, list) or not all(isinstance(span, dict) and "severity" in span for span in spans):
        line.refuse('"spans" must be a list of objects with a severity')
    return tuple(_span(line, span) for span in spans)


def _span(line: JsonRow, span: dict[str, Any]) -> Span:
    if unknown := sorted(span.keys() - SPAN_KEYS):
        line.refuse(f"a span has no key {unknown[0]!r}; known keys: {', '.join(sorted(SPAN_KEYS))}")
    places = [span.get(key) for key in ("start", "end")]
    for place in places:
        if place is not None and (isinstance(place, bool) or not isinstance(place, int)):
            line.refuse(f"start and end of a span must be whole numbers, not {place!r}")
    in_source = span.get("in_source", False)
    if not isinstance(in_source, bool):
        line.refuse(f'"in_source" must be true or false, not {in_source!r}')
    severity, category = (line.text(f'"{key}"', span.get(key, "")) for key in ("severity", "category"))
    return Span(places[0], places[1], severity, category, in_source)


def _same(lines: list[JsonRow], key: str) -> str | None:
    """Return the value that all lines have under a key. Raises DataError if they differ."""
    value = lines[0].item.get(key)
    for line in lines:
        if line.item.get(key) != value:
            line.refuse(f'"{key}" is {line.item.get(key)!r}, but {value!r} in {lines[0].where}')
    return None if value is None else lines[0].text(f'"{key}"', value)


def read_ratings_table(path: str | Path, *, pair: str | None = None, name: str | None = None) -> Judgements:
    """Read the judgements of a table of ratings, in the order of the rows, for one language pair if it has several."""
    table = read_table(path)
    if "lp" in table.header and any(table.column("lp")):
        table = table.of_pair("lp", pair)
        pair = table.column("lp")[0]
    columns = [table.column(name) if name in {*table.header, *NEEDED} else [""] * len(table.rows) for name in COLUMNS]
    rows = []
    for line, fields in zip(table.lines, zip(*columns, strict=True), strict=True):
        rows.append(_rating(dict(zip(COLUMNS, fields, strict=True)), f"{path}, line {line}"))
    sets = set(columns[COLUMNS.index("set")])
    stem = bare_name(path, ".tsv", ".csv") or "unnamed"
    return Judgements(rows, pair, name or (sets.pop() if len(sets) == 1 else "") or stem)


def _rating(fields: dict[str, str], where: str) -> Judgement:
    revision = fields["revision"]
    row = Judgement(
        value=number(fields["value"], f"{where}, column 'value'"),
        task=fields["item"] if revision in ("", "1") else f"{fields['item']}#{revision}",
        spans=read_spans(JsonRow(f'{{"spans": {fields["spans"]}}}', where)) if fields["spans"] else None,
        seconds=number(fields["seconds"], f"{where}, column 'seconds'"),
        **{name: fields[name] for name in ("kind", "segment", "system", "rater", "reference", "check")},
    )
    if problem := find_problem(row):
        raise DataError(f"{where}: {problem}")
    return row


def text_of(value: float) -> str:
    """Return a number in its shortest form, whole numbers without a point; empty for NaN."""
    if math.isnan(value):
        return ""
    return str(int(value)) if value == int(value) else repr(value)


def spans_text(judgement: Judgement) -> str:
    """Return marked errors as JSON; empty if raters did not mark errors."""
    if judgement.spans is None:
        return ""
    return json.dumps([span._asdict() for span in judgement.spans], ensure_ascii=False)
