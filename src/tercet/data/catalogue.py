"""The catalogue of known data sets (catalogue.toml), and the folder with a user's copies of them.

Each copy is a folder `NAME/` with `data/` (the files) and `record.json` (their origin, date and checksum). If the
catalogue has no checksum, `.NAME.sha256` in the same folder keeps that of the first download, to check later ones.
Copies are made atomically. `data_folder` returns the user's own folder; all other functions take it as an argument.
"""

import hashlib
import json
import logging
import os
import re
import secrets
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import DataError, UnknownName, UsageError
from .archives import MAX_BYTES, MAX_FILES, Opener, Progress, download, extract, is_archive
from .archives import https_opener as https_opener
from .files import make_folder, move_folder, writing

log = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


@dataclass(frozen=True)
class Entry:
    """A data set of the catalogue.

    address: a web page. archive: the address of the download, if any. sha256: of the archive, None if not published.
    layout: a name of `tercet.data.layouts`, or "own". inside: the folder within the archive that has this layout.
    source: where the addresses are published.
    """

    name: str
    description: str
    address: str
    source: str
    licence: str
    citation: str
    layout: str = "own"
    archive: str | None = None
    sha256: str | None = None
    inside: str = ""


@dataclass(frozen=True)
class Installed:
    """A copy of a data set: its origin (an https:// address or a path), date, size, and the checksum of its files."""

    name: str
    path: Path
    origin: str
    added: str
    files: int
    bytes: int
    sha256: str
    archive_sha256: str | None = None


def data_folder() -> Path:
    """Return the folder of a user's data sets: TERCET_DATA, or the platform's folder for cached files."""
    if chosen := os.environ.get("TERCET_DATA"):
        return Path(chosen)
    variable, usual = {
        "win32": ("LOCALAPPDATA", "AppData/Local"), "darwin": ("", "Library/Caches")
    }.get(sys.platform, ("XDG_CACHE_HOME", ".cache"))  # fmt: skip
    return Path(os.environ.get(variable) or Path.home() / usual) / "tercet" / "data"


@cache
def _catalogue() -> Mapping[str, Entry]:
    text = files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: Entry(name=name, **fields) for name, fields in tomllib.loads(text).items()}


def entries() -> list[Entry]:
    """Return all data sets of the catalogue."""
    return list(_catalogue().values())


def find(name: str) -> Entry:
    """Return the data set of this name."""
    if name not in _catalogue():
        raise UnknownName("data set", name, _catalogue(), listed_by="tercet data list")
    return _catalogue()[name]


def installed(folder: str | Path) -> list[Installed]:
    """Return the copies in a folder."""
    return [_record(name, Path(folder)) for name in _names(Path(folder))]


def _names(place: Path) -> list[str]:
    return sorted(path.parent.name for path in place.glob("*/record.json") if _NAME.fullmatch(path.parent.name))


def is_name(name: str, folder: str | Path) -> bool:
    """Return whether the catalogue or the folder has a data set of this name."""
    return name in _catalogue() or _is_installed(name, Path(folder))


def where(name: str, folder: str | Path) -> Path:
    """Return the path of a data set's files. The error for a missing data set explains how to get it."""
    place = Path(folder)
    if not _is_installed(name, place):
        known = {*_catalogue(), *_names(place)}
        if name not in known:
            raise UnknownName("data set", name, known, listed_by="tercet data list")
        raise UsageError(
            f"Data set {name!r} is not in {place}. Fetch it: tercet data get {name}. "
            f"Or add a copy that you have: tercet data add FOLDER {name}."
        )
    path = _record(name, place).path
    inside = _catalogue()[name].inside if name in _catalogue() else ""
    return path / inside if inside and (path / inside).is_dir() else path


def locate(name: str | Path) -> Path:
    """Return a path that exists unchanged, or else that of the user's data set of this name."""
    try:
        return Path(name) if Path(name).exists() else where(str(name), data_folder())
    except OSError:
        raise UsageError(f"{str(name)[:200]!r} cannot be the name of a data set.") from None


