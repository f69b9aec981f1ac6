"""Long and repetitive segments are answered while one waits: CPU seconds against a limit, in the peer's column."""

from __future__ import annotations

from functools import partial

import numpy as np

from tercet import TestSet, score

from .common import Row, cpu

LONG, VERY_LONG = 400, 5_000  # words
METRICS = ("cder", "cer", "character", "eed", "hlepor", "per", "ribes", "ter", "wer", "yisi0")


def words(seed: int, number: int) -> str:
    """Words about as unequally frequent as in a text."""
    ranks = np.minimum(np.random.default_rng(seed).zipf(1.3, number), 3000)
    return " ".join(f"w{rank}" for rank in ranks)


def rows() -> list[Row]:
    cases = [(name, "random", words(1, LONG), words(2, LONG), 6.0) for name in METRICS]
    cases += [
        (name, "random", words(1, VERY_LONG), words(2, VERY_LONG), 10.0) for name in METRICS if name != "character"
    ]
    cases.append(("ter", "repeated", "a b " * 200, "b a a " * 133, 5.0))
    measured: list[Row] = []
    for name, kind, output, reference, limit in cases:
        testset = TestSet({"system": [output]}, {"reference": [reference]})
        seconds, _ = cpu(partial(score, testset, [name]))
        length = f"{len(output.split()):,}"
        measured.append((f"{name}, {length} {kind} words (limit {limit:.0f} s)", seconds, limit, 1.0))
    return measured


if __name__ == "__main__":
    for name, seconds, _, _ in rows():
        print(f"{name}: {seconds:.3f}")
