"""Score a line of many words in a process of its own, which prints its memory last: long_line.py METRIC WORDS"""

import atexit
import resource
import sys
from pathlib import Path

import numpy as np

from tercet import TestSet, score
from tercet.errors import DataError, MissingDependency

CPU_SECONDS = 150
COUNTED, REFUSED, ABSENT = 10, 11, 12  # exit codes
SHORT = "the cat sat on the mat ."


def long_line(words: int, seed: int) -> str:
    ranks = np.minimum(np.random.default_rng(seed).zipf(1.3, words), 30_000)
    return " ".join(f"w{rank}" for rank in ranks)


def two_segments(words: int) -> TestSet:
    outputs = {name: [SHORT, SHORT] for name in ("b", "c", "d")}
    lines = [[long_line(words, seed), SHORT] for seed in range(3)]
    return TestSet({"a": lines[0], **outputs}, {"ref": lines[1]}, lines[2], pair="fr-en")


def most_memory() -> int:
    """Return the most memory that this process had, in KiB. `getrusage` counts its parent's too, before exec."""
    lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def main(spec: str, words: int) -> int:
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))  # so that a failure does no harm
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    try:
        print(score(two_segments(words), spec)[0].system["a"])
    except DataError as error:
        print(error)
        return REFUSED
    except MissingDependency as error:
        print(error)
        return ABSENT
    return COUNTED


if __name__ == "__main__":
    atexit.register(lambda: print(most_memory()))
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
