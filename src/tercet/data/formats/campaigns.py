"""Exports of annotation campaigns of Appraise and Pearmut, and campaigns of Tercet itself.

Appraise: the CSV of ExportSystemScoresToCSV, without a header (AppraiseDev/Appraise):

    user, system, item, type, languages (2), score[, document, is document score[, spans]][, start, end]

type is TGT, BAD (degraded on purpose), CHK (shown before) or REF. Campaigns with documents number the items of a
rater's whole task. A segment is therefore called document:place, by its place among the items of the document.

Pearmut: annotations.json as downloaded from the dashboard, or one campaign's log, .jsonl (zouharvi/pearmut).

Neither states the kind of judgement or the line of an item in the test set: the caller gives the kind, and segments
keep the names of the export. Both give the last character of a span; `Span.end` is the character after it. Pearmut
counts UTF-16 units without line feeds. They are converted to code points if the log holds the texts. The kind of a
control item is kept in `check`: "bad", "repeat", "reference", "tutorial", "attention", "document".
"""

import ast
import json
import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ...errors import DataError, UnknownName, UsageError
from ..field_checks import finite_number
from ..jsonl import parse_json
from ..judgements import Judgement, Judgements, Span
from ..lines import read_lines
from ..tables import quoted_rows
from . import CAMPAIGN, JUDGEMENTS
from .format import CERTAIN, LIKELY, Contents, Format, Guess, Head, Request
from .names import short_pair

log = logging.getLogger(__name__)

Part = TypeVar("Part", dict[str, Any], list[Any])

KINDS = ("da", "esa", "mqm")
CHECKS = {"TGT": "", "BAD": "bad", "CHK": "repeat", "REF": "reference"}
MISSING = "missing"
RESET = "__RESET__"
SLIDERS = ("adequacy", "fluency")
EXPORTS = ("appraise", "pearmut")  # formats that do not state the kind of judgement


def read_appraise(path: str | Path, *, kind: str, pair: str | None = None, system_prefix: str = "") -> Judgements:
    """Read an Appraise export. kind: da, esa or mqm (only spans). system_prefix: left out of names of systems."""
    if kind not in KINDS:
        raise UnknownName("kind of campaign", kind, KINDS)
    rows = []
    firsts: dict[tuple[str, str], int] = {}
    lines = list(_appraise_lines(path))
    for where, fields in lines:
        if _has_document(fields):
            item, task = fields[2], (fields[0], fields[7])
            if not re.fullmatch("[0-9]{1,18}", item):
                raise DataError(
                    f"{where}: the item's number is {item[:80]!r}, not a number. "
                    "Segments of documents are identified by it."
                )
            firsts[task] = min(firsts.get(task, 1 << 60), int(item))
    for where, fields in lines:
        if fields[3] not in CHECKS:
            raise DataError(f"{where}: an item of type {fields[3]!r}; known types: {', '.join(CHECKS)}.")
        segment, check, document = fields[2], CHECKS[fields[3]], ""
        if _has_document(fields):
            document = fields[7]
            name_of_document = document.partition("#")[0]
            segment = f"{name_of_document}:{int(fields[2]) - firsts[fields[0], document] + 1}"
            if "tutorial" in document:
                check = "tutorial"
            elif fields[8] == "True":
                segment, check = name_of_document, "document"
        spans = _appraise_spans(fields[9], where) if len(fields) in (10, 12) else None
        if kind != "da" and spans is None:
            raise DataError(
                f"{where}: no spans, which judgements of kind {kind} need. If these are plain scores, choose da."
            )
        value = finite_number(fields[6], f"{where}: the score", from_text=True) if kind != "mqm" else math.nan
        seconds = math.nan
        if len(fields) in (11, 12) or (len(fields) == 9 and not _has_document(fields)):
            start, end = (finite_number(each, f"{where}: a time", from_text=True) for each in fields[-2:])
            if end < start:
                raise DataError(f"{where}: the judgement ends {start - end:g} seconds before it begins.")
            seconds = end - start
        system = fields[1].removeprefix(system_prefix)
        rows.append(Judgement(kind, segment, system, value, fields[0], document, spans, seconds, check=check))
    return _judgements(rows, pair, path)


