"""METEOR's promises: 2,000 segments in a second of CPU time after loading, tables loaded in 0.3 seconds.

There is no peer in Python; the other column is what the promise allows. With METEOR's own table of paraphrases, where
the package that holds it is installed, it is the first run, which reads the table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from tercet.metrics import create

from .common import Row, cpu, texts

SEGMENTS = 2000
LOADING = """
import time
from tercet.metrics.alignment.meteor import METEOR
start = time.process_time()
metric = METEOR().resolved("en")
metric.aligner.read([["word"]])
print(time.process_time() - start)
"""
WITH_TABLE = """
import sys, time
from benchmarks.common import texts
from tercet import score
testset = texts("de-en", 1, 2000)
start = time.process_time()
score(testset, [f"meteor:paraphrases={sys.argv[1]}"])
print(time.process_time() - start)
"""


def with_table() -> list[Row]:
    package = find_spec("pycocoevalcap")
    if package is None or not package.submodule_search_locations:
        return []
    table = Path(next(iter(package.submodule_search_locations))) / "meteor" / "data" / "paraphrase-en.gz"
    command = [sys.executable, "-c", WITH_TABLE, str(table)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TERCET_DATA": folder}
        first, *later = (
            float(subprocess.run(command, check=True, capture_output=True, env=environment).stdout) for _ in range(4)
        )
    return [("METEOR with its paraphrases, later runs (the first)", min(later), first, 4.0)]


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
    return [*found, ("METEOR, loading tables", seconds, 0.3, 1.0), *with_table()]


if __name__ == "__main__":
    for row in rows():
        print(*row)
