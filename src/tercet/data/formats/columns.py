"""The names of columns and their synonyms, for tables of every kind: CSV, TSV, XLSX, JSONL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .format import Head

# Role -> names of columns. A name in the file is compared without case and punctuation: "Seg_ID" is "seg id".
NAMES: Mapping[str, tuple[str, ...]] = {
    "source": ("source", "src", "source text", "source segment", "original", "original text", "source string"),
    "output": ("output", "target", "tgt", "mt", "translation", "target text", "target segment", "hypothesis", "hyp",
               "machine translation", "mt output", "translated text", "target string"),
    "reference": ("reference", "ref", "human translation", "post edit", "post edited", "pe", "reference translation"),
    "segment": ("seg", "segment", "segment id", "seg id", "segid", "segment number", "id", "key", "string id", "line",
                "line number", "no"),
    "file": ("file", "file name", "filename", "document", "doc", "document name", "path"),
    "system": ("system", "sys", "system id", "system name", "mt system", "model", "engine", "mt"),
    "rater": ("rater", "annotator", "user", "judge", "rater id", "annotator id", "user id", "judge id", "assessor",
              "evaluator", "worker", "worker id", "participant"),
    "score": ("score", "rating", "value", "da", "raw score", "raw", "judgement", "judgment", "assessment", "grade",
              "human score", "mqm score", "esa score"),
    "pair": ("lp", "language pair", "languages", "pair"),
}  # fmt: skip
TEXTS = ("source", "output", "reference")
_IN_TEXTS = (*TEXTS, "segment", "file")  # roles of columns in tables of texts


def plain(name: str) -> str:
    """Return a column's name without case and punctuation."""
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()


def find(header: Sequence[str], role: str) -> str | None:
    """Return the column that has a role: the first of the role's names, as it is written or without its case."""
    for same in (str, plain):
        written = {same(name): name for name in reversed(header)}
        for known in NAMES[role]:
            if known in written:
                return written[known]
    return None


def text_roles() -> dict[str, str]:
    """Return the role of each name in tables of texts."""
    return {name: role for role in _IN_TEXTS for name in NAMES[role]}


def values_of_pairs(head: Head) -> Sequence[str]:
    """Return the language pairs in a table's column of pairs, empty if it has none."""
    column = find_pair(head.header)
    if column is None:
        return []
    from ..lines import read_lines
    from ..tables import read_table

    if head.separator == ",":
        return sorted(set(read_table(head.path).column(column)))
    place = head.header.index(column)
    rows = (line.split(head.separator, place + 1) for line in read_lines(head.path)[1:])
    return sorted({row[place] for row in rows if len(row) > place})


def find_pair(header: Sequence[str]) -> str | None:
    """Return the column with the language pair. WMT19's table has a metric called LP beside it."""
    return next((name for name in ("lp", "LP") if name in header), None)
