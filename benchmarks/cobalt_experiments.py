"""UPF-Cobalt and other metrics on parses beside METEOR and chrF: WMT17's direct assessment of segments, into English.

    python -m benchmarks.cobalt_experiments ../shared/data [PARSES]

prints the table of docs/metrics/cobalt.md: Pearson's r by language pair and its mean. Only outputs that people judged
are parsed; PARSES is a folder in which parses are kept. The table on WMT14 is `tercet reproduce thesis --table A.7`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean

import numpy as np

from tercet import TestSet, score
from tercet.data.evidence import Evidence, open_evidence
from tercet.rendering.tables import table
from tercet.stats.correlation import pearson

PAIRS = ("cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en")
PARSED = ("cobalt", "cobalt:related=false", "cobalt:params=published", "hwcm", "stm")
PLAIN = ("meteor", "chrf", "sentbleu")


def judged(evidence: Evidence) -> tuple[TestSet, list[float]]:
    """The outputs that people judged as those of one system, beside their references; and what people said."""
    texts, (gold,) = evidence.testset, [item for item in evidence.gold if item.segment]
    if texts is None:
        sys.exit(f"{evidence.name} has no texts.")
    (references,) = texts.references.values()
    rows = [
        (texts.outputs[system][place], references[place], float(value))
        for system, values in gold.segment.items()
        for place, value in enumerate(values)
        if not np.isnan(value)
    ]
    outputs, sides, values = zip(*rows, strict=True)
    return TestSet({"judged": outputs}, {"reference": sides}, pair=evidence.pair), list(values)


def main(data: str, parses: str | None = None) -> None:
    kept = f"parses={parses}" if parses else ""
    specs = [f"{name}{',' if ':' in name else ':'}{kept}" if kept else name for name in PARSED] + list(PLAIN)
    found: dict[str, list[str]] = {}
    values: list[list[float]] = []
    for pair in PAIRS:
        texts, people = judged(open_evidence(Path(data) / "wmt17", pair))
        values.append([float(pearson(item.segment["judged"], people)) for item in score(texts, specs)])
        found[f"{pair} ({len(people)})"] = [f"{value:.3f}" for value in values[-1]]
    found["mean"] = [f"{mean(column):.3f}" for column in zip(*values, strict=True)]
    print(table(["", *PARSED, *PLAIN], [[name, *row] for name, row in found.items()], form="markdown"))


if __name__ == "__main__":
    main(*sys.argv[1:])