def _appraise_lines(path: str | Path) -> Iterator[tuple[str, list[str]]]:
    width = 0
    for number, fields in quoted_rows(read_lines(path), path):
        where = f"{path}, line {number}"
        width = width or len(fields)
        if len(fields) != width or width not in (7, 9, 10, 11, 12) or (width > 9 and not _has_document(fields)):
            raise DataError(
                f"{where}: not a line of Appraise's scores: user, system, item, type, source language, "
                "target language, score, and perhaps document, is document score, spans, start, end."
            )
        yield where, fields
    if not width:
        raise DataError(f"{path} is empty.")


def _has_document(fields: Sequence[str]) -> bool:
    return len(fields) > 8 and fields[8] in ("True", "False")


def _appraise_spans(text: str, where: str) -> tuple[Span, ...]:
    """Parse a list of spans: JSON or, in some versions of Appraise, Python's notation without the list's brackets."""
    try:
        spans = json.loads(text)
    except ValueError:
        try:
            spans = ast.literal_eval(f"[{text}]")
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise DataError(f"{where}: the spans are not JSON: {text[:80]!r}.") from None
    if not isinstance(spans, list):
        raise DataError(f"{where}: spans must be a list, not {text[:80]!r}.")
    return tuple(_span(span, None, where) for span in spans)


def _span(span: object, units: Sequence[int] | None, where: str) -> Span:
    """Return a span as written by either tool. `units`: the code point of each counted unit of the text, if known."""
    if not isinstance(span, dict) or "start_i" not in span or "end_i" not in span:
        raise DataError(f"{where}: a span needs start_i and end_i.")
    category = span.get("error_type", span.get("category")) or ""
    if isinstance(category, list):
        category = "/".join(map(str, category))
    severity = str(span.get("severity") or "")
    start, end = span["start_i"], span["end_i"]
    if MISSING in (start, end):
        return Span(None, None, severity, str(category))
    if not type(start) is type(end) is int:
        raise DataError(f"{where}: a span from {start!r} to {end!r}; whole numbers are needed, or {MISSING!r}.")
    if units is None:
        return Span(start, end + 1, severity, str(category))
    if start >= len(units):  # the word [missing], shown after the text
        return Span(None, None, severity, str(category))
    if end >= len(units) or start > end or start < 0:
        raise DataError(f"{where}: a span from {start} to {end} in a text of {len(units)} characters.")
    return Span(units[start], units[end] + 1, severity, str(category))


def read_pearmut(path: str | Path, *, kind: str, pair: str | None = None) -> Judgements:
    """Read a Pearmut campaign. kind: its protocol. The time of a document is divided equally among its outputs."""
    if kind not in KINDS:
        raise UnknownName("kind of campaign", kind, KINDS)
    rows, skipped = [], 0
    for where, entry in _entries(path):
        annotations = entry.get("annotation")
        documents = annotations if isinstance(annotations, list) else [annotations]
        items = _part(entry, "item", list, where) or [{}] * len(documents)
        if len(items) != len(documents):
            raise DataError(f"{where}: {len(documents)} annotations for {len(items)} items.")
        if not isinstance(entry.get("user_id"), str) or "item_i" not in entry:
            raise DataError(f"{where}: an annotation needs user_id and item_i.")
        outputs = sum(len(answer) for answer in documents if isinstance(answer, dict))
        seconds, was_skipped = _elapsed(entry, where)
        if was_skipped:
            skipped += outputs
            continue
        for place, (item, answers) in enumerate(zip(items, documents, strict=True), 1):
            if answers is None:
                skipped += 1
                continue
            if not isinstance(answers, dict) or not isinstance(item, dict):
                raise DataError(f"{where}, item {place}: an object (system: annotation) is needed.")
            for system, answer in answers.items():
                found = list(_answer(kind, entry, item, place, system, answer, where))
                skipped += not found
                rows += [row._replace(seconds=seconds / outputs) for row in found]
    if skipped:
        log.warning("%s: raters skipped %d items or outputs, which have no judgement.", path, skipped)
    return _judgements(rows, pair, path)


