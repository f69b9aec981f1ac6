"""Mentions as files: our JSON lines, and the JSON of the KoBE authors (Gekhman et al., 2020).

Our lines are what `tercet link` writes: `{"text": …, "mentions": [{"start", "end", "text", "entities", "category",
"weight"}]}`, places in code points. KoBE's published files are one object with a list `annotated_sentence`, each with
`entities` that have an `id`, a start in bytes of UTF-8 and an end as many characters later; the same, one sentence per
line with entities as [begin, end, id], is read too.
"""

from __future__ import annotations

import gzip
import json
import logging
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import DataError, UsageError
from .mentions import AnnotationLinker, Mention

log = logging.getLogger(__name__)

_BEGIN, _END = ("start", "begin", "start_offset", "begin_offset"), ("end", "end_offset", "limit")


def read(path: str | Path, texts: Sequence[str] | None = None, *, system: str | None = None) -> AnnotationLinker:
    """A linker that hands out a file's annotations.

    texts: the sentences, for a file of KoBE's that lacks them. system: only the lines whose field `system` says so, and
    those without one, such as the source's. Of a text that was annotated more than once and differently, as by a linker
    that looks at whole documents, the first counts.
    """
    path = Path(path)
    annotations: dict[str, list[Mention]] = {}
    different = 0
    for text, mentions in _sentences(path, _content(path), texts, system):
        known = annotations.setdefault(text, mentions)
        different += sorted(m.entities for m in known) != sorted(m.entities for m in mentions)
    if different:
        log.warning(
            "%s annotates %d texts again and differently; the first annotation of each counts.", path, different
        )
    return AnnotationLinker(annotations, name=path.name)


def to_json(text: str, mentions: Sequence[Mention]) -> str:
    """One line of our format, without the line feed."""
    rows = [
        {
            "start": mention.start,
            "end": mention.end,
            "text": mention.text,
            "entities": list(mention.entities),
            "category": mention.category,
            "weight": round(mention.weight, 4),
        }
        for mention in mentions
    ]
    return json.dumps({"text": text, "mentions": rows}, ensure_ascii=False)


def write(path: str | Path, texts: Iterable[str], mentions: Iterable[Sequence[Mention]]) -> None:
    """Our format; the file appears whole or not at all."""
    from ..data.files import writing

    with writing(path) as stream:
        for text, found in zip(texts, mentions, strict=True):
            stream.write(to_json(text, found) + "\n")


def _content(path: Path) -> str:
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        return data.decode("utf-8")
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} cannot be read as annotations: {error}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None


def _sentences(
    path: Path, content: str, texts: Sequence[str] | None, system: str | None
) -> Iterator[tuple[str, list[Mention]]]:
    """The text of each sentence and its mentions."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and "annotated_sentence" in whole:
        if not isinstance(whole["annotated_sentence"], list):
            raise DataError(f"{path}: 'annotated_sentence' is not a list of sentences.")
        rows = [(f"{path}, sentence {number}", row) for number, row in enumerate(whole["annotated_sentence"], 1)]
    else:
        rows = list(_lines(path, content))
    if system is not None:
        if not any(isinstance(row, dict) and row.get("system") == system for _, row in rows):
            raise DataError(f"{path} has no annotations of a system {system!r}.")
        rows = [(at, row) for at, row in rows if not isinstance(row, dict) or row.get("system") in (system, None)]
    if texts is not None and len(texts) != len(rows):
        raise DataError(f"{path} has {len(rows)} sentences, and {len(texts)} texts belong to it.")
    for number, (where, row) in enumerate(rows):
        if not isinstance(row, dict):
            raise DataError(f"{where} is not a sentence: an object with its mentions is expected.")
        text = texts[number] if texts is not None else _text(row, where)
        found = row.get("mentions", row.get("entities"))
        if not isinstance(found, list):
            raise DataError(f"{where} has no list 'mentions' (ours) or 'entities' (KoBE's).")
        own = "mentions" in row
        yield text, [_mention(item, text, where, in_bytes=not own) for item in found]


def _lines(path: Path, content: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            try:
                yield f"{path}, line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path}, line {number} is not JSON: {error}.") from None


def _text(row: dict[str, Any], where: str) -> str:
    """The sentence: the field `text`, or else the only field that holds a string."""
    if isinstance(row.get("text"), str):
        return str(row["text"])
    strings = [value for value in row.values() if isinstance(value, str)]
    if len(strings) != 1:
        raise DataError(f"{where} has no text. Give the sentences beside the file (texts), one per annotation.")
    return strings[0]


def _mention(item: Any, text: str, where: str, *, in_bytes: bool) -> Mention:
    entities: tuple[str, ...]
    try:
        if isinstance(item, list):
            start, end, entities = int(item[0]), int(item[1]), (str(item[2]),)
            category, weight = "", 1.0
        else:
            start = int(next(item[key] for key in _BEGIN if key in item))
            end = int(next(item[key] for key in _END if key in item))
            named = item["entities"] if "entities" in item else [item["id"]]
            if not isinstance(named, list):  # the letters of a text are no entities
                raise TypeError
            entities = tuple(map(str, named))
            category, weight = str(item.get("category", "")), float(item.get("weight", 1.0))
    except (KeyError, IndexError, TypeError, ValueError, StopIteration):
        raise DataError(f"{where}: {json.dumps(item)[:80]} is not a mention with its place and entity.") from None
    if in_bytes and not text.isascii():
        length = end - start  # KoBE's places begin at a byte and end as many characters later (its sample shows it)
        start = len(text.encode("utf-8", "surrogatepass")[:start].decode("utf-8", "replace"))
        end = start + length
    if not 0 <= start <= end or not entities:
        raise DataError(f"{where}: {json.dumps(item)[:80]} has no place in the text, or names no entity.")
    return Mention(start, end, text[start:end], entities, category, weight)
