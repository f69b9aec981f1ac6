"""Read MQM annotations: marked errors with category and severity, one `Judgement` per system, segment and rater.

There are two families of files, after Freitag et al. (2021), "Experts, Errors, and Context":

`read_mqm`: tables with one row per error, `system doc doc_id seg_id rater source target category severity` and perhaps
a tenth column. The error is marked by `<v>` and `</v>` in the target or in the source. A rater who found no error has
one row `no-error`. Google's files and those of Marot, its viewer, have no quoting. Unbabel's files, recognised by their
tenth column `misc` (JSON), quote fields as CSV does.

`read_ratings`: mt-metrics-eval's `….seg.rating`, lines `SYSTEM<tab>JSON or None[<tab>RATER]` in blocks by system.

Values are NaN until `tercet.human.mqm.weigh` applies weights, unless the file has its own numbers: Unbabel's `mqm`,
and the scores of errors in rating files.
"""

import logging
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import DataError, UnknownName
from .field_checks import finite_number
from .jsonl import parse_json
from .judgements import Judgement, Judgements, Span
from .lines import read_lines
from .names import bare_name
from .tables import quoted_rows

log = logging.getLogger(__name__)

COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
ALIASES = {"docsegid": "doc_id", "doc_seg_id": "doc_id", "globalsegid": "seg_id", "global_seg_id": "seg_id"}
LAST = ("comment", "note", "metadata", "misc")
NO_ERROR = "no-error"
OPEN, CLOSE = "<v>", "</v>"
IDENTITIES = ("seg_id", "document")

_Row = tuple[str, Mapping[str, str]]  # its place for messages, and its fields by column


def read_mqm(
    path: str | Path, *, pair: str | None = None, name: str | None = None, identity: str = "seg_id"
) -> Judgements:
    """Read a table of errors. identity: what names a segment, `seg_id` (unique numbers) or `document` (doc:doc_id)."""
    if identity not in IDENTITIES:
        raise UnknownName("identity of segments", identity, IDENTITIES)
    found: dict[tuple[str, str, str], list[_Row]] = {}
    places: dict[str, tuple[tuple[str, str], str]] = {}
    for here, row in _rows(path):
        document = row["doc"], row["doc_id"]
        segment = row["seg_id"] if identity == "seg_id" else ":".join(document)
        known, where = places.setdefault(segment, (document, here))
        if known != document:
            raise DataError(
                f"{here}: segment {segment!r} is {':'.join(document)} here and {':'.join(known)} in {where}. "
                "If seg_id counts within documents, read with identity='document'."
            )
        found.setdefault((row["system"], segment, row["rater"]), []).append((here, row))
    rows = [
        Judgement("mqm", segment, system, _own_value(group), rater, spans=tuple(_spans(group)))
        for (system, segment, rater), group in found.items()
    ]
    return Judgements(rows, pair, name or bare_name(path, ".tsv", ".seg.rating") or "unnamed")


def _rows(path: str | Path) -> Iterator[_Row]:
    lines = read_lines(path)
    header = [column.strip().lower() for column in (lines[0] if lines else "").split("\t")]
    has_header = header[:2] == ["system", "doc"]
    hint = ""
    table: Iterator[tuple[int, list[str]]] = ((number, line.split("\t")) for number, line in enumerate(lines, 1))
    if has_header and "misc" in header:
        table, hint = quoted_rows(lines, path, delimiter="\t"), " Is a quotation mark in an earlier line never closed?"
    columns = [ALIASES.get(column, column) for column in header] if has_header else [*COLUMNS, LAST[0]]
    if missing := [column for column in COLUMNS if column not in columns]:
        raise DataError(f"{path}, line 1: no column {', '.join(missing)}; an MQM table has {', '.join(COLUMNS)}.")
    for number, fields in table:
        if number == 1 and has_header:
            continue
        where = f"{path}, line {number}"
        if len(fields) != len(columns) and not (not has_header and len(fields) == len(COLUMNS)):
            raise DataError(f"{where}: {len(fields)} tab-separated fields, but {len(columns)} are needed.{hint}")
        yield where, dict(zip(columns, fields, strict=False))
    if len(lines) <= has_header:
        raise DataError(f"{path} holds no annotations.")


