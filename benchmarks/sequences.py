"""BEER, CharacTER, EED, hLEPOR, RIBES and YiSi-0: CPU time against the programs that they equal.

CharacTER's peer, the package `cer`, runs beside it where it is installed, on the same texts, and must give the same
scores. The others are not run here: their seconds for 1,000 segments are those that ../shared/golden/README.md records,
the lowest where it gives a range. They were taken at another time and partly on other texts of the same kind, so these
ratios are rough. Without ../shared there is CharacTER alone, on made-up sentences.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import numpy as np

from tercet import TestSet, metrics

from .common import REAL, Row, cpu, texts

SEGMENTS = 1000
# (what, our metric, seconds of the program, promised ratio)
PROGRAMS = (
    ("EED, the C++ program", "eed:variant=wmt19", 0.39, 5.0),
    ("EED, the Python program", "eed:variant=python-wmt19", 36.0, 100.0),
    ("hLEPOR, the Perl program", "hlepor:variant=wmt19", 0.7, 5.0),
    ("RIBES.py", "ribes", 5.6, 100.0),
    ("BEER 2.0, the Scala program", "beer", 0.95, 1.0),
    ("YiSi-0, the C++ program", "yisi0:variant=original", 2.9, 10.0),
)
CHARACTER = 0.63  # CharacTER.py with its C++ library, where `cer` is not installed


def character(testset: TestSet) -> Row:
    metric = metrics.create("character").resolved()
    (system,) = testset.systems
    ours, counts = cpu(lambda: metric.statistics(testset)[system], 3)
    if find_spec("cer") is None:
        return "CharacTER.py", ours, CHARACTER, 7.0
    from cer import calculate_cer

    (reference,) = testset.references.values()
    pairs = [
        (output.split(), (text or "").split()) for output, text in zip(testset.outputs[system], reference, strict=True)
    ]
    theirs, expected = cpu(lambda: [calculate_cer(*pair) for pair in pairs], 1)
    worst = float(np.abs(metric.segment_scores(counts) - expected).max())
    if worst > 1e-9:
        raise SystemExit(f"CharacTER: differs from the package cer by {worst}")
    return "CharacTER, the package cer", ours, theirs, 7.0


def rows() -> list[Row]:
    """What, our CPU seconds, the peer's, and the ratio that is promised."""
    testset = texts("ru-en", 1, SEGMENTS)
    result = [character(testset)]
    if REAL:
        for name, spec, theirs, promised in PROGRAMS:
            metric = metrics.create(spec)
            ours, _ = cpu(partial(metric.statistics, testset), 3)
            result.append((name, ours, theirs * len(testset) / 1000, promised))
    return result


if __name__ == "__main__":
    for name, ours, theirs, promised in rows():
        print(f"{name:30} {ours:7.3f} {theirs:7.3f} {theirs / ours:7.1f}x, promised {promised:.0f}x")
