"""Arrays of large tables, kept in the user's folder of data sets and mapped into memory by later runs.

A file is named after the checksum of its table. Its first line has the SHA-256 of the rest and, as JSON, what is in it.
What does not fit is made again. A folder that cannot be written is no error.
"""

import json
import logging
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..data.catalogue import data_folder
from ..data.files import make_folder, writing_bytes
from ..errors import TercetError

log = logging.getLogger(__name__)

FORMAT = "tercet-table 1"
DIGEST = 64  # characters of a SHA-256
ALIGNED = 64  # bytes: the first line is filled up to a multiple of this
LONGEST_HEADER = 1 << 16

Arrays = Mapping[str, NDArray[np.uint64]]


def load(origin: str, folder: Path | None = None) -> tuple[dict[str, int], Arrays] | None:
    """Return the numbers and arrays kept under the checksum of a table; None if there are none, or they are damaged."""
    path = _path(origin, folder)
    try:
        with path.open("rb") as stream:
            line = stream.readline(LONGEST_HEADER)
        content = np.memmap(path, dtype=np.uint64, mode="r", offset=len(line))
        if _digest(line[DIGEST:], [content]) != line[:DIGEST].decode():
            raise ValueError("another checksum")
        header = json.loads(line[DIGEST:])
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.warning("%s is damaged (%s) and is made again.", path, error)
        return None
    if header["format"] != FORMAT or header["origin"] != origin:
        return None
    parts = np.split(content, np.cumsum(list(header["lengths"].values()))[:-1])
    return header["facts"], dict(zip(header["lengths"], parts, strict=True))


def keep(origin: str, facts: Mapping[str, int], arrays: Arrays, folder: Path | None = None) -> None:
    """Keep arrays under the checksum of the table that they were made from."""
    path = _path(origin, folder)
    lengths = {name: len(array) for name, array in arrays.items()}
    line = json.dumps({"format": FORMAT, "origin": origin, "facts": facts, "lengths": lengths}).encode()
    line = b" " + line + b" " * (-(DIGEST + len(line) + 2) % ALIGNED) + b"\n"
    try:
        make_folder(path.parent)
        with writing_bytes(path) as stream:
            stream.write(_digest(line, arrays.values()).encode() + line)
            for array in arrays.values():
                stream.write(array.data)
    except TercetError as error:  # a table that is not kept is read again the next time
        log.info("%s", error)


def _digest(line: bytes, arrays: Iterable[NDArray[np.uint64]]) -> str:
    digest = sha256(line)
    for array in arrays:
        digest.update(array.data)
    return digest.hexdigest()


def _path(origin: str, folder: Path | None) -> Path:
    return (folder or data_folder() / ".tables") / f"{origin}.table"
