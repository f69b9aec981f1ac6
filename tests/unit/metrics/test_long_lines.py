"""Every metric counts a line of 100,000 words within a gigabyte, or refuses it with a message that says what to do.

What is too long by mistake is a whole book in one line. Metrics that are not here run models that truncate texts
(bleurt, classifier, comet, metricx), ask a service (judge), or look the output up (numbers).
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tercet import metrics
from tests.contract.test_metrics import ELSEWHERE, MADE

pytest.importorskip("resource", reason="memory is measured on Unix")

from . import long_line

GIGABYTE = 1 << 20  # in KiB


def made(name: str, folder: Path) -> str:
    if name == "lp":
        for system in "abcd":
            (folder / system).write_text("-100.0\t50\n-3.0\t7\n")
        return f"lp:file={folder}/{{system}}"
    return MADE[name](folder) if name in MADE else name


def score_elsewhere(spec: str, words: int) -> tuple[int, int, str]:
    """Score in another process; return its exit code, its memory in KiB, and what it said."""
    command = [sys.executable, long_line.__file__, spec, str(words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    said, _, memory = done.stdout.rstrip().rpartition("\n")
    return done.returncode, int(memory) if memory.isdecimal() else 0, said


@pytest.mark.skipif(sys.platform != "linux", reason="the process reads its memory from /proc")
@pytest.mark.parametrize("name", [name for name in metrics.names() if name not in ELSEWHERE])
def test_a_line_of_100_000_words_is_counted_within_a_gigabyte_or_refused(name: str, tmp_path: Path) -> None:
    spec = made(name, tmp_path)
    for words in (100_000, 20_000):
        code, memory, said = score_elsewhere(spec, words)
        if code == long_line.ABSENT:
            pytest.skip(said)
        assert code in (long_line.COUNTED, long_line.REFUSED), f"{words} words: {said[-2000:] or code}"
        assert memory < GIGABYTE, f"{words} words: {memory / GIGABYTE:.2f} GB"
        if code == long_line.COUNTED:
            return  # shorter ones are counted too
        assert "split" in said.lower() or "a sentence per line" in said, said
