"""Do raters mark the same errors? Agreement on spans (MQM, ESA), for every two raters who judged the same output.

characters  F1 of the marked code points: 2 |A and B| / (|A| + |B|), sums over all outputs that both judged
errors      the share of both raters' errors that overlap with one of the other's
severity    of these, the share whose counterpart (the one that it overlaps most) has the same severity
category    the same for categories

Outputs in which neither marked anything count for none of these. Marks in the source are places of their own. An error
with no place (an omission) overlaps with any other error that has none. As in the evaluation of error spans at WMT
(Blain et al. 2023), there is no correction for chance: how much text could be marked is not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..data.judgements import Judgements, Span
from .agreement_panel import Panel, PanelRow, panel_of_scores
from .gold import Floats

MEASURES = ("characters", "errors", "severity", "category")


def marked(spans: Sequence[Span]) -> set[tuple[bool, int]]:
    """The code points that are part of an error: whether of the source, and where."""
    return {
        (span.in_source, place)
        for span in spans
        if span.start is not None and span.end is not None
        for place in range(span.start, span.end)
    }


def overlap(one: Span, other: Span) -> int:
    """How many code points two errors share; 1 where both have no place, or one is a point in or at the other."""
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return int(one.start is None and other.start is None)
    if one.in_source != other.in_source:
        return 0
    shared = min(one.end, other.end) - max(one.start, other.start)
    is_point = one.start == one.end or other.start == other.end
    return 1 if is_point and shared == 0 else max(shared, 0)


def compare(one: Sequence[Span], other: Sequence[Span]) -> Floats:
    """Parts and wholes of the four measures for one output, shape (4, 2)."""
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
    """The one that overlaps most, the first of several; None if none does."""
    best = max(others, key=lambda other: overlap(span, other), default=None)
    return best if best is not None and overlap(span, best) else None


def span_panel(judgements: Judgements, sources: Collection[str]) -> tuple[Panel, Mapping[str, tuple[Floats, Floats]]]:
    """Whether outputs have errors (1 or 0), as a panel; and by measure the sums of parts and wholes of every pair of
    rows, shape (rows, rows)."""
    asked = judgements.where(lambda row: row.spans is not None)
    flags = [row._replace(kind="likert", value=float(bool(row.spans))) for row in asked.rows]
    panel = panel_of_scores(Judgements(flags, judgements.pair, judgements.name), sources)
    spans: dict[tuple[PanelRow, tuple[str, ...]], Sequence[Span]] = {
        (PanelRow(row.rater, row.reference), (row.segment, row.system)): row.spans or () for row in asked.rows
    }
    by_item: dict[int, list[int]] = {}
    for row, item in zip(panel.row.tolist(), panel.item.tolist(), strict=True):
        by_item.setdefault(item, []).append(row)
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
