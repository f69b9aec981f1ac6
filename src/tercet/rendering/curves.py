"""Curves of a statistic over the N best systems, as in Mathur et al. (2020), "Tangled up in BLEU"."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from . import layout as placing
from .figures import (
    BLUE,
    COLOURS,
    HOVER,
    PALE,
    SHAPES,
    Figure,
    Row,
    _altair,
    _data,
    _figure,
    _missing,
    _panels,
    _require,
)

CURVES_TOGETHER = len(COLOURS)  # more cannot be distinguished in one plot


def top_n_curves(
    curves: Mapping[str, Iterable[tuple[int, float, float]]],
    *,
    label: str = "correlation",
    title: str,
    subtitle: str = "",
) -> Figure:
    """Return curves over the N best systems, from many to few; a band shows the range that ties allow.

    The line is the middle of the range, with a gap where there is no value. With more than seven curves every name has
    a small plot, with the other curves in grey.
    """
    rows: list[Row] = []
    missing = 0
    for name, curve in curves.items():
        for n, low, high in sorted(curve):
            row: Row = {"name": name, "n": int(n), "low": None, "high": None, "middle": None, "hover": ""}
            if math.isfinite(low) and math.isfinite(high):
                span = f"{low:.3f}" if low == high else f"{low:.3f} to {high:.3f}"
                row |= {"low": float(low), "high": float(high), "middle": (low + high) / 2}
                row["hover"] = f"{name}: {label} {span} with N = {n}"
            else:
                missing += 1
            rows.append(row)
    _require(any(row["middle"] is not None for row in rows), title)
    draw, width = (_curves_together, 520) if len(curves) <= CURVES_TOGETHER else (_curves_apart, 4 * 160)
    return _figure(draw(rows, list(curves), label), rows, title, [subtitle, _missing(missing)], width)


def _n_best(ticks: int) -> Any:
    alt = _altair()
    scale = alt.Scale(reverse=True, zero=False, nice=False, padding=8)
    return alt.X(
        "n:Q", title="N best", scale=scale, axis=alt.Axis(tickMinStep=1, tickCount=ticks, format="d", grid=False)
    )


def _curves_together(rows: list[Row], names: list[str], label: str) -> Any:
    """Return one plot with all curves, each with its own colour and shape."""
    alt = _altair()
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    shapes = alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    symbols = {"symbolLimit": 0, "symbolSize": 90, "symbolOpacity": 1, "symbolStrokeWidth": 0}
    legend = alt.Legend(title=None, labelLimit=placing.LABEL, **symbols)
    colour = alt.Color("name:N", scale=colours, legend=legend)
    base = alt.Chart(_data(rows)).encode(x=_n_best(10), color=colour)
    y = alt.Y("middle:Q", title=label, scale=alt.Scale(zero=False))
    bands = base.mark_area(opacity=0.2, aria=False).encode(y=alt.Y("low:Q", title=label), y2="high:Q")
    lines = base.mark_line(strokeWidth=1.5, aria=False).encode(y=y)
    points = base.mark_point(filled=True, size=45, opacity=1).encode(
        y=y, shape=alt.Shape("name:N", scale=shapes, legend=legend), **HOVER
    )
    return alt.layer(bands, lines, points).properties(width=520, height=340)


def _curves_apart(rows: list[Row], names: list[str], label: str) -> Any:
    """Return a small plot for every name, with the other curves in grey."""
    alt = _altair()
    x, scale = _n_best(5), alt.Scale(zero=False)
    y = alt.Y("middle:Q", title=label, scale=scale, axis=alt.Axis(tickCount=4))
    every = [{"other": row["name"], "n": row["n"], "middle": row["middle"]} for row in rows]
    # Another field name and separate records, because Vega-Lite would split the same data by panel.
    others = alt.Chart(_data(every)).mark_line(color=PALE, strokeWidth=0.75, aria=False)
    behind = others.encode(x=x, y=y, detail="other:N")
    base = alt.Chart().encode(x=x)
    bands = base.mark_area(color=BLUE, opacity=0.3, aria=False).encode(
        y=alt.Y("low:Q", title=label, scale=scale), y2="high:Q"
    )
    lines = base.mark_line(color=BLUE, strokeWidth=2, aria=False).encode(y=y)
    points = base.mark_point(color=BLUE, filled=True, size=14, opacity=1).encode(y=y, **HOVER)
    small = alt.layer(behind, bands, lines, points, data=_data(rows)).properties(width=160, height=110)
    return _panels(small, names, 160, 4).resolve_axis(x="independent")  # each row of panels has its own axis
