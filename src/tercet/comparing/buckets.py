"""Parts of a test set: slices, which are the same for all systems, and buckets, which depend on the system's output."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from ..data.scores import Scores
from ..data.testset import TestSet
from ..errors import UsageError
from ..rendering.layout import bin_edges
from ..scoring import sum_counts
from ..slicing import first_references, length_of, segment_groups
from ..stats import bootstrap_all
from ..stats.resampling import evaluate
from ..types import Floats
from .plan import Plan
from .results import Bucket, Buckets, Slice

LENGTHS = (-inf, -10, -3, 0, 1, 4, 11, inf)  # bounds of differences in length, the lower one included
LENGTH_NAMES = (
    "shorter by more than 10", "shorter by 4 to 10", "shorter by 1 to 3", "equal", "longer by 1 to 3",
    "longer by 4 to 10", "longer by more than 10",
)  # fmt: skip
QUALITIES = ("poor", "middling", "good")


def take_segments(scores: Scores, numbers: Sequence[int]) -> Scores:
    """Return the scores of these segments (numbered from 1) alone, with the systems' scores on them."""
    rows = np.array(numbers) - 1
    counts = {system: array[rows] for system, array in scores.counts.items()}
    totals = {system: sum_counts(array) for system, array in counts.items()}
    return replace(
        scores,
        system={system: float(scores.metric.score(total)) for system, total in totals.items()},
        segment={system: values[rows] for system, values in scores.segment.items()},
        counts=counts,
        totals=totals,
        document_ids=None if scores.document_ids is None else [scores.document_ids[row] for row in rows],
        by=None,
        group={},
        interval={},
        n_segments=len(rows),
    )


def slice_scores(
    scores: Scores, by: str, testset: TestSet | None, numbers: Sequence[int], plan: Plan
) -> Iterator[Slice]:
    """Yield the scores of all systems on every slice. numbers: of the segments, from 1."""
    documents = scores.document_ids or (testset.documents if testset is not None else None)
    names, rows = segment_groups(by, testset, documents)
    for place, name in enumerate(names):
        inside = np.flatnonzero(rows == place)
        values, intervals = _on(scores, dict.fromkeys(scores.systems, inside), plan)
        yield Slice(by, name, len(inside), values, intervals, _numbered(numbers, inside))


def segment_buckets(
    scores: Scores, by: str, testset: TestSet | None, numbers: Sequence[int], plan: Plan
) -> Buckets | None:
    """Return every system's segments in buckets; None where the metric has no such buckets.

    by: "length-difference" (of output and closest reference), "score", or "quality": good, middling and poor segments
    by two thresholds, by default the quartiles of all systems' segments.
    """
    segment = {system: np.asarray(scores.segment[system], dtype=np.float64) for system in scores.systems}
    note = ""
    if by == "length-difference":
        unit, differences = _length_differences(testset)
        edges, names = np.array(LENGTHS), [f"{name} {unit}" * (name != "equal") or name for name in LENGTH_NAMES]
        note = f"Length of the output minus that of the closest reference, in {unit}."
        values = {system: differences[system] for system in scores.systems}
    elif by == "quality":
        if scores.higher_is_better is None:
            return None
        edges, note = _thresholds(scores, segment, plan.bounds)
        names = list(QUALITIES if scores.higher_is_better else QUALITIES[::-1])
        values = segment
    else:
        known = np.concatenate([values[~np.isnan(values)] for values in segment.values()])
        if not len(known):
            return None
        edges = bin_edges(known, 100)
        names = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
        edges, values = np.append(edges[:-1], inf), segment  # the last bin includes its upper bound
    found = []
    for place, name in enumerate(names):
        low, high = float(edges[place]), float(edges[place + 1])
        inside = {system: np.flatnonzero((values[system] >= low) & (values[system] < high)) for system in values}
        sizes = {system: len(rows) for system, rows in inside.items()}
        segments = {system: _numbered(numbers, rows) for system, rows in inside.items()}
        found.append(Bucket(name, low, high, sizes, *_on(scores, inside, plan), segments))
    filled = [place for place, bucket in enumerate(found) if any(bucket.n_segments.values())]
    return Buckets(by, note, tuple(found[filled[0] : filled[-1] + 1]) if filled else ())


def _numbered(numbers: Sequence[int], rows: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(numbers[row] for row in rows.tolist())


def _on(
    scores: Scores, rows: Mapping[str, NDArray[np.int64]], plan: Plan
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return by system its score on some segments, NaN on none, and the interval of this score."""
    score = scores.metric.score
    values, intervals = dict.fromkeys(rows, nan), dict.fromkeys(rows, (nan, nan))
    by_size: dict[int, list[str]] = {}  # systems with equally many segments have the same resamples
    for system, inside in rows.items():
        if len(inside):
            values[system] = float(evaluate(score, sum_counts(scores.counts[system][inside])))
        if len(inside) > 1:  # resamples of one segment are all the same and show nothing
            by_size.setdefault(len(inside), []).append(system)
    for systems in by_size.values():
        cube = np.stack([scores.counts[system][rows[system]] for system in systems])
        resamples = plan.interval_resamples
        drawn = bootstrap_all(score, cube, resamples=resamples, confidence=plan.confidence, seed=plan.seed)
        intervals.update({system: (found.low, found.high) for system, found in zip(systems, drawn, strict=True)})
    return values, intervals


def _length_differences(testset: TestSet | None) -> tuple[str, dict[str, Floats]]:
    """Return the unit, and by system the length of each output minus that of the reference closest to it."""
    if testset is None or not testset.references:
        raise UsageError("Buckets by length-difference need texts with references.")
    unit, length = length_of(first_references(testset))
    rows = zip(*testset.references.values(), strict=True)
    wanted = [[length(text) for text in row if text is not None] for row in rows]

    def difference(size: int, lengths: Sequence[int]) -> int:
        return min((size - each for each in lengths), key=abs)

    found = {name: list(map(difference, map(length, lines), wanted)) for name, lines in testset.outputs.items()}
    return unit, {name: np.array(values, dtype=np.float64) for name, values in found.items()}


def _thresholds(
    scores: Scores, segment: Mapping[str, Floats], thresholds: Mapping[str, tuple[float, float]]
) -> tuple[Floats, str]:
    """Return the bounds of the three qualities, and where they come from."""
    for name, (low, high) in thresholds.items():
        if name.lower() in (known.lower() for known in scores.metric.names):
            return np.array([-inf, low, high, inf]), f"Thresholds as given: {low:g} and {high:g}."
    pooled = np.concatenate([values[~np.isnan(values)] for values in segment.values()])
    if not len(pooled):
        return np.array([-inf, 0, 0, inf]), "No segment has a score."
    low, high = np.quantile(pooled, [0.25, 0.75])
    note = f"Thresholds: {low:.4g} and {high:.4g}, the quartiles of all systems' segments."
    return np.array([-inf, low, high, inf]), note
