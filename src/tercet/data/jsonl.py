"""The interchange format: one JSON object per segment and line, as in subset2evaluate.

    {"i": 0, "src": "…", "ref": {"A": "…"}, "tgt": {"sys1": "…"}, "doc": "d1", "domain": "news",
     "scores": {"sys1": {"bleu": 31.2}}}

At least one text is needed: "tgt", "src" or "ref". "ref" may be a plain string (a reference called "ref"); a missing
reference is left out or null. Missing numbers are null and become NaN. Two more keys hold the rest of a `TestSet`:
"pair" (the language pair) and "labels" (labels other than the domain). Unlike other formats, this one can hold any
text, also with line feeds and tabs.
"""

import json
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ..errors import DataError
from .field_checks import check_encodable, chosen
from .files import writing
from .lines import read_lines
from .names import bare_name
from .testset import TestSet

log = logging.getLogger(__name__)

KEYS = frozenset({"i", "src", "ref", "tgt", "doc", "domain", "scores", "pair", "labels"})
JUDGED = ("kind", "segment", "system")  # keys of a judgement, which is another format

SegmentScores = Mapping[str, Mapping[str, Sequence[float]]]


def read_jsonl(
    path: str | Path, *, pair: str | None = None, name: str | None = None, systems: Iterable[str] | None = None
) -> TestSet:
    """Read the test set of an interchange file."""
    return read_items(path, pair=pair, name=name, systems=systems)[0]


def read_items(
    path: str | Path, *, pair: str | None = None, name: str | None = None, systems: Iterable[str] | None = None
) -> tuple[TestSet, SegmentScores]:
    """Read the test set of an interchange file, and the scores: metric -> system -> one number per segment."""
    rows = [JsonRow(line, f"{path}, line {number}") for number, line in enumerate(read_lines(path), 1)]
    if not rows:
        raise DataError(f"{path} is empty; one JSON object per line is needed.")
    if set(JUDGED) <= rows[0].item.keys():
        raise DataError(f"{path} holds judgements, not texts.")
    if unknown := sorted({key for row in rows for key in row.item} - KEYS):
        log.warning("%s: keys that are not part of the format were ignored: %s.", path, ", ".join(map(repr, unknown)))
    _check_numbers(rows)
    outputs, references, labels = _outputs(rows, systems), _references(rows), _labels(rows)
    source, documents, pairs = (_everywhere(rows, key) for key in ("src", "doc", "pair"))
    for row, other in zip(rows, pairs or (), strict=False):
        if pairs and other != pairs[0]:
            row.refuse(f"language pair {other!r}, but {rows[0].where} has {pairs[0]!r}. A file holds only one pair")
    name = name or bare_name(path, ".jsonl") or "unnamed"
    testset = TestSet(outputs, references, source, documents, labels, pairs[0] if pairs else pair, name)
    return testset, _scores(rows, outputs)


def write_jsonl(testset: TestSet, path: str | Path, *, scores: SegmentScores | None = None) -> None:
    """Write a test set and optional scores (metric -> system -> one number per segment). NaN becomes null."""
    scores = scores or {}
    _check_scores(testset, scores)
    with writing(path) as stream:
        for row in range(len(testset)):
            item = _item(testset, scores, row)
            line = json.dumps(item, ensure_ascii=False, allow_nan=False)
            check_encodable(line, f"Test set {testset.name!r}, segment {row + 1}")
            stream.write(line + "\n")


def _item(testset: TestSet, scores: SegmentScores, row: int) -> dict[str, object]:
    labels = {name: values[row] for name, values in testset.labels.items()}
    by_system: dict[str, dict[str, float | None]] = {}
    for metric, systems in scores.items():
        for system, values in systems.items():
            value = float(values[row])
            by_system.setdefault(system, {})[metric] = None if math.isnan(value) else value
    item = {
        "i": row,
        "src": testset.source and testset.source[row],
        "ref": {name: lines[row] for name, lines in testset.references.items()} or None,
        "tgt": {name: lines[row] for name, lines in testset.outputs.items()},
        "doc": testset.documents and testset.documents[row],
        "domain": labels.pop("domain", None),
        "labels": labels or None,
        "pair": testset.pair,
        "scores": by_system or None,
    }
    return {key: value for key, value in item.items() if value is not None}


def _check_scores(testset: TestSet, scores: SegmentScores) -> None:
    for metric, systems in scores.items():
        for system, values in systems.items():
            if system not in testset.outputs:
                raise DataError(f"{metric} has scores of {system!r}, which is not in test set {testset.name!r}.")
            if len(values) != len(testset):
                raise DataError(
                    f"{metric} of {system!r} has {len(values)} scores for the {len(testset)} segments of "
                    f"test set {testset.name!r}."
                )
            for number, value in enumerate(values, 1):
                if math.isinf(value):
                    raise DataError(f"{metric} of {system!r}, segment {number}: JSON cannot hold {value}.")


