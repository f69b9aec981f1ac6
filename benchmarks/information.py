"""NIST against the same counts with dictionaries, results compared while at it.

`rows()` gives (name, our CPU seconds, the peer's, the promised ratio) for `make bench`.
"""

from __future__ import annotations

import sys

import numpy as np
from tests.unit.kernels.slow_nist import slow_counts

from tercet.metrics import Shard, create
from tercet.metrics.strings.nist import NIST

from .common import Row, cpu, texts

SYSTEMS, SEGMENTS = 4, 2000


def rows() -> list[Row]:
    testset = texts("de-en", SYSTEMS, SEGMENTS)
    (reference,) = testset.references.values()
    metric = NIST()

    def peer() -> dict[str, list[list[float]]]:
        references = [[words] for words in metric.words([line or "" for line in reference]).strings()]
        outputs = {name: metric.words(lines).strings() for name, lines in testset.outputs.items()}
        return slow_counts(outputs, references, metric.max_ngram_order)

    ours, found = cpu(lambda: create("nist").ready(testset).count(Shard(testset)), 5)
    theirs, expected = cpu(peer, 2)
    if any(not np.array_equal(found[name], rows) for name, rows in expected.items()):
        sys.exit("NIST: counts differ from those of dictionaries")
    return [(f"NIST, {SYSTEMS} systems (dictionaries)", ours, theirs, 20.0)]


if __name__ == "__main__":
    for name, ours, theirs, wanted in rows():
        print(f"{name:30} {ours:8.4f} {theirs:8.4f} {theirs / ours:8.1f}x  promised {wanted:.0f}x")
