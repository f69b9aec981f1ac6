"""What the benchmarks share: CPU time, memory of processes, and texts, real where they are, made up elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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


class Used(NamedTuple):
    """CPU seconds and the peak memory of a process, and what it printed."""

    seconds: float
    megabytes: float
    printed: str


# Starts a process from a small one, because the ru_maxrss of a child begins with the memory of its parent.
SMALL_PARENT = """
import os, subprocess, sys
_, status, used = os.wait4(subprocess.Popen(sys.argv[2:]).pid, 0)
open(sys.argv[1], "w").write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}")
sys.exit(os.waitstatus_to_exitcode(status))
"""


def measured(command: Sequence[str | Path], folder: str | Path | None = None) -> Used:
    """Run a command in a folder, with compiled modules kept as usual; stop if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-S", "-c", SMALL_PARENT, f"/dev/fd/{writing}", *command],
            cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, pass_fds=[writing],
        )  # fmt: skip
    finally:
        os.close(writing)
    with os.fdopen(reading) as report:
        used = report.read().split()
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
    return Used(float(used[0]), float(used[1]), done.stdout)


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
