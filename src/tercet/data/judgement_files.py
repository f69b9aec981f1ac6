"""Read files of judgements: those that `recognising` recognises, and exports of annotation campaigns.

Exports of Appraise and Pearmut state neither the kind of judgement nor the line of an item in the test set. The caller
gives the kind, and segments keep the names of the export.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError, UsageError
from .campaigns import CHECKS, read_appraise, read_pearmut
from .judgements import Judgements
from .lines import read_lines
from .rankings import short_pair
from .recognising import REQUIRED, recognised
from .tables import first_lines


def read_judgement_file(
    path: str | Path, *, pair: str | None = None, kind: str | None = None, system_prefix: str = ""
) -> list[Judgements]:
    """Read all judgements of a file. `kind` (da, esa or mqm) and `system_prefix` are for exports of campaigns."""
    path = Path(path)
    if not path.is_file():
        raise UsageError(f"{path} is a folder; a file is needed." if path.is_dir() else f"There is no file {path}.")
    bare = path.name.removesuffix(".gz")
    export = is_appraise(path) or bare.endswith(".json")
    if export and kind is None:
        raise UsageError(
            f"{path} is a campaign export, which does not state the kind of judgement. Give --kind da, esa or mqm."
        )
    if kind is not None and not export:
        raise UsageError(f"{path} states its kind of judgement; a kind is only for exports of Appraise and Pearmut.")
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
    """Return the error message for a file without judgements. For a file that is not text, `read_lines` raises."""
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
            return f"{path}, line 1: objects are nested too deeply."
        missing = [key for key in REQUIRED if not isinstance(item, dict) or key not in item]
        if missing:
            return f"{path}, line 1: no {' and no '.join(map(repr, missing))}, which a judgement needs."
    return f"{path} holds no judgements in a known format (docs/formats.md, 'Judgements')."


def pairs_of_judgements(path: str | Path) -> Sequence[str] | None:
    """Return the language pairs that a file of judgements names, None if it names none."""
    path = Path(path)
    if is_appraise(path):
        languages = {"-".join(line.split(",")[4:6]) for line in read_lines(path)}
        # The data may have other names for codes that we cannot shorten, so these are not used.
        pairs = sorted(map(short_pair, languages))
        return pairs if all(len(code) == 2 for pair in pairs for code in pair.split("-")) else None
    file = recognised(path)
    return (file.pairs() or None) if file else None


def is_appraise(path: Path) -> bool:
    """Return whether a file is an export of Appraise, judged by its first line."""
    lines = first_lines(path, 1)
    columns = lines[0].split(",") if lines else []
    return path.name.removesuffix(".gz").endswith(".csv") and len(columns) > 3 and columns[3] in CHECKS