def _spans(rows: list[_Row]) -> Iterator[Span]:
    for where, row in rows:
        severity, category = row["severity"].strip(), row["category"].strip()
        if NO_ERROR not in (severity.lower(), category.lower()):
            start, end = marked(row["target"], f"{where}, target")
            in_source = start is None
            if in_source:
                start, end = marked(row["source"], f"{where}, source")
            yield Span(start, end, severity, category, in_source and start is not None)


def marked(text: str, where: str) -> tuple[int | None, int | None]:
    """Return start and end (exclusive) of the marked error in the text without marks; None, None without marks.

    Several marks in one row are one error, from the first to the last. A mark that is never closed, as in a few
    published files, extends to the end of the text, with a warning.
    """
    start, end, marks = None, None, 0
    for mark in re.finditer(f"{OPEN}|{CLOSE}", text):
        place = mark.start() - marks
        marks += len(mark[0])
        if mark[0] == OPEN:
            start, end = (place if start is None else start), None
        elif start is None:
            raise DataError(f"{where}: {CLOSE} without {OPEN} before it.")
        else:
            end = place
    if start is not None and end is None:
        log.warning("%s: %s is never closed; the error is assumed to extend to the end of the text.", where, OPEN)
        end = len(text) - marks
    return start, end


def _own_value(rows: list[_Row]) -> float:
    """Return the score that Unbabel's files repeat in every row of a rater's annotation; NaN for other files."""
    values = []
    for where, row in rows:
        misc = parse_json(row["misc"], f"{where}, misc") if row.get("misc") else None
        if not isinstance(misc, dict) or "mqm" not in misc:
            return math.nan
        values.append(finite_number(misc["mqm"], f"{where}, misc: mqm"))
    return sum(values) / len(values)


def read_ratings(path: str | Path, *, pair: str | None = None, n_segments: int = 0) -> Judgements:
    """Read an EvalSet's rating file, a line per segment. n_segments: how many every system must have, if known."""
    rows, counts = [], dict[str, int]()
    last = None
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}, line {number}"
        fields = line.split("\t")
        if len(fields) not in (2, 3):
            raise DataError(
                f"{where}: {len(fields)} tab-separated fields; SYSTEM, JSON or None, and perhaps RATER are needed."
            )
        system, text = fields[:2]
        if system != last and system in counts:
            raise DataError(f"{where}: the ratings of {system!r} are not in consecutive lines.")
        last = system
        counts[system] = counts.get(system, 0) + 1
        if text != "None":
            spans, value = _errors(text, where)
            rater = fields[2] if len(fields) == 3 and fields[2] != "None" else ""
            rows.append(Judgement("mqm", str(counts[system]), system, value, rater, spans=spans))
    if not counts:
        raise DataError(f"{path} is empty.")
    expected = n_segments or next(iter(counts.values()))
    for system, count in counts.items():
        if count != expected:
            raise DataError(f"{path}: {count} ratings of {system!r}, but {expected} are needed, one per segment.")
    return Judgements(rows, pair, bare_name(path, ".tsv", ".seg.rating").removeprefix(f"{pair}.") or "unnamed")


def _errors(text: str, where: str) -> tuple[tuple[Span, ...], float]:
    """Return the errors of one rating and the negated sum of their scores, NaN if an error has no score."""
    rating = parse_json(text, where)
    if not isinstance(rating, dict) or not isinstance(rating.get("errors"), list):
        raise DataError(f'{where}: an object with a list "errors" is needed.')
    spans, total = [], 0.0
    for error in rating["errors"]:
        if not isinstance(error, dict):
            raise DataError(f"{where}: an error must be an object, as in mt-metrics-eval's ratings.")
        start, end = error.get("start"), error.get("end")
        for place in (start, end):
            if place is not None and (isinstance(place, bool) or not isinstance(place, int)):
                raise DataError(f"{where}: start and end of an error must be whole numbers, not {place!r}.")
        score = error.get("score")
        total += math.nan if score is None else finite_number(score, f"{where}: score")
        severity, category = str(error.get("severity") or ""), str(error.get("category") or "")
        spans.append(Span(start, end, severity, category, bool(error.get("is_source_error"))))
    return tuple(spans), 0.0 - total
