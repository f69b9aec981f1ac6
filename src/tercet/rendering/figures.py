"""Figures from numbers and names, as SVG, PNG, HTML or JSON.

The functions are independent of metrics and people; the caller gives the labels. Charts are Vega-Lite specifications,
built with Altair and rendered by vl-convert, which needs no browser and no network. Colours are those of Okabe and Ito
(2008), "Color Universal Design"; a shape, a dash or a sign repeats the meaning of each colour.
"""

import html
import json
import math
import re
import textwrap
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.files import writing_bytes
from ..errors import DataError, UsageError, optional
from . import layout as placing
from .tables import to_json

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#666666"
PALE = "#D9D9D9"  # for the background: grids, other curves
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)  # without yellow, which is invisible on white paper
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
ENDINGS = (".svg", ".png", ".html", ".json")
HOVER = {"tooltip": "hover:N", "description": "hover:N"}  # the same text on hover and for screen readers
CELLS_WITH_TEXT = 20  # a matrix with more rows has no space for numbers in its cells

Row = placing.Row


def package(name: str) -> ModuleType:
    """Import a package that only figures need."""
    return optional(name, "A figure", "plots")


class _Altair:
    """Altair, imported when the first figure is made."""

    def __getattr__(self, name: str) -> Any:
        return getattr(package("altair"), name)


alt = _Altair()


@dataclass(frozen=True)
class Figure:
    """A chart as a Vega-Lite specification, with one record for each item that it shows."""

    title: str
    spec: dict[str, Any]
    rows: list[Row]

    def svg(self) -> str:
        """Return the chart as one <svg> element, for a file or for a page that may contain others."""
        return _embeddable(package("vl_convert").vegalite_to_svg(self.spec), zlib.crc32(self.json().encode("utf-8")))

    def png(self) -> bytes:
        """Return the chart as a PNG image, at twice the usual screen resolution."""
        image: bytes = package("vl_convert").vegalite_to_png(self.spec, scale=2)
        return image

    def html(self) -> str:
        """Return a page that draws the chart, with names on hover. It contains all scripts and loads nothing."""
        # In the pages of Altair and vl-convert a name that contains </script> would end the script.
        spec = json.dumps(json.loads(to_json(self.spec))).replace("<", "\\u003c")
        script = package("vl_convert").javascript_bundle()
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>{html.escape(self.title)}</title>\n<script>{script}</script>\n</head>\n"
            '<body style="background: white">\n<div id="figure"></div>\n'
            f"<script>vegaEmbed('#figure', {spec}, {{renderer: 'svg', actions: {{export: true, source: false, "
            "compiled: false, editor: false}}).catch(console.error);</script>\n</body>\n</html>\n"
        )

    def json(self) -> str:
        """Return the Vega-Lite specification, for other programs."""
        return to_json(self.spec) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the figure to a file. Its extension chooses the format: .svg, .png, .html or .json."""
        content: str | bytes = getattr(self, check_figure(path))()  # rendered before the file is opened
        with writing_bytes(path) as stream:
            stream.write(content if isinstance(content, bytes) else content.encode("utf-8"))


def check_figure(path: str | Path) -> str:
    """Return the form of a figure by its file's name. Raises UsageError for another name, or a missing package."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: a figure is written as {', '.join(ENDINGS)}; name the file accordingly.")
    for name in ("altair",) if ending == ".json" else ("altair", "vl_convert"):
        package(name)
    return ending[1:]


