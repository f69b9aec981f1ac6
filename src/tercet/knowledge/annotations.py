"""Read and write files of mentions: our JSON lines, and the JSON of the KoBE authors (Gekhman et al., 2020).

`tercet link` writes our lines: `{"text": …, "mentions": [{"start", "end", "text", "entities", "category", "weight"}]}`,
with places in code points. KoBE's published files are one object with a list `annotated_sentence`. Each sentence has
`entities` with an `id`, a start in bytes of UTF-8, and an end that is start plus the length in characters. Files with
one such sentence per line, and entities as [begin, end, id], are read too.
"""

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..data.files import writing
from ..data.lines import read_lines
from ..errors import DataError
from .mentions import AnnotationLinker, Mention

log = logging.getLogger(__name__)

_BEGIN, _END = ("start", "begin", "start_offset", "begin_offset"), ("end", "end_offset", "limit")


def read(path: str | Path, texts: Sequence[str] | None = None, *, system: str | None = None) -> AnnotationLinker:
    """Return a linker with the annotations of a file.

    texts: the sentences, for a file of KoBE's without them. system: read only lines with this `system`, or without one.
    Of several different annotations of a text (by linkers of documents) the first is used, with a warning.
    """
    path = Path(path)
    annotations: dict[str, list[Mention]] = {}
    different = 0
    for text, mentions in _sentences(path, texts, system):
        known = annotations.setdefault(text, mentions)
        different += sorted(m.entities for m in known) != sorted(m.entities for m in mentions)
    if different:
        log.warning("%s has several different annotations of %d texts; the first of each is used.", path, different)
    return AnnotationLinker(annotations, name=path.name)


def to_json(text: str, mentions: Sequence[Mention]) -> str:
    """Return one line of our format, without the line feed."""
    rows = [mention._replace(weight=round(mention.weight, 4))._asdict() for mention in mentions]
    return json.dumps({"text": text, "mentions": rows}, ensure_ascii=False)


def write(path: str | Path, texts: Iterable[str], mentions: Iterable[Sequence[Mention]]) -> None:
    """Write a file in our format, atomically."""
    with writing(path) as stream:
        for text, found in zip(texts, mentions, strict=True):
            stream.write(to_json(text, found) + "\n")


def _sentences(path: Path, texts: Sequence[str] | None, system: str | None) -> Iterator[tuple[str, list[Mention]]]:
    """Yield the text and the mentions of each sentence."""
    lines = read_lines(path)
    try:
        whole = json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and "annotated_sentence" in whole:
        if not isinstance(whole["annotated_sentence"], list):
            raise DataError(f"{path}: 'annotated_sentence' is not a list of sentences.")
        rows = [(f"{path}, sentence {number}", row) for number, row in enumerate(whole["annotated_sentence"], 1)]
    else:
        rows = list(_rows(path, lines))
    if system is not None:
        if not any(isinstance(row, dict) and row.get("system") == system for _, row in rows):
            raise DataError(f"{path} has no annotations of a system {system!r}.")
        rows = [(at, row) for at, row in rows if not isinstance(row, dict) or row.get("system") in (system, None)]
    if texts is not None and len(texts) != len(rows):
        raise DataError(f"{path} has {len(rows)} sentences, but {len(texts)} texts are given.")
    for number, (where, row) in enumerate(rows):
        if not isinstance(row, dict):
            raise DataError(f"{where} is not a sentence: an object with mentions is needed.")
        text = texts[number] if texts is not None else _text(row, where)
        found = row.get("mentions", row.get("entities"))
        if not isinstance(found, list):
            raise DataError(f"{where} has no list 'mentions' (ours) or 'entities' (KoBE's).")
        yield text, [_mention(item, text, where, in_bytes="mentions" not in row) for item in found]


def _rows(path: Path, lines: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield f"{path}, line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path}, line {number} is not JSON: {error}.") from None


def _text(row: dict[str, Any], where: str) -> str:
    """Return the sentence: the field `text`, or else the only field with a string."""
    if isinstance(row.get("text"), str):
        return str(row["text"])
    strings = [value for value in row.values() if isinstance(value, str)]
    if len(strings) != 1:
        raise DataError(f"{where} has no text. Pass the sentences as `texts`, one per annotation.")
    return strings[0]


def _mention(item: dict[str, Any] | list[Any], text: str, where: str, *, in_bytes: bool) -> Mention:
    try:
        if isinstance(item, list):
            item = {"start": item[0], "end": item[1], "id": item[2]}
        start = int(next(item[key] for key in _BEGIN if key in item))
        end = int(next(item[key] for key in _END if key in item))
        named = item["entities"] if "entities" in item else [item["id"]]
        if not isinstance(named, list):  # a text would be split into letters
            raise TypeError
        entities = tuple(map(str, named))
        category, weight = str(item.get("category", "")), float(item.get("weight", 1.0))
    except (KeyError, IndexError, TypeError, ValueError, StopIteration):
        raise DataError(f"{where}: {json.dumps(item)[:80]} is not a mention with place and entity.") from None
    if in_bytes and not text.isascii():
        length = end - start  # KoBE's start is in bytes, but the length in characters, as its sample file shows
        start = len(text.encode("utf-8", "surrogatepass")[:start].decode("utf-8", "replace"))
        end = start + length
    if not 0 <= start <= end or not entities:
        raise DataError(f"{where}: {json.dumps(item)[:80]} has no valid place in the text, or no entity.")
    return Mention(start, end, text[start:end], entities, category, weight)
