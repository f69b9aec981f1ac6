"""The figures of `tercet agree`: coefficients with intervals, agreement over time, groups of raters, single raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan

import numpy as np

from ..human.agreement import Agreement
from ..rendering.figures import COLOURS, HOVER, SHAPES, Figure, Row, _altair, _data, _figure, heat_map, interval_plot
from .agreeboard import shown_pair

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
    stages = {group: [item.agreement[group] for item in result.slices] for group in result.slices[0].agreement}
    if len(parts) > 1 and _any(stages):
        measure = result.slices[0].measure
        found["stages"] = stage_curves(parts, stages, label=measure, title=f"{title}: agreement over time")
    spread = {"spread": [item.spread for item in result.slices]}
    if len(parts) > 1 and _any(spread):
        found["spread"] = stage_curves(
            parts, spread, label="standard deviation", title=f"{title}: spread of judgements over time"
        )
    if result.contrasts:
        found["references"] = interval_plot(
            [(shown_pair(item), item.difference, item.low, item.high, False) for item in result.contrasts],
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


def _any(curves: Mapping[str, Sequence[float]]) -> bool:
    return any(isfinite(value) for values in curves.values() for value in values)


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


def stage_curves(parts: Sequence[str], curves: Mapping[str, Sequence[float]], *, label: str, title: str) -> Figure:
    """Draw a line per name over the parts of the work (figures 6.2 and 6.3 of Fomicheva 2017)."""
    names = list(curves)[:GROUPS_TOGETHER]
    rows: list[Row] = [
        {"name": name, "part": part, "value": float(value), "hover": f"{name}, {part}: {label} {value:.3f}"}
        for name in names
        for part, value in zip(parts, curves[name], strict=True)
        if isfinite(value)
    ]
    alt = _altair()
    legend = alt.Legend(title=None) if len(names) > 1 else None
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("part:O", sort=list(parts), title="part of the work", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("value:Q", title=label, scale=alt.Scale(zero=False, padding=10)),
        color=alt.Color("name:N", scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])), legend=legend),
    )
    shapes = alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        shape=alt.Shape("name:N", scale=shapes, legend=legend), **HOVER
    )
    chart = alt.layer(base.mark_line(strokeWidth=1.5, aria=False), points).properties(width=460, height=280)
    return _figure(chart, rows, title, [], 460)
