"""Promises of metrics on parses: 300 segments a CPU second with parses given, 1.6 times as fast with two jobs, 1.5 GB.

Texts are systems of WMT19 from German to English. Without spaCy and its English model there are no parses and no rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tercet import TestSet
from tercet.errors import MissingDependency, UsageError
from tercet.language.backends import default_name
from tercet.metrics import Shard, create, names

from .common import Row, cpu, texts

SYSTEMS, SEGMENTS = 16, 2_000
FEW, SOME = 150, 400  # segments that are compared with parses given; that are parsed by one job and by two
# In a process of its own: the wall clock counts loading the parser, and the peak of memory is the process's.
SCORING = """
import json, re, sys, time
from benchmarks.common import texts
from tercet import score
if __name__ == "__main__":
    start = time.perf_counter()
    testset = texts("de-en", int(sys.argv[2]), int(sys.argv[3]))
    (scores,) = score(testset, [sys.argv[1]], jobs=int(sys.argv[4]))
    seconds = time.perf_counter() - start
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
    print(json.dumps([seconds, peak / 2**20, scores.system]))
"""


def scored(spec: str, systems: int, segments: int, jobs: int) -> tuple[float, float, dict[str, float]]:
    """Seconds by the clock, gigabytes of the main process, scores; from a script, as workers import it."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(SCORING)
        script.flush()
        words = [sys.executable, script.name, spec, str(systems), str(segments), str(jobs)]
        paths = [str(Path(__file__).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {"PYTHONPATH": os.pathsep.join(paths)}
        run = subprocess.run(words, check=True, capture_output=True, text=True, env=env)
    seconds, gigabytes, scores = json.loads(run.stdout)
    return seconds, gigabytes, scores


def compared(spec: str, testset: TestSet, shard: Shard) -> float:
    """CPU seconds for all systems, parses given; the second time, as tables are loaded by then."""
    ready = create(spec).ready(testset)
    return cpu(partial(ready.count, shard), 2)[0]


def rows() -> list[Row]:
    """(name, our seconds or gigabytes, what is promised, promised ratio)."""
    try:
        default_name("en")
    except (MissingDependency, UsageError):
        return []
    testset = texts("de-en", 4, FEW)
    shard = Shard(testset)  # keeps the parses that the metrics share
    create("hwcm").ready(testset).count(shard)
    segments = len(testset) * len(testset.systems)
    found: list[Row] = []
    promises = {"cobalt": 300, "hwcm": 2_000, "hwcm:variant=asiya": 1_000, "stm": 2_000}
    for spec, promised in promises.items():
        if spec.partition(":")[0] in names():
            seconds = compared(spec, testset, shard)
            found.append((f"{spec}, {segments} segments, parses given", seconds, segments / promised, 1.0))
    one, _, expected = scored("hwcm", SYSTEMS, SOME, 1)
    two, _, again = scored("hwcm", SYSTEMS, SOME, 2)
    if expected != again:
        sys.exit("two jobs give other scores than one")
    found.append((f"hwcm, {SYSTEMS} x {SOME} with parsing: two jobs and one, by the clock", two, one, 1.6))
    largest = "cobalt" if "cobalt" in names() else "hwcm"
    _, gigabytes, _ = scored(largest, SYSTEMS, SEGMENTS, 1)
    found.append((f"{largest}, {SYSTEMS} x {SEGMENTS:,} with parsing: gigabytes", gigabytes, 1.5, 1.0))
    return found


if __name__ == "__main__":
    for what, ours, promised, wanted in rows():
        print(f"{what:70} {ours:8.3f} {promised:8.3f} {promised / ours:6.2f}x {wanted:.1f}x")