class JsonRow:
    """One line of a JSON lines file, with methods that check the types of its values."""

    def __init__(self, line: str, where: str) -> None:
        self.where = where
        self.item = parse_json(line, where)
        if not isinstance(self.item, dict):
            self.refuse(f"one JSON object per line is needed, not {_kind(self.item)}")

    def text(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            self.refuse(f"{key} must be a text, not {_kind(value)}")
        # JSON can hold a lone surrogate as an escape, but it is not a character.
        check_encodable(value, f"{self.where}: {key}")
        return str(value)

    def table(self, key: str) -> dict[str, Any]:
        """Return the object under a key, empty if there is none."""
        value = self.item.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.refuse(f'"{key}" must be an object, not {_kind(value)}')
        for name in value:
            if not name:
                self.refuse(f'"{key}" has an empty name')
            check_encodable(name, f'{self.where}: a name in "{key}"')
        return dict(value)

    def refuse(self, problem: str) -> NoReturn:
        raise DataError(f"{self.where}: {problem}.")


def parse_json(text: str, where: str) -> Any:
    """Parse a JSON text. Raises DataError with the place for invalid JSON, infinite numbers and repeated names."""

    def infinite(constant: str) -> float:
        if constant == "NaN":
            return math.nan
        raise DataError(f"{where}: {constant} is not a number.")

    def unique(members: list[tuple[str, object]]) -> dict[str, object]:
        item = dict(members)
        if len(item) != len(members):
            names = [name for name, _ in members]
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"{where}: the name {twice!r} occurs twice in an object.")
        return item

    try:
        return json.loads(text, parse_constant=infinite, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        place = f"{where}, line {error.lineno}" if "\n" in text else where
        raise DataError(f"{place}: not JSON: {error.msg} at character {error.colno}.") from None
    except (ValueError, RecursionError):  # an integer of thousands of digits; thousands of brackets
        raise DataError(f"{where}: a number is too long, or objects are nested too deeply.") from None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _check_numbers(rows: list[JsonRow]) -> None:
    seen: dict[Any, str] = {}
    for row in rows:
        number = row.item.get("i")
        if number is None:
            continue
        if not isinstance(number, int | str) or isinstance(number, bool):
            row.refuse(f'"i" must be a number or a name, not {_kind(number)}')
        if number in seen:
            row.refuse(f'segment "i" {number!r} occurs already in {seen[number]}')
        seen[number] = row.where


def _everywhere(rows: list[JsonRow], key: str) -> list[str] | None:
    return _column(rows, [row.item.get(key) for row in rows], f'"{key}"')


def _column(rows: list[JsonRow], values: list[object], what: str) -> list[str] | None:
    """Return the texts of a column, None if no segment has one. Raises DataError if only some have one."""
    have = [value is not None for value in values]
    if not any(have):
        return None
    if not all(have):
        present, absent = rows[have.index(True)], rows[have.index(False)]
        raise DataError(f"{absent.where}: no {what}, but {present.where} has it. Give it for all segments or for none.")
    return [row.text(what, value) for row, value in zip(rows, values, strict=True)]


def _outputs(rows: list[JsonRow], systems: Iterable[str] | None) -> dict[str, list[str]]:
    tables = [row.table("tgt") for row in rows]
    for row, table in zip(rows, tables, strict=True):
        for system in tables[0].keys() ^ table.keys():
            place, other = (rows[0], row) if system in table else (row, rows[0])
            place.refuse(f"no output of {system!r}, but {other.where} has one")
    return {
        name: [row.text(f"the output of {name!r}", table[name]) for row, table in zip(rows, tables, strict=True)]
        for name in chosen(tables[0], systems)
    }


def _references(rows: list[JsonRow]) -> dict[str, list[str | None]]:
    plain = [row.item.get("ref") for row in rows]
    tables = [
        {"ref": text} if isinstance(text, str) else row.table("ref") for row, text in zip(rows, plain, strict=True)
    ]
    return {
        name: [
            None if table.get(name) is None else row.text(f"reference {name!r}", table[name])
            for row, table in zip(rows, tables, strict=True)
        ]
        for name in dict.fromkeys(name for table in tables for name in table)
    }


def _labels(rows: list[JsonRow]) -> dict[str, list[str]]:
    domains = _everywhere(rows, "domain")
    labels = {} if domains is None else {"domain": domains}
    tables = [row.table("labels") for row in rows]
    for name in dict.fromkeys(name for table in tables for name in table):
        texts = _column(rows, [table.get(name) for table in tables], f"label {name!r}")
        if texts is None:
            rows[0].refuse(f"label {name!r} must be a text, not null")
        if name in labels:
            rows[0].refuse('the domain is given twice, as "domain" and in "labels"')
        labels[name] = texts
    return labels


def _scores(rows: list[JsonRow], outputs: Mapping[str, object]) -> dict[str, dict[str, list[float]]]:
    scores: dict[str, dict[str, list[float]]] = {}
    for number, row in enumerate(rows):
        known = row.table("tgt")
        for system, metrics in row.table("scores").items():
            if system not in known:
                row.refuse(f"scores of {system!r}, which has no output in this line")
            if system not in outputs:
                continue
            if not isinstance(metrics, dict):
                row.refuse(f"the scores of {system!r} must be an object (metric: number), not {_kind(metrics)}")
            for metric, value in metrics.items():
                column = scores.setdefault(metric, {}).setdefault(system, [math.nan] * len(rows))
                column[number] = read_number(row, f"{metric} of {system!r}", value)
    return scores


def read_number(row: JsonRow, what: str, value: object) -> float:
    """Return a number of a line, NaN for null. Raises DataError for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        row.refuse(f"{what} must be a number or null, not {_kind(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        row.refuse(f"{what} is too large")
    return number
