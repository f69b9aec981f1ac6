"""Formats of translation tools: XLIFF, TMX, PO, and tables with sources and translations."""

from collections.abc import Callable
from pathlib import Path

from .. import bilingual, tsv
from ..bilingual.table import peek_header
from . import TEXTS
from .format import CERTAIN, LIKELY, Contents, Format, Guess, Head, Request, by_ending
from .text_columns import has_known_names


def _read(path: Path, request: Request) -> Contents:
    bitext = bilingual.open_bitext(path, columns=request.columns, pair=request.pair)
    return Contents(testset=bitext.testset(systems=request.systems))


def _is_table(ending: str) -> Callable[[Head], Guess | None]:
    """A table, which may also hold scores or judgements: its header decides, or the caller, who names columns."""

    def sniff(head: Head) -> Guess | None:
        if not head.ends(ending):
            return None
        if head.request.columns:
            return Guess(CERTAIN, "columns are given")
        header = peek_header(head.path) if ending == ".tsv" else head.header
        if has_known_names(header):
            certain = ending != ".tsv" or not tsv.knows(header)
            return Guess(0.9 if certain else 0.3, "its header names sources or translations")
        return None if ending == ".tsv" else Guess(LIKELY / 4, f"its name ends in {ending}")

    return sniff


FORMATS = (
    Format(
        "xliff", (TEXTS,), "XLIFF 1.2 and 2: a trans-unit or segment each, with ids, tags and notes",
        by_ending(".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff"), _read,
    ),
    Format("tmx", (TEXTS,), "TMX 1.1 to 1.4b, a translation memory", by_ending(".tmx"), _read),
    Format("po", (TEXTS,), "PO (gettext): messages and their translations", by_ending(".po", ".pot"), _read),
    Format("csv", (TEXTS,), "a CSV table with sources and translations", _is_table(".csv"), _read),
    Format("bilingual-tsv", (TEXTS,), "a TSV table with sources and translations", _is_table(".tsv"), _read),
    Format("xlsx", (TEXTS,), "an XLSX workbook with sources and translations", _is_table(".xlsx"), _read),
)  # fmt: skip
