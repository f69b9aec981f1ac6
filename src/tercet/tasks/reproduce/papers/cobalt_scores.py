"""Scores of UPF-Cobalt and its ablations on single outputs; each text is parsed once, and alignments are shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....count_cache import Cache
from ....data.testset import TestSet
from ....metrics.structure.cobalt import Cobalt
from ....types import Floats
from ....workers import results_in_order
from ..sources import DataSets

if TYPE_CHECKING:
    from ....metrics import Ready

SYSTEM = "output"
STEP = 100  # outputs of a piece of work


def cobalt_scores(data: DataSets, texts: TestSet, metrics: Mapping[str, Cobalt]) -> dict[str, Floats]:
    """Return the scores of the outputs by row; the test set has one system, `SYSTEM`, and one reference.

    With a cache, scores are kept as the counts of the metric.
    """
    outputs = texts.outputs[SYSTEM]
    settled = {row: metric.resolved("en") for row, metric in metrics.items()}
    store = None if data.cache is None else Cache(data.cache)
    ready = {row: metric.ready(texts) for row, metric in metrics.items()}
    found = {}
    for row in metrics:
        counts = store.load(store.header(ready[row], texts, outputs)) if store else None
        if counts is not None:
            found[row] = counts[:, 0]
    found |= _counted(data, texts, {row: metric for row, metric in settled.items() if row not in found}, ready, store)
    return {row: found[row] for row in metrics}


def _counted(
    data: DataSets, texts: TestSet, metrics: Mapping[str, Cobalt], ready: Mapping[str, Ready], store: Cache | None
) -> dict[str, Floats]:
    if not metrics:
        return {}
    outputs = texts.outputs[SYSTEM]
    (references,) = texts.references.values()
    both = [(output, reference or "") for output, reference in zip(outputs, references, strict=True)]
    pieces = [both[start : start + STEP] for start in range(0, len(both), STEP)]
    parts: list[dict[str, Floats]] = []
    done: Iterable[dict[str, Floats]]
    if data.executor is None:
        done = (score_piece(piece, metrics) for piece in pieces)
    else:
        tasks = ((piece, metrics) for piece in pieces)
        done = results_in_order(data.executor, score_piece, tasks, doing="aligning")
    _report(data, texts, f"0 of {len(outputs)} outputs")
    for part in done:
        parts.append(part)
        _report(data, texts, f"{min(len(parts) * STEP, len(outputs))} of {len(outputs)} outputs")
    found = {row: np.concatenate([part[row] for part in parts]) for row in metrics}
    if store:
        for row, scores in found.items():
            counts = np.stack([scores, np.ones_like(scores)], axis=1)
            store.save(store.header(ready[row], texts, outputs), counts)
    return found


def score_piece(both: Sequence[tuple[str, str]], metrics: Mapping[str, Cobalt]) -> dict[str, Floats]:
    """Return the scores of some outputs with their references, by row. Runs in any process."""
    distinct = list(dict.fromkeys(text for pair in both for text in pair))
    parses = dict(zip(distinct, Cobalt().resolved("en").parse_texts(distinct), strict=True))
    # Alignment takes most of the time. Metrics that differ only in scoring share it.
    aligners = {row: replace(one, penalty=True, weights=True, equivalence=True) for row, one in metrics.items()}
    found = {row: np.empty(len(both)) for row in metrics}
    for place, (output, reference) in enumerate(both):
        aligned = {each: each.align(parses[output], parses[reference]) for each in set(aligners.values())}
        for row, metric in metrics.items():
            found[row][place] = metric.assess(aligned[aligners[row]]).score
    return found


def _report(data: DataSets, texts: TestSet, what: str) -> None:
    if data.progress is not None:
        data.progress(f"{data.title} ({texts.pair}): {what}")
