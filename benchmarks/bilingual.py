"""A long XLIFF file is read, annotated and annotated again in bounded memory: megabytes and seconds against limits."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .common import Row, measured

SEGMENTS = 100_000
UNIT = (
    '<trans-unit id="{0}"><source>Press the green key number {0}, and wait until the lamp is on.</source>'
    "<target>Drücken Sie die grüne Taste Nummer {0}, und warten Sie, bis die Lampe leuchtet.</target></trans-unit>\n"
)
HEAD = '<xliff version="1.2"><file original="a" source-language="en" target-language="de" datatype="x"><body>\n'
STEPS = {
    "nothing": "",
    "read": "bitext = open_bitext('a.xlf')",
    "read and annotated twice": (
        "bitext = open_bitext('a.xlf'); bitext.annotate({'chrF': ['50.0'] * len(bitext)}, 'b.xlf'); del bitext; "
        "bitext = open_bitext('b.xlf'); bitext.annotate({'chrF': ['60.0'] * len(bitext)}, 'c.xlf')"
    ),
}


def rows() -> list[Row]:
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        with Path(folder, "a.xlf").open("w", encoding="utf-8") as stream:
            stream.write(HEAD)
            stream.writelines(UNIT.format(number) for number in range(SEGMENTS))
            stream.write("</body></file></xliff>\n")
        before = 0.0
        for step, code in STEPS.items():
            program = f"from tercet.data.bilingual import open_bitext\n{code}"
            seconds, megabytes, _ = measured([sys.executable, "-c", program], folder)
            if not code:
                before = megabytes
                continue
            limit = 120.0
            name = f"XLIFF of {SEGMENTS:,} segments {step}"
            found.append((f"{name} (MB of memory, limit {limit:.0f})", megabytes - before, limit, 1.0))
            found.append((f"{name} (limit 30 s)", seconds, 30.0, 1.0))
    return found


if __name__ == "__main__":
    for name, value, _, _ in rows():
        print(f"{name}: {value:.1f}")