def add(
    path: str | Path,
    name: str,
    folder: str | Path,
    *,
    replace: bool = False,
    origin: str | None = None,
    max_files: int = MAX_FILES,
    max_bytes: int | None = None,
) -> Installed:
    """Add a copy of a folder, an archive, a file of a known layout, paraphrases or a SentencePiece model."""
    from .copying import check_file, check_source, copy  # here, because it imports the readers of all layouts

    source, place = Path(path), Path(folder)
    _check_new(name, place, replace=replace)
    check_source(source, place)
    digest = _sha256(source) if is_archive(source) and source.is_file() else None
    with _building(name, place, replace=replace) as target:
        if digest is not None:
            _unpack(source, target, max_files, max_bytes)
        else:
            copy(source, target / "data")
            if not source.is_dir():
                check_file(source, target / "data")
        _write_record(name, target, origin or str(source.resolve()), digest)
    return _record(name, place)


def remove(name: str, folder: str | Path) -> Path:
    """Remove a data set and return its path. The checksum of its first download is kept, to check later ones."""
    place = Path(folder)
    if not _is_installed(name, place):
        if name in _catalogue():
            raise UsageError(f"Data set {name!r} is not in {place}, so there is nothing to remove.")
        raise UnknownName(f"data set in {place}", name, _names(place))
    path = place / name
    try:
        if path.is_symlink():
            path.unlink()  # only the link: its target is outside the folder
        else:
            shutil.rmtree(path.rename(_hidden(name, place, ".old")))  # atomic: nobody sees a part of it
    except OSError as error:
        raise UsageError(f"{path} cannot be removed: {error.strerror or error}.") from None
    return path


def get(
    name: str,
    folder: str | Path,
    *,
    opener: Opener | None = None,
    progress: Progress | None = None,
    replace: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Installed:
    """Download, check and unpack a data set of the catalogue; an existing copy is kept. progress: bytes, total."""
    entry, place = find(name), Path(folder)
    if _is_installed(name, place) and not replace:
        return _record(name, place)
    if entry.archive is None or not entry.archive.startswith("https://"):
        raise UsageError(
            f"Data set {name!r} has no address that can be fetched safely (HTTPS). "
            f"Get it from {entry.archive or entry.address} and add it: tercet data add FOLDER {name}."
        )
    make_folder(place)
    archive = _hidden(name, place, ".download")
    try:
        digest = download(entry.archive, archive, name, opener or https_opener(), progress, max_bytes)
        expected, whose, remedy = entry.sha256, "the catalogue", ""
        if expected is None:
            expected, whose = _recorded(entry, place) or digest, "the first download had"
            remedy = f" If you know why and trust it, remove {_digest_file(name, place)} and get it again."
        if digest != expected:
            raise DataError(
                f"{name}: the download has sha256 {digest}, {whose} {expected}. "
                f"The file was changed at its origin or on the way. Nothing was kept.{remedy}"
            )
        with _building(name, place, replace=replace) as target:
            _unpack(archive, target)
            _write_record(name, target, entry.archive, digest)
    finally:
        archive.unlink(missing_ok=True)
    if entry.sha256 is None and _recorded(entry, place) is None:
        with writing(_digest_file(name, place)) as stream:
            stream.write(f"{digest}  {entry.archive}\n")
        log.warning("%s: no checksum is published; sha256 %s is recorded to check later downloads.", name, digest)
    return _record(name, place)


def checksum_of(name: str, folder: str | Path) -> str | None:
    """Return which checksum a download is checked against: "published", "recorded" (the first download's) or None."""
    entry = find(name)
    if entry.sha256 is not None:
        return "published"
    return "recorded" if _recorded(entry, Path(folder)) else None


def _digest_file(name: str, place: Path) -> Path:
    return place / f".{name}.sha256"  # no data set can have this name


def _recorded(entry: Entry, place: Path) -> str | None:
    """Return the recorded checksum of the first download from this address, or None."""
    path = _digest_file(entry.name, place)
    try:
        digest, _, address = path.read_text(encoding="utf-8").strip().partition("  ")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}. Remove it if it is damaged.") from None
    if not re.fullmatch("[0-9a-f]{64}", digest):
        raise DataError(f"{path} is damaged: it has no sha256. Remove it.")
    return digest if address == entry.archive else None


