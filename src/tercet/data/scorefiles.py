"""Read files of metric scores: those of other programs, of the WMT tasks, and our own.

| file | form |
|---|---|
| .npz | `tercet score --save` |
| .jsonl | the interchange format, with "scores" |
| .score, a system and its score per line | mt-metrics-eval's METRIC-REF.LEVEL.score |
| tab-separated without header | the WMT metrics tasks' METRIC.sys.score, METRIC.seg.score |
| table with header, separated by tabs or commas | system, perhaps seg and lp, and one column per metric |
| JSON, and the lines that comet-score prints | `cometfiles` |
| a number per line, perhaps after the segment's name or number | the segment scores of one system |
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from ..errors import DataError, UsageError
from .assessments import SYSTEM, from_blocks, has_pairs, read_item_scores, read_published
from .cometfiles import is_json, is_printed, read_comet
from .evalset import LEVELS, read_score_file
from .field_checks import parse_number
from .lines import read_lines
from .recognising import bare_name
from .score_archive import load_scores
from .scores import Scores
from .tables import Published, fields_of, first_lines, is_number, merged, separator_of
from .wmtscores import ScoreRecord, read_wmt_scores

SEGMENT_COLUMNS = ("seg", "segment", "seg_id", "id", "index")  # beside "score", in files of one system
NOT_METRICS = ("scores", "csv", "out")  # endings of file names


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
    path = Path(path)
    if not path.is_file():
        raise UsageError(
            f"{path} is a folder; a file of scores is needed." if path.is_dir() else f"There is no file {path}."
        )
    name = path.name.removesuffix(".gz")
    if name.endswith(".npz"):
        if system is not None:
            raise UsageError(_has_names(path))
        found = load_scores(path)
        for scores in found:
            if segments and scores.n_segments != len(segments):
                raise DataError(
                    f"{path}: {scores.label} of {scores.n_segments} segments, but the data have {len(segments)}."
                )
        return found
    places = {segment: place for place, segment in enumerate(segments)}
    published = _published(path, name, pair or None, segments, system)
    if not places:
        names = dict.fromkeys(segment for table in published for segment in table.segments or ())
        places = {segment: place for place, segment in enumerate(names)}
    human, metrics = merged(published, places)
    if not metrics:
        people = ", ".join(scores.label for scores in human)
        raise DataError(
            f"{path} holds no metric scores"
            + (f" for {pair}" if pair else "")
            + (f", only human ones: {people}." if people else ".")
        )
    return metrics


def pairs_of_scores(path: str | Path) -> Sequence[str] | None:
    """Return the language pairs that a score file states.

    None if the file does not state any. An empty list if its rows state theirs: `read_scores` then selects rows.
    """
    path = Path(path)
    name = bare_name(path)
    if name.endswith(".npz"):
        found = {item.provenance.get("pair") for item in load_scores(path)}
        return sorted(str(pair) for pair in found if pair) or None
    first = first_lines(path, 1)
    if not first:
        return ()  # `read_scores` raises the error
    if name.endswith(".jsonl"):
        try:
            item = json.loads(first[0])
        except (ValueError, RecursionError):
            return ()  # `read_scores` raises the error
        return [str(item["pair"])] if isinstance(item, dict) and item.get("pair") else None
    fields = fields_of(first[0], separator_of(first[0]))
    if set(fields) & {"seg", *SYSTEM}:
        return None if has_pairs(fields) is None else ()
    if is_json(first[0]) or is_printed(first[0]):
        return None
    return None if len(first[0].split()) <= 2 else ()


def _published(path: Path, name: str, pair: str | None, segments: Sequence[str], system: str | None) -> list[Published]:
    first = first_lines(path, 1)
    if not first:
        raise DataError(f"{path} is empty.")
    if not name.endswith(".jsonl"):
        if is_json(first[0]) or is_printed(first[0]):
            return read_comet(path, segments, system=system) or _refuse(path, "holds JSON that is not COMET's")
        rows = _one_system_rows(path, name, first[0], segments, system is not None)
        if rows is not None:
            return [_one_system(path, name, rows, segments, system)]
    jsonl, table = name.endswith(".jsonl"), set(fields_of(first[0], separator_of(first[0]))) & {"seg", *SYSTEM}
    two = len(first[0].split()) == 2
    if not (jsonl or table or two or "\t" in first[0]):
        read_lines(path)  # raises a more precise error for a file that is not text
        _refuse(path, "holds no scores in a known form")
    if system is not None:
        raise UsageError(_has_names(path))
    if jsonl:
        return list(read_item_scores(path).published)
    if table:
        return read_published(path, pair)
    return [_evalset(path, name, segments)] if two else _submission(path, pair)


def _has_names(path: Path) -> str:
    return f"{path} names its systems itself; no other name can be given."


def _refuse(path: Path, problem: str) -> NoReturn:
    raise DataError(
        f"{path} {problem} (docs/formats.md, 'Scores'). What is read:\n"
        "  a table with a header, .tsv or .csv: system, perhaps seg and lp, and one column per metric\n"
        "  a system and its score on every line, without a header\n"
        "  segment scores of one system: a number per line, perhaps after the segment's number\n"
        "  'tercet score --save FILE.npz', JSONL with \"scores\", WMT's submissions, COMET's output"
    )


class _Row(NamedTuple):
    """A line of a file with the segment scores of one system. segment: None where the line is only a number."""

    line: int
    segment: str | None
    score: str


def _one_system_rows(path: Path, name: str, first: str, segments: Sequence[str], is_named: bool) -> list[_Row] | None:
    """Return the rows of a file with the segment scores of one system, or None if the file is of another form.

    Two columns without a header may also be SYSTEM SCORE. They are taken for a segment and its score if the caller
    names the system, or if the first column holds the test set's segments or the numbers 1, 2, 3, … or 0, 1, 2, ….
    """
    width = len(first.split())
    if width == 1:
        if not is_number(first.strip()):
            return None
        return [_Row(number, None, line.strip()) for number, line in enumerate(read_lines(path), 1)]
    if width != 2 or _level(name)[1] or first.split()[0] in SYSTEM:
        return None
    header = first.split()[0] in SEGMENT_COLUMNS and first.split()[1] == "score"
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


def _one_system(path: Path, name: str, rows: Sequence[_Row], segments: Sequence[str], system: str | None) -> Published:
    """Return the scores of one system. The file is named after the system, or after the metric if `system` is given."""
    called, metric = _level(name)[0], ""
    stem, _, ending = name.rpartition(".")
    if called == name and stem and re.fullmatch(r"[A-Za-z]\w*", ending):
        called, metric = stem, "" if ending in NOT_METRICS else ending
    metric = metric or (called if system is not None else "score")
    if segments and len(rows) != len(segments):
        raise DataError(
            f"{path}: {len(rows)} segment scores, but the data have {len(segments)} segments. "
            "If the first column holds systems, call the file METRIC.sys.score."
        )
    names = [str(row.segment) for row in rows]
    if rows and rows[0].segment is None:
        names = list(segments) or [str(row.line) for row in rows]
    elif segments and set(names) != set(segments) and (start := _start(names)) is not None:
        names = [segments[int(number) - start] for number in names]
    seen: dict[str, int] = {}
    for row, segment in zip(rows, names, strict=True):
        if seen.setdefault(segment, row.line) != row.line:
            raise DataError(f"{path}, line {row.line}: segment {segment!r} again, after line {seen[segment]}.")
        if row.score != "None" and not math.isfinite(parse_number(row.score)):
            raise DataError(f"{path}, line {row.line}: {row.score!r} is not a number; write None where there is none.")
    scores = [parse_number(row.score) for row in rows]
    return Published(path, [row.line for row in rows], [system or called] * len(rows), names, {metric: scores})


def _level(name: str) -> tuple[str, str]:
    """Split the name of a score file into the rest and the level ("" if the name does not have it)."""
    stem = re.sub(r"\.(score|tsv|txt)$", "", name)
    rest, _, level = stem.rpartition(".")
    return (rest, level) if level in LEVELS else (stem, "")


def _evalset(path: Path, name: str, segments: Sequence[str]) -> Published:
    """Read scores without segment numbers, which are those of all segments in order."""
    rest, level = _level(name)
    scores = read_score_file(path)
    length = len(next(iter(scores.values())))
    level = level or ("sys" if length == 1 else "seg")
    if level not in ("sys", "seg"):
        raise UsageError(f"{path}: scores of level {level}, but only levels sys and seg can be used.")
    names = segments or [str(number) for number in range(1, length + 1)]
    return from_blocks(path, scores, level, names, _without_references(rest))


def _without_references(name: str) -> str:
    """Return the metric in METRIC-refA or METRIC-src. Any other hyphen belongs to the metric's name."""
    metric, _, references = name.rpartition("-")
    return metric if metric and re.fullmatch(r"src|(ref\w*)([.]ref\w*)*", references) else name


