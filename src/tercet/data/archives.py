"""Download archives and unpack them safely: never outside their folder, and never more than a limit.

Names that are absolute, contain ".." or occur twice are refused. Links become copies of their targets; links out of the
archive and devices are refused. The limits of files and bytes are checked while unpacking, not by the archive's header.
"""

import gzip
import hashlib
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import IO, cast

from ..errors import DataError, MissingFile

MAX_FILES = 50_000
MAX_BYTES = 8 << 30
MAX_RATIO = 200  # texts are packed to a fifth or so; a file of nothing but zeros to a thousandth
RATIO_FROM = 64 << 20  # unpacked bytes from which on MAX_RATIO is looked at
CHUNK = 1 << 20
_LARGEST_HEADER = 1 << 24  # bytes that tarfile may read at once, so that a false header cannot fill the memory
_DAMAGES = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, gzip.BadGzipFile)

Opener = Callable[[str], IO[bytes]]
Progress = Callable[[int, int | None], None]


def https_opener(proxies: Mapping[str, str] | None = None) -> Opener:
    """Return a function that opens addresses by HTTPS only, also after redirections."""
    from urllib import request

    director = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(dict(proxies or {})),
        request.HTTPSHandler(),
        request.HTTPRedirectHandler(),
        request.HTTPErrorProcessor(),
        request.HTTPDefaultErrorHandler(),
        request.UnknownHandler(),  # refuses http://, file:// and the rest
    ):
        director.add_handler(handler)
    return lambda address: cast("IO[bytes]", director.open(address, timeout=60))


def download(
    address: str, target: Path, name: str, opener: Opener, progress: Progress | None = None, max_bytes: int = MAX_BYTES
) -> str:
    """Download an archive into a file and return its sha256. `name` is the data set's, for messages."""
    from http.client import HTTPException

    advice = f"Download {address} by other means and add it: tercet data add FILE {name}."
    digest, done = hashlib.sha256(), 0
    try:
        with opener(address) as stream, target.open("xb") as output:
            claimed = str(getattr(stream, "headers", {}).get("Content-Length") or "")
            total = int(claimed) if claimed.isdecimal() else None
            while chunk := stream.read(CHUNK):
                done += len(chunk)
                if done > max_bytes:
                    raise DataError(f"{address} was refused: it is larger than {max_bytes} bytes.")
                digest.update(chunk)
                output.write(chunk)
                if progress is not None:
                    progress(done, total)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{name} could not be downloaded: {reason}. {advice}") from None
    if total is not None and done != total:
        raise DataError(f"{name}: only {done} of {total} bytes arrived. Try again, or: {advice}")
    return digest.hexdigest()


def is_archive(path: str | Path) -> bool:
    """Return whether a file has the name of an archive that `extract` can read."""
    return str(path).lower().endswith((".zip", ".tar", ".tar.gz", ".tgz"))


def extract(
    archive: str | Path, folder: str | Path, *, max_files: int = MAX_FILES, max_bytes: int | None = None
) -> None:
    """Unpack a .zip, .tar or .tar.gz into a new folder, removed after an error. max_bytes: of the unpacked files."""
    archive, folder = Path(archive), Path(folder)
    if not archive.is_file():
        raise MissingFile(archive)
    usual = min(MAX_BYTES, max(RATIO_FROM, MAX_RATIO * archive.stat().st_size))
    folder.mkdir()
    target = _Target(archive, folder, max_files, usual if max_bytes is None else max_bytes)
    try:
        with archive.open("rb") as stream:
            unpack = _unzip if stream.read(2) == b"PK" else _untar
        unpack(archive, target)
        target.finish()
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, _DAMAGES):
            raise target.refuse(f"it is damaged or not an archive ({error})") from None
        if isinstance(error, NotImplementedError | RuntimeError | ValueError):  # zipfile's: encryption, unknown methods
            raise target.refuse(f"it cannot be read ({error})") from None
        if isinstance(error, OSError):
            raise target.refuse(f"a member cannot be written ({error.strerror or error})") from None
        raise


