"""Every metric counts a line of 100,000 words within a gigabyte, or refuses it with a message that says what to do.

What is too long by mistake is a whole book in one line. Metrics that are not here run models that truncate texts
(bleurt, classifier, comet, metricx), ask a service (judge), or look the output up (numbers).
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from tercet import TestSet, metrics, score
from tercet.errors import DataError, MissingDependency
from tests.contract.test_metrics import ELSEWHERE, MADE

GIGABYTE = 1 << 20  # in the unit of ru_maxrss
CPU_SECONDS = 120
COUNTED, REFUSED, WRONG, ABSENT = range(4)
SHORT = "the cat sat on the mat ."


def long_line(words: int, seed: int) -> str:
    ranks = np.minimum(np.random.default_rng(seed).zipf(1.3, words), 30_000)
    return " ".join(f"w{rank}" for rank in ranks)


def two_segments(words: int) -> TestSet:
    outputs = {name: [SHORT, SHORT] for name in ("b", "c", "d")}
    lines = [[long_line(words, seed), SHORT] for seed in range(3)]
    return TestSet({"a": lines[0], **outputs}, {"ref": lines[1]}, lines[2], pair="fr-en")


def made(name: str, folder: Path) -> str:
    if name == "lp":
        for system in "abcd":
            (folder / system).write_text("-100.0\t50\n-3.0\t7\n")
        return f"lp:file={folder}/{{system}}"
    return MADE[name](folder) if name in MADE else name


def try_in_a_child(spec: str, words: int) -> tuple[int, int, str]:
    """Score in another process; return what came of it, its memory in KiB, and the message."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:  # no test framework in here
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))  # so that a failure does no harm
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        code, said = WRONG, ""
        try:
            found = score(two_segments(words), spec)[0].system["a"]
            code, said = COUNTED, str(found)
        except DataError as error:
            code, said = REFUSED, str(error)
        except MissingDependency as error:
            code, said = ABSENT, str(error)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent reports it
            said = repr(error)
        os.write(writing, said.encode()[:4000])
        os._exit(code)
    os.close(writing)
    _, status, used = os.wait4(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    return os.waitstatus_to_exitcode(status), used.ru_maxrss, said


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured on Linux")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("name", [name for name in metrics.names() if name not in ELSEWHERE])
def test_a_line_of_100_000_words_is_counted_within_a_gigabyte_or_refused(name: str, tmp_path: Path) -> None:
    spec = made(name, tmp_path)
    for words in (100_000, 20_000):
        code, memory, said = try_in_a_child(spec, words)
        if code == ABSENT:
            pytest.skip(said)
        assert code in (COUNTED, REFUSED), f"{words} words: {said or code}"
        assert memory < GIGABYTE, f"{words} words: {memory / GIGABYTE:.2f} GB"
        if code == COUNTED:
            return  # shorter ones are counted too
        assert "Split" in said or "split" in said or "Texts must have a sentence per line" in said
