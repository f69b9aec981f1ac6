"""The default knowledge base: names that come with the package, built into the user's cache on first use.

data/default.xz is made by scripts/build_default_kb.py from CLDR, GeoNames, ISO 3166-2, WordNet and MultiWordNet,
WikDict's dictionaries and CC-CEDICT; data/default-ATTRIBUTION.txt says who made them and under which licences.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..data.catalogue import data_folder
from ..errors import DataError, UsageError
from .building import NameRecord, build
from .store import FORMAT, KnowledgeBase

__all__ = ["LANGUAGES", "attribution", "open_default", "records", "resolve"]

log = logging.getLogger(__name__)

NAME = "default"
LANGUAGES = tuple("cs de en es fi fr gu kk lt ru zh".split())
_LATIN = tuple("cs de en es fi fr lt".split())  # the languages of names under "_"


def resolve(kb: str | Path | None) -> KnowledgeBase:
    """The knowledge base of this name or path; the default one for None and "default"."""
    return open_default() if kb is None or str(kb) == NAME else KnowledgeBase.open(kb)


def open_default(folder: Path | None = None) -> KnowledgeBase:
    """The default knowledge base, built into the cache folder (`tercet.data.catalogue.data_folder`) on first use.

    It appears there whole, also if several processes come at once. Where the folder cannot be written, one in the
    system's folder for temporary files is used, and a warning says so.
    """
    chosen = folder if folder is not None else data_folder() / "knowledge"
    place = _place(chosen)
    try:
        opened = _opened(place)
        return opened if opened is not None else _build(place)
    except (OSError, UsageError) as error:  # not allowed, or a full disk
        refused = _reason(error)
    temporary = _place(Path(tempfile.gettempdir()) / f"tercet-knowledge-{_user()}")
    try:
        temporary.parent.mkdir(mode=0o700, exist_ok=True)
        if not _is_ours(temporary.parent):  # somebody else may have put anything there
            raise PermissionError(0, "it belongs to another user")
        opened = _opened(temporary)
        if opened is not None:
            return opened
        log.warning(
            "The default knowledge base cannot be kept in %s (%s) and is built in %s. Choose another folder with "
            "TERCET_DATA.", chosen, refused, temporary.parent,
        )  # fmt: skip
        return _build(temporary)
    except (OSError, UsageError) as error:
        raise UsageError(
            f"The default knowledge base can be kept neither in {chosen} ({refused}) nor in {temporary.parent} "
            f"({_reason(error)}). Choose a folder with space for 200 MB with TERCET_DATA."
        ) from None


def records() -> Iterator[NameRecord]:
    """All names of the default knowledge base."""
    import lzma

    for line in lzma.decompress(_payload()).decode("utf-8").rstrip("\n").split("\n"):
        entity, category, weight, names = json.loads(line)
        for language, found in names.items():
            for item in found:
                name, own = (item, weight) if isinstance(item, str) else item
                for each in _LATIN if language == "_" else (language,):
                    yield NameRecord(entity, each, name, category, own)


def attribution() -> str:
    """Who made the data, and under which licences."""
    return files(__package__).joinpath("data", "default-ATTRIBUTION.txt").read_text("utf-8")


def sources() -> list[dict[str, str]]:
    """The sources with their licences, as the manifest lists them."""
    listed = files(__package__).joinpath("data", "default-sources.json").read_text("utf-8")
    found: list[dict[str, str]] = json.loads(listed)
    return found


def _place(folder: Path) -> Path:
    """Named after the content, so that another version of the package builds another."""
    return folder / f"{NAME}-{FORMAT}-{hashlib.sha256(_payload()).hexdigest()[:12]}"


def _build(place: Path) -> KnowledgeBase:
    """Build beside the place and move it there; whoever comes first wins, and the others use that one."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    work = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    log.info("Building the default knowledge base in %s, once.", place)
    try:
        build(records(), work / NAME, name=NAME, languages=LANGUAGES, sources=sources(), min_languages=1)
        damaged = place.with_name(f"{work.name}.old")
        if place.is_dir() and _opened(place) is None:
            place.rename(damaged)
            shutil.rmtree(damaged, ignore_errors=True)
        try:
            (work / NAME).rename(place)
        except OSError:
            if not place.is_dir():  # another process was first, or the disk says no
                raise
        return KnowledgeBase.open(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _opened(place: Path) -> KnowledgeBase | None:
    """What is there; None if there is nothing, or nothing whole: programs that tidy up remove single files."""
    if not place.is_dir():
        return None
    try:
        return KnowledgeBase.open(place)
    except (DataError, UsageError) as error:
        log.warning("%s It is built anew.", error)
        return None


def _reason(error: OSError | UsageError) -> str:
    return str(getattr(error, "strerror", None) or error)


def _user() -> Any:
    return os.getuid() if hasattr(os, "getuid") else "user"


def _is_ours(folder: Path) -> bool:
    """Nobody else could have put something there."""
    return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()


@cache
def _payload() -> bytes:
    return files(__package__).joinpath("data", "default.xz").read_bytes()
