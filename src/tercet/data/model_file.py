"""The file format of every trained model: a zip of JSON, arrays and bytes. It holds no code and has checksums of all.

`write_model` and `read_model` are the interface; `ModelFile` is what they write and read. The zip holds `model.json`,
one `arrays/NAME.npy` per array and one `bytes/NAME` per other member. `model.json` is an object with these keys:

- format, version: "tercet-model" and the version of this format;
- kind: what sort of model it is, such as "quality-estimation";
- languages: source and target, or null; trained_on: name, SHA-256 and size of each training data set;
- figures: what the model reached, by name; needs: a fingerprint of each thing outside the file that the model needs;
- manifest: what else this kind of model stores;
- members: the SHA-256 of every other member;
- checksum: the SHA-256 of all the above. It identifies the model.

The comment of the zip is the SHA-256 of all bytes before it, so that any changed byte is detected. Checksums are not
signatures: a file can be forged. So nothing is unpickled, sizes are checked before memory is allocated, and the caller
must check the manifest (`has_form`). Members are sorted and have no times: equal models give equal bytes.
"""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from math import prod
from pathlib import Path
from types import UnionType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingFile, UsageError
from .files import writing_bytes
from .lines import open_bytes

FORMAT = "tercet-model"
VERSION = 1  # increase it when older versions of Tercet cannot read the new files
EARLIER = ("tercet-qe",)  # formats of earlier versions of Tercet, which are not read any more
HEADER = "model.json"
ARRAYS, BYTES = "arrays/", "bytes/"
MOST_EXPANSION = 100  # times the size of the file; models expand 3 to 10 times, zip bombs 1,000 times
SMALL = 1 << 26  # bytes that any file may expand to
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # characters that a terminal obeys
# What reading a zip raises if it is damaged, encrypted, or compressed by an unknown method.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)

_MEMBER = re.compile(rf"{ARRAYS}([\w-][\w.-]*)\.npy|{BYTES}([\w-][\w.-]*)", re.ASCII)
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][biuf][1248])', 'fortran_order': False, 'shape': \(([\d, ]{,99})\), \} *\n",
    re.DOTALL,
)
_DIGEST = 64  # characters of a SHA-256 in hexadecimal
_CARD = {
    "version": int,
    "kind": str,
    "trained_on": [{"name": str, "checksum": str, "size": int}],
    "figures": {str: {str: float | int | None}},
    "needs": {str: str},
    "members": {str: str},
}


@dataclass(frozen=True)
class Dataset:
    """A data set that a model was trained on. size: the number of its examples."""

    name: str
    checksum: str
    size: int


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file.

    kind: the sort of model. manifest: a dictionary that JSON can hold, without NaN; its content is up to the kind.
    arrays: numbers or truth values, by name. blobs: other members, as bytes. languages: source and target, where the
    model has them. figures: what the model reached, such as {"ridge": {"rmse": 0.61}}. needs: a fingerprint (a version
    or a checksum) of each thing that the model needs and does not hold. Names of arrays and blobs consist of ASCII
    letters, digits, "_", "-" and ".".
    """

    kind: str
    manifest: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    languages: tuple[str, str] | None = None
    trained_on: tuple[Dataset, ...] = ()
    figures: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 of all that the model holds. It does not depend on how the file is compressed."""
        return str(self._header(self._members())["checksum"])

    def _members(self) -> dict[str, bytes]:
        members = {f"{ARRAYS}{name}.npy": array_bytes(array) for name, array in self.arrays.items()}
        members |= {f"{BYTES}{name}": content for name, content in self.blobs.items()}
        for member in members:
            if not _MEMBER.fullmatch(member):
                raise ValueError(f"{member!r} cannot be the name of a member of a model file.")
        return dict(sorted(members.items()))

    def _header(self, members: Mapping[str, bytes]) -> dict[str, object]:
        content = {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "languages": None if self.languages is None else list(self.languages),
            "trained_on": [asdict(dataset) for dataset in self.trained_on],
            "figures": {name: dict(figures) for name, figures in self.figures.items()},
            "needs": dict(self.needs),
            "manifest": dict(self.manifest),
            "members": {name: sha256(each).hexdigest() for name, each in members.items()},
        }
        return content | {"checksum": _checksum_of(content)}


