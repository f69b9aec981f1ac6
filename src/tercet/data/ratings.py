"""A table of ratings, one row per judgement, as `tercet rate export` writes it: unquoted TSV, or CSV, with header.

    rater item segment system kind value reference seconds time check group document revision spans lp set

rater, item, segment, system, kind and value are required, in any order; unknown columns are ignored. Empty means not
known. time: when the answer was given, UTC. spans: marked errors as JSON, a list of objects as in our JSON lines.
revision: 1 for a rater's first answer to an item. Outputs with the same item were judged together.
"""

import json
import math
from pathlib import Path

from ..errors import DataError
from .files import bare_name
from .jsonl import JsonRow
from .judged_jsonl import read_spans
from .judgements import Judgement, Judgements, find_problem
from .tables import number, read_table

NEEDED = ("rater", "item", "segment", "system", "kind", "value")
COLUMNS = (*NEEDED, "reference", "seconds", "time", "check", "group", "document", "revision", "spans", "lp", "set")


def read_ratings_table(path: str | Path, *, pair: str | None = None, name: str | None = None) -> Judgements:
    """Read the judgements of a table of ratings, in the order of the rows, for one language pair if it has several."""
    table = read_table(path)
    if "lp" in table.header and any(table.column("lp")):
        table = table.of_pair("lp", pair)
        pair = table.column("lp")[0]
    columns = [table.column(name) if name in {*table.header, *NEEDED} else [""] * len(table.rows) for name in COLUMNS]
    rows = []
    for line, fields in zip(table.lines, zip(*columns, strict=True), strict=True):
        rows.append(_judgement(dict(zip(COLUMNS, fields, strict=True)), f"{path}, line {line}"))
    sets = set(columns[COLUMNS.index("set")])
    stem = bare_name(path, ".tsv", ".csv") or "unnamed"
    return Judgements(rows, pair, name or (sets.pop() if len(sets) == 1 else "") or stem)


def _judgement(fields: dict[str, str], where: str) -> Judgement:
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
