"""Formats of metric scores: those of other programs, of the WMT tasks, and our own."""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import DataError, UsageError
from ..assessments import from_blocks, read_item_scores
from ..cometfiles import is_json, is_printed, read_comet
from ..evalset import LEVELS, read_score_file
from ..field_checks import choose_pair, is_number, parse_number
from ..grouping import grouped
from ..lines import read_lines
from ..names import bare_name
from ..score_archive import load_scores
from ..tables import Published
from ..wmtscores import read_wmt_scores
from . import SCORES, published
from .columns import NAMES, find, plain, values_of_pairs
from .format import CERTAIN, LIKELY, POSSIBLE, Contents, Format, Guess, Head, Request, by_ending, by_item, has_names

NOT_METRICS = ("scores", "csv", "out")  # endings of file names


def no_scores(path: Path, problem: str, more: str = "") -> DataError:
    """Return the error for a file that holds no scores, with the forms that are read."""
    return DataError(
        f"{path} {problem} (docs/formats.md, 'Scores').{more} What is read:\n"
        "  a table with a header, .tsv or .csv: system, perhaps seg and lp, and one column per metric\n"
        "  a system and its score on every line, without a header\n"
        "  segment scores of one system: a number per line, perhaps after the segment's number\n"
        "  'tercet score --save FILE.npz', JSONL with \"scores\", WMT's submissions, COMET's output"
    )


def _by_lines(fits: Callable[[Head], bool], sureness: float, why: str) -> Callable[[Head], Guess | None]:
    """Return a `sniff` for files that have their scores in lines of text."""
    return lambda head: Guess(sureness, why) if _is_lines(head) and fits(head) else None


def _is_lines(head: Head) -> bool:
    return bool(head.first) and "\0" not in head.first and not head.ends(".jsonl", ".npz")


def _read_archive(path: Path, request: Request) -> Contents:
    has_names(path, request)
    found, needed = load_scores(path), len(request.segments or ())
    for scores in found:
        if needed and scores.n_segments != needed:
            raise DataError(f"{path}: {scores.label} of {scores.n_segments} segments, but the data have {needed}.")
    return Contents(scores=found)


def _read_scored_texts(path: Path, request: Request) -> Contents:
    has_names(path, request)
    return read_item_scores(path)


def _is_comet(head: Head) -> Guess | None:
    if not _is_lines(head):
        return None
    if is_json(head.first):
        return Guess(LIKELY / 2, "it begins like JSON")
    return Guess(CERTAIN, "its lines are those that comet-score prints") if is_printed(head.first) else None


def _read_comet(path: Path, request: Request) -> Contents:
    found = read_comet(path, list(request.segments or ()), system=request.system)
    if not found:
        raise no_scores(path, "holds JSON that is not COMET's")
    return Contents(published=found)


def _read_one_system(path: Path, request: Request) -> Contents:
    """Read the scores of one system. The file is named after the system, or after the metric if `system` is given."""
    head, segments = Head(path, request), list(request.segments or ())
    rows, called, metric = _one_system_rows(head) or [], _level(head.name)[0], ""
    stem, _, ending = head.name.rpartition(".")
    if called == head.name and stem and re.fullmatch(r"[A-Za-z]\w*", ending):
        called, metric = stem, "" if ending in NOT_METRICS else ending
    metric = metric or (called if request.system is not None else "score")
    if segments and len(rows) != len(segments):
        raise DataError(
            f"{path}: {len(rows)} segment scores, but the data have {len(segments)} segments. "
            "If the first column holds systems, call the file METRIC.sys.score."
        )
    names = [str(row.segment) for row in rows]
    if rows and rows[0].segment is None:
        names = segments or [str(row.line) for row in rows]
    elif segments and set(names) != set(segments) and (start := _start(names)) is not None:
        names = [segments[int(number) - start] for number in names]
    seen: dict[str, int] = {}
    for row, segment in zip(rows, names, strict=True):
        if seen.setdefault(segment, row.line) != row.line:
            raise DataError(f"{path}, line {row.line}: segment {segment!r} again, after line {seen[segment]}.")
        if row.score != "None" and not math.isfinite(parse_number(row.score)):
            raise DataError(f"{path}, line {row.line}: {row.score!r} is not a number; write None where there is none.")
    scores = {metric: [parse_number(row.score) for row in rows]}
    systems = [request.system or called] * len(rows)
    return Contents(published=[Published(path, [row.line for row in rows], systems, names, scores)])


def _is_table(head: Head) -> Guess | None:
    columns = [name for role in ("segment", "system") if (name := find(head.header, role))]
    if not columns or not _is_lines(head):
        return None
    sure = head.separator != " " and {"seg", "system", "sys"} & {name.lower() for name in columns}
    if not sure and (any(map(is_number, head.header)) or not any(map(is_number, head.row.values()))):
        return None  # rows without a header, or a sentence that begins with "system"
    return Guess(LIKELY / 2, f"it has a column {', '.join(columns)}")


def _submission_pairs(head: Head) -> list[str]:
    named = {fields[1] for line in read_lines(head.path) if len(fields := line.split("\t")) > 1}
    return sorted(named) if all("-" in pair for pair in named) else []


class _Row(NamedTuple):
    """A line of a file with the segment scores of one system. segment: None where the line is only a number."""

    line: int
    segment: str | None
    score: str


