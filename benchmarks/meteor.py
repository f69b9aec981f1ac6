"""METEOR's promises: 2,000 segments in a second of CPU time after loading, tables loaded in 0.3 seconds.

The other column is what the promise allows. Where the package that holds METEOR's own table of paraphrases is
installed, it is the first run, which reads the table; and, with Java, METEOR 1.5 itself on the same files.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from tercet.data.lines import write_lines
from tercet.metrics import create

from .common import Row, cpu, measured, texts

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
    """Compare later runs with the first one, and with METEOR 1.5, whose score must be the same."""
    package = find_spec("pycocoevalcap")
    if package is None or not package.submodule_search_locations:
        return []
    program = Path(next(iter(package.submodule_search_locations))) / "meteor"
    table = program / "data" / "paraphrase-en.gz"
    command = [sys.executable, "-c", WITH_TABLE, str(table)]
    with tempfile.TemporaryDirectory() as name:
        environment = {**os.environ, "TERCET_DATA": name}
        first, *later = (
            float(subprocess.run(command, check=True, capture_output=True, env=environment).stdout) for _ in range(4)
        )
        found: list[Row] = [("METEOR with its paraphrases, later runs (the first)", min(later), first, 4.0)]
        if which("java") is None:
            return found
        testset = texts("de-en", 1, SEGMENTS)
        (output,), (reference, *_) = testset.outputs.values(), testset.references.values()
        write_lines(Path(name, "out"), list(output))
        write_lines(Path(name, "ref"), [line or "" for line in reference])
        spec = f"meteor:variant=original,paraphrases={table}"
        words = [
            sys.executable,
            "-m",
            "tercet",
            "score",
            "ref",
            "-i",
            "out",
            "-m",
            spec,
            "-l",
            "de-en",
            "-b",
            "-w",
            "9",
        ]
        ours = min((measured(words, name) for _ in range(3)), key=lambda used: used.seconds)
        java = ["java", "-Xmx2G", "-jar", program / "meteor-1.5.jar", "out", "ref", "-l", "en", "-norm"]
        theirs = measured(java, name)
    if abs(float(ours.printed) - float(theirs.printed.split()[-1])) > 1e-9:
        sys.exit(f"METEOR: {ours.printed} differs from METEOR 1.5: {theirs.printed.split()[-1]}")
    return [*found, (f"METEOR, the command, {len(testset):,} segments (METEOR 1.5)", ours.seconds, theirs.seconds, 4.0)]


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
