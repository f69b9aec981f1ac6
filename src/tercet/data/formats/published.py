"""Tables of published scores, human and of metrics."""

from pathlib import Path

from .. import assessments, evalset
from ..field_checks import is_number
from ..mqm import read_ratings
from ..tables import HUMAN
from . import JUDGEMENTS, SCORES, TEXTS
from .columns import find, find_pair, values_of_pairs
from .format import Contents, Format, Guess, Head, Request, has_names
from .names import pair_of_name


def _is_published(head: Head) -> Guess | None:
    """The first row shows whether a table holds scores or texts."""
    if not head.ends(".tsv", ".csv") or len(head.lines) < 1:
        return None
    fields = dict(head.row)
    system = find(head.header, "system")
    system = system if system and fields.pop(system, "") else None
    keys = {find(head.header, "segment"), *assessments.NO_SCORES, *assessments.MOLTEN, find_pair(head.header), ""}
    numeric = [is_number(text) for name, text in fields.items() if name not in keys]
    if system and (human := HUMAN.keys() & set(head.header)):
        # Certainly scores: an error in the rows must be reported, not ignored.
        return Guess(0.9, f"it has a column {system} and human scores, {', '.join(sorted(human))}")
    if not numeric or not all(numeric):
        return None
    if system:
        return Guess(0.9, f"it has a column {system}, and the others hold numbers")
    pair = pair_of_name(head.name)
    if head.header[0] == "seg" and pair and head.name.startswith(f"{pair}."):
        return Guess(0.9, "it is called PAIR.METRIC and has a column seg and one of numbers per system")
    return None


def read(path: Path, request: Request) -> Contents:
    """Read a table of scores."""
    has_names(path, request)
    return Contents(published=assessments.read_published(path, request.pair))


def _read_evalset(folder: Path, request: Request) -> Contents:
    pair, segments = request.pair or "", list(request.segments or ())
    files = sorted((folder / "human-scores").glob(f"{pair}.*.seg.rating"))
    ratings = [read_ratings(path, pair=pair, n_segments=len(segments)) for path in files]
    people, metrics = evalset.read_human_scores(folder, pair), evalset.read_metric_scores(folder, pair)
    scores = [
        assessments.from_blocks(path, scores, level, segments, name, frozenset({name} if human else ()))
        for human, files in ((True, people), (False, metrics))
        for path, name, level, scores in files
        if level in ("sys", "seg")
    ]
    return Contents(ratings, scores)


EVALSET = Format(
    "evalset", (TEXTS, SCORES, JUDGEMENTS), "the EvalSet folder of mt-metrics-eval: sources/, system-outputs/, …",
    lambda head: Guess(1.0, "it has the folders sources and system-outputs") if evalset.is_evalset(head.path) else None,
    _read_evalset, lambda head: evalset.pairs(head.path), write=evalset.write_evalset,
)  # fmt: skip
FORMATS = (
    Format(
        "published", (SCORES, JUDGEMENTS), "a table of scores: system, perhaps seg and lp, and a column per metric",
        _is_published, read, values_of_pairs, in_folders=True,
    ),
    EVALSET,
)  # fmt: skip
