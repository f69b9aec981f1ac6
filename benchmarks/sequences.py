"""CharacTER, EED, hLEPOR, RIBES and YiSi-0: CPU time against the programs that they equal.

CharacTER's peer, the package `cer`, runs beside it where it is installed, on the same texts, and must give the same
scores. The others are not run here: their seconds for 1,000 segments are those that ../shared/golden/README.md records,
the lowest where it gives a range. They were taken at another time and partly on other texts of the same kind, so these
ratios are rough. Without ../shared there is CharacTER alone, on made-up sentences.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tercet import TestSet, metrics

SHARED = Path(__file__).resolve().parents[2] / "shared"
SEGMENTS = 1000
# (what, our metric, seconds of the program, promised ratio)
PROGRAMS = (
    ("EED, the C++ program", "eed:variant=wmt19", 0.39, 5.0),
    ("EED, the Python program", "eed:variant=python-wmt19", 36.0, 100.0),
    ("hLEPOR, the Perl program", "hlepor:variant=wmt19", 0.7, 5.0),
    ("RIBES.py", "ribes", 5.6, 100.0),
    ("YiSi-0, the C++ program", "yisi0:variant=original", 2.9, 10.0),
)
CHARACTER = 0.63  # CharacTER.py with its C++ library, where `cer` is not installed


def load() -> TestSet:
    if (SHARED / "data/wmt19").is_dir():
        from tercet.data.layouts import open_testset

        testset = open_testset(SHARED / "data/wmt19", "ru-en")
        return testset.only(testset.systems[:1])[:SEGMENTS]
    rng = np.random.default_rng(1)
    words = np.array(["".join(rng.choice(list("abcdefghijklmnop"), rng.integers(2, 9))) for _ in range(3000)])
    weights = 1 / np.arange(1, 3001)
    weights /= weights.sum()
    references = [rng.choice(words, rng.integers(8, 40), p=weights) for _ in range(SEGMENTS)]
    outputs = [[word if rng.random() < 0.7 else rng.choice(words) for word in line] for line in references]
    return TestSet({"x": [" ".join(line) for line in outputs]}, {"r": [" ".join(line) for line in references]})


def cpu(function: Callable[[], Any], repeat: int = 3) -> tuple[float, Any]:
    """The least CPU time of some runs, and the result."""
    best, result = float("inf"), None
    for _ in range(repeat):
        start = time.process_time()
        result = function()
        best = min(best, time.process_time() - start)
    return best, result


def character(testset: TestSet) -> tuple[str, float, float, float]:
    metric = metrics.create("character")
    (system,) = testset.systems
    ours, counts = cpu(lambda: metric.statistics(testset)[system])
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


def rows() -> list[tuple[str, float, float, float]]:
    """What, our CPU seconds, the peer's, and the ratio that is promised."""
    testset = load()
    result = [character(testset)]
    if (SHARED / "data/wmt19").is_dir():
        for name, spec, theirs, promised in PROGRAMS:
            metric = metrics.create(spec)
            ours, _ = cpu(lambda metric=metric: metric.statistics(testset))  # type: ignore[misc]
            result.append((name, ours, theirs * len(testset) / 1000, promised))
    return result


if __name__ == "__main__":
    for name, ours, theirs, promised in rows():
        print(f"{name:30} {ours:7.3f} {theirs:7.3f} {theirs / ours:7.1f}x, promised {promised:.0f}x")