def _submission(path: Path, pair: str | None) -> list[Published]:
    """Return the scores of one pair, by metric and, where a file has several, by reference."""
    records = list(enumerate(read_wmt_scores(path), 1))
    known = list(dict.fromkeys(record.pair for _, record in records))
    if pair is None and len(known) > 1:
        raise UsageError(f"{path} has several language pairs. Choose one: {', '.join(sorted(known))}.")
    mine = [(line, record) for line, record in records if record.pair == (pair or known[0])]
    if not mine:
        raise DataError(f"{path} has no scores for {pair}. It has: {', '.join(known)}.")
    groups: dict[tuple[str, str | None, bool], list[tuple[int, ScoreRecord]]] = {}
    for line, record in mine:
        groups.setdefault((record.metric, record.reference, record.segment is None), []).append((line, record))
    references: dict[str, set[str | None]] = {}
    for metric, reference, _ in groups:
        references.setdefault(metric, set()).add(reference)
    found = []
    for (metric, reference, of_systems), rows in groups.items():
        label = metric if len(references[metric]) == 1 else f"{metric}-{reference}"
        found.append(
            Published(
                path,
                [line for line, _ in rows],
                [record.system for _, record in rows],
                None if of_systems else [str(record.segment) for _, record in rows],
                {label: [record.score for _, record in rows]},
            )
        )
    return found
