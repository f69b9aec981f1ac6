"""Files of judgements, of whatever form: those that `evidence` recognises, and exports of annotation campaigns.

Exports of Appraise and Pearmut do not say how people judged, nor which line of a test set an item is; the caller says
the first, and segments keep the names of the export.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import DataError, UsageError
from .campaigns import read_appraise, read_pearmut
from .judgements import Judgements
from .recognising import recognised
from .tables import first_lines

APPRAISE_ITEMS = ("TGT", "BAD", "CHK", "REF")  # the fourth column of an export


def read_judgement_file(
    path: str | Path, *, pair: str | None = None, kind: str | None = None, system_prefix: str = ""
) -> list[Judgements]:
    """All judgements of a file. `kind` (da, esa or mqm) and `system_prefix` are for exports of campaigns."""
    path = Path(path)
    if not path.is_file():
        raise UsageError(f"There is no file {path}.")
    bare = path.name.removesuffix(".gz")
    first = first_lines(path, 1)
    export = is_appraise(path) or bare.endswith(".json")
    if export and kind is None:
        raise UsageError(f"{path} is an export of a campaign, which does not say how people judged: da, esa or mqm?")
    if kind is not None and not export:
        raise UsageError(f"{path} says by itself how people judged; a kind is for exports of Appraise and Pearmut.")
    if is_appraise(path):
        return [read_appraise(path, kind=str(kind), pair=pair, system_prefix=system_prefix)]
    if export:
        return [read_pearmut(path, kind=str(kind), pair=pair)]
    file = recognised(path) if first else None
    found = [] if file is None else [table for table in file.read(pair, None).judgements if len(table)]
    if not found:
        raise DataError(f"{path} holds no judgements in a form that is known (see the page on formats).")
    return found


def is_appraise(path: Path) -> bool:
    """Whether a file is an export of Appraise, by its first line."""
    lines = first_lines(path, 1)
    columns = lines[0].split(",") if lines else []
    return path.name.removesuffix(".gz").endswith(".csv") and columns[3:4] in [[item] for item in APPRAISE_ITEMS]
