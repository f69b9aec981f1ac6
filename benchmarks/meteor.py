"""METEOR's promises: 2,000 segments in a second of CPU time after loading, tables loaded in 0.3 seconds.

There is no peer in Python; the other column is what the promise allows.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from tercet.metrics import create

from .common import Row, cpu, texts

SEGMENTS = 2000
LOADING = """
import time
from tercet.metrics.meteor import METEOR
start = time.process_time()
metric = METEOR().resolved("en")
metric.aligner.read([["word"]])
print(time.process_time() - start)
"""


def rows() -> list[Row]:
    """(name, our CPU seconds, the seconds promised, promised ratio)."""
    testset = texts("de-en", 1, SEGMENTS)
    found = []
    for name, spec in (("METEOR", "meteor"), ("METEOR, original", "meteor:variant=original")):
        metric = create(spec)
        metric.statistics(testset[:1])  # loads the tables
        best, _ = cpu(partial(metric.statistics, testset), 3)
        found.append((f"{name}, {len(testset):,} segments", best, len(testset) / 2000, 1.0))
    command = [sys.executable, "-c", LOADING]
    seconds = min(float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3))
    return [*found, ("METEOR, loading tables", seconds, 0.3, 1.0)]


if __name__ == "__main__":
    for row in rows():
        print(*row)
