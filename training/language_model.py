"""Make the English language models that come with the package, from texts with free licences.

    python -m training.language_model PARALLEL --cache FOLDER --out src/tercet/quality/data/english-fluency.model

PARALLEL has tables of sentence pairs with English (columns origin and en, or a column per language), compressed by xz.
Taken are all of TICO-19 (CC0), 60,000 sentences of the European Parliament (reuse permitted with the source named) and
60,000 of Tatoeba (CC BY 2.0 FR). Bigrams and trigrams that are seen once are left out, and logarithms are rounded,
because the file is part of every installation. RUNS.md says what else was tried.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np

from tercet.data.model_file import Dataset
from tercet.language.kneser_ney import estimate
from tercet.language.ngram_models import NgramModel
from tercet.language.parsing import parse
from tercet.quality.fluency_models import NAMES, ORDER, FluencyModels, as_line, save_models

SENTENCES = {"tatoeba": 60_000, "europarl": 60_000, "tico": 10_000}  # at most, in the order in which they are drawn
PRUNE = (0, 1, 1)
STEP = 0.05  # of logarithms to base 10


def rows(path: Path) -> Iterator[dict[str, str]]:
    """Read a compressed table."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        names = next(stream).rstrip("\n").split("\t")
        for line in stream:
            yield dict(zip(names, line.rstrip("\n").split("\t"), strict=True))


def sentences(folder: Path) -> dict[str, list[str]]:
    """Return distinct English sentences of each origin, drawn at random but always the same."""
    found: dict[str, set[str]] = {name: set() for name in SENTENCES}
    found["europarl"] = {row["en"] for row in rows(folder / "europarl.tsv.xz")}
    for path in sorted(folder.glob("??.tsv.xz")):
        for row in rows(path):
            if row["origin"] in ("tat", "tico"):
                found["tico" if row["origin"] == "tico" else "tatoeba"].add(row["en"])
    drawn = Random(1)
    texts = {name: sorted(lines) for name, lines in found.items()}
    for lines in texts.values():
        drawn.shuffle(lines)
    return {name: lines[: SENTENCES[name]] for name, lines in texts.items()}


def rounded(model: NgramModel) -> NgramModel:
    """Round the logarithms of a model: fewer distinct numbers make a smaller file."""
    model.logs, model.backoffs = (np.round(each / STEP) * STEP for each in (model.logs, model.backoffs))
    return model


def main() -> None:
    """Parse, estimate and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parallel", type=Path)
    parser.add_argument("--cache", help="keep parses in this folder")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    texts = sentences(options.parallel)
    distinct = dict.fromkeys(line for lines in texts.values() for line in lines)
    parsed = parse(list(distinct), "en", cache=options.cache)
    models = {
        name: rounded(estimate((as_line(name, each) for each in parsed), order=ORDER, prune=PRUNE)) for name in NAMES
    }
    trained_on = tuple(
        Dataset(name, sha256("\n".join(lines).encode()).hexdigest(), len(lines)) for name, lines in texts.items()
    )
    save_models(FluencyModels("en", models, trained_on), options.out)
    print(options.out.stat().st_size, {name: model.counts for name, model in models.items()})


if __name__ == "__main__":
    main()
