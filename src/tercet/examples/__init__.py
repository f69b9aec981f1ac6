"""A small example test set: four language pairs, two references and three systems, and for English to German ratings
from 0 to 100 by three raters.

All texts, outputs and ratings were invented for it. Alder translates well, Birch makes typical errors, Cedar translates
word by word, omits words and leaves some in the source language; one of its outputs is a copy of the source, one is
empty.
"""

import json
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from ..data.files import make_folder
from ..data.jsonl import read_jsonl, write_jsonl
from ..data.lines import read_lines, write_lines
from ..data.testset import TestSet
from ..errors import UnknownName, UsageError


def pairs() -> tuple[str, ...]:
    """Return the language pairs of the example test set."""
    return tuple(sorted(Path(item.name).stem for item in files(__package__).iterdir() if item.name.endswith(".jsonl")))


def load(pair: str = "en-de") -> TestSet:
    """Return the example test set of a language pair."""
    if pair not in pairs():
        raise UnknownName("demo language pair", pair, pairs())
    with as_file(files(__package__).joinpath(f"{pair}.jsonl")) as path:
        return read_jsonl(path)


def write(pair: str, folder: str | Path) -> dict[str, list[str]]:
    """Write the texts of a pair into a folder and return the names of the files by their contents.

    Plain texts have one segment per line: source, references, outputs, document ids. One JSONL file has all of them.
    judgements.jsonl and ratings.csv have the ratings, if any. Raises UsageError if a file exists with other contents.
    """
    testset, folder = load(pair), Path(folder)
    make_folder(folder)
    texts: dict[str, dict[str, Sequence[str | None] | None]] = {
        "source": {"src.txt": testset.source},
        "references": {f"{name}.txt": lines for name, lines in testset.references.items()},
        "outputs": {f"{name}.txt": list(lines) for name, lines in testset.outputs.items()},
        "documents": {"docs.txt": testset.documents},
    }
    for named in texts.values():
        for name, lines in named.items():
            _write_once(folder / name, [text or "" for text in lines or ()])
    together = folder / f"{pair}.jsonl"
    if together.exists() and read_jsonl(together) != testset:
        raise _other(together)
    write_jsonl(testset, together)
    written = {kind: list(named) for kind, named in texts.items()} | {"jsonl": [together.name]}
    ratings = files(__package__).joinpath("judgements", f"{pair}.jsonl")
    if ratings.is_file():
        lines = ratings.read_text("utf-8").splitlines()
        _write_once(folder / "judgements.jsonl", lines)
        _write_once(folder / "ratings.csv", _as_table(lines))
        written["judgements"] = ["judgements.jsonl", "ratings.csv"]
    return written


def _as_table(judgements: Sequence[str]) -> list[str]:
    """Return judgements as CSV, as people keep them in a spreadsheet."""
    rows = [json.loads(line) for line in judgements]
    named = (f"{row['segment']},{row['system']},{row['rater']},{row['value']:g}" for row in rows)
    return ["Segment,System,Rater,Score", *named]


def _write_once(path: Path, lines: list[str]) -> None:
    if path.exists() and read_lines(path) != lines:
        raise _other(path)
    write_lines(path, lines)


def _other(path: Path) -> UsageError:
    return UsageError(f"{path} exists with other contents. Choose another folder; nothing is overwritten.")