def scatter(
    gold: Mapping[str, float],
    metric: Mapping[str, float],
    *,
    gold_label: str,
    metric_label: str,
    outliers: Collection[str] = (),
    best: Collection[str] = (),
    title: str,
    subtitle: str = "",
) -> Figure:
    """Return a scatter plot: gold scores on x, metric on y, least-squares lines with and without the outliers.

    Points have names where there is room. Outliers always have, and have another shape and colour (as in Mathur et al.,
    2020, "Tangled up in BLEU"). The `best` systems have a line of their own, as in Figure 6 of the WMT19 metrics task.
    Use `subtitle` for correlations.
    """
    rows = placing.points(gold, metric, outliers, best, gold_label=gold_label, metric_label=metric_label, title=title)
    _require(rows, title)
    size = (460, 340)
    marked, lines = any(row["kind"] == "outlier" for row in rows), placing.regressions(rows)
    domains, axes = _axes([*rows, *lines], gold_label, metric_label)
    kinds = {"domain": ["other", "outlier"]}
    legend = alt.Legend(title="points") if marked else None
    points = alt.Chart(_data(rows)).mark_point(size=70, filled=True, opacity=0.9).encode(
        **axes,
        color=alt.Color("kind:N", scale=alt.Scale(range=[BLUE, VERMILLION], **kinds), legend=legend),
        shape=alt.Shape("kind:N", scale=alt.Scale(range=["circle", "diamond"], **kinds), legend=legend),
        **HOVER,
    )  # fmt: skip
    drawn = list(dict.fromkeys(line["line"] for line in lines))
    kinds_of_line = {"without outliers": [1, 0], "all points": [5, 4]}
    dashes = alt.Scale(domain=drawn, range=[kinds_of_line.get(name, [1, 3]) for name in drawn])
    key = alt.Legend(title="least squares", symbolType="stroke", symbolSize=400, symbolStrokeColor=GREY)
    fits = alt.Chart(_data(lines)).mark_line(color=GREY, strokeWidth=1.5, aria=False)
    layers = [fits.encode(**axes, strokeDash=alt.StrokeDash("line:N", scale=dashes, legend=key))] if lines else []
    layers += [*_names(placing.labels(rows, lines, domains, size), axes), points]
    chart = alt.layer(*layers).properties(width=size[0], height=size[1])
    return _figure(chart, rows, title, [subtitle, _missing(len(gold) - len(rows))], size[0])


def cloud(
    gold: Sequence[float],
    metric: Sequence[float],
    *,
    gold_label: str,
    metric_label: str,
    title: str,
    subtitle: str = "",
    most: int = 3000,
) -> Figure:
    """Return a scatter plot without names, with a least-squares line; of more than `most` points a random sample."""
    known = [(float(x), float(y)) for x, y in zip(gold, metric, strict=True) if math.isfinite(x + y)]
    every: list[Row] = [{"gold": x, "metric": y, "kind": "other"} for x, y in known]
    _require(every, title)
    rows = every
    if len(rows) > most:
        rows = [every[i] for i in sorted(np.random.default_rng(12345).choice(len(every), most, replace=False))]
        subtitle = "; ".join(part for part in (subtitle, f"{most} of {len(every)} outputs are drawn") if part)
    size = (460, 340)
    lines = placing.regressions(every)
    _, axes = _axes([*rows, *lines], gold_label, metric_label)
    points = alt.Chart(_data(rows)).mark_circle(size=14, opacity=0.25, color=BLUE, aria=False).encode(**axes)
    fit = alt.Chart(_data(lines)).mark_line(color=VERMILLION, strokeWidth=2, aria=False).encode(**axes)
    chart = alt.layer(points, *([fit] if lines else [])).properties(width=size[0], height=size[1])
    return _figure(chart, rows, title, [subtitle, _missing(len(gold) - len(every))], size[0])


def _axes(
    rows: Sequence[Row], gold_label: str, metric_label: str
) -> tuple[tuple[list[float], list[float]], dict[str, object]]:
    """Return the domains of x and y that hold these rows, and the axes."""
    x, y = (placing.padded([row[axis] for row in rows]) for axis in ("gold", "metric"))
    return (x, y), {
        "x": alt.X("gold:Q", title=gold_label, scale=alt.Scale(domain=x, nice=False)),
        "y": alt.Y("metric:Q", title=metric_label, scale=alt.Scale(domain=y, nice=False)),
    }


def _names(placed: Mapping[str, list[Row]], axes: Mapping[str, object]) -> Iterator[Any]:
    """Yield layers with the names of points, by alignment, and thin lines to points whose names are not beside them."""
    for side, labels in placed.items():
        if apart := [label for label in labels if "from_gold" in label]:
            rules = alt.Chart(_data(apart)).mark_rule(color=GREY, strokeWidth=0.5, aria=False)
            yield rules.encode(**axes, x2="from_gold", y2="from_metric")
        text = {"align": side, "dx": 3 if side == "left" else -3, "limit": placing.LABEL, "aria": False}
        for kind, style in (("other", {"color": GREY, "fontSize": 9}), ("outlier", {})):
            if named := [label for label in labels if label["kind"] == kind]:
                base = alt.Chart(_data(named)).encode(**axes, text="name:N")
                yield base.mark_text(**text, **style | {"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"})
                yield base.mark_text(**text, **style)


