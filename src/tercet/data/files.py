"""Files that appear whole or not at all: written beside their place and moved there at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from ..errors import UsageError


@contextmanager
def writing_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """A file for bytes; what was there before stays until all is written. A device or a pipe is written to as it is."""
    path = Path(path)
    if path.is_dir():
        raise UsageError(f"{path} is a directory; a file's name is needed.")
    if path.exists() and not path.is_file():
        with _writing_through(path) as stream:
            yield stream
        return
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        stream = temporary.open("xb")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with stream:
            yield stream
        temporary.replace(path)
    except OSError as error:  # a full disk
        temporary.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _writing_through(path: Path) -> Iterator[BinaryIO]:
    """What is no file, such as /dev/null, must not be replaced by one."""
    try:
        with path.open("wb") as stream:
            yield stream
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None


@contextmanager
def writing(path: str | Path) -> Iterator[TextIO]:
    """A text file, UTF-8 with line feeds; gzipped if its name ends in .gz."""
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


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a folder from other processes that ask for it so; refuses where one has it. A process that dies lets go.

    Where the system or the file system has no such locks, nobody is refused.
    """
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
            raise UsageError(f"Another process is at work in {folder}. Wait until it is done, or stop it.") from None
        except OSError:
            pass
        yield
    finally:
        os.close(handle)


def file_state(path: str | Path) -> tuple[str, int, int, int] | None:
    """What tells a file from what was there before: place, number, size and time; None where there is none.

    Who keeps what a file says keeps it under this, and reads again when it changes.
    """
    try:
        known = Path(path).stat()
    except (OSError, ValueError):  # whoever opens it says what is wrong
        return None
    return str(Path(path).absolute()), known.st_ino, known.st_size, known.st_mtime_ns


def is_file(name: str) -> bool:
    """Whether a name is that of a file; also of what can be none, as it is too long."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def file_checksum(path: Path) -> str:
    """A short checksum of a file's bytes, made once for as long as the file stays as it is."""
    known = path.stat()
    return _checksum_of(path, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=8)
def _checksum_of(path: Path, changed: int, size: int) -> str:
    digest = blake2b(digest_size=8)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
