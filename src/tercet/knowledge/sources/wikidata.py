"""Read Wikidata's JSON dump line by line: names, classes, and the number of wikis with a page on an entity.

The dump is one JSON array with an entity on each line (mediawiki.org, "Wikibase/DataModel/JSON"), compressed with gzip
or bzip2, or plain. It is split into chunks of whole lines. Each chunk becomes a file; any process can write it, and a
resumed build need not write it again.
"""

import bz2
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ...errors import DataError, MissingFile, UsageError
from ..spill import Row, Settings, write_chunk
from .categories import codes_of

CHUNK = 1 << 25  # bytes of text per chunk
NAMED_BAD = 5  # bad lines of a chunk that are listed
ALIAS_WEIGHT = 0.5  # weight of an alias relative to the label


class BadLine(ValueError):
    """A line of the dump that is not an entity."""


@contextmanager
def open_dump(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a dump. Yields its text, and the compressed file, whose position shows how far the text was read."""
    try:
        raw = path.open("rb")
    except FileNotFoundError:
        raise MissingFile(path) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None
    with raw:
        start = raw.read(3)
        raw.seek(0)
        text: Any = gzip.GzipFile(fileobj=raw) if start[:2] == b"\x1f\x8b" else raw
        if start == b"BZh":
            text = bz2.BZ2File(raw)
        try:
            yield text, raw
        except (EOFError, OSError, zlib.error) as error:
            raise DataError(
                f"{path} is damaged or truncated at byte {raw.tell()}: {error}. Download it again and compare its "
                "checksum with the published one."
            ) from None


def chunks(path: Path) -> Iterator[tuple[bytes, int, int]]:
    """Yield chunks of whole lines: their bytes, the number of the first line, the position in the compressed file."""
    with open_dump(path) as (text, raw):
        line, array, last = 1, False, b""
        while read := text.read(CHUNK):
            block = read + text.readline()  # up to the end of a line
            if line == 1:
                array = block.lstrip().startswith(b"[")
            last = block[-100:].rstrip()[-1:] or last
            yield block, line, raw.tell()
            line += block.count(b"\n")
    if not last:
        raise DataError(f"{path} is empty.")
    if array and last != b"]":
        raise DataError(
            f"{path} is truncated: it begins with '[', but its last line, {line}, does not end with ']'. "
            "Download it again."
        )


def parse_chunk(block: bytes, line: int, settings: Settings, path: Path) -> dict[str, Any]:
    """Write a chunk's entities to a file, in any process. line: number of its first line. Returns notes on it."""
    rows: list[Row] = []
    edges: list[int] = []
    bad: list[str] = []
    entities = bad_lines = 0
    for number, text in enumerate(block.split(b"\n"), line):
        text = text.strip().removesuffix(b",")
        if text in (b"", b"[", b"]"):
            continue
        try:
            entity = json.loads(text)
            entities += 1
            row = read_entity(entity, settings, edges)
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            bad_lines += 1
            if len(bad) < NAMED_BAD:
                bad.append(f"line {number} ({_reason(error)})")
            continue
        if row is not None:
            rows.append(row)
    notes = {"entities": entities, "kept": len(rows), "bad_lines": bad_lines, "bad": bad, "edges": edges}
    write_chunk(path, rows, settings, notes)
    return notes


def _reason(error: Exception) -> str:
    if isinstance(error, BadLine):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1} is not UTF-8"
    return "not JSON" if isinstance(error, ValueError | RecursionError) else "not an entity's structure"


def read_entity(entity: object, settings: Settings, edges: list[int]) -> Row | None:
    """Return the row of an entity, None if it is not an item or has too few names. Adds its superclasses to `edges`."""
    if not isinstance(entity, dict) or not isinstance(entity.get("id"), str):
        raise BadLine("not an entity")
    name = entity["id"]
    if entity.get("type", "item") != "item" or not name.startswith("Q"):
        return None  # properties and lexemes
    claims = entity.get("claims") or {}
    subclass_of = _values(claims.get("P279", ()))
    own = _number(name[1:])
    for parent in subclass_of:
        edges += (own, parent)
    weight = 1.0 + len(entity.get("sitelinks") or ())
    names = _names(entity, weight, settings.languages)
    if len({language for language, _, _ in names}) < settings.min_languages:
        return None
    instance_of = _values(claims.get("P31", ()))
    # One list: its classes, or, if it has none, its superclasses as negative numbers.
    return name, instance_of or [-parent for parent in subclass_of], names


def _values(statements: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the items of statements: of preferred ones if there are any, never of deprecated ones."""
    found: dict[str, list[int]] = {"preferred": [], "normal": []}
    for statement in statements:
        snak = statement["mainsnak"]
        rank = statement.get("rank", "normal")
        if snak["snaktype"] == "value" and rank in found:
            value = snak["datavalue"]["value"]
            found[rank].append(_number(value["numeric-id"] if "numeric-id" in value else value["id"][1:]))
    return found["preferred"] or found["normal"]


def _number(written: str | int) -> int:
    number = int(written)
    if not 0 < number < 1 << 62:
        raise BadLine("an impossible item number")
    return number


def _names(entity: dict[str, Any], weight: float, languages: tuple[str, ...]) -> list[tuple[int, float, str]]:
    labels, aliases = entity.get("labels") or {}, entity.get("aliases") or {}
    codes = codes_of(languages)
    names = [(number, weight, labels[code]["value"]) for code in labels for number in codes[code]]
    if "mul" in labels:  # the default for all languages: used for those in Latin script without their own label
        named = {number for number, _, _ in names}
        text = labels["mul"]["value"]
        names += [(number, weight, text) for number in codes.latin if number not in named]
    weight *= ALIAS_WEIGHT
    for code, items in aliases.items():
        for number in codes.latin if code == "mul" else codes[code]:
            names += [(number, weight, item["value"]) for item in items]
    if not all(type(text) is str for _, _, text in names):
        raise BadLine("a name that is not a text")
    return names
