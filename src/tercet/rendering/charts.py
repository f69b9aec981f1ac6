"""Charts: bars, parts of a whole, lines, clouds, and curves over the N best systems (Mathur et al. 2020)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .figures import (
    BLUE,
    COLOURS,
    GREY,
    HOVER,
    PALE,
    SHAPES,
    VERMILLION,
    Figure,
    Row,
    _data,
    _figure,
    _missing,
    _panels,
    _require,
    alt,
)
from .layout import LABEL

Series = Mapping[str, Sequence[tuple[str, float]]]
PANEL = 220  # the width of a panel
NARROW = 0.04  # a part of a bar with a smaller share has no space for its number
DARK = (BLUE, VERMILLION)  # colours on which text is white
CURVES_TOGETHER = len(COLOURS)  # more cannot be distinguished in one plot


def count_bars(counts: Sequence[int], *, label: str, title: str) -> Figure:
    """Return a bar chart of how often 0, 1, 2, … occur."""
    _require(sum(counts), title)
    rows: list[Row] = [
        {"number": number, "count": count, "hover": f"{label} {number}: {count}"} for number, count in enumerate(counts)
    ]
    step = 5 if len(counts) > 25 else 1
    ticks = [row["number"] for row in rows if row["number"] % step == 0]
    bars = alt.Chart(_data(rows)).mark_bar(color=BLUE).encode(
        x=alt.X("number:O", title=label, axis=alt.Axis(values=ticks, labelAngle=0)),
        y=alt.Y("count:Q", title="count", axis=alt.Axis(tickMinStep=1)),
        **HOVER,
    ).properties(width=480, height=280)  # fmt: skip
    return _figure(alt.layer(bars), rows, title, [], 480)


def share_bars(shares: Mapping[str, Mapping[str, tuple[int, int]]], *, label: str, title: str) -> Figure:
    """Return a bar chart of shares, given as (part, whole) by group and name; one panel per group, one bar per name."""
    rows: list[Row] = []
    for group, by_name in shares.items():
        for name, (part, whole) in by_name.items():
            if whole:
                hover = f"{group}, {name}: {part} of {whole}"
                rows.append({"group": group, "name": name, "share": part / whole, "hover": hover})
    _require(rows, title)
    names = list(dict.fromkeys(row["name"] for row in rows))
    base = alt.Chart().encode(y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(ticks=False, labelPadding=6)))
    bars = base.mark_bar(color=BLUE).encode(
        x=alt.X("share:Q", title=label, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")), **HOVER
    )
    header = alt.Header(title=None, labelAnchor="start", labelFontWeight="bold", labelLimit=400)
    facet = alt.Facet("group:N", sort=list(shares), header=header)
    several = alt.layer(bars, data=_data(rows)).properties(width=400, height={"step": 16})
    return _figure(several.facet(facet=facet, columns=1), rows, title, [], 400)


def part_bars(counts: Mapping[str, Mapping[str, int]], colours: Mapping[str, str], *, label: str, title: str) -> Figure:
    """Return one bar per name, divided into the shares of its parts; `colours` has the parts in their order."""
    rows: list[Row] = []
    for name, parts in counts.items():
        start, whole = 0, sum(parts.values())
        for part in colours:
            count = parts.get(part, 0)
            if count:
                hover = f"{name}: {count:,} of {whole:,}, {part}"
                shown = f"{count:,}" if count / whole > NARROW else ""
                places = {"from": start / whole, "to": (start + count) / whole, "middle": (start + count / 2) / whole}
                rows.append({"name": name, "part": part, "count": count, **places, "text": shown, "hover": hover})
            start += count
    _require(rows, title)
    base = alt.Chart(_data(rows)).encode(
        y=alt.Y("name:N", sort=list(counts), title=None, axis=alt.Axis(ticks=False, labelPadding=6))
    )
    domain = [part for part in colours if any(row["part"] == part for row in rows)]
    scale = alt.Scale(domain=domain, range=[colours[part] for part in domain])
    bars = base.mark_bar(stroke="white").encode(
        x=alt.X("from:Q", title=label, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
        x2="to:Q",
        color=alt.Color("part:N", title=None, scale=scale, legend=alt.Legend(orient="top", columns=3, labelLimit=240)),
        **HOVER,
    )
    dark = alt.FieldOneOfPredicate(field="part", oneOf=[part for part in domain if colours[part] in DARK])
    texts = base.mark_text(aria=False).encode(
        x="middle:Q", text="text:N", color=alt.condition(dark, alt.value("white"), alt.value("black"))
    )
    chart = alt.layer(bars, texts).properties(width=560, height={"step": 34})
    return _figure(chart, rows, title, [], 560)


def _rows(series: Series, label: str) -> list[Row]:
    return [
        {"series": name, "x": str(x), "y": y, "hover": f"{name}, {x}: {label} {y:.3f}"}
        for name, points in series.items()
        for x, y in points
    ]


def line_chart(series: Series, *, x_label: str, y_label: str, title: str) -> Figure:
    """Return lines over names, such as the scores of metrics over systems; shapes repeat the colours."""
    rows = _rows(series, y_label)
    _require(rows, title)
    names = list(dict.fromkeys(row["x"] for row in rows))
    domain = list(series)
    legend = alt.Legend(title=None) if len(domain) > 1 else None
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("x:N", sort=names, title=x_label, axis=alt.Axis(labelAngle=0 if len(names) < 8 else -40)),
        y=alt.Y("y:Q", title=y_label, scale=alt.Scale(zero=False)),
        color=alt.Color("series:N", legend=legend, scale=alt.Scale(domain=domain, range=list(COLOURS[: len(domain)]))),
        shape=alt.Shape("series:N", legend=legend, scale=alt.Scale(domain=domain, range=list(SHAPES[: len(domain)]))),
    )
    chart = alt.layer(base.mark_line(strokeWidth=2, aria=False), base.mark_point(filled=True, size=60).encode(**HOVER))
    return _figure(chart.properties(width=560, height=300), rows, title, [], 560)


def grouped_bars(series: Series, *, x_label: str, y_label: str, title: str, subtitle: str = "") -> Figure:
    """Return bars in groups: one group per name, one bar per series."""
    rows = _rows(series, y_label)
    _require(rows, title)
    names, domain = list(dict.fromkeys(row["x"] for row in rows)), list(series)
    bars = alt.Chart(_data(rows)).mark_bar().encode(
        x=alt.X("x:N", sort=names, title=x_label, axis=alt.Axis(labelAngle=0 if len(names) < 8 else -40)),
        xOffset=alt.XOffset("series:N", sort=domain),
        y=alt.Y("y:Q", title=y_label),
        color=alt.Color("series:N", title=None, scale=alt.Scale(domain=domain, range=list(COLOURS[: len(domain)]))),
        **HOVER,
    ).properties(width=560, height=280)  # fmt: skip
    return _figure(alt.layer(bars), rows, title, [subtitle], 560)


def clouds(
    panels: Mapping[str, Sequence[tuple[float, float]]], *, x_label: str, y_label: str, title: str, lines: bool = False
) -> Figure:
    """Return scatter plots, one panel each; lines: with the least-squares line of each panel."""
    rows: list[Row] = [
        {"panel": name, "x": x, "y": y, "hover": f"{x:.3f}, {y:.3f}"}
        for name, points in panels.items()
        for x, y in points
    ]
    _require(rows, title)
    small = len(rows) > 300
    size, opacity = (10, 0.45) if small else (50, 0.9)
    axes = {
        "x": alt.X("x:Q", title=x_label, scale=alt.Scale(zero=False)),
        "y": alt.Y("y:Q", title=y_label, scale=alt.Scale(zero=False)),
    }
    more = {} if small else HOVER  # hundreds of names per panel help nobody
    layers = [
        alt.Chart()
        .mark_point(filled=True, size=size, opacity=opacity, color=BLUE, aria=not small)
        .encode(**axes, **more)
    ]
    if lines:
        layers.append(alt.Chart().mark_line(color=VERMILLION, strokeWidth=2, aria=False).encode(
            x="x:Q", y="fit:Q"))  # fmt: skip
        for name in panels:
            own = [row for row in rows if row["panel"] == name]
            slope, start = np.polyfit([row["x"] for row in own], [row["y"] for row in own], 1)
            for row in own:
                row["fit"] = float(slope * row["x"] + start)
    header = alt.Header(title=None, labelFontWeight="bold", labelColor=GREY)
    chart = alt.layer(*layers, data=_data(rows)).properties(width=PANEL, height=180)
    faceted = chart.facet(facet=alt.Facet("panel:N", sort=list(panels), header=header), columns=3)
    return _figure(faceted.resolve_scale(x="independent", y="independent"), rows, title, [], 3 * PANEL)


def top_n_curves(
    curves: Mapping[str, Iterable[tuple[int, float, float]]], *, label: str = "correlation", title: str
) -> Figure:
    """Return curves over the N best systems, with bands for ties; more than seven have a small plot each."""
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
    return _figure(draw(rows, list(curves), label), rows, title, [_missing(missing)], width)


def _n_best(ticks: int) -> object:
    scale = alt.Scale(reverse=True, zero=False, nice=False, padding=8)
    return alt.X(
        "n:Q", title="N best", scale=scale, axis=alt.Axis(tickMinStep=1, tickCount=ticks, format="d", grid=False)
    )


def _curves_together(rows: list[Row], names: list[str], label: str) -> object:
    """Return one plot with all curves, each with its own colour and shape."""
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    shapes = alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    symbols = {"symbolLimit": 0, "symbolSize": 90, "symbolOpacity": 1, "symbolStrokeWidth": 0}
    legend = alt.Legend(title=None, labelLimit=LABEL, **symbols)
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