def _one_system_rows(head: Head) -> list[_Row] | None:
    """Return the rows of a file with the segment scores of one system, or None if the file is of another form.

    Two columns without a header may also be SYSTEM SCORE. They are taken for a segment and its score if the caller
    names the system, or if the first column holds the test set's segments or the numbers 1, 2, 3, … or 0, 1, 2, ….
    """
    path, first, segments = head.path, head.first, head.request.segments or ()
    is_named = head.request.system is not None
    width = len(first.split())
    if width == 1:
        if not is_number(first.strip()):
            return None
        return [_Row(number, None, line.strip()) for number, line in enumerate(read_lines(path), 1)]
    if width != 2 or _level(head.name)[1] or first.split()[0].lower() in ("system", "sys"):
        return None
    header = plain(first.split()[0]) in NAMES["segment"] and first.split()[1] == "score"
    rows = []
    for number, line in enumerate(read_lines(path)[header:], 1 + header):
        fields = line.split()
        if len(fields) != 2:
            if header or is_named:
                raise DataError(f"{path}, line {number}: {len(fields)} words; a segment and its score are needed.")
            return None
        rows.append(_Row(number, *fields))
    names = [str(row.segment) for row in rows]
    is_segments = len(rows) > 1 and (_start(names) is not None or set(names) == set(segments))
    return rows if header or is_named or is_segments else None


def _start(names: Sequence[str]) -> int | None:
    """Return 0 or 1 if names are the numbers that count from there, in any order, else None."""
    present = set(names)
    return next((start for start in (1, 0) if present == set(map(str, range(start, start + len(names))))), None)


def _level(name: str) -> tuple[str, str]:
    """Split the name of a score file into the rest and the level ("" if the name does not have it)."""
    stem = re.sub(r"\.(score|tsv|txt)$", "", name)
    rest, _, level = stem.rpartition(".")
    return (rest, level) if level in LEVELS else (stem, "")


def _read_blocks(path: Path, request: Request) -> Contents:
    """Read scores without segment numbers, which are those of all segments in order."""
    has_names(path, request)
    rest, level = _level(bare_name(path))
    scores = read_score_file(path)
    length = len(next(iter(scores.values())))
    level = level or ("sys" if length == 1 else "seg")
    if level not in ("sys", "seg"):
        raise UsageError(f"{path}: scores of level {level}, but only levels sys and seg can be used.")
    names = list(request.segments or ()) or [str(number) for number in range(1, length + 1)]
    metric, _, references = rest.rpartition("-")  # METRIC-refA or METRIC-src; other hyphens belong to the metric's name
    named = metric and re.fullmatch(r"src|(ref\w*)([.]ref\w*)*", references)
    return Contents(published=[from_blocks(path, scores, level, names, metric if named else rest)])


def _read_submission(path: Path, request: Request) -> Contents:
    """Read the scores of one pair, by metric and, where a file has several, by reference."""
    has_names(path, request)
    records = list(enumerate(read_wmt_scores(path), 1))
    known = dict.fromkeys(record.pair for _, record in records)
    if request.pair is not None and request.pair not in known:
        raise DataError(f"{path} has no scores for {request.pair}. It has: {', '.join(known)}.")
    pair = choose_pair(known, request.pair, path)
    mine = [(line, record) for line, record in records if record.pair == pair]
    groups = grouped(((each.metric, each.reference, each.segment is None), (line, each)) for line, each in mine)
    references = grouped(dict.fromkeys((metric, reference) for metric, reference, _ in groups))
    found = []
    for (metric, reference, of_systems), rows in groups.items():
        label = metric if len(references[metric]) == 1 else f"{metric}-{reference}"
        segments = None if of_systems else [str(record.segment) for _, record in rows]
        systems, scores = [record.system for _, record in rows], [record.score for _, record in rows]
        found.append(Published(path, [line for line, _ in rows], systems, segments, {label: scores}))
    return Contents(published=found)


SCORED_TEXTS = Format(
    "jsonl-scores", (SCORES,), 'JSONL with "scores" beside the texts', by_ending(".jsonl"),
    _read_scored_texts, by_item,
)  # fmt: skip
FORMATS = (
    Format(
        "saved-scores", (SCORES,), "scores with their counts, as `tercet score --save FILE.npz` writes them",
        by_ending(".npz"), _read_archive,
        lambda head: sorted({str(pair) for each in load_scores(head.path) if (pair := each.provenance.get("pair"))}),
    ),
    SCORED_TEXTS,
    Format(
        "comet", (SCORES,), "COMET's JSON, and the lines that comet-score prints", _is_comet, _read_comet,
    ),
    Format(
        "one-system", (SCORES,), "segment scores of one system: a number per line, perhaps after the segment",
        _by_lines(
            lambda head: _one_system_rows(head) is not None, 0.95, "it has a number per line, perhaps after the segment"
        ),
        _read_one_system,
    ),
    Format(
        "score-table", (SCORES,), "a table with a column system or seg, and columns of scores", _is_table,
        published.read, values_of_pairs,
    ),
    Format(
        "evalset-scores", (SCORES,), "mt-metrics-eval's scores: a system and its score per line",
        _by_lines(lambda head: len(head.first.split()) == 2, POSSIBLE / 2, "its first line has two words"),
        _read_blocks,
    ),
    Format(
        "wmt-submission", (SCORES,), "submissions to WMT's metrics tasks, 2014 to 2023: tab-separated, no header",
        _by_lines(
            lambda head: len(head.first.split()) > 2 and "\t" in head.first, POSSIBLE / 4,
            "its columns are separated by tabs",
        ),
        _read_submission, _submission_pairs,
    ),
)  # fmt: skip
