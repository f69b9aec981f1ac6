"""Agreement on marked errors (MQM, ESA), for each pair of raters who judged the same output.

characters  F1 of the marked code points: 2 |A and B| / (|A| + |B|), summed over all outputs that both judged
errors      the share of both raters' errors that overlap with an error of the other rater
severity    of these errors, the share whose counterpart (the error with the largest overlap) has the same severity
category    the same for categories

Outputs without any marks count for none of these. Marks in the source and in the output never overlap. An error without
a position (an omission) overlaps with any other error without a position. As in the evaluation of error spans at WMT
(Blain et al. 2023), there is no correction for chance, because the length of the texts is not known here.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..data.grouping import grouped
from ..data.judgements import Judgements, Span
from ..types import Floats
from .agreement_panel import Panel, PanelRow, panel_of_scores

MEASURES = ("characters", "errors", "severity", "category")


def marked(spans: Sequence[Span]) -> set[tuple[bool, int]]:
    """Return the code points that are part of an error, as (in_source, position)."""
    return {
        (span.in_source, place)
        for span in spans
        if span.start is not None and span.end is not None
        for place in range(span.start, span.end)
    }


def overlap(one: Span, other: Span) -> int:
    """Count the code points that two errors share; 1 if both have no position, or one is empty and in the other."""
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return int(one.start is None and other.start is None)
    if one.in_source != other.in_source:
        return 0
    shared = min(one.end, other.end) - max(one.start, other.start)
    is_point = one.start == one.end or other.start == other.end
    return 1 if is_point and shared == 0 else max(shared, 0)


def compare(one: Sequence[Span], other: Sequence[Span]) -> Floats:
    """Return numerators and denominators of the four measures for one output, shape (4, 2)."""
    first, second = marked(one), marked(other)
    counts = np.zeros((4, 2))
    counts[0] = 2 * len(first & second), len(first) + len(second)
    counts[1, 1] = len(one) + len(other)
    for mine, theirs in ((one, other), (other, one)):
        for span in mine:
            counterpart = _counterpart(span, theirs)
            if counterpart is None:
                continue
            counts[1, 0] += 1
            counts[2:, 1] += 1
            counts[2, 0] += span.severity.casefold() == counterpart.severity.casefold()
            counts[3, 0] += span.category.casefold() == counterpart.category.casefold()
    return counts


def _counterpart(span: Span, others: Sequence[Span]) -> Span | None:
    """Return the error with the largest overlap (the first, if several), or None if none overlaps."""
    best = max(others, key=lambda other: overlap(span, other), default=None)
    return best if best is not None and overlap(span, best) else None


def span_panel(judgements: Judgements, sources: Collection[str]) -> tuple[Panel, Mapping[str, tuple[Floats, Floats]]]:
    """Return a panel of whether outputs have errors, and by measure two sums over outputs, shape (rows, rows)."""
    asked = judgements.where(lambda row: row.spans is not None)
    flags = [row._replace(kind="likert", value=float(bool(row.spans))) for row in asked.rows]
    panel = panel_of_scores(Judgements(flags, judgements.pair, judgements.name), sources)
    spans: dict[tuple[PanelRow, tuple[str, ...]], Sequence[Span]] = {
        (PanelRow(row.rater, row.reference), (row.segment, row.system)): row.spans or () for row in asked.rows
    }
    by_item = grouped(zip(panel.item.tolist(), panel.row.tolist(), strict=True))
    sums = np.zeros((4, 2, len(panel.rows), len(panel.rows)))
    for item, rows in by_item.items():
        marks = {row: spans[panel.rows[row], panel.items[item]] for row in rows}
        for place, i in enumerate(rows):
            for j in rows[:place]:
                if panel.person[i] != panel.person[j]:
                    sums[:, :, i, j] += compare(marks[i], marks[j])
    sums += sums.swapaxes(2, 3)
    named = any(span.category for row in asked.rows for span in row.spans or ())
    chosen = MEASURES if named else MEASURES[:3]
    return panel, {name: (sums[number, 0], sums[number, 1]) for number, name in enumerate(chosen)}
