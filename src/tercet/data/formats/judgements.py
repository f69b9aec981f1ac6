"""Formats of human judgements, one row per judgement, ranking, preference or error."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from .. import assessments, rankings
from ..jsonl import JUDGED
from ..judgements import Judgements
from ..mqm import read_mqm, read_ratings
from ..own_judgements import read_judgements, read_ratings_table
from . import JUDGEMENTS
from .columns import values_of_pairs
from .format import CERTAIN, Contents, Format, Guess, Head, Request, by_columns, by_ending, by_item

Reader = Callable[[Path, Request], Contents]


def _is_jsonl(head: Head) -> Guess | None:
    if head.ends(".jsonl") and set(JUDGED) <= head.item.keys():
        return Guess(CERTAIN, f"its first object has {', '.join(JUDGED)}")
    return None


def _reads(reader: Callable[..., Judgements | Contents], *, checked: bool = False) -> Reader:
    """Wrap a reader. checked: whether it compares the segments with those of the test set."""

    def read(path: Path, request: Request) -> Contents:
        how = {"segments": request.segments} if checked else {}
        found = reader(path, pair=request.pair, **how)
        return found if isinstance(found, Contents) else Contents([found])

    return read


def _table(
    name: str, about: str, columns: str, read: Reader, pairs: Callable[[Head], Sequence[str] | None] = values_of_pairs
) -> Format:
    return Format(name, (JUDGEMENTS,), about, by_columns(*columns.split()), read, pairs=pairs, in_folders=True)


_in_folders = partial(Format, in_folders=True)
FORMATS = (
    _in_folders(
        "judgements-jsonl", (JUDGEMENTS,), "judgements as JSON lines, one object each", _is_jsonl,
        _reads(read_judgements), pairs=by_item,
    ),
    _in_folders(
        "mqm-ratings", (JUDGEMENTS,), "marked errors as mt-metrics-eval writes them: SYSTEM, JSON and perhaps RATER",
        by_ending(".seg.rating", ".mqm_ratings.tsv"),
        lambda path, request: Contents(
            [read_ratings(path, pair=request.pair, n_segments=len(request.segments or ()))]
        ),
    ),
    _table(
        "wmt-ranking-csv", "the ranking CSV of WMT, 2010 to 2016", "srclang trglang srcIndex system1Id system1rank",
        _reads(rankings.read_ranking_csv, checked=True), lambda head: rankings.csv_pairs(head.path),
    ),
    _table(
        "preferences", "preferences: seg, better, worse", "seg better worse",
        _reads(rankings.read_preferences, checked=True),
    ),
    _table(
        "rankings", "rankings: lp, seg, judge, systems (A|B|C), ranks (1|2|2; -1 is blank)",
        "lp seg judge systems ranks", _reads(rankings.read_rankings, checked=True),
    ),
    _table(
        "ratings", "ratings as `tercet rate export` writes them: rater, item, segment, system, kind, value",
        "rater item segment system kind value", _reads(read_ratings_table),
    ),
    _table(
        "mqm", "marked errors (MQM): system, doc, doc_id, seg_id, rater, category, severity, as Google and Unbabel "
        "publish them", "system doc doc_id seg_id rater category severity", _reads(read_mqm),
    ),
    _table(
        "ratings-by-reference", "ratings by reference of the thesis of Fomicheva (2017)",
        "judge segment_id batch rating", _reads(assessments.read_ratings_by_reference),
    ),
    _table(
        "mlqe", "direct assessments of MLQE, with texts", "index original translation scores",
        _reads(assessments.read_direct_assessments),
    ),
    _table(
        "wmt12-effort", "effort of post-editing of WMT12's quality estimation, with texts",
        "seg source mt effort score1 weight1", _reads(assessments.read_effort_scores),
    ),
    _table(
        "post-editing", "post-editing of IWSLT 2019: HTER, time, keystrokes",
        "file_name line_in_file who HTER time keystrokes", _reads(assessments.read_post_editing),
        lambda head: assessments.post_edited_pairs(head.path),
    ),
)  # fmt: skip
