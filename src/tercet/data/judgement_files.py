"""Files of judgements, of whatever form: those that `evidence` recognises, and exports of annotation campaigns.

Exports of Appraise and Pearmut do not say how people judged, nor which line of a test set an item is; the caller says
the first, and segments keep the names of the export.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError, UsageError
from .campaigns import read_appraise, read_pearmut
from .judgements import Judgements
from .lines import read_lines
from .rankings import short_pair
from .recognising import REQUIRED, recognised
from .tables import first_lines

APPRAISE_ITEMS = ("TGT", "BAD", "CHK", "REF")  # the fourth column of an export


def read_judgement_file(
    path: str | Path, *, pair: str | None = None, kind: str | None = None, system_prefix: str = ""
) -> list[Judgements]:
    """All judgements of a file. `kind` (da, esa or mqm) and `system_prefix` are for exports of campaigns."""
    path = Path(path)
    if not path.is_file():
        raise UsageError(f"{path} is a folder; a file is needed." if path.is_dir() else f"There is no file {path}.")
    bare = path.name.removesuffix(".gz")
    export = is_appraise(path) or bare.endswith(".json")
    if export and kind is None:
        raise UsageError(
            f"{path} is an export of a campaign, which does not say how people judged. Say it: --kind da, esa or mqm."
        )
    if kind is not None and not export:
        raise UsageError(f"{path} says by itself how people judged; a kind is for exports of Appraise and Pearmut.")
    if is_appraise(path):
        return [read_appraise(path, kind=str(kind), pair=pair, system_prefix=system_prefix)]
    if export:
        return [read_pearmut(path, kind=str(kind), pair=pair)]
    file = recognised(path)
    found = [] if file is None else [table for table in file.read(pair, None).judgements if len(table)]
    if not found:
        raise DataError(_refusal(path))
    return found


def _refusal(path: Path) -> str:
    """Why a file is none of judgements. What is not text is refused with its line by `read_lines`."""
    import json

    lines = read_lines(path)
    if not any(line.strip() for line in lines):
        return f"{path} is empty; it should hold judgements."
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        try:
            item = json.loads(lines[0])
        except ValueError as error:
            return f"{path}, line 1 is not JSON: {error}."
        except RecursionError:
            return f"{path}, line 1: objects too deep to read."
        missing = [key for key in REQUIRED if not isinstance(item, dict) or key not in item]
        if missing:
            return f"{path}, line 1: no {' and no '.join(map(repr, missing))}, which a judgement needs."
    return f"{path} holds no judgements in a form that is known (docs/formats.md, 'Judgements')."


def pairs_of_judgements(path: str | Path) -> Sequence[str] | None:
    """The pairs that a file of judgements is of; None if nothing says it."""
    path = Path(path)
    if is_appraise(path):
        languages = {"-".join(line.split(",")[4:6]) for line in read_lines(path)}
        # Codes that have no shorter form here may be called otherwise by the data: these say nothing.
        pairs = sorted(map(short_pair, languages))
        return pairs if all(len(code) == 2 for pair in pairs for code in pair.split("-")) else None
    file = recognised(path)
    return (file.pairs() or None) if file else None


def is_appraise(path: Path) -> bool:
    """Whether a file is an export of Appraise, by its first line."""
    lines = first_lines(path, 1)
    columns = lines[0].split(",") if lines else []
    return path.name.removesuffix(".gz").endswith(".csv") and columns[3:4] in [[item] for item in APPRAISE_ITEMS]