def _unpack(archive: Path, target: Path, max_files: int = MAX_FILES, max_bytes: int | None = None) -> None:
    unpacked = target / "unpacked"
    extract(archive, unpacked, max_files=max_files, max_bytes=max_bytes)
    inside = list(unpacked.iterdir())
    # Archives of repositories hold one folder, named after the commit.
    root = inside[0] if len(inside) == 1 and inside[0].is_dir() else unpacked
    root.rename(target / "data")
    if root is not unpacked:
        unpacked.rmdir()


def _hidden(name: str, place: Path, ending: str = "") -> Path:
    return place / f".{name}.{secrets.token_hex(4)}{ending}"


def _check_new(name: str, place: Path, *, replace: bool) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be the name of a data set: use letters, digits and . _ + - only.")
    if (place / name).exists() and not replace:
        raise UsageError(f"{place} already has a data set {name!r}. Choose another name, or replace it (`replace`).")


@contextmanager
def _building(name: str, place: Path, *, replace: bool) -> Iterator[Path]:
    """Make a temporary folder, which becomes the data set's folder if no error occurs."""
    _check_new(name, place, replace=replace)
    temporary = _hidden(name, place)
    make_folder(temporary)
    try:
        yield temporary
        move_folder(temporary, place / name)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _write_record(name: str, target: Path, origin: str, archive_sha256: str | None) -> None:
    paths = _files(target)
    if not paths:
        raise DataError(f"{origin} holds no files. Nothing was added.")
    added, size = datetime.now(UTC).isoformat(timespec="seconds"), sum(path.stat().st_size for path in paths)
    record = {"name": name, "origin": origin, "added": added, "files": len(paths), "bytes": size}
    record |= {"sha256": _digest(target, paths), "archive_sha256": archive_sha256}
    (target / "record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _files(target: Path) -> list[Path]:
    return sorted(path for path in (target / "data").rglob("*") if path.is_file())


def _digest(target: Path, paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(target).as_posix()}\n{_sha256(path)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def check_unchanged(name: str, folder: str | Path) -> None:
    """Raise DataError if the files of a copy differ from those that were added."""
    target = Path(folder) / name
    if _digest(target, _files(target)) != _record(name, Path(folder)).sha256:
        raise DataError(
            f"The files of data set {name!r} have changed since it was added. "
            f"Remove it (tercet data remove {name}) and add it again."
        )


def _is_installed(name: str, place: Path) -> bool:
    return bool(_NAME.fullmatch(name)) and (place / name / "record.json").is_file()


def _record(name: str, place: Path) -> Installed:
    path = place / name / "record.json"
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Installed(**{**fields, "name": name, "path": place / name / "data"})
    except (ValueError, TypeError):
        remedy = f"Remove the data set (tercet data remove {name}) and get or add it again."
        raise DataError(f"{path} is damaged. {remedy}") from None


def as_json(item: Entry | Installed) -> dict[str, Any]:
    """Return the fields of an entry or a copy, for JSON."""
    return {key: str(value) if isinstance(value, Path) else value for key, value in asdict(item).items()}


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None


def find_file(given: str, *, what: str, content: str, folder: str | Path | None = None) -> Path:
    """Return the path of a file: a path, a data set NAME, or NAME/FILE. what, content: what messages call them."""
    try:
        if Path(given).is_file():
            return Path(given)
    except (OSError, ValueError):  # too long for a path, and so for a name
        raise UsageError(f"{given[:200]!r} is not a valid path of a {what}.") from None
    return file_of_dataset(given, what=what, content=content, folder=folder)


def file_of_dataset(given: str, *, what: str, content: str, folder: str | Path | None = None) -> Path:
    """Return the path of a file that is given as a data set NAME or NAME/FILE."""
    name, _, inside = given.partition("/")
    place = data_folder() if folder is None else Path(folder)
    if not is_name(name, place):
        raise UsageError(
            f"There is no {what} {given}, neither a file nor a data set. "
            f"Add a {what.rpartition(' ')[2]} that you have: tercet data add FILE {Path(given).name or 'NAME'}."
        )
    root = where(name, place)
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    if inside and inside not in files:
        raise UnknownName(f"file in data set {name!r}", inside, files)
    if not inside and len(files) != 1:
        shown = ", ".join(f"{name}/{file}" for file in files[:5]) + (", …" if len(files) > 5 else "")
        raise UsageError(f"Data set {name!r} has {len(files)} files. Name the one with {content}: {shown}.")
    return root / (inside or files[0])
