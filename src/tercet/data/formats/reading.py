"""Read what is wanted from a file of any format that holds it; errors say what the file was recognised as."""

from collections.abc import Sequence
from pathlib import Path

from ...errors import DataError, MissingFile, UsageError
from ..jsonl import JUDGED, JsonRow
from ..judgements import Judgements
from ..lines import read_lines
from ..scores import Scores
from ..tables import HUMAN, merged
from . import JUDGEMENTS, SCORES, recognise
from .campaigns import EXPORTS
from .format import Contents, Head, Recognised, Request
from .rating_tables import OWN_TABLES, why_not
from .registry import candidates, described


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


def read_human(path: str | Path, request: Request | None = None) -> Contents:
    """Read what people said in a file: judgements, and human scores of systems and segments."""
    request = request or Request()
    found = recognise_judgements(path, request)
    if request.kind is not None and (found is None or found.format.name not in (*EXPORTS, *OWN_TABLES)):
        raise UsageError(f"{path} states its kind of judgement; a kind is for tables and exports that do not state it.")
    if request.columns and (found is None or found.format.name not in OWN_TABLES):
        raise UsageError(
            f"{path} has a known form, so that columns cannot be given." if found else _nothing(path, request)
        )
    contents = Contents() if found is None else found.read(request)
    judgements = [table for table in contents.judgements if len(table)]
    human = [table for table in contents.published if table.human and len(table.lines)]
    if not judgements and not human:
        raise DataError(_nothing(path, request))
    return contents._replace(judgements=judgements, published=human)


def read_judgement_file(
    path: str | Path, *, pair: str | None = None, kind: str | None = None, system_prefix: str = ""
) -> list[Judgements]:
    """Read all judgements of a file; for the arguments see `Request`."""
    contents = read_human(path, Request(pair, kind=kind, system_prefix=system_prefix))
    if not contents.judgements:
        detail = f" {contents.about}" if contents.about else ""
        raise DataError(f"{path} has published scores or scores of systems, not single judgements.{detail}")
    return list(contents.judgements)


def recognise_judgements(path: str | Path, request: Request | None = None) -> Recognised | None:
    """Return the format of a file of judgements, or None."""
    for found in candidates(_existing(path, "a file is needed"), (JUDGEMENTS,), request):
        header = set(found.head.header)
        if found.format.name != "published" or HUMAN.keys() & header or {"kind", "score"} <= header:
            return found
    return None


def _nothing(path: str | Path, request: Request) -> str:
    return why_not(Path(path), request) or _no_judgements(Path(path))


def _no_judgements(path: Path) -> str:
    """Return the error message for a file without judgements. For a file that is not text, `read_lines` raises."""
    lines = read_lines(path)
    if not any(line.strip() for line in lines):
        return f"{path} is empty; it should hold judgements."
    if Head(path).ends(".jsonl"):
        item = JsonRow(lines[0], f"{path}, line 1").item
        if missing := [key for key in JUDGED if key not in item]:
            return f"{path}, line 1: no {' and no '.join(map(repr, missing))}, which a judgement needs."
    return f"{path} holds no judgements in a known format (docs/formats.md, 'Judgements').{described(path)}"


def pairs_of_judgements(path: str | Path) -> Sequence[str] | None:
    """Return the language pairs that a file of judgements names, None if it names none."""
    found = recognise_judgements(path)
    return None if found is None else found.pairs() or None


def _existing(path: str | Path, needed: str) -> Path:
    path = Path(path)
    if not path.is_file():
        raise UsageError(f"{path} is a folder; {needed}.") if path.is_dir() else MissingFile(path)
    return path
