"""The catalogue of known data sets (catalogue.toml), and the folder in which a user's copies of them live.

Each copy is one folder, `NAME/`, with `data/` (the files) and `record.json` (where they came from, when, and their
checksum). A copy appears whole or not at all. Nothing here reads the environment: the folder is an argument.
"""

import hashlib
import json
import logging
import re
import secrets
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

from ..errors import DataError, UnknownName, UsageError
from .archives import MAX_BYTES, extract, is_archive

log = logging.getLogger(__name__)

CHUNK = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")

Opener = Callable[[str], IO[bytes]]
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Entry:
    """A data set that the catalogue knows.

    address: a page; archive: what is downloaded, if it can be. sha256: of the archive, None if nobody published it.
    layout: as `tercet.data.layouts` names it, or "own". inside: the folder within the archive that has this layout.
    source: where the addresses are given.
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
    """A copy of a data set: where it came from, when, how much it is, and the checksum of its names and contents."""

    name: str
    path: Path
    origin: str
    added: str
    files: int
    bytes: int
    sha256: str
    archive_sha256: str | None = None


@cache
def _catalogue() -> Mapping[str, Entry]:
    text = files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: Entry(name=name, **fields) for name, fields in tomllib.loads(text).items()}


def entries() -> list[Entry]:
    """All data sets that the catalogue knows."""
    return list(_catalogue().values())


def find(name: str) -> Entry:
    """The data set of this name."""
    if name not in _catalogue():
        raise UnknownName("data set", name, _catalogue())
    return _catalogue()[name]


def installed(folder: str | Path) -> list[Installed]:
    """The copies in a folder."""
    place = Path(folder)
    if not place.is_dir():
        return []
    names = sorted(path.parent.name for path in place.glob("*/record.json"))
    return [_record(name, place) for name in names if _NAME.fullmatch(name)]


def is_name(name: str, folder: str | Path) -> bool:
    """Whether a data set of this name is in the catalogue or in the folder."""
    return name in _catalogue() or _is_installed(name, Path(folder))


def where(name: str, folder: str | Path) -> Path:
    """The files of a data set in the folder; says how to get them if they are not there."""
    place = Path(folder)
    if not _is_installed(name, place):
        known = {*_catalogue(), *(copy.name for copy in installed(place))}
        if name not in known:
            raise UnknownName("data set", name, known)
        raise UsageError(
            f"Data set {name!r} is not in {place}. Fetch it: tercet data get {name}. "
            f"Or add a copy that you have: tercet data add FOLDER {name}."
        )
    path = _record(name, place).path
    inside = _catalogue()[name].inside if name in _catalogue() else ""
    return path / inside if inside and (path / inside).is_dir() else path


def add(
    path: str | Path, name: str, folder: str | Path, *, replace: bool = False, origin: str | None = None
) -> Installed:
    """Copy a folder, or unpack an archive, into the data folder under a name."""
    source, place = Path(path), Path(folder)
    _check_new(name, place, replace=replace)
    if not source.is_dir() and not (source.is_file() and is_archive(source)):
        kind = "is neither a folder nor an archive (.zip, .tar.gz, .tgz, .tar)" if source.exists() else "does not exist"
        raise UsageError(f"{source} {kind}.")
    if source.is_dir() and place.resolve().is_relative_to(source.resolve()):
        raise UsageError(f"{source} holds the data folder {place} itself and cannot be copied into it.")
    digest = None if source.is_dir() else _sha256(source)
    with _building(name, place, replace=replace) as target:
        if source.is_dir():
            _copy(source, target / "data")
        else:
            _unpack(source, target)
        _write_record(name, target, origin or str(source.resolve()), digest)
    return _record(name, place)


def get(
    name: str,
    folder: str | Path,
    *,
    opener: Opener | None = None,
    progress: Progress | None = None,
    replace: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Installed:
    """Download a data set of the catalogue, check it, unpack it. A copy that is there already is kept.

    opener: turns an address into a stream of bytes; by default HTTPS without a proxy (see `https_opener`).
    progress: called with the bytes so far and, if known, in all.
    """
    entry, place = find(name), Path(folder)
    if _is_installed(name, place) and not replace:
        return _record(name, place)
    if entry.archive is None or not entry.archive.startswith("https://"):
        raise UsageError(
            f"Data set {name!r} has no address that can be fetched safely (HTTPS). "
            f"Get it from {entry.archive or entry.address} and add it: tercet data add FOLDER {name}."
        )
    _make(place)
    download = place / f".{name}.{secrets.token_hex(4)}.download"
    try:
        digest = _download(entry, entry.archive, download, opener or https_opener(), progress, max_bytes)
        if entry.sha256 is None:
            log.warning("%s: no checksum was ever published; this download has sha256 %s.", name, digest)
        with _building(name, place, replace=replace) as target:
            _unpack(download, target)
            _write_record(name, target, entry.archive, digest)
    finally:
        download.unlink(missing_ok=True)
    return _record(name, place)


def https_opener(proxies: Mapping[str, str] | None = None, *, timeout: float = 60) -> Opener:
    """An opener for HTTPS alone, redirections too."""
    from urllib import request

    director = request.OpenerDirector()
    handlers = [
        request.ProxyHandler(dict(proxies or {})),
        request.HTTPSHandler(),
        request.HTTPRedirectHandler(),
        request.HTTPErrorProcessor(),
        request.HTTPDefaultErrorHandler(),
        request.UnknownHandler(),  # refuses http://, file:// and the rest
    ]
    for handler in handlers:
        director.add_handler(handler)

    def opened(address: str) -> IO[bytes]:
        stream: IO[bytes] = director.open(address, timeout=timeout)
        return stream

    return opened


def _download(
    entry: Entry, address: str, target: Path, opener: Opener, progress: Progress | None, max_bytes: int
) -> str:
    from http.client import HTTPException

    advice = f"Download {address} by other means and add it: tercet data add FILE {entry.name}."
    digest, done = hashlib.sha256(), 0
    try:
        with opener(address) as stream, target.open("xb") as output:
            claimed = str(getattr(stream, "headers", {}).get("Content-Length") or "")
            total = int(claimed) if claimed.isdecimal() else None
            while chunk := stream.read(CHUNK):
                done += len(chunk)
                if done > max_bytes:
                    raise DataError(f"{address} is larger than {max_bytes} bytes and was refused.")
                digest.update(chunk)
                output.write(chunk)
                if progress is not None:
                    progress(done, total)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{entry.name} could not be downloaded: {reason}. {advice}") from None
    if total is not None and done != total:
        raise DataError(f"{entry.name}: only {done} of {total} bytes arrived. Try again, or: {advice}")
    if entry.sha256 is not None and digest.hexdigest() != entry.sha256:
        raise DataError(
            f"{entry.name}: the download has sha256 {digest.hexdigest()}, the catalogue {entry.sha256}. "
            "It was changed, at its origin or on the way; nothing was kept."
        )
    return digest.hexdigest()


def _unpack(archive: Path, target: Path) -> None:
    extract(archive, target / "unpacked")
    unpacked = target / "unpacked"
    inside = list(unpacked.iterdir())
    # Archives of repositories hold one folder, called after the commit.
    root = inside[0] if len(inside) == 1 and inside[0].is_dir() else unpacked
    root.rename(target / "data")
    if root is not unpacked:
        unpacked.rmdir()


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copytree(source, target, copy_function=shutil.copyfile)
    except shutil.Error as error:
        name, _, reason = error.args[0][0]
        raise UsageError(f"{name} cannot be copied: {reason}. Nothing was added.") from None
    except OSError as error:
        raise UsageError(f"{source} cannot be copied: {error.strerror or error}. Nothing was added.") from None


def _check_new(name: str, place: Path, *, replace: bool) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be the name of a data set: use letters, digits and . _ + - only.")
    if (place / name).exists() and not replace:
        raise UsageError(
            f"There is a data set {name!r} in {place} already. Choose another name, or replace it (--replace)."
        )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be made: {error.strerror or error}.") from None


@contextmanager
def _building(name: str, place: Path, *, replace: bool) -> Iterator[Path]:
    """A folder beside the final place that is moved there when all went well."""
    _check_new(name, place, replace=replace)
    temporary = place / f".{name}.{secrets.token_hex(4)}"
    _make(temporary)
    try:
        yield temporary
        final = place / name
        if final.exists():
            old = place / f".{name}.{secrets.token_hex(4)}.old"
            final.rename(old)
            temporary.rename(final)
            shutil.rmtree(old, ignore_errors=True)
        else:
            temporary.rename(final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _write_record(name: str, target: Path, origin: str, archive_sha256: str | None) -> None:
    paths = sorted(path for path in (target / "data").rglob("*") if path.is_file())
    if not paths:
        raise DataError(f"{origin} holds no files. Nothing was added.")
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(target).as_posix()}\n{_sha256(path)}\n".encode("utf-8", "surrogateescape"))
    record = {
        "name": name,
        "origin": origin,
        "added": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": len(paths),
        "bytes": sum(path.stat().st_size for path in paths),
        "sha256": digest.hexdigest(),
        "archive_sha256": archive_sha256,
    }
    (target / "record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _is_installed(name: str, place: Path) -> bool:
    return bool(_NAME.fullmatch(name)) and (place / name / "record.json").is_file()


def _record(name: str, place: Path) -> Installed:
    path = place / name / "record.json"
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Installed(**{**fields, "name": name, "path": place / name / "data"})
    except (ValueError, TypeError):
        raise DataError(f"{path} is damaged. Remove {path.parent} and add the data set again.") from None


def as_json(item: Entry | Installed) -> dict[str, Any]:
    """The fields of an entry or a copy, for JSON."""
    return {key: str(value) if isinstance(value, Path) else value for key, value in asdict(item).items()}


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None