def write_model(model: ModelFile, path: str | Path) -> None:
    """Write a model to a file. If writing fails, what was there before stays."""
    members, stream = model._members(), io.BytesIO()
    header = json.dumps(model._header(members), indent=1).encode()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in {HEADER: header, **members}.items():
            archive.writestr(member_info(name), content, zipfile.ZIP_DEFLATED, 6)
        archive.comment = bytes(_DIGEST)  # replaced below
    whole = stream.getbuffer()[:-_DIGEST]
    with writing_bytes(path) as file:
        file.write(whole)
        file.write(sha256(whole).hexdigest().encode())


def read_model(path: str | Path, kind: str, *, made_by: str) -> ModelFile:
    """Read a model of this kind. made_by: the command that makes such models, for UsageError and DataError."""
    try:
        with open_bytes(path) as stream:
            return _Reader(path, kind, made_by).read(stream)
    except MissingFile:
        raise UsageError(f"There is no model {path}. Make one with '{made_by}'.") from None


@dataclass(frozen=True)
class _Reader:
    path: str | Path
    kind: str
    made_by: str

    def read(self, stream: BinaryIO) -> ModelFile:
        if stream.read(4) != b"PK\x03\x04":
            raise self._foreign()
        try:
            with zipfile.ZipFile(stream) as archive:
                return self._from_archive(archive, stream)
        except DAMAGE as error:
            raise self._refused(f"is truncated or damaged: {shown(str(error))}") from None

    def _from_archive(self, archive: zipfile.ZipFile, stream: BinaryIO) -> ModelFile:
        infos = {info.filename: info for info in archive.infolist()}
        if HEADER not in infos:
            raise self._foreign()
        size, most = sum(info.file_size for info in archive.infolist()), stream.seek(0, 2) * MOST_EXPANSION
        if size > max(SMALL, most):
            raise self._refused(f"is not a model: it would expand to {size:,} bytes")
        header = self._checked_header(read_member(archive, infos[HEADER], compressed=True))
        self._check_names(archive.namelist(), header["members"])
        arrays: dict[str, NDArray[Any]] = {}
        blobs: dict[str, bytes] = {}
        for member, expected in header["members"].items():
            content = read_member(archive, infos[member], compressed=True)
            if sha256(content).hexdigest() != expected:
                raise self._refused(f"was changed: {member} does not have its checksum")
            if member.startswith(ARRAYS):
                arrays[member.removeprefix(ARRAYS).removesuffix(".npy")] = array_from_bytes(content)
            else:
                blobs[member.removeprefix(BYTES)] = content
        stream.seek(0)
        if archive.comment != sha256(memoryview(stream.read())[:-_DIGEST]).hexdigest().encode():
            raise self._refused("was changed: the file does not have the checksum at its end")
        languages = header["languages"] and tuple(header["languages"])
        trained_on = tuple(Dataset(**dataset) for dataset in header["trained_on"])
        rest = arrays, blobs, languages, trained_on, header["figures"], header["needs"]
        model = ModelFile(header["kind"], header["manifest"], *rest)
        model.__dict__["checksum"] = header["checksum"]  # checked, so it need not be computed again
        return model

    def _checked_header(self, text: bytes) -> dict[str, Any]:
        changed = self._refused(f"was changed: {HEADER} is not as it was written")
        try:
            header = json.loads(text)
            stated = header.pop("checksum", None) if isinstance(header, dict) else None
            found = _checksum_of(header)
        except (ValueError, RecursionError):
            raise changed from None
        if not isinstance(header, dict) or header.get("format") not in (FORMAT, *EARLIER):
            raise self._foreign()
        if header["format"] != FORMAT:
            raise DataError(
                f"{self.path} was written by an earlier version of Tercet, in a format that is not read any more. "
                f"Train it again with '{self.made_by}'."
            )
        version = header.get("version")
        if isinstance(version, int) and version > VERSION:
            raise DataError(
                f"{self.path} has version {version} of the model format, and this version of Tercet reads versions up "
                f"to {VERSION}. Update: pip install -U tercet"
            )
        languages = header.get("languages", ())
        formed = all(has_form(header.get(key), form) for key, form in _CARD.items())
        if not (stated == found and formed and version == VERSION and isinstance(header.get("manifest"), dict)):
            raise changed
        if languages is not None and not (has_form(languages, [str]) and len(languages) == 2):
            raise changed
        if header["kind"] != self.kind:
            raise DataError(
                f"{self.path} holds a model of the kind {header['kind']!r}, and one of the kind {self.kind!r} is "
                f"needed. Make one with '{self.made_by}'."
            )
        return header | {"checksum": found}

    def _check_names(self, names: list[str], members: Mapping[str, str]) -> None:
        if strange := sorted(name for name in members if not _MEMBER.fullmatch(name)):
            raise self._refused(f"was changed: {shown(strange[0])} is not a member of a model file")
        expected = {HEADER, *members}
        if missing := sorted(expected - set(names)):
            raise self._refused(f"is incomplete: {missing[0]} is missing")
        if more := sorted(set(names) - expected):
            raise self._refused(f"was changed: {shown(more[0])} does not belong to the model")
        if len(names) > len(expected):
            raise self._refused("was changed: it has a member twice")

    def _foreign(self) -> DataError:
        return DataError(f"{self.path} is not a model file of Tercet. Make one with '{self.made_by}'.")

    def _refused(self, fault: str) -> DataError:
        return DataError(f"{self.path} {fault}. Copy the file again, or train the model again with '{self.made_by}'.")


