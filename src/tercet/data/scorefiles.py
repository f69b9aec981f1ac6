"""Files of metric scores, of whatever form: what a researcher has after running a metric somewhere.

| file | form |
|---|---|
| .npz | `tercet score --save` |
| .jsonl | the interchange format, with "scores" |
| .score, a system and its score per line | mt-metrics-eval's METRIC-REF.LEVEL.score |
| tab-separated without header | the WMT metrics tasks' METRIC.sys.score, METRIC.seg.score |
| table with header, separated by tabs or commas | system, perhaps seg and lp, and one column per metric |
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError, UsageError
from .assessments import SYSTEM, has_pairs, read_item_scores, read_published
from .evalset import LEVELS, read_score_file
from .lines import read_lines
from .recognising import bare_name
from .score_archive import load_scores
from .scores import Scores
from .tables import Published, fields_of, first_lines, merged, separator_of
from .wmtscores import ScoreRecord, read_wmt_scores


def read_scores(path: str | Path, *, pair: str, segments: Sequence[str] = ()) -> list[Scores]:
    """All metrics in a file of scores for one language pair. Segment scores are put in the order of `segments`.

    Files of other programs do not say whether higher is better; it is taken to be so, as WMT asks of all who submit.
    """
    path = Path(path)
    if not path.is_file():
        raise UsageError(
            f"{path} is a folder; a file of scores is needed." if path.is_dir() else f"There is no file {path}."
        )
    name = path.name.removesuffix(".gz")
    if name.endswith(".npz"):
        found = load_scores(path)
        for scores in found:
            if segments and scores.n_segments != len(segments):
                raise DataError(
                    f"{path}: {scores.label} of {scores.n_segments} segments, but the data have {len(segments)}."
                )
        return found
    places = {segment: place for place, segment in enumerate(segments)}
    published = _published(path, name, pair, segments)
    if not places:  # nobody said which segments there are: those of the file
        names = dict.fromkeys(segment for table in published for segment in table.segments or ())
        places = {segment: place for place, segment in enumerate(names)}
    human, metrics = merged(published, places)
    if not metrics:
        people = ", ".join(scores.label for scores in human)
        raise DataError(
            f"{path} holds no metric scores for {pair}" + (f", only human ones: {people}." if people else ".")
        )
    return metrics


def pairs_of_scores(path: str | Path) -> Sequence[str] | None:
    """The pairs that a file of scores is of: none where its reader chooses among its rows, None if nothing says it."""
    path = Path(path)
    name = bare_name(path)
    if name.endswith(".npz"):
        found = {item.provenance.get("pair") for item in load_scores(path)}
        return sorted(str(pair) for pair in found if pair) or None
    first = first_lines(path, 1)
    if not first:
        return ()  # its reader says that it is empty
    if name.endswith(".jsonl"):
        try:
            item = json.loads(first[0])
        except (ValueError, RecursionError):
            return ()  # its reader says where
        return [str(item["pair"])] if isinstance(item, dict) and item.get("pair") else None
    fields = fields_of(first[0], separator_of(first[0]))
    if set(fields) & {"seg", *SYSTEM}:
        return None if has_pairs(fields) is None else ()
    return None if len(first[0].split()) == 2 else ()


def _published(path: Path, name: str, pair: str, segments: Sequence[str]) -> list[Published]:
    if name.endswith(".jsonl"):
        return list(read_item_scores(path).published)
    first = first_lines(path, 1)
    if not first:
        raise DataError(f"{path} is empty.")
    if set(fields_of(first[0], separator_of(first[0]))) & {"seg", *SYSTEM}:
        return read_published(path, pair)
    if len(first[0].split()) == 2 and not _is_json(first[0]):
        return [_evalset(path, name, segments)]
    if "\t" in first[0]:
        return _submission(path, pair)
    raise DataError(_unknown(path, first[0]))


def _is_json(line: str) -> bool:
    return line.lstrip().startswith(("[", "{"))


def _unknown(path: Path, line: str) -> str:
    """What is said of a file in none of the forms; `read_lines` says where a file is not text."""
    read_lines(path)
    what = "is JSON, which is not read" if _is_json(line) else "holds no scores in a known form"
    return (
        f"{path} {what} (docs/formats.md, 'Scores'). What is read:\n"
        "  a table with a header, .tsv or .csv: system, perhaps seg and lp, and one column per metric\n"
        "  a system and its score on every line, without a header\n"
        "  what 'tercet score --save FILE.npz' writes, JSONL with \"scores\", WMT's submissions"
    )


def _evalset(path: Path, name: str, segments: Sequence[str]) -> Published:
    """Scores without segment numbers: they are those of all segments, in order."""
    stem = re.sub(r"\.(score|tsv|txt)$", "", name)
    rest, _, level = stem.rpartition(".")
    scores = read_score_file(path)
    length = len(next(iter(scores.values())))
    if level not in LEVELS:
        rest, level = stem, "sys" if length == 1 else "seg"
    if level not in ("sys", "seg"):
        raise UsageError(f"{path}: scores of level {level}; those of sys and seg can be judged.")
    names = segments or [str(number) for number in range(1, length + 1)]
    needed = len(names) if level == "seg" else 1
    if length != needed:
        raise DataError(f"{path}: {length} scores per system, but at level {level} the data need {needed}.")
    systems = [system for system, values in scores.items() for _ in values]
    of_rows = [*names] * len(scores) if level == "seg" else None
    values = [value for of_system in scores.values() for value in of_system]
    return Published(path, range(1, len(values) + 1), systems, of_rows, {_without_references(rest): values})


def _without_references(name: str) -> str:
    """The metric in METRIC-refA or METRIC-src; a hyphen before anything else belongs to its name."""
    metric, _, references = name.rpartition("-")
    return metric if metric and re.fullmatch(r"src|(ref\w*)([.]ref\w*)*", references) else name


def _submission(path: Path, pair: str) -> list[Published]:
    """The records of one pair, by metric and, where a file has several, by reference."""
    records = list(enumerate(read_wmt_scores(path), 1))
    mine = [(line, record) for line, record in records if record.pair == pair]
    if not mine:
        known = ", ".join(dict.fromkeys(record.pair for _, record in records))
        raise DataError(f"{path} has no scores for {pair}. It has: {known}.")
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
