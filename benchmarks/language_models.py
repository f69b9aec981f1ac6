"""Language models' promises: a trigram model of a million words in 20 CPU seconds and 1 GB, 20,000 sentences a second.

The text is made of the English references of WMT, or of made-up words as unequally frequent as in a text. There is no
peer for estimating in Python; the other column is what the promise allows. Where kenlm is installed, its scores are
compared with ours while at it.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tercet.data.lines import read_lines, write_lines
from tercet.language.arpa import read_arpa, write_arpa
from tercet.language.kneser_ney import estimate
from tercet.language.ngram_models import open_model

from .common import REAL, SHARED, Row, cpu

WORDS, SENTENCES = 1_000_000, 20_000
# In a process of its own: the peak of memory is the process's (not of getrusage, which remembers the parent's).
ESTIMATING = """
import json, re, sys, time
from tercet.data.lines import read_lines
from tercet.language.kneser_ney import estimate
lines = read_lines(sys.argv[1])
start = time.process_time()
model = estimate(lines, order=int(sys.argv[2]))
seconds = time.process_time() - start
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
print(json.dumps([seconds, peak / 2**20, model.counts]))
"""


def text() -> list[str]:
    """Different sentences with a million words."""
    lines: list[str] = []
    if REAL:
        for path in sorted((SHARED / "data").glob("wmt*/*-en.segments.tsv.gz")):
            header, *rows = gzip.decompress(path.read_bytes()).decode().split("\n")
            column = header.split("\t").index("reference")
            lines += [row.split("\t")[column] for row in rows if row]
    lines = list(dict.fromkeys(lines))
    counts = np.cumsum([len(line.split()) for line in lines])
    if len(counts) and counts[-1] >= WORDS:
        return lines[: int(np.searchsorted(counts, WORDS)) + 1]
    rng = np.random.default_rng(1)
    weights = 1 / np.arange(1, 80_001)
    drawn = rng.choice(80_000, WORDS, p=weights / weights.sum()).astype(str)
    return [" ".join(line) for line in np.split(drawn, WORDS // 20)]


def rows() -> list[Row]:
    """(name, our CPU seconds or gigabytes, what is promised, promised ratio)."""
    lines = text()
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_lines(folder / "text", lines)
        for order in (3, 5):
            command = [sys.executable, "-c", ESTIMATING, str(folder / "text"), str(order)]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, gigabytes, counts = json.loads(run.stdout)
            what = f"{order}-gram model, {sum(counts):,} n-grams"
            found += [(f"{what}: estimating", seconds, 20.0, 1.0), (f"{what}: gigabytes", gigabytes, 1.0, 1.0)]
        model = estimate(read_lines(folder / "text"))
        path = folder / "model.arpa"
        writing, _ = cpu(lambda: write_arpa(model, path))
        reading, again = cpu(lambda: read_arpa(path))
        if again.checksum != model.checksum:
            sys.exit("the model read is not the one written")
        # Half of the words stand in another order than in the text, so that the model has to back off.
        asked = [line if i % 2 else " ".join(line.split()[::-1]) for i, line in enumerate(lines[-SENTENCES:])]
        ours, scored = cpu(lambda: model.score(asked).totals(), 3)
        found += [("writing ARPA", writing, 20.0, 1.0), ("reading ARPA", reading, 20.0, 1.0)]
        found.append((f"scoring {len(asked):,} sentences", ours, len(asked) / 20_000, 1.0))
        if find_spec("kenlm"):
            peer = open_model(path, backend="kenlm")
            theirs, expected = cpu(lambda: peer.score(asked).totals())
            worst = float(np.abs(scored - expected).max())
            if worst > 1e-4:  # of a whole sentence; single words differ by less than 1e-5
                sys.exit(f"differs from kenlm by {worst}")
            found.append((f"scoring {len(asked):,} sentences, kenlm from Python", ours, theirs, 1.0))
    return found


if __name__ == "__main__":
    for what, ours, promised, _ in rows():
        print(f"{what:60} {ours:8.3f} {promised:8.3f}")
