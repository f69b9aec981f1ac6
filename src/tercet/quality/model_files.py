"""Models of quality estimation as files: one zip with JSON, arrays and resources, and nothing that could run.

`model.json` has the format, what the model is, the SHA-256 of every other member and one of itself. A file that is
foreign, altered, truncated or of a newer format is refused with what is wrong. Equal models are equal bytes: members
are sorted, without times.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..data.files import writing_bytes
from ..errors import DataError, UsageError
from .arrays import CONTROL, DAMAGE, array_bytes, array_from, member_info, read_member, shown

FORMAT = "tercet-qe"
VERSION = 1  # raised when older versions of Tercet cannot read what is written any more
HEADER = "model.json"
ARRAYS, RESOURCES = "arrays/", "resources/"
_ARRAY = re.compile(rf"{ARRAYS}(.+)\.npy")
# How far a file may expand: models do so 3 to 10 times, what was made to fill the memory of others a thousand times.
MOST_EXPANSION = 100
SMALL = 1 << 26  # bytes that any file may expand to


@dataclass(frozen=True, eq=False)
class Parts:
    """What a model consists of: facts that JSON can hold, arrays, and resources as bytes, by name."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    resources: Mapping[str, bytes]


def write_parts(parts: Parts, path: str | Path) -> str:
    """Write the file, whole or not at all; returns the model's checksum."""
    members = _members(parts)
    text, checksum = _header(parts, members)
    with writing_bytes(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        for name, content in [(HEADER, text), *sorted(members.items())]:
            archive.writestr(member_info(name), content, zipfile.ZIP_DEFLATED, 6)
    return checksum


def checksum_of(parts: Parts) -> str:
    """The checksum that the model's file has, or would have: of all that it holds."""
    return _header(parts, _members(parts))[1]


def _members(parts: Parts) -> dict[str, bytes]:
    arrays = {f"{ARRAYS}{name}.npy": array_bytes(array) for name, array in parts.arrays.items()}
    return arrays | {f"{RESOURCES}{name}": content for name, content in parts.resources.items()}


def _header(parts: Parts, members: Mapping[str, bytes]) -> tuple[bytes, str]:
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(members.items())}
    content = {"format": FORMAT, "version": VERSION, "model": dict(parts.facts), "members": sums}
    checksum = _sum_of(content)
    return json.dumps({**content, "checksum": checksum}, indent=1).encode(), checksum


def _sum_of(content: Mapping[str, Any]) -> str:
    """Of the header without its own checksum. Python writes numbers so that they come back as they were."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode()).hexdigest()


def read_parts(path: str | Path) -> tuple[Parts, str]:
    """What a file holds, and its checksum; refuses what is not as `write_parts` left it."""
    try:
        with Path(path).open("rb") as stream:
            return _read(stream, path)
    except FileNotFoundError:
        raise UsageError(f"There is no model {path}. Make one: tercet qe train SRC MT LABELS --out {path}") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a directory; a model's file is needed.") from None
    except OSError as error:
        raise UsageError(f"{str(path)[:200]!r} cannot be read: {error.strerror or error}.") from None


def _read(stream: Any, path: str | Path) -> tuple[Parts, str]:
    begin = stream.read(4)
    stream.seek(0)
    if begin != b"PK\x03\x04":
        raise _foreign(path)
    try:
        with zipfile.ZipFile(stream) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            if HEADER not in infos:
                raise _foreign(path)
            size = sum(info.file_size for info in archive.infolist())
            if size > max(SMALL, MOST_EXPANSION * stream.seek(0, 2)):
                raise DataError(f"{path} is not a model of 'tercet qe train': it would expand to {size:,} bytes.")
            content, checksum = _checked_header(read_member(archive, infos[HEADER], compressed=True), path)
            _check_names(archive.namelist(), content["members"], path)
            members = {
                name: _member(archive, infos[name], expected, path) for name, expected in content["members"].items()
            }
            arrays = {found[1]: array_from(each) for name, each in members.items() if (found := _ARRAY.fullmatch(name))}
    except DAMAGE as error:
        raise DataError(f"{path} is truncated or damaged: {error}. Copy or train the model again.") from None
    resources = {name[len(RESOURCES) :]: each for name, each in members.items() if name.startswith(RESOURCES)}
    return Parts(content["model"], arrays, resources), checksum


def _checked_header(header: bytes, path: str | Path) -> tuple[dict[str, Any], str]:
    try:
        content = json.loads(header)
    except (ValueError, RecursionError):
        raise _altered(path, HEADER) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _foreign(path)
    version = content.get("version")
    if not isinstance(version, int) or version < 1:
        raise _altered(path, HEADER)
    if version > VERSION:
        raise DataError(
            f"{path} has format {version} of models, and this version of Tercet reads formats up to {VERSION}. Update: "
            "pip install -U tercet"
        )
    checksum = content.pop("checksum", None)
    if checksum != _sum_of(content) or not all(isinstance(content.get(part), dict) for part in ("model", "members")):
        raise _altered(path, HEADER)
    return content, str(checksum)


def _check_names(names: list[str], members: Mapping[str, str], path: str | Path) -> None:
    expected = {HEADER, *members}
    strange = [name for name in members if not (name.startswith(RESOURCES) or _ARRAY.fullmatch(name))]
    if strange:
        raise DataError(f"{path} was altered: {shown(min(strange))} is no part of a model.")
    if missing := sorted(expected - set(names)):
        raise DataError(f"{path} is incomplete: {shown(missing[0])} is missing. Copy or train the model again.")
    if more := sorted(set(names) - expected):
        raise DataError(f"{path} was altered: {shown(more[0])} is no part of the model.")
    if len(names) > len(expected):
        raise DataError(f"{path} was altered: it has a member twice.")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, expected: str, path: str | Path) -> bytes:
    content = read_member(archive, info, compressed=True)
    if hashlib.sha256(content).hexdigest() != expected:
        raise _altered(path, info.filename)
    return content


def _foreign(path: str | Path) -> DataError:
    return DataError(f"{path} is not a model of 'tercet qe train'.")


def _altered(path: str | Path, member: str) -> DataError:
    return DataError(f"{path} was altered: {shown(member)} is not what was written. Copy or train the model again.")


def has_form(value: Any, form: Any) -> bool:
    """Whether a part of JSON is as described.

    A dictionary with the key `str` describes all values of one with any names, others their members one by one; a list
    describes all members of one. A string must not have what a terminal would obey; a truth value is no number.
    """
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return False
        if str in form:
            return all(has_form(key, str) and has_form(each, form[str]) for key, each in value.items())
        return value.keys() == form.keys() and all(has_form(value[key], each) for key, each in form.items())
    if isinstance(form, list):
        return isinstance(value, list) and all(has_form(each, form[0]) for each in value)
    if form is str:
        return isinstance(value, str) and not CONTROL.search(value)
    return isinstance(value, form) and not isinstance(value, bool)
