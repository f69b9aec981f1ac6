"""`tercet score -sl` prints 100,000 rows while one waits: CPU seconds of the command against a limit.

`PYTHONPATH=OTHER/src python -m benchmarks.sentence_rows` measures the same command of another version.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tercet.data.lines import write_lines

from .common import Row, measured

ROWS = 100_000
LIMITS = {"text": 4.0, "tsv": 3.0, "json": 2.0}  # CPU seconds by format


def printed(form: str, folder: Path) -> float:
    """Return the CPU seconds of the command, whose output must have all rows."""
    words = [sys.executable, "-m", "tercet", "score", "ref", "-i", "out", "-m", "bleu", "-sl", "-f", form]
    used = measured(words, folder)
    if used.printed.count("\n") < ROWS:
        sys.exit(f"score -sl -f {form} printed {used.printed.count(chr(10)):,} lines for {ROWS:,} segments")
    return used.seconds


def rows() -> list[Row]:
    """(name, our CPU seconds, the limit, 1)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_lines(folder / "ref", [f"the cat sat on mat {i % 97} and slept" for i in range(ROWS)])
        write_lines(folder / "out", [f"a cat sat on mat {i % 89} and slept" for i in range(ROWS)])
        return [
            (f"score -sl -f {form}, {ROWS:,} rows (limit {limit:.0f} s)", printed(form, folder), limit, 1.0)
            for form, limit in LIMITS.items()
        ]


if __name__ == "__main__":
    for name, seconds, *_ in rows():
        print(f"{name}: {seconds:.2f}")