def _entries(path: str | Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the submissions that the organisers did not reset, each with its place for messages."""
    whole = Head(Path(path)).json
    if isinstance(whole, dict) and "annotation" not in whole:
        if len(whole) != 1:
            raise UsageError(f"{path} holds several campaigns. Choose one: {', '.join(whole)}.")
        listed = _part(whole, next(iter(whole)), list, str(path))
        entries = [(f"{path}, annotation {number}", entry) for number, entry in enumerate(listed, 1)]
    else:
        lines = ((f"{path}, line {number}", line) for number, line in enumerate(read_lines(path), 1))
        entries = [(where, parse_json(line, where)) for where, line in lines]
    for where, entry in entries:
        if not isinstance(entry, dict):
            raise DataError(f"{where}: one JSON object per annotation is needed.")
    if not entries:
        raise DataError(f"{path} holds no annotations.")

    def item(entry: Mapping[str, Any]) -> tuple[str, str]:
        return str(entry.get("user_id")), str(entry.get("item_i"))

    resets = {item(entry): number for number, (_, entry) in enumerate(entries) if entry.get("annotation") == RESET}
    kept = [(where, entry) for number, (where, entry) in enumerate(entries) if number > resets.get(item(entry), -1)]
    if len(kept) < len(entries):
        log.warning("%s: %d entries that the organisers had reset were ignored.", path, len(entries) - len(kept))
    yield from kept


def _answer(
    kind: str, entry: Mapping[str, Any], item: Mapping[str, Any], place: int, system: str, answer: object, where: str
) -> Iterator[Judgement]:
    """Yield a rater's judgements of one output: one, or one per slider; none if the output was skipped."""
    where = f"{where}, item {place}, {system!r}"
    if not isinstance(answer, dict):
        raise DataError(f"{where}: an object with a score is needed.")
    text = _part(item, "tgt", dict, where).get(system)
    units = None  # the code point of each UTF-16 unit of the text; Pearmut does not count line feeds
    if isinstance(text, str):
        units = [i for i, character in enumerate(text) if character != "\n" for _ in range(1 + (character > "\uffff"))]
    spans = None
    if kind != "da":
        spans = tuple(_span(span, units, where) for span in _part(answer, "error_spans", list, where))
    number = str(entry["item_i"])
    check = "attention" if number.startswith("random_") or item.get("validation") else ""
    check = "tutorial" if number.startswith(("welcome_", "goodbye_")) else check
    segment = str(item.get("item_id") or f"{number}:{place}")
    row = Judgement(kind, segment, system, math.nan, entry["user_id"], number, spans, check=check)
    sliders, score = _part(answer, "sliders", dict, where), answer.get("score")
    if sliders:
        for slider, value in sliders.items():
            if slider.lower() not in SLIDERS:
                raise DataError(f"{where}: unknown slider {slider!r}; known sliders: {', '.join(SLIDERS)}.")
            if value is not None:
                value = finite_number(value, f"{where}: {slider}", from_text=True)
                yield row._replace(kind=slider.lower(), value=value)
    elif kind == "mqm":
        yield row
    elif score is not None:
        yield row._replace(value=finite_number(score, f"{where}: the score", from_text=True))


def _elapsed(entry: Mapping[str, object], where: str) -> tuple[float, bool]:
    """Return the seconds from the first to the last action (NaN if none is logged), and whether it was skipped."""
    actions = [action for action in _part(entry, "actions", list, where) if isinstance(action, dict)]
    times = [finite_number(each["time"], f"{where}: a time", from_text=True) for each in actions if "time" in each]
    return max(times) - min(times) if times else math.nan, bool(actions) and actions[-1].get("action") == "submit_skip"


def _part(holder: Mapping[str, object], key: str, kind: type[Part], where: str) -> Part:
    """Return the value under a key, empty if there is none. Raises DataError if it has another type."""
    value = holder.get(key)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise DataError(f"{where}: {key!r} must be {'an object' if kind is dict else 'a list'}, not {value!r:.80}.")
    return value


def _judgements(rows: Sequence[Judgement], pair: str | None, path: str | Path) -> Judgements:
    """Return the judgements. Warn of repeated ones: raters may go back and submit again, and all are kept."""
    seen = {(row.kind, row.rater, row.task, row.segment, row.system, row.check) for row in rows}
    if len(seen) < len(rows):
        log.warning(
            "%s: %d judgements repeat an earlier one by the same rater. All are kept.", path, len(rows) - len(seen)
        )
    return Judgements(rows, pair, Path(path).name.partition(".")[0])


def _is_appraise(head: Head) -> Guess | None:
    columns = head.first.split(",")
    if head.ends(".csv") and len(columns) > 3 and columns[3] in CHECKS:
        return Guess(CERTAIN, f"the fourth column of its first line is {columns[3]}, a type of item")
    return None


def _appraise_pairs(head: Head) -> Sequence[str] | None:
    languages = {"-".join(line.split(",")[4:6]) for line in read_lines(head.path)}
    # The data may have other names for codes that we cannot shorten, so these are not used.
    pairs = sorted(map(short_pair, languages))
    return pairs if all(len(code) == 2 for pair in pairs for code in pair.split("-")) else None


def _is_pearmut(head: Head) -> Guess | None:
    if head.ends(".jsonl") and {"annotation", "user_id"} <= head.item.keys():
        return Guess(CERTAIN, "its first object has annotation and user_id")
    if not head.ends(".json") or _is_campaign(head):
        return None
    lists = [part for part in head.json.values() if isinstance(part, list)] if isinstance(head.json, dict) else []
    entries = [part[0] for part in lists if part and isinstance(part[0], dict)]
    if any("annotation" in entry for entry in entries):
        return Guess(CERTAIN, "its objects have an annotation")
    return Guess(LIKELY / 4, "its name ends in .json")


def _kind(path: Path, request: Request) -> str:
    if request.kind is None:
        raise UsageError(
            f"{path} is a campaign export, which does not state the kind of judgement. Give `kind` da, esa or mqm."
        )
    return request.kind


def _is_campaign(head: Head) -> Guess | None:
    if head.ends(".json") and head.json is None:
        return Guess(LIKELY / 2, "its name ends in .json, although it is not JSON")  # reading it says where
    if head.ends(".json") and isinstance(head.json, dict) and {"protocol", "version"} <= head.json.keys():
        return Guess(CERTAIN, "it is an object with protocol and version")
    return None


def _read_campaign(path: Path, request: Request) -> Contents:
    raise UsageError(f"{path} is a campaign. Its answers are read by 'tercet agree' and 'tercet rate'.")


FORMATS = (
    Format(
        "campaign", (CAMPAIGN,), "a rating campaign of `tercet rate`, with its answers beside it", _is_campaign,
        _read_campaign,
    ),
    Format(
        "appraise", (JUDGEMENTS,), "scores exported from Appraise: CSV without a header", _is_appraise,
        lambda path, asked: Contents(
            [read_appraise(path, kind=_kind(path, asked), pair=asked.pair, system_prefix=asked.system_prefix)]
        ),
        _appraise_pairs,
    ),
    Format(
        "pearmut", (JUDGEMENTS,), "annotations of Pearmut: the JSON of its dashboard, or a campaign's log", _is_pearmut,
        lambda path, asked: Contents([read_pearmut(path, kind=_kind(path, asked), pair=asked.pair)]),
    ),
)  # fmt: skip