def heat_map(
    names: Sequence[str],
    values: NDArray[np.float64],
    *,
    label: str,
    marks: NDArray[np.bool_] | None = None,
    marked: str = "significant",
    low_is_dark: bool = False,
    decimals: int = 2,
    title: str,
) -> Figure:
    """Return a heat map of values of rows against columns, shape (m, m); cells in `marks` also have a sign.

    With up to 20 names the cells show their values, and marked cells a star. With more, marked cells have a dot. The
    colour scale diverges from 0 if values lie on both sides of it. Otherwise `low_is_dark` reverses it, for p-values.
    NaN on the diagonal does not count as missing.
    """
    m = len(names)
    values = np.asarray(values, dtype=np.float64)
    signs = np.zeros((m, m), dtype=bool) if marks is None else np.asarray(marks, dtype=bool)
    if values.shape != (m, m) or signs.shape != (m, m):
        raise UsageError(f"Figure {title!r}: {m} names need values and marks of shape ({m}, {m}).")
    _distinct(names, title)
    finite = np.isfinite(values)
    _require(finite.any(), title)
    scale, dark = placing.colour_scale(values, finite, low_is_dark=low_is_dark)
    with_text, missing = m <= CELLS_WITH_TEXT, int((~finite & ~np.eye(m, dtype=bool)).sum())
    sign, shown = ("*", decimals) if with_text else ("●", None)
    rows = placing.cells(names, values, signs, label=label, marked=marked, sign=sign, decimals=shown)
    for row, is_dark in zip(rows, dark[finite].tolist(), strict=True):
        row["dark"] = is_dark
    step = 20 if not with_text else max(10 + 6 * max(len(row["text"]) for row in rows), 34)
    size = {"step": step}
    every = alt.Scale(domain=list(names))  # also those without a value
    axis = {"title": None, "ticks": False, "domain": False, "grid": False, "labelPadding": 5}
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("column:N", sort=list(names), axis=alt.Axis(orient="top", labelAngle=-60, **axis), scale=every),
        y=alt.Y("row:N", sort=list(names), axis=alt.Axis(**axis), scale=every),
    )
    legend = alt.Legend(title=textwrap.wrap(label, 24), gradientLength=min(200, 20 + m * step // 2))
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color("value:Q", scale=alt.Scale(**scale), legend=legend), **HOVER
    )
    weight = alt.expr("datum.marked ? 'bold' : 'normal'")
    text = base.mark_text(fontSize=11 if with_text else 13, fontWeight=weight, aria=False).encode(
        text="text:N", color=alt.condition("datum.dark", alt.value("white"), alt.value("black"))
    )
    chart = alt.layer(cells, text).properties(width=size, height=size)
    notes = [f"{sign} {marked}" if signs[finite].any() else "", _missing(missing)]
    return _figure(chart, rows, title, notes, m * step + 100)


def _panels(small: Any, names: Sequence[str], width: int, columns: int) -> Any:
    header = alt.Header(title=None, labelAnchor="start", labelFontWeight="bold", labelLimit=width, labelPadding=4)
    return small.facet(facet=alt.Facet("name:N", sort=list(names), header=header), columns=columns)


def histogram(
    values: Mapping[str, Sequence[float] | NDArray[np.float64]], *, label: str, title: str, subtitle: str = ""
) -> Figure:
    """Return a histogram; several names are panels with the same bins and axes."""
    rows, missing = placing.bars(values)
    _require(rows, title)
    several = len(values) > 1
    columns, edges = 1 if len(values) <= 6 else 3, sorted({row[end] for row in rows for end in ("start", "end")})
    width, height = (480, 280 if not several else 110) if columns == 1 else (200, 90)
    # The axis's own format would round 0.25 like 0.5.
    axis = alt.Axis(grid=False, values=edges, labelExpr="format(datum.value, '~g')")
    bars = alt.Chart().mark_bar(color=BLUE, stroke="white").encode(
        x=alt.X("start:Q", bin="binned", title=label, axis=axis),
        x2="end:Q",
        strokeWidth=alt.condition("datum.count > 0", alt.value(0.5), alt.value(0)),  # no outline around an empty bar
        y=alt.Y("count:Q", title="count", axis=alt.Axis(tickMinStep=1, tickCount=4)),
        **HOVER,
    ).properties(width=width, height=height)  # fmt: skip
    plot = alt.layer(bars, data=_data(rows))
    chart = _panels(plot, list(values), width, columns) if several else plot
    return _figure(chart, rows, title, [subtitle, _missing(missing)], width * columns)


def interval_plot(
    rows: Iterable[tuple[str, float, float, float, bool]], *, label: str, title: str, subtitle: str = ""
) -> Figure:
    """Return dots with error bars for (name, value, low, high, winner), the highest on top; winners are filled."""
    given = list(rows)
    _distinct([row[0] for row in given], title)
    kept = sorted((row for row in given if math.isfinite(row[1])), key=lambda row: -row[1])
    _require(kept, title)
    records: list[Row] = []
    for name, value, low, high, winner in kept:
        whole = math.isfinite(low) and math.isfinite(high)
        span = f" ({low:.4g} to {high:.4g})" if whole else ""
        ends = {"low": float(low) if whole else None, "high": float(high) if whole else None}
        record = {"name": name, "value": float(value), **ends, "winner": bool(winner)}
        records.append(record | {"hover": f"{name}: {label} {value:.4g}{span}{', winner' if winner else ''}"})
    width = 460
    names = [record["name"] for record in records]
    every = alt.Scale(domain=names)  # also those without whiskers
    axis = alt.Axis(title=None, ticks=False, domain=False, grid=True, labelPadding=6, translate=0)
    base = alt.Chart(_data(records)).encode(y=alt.Y("name:N", sort=names, scale=every, axis=axis))
    x_scale = alt.Scale(zero=False, nice=False, padding=12)
    whiskers = base.mark_errorbar(ticks={"size": 8, "color": GREY}, rule={"color": GREY}).encode(
        x=alt.X("low:Q", title=label, scale=x_scale), x2="high:Q"
    )
    dots = base.mark_point(shape="circle", size=45, stroke=BLUE, strokeWidth=2, opacity=1).encode(
        x=alt.X("value:Q", title=label, scale=x_scale),
        fill=alt.condition("datum.winner", alt.value(BLUE), alt.value("white")),
        **HOVER,
    )
    # Without any whisker the group of them would be an empty part, which screen readers announce.
    layers = [whiskers, dots] if any(record["low"] is not None for record in records) else [dots]
    chart = alt.layer(*layers).properties(width=width, height={"step": 22})
    filled = "filled: winner" if any(record["winner"] for record in records) else ""
    return _figure(chart, records, title, [subtitle, filled, _missing(len(given) - len(kept))], width)


def _data(rows: list[Row]) -> Any:
    return alt.InlineData(values=rows)


def _require(something: object, title: str) -> None:
    if not something:
        raise DataError(f"Figure {title!r} has nothing to show: none of its values is a number.")


def _distinct(names: Sequence[str], title: str) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"Figure {title!r}: {', '.join(map(repr, twice))} occurs more than once.")


