"""What the benchmarks share: a clock of CPU time, and texts, real where they are, made up elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tercet import TestSet

SHARED = Path(__file__).resolve().parents[2] / "shared"
REAL = (SHARED / "data/wmt19").is_dir()
Row = tuple[str, float, float, float]  # what, our CPU seconds, the peer's, the promised ratio


def cpu(function: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """The least CPU time of some runs, and the result."""
    best, result = float("inf"), None
    for _ in range(repeat):
        start = time.process_time()
        result = function()
        best = min(best, time.process_time() - start)
    return best, result


def texts(pair: str, systems: int, segments: int) -> TestSet:
    """Systems of WMT19, or sentences of made-up words that are as unequally frequent as in a text."""
    if REAL:
        from tercet.data.layouts import open_testset

        testset = open_testset(SHARED / "data/wmt19", pair)
        return testset.only(testset.systems[:systems])[:segments]
    rng = np.random.default_rng(1)
    letters = list("abcdefghijklmnopqrstuvwxyz")
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 9))) for _ in range(5000)])
    weights = 1 / np.arange(1, 5001)
    references = [list(rng.choice(words, rng.integers(8, 40), p=weights / weights.sum())) for _ in range(segments)]

    def output(quality: float) -> list[str]:
        return [" ".join(w if rng.random() < quality else str(rng.choice(words)) for w in line) for line in references]

    outputs = {f"system {i}": output(0.5 + 0.02 * i) for i in range(systems)}
    return TestSet(outputs, {"reference": [" ".join(line) for line in references]})
