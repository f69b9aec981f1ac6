"""The knowledge base on disk: a folder of memory-mapped arrays and a manifest.

Entities have numbers. Names are stored by language, in the forms of `normalise.py`, and point to the entities that they
may name. Opening maps the files and reads the manifest: it takes milliseconds, and processes share the memory. The
first time, all files are read and verified.
"""

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UnknownName, UsageError
from ..kernels import mentions, warn_if_slow
from ..text.coding import call
from .verification import verify, verify_once

FORMAT = 1  # increased when files of an older version can no longer be read
MANIFEST = "manifest.json"
# Flags of a candidate: its source writes the name with capitals, without capitals, in this form. A name without the
# last flag was entered only with base forms of its words.
CAPITALISED, LOWERCASE, OWN_FORM = 1, 2, 4

# Every array by name, with its type. The file is called NAME.bin and has no header.
ARRAYS: dict[str, Any] = {
    "entity_text": np.uint8,  # ids
    "entity_start": np.int64,
    "bucket_start": np.int64,  # first entity of each bucket; ids are sorted within a bucket, see `bucket_of`
    "category": np.uint8,
    "prior": np.float32,
    "languages": np.uint64,  # bit l: language l has a name for it
    "label_start": np.int64,  # of an entity, among labels
    "label_language": np.uint8,
    "label_text_start": np.int64,
    "label_text": np.uint8,
    "alias_text": np.uint8,  # keys: forms with a separator between them
    "alias_start": np.int64,
    "candidate_start": np.int64,  # of an alias, among candidates
    "candidate_entity": np.uint32,
    "candidate_weight": np.float32,
    "candidate_flags": np.uint8,
    "slots": np.uint64,  # one table for each language after the other, see kernels/mentions.py
}
# The keys that a manifest must have.
_KEYS: dict[str, type] = {
    "name": str, "languages": list, "categories": list, "checksum": str, "tables": dict, "arrays": dict,
    "entities": int, "entities_by_category": dict, "candidates": int, "aliases": dict, "sources": list,
    "left_out": dict, "tercet": str,
}  # fmt: skip
_TABLE = ("first_alias", "aliases", "first_slot", "slots", "longest")
_LONGEST = 1000  # tokens of a name, at most
_BLOCK = 1 << 18  # size of the buffer for hits

Numbers = NDArray[np.int32]


def bucket_of(entity_id: str, buckets: int) -> int:
    """Return the bucket of an entity, the same on every machine."""
    return crc32(entity_id.encode("utf-8", "surrogatepass")) % buckets


@dataclass(frozen=True, eq=False)
class Hits:
    """All names found in sentences, also overlapping ones, ordered by sentence, first token, last token.

    Arrays of equal length: the sentence, the first and last token of the name (inclusive), the alias.
    """

    sentence: Numbers
    first: Numbers
    last: Numbers
    alias: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sentence)


