"""Write files atomically: into a temporary file in the same folder, which is renamed at the end. Checksums, locks."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from ..errors import UsageError


def check_writable(path: str | Path) -> None:
    """Raise UsageError if no file can be written at a path, so that long work does not end in vain."""
    path = Path(path)
    if str(path) == "-":
        raise UsageError("'-' is not the name of a file to write.")
    if path.is_dir():
        raise UsageError(f"{path} is a directory; a file name is needed.")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {path.parent}.")


@contextmanager
def writing_bytes(path: str | Path, *, like: Path | None = None) -> Iterator[BinaryIO]:
    """Open a file for writing bytes, which replaces the old one at the end. Devices and pipes are kept, links followed.

    A file that is replaced keeps its mode and owner; a new one has those of `like`. Until the end the new file has no
    name where the system can do that, so that nothing is left if the program is killed.
    """
    path = Path(os.path.realpath(path)) if Path(path).is_symlink() else Path(path)
    check_writable(path)
    if path.exists() and not path.is_file():
        with _writing_through(path) as stream:
            yield stream
        return
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        known = path if path.exists() else like
        handle, named = _create(temporary, 0o666 if known is None else 0o600)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(os.dup(handle), "wb") as stream:
            yield stream
        if known is not None:
            _take_over(handle, known)
        if not named:
            _name(handle, temporary)
        temporary.replace(path)
    except OSError as error:  # a full disk
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        os.close(handle)
        temporary.unlink(missing_ok=True)


def _create(path: Path, mode: int) -> tuple[int, bool]:
    """Create a file, without a name if possible. Returns its handle, and whether it has the name."""
    if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
        try:
            return os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, mode), False
        except OSError:  # the file system has no such files, or the other way reports what is wrong
            pass
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode), True


def _name(handle: int, path: Path) -> None:
    """Give an open file without a name one. With a folder's handle, `os.link` follows /proc's link to the file."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.link(f"/proc/self/fd/{handle}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _take_over(handle: int, known: Path) -> None:
    """Give an open file the mode and, where that is allowed, the owner of another file."""
    if not hasattr(os, "fchmod"):  # Windows
        return
    facts, own = known.stat(), os.fstat(handle)
    if (facts.st_uid, facts.st_gid) != (own.st_uid, own.st_gid):
        with suppress(PermissionError):
            os.fchown(handle, facts.st_uid, facts.st_gid)
    os.fchmod(handle, facts.st_mode & 0o7777)


@contextmanager
def _writing_through(path: Path) -> Iterator[BinaryIO]:
    """Open a device or pipe, which gets the bytes at the end: archives are written by seeking."""
    import shutil
    import tempfile

    try:
        with path.open("wb") as device, tempfile.TemporaryFile() as stream:
            yield stream
            stream.seek(0)
            shutil.copyfileobj(stream, device)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None


@contextmanager
def writing(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing, UTF-8 with line feeds, gzipped if its name ends in .gz."""
    import gzip
    import io

    with writing_bytes(path) as stream:
        if Path(path).suffix == ".gz":
            with gzip.open(stream, "wt", encoding="utf-8", newline="\n") as zipped:
                yield cast(TextIO, zipped)
        else:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n", write_through=True)
            yield text
            text.flush()
            text.detach()


def make_folder(folder: Path) -> None:
    """Make a folder and its parents. Raises UsageError if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot make the folder {folder}: {error.strerror or error}.") from None


def move_folder(built: Path, place: Path) -> None:
    """Rename a finished folder to its final name. An old folder there is replaced, or kept if an error occurs."""
    if not place.exists():
        built.rename(place)
        return
    old = place.with_name(f".{place.name}.{os.urandom(4).hex()}.old")
    place.rename(old)
    try:
        built.rename(place)
    except BaseException:
        old.rename(place)
        raise
    from shutil import rmtree  # here, because it imports all compression modules

    rmtree(old, ignore_errors=True)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock a folder until the process ends, where that is possible. Raises UsageError if another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"Another process is using {folder}. Wait until it is done, or stop it.") from None
        except OSError:
            pass
        yield
    finally:
        os.close(handle)


def file_state(path: str | Path) -> tuple[str, int, int, int] | None:
    """Return path, inode, size and time of a file: a key for caches of its contents. None if it cannot be read."""
    try:
        known = Path(path).stat()
    except (OSError, ValueError):  # opening the file raises an error with a message
        return None
    return str(Path(path).absolute()), known.st_ino, known.st_size, known.st_mtime_ns


def is_file(name: str) -> bool:
    """Return whether a file of this name exists. False also for names that cannot be file names (too long)."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def file_checksum(path: Path) -> str:
    """Return a short checksum of a file's bytes, or of all files in a folder. It is cached until a file changes."""
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.is_file())
        listed = "\n".join(f"{each.relative_to(path)} {file_checksum(each)}" for each in inside)
        return hashlib.blake2b(listed.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    known = path.stat()
    return _checksum_of(path, known.st_ino, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=64)
def _checksum_of(path: Path, number: int, changed: int, size: int) -> str:
    return content_checksum(path)


def content_checksum(path: Path) -> str:
    """Return a short checksum of what a file holds now."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=8)).hexdigest()