def has_form(value: object, form: object) -> bool:
    """Return whether a value from JSON has the given form.

    A form {str: form} is a dictionary with any keys, another dictionary one with exactly these keys, and a list with
    one form a list of such values. Other forms are types. A string must not contain control characters, which a
    terminal would obey; a truth value is not a number.
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
    return isinstance(form, type | UnionType) and isinstance(value, form) and not isinstance(value, bool)


def shown(text: str) -> str:
    """Return a text from an untrusted file so that it can be printed: escaped if it has control characters."""
    return ascii(text) if CONTROL.search(text) else text


def array_bytes(array: NDArray[np.generic]) -> bytes:
    """Encode an array of numbers in numpy's .npy format. The bytes are the same on every platform."""
    stream = io.BytesIO()
    little = np.asarray(array, order="C").astype(array.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(stream, little, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def array_from_bytes(content: bytes) -> NDArray[Any]:
    """Decode what `array_bytes` wrote, else raise ValueError. (numpy's reader allocates what a header claims.)"""
    header = _NPY.match(content)
    if header is None:
        raise ValueError("an array does not begin as an array of numbers does")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[2].split(b",") if size.strip())
    if prod(shape) * dtype.itemsize != len(content) - header.end():
        raise ValueError(f"an array of shape {shape} has the wrong number of bytes")
    array: NDArray[Any] = np.frombuffer(content, dtype, offset=header.end()).reshape(shape)
    return array.astype(dtype.newbyteorder("="))  # a copy, because an array over bytes is read-only


def member_info(name: str) -> zipfile.ZipInfo:
    """Return the zip entry of a member, the same at any time and on any platform."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the earliest time that a zip can hold
    info.external_attr = 0o644 << 16
    info.create_system = 3
    return info


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, *, compressed: bool) -> bytes:
    """Return at most as many bytes of a zip member as it claims, or raise one of `DAMAGE`. compressed: by deflate."""
    if info.compress_type not in ((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) if compressed else (zipfile.ZIP_STORED,)):
        raise zipfile.BadZipFile(f"{info.filename!r} is compressed by a method that is not used here")
    with archive.open(info) as stream:
        return stream.read(info.file_size + 1)


def _checksum_of(header: Mapping[str, object]) -> str:
    """Return the SHA-256 of a header without its checksum. Python writes numbers so that they are read back exactly."""
    return sha256(json.dumps(header, sort_keys=True, allow_nan=False).encode()).hexdigest()