class KnowledgeBase:
    """Entities and their names in several languages. Immutable; pickled as its path."""

    def __init__(self, path: Path, manifest: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self.path = path
        self._manifest = manifest
        self._arrays = arrays
        self.name: str = manifest["name"]
        self.languages: tuple[str, ...] = tuple(manifest["languages"])
        self.categories: tuple[str, ...] = tuple(manifest["categories"])
        self.checksum: str = manifest["checksum"]

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open the knowledge base in a folder. Raises DataError if it is damaged or of another format version."""
        folder = Path(path)
        manifest = _read_manifest(folder)
        arrays = {name: _mapped(folder, name, manifest["arrays"].get(name)) for name in ARRAYS}
        verify_once(folder, manifest, arrays)
        return cls(folder.absolute(), manifest, arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return KnowledgeBase.open, (self.path,)

    def __len__(self) -> int:
        return len(self._arrays["category"])

    def entity_id(self, entity: int) -> str:
        return self._string("entity_text", "entity_start", entity)

    def category(self, entity: int) -> str:
        try:
            return self.categories[int(self._arrays["category"][entity])]
        except IndexError:
            raise self._damaged("category") from None

    def prior(self, entity: int) -> float:
        """Return how likely the entity is relative to others: the largest weight of its names."""
        return float(self._arrays["prior"][entity])

    def label(self, entity: int, language: str) -> str | None:
        """Return the entity's main name in a language, None if it has none."""
        first, last = self._places("label_start", "label_language", entity)
        rows = np.flatnonzero(self._arrays["label_language"][first:last] == self._language(language))
        return self._string("label_text", "label_text_start", first + int(rows[0])) if len(rows) else None

    def named_in(self, language: str) -> NDArray[np.bool_]:
        """Return whether the language has a name for each entity, shape (entities,)."""
        bit = np.uint64(1 << self._language(language))
        named: NDArray[np.bool_] = (self._arrays["languages"] & bit) != 0
        return named

    def number_of(self, entity_id: str) -> int | None:
        """Return the number of the entity with this id, None if there is none."""
        starts = self._arrays["bucket_start"]
        bucket = bucket_of(entity_id, len(starts) - 1)
        wanted = entity_id.encode("utf-8", "surrogatepass")
        low, high = self._places("bucket_start", "category", bucket)
        place = bisect_left(range(high), wanted, low, high, key=self._id_bytes)
        return place if place < high and self._id_bytes(place) == wanted else None

    def candidates(self, alias: int) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """Return the entities that a name may mean and their weights, the largest weight first."""
        first, last = self._places("candidate_start", "candidate_entity", alias)
        return self._arrays["candidate_entity"][first:last], self._arrays["candidate_weight"][first:last]

    def flags(self, alias: int) -> NDArray[np.uint8]:
        """Return for each candidate of a name CAPITALISED, LOWERCASE, OWN_FORM or a sum of them."""
        first, last = self._places("candidate_start", "candidate_entity", alias)
        return self._arrays["candidate_flags"][first:last]

    def alias(self, alias: int) -> tuple[str, ...]:
        return tuple(self._string("alias_text", "alias_start", alias).split(mentions.SEPARATOR))

    def names(self, entities: Iterable[int], language: str) -> dict[int, list[tuple[str, ...]]]:
        """Return the forms of all names that entities have in a language. One pass over the names of the language."""
        wanted = np.unique(np.fromiter(entities, np.int64))
        table = self._manifest["tables"][self.languages[self._language(language)]]
        starts = self._arrays["candidate_start"][table["first_alias"] : table["first_alias"] + table["aliases"] + 1]
        found: dict[int, list[tuple[str, ...]]] = {entity: [] for entity in wanted.tolist()}
        if not len(starts):
            return found
        first = int(starts[0])
        candidates = self._arrays["candidate_entity"][first : int(starts[-1])]
        places = np.flatnonzero(np.isin(candidates, wanted))
        aliases = np.searchsorted(starts, places + first, side="right") - 1 + table["first_alias"]
        for entity, alias in zip(candidates[places].tolist(), aliases.tolist(), strict=True):
            found[entity].append(self.alias(alias))
        return found

    def find(self, forms: Sequence[Sequence[str]], language: str) -> Hits:
        """Find all names of a language in sentences, given as the forms of their tokens (`normalise.token_forms`)."""
        warn_if_slow()
        table = self._manifest["tables"][self.languages[self._language(language)]]
        counts = np.fromiter(map(len, forms), np.int64, len(forms))
        joined = mentions.SEPARATOR.join(chain.from_iterable(forms)).encode("utf-8", "surrogatepass")
        if joined.count(b"\x1f") != max(0, int(counts.sum()) - 1):
            raise DataError(f"A token contains the control character {mentions.SEPARATOR!r}, which is not allowed.")
        sentence, first, last, alias = _find(np.frombuffer(joined, np.uint8), counts, self._arrays, table)
        return Hits(sentence, first, last, alias + np.int64(table["first_alias"]))

    def info(self) -> dict[str, Any]:
        """Return what `tercet kb info` prints: the manifest without internal data, the path and the size."""
        shown = {key: value for key, value in self._manifest.items() if key not in ("tables", "arrays")}
        return {**shown, "path": str(self.path), "bytes": sum(array.nbytes for array in self._arrays.values())}

    def verify(self) -> None:
        """Read all arrays. Raises DataError if their checksum differs or a number is out of bounds."""
        verify(self.path, self._manifest, self._arrays)

    def _language(self, language: str) -> int:
        if language not in self.languages:
            raise UnknownName(f"language in the knowledge base {self.name!r}", language, self.languages)
        return self.languages.index(language)

    def _string(self, text: str, start: str, row: int) -> str:
        try:
            return self._slice(text, start, row).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise self._damaged(text) from None

    def _id_bytes(self, entity: int) -> bytes:
        return self._slice("entity_text", "entity_start", entity)

    def _slice(self, text: str, start: str, row: int) -> bytes:
        first, last = self._places(start, text, row)
        return self._arrays[text][first:last].tobytes()

    def _places(self, start: str, target: str, row: int) -> tuple[int, int]:
        """Return where a row begins and ends in another array."""
        found = self._arrays[start][row : row + 2].tolist()
        if len(found) != 2 or not 0 <= found[0] <= found[1] <= len(self._arrays[target]):
            raise self._damaged(start)
        return found[0], found[1]

    def _damaged(self, array: str) -> DataError:
        return DataError(f"The knowledge base {self.path} is damaged ({array}.bin). Build it again.")


def _find(
    text: NDArray[np.uint8], counts: NDArray[np.int64], arrays: dict[str, NDArray[Any]], table: dict[str, int]
) -> Numbers:
    """Return hits as columns, found by the kernel in blocks that fit the buffer."""
    most = int(counts.max(initial=0))
    longest = table["longest"]
    if not most or not table["aliases"]:
        return np.empty((4, 0), np.int32)
    slots = arrays["slots"][table["first_slot"] : table["first_slot"] + table["slots"]]
    starts = arrays["alias_start"][table["first_alias"] : table["first_alias"] + table["aliases"] + 1]
    state = np.zeros(3, np.int64)
    places, words, firsts = np.empty(most + 1, np.int64), np.empty(most, np.uint64), np.empty(most, np.uint64)
    hits = np.empty((4, max(_BLOCK, most * longest)), np.int32)
    given, scratch = (text, counts, state, slots, arrays["alias_text"], starts), (places, words, firsts, hits)
    found = []
    while state[0] < len(counts):
        done = call(mentions.find, *given, longest, *scratch)
        if done < 0:
            raise DataError("The knowledge base is damaged (slots.bin or alias_start.bin). Build it again.")
        found.append(hits[:, :done].copy())
    return np.concatenate(found, axis=1)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not folder.is_dir():
        raise UsageError(f"There is no knowledge base {folder}. Build one: tercet kb build … --out {folder}")
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{folder} is not a knowledge base: it has no {MANIFEST}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise DataError(f"{path} is damaged: it is not JSON. Build the knowledge base again.") from None
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise DataError(f"{path} is not the manifest of a knowledge base: it has no format version.")
    if manifest["format"] != FORMAT:
        raise DataError(
            f"The knowledge base {folder} has format version {manifest['format']}; this version of Tercet reads "
            f"{FORMAT}. Build it again, or use the version that built it ({manifest.get('tercet', 'unknown')})."
        )
    wrong = sorted(key for key, kind in _KEYS.items() if not isinstance(manifest.get(key), kind))
    if not wrong and not _tables_fit(manifest):
        wrong = ["tables"]
    if wrong:
        raise DataError(f"{path} is damaged: {', '.join(wrong)} is missing or wrong. Build the knowledge base again.")
    return manifest


def _tables_fit(manifest: dict[str, Any]) -> bool:
    """Return whether every language's names and slots are within the arrays: the kernel does not check that."""
    aliases, slots = manifest["arrays"].get("alias_start", 0), manifest["arrays"].get("slots", 0)
    for language in manifest["languages"]:
        table = manifest["tables"].get(language)
        if not isinstance(table, dict) or not all(isinstance(table.get(key), int) for key in _TABLE):
            return False
        size = table["slots"]
        if min(table[key] for key in _TABLE) < 0 or size < 1 or size & (size - 1) or table["longest"] > _LONGEST:
            return False
        if table["first_alias"] + table["aliases"] >= aliases or table["first_slot"] + size > slots:
            return False
    return True


def _mapped(folder: Path, name: str, length: object) -> NDArray[Any]:
    path, kind = folder / f"{name}.bin", np.dtype(ARRAYS[name])
    try:
        size = path.stat().st_size
        if not isinstance(length, int) or size != length * kind.itemsize:
            raise DataError(
                f"{path} is damaged: it has {size} bytes, not {length} numbers of {kind.itemsize} bytes. "
                "Build the knowledge base again."
            )
        if not length:
            return np.empty(0, kind)
        # A plain array view: slicing an np.memmap costs more than looking up a name.
        return np.asarray(np.memmap(path, dtype=kind, mode="r"))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}. Build the knowledge base again.") from None
