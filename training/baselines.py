"""Make the baselines of BERTScore for the default encoder: what unrelated texts score, in each layer.

    python -m training.baselines DATA OUT.csv [--pairs 2000]

Each pair is two English references of WMT12, WMT14, WMT17 and WMT18 that belong to different segments, chosen at random
(seed 7). Newstest2019 is not among them. OUT.csv has bert-score's format, and holds figures only; the package has it
as `metrics/data/bertscore-minilm.csv`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tercet.language.encoders import open_encoder
from tercet.metrics.embeddings.bertscore import BERTScore

from .data import YEARS, Texts, english_pairs

SEED = 7


def unrelated(folder: Path, number: int) -> list[str]:
    """Return different references in random order: each is compared with the next one."""
    pairs = [(folder / year, pair) for year in YEARS for pair in english_pairs(folder / year)]
    found = sorted({text for place, pair in pairs for text in Texts.read(place, pair).references.values() if text})
    chosen = np.random.default_rng(SEED).permutation(len(found))[:number]
    return [found[place] for place in chosen]


def baselines(texts: list[str]) -> list[tuple[float, float, float]]:
    """Return the means of precision, recall and F1 of the pairs, by layer."""
    encoder, metric = open_encoder("minilm"), BERTScore()
    rows = []
    for layer in range(encoder.layers):
        tokens = encoder.tokens(texts, layer)
        parts = [metric.parts(one, other, None) for one, other in zip(tokens, [*tokens[1:], tokens[0]], strict=True)]
        rows.append(tuple(float(value) for value in np.mean(parts, axis=0)))
    return rows


def main() -> None:
    """Write the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--pairs", type=int, default=2000)
    given = arguments.parse_args()
    lines = [
        ",".join([str(layer), *(f"{value:.6f}" for value in row)])
        for layer, row in enumerate(baselines(unrelated(given.data, given.pairs)))
    ]
    given.out.write_text("\n".join(["LAYER,P,R,F", *lines, ""]), "utf-8")


if __name__ == "__main__":
    main()
