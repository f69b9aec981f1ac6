"""Names on their way into a knowledge base: files cut into sections, one for each bucket of entities.

A chunk of the input becomes one file, written whole or not at all; a build that was killed finds the finished ones.
Sections hold JSON: rows of an entity's id, its category (or the Wikidata classes that decide it), and names, each as
language number, weight, name.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data.files import writing_bytes
from ..errors import DataError
from .store import bucket_of

Row = tuple[str, str | list[int], list[tuple[int, float, str]]]
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class NameRecord(NamedTuple):
    """A name of an entity in a language.

    weight: how likely the name means this entity, on the scale of Wikidata's: about the number of Wikipedias that have
    an article on it. category: empty if unknown.
    """

    id: str
    language: str
    name: str
    category: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class Settings:
    """What every step of a build needs to know. buckets of entities, parts of each language's names: fit in memory."""

    languages: tuple[str, ...]
    min_languages: int = 2
    max_tokens: int = 16
    lemmas: bool = False
    buckets: int = 16
    parts: int = 1


def is_text(text: str) -> bool:
    """Whether a text is one: half a surrogate pair is not."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def collector_paused() -> Iterator[None]:
    """No search for cycles: millions of rows are alive and have none, and walking them takes half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def write_sections(path: Path, sections: Sequence[bytes]) -> None:
    """A file of several sections, each of which can be read alone."""
    starts = np.zeros(len(sections) + 2, np.int64)
    starts[0] = len(sections)
    starts[1] = starts.nbytes
    np.cumsum([len(section) for section in sections], out=starts[2:])
    starts[2:] += starts[1]
    with writing_bytes(path) as stream:
        stream.write(starts.tobytes())
        for section in sections:
            stream.write(section)


def read_section(path: Path, number: int) -> bytes:
    """One section of a file."""
    try:
        with path.open("rb") as stream:
            head = np.frombuffer(stream.read(8), np.int64)
            stream.seek(8 * (number + 1))
            first, last = np.frombuffer(stream.read(16), np.int64)
            stream.seek(int(first))
            section = stream.read(int(last - first))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}. Remove {path.parent} and build again.") from None
    if not len(head) or len(section) != last - first:
        raise DataError(f"{path} is damaged. Remove {path.parent} and build again.")
    return section


def write_chunk(path: Path, rows: Iterable[Row], settings: Settings, notes: dict[str, Any]) -> None:
    """Rows by bucket; the last section holds notes on the chunk."""
    buckets: list[list[Row]] = [[] for _ in range(settings.buckets)]
    for row in rows:
        buckets[bucket_of(row[0], settings.buckets)].append(row)
    texts = [*map(_encode, buckets), _encode(notes)]
    write_sections(path, [text.encode("utf-8", "surrogatepass") for text in texts])


def read_bucket(path: Path, bucket: int) -> Any:
    """The rows of one bucket of a chunk, or, after the last bucket, its notes."""
    try:
        return json.loads(read_section(path, bucket).decode("utf-8", "surrogatepass"))
    except ValueError:
        raise DataError(f"{path} is damaged. Remove {path.parent} and build again.") from None
