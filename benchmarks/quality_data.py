"""The texts that `benchmarks.quality_experiments` learns from and tests on, and what must not be in both."""

from __future__ import annotations

from dataclasses import dataclass
from html import unescape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tercet.data.field_checks import table_rows

Columns = dict[str, list[str]]
Pairs = list[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class Part:
    """Sentences with labels."""

    sources: list[str]
    outputs: list[str]
    labels: NDArray[np.float64]
    table: Columns


def read(path: Path) -> Columns:
    header, *rows = table_rows(path)
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


def read_part(path: Path, source: str, output: str, label: str) -> Part:
    table = read(path)
    return Part(table[source], table[output], np.array(table[label], dtype=np.float64), table)


def normal(text: str) -> str:
    """What decides whether two texts are the same."""
    return " ".join(unescape(unescape(text)).split()).lower()


def sides(data: Path, year: str, pair: str) -> Pairs:
    table = read(data / year / f"{pair}.segments.tsv.gz")
    return list(zip(table["source"], table["reference"], strict=True))


def ntrex(data: Path, source: str, target: str) -> Pairs:
    table = read(data / "multiref/ntrex_newstest2019_21langs.tsv.gz")
    return list(zip(table[source], table[target], strict=True))


def without(pairs: Pairs, seen: set[str]) -> Pairs:
    return [pair for pair in dict.fromkeys(pairs) if not {normal(text) for text in pair} & seen]


def english_news(data: Path, seen: set[str]) -> list[str]:
    """The English of newstest2014, 2017, 2018 and 2019, without texts that were seen."""
    found: dict[str, None] = {}
    for year in ("wmt14", "wmt17", "wmt18", "wmt19"):
        for path in sorted((data / year).glob("*en*.segments.tsv.gz")):
            found |= dict.fromkeys(read(path)["source" if path.name.startswith("en") else "reference"])
    return [text for text in found if normal(text) not in seen]


def post_edits(data: Path, test: set[str], seen: set[str]) -> Pairs:
    """IWSLT 2019's post-edited news: English with references and post-edits in Spanish.

    Some of it is what WMT12's sentences were drawn from: documents with a sentence of the test part are left out whole,
    and of the others the sentences that the training part has.
    """
    table = read(data / "iwslt2019_pe/annotations.tsv.gz")
    documents = [f"{name.split('.')[0]}_{name.rpartition('_')[2]}" for name in table["file_name"]]
    texts = [
        [unescape(unescape(text)).strip() for text in row]
        for row in zip(*(table[name] for name in ("S", "REF", "PE")), strict=True)
    ]
    held_out = {name for name, row in zip(documents, texts, strict=True) if {*map(normal, row)} & test}
    kept = [row for name, row in zip(documents, texts, strict=True) if name not in held_out]
    return without([(source, target) for source, *targets in kept for target in targets if target], seen)
