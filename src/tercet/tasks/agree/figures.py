"""The figures of `tercet agree`: coefficients with intervals, agreement over time, groups of raters, single raters."""

from __future__ import annotations

from math import isfinite, nan

import numpy as np

from ...human.agreement import Agreement
from ...rendering.figures import COLOURS, Figure, heat_map, interval_plot
from ...rendering.series import line_chart

GROUPS_TOGETHER = len(COLOURS)


def draw(result: Agreement) -> dict[str, Figure]:
    """Draw all figures that a result has data for. Returns them by the name used in file names."""
    title = " ".join(part for part in (result.name, result.pair, result.kind) if part)
    over = f"{100 * result.confidence:g} % intervals, {result.resamples} resamples of raters (ICC: F distributions)"
    found: dict[str, Figure] = {}
    measures = [item for item in result.measures if isfinite(item.value)]
    several = len({item.group for item in measures}) > 1
    rows = [
        (f"{item.measure}, {item.group}" if several else item.measure, item.value, item.low, item.high, False)
        for item in measures
        if not item.measure.startswith("P(E)")
    ]
    if rows:
        found["agreement"] = interval_plot(rows, label="agreement", title=f"{title}: agreement", subtitle=over)
    parts = [f"{100 * item.first:g}-{100 * item.last:g} %" for item in result.slices]
    measure, groups = result.slices[0].measure, list(result.slices[0].agreement)[:GROUPS_TOGETHER]
    stages = {group: [item.agreement[group] for item in result.slices] for group in groups}
    spread = {"spread": [item.spread for item in result.slices]}
    for name, curves, label, what in (
        ("stages", stages, measure, "agreement over time"),
        ("spread", spread, "standard deviation", "spread of judgements over time"),
    ):  # figures 6.2 and 6.3 of Fomicheva 2017
        known = {
            group: [(part, float(value)) for part, value in zip(parts, values, strict=True) if isfinite(value)]
            for group, values in curves.items()
        }
        if len(parts) > 1 and any(known.values()):
            found[name] = line_chart(known, x_label="part of the work", y_label=label, title=f"{title}: {what}")
    if result.contrasts:
        found["references"] = interval_plot(
            [(item.name, item.difference, item.low, item.high, False) for item in result.contrasts],
            label="difference of mean judgements",
            title=f"{title}: differences by what was shown",
            subtitle=over,
        )
    for metric in dict.fromkeys(item.metric for item in result.correlations):
        figure = _heat_map(result, metric, title)
        if figure is not None:
            found[f"metric.{metric.replace('/', '-')}"] = figure
    people = [(person.rater, person.agreement, nan, nan, False) for person in result.people]
    if any(isfinite(person[1]) for person in people):
        found["raters"] = interval_plot(people, label="agreement with other raters", title=f"{title}: raters")
    return found


def _heat_map(result: Agreement, metric: str, title: str) -> Figure | None:
    """Draw correlations as a heat map if raters and the metric had the same references; otherwise return None."""
    own = {(item.shown, item.given): item.value for item in result.correlations if item.metric == metric}
    given = list(dict.fromkeys(name for _, name in own))
    if len(given) < 2 or not all((name, name) in own for name in given):
        return None
    values = np.array([[own[row, column] for column in given] for row in given])
    if not np.isfinite(values).any():
        return None
    return heat_map(
        given,
        values,
        label="Pearson's r",
        marks=np.eye(len(given), dtype=bool),
        marked="same reference",
        title=f"{title}: references of raters (rows) and of {metric} (columns)",
    )
