"""The registry of file formats: what a file holds is recognised here, and nowhere else.

A `Format` says its name, what it holds, how sure it is that a file is one of its own, and how that is read. Each module
of this package has the formats of one family. `recognise` asks those families that read files of this ending, so that
the others are not imported. Other packages add formats by the entry point `tercet.formats`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..names import bare_name

if TYPE_CHECKING:
    from .format import Format, Recognised, Request

TEXTS, SCORES, JUDGEMENTS, CAMPAIGN = "texts", "scores", "judgements", "campaign"
# Files with sources and translations, whatever a command wants of them; .tsv may also be a plain text.
BILINGUAL = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff", ".tmx", ".po", ".pot", ".csv", ".xlsx")
_TABLES = (".tsv", ".csv", ".xlsx")
_ANY = ("",)
# The modules of this package that have formats -> what these hold, and the endings of their files.
FAMILIES: Mapping[str, tuple[Collection[str], tuple[str, ...]]] = {
    "texts": ({TEXTS}, (".jsonl", ".tsv", ".sgm", ".sgml", ".xml")),
    "bilingual": ({TEXTS}, (*BILINGUAL, ".tsv")),
    "judgements": ({JUDGEMENTS}, (*_TABLES, ".jsonl", ".rating")),
    "published": ({SCORES, JUDGEMENTS, TEXTS}, _ANY),
    "scores": ({SCORES}, _ANY),
    "rating_tables": ({JUDGEMENTS}, (*_TABLES, ".json")),
    "campaigns": ({JUDGEMENTS, CAMPAIGN}, (".csv", ".json", ".jsonl")),
}


def is_bilingual(path: str | Path) -> bool:
    """Return whether a file's ending is that of a file with sources and translations, other than .tsv."""
    return bare_name(path).lower().endswith(BILINGUAL)


def recognise(path: str | Path, wanted: Collection[str] = (), request: Request | None = None) -> Recognised | None:
    """Return the format of a file that holds one of the wanted, or None. By default it may hold anything."""
    from .registry import candidates

    return next(iter(candidates(Path(path), wanted, request)), None)


def formats() -> tuple[Format, ...]:
    """Return all formats: ours in the order of the families, and those of other packages."""
    from .registry import formats_of, plugins

    return (*(each for family in FAMILIES for each in formats_of(family)), *plugins())
