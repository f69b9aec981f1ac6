"""The default knowledge bases: built in the user's cache on first use, from names that come with the package.

scripts/build_default_kb.py makes data/default.xz from CLDR, GeoNames, ISO 3166-2, WordNet and MultiWordNet, WikDict's
dictionaries and CC-CEDICT. scripts/build_concepts.py makes data/concepts.xz, common words with their translations, from
WikDict and from word alignments. data/*-ATTRIBUTION.txt name the authors and licences.
"""

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

from ..data.catalogue import data_folder
from ..errors import DataError, UsageError
from .building import NameRecord, build
from .store import FORMAT, KnowledgeBase

__all__ = ["LANGUAGES", "open_default", "records", "resolve"]

log = logging.getLogger(__name__)

NAME, CONCEPTS = "default", "concepts"
LANGUAGES = tuple("cs de en es fi fr gu kk lt ru zh".split())
_LATIN = tuple("cs de en es fi fr lt".split())  # the languages of names under "_"


def resolve(kb: str | Path | None) -> KnowledgeBase:
    """Open the knowledge base of this name or path: the default one for None and "default", or "concepts"."""
    name = NAME if kb is None else str(kb)
    return open_default(name=name) if name in (NAME, CONCEPTS) else KnowledgeBase.open(name)


def open_default(folder: Path | None = None, *, name: str = NAME) -> KnowledgeBase:
    """Open the default knowledge base, or the one of concepts.

    On first use it is built in the cache folder, atomically, also if several processes start at once. If the folder
    cannot be written, the system's folder for temporary files is used, with a warning.
    """
    chosen = folder if folder is not None else data_folder() / "knowledge"
    place = _place(chosen, name)
    try:
        return _opened(place) or _build(place, name)
    except (OSError, UsageError) as error:  # not allowed, or a full disk
        refused = _reason(error)
    user = os.getuid() if hasattr(os, "getuid") else "user"
    temporary = _place(Path(tempfile.gettempdir()) / f"tercet-knowledge-{user}", name)
    try:
        temporary.parent.mkdir(mode=0o700, exist_ok=True)
        if not _is_ours(temporary.parent):  # another user may have put anything there
            raise PermissionError(0, "it belongs to another user")
        if opened := _opened(temporary):
            return opened
        log.warning(
            "Cannot write the default knowledge base to %s (%s). It is built in %s. Choose another folder with "
            "TERCET_DATA.", chosen, refused, temporary.parent,
        )  # fmt: skip
        return _build(temporary, name)
    except (OSError, UsageError) as error:
        raise UsageError(
            f"Cannot write the default knowledge base to {chosen} ({refused}) or to {temporary.parent} "
            f"({_reason(error)}). Set TERCET_DATA to a folder with 200 MB of free space."
        ) from None


def records(name: str = NAME) -> Iterator[NameRecord]:
    """Yield all names of the default knowledge base, or of the one of concepts."""
    import lzma

    for line in lzma.decompress(_payload(name)).decode("utf-8").rstrip("\n").split("\n"):
        entity, category, weight, names = json.loads(line)
        for language, found in names.items():
            for item in found:
                written, own = (item, weight) if isinstance(item, str) else item
                for each in _LATIN if language == "_" else (language,):
                    yield NameRecord(entity, each, written, category, own)


def sources(name: str = NAME) -> list[dict[str, str]]:
    """Return the sources with their licences, for the manifest."""
    found: list[dict[str, str]] = json.loads(
        files(__package__).joinpath(f"data/{name}-sources.json").read_text("utf-8")
    )
    return found


def _place(folder: Path, name: str = NAME) -> Path:
    """Return the place of the knowledge base. Its name depends on the contents, so versions do not collide."""
    return folder / f"{name}-{FORMAT}-{hashlib.sha256(_payload(name)).hexdigest()[:12]}"


def _build(place: Path, name: str) -> KnowledgeBase:
    """Build in a temporary folder and rename it. If several processes build, the first wins and the others use it."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    work = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    log.info("Building the knowledge base %r in %s, once.", name, place)
    try:
        build(records(name), work / NAME, name=name, languages=LANGUAGES, sources=sources(name), min_languages=1)
        damaged = place.with_name(f"{work.name}.old")
        if place.is_dir() and _opened(place) is None:
            place.rename(damaged)
            shutil.rmtree(damaged, ignore_errors=True)
        try:
            (work / NAME).rename(place)
        except OSError:
            if not place.is_dir():  # not another process that was first, but an error of the disk
                raise
        return KnowledgeBase.open(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _opened(place: Path) -> KnowledgeBase | None:
    """Open an existing knowledge base. None if there is none, or if it is damaged: cleaners remove single files."""
    if not place.is_dir():
        return None
    try:
        return KnowledgeBase.open(place)
    except (DataError, UsageError) as error:
        log.warning("%s It is built again.", error)
        return None


def _reason(error: OSError | UsageError) -> str:
    return str(getattr(error, "strerror", None) or error)


def _is_ours(folder: Path) -> bool:
    """Return whether the folder belongs to this user."""
    return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()


@cache
def _payload(name: str = NAME) -> bytes:
    return files(__package__).joinpath("data", f"{name}.xz").read_bytes()