@dataclass
class _Target:
    """The folder that members are written to, and the limits that remain."""

    archive: Path
    folder: Path
    max_files: int
    max_bytes: int
    written: set[PurePosixPath] = field(default_factory=set)
    links: dict[PurePosixPath, str] = field(default_factory=dict)  # name -> target, from the archive's root

    def __post_init__(self) -> None:
        self.files_left, self.bytes_left = self.max_files, self.max_bytes

    def refuse(self, problem: str) -> DataError:
        return DataError(f"{self.archive} was refused and nothing was kept: {problem}.")

    def place(self, name: str) -> PurePosixPath:
        """Return the path of a member within the folder. Raises DataError if it would be outside."""
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name.split("/")[0] or "\0" in name:
            raise self.refuse(f"the member {name!r} would be outside of its folder")
        if not path.parts:
            raise self.refuse(f"a member is called {name!r}")
        return path

    def directory(self, name: str) -> None:
        if PurePosixPath(name).parts:
            (self.folder / self.place(name)).mkdir(parents=True, exist_ok=True)
            self._count()

    def file(self, name: str, stream: IO[bytes]) -> None:
        place = self.place(name)
        self._reserve(place)
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as output:
            while chunk := stream.read(CHUNK):
                self.bytes_left -= len(chunk)
                if self.bytes_left < 0:
                    raise self.refuse(f"it unpacks to more than {self.max_bytes} bytes (`max_bytes`)")
                output.write(chunk)

    def link(self, name: str, target: str, *, relative: bool = False) -> None:
        """Store a link for `finish`. target: a path from the archive's root, or relative to the link."""
        place = self.place(name)
        self._reserve(place)
        self.links[place] = str(place.parent / target) if relative else target

    def finish(self) -> None:
        """Replace links by copies of the files they point to."""
        for place, target in self.links.items():
            source = PurePosixPath(normpath(target))
            if source.parts[:1] == ("..",) or source.is_absolute():
                raise self.refuse(f"{str(place)!r} is a link out of the archive, to {target!r}")
            if source not in self.written or source in self.links:
                raise self.refuse(f"{str(place)!r} is a link to {target!r}, which is not a file of the archive")
            self.written.discard(place)
            with (self.folder / source).open("rb") as stream:
                self.file(str(place), stream)

    def _reserve(self, place: PurePosixPath) -> None:
        if place in self.written:
            raise self.refuse(f"the member {str(place)!r} occurs twice")
        self.written.add(place)
        self._count()

    def _count(self) -> None:
        self.files_left -= 1
        if self.files_left < 0:
            raise self.refuse(f"it holds more than {self.max_files} files (`max_files`)")


def _unzip(archive: Path, target: _Target) -> None:
    with zipfile.ZipFile(archive) as members:
        for member in members.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir():
                target.directory(member.filename)
                continue
            if kind not in (0, stat.S_IFREG, stat.S_IFLNK):
                raise target.refuse(f"the member {member.filename!r} is neither a file nor a folder")
            with members.open(member) as stream:
                if kind == stat.S_IFLNK:
                    target.link(member.filename, stream.read(4096).decode("utf-8"), relative=True)
                else:
                    target.file(member.filename, stream)


def _untar(archive: Path, target: _Target) -> None:
    with archive.open("rb") as plain:
        is_zipped = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        stream = _Bounded(cast("IO[bytes]", gzip.GzipFile(fileobj=plain) if is_zipped else plain))
        for member in (members := tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r:")):  # noqa: SIM115 (of `plain`)
            if member.isdir():
                target.directory(member.name)
            elif member.issym():
                target.link(member.name, member.linkname, relative=True)
            elif member.islnk():
                target.link(member.name, member.linkname)
            elif member.isreg():
                content = members.extractfile(member)
                if content is None:
                    raise target.refuse(f"the member {member.name!r} has no content")
                target.file(member.name, content)
            else:
                raise target.refuse(f"the member {member.name!r} is neither a file nor a folder")


class _Bounded:
    """A stream that limits how much is read at once: a tar header may claim to be gigabytes long."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > _LARGEST_HEADER:
            raise tarfile.ReadError("a header that is too long")
        return self.stream.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()
