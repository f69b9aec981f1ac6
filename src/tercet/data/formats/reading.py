"""Read what is wanted from a file of any format that holds it; errors say what the file was recognised as."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import DataError, UsageError
from ..judgements import Judgements
from ..lines import read_lines
from ..scores import Scores
from ..tables import merged
from . import JUDGEMENTS, SCORES
from .format import Head, Recognised, Request
from .registry import described, recognise


def read_scores(
    path: str | Path, *, pair: str | None = None, segments: Sequence[str] = (), system: str | None = None
) -> list[Scores]:
    """Read all metrics of a score file for one language pair.

    pair: the language pair. Needed only if the file holds several.
    segments: names of the test set's segments. Segment scores are returned in this order; without it, in that of the
    file.
    system: for files with the segment scores of one system, its name. Default: the name of the file.

    Files of other programs do not say whether higher scores are better. This is assumed, as WMT asks of participants.
    """
    path = _existing(path, "a file of scores is needed")
    places = {segment: place for place, segment in enumerate(segments)}
    found = recognise(path, (SCORES,), Request(pair=pair or None, segments=places, system=system))
    if found is None:
        if not read_lines(path):  # raises a more precise error for a file that is not text
            raise DataError(f"{path} is empty.")
        from .scores import no_scores

        raise no_scores(path, "holds no scores in a known form", described(path))
    contents = found.read()
    if contents.scores:
        return list(contents.scores)
    if not places:
        names = dict.fromkeys(segment for table in contents.published for segment in table.segments or ())
        places = {segment: place for place, segment in enumerate(names)}
    human, metrics = merged(contents.published, places)
    if not metrics:
        people = ", ".join(scores.label for scores in human)
        raise DataError(
            f"{path} holds no metric scores"
            + (f" for {pair}" if pair else "")
            + (f", only human ones: {people}." if people else ".")
        )
    return metrics


def pairs_of_scores(path: str | Path) -> Sequence[str] | None:
    """Return the language pairs that the contents of a score file name, None if they name none."""
    found = recognise(Path(path), (SCORES,))
    return () if found is None else found.format.pairs(found.head) or None  # (): `read_scores` raises the error


def read_judgement_file(
    path: str | Path, *, pair: str | None = None, kind: str | None = None, system_prefix: str = ""
) -> list[Judgements]:
    """Read all judgements of a file. `kind` (da, esa or mqm) and `system_prefix` are for exports of campaigns."""
    found = recognise_judgements(path)
    from .campaigns import EXPORTS

    if kind is not None and (found is None or found.format.name not in EXPORTS):
        raise UsageError(f"{path} states its kind of judgement; a kind is only for exports of Appraise and Pearmut.")
    tables = () if found is None else found.read(Request(pair, kind=kind, system_prefix=system_prefix)).judgements
    read = [table for table in tables if len(table)]
    if not read:
        raise DataError(_no_judgements(Path(path)))
    return read


def recognise_judgements(path: str | Path) -> Recognised | None:
    """Return the format of a file of judgements, or None."""
    return recognise(_existing(path, "a file is needed"), (JUDGEMENTS,))


def _no_judgements(path: Path) -> str:
    """Return the error message for a file without judgements. For a file that is not text, `read_lines` raises."""
    import json

    lines = read_lines(path)
    if not any(line.strip() for line in lines):
        return f"{path} is empty; it should hold judgements."
    if Head(path).ends(".jsonl"):
        from .judgements import REQUIRED

        try:
            item = json.loads(lines[0])
        except ValueError as error:
            return f"{path}, line 1 is not JSON: {error}."
        except RecursionError:
            return f"{path}, line 1: objects are nested too deeply."
        missing = [key for key in REQUIRED if not isinstance(item, dict) or key not in item]
        if missing:
            return f"{path}, line 1: no {' and no '.join(map(repr, missing))}, which a judgement needs."
    return f"{path} holds no judgements in a known format (docs/formats.md, 'Judgements').{described(path)}"


def pairs_of_judgements(path: str | Path) -> Sequence[str] | None:
    """Return the language pairs that a file of judgements names, None if it names none."""
    found = recognise(Path(path), (JUDGEMENTS,))
    return None if found is None else found.pairs() or None


def _existing(path: str | Path, needed: str) -> Path:
    path = Path(path)
    if not path.is_file():
        raise UsageError(f"{path} is a folder; {needed}." if path.is_dir() else f"There is no file {path}.")
    return path