def _missing(count: int) -> str:
    return f"{count} without a value" if count else ""


def _figure(chart: Any, rows: list[Row], title: str, notes: Iterable[str], width: int) -> Figure:
    wide = max(width, 300)
    notes_text = "; ".join(note for note in notes if note)
    below = {"subtitle": textwrap.wrap(notes_text, wide // 6), "subtitleColor": "#333333"} if notes_text else {}
    heading = alt.Title(
        textwrap.wrap(title, wide // 8), anchor="start", frame="bounds", fontSize=14, offset=10, **below
    )
    sizes = {"titleFontWeight": "normal", "labelFontSize": 11}
    chart = chart.properties(title=heading).configure(font="sans-serif", background="white", padding=10)
    chart = chart.configure_view(stroke=None).configure_legend(titleFontSize=11, **sizes)
    chart = chart.configure_axis(titleFontSize=12, labelLimit=240, labelFlush=False, gridColor=PALE, **sizes)
    return Figure(title, chart.to_dict(), rows)


def _embeddable(svg: str, key: int) -> str:
    """Return the SVG with unique identifiers, so that a page can contain several, and with names on hover."""
    own: dict[str, str] = {}  # the renderer numbers them across drawings; here equal figures give equal text

    def renamed(match: re.Match[str]) -> str:
        return match[1] + own.setdefault(match[2], f"f{key:08x}-{len(own)}") + match[3]

    def mended(match: re.Match[str]) -> str:
        tag = re.sub(r'( id=")([^"]*)(")', renamed, match[0])
        tag = re.sub(r'(="url\(#)([^)"]*)(\)")', renamed, tag)
        label = re.search(r' aria-label="([^"]*)"', tag)
        if label and tag.endswith("/>"):
            element = tag[1:].split(" ", 1)[0]
            tag = f"{tag[:-2]}><title>{label[1]}</title></{element}>"
        return tag

    return re.sub(r"<[^<>]*>", mended, svg)  # elsewhere < and > are escaped, even in attributes
