"""Scores written by COMET's programs: the JSON of `--to_json`, and the lines that `comet-score` prints.

Rei et al. (2020), "COMET: A Neural Framework for MT Evaluation", EMNLP. These forms are read:

    {"out/a.txt": [{"src": "…", "mt": "…", "ref": "…", "COMET": 0.85}, …], "out/b.txt": […]}    comet-score
    [{"src": "…", "mt": "…", "ref": "…", "COMET": 0.85}, …]                    its first versions, one system
    {"translations": [{"name": "out/a.txt", "mt": […], "scores": [0.85, …]}, …], …}            comet-compare
    {"scores": [0.85, …], "system_score": 0.84}                                    the result of `model.predict`

    out/a.txt<tab>Segment 0<tab>score: 0.8521
    out/a.txt<tab>score: 0.8431

A system is called by the name of its file, without the folder and ".txt". COMET's system score is the mean of the
segment scores; it is computed where the file does not hold it.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError, UsageError
from .assessments import from_blocks
from .field_checks import finite_number
from .formats.columns import NAMES, plain
from .jsonl import parse_json
from .lines import read_lines
from .names import unique_names
from .tables import Published

METRIC = "COMET"
NOT_SCORES = frozenset({"variance", "i", *NAMES["segment"]})  # numbers of a segment that are not its score
_SEGMENT = re.compile(r"(?:(.+)\t)?Segment ([0-9]{1,9})\tscore: (\S+)(?:\tvariance: \S+)?")
_SYSTEM = re.compile(r"(?:(.+)\t|System )score: (\S+)")
_OTHER_LINES = ("Predictions saved in: ", "CacheInfo(")


class _System(NamedTuple):
    """The scores of one system: by metric, one per segment, and the system's score where the file gives it."""

    segments: dict[str, list[float]]
    overall: dict[str, float]


def is_json(line: str) -> bool:
    """Return whether a file that begins with this line is JSON."""
    return line.lstrip().startswith(("[", "{"))


def is_printed(line: str) -> bool:
    """Return whether a line is one that `comet-score` prints."""
    return bool(_SEGMENT.fullmatch(line) or _SYSTEM.fullmatch(line))


def read_comet(path: Path, segments: Sequence[str] = (), *, system: str | None = None) -> list[Published] | None:
    """Read scores in one of COMET's forms; None for other JSON. system: the name of the only system."""
    lines = read_lines(path)
    if not lines:
        raise DataError(f"{path} is empty.")
    found = _from_json("\n".join(lines), path) if is_json(lines[0]) else _from_lines(lines, path)
    if not found:
        return None
    if system is not None and len(found) > 1:
        raise UsageError(f"{path} has scores of {len(found)} systems, so they cannot all be called {system!r}.")
    files = list(found)
    if system is not None or not files[0]:
        files = [system or re.sub(r"\.(json|txt|log|tsv|out)$", "", path.name.removesuffix(".gz"))]
    scores: dict[tuple[str, str], dict[str, list[float]]] = {}  # by level and metric
    for name, each in zip(unique_names(files), found.values(), strict=True):
        for metric, values in each.segments.items():
            scores.setdefault(("seg", metric), {})[name] = values
            each.overall.setdefault(metric, math.fsum(values) / len(values))
        for metric, value in each.overall.items():
            scores.setdefault(("sys", metric), {})[name] = [value]
    lengths = [len(values) for each in found.values() for values in each.segments.values()]
    names = segments or [str(number) for number in range(1, max(lengths, default=0) + 1)]
    ordered = sorted(scores.items(), key=lambda item: item[0][0])  # segments first
    return [from_blocks(path, columns, level, names, metric) for (level, metric), columns in ordered]


def _from_json(text: str, path: Path) -> dict[str, _System]:
    """Return the systems of a JSON file by name ("" for one without a name); none if it is not COMET's."""
    data = parse_json(text, str(path))
    parts: list[tuple[Any, Any]]
    if isinstance(data, dict) and isinstance(data.get("translations"), list):
        parts = [(item.get("name"), item) for item in data["translations"] if isinstance(item, dict)]
    elif isinstance(data, list) or "scores" in data:
        parts = [("", data)]
    else:
        parts = list(data.items())
    found: dict[str, _System] = {}
    for name, part in parts:
        where = f"{path}, system {name!r}" if name else str(path)
        system = _from_list(part, where) if isinstance(part, list) else _from_result(part, where)
        if system is None or not isinstance(name, str):
            return {}
        if name in found:
            raise DataError(f"{where}: this system is in the file twice. Remove one of the two.")
        found[name] = system
    return found


def _from_list(items: list[object], where: str) -> _System | None:
    first = items[0] if items else None
    if not isinstance(first, dict) or "mt" not in first:
        return None
    numbers = {key for key, value in first.items() if type(value) in (int, float) and plain(key) not in NOT_SCORES}
    metrics = [key for key in first if key == METRIC or key in numbers]
    system = _System({metric: [] for metric in metrics}, {})
    for number, item in enumerate(items, 1):
        for metric, values in system.segments.items():
            if not isinstance(item, dict) or metric not in item:
                raise DataError(f"{where}, segment {number}: no {metric}, which the first segment has.")
            values.append(finite_number(item[metric], f"{where}, segment {number}: {metric}"))
    return system if metrics else None


def _from_result(item: object, where: str) -> _System | None:
    """Read an object with the list "scores", and perhaps the system's score."""
    if not isinstance(item, dict) or not isinstance(item.get("scores"), list) or not item["scores"]:
        return None
    numbered = enumerate(item["scores"], 1)
    values = [finite_number(value, f"{where}, segment {number}: the score") for number, value in numbered]
    system = _System({METRIC: values}, {})
    if item.get("system_score") is not None:
        system.overall[METRIC] = finite_number(item["system_score"], f"{where}: system_score")
    return system


def _from_lines(lines: Sequence[str], path: Path) -> dict[str, _System]:
    found: dict[str, _System] = {}
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number}"
        if match := _SEGMENT.fullmatch(line):
            values = found.setdefault(match[1] or "", _System({}, {})).segments.setdefault(METRIC, [])
            if int(match[2]) != len(values):
                raise DataError(
                    f"{where}: segment {match[2]}, but the next one of this system is {len(values)}. "
                    "Every segment must be there once, in order, counted from 0."
                )
            values.append(finite_number(match[3], f"{where}: the score", from_text=True))
        elif match := _SYSTEM.fullmatch(line):
            system = found.setdefault(match[1] or "", _System({}, {}))
            if METRIC in system.overall:
                named = match[1] or "the system"
                raise DataError(f"{where}: a second system score of {named!r}. Remove one of the two.")
            system.overall[METRIC] = finite_number(match[2], f"{where}: the score", from_text=True)
        elif line and not line.startswith(_OTHER_LINES):
            raise DataError(f"{where}: {line[:60]!r} is not a line that comet-score prints.")
    if "" in found and len(found) > 1:
        raise DataError(f"{path}: some lines name the file of the translations, others do not.")
    return found
