"""Charts of several series: lines and bars over names, and clouds of points in panels."""

from collections.abc import Mapping, Sequence

import numpy as np

from .figures import BLUE, COLOURS, GREY, HOVER, SHAPES, VERMILLION, Figure, Row, _altair, _data, _figure, _require

Series = Mapping[str, Sequence[tuple[str, float]]]
PANEL = 220  # the width of a panel


def _rows(series: Series, label: str) -> list[Row]:
    return [
        {"series": name, "x": str(x), "y": y, "hover": f"{name}, {x}: {label} {y:.3f}"}
        for name, points in series.items()
        for x, y in points
    ]


def line_chart(series: Series, *, x_label: str, y_label: str, title: str, subtitle: str = "") -> Figure:
    """Return lines over names, such as the scores of metrics over systems; shapes repeat the colours."""
    rows = _rows(series, y_label)
    _require(rows, title)
    alt, names = _altair(), list(dict.fromkeys(row["x"] for row in rows))
    domain = list(series)
    legend = alt.Legend(title=None) if len(domain) > 1 else None
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("x:N", sort=names, title=x_label, axis=alt.Axis(labelAngle=0 if len(names) < 8 else -40)),
        y=alt.Y("y:Q", title=y_label, scale=alt.Scale(zero=False)),
        color=alt.Color("series:N", legend=legend, scale=alt.Scale(domain=domain, range=list(COLOURS[: len(domain)]))),
        shape=alt.Shape("series:N", legend=legend, scale=alt.Scale(domain=domain, range=list(SHAPES[: len(domain)]))),
    )
    chart = alt.layer(base.mark_line(strokeWidth=2, aria=False), base.mark_point(filled=True, size=60).encode(**HOVER))
    return _figure(chart.properties(width=560, height=300), rows, title, [subtitle], 560)


def grouped_bars(series: Series, *, x_label: str, y_label: str, title: str, subtitle: str = "") -> Figure:
    """Return bars in groups: one group per name, one bar per series."""
    rows = _rows(series, y_label)
    _require(rows, title)
    alt, names, domain = _altair(), list(dict.fromkeys(row["x"] for row in rows)), list(series)
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
    alt, small = _altair(), len(rows) > 300
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
