"""Slices of a test set: groups of segments by length, by document, or by a label such as the domain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .data.testset import TestSet
from .errors import UnknownName, UsageError
from .text.scripts import dominant

UNSPACED = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")  # lengths are in characters, not words


def segment_groups(
    by: str, testset: TestSet | None, documents: Sequence[str] | None
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of the slices, and the index of each segment's slice."""
    labels = testset.labels if testset is not None else {}
    if by == "length" and testset is not None:
        return _length_groups(testset)
    if by == "document" and documents is not None:
        values = documents
    elif by == "document":
        raise UsageError("Slices by document need document ids, but this test set has none. Give them with --docs.")
    elif by in labels:
        values = labels[by]
    else:
        known = [*labels, *(["document"] if documents else []), *(["length"] if testset is not None else [])]
        raise UnknownName("slice", by, known)
    numbers = {name: i for i, name in enumerate(dict.fromkeys(values))}
    return list(numbers), np.array([numbers[value] for value in values])


def _length_groups(testset: TestSet) -> tuple[list[str], NDArray[np.int64]]:
    """Group segments by the length of their first reference, or of the source if there are no references."""
    if testset.references:
        rows = zip(*testset.references.values(), strict=True)
        texts = [next(text for text in row if text is not None) for row in rows]
    elif testset.source is not None:
        texts = list(testset.source)
    else:
        raise UsageError(f"Slices by length need references or a source, but test set {testset.name!r} has neither.")
    unspaced = dominant(texts) in UNSPACED
    unit, step = ("characters", 20) if unspaced else ("words", 10)
    lengths = [len("".join(text.split())) if unspaced else len(text.split()) for text in texts]
    buckets = np.clip((np.array(lengths) - 1) // step, 0, 6)
    present, rows_of = np.unique(buckets, return_inverse=True)
    names = [f"up to {step} {unit}", *(f"{i * step + 1} to {(i + 1) * step} {unit}" for i in range(1, 6))]
    names.append(f"over {6 * step} {unit}")
    return [names[i] for i in present], rows_of
