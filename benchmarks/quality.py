"""Quality estimation's promise: features of 1,000 sentence pairs in a CPU second, without parsing.

The pairs are WMT19's English-German source and output, or made-up words; models are estimated from other ones of the
same kind. There is no peer in Python; the other column is what the promise allows.
"""

from __future__ import annotations

import sys

import numpy as np

from tercet.quality.features import extract
from tercet.quality.resources import Corpora, Resources

from .common import REAL, Row, cpu, texts

PAIRS, SECONDS_TO_OPEN = 1000, 2.0


def sentence_pairs() -> tuple[list[str], list[str]]:
    """Sources and outputs; where there are no real ones, two systems' made-up sentences."""
    testset = texts("en-de", 2, 2 * PAIRS)
    outputs = [list(lines) for lines in testset.outputs.values()]
    if REAL and testset.source is not None:
        return list(testset.source)[: len(outputs[0])], outputs[0]
    return outputs[0], outputs[1]


def rows() -> list[Row]:
    """(name, our CPU seconds, what is promised, promised ratio)."""
    sources, outputs = sentence_pairs()
    half = len(sources) // 2
    estimating, resources = cpu(lambda: Corpora(("en", "de"), parallel=(sources[half:], outputs[half:])).estimate())
    members = resources.members()
    opening, again = cpu(lambda: Resources.from_members(members))
    extracting, table = cpu(lambda: extract(sources[:half], outputs[:half], again), 3)
    if not np.isfinite(table.values).all():
        sys.exit("a feature is not finite")
    what = f"{len(table.names)} features of {half:,} pairs"
    return [
        (f"resources of {len(sources) - half:,} pairs: estimating", estimating, 20.0, 1.0),
        ("resources: opening", opening, SECONDS_TO_OPEN, 1.0),
        (what, extracting, half / PAIRS, 1.0),
    ]


if __name__ == "__main__":
    for what, ours, promised, _ in rows():
        print(f"{what:60} {ours:8.3f} {promised:8.3f}")
