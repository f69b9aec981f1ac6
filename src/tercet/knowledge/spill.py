"""Temporary files of a build: names in sections, one section per bucket of entities.

A chunk of the input becomes one file, written atomically, so that a build that was killed can use the finished ones.
Sections hold JSON: rows of an entity's id, its category (or the Wikidata classes that determine it), and its names,
each as language number, weight, name.
"""

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
from ..text.coding import offsets_of, whole_characters
from .store import bucket_of

Row = tuple[str, str | list[int], list[tuple[int, float, str]]]
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class NameRecord(NamedTuple):
    """A name of an entity in a language.

    weight: how likely the name means this entity, on Wikidata's scale: about the number of Wikipedias with an article
    on it. category: empty if unknown.
    """

    id: str
    language: str
    name: str
    category: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class Settings:
    """The settings of a build. buckets: of entities; parts: of each language's names; each must fit in memory."""

    languages: tuple[str, ...]
    min_languages: int = 2
    max_tokens: int = 16
    lemmas: bool = False
    buckets: int = 16
    parts: int = 1


def is_text(text: str) -> bool:
    """Return whether a text can be encoded: half a surrogate pair cannot."""
    return text.isascii() or whole_characters(text) == text


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause garbage collection: millions of live rows have no cycles, and walking them takes half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def write_sections(path: Path, sections: Sequence[bytes]) -> None:
    """Write a file of several sections, each of which can be read alone."""
    places = offsets_of(list(map(len, sections))) + 8 * (len(sections) + 2)
    with writing_bytes(path) as stream:
        stream.write(np.append(len(sections), places).astype(np.int64).tobytes())
        stream.writelines(sections)


def read_section(path: Path, number: int) -> bytes:
    """Read one section of a file."""
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
    """Write rows by bucket. The last section holds notes on the chunk."""
    buckets: list[list[Row]] = [[] for _ in range(settings.buckets)]
    for row in rows:
        buckets[bucket_of(row[0], settings.buckets)].append(row)
    texts = [*map(_encode, buckets), _encode(notes)]
    write_sections(path, [text.encode("utf-8", "surrogatepass") for text in texts])


def read_bucket(path: Path, bucket: int) -> Any:
    """Read the rows of one bucket of a chunk, or, for the number after the last bucket, its notes."""
    try:
        return json.loads(read_section(path, bucket).decode("utf-8", "surrogatepass"))
    except ValueError:
        raise DataError(f"{path} is damaged. Remove {path.parent} and build again.") from None
