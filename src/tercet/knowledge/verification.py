"""Whether the files of a knowledge base are those that were written: a checksum, and numbers within their bounds.

Reading all files takes a second per gigabyte, so it is done once: the stamp, a small file in the folder, then records
the sizes and times of change. A folder that cannot be written to is read whenever it is opened.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.files import writing
from ..errors import DataError, UsageError

STAMP = "verified.json"
_ROWS = 1 << 20  # numbers that are checked at once
# Places in other arrays: (starts, the array they are places of).
_STARTS = (
    ("entity_start", "entity_text"),
    ("label_text_start", "label_text"),
    ("alias_start", "alias_text"),
    ("candidate_start", "candidate_entity"),
    ("bucket_start", "category"),
    ("label_start", "label_language"),
)


def checksum(folder: Path, names: Iterable[str]) -> str:
    """Return a checksum of the names and contents of all arrays."""
    digest = hashlib.sha256()
    for name in sorted(names):
        with (folder / f"{name}.bin").open("rb") as stream:
            digest.update(f"{name} {hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


def verify_once(folder: Path, manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise DataError if the files were changed since they were written. Unchanged files are read only once."""
    facts = _facts(folder, manifest["checksum"], arrays)
    if _read_stamp(folder) == facts:
        return
    verify(folder, manifest, arrays)
    try:
        with writing(folder / STAMP) as stream:
            stream.write(json.dumps(facts) + "\n")
    except UsageError:
        pass  # somebody else's folder: it is read again next time


def verify(folder: Path, manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Read all arrays. Raise DataError if their checksum differs or a number is out of bounds."""
    try:
        found = checksum(folder, arrays)
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}. Build it again.") from None
    if found != manifest["checksum"]:
        raise DataError(
            f"The knowledge base {folder} is damaged: its files have checksum {found[:16]}…, its manifest has "
            f"{manifest['checksum'][:16]}…. Build it again."
        )
    wrong = _find_wrong(arrays, len(manifest["categories"]), len(manifest["languages"]))
    if wrong:
        raise DataError(f"The knowledge base {folder} is damaged: {wrong}.bin has numbers that cannot be right.")


def _facts(folder: Path, digest: str, names: Iterable[str]) -> dict[str, Any]:
    states = {name: (folder / f"{name}.bin").stat() for name in sorted(names)}
    return {"checksum": digest, "files": {name: [each.st_size, each.st_mtime_ns] for name, each in states.items()}}


def _read_stamp(folder: Path) -> object:
    try:
        return json.loads((folder / STAMP).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _find_wrong(arrays: Mapping[str, NDArray[Any]], categories: int, languages: int) -> str | None:
    """Return the name of an array that does not fit the others; None if all do."""
    entities, candidates = len(arrays["category"]), len(arrays["candidate_entity"])
    lengths = {
        "prior": entities, "languages": entities, "entity_start": entities + 1, "label_start": entities + 1,
        "label_text_start": len(arrays["label_language"]) + 1, "candidate_start": len(arrays["alias_start"]),
        "candidate_weight": candidates, "candidate_flags": candidates,
    }  # fmt: skip
    for name, length in lengths.items():
        if len(arrays[name]) != length:
            return name
    for name, target in _STARTS:
        if not _are_places(arrays[name], len(arrays[target])):
            return name
    for name, limit in (("category", categories), ("label_language", languages), ("candidate_entity", entities)):
        if any((block >= limit).any() for block in _blocks(arrays[name])):
            return name
    for name in ("prior", "candidate_weight"):
        if not all(np.isfinite(block).all() for block in _blocks(arrays[name])):
            return name
    return None


def _are_places(starts: NDArray[Any], size: int) -> bool:
    """Return whether starts begin at 0, never decrease, and end at `size`."""
    if not len(starts) or starts[0] != 0 or starts[-1] != size:
        return False
    return all((np.diff(starts[i : i + _ROWS + 1]) >= 0).all() for i in range(0, len(starts), _ROWS))


def _blocks(array: NDArray[Any]) -> Iterable[NDArray[Any]]:
    return (array[i : i + _ROWS] for i in range(0, len(array), _ROWS))
