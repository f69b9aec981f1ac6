"""Figures from plain numbers and names, as SVG, PNG, HTML or JSON.

Nothing here knows of metrics or people; the labels come from the caller. Charts are Vega-Lite specifications made with
Altair and drawn by vl-convert, which carries its own renderer: no browser and no network is needed. Colours are those
of Okabe and Ito (2008), "Color Universal Design"; what a colour says is also said by a shape, a dash or a sign.
"""

from __future__ import annotations

import html
import json
import math
import re
import textwrap
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.files import writing_bytes
from ..errors import DataError, MissingDependency, UnknownName, UsageError
from .tables import number, shown_width, to_json

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#666666"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)  # yellow cannot be seen on white paper
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2])
LABEL = 200  # the longest name beside a point, in pixels
ENDINGS = (".svg", ".png", ".html", ".json")
HOVER = {"tooltip": "hover:N", "description": "hover:N"}  # the same words for those who point and those who listen
CELLS_WITH_TEXT = 20  # a matrix with more rows has no room for numbers in its cells

Row = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """A chart as a Vega-Lite specification, with the numbers that it shows as one record each."""

    title: str
    spec: dict[str, Any]
    rows: list[Row]

    def svg(self) -> str:
        """The drawing as one <svg> element, to be saved or to be put into a page, also next to others."""
        drawing: str = _package("vl_convert").vegalite_to_svg(self.spec)
        return _embeddable(drawing, zlib.crc32(self.json().encode("utf-8")))

    def png(self) -> bytes:
        """The drawing as an image, at twice the resolution of a plain screen."""
        image: bytes = _package("vl_convert").vegalite_to_png(self.spec, scale=2)
        return image

    def html(self) -> str:
        """A page that draws the chart, with names on hover; it holds all its scripts and asks for nothing."""
        # Not Altair's or vl-convert's own page: a name with </script> in it would end their script.
        spec = json.dumps(json.loads(to_json(self.spec))).replace("<", "\\u003c")
        script = _package("vl_convert").javascript_bundle()
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>{html.escape(self.title)}</title>\n<script>{script}</script>\n</head>\n"
            '<body style="background: white">\n<div id="figure"></div>\n'
            f"<script>vegaEmbed('#figure', {spec}, {{renderer: 'svg', actions: {{export: true, source: false, "
            "compiled: false, editor: false}}).catch(console.error);</script>\n</body>\n</html>\n"
        )

    def json(self) -> str:
        """The Vega-Lite specification, for other programs."""
        return to_json(self.spec) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the figure in the form that the file's ending asks for: .svg, .png, .html or .json."""
        ending = Path(path).suffix.lower()
        if ending not in ENDINGS:
            raise UsageError(f"{path}: a figure is written as {', '.join(ENDINGS)}; name the file accordingly.")
        content: str | bytes = getattr(self, ending[1:])()  # drawn before the file is touched
        with writing_bytes(path) as stream:
            stream.write(content if isinstance(content, bytes) else content.encode("utf-8"))


def scatter(
    gold: Mapping[str, float],
    metric: Mapping[str, float],
    *,
    gold_label: str,
    metric_label: str,
    outliers: Collection[str] = (),
    title: str,
    subtitle: str = "",
) -> Figure:
    """A point per name, people across and the metric upwards; least-squares lines with and without the outliers.

    Outliers have their names beside them, another shape and another colour (after Mathur et al., 2020, "Tangled up
    in BLEU"). `subtitle` is the place for correlations.
    """
    if one_sided := gold.keys() ^ metric.keys():
        names = ", ".join(map(repr, sorted(one_sided)))
        raise DataError(f"Figure {title!r}: only one of {gold_label} and {metric_label} has a value for {names}.")
    for name in outliers:
        if name not in gold:
            raise UnknownName("point", name, gold)
    rows: list[Row] = [
        {
            "name": name,
            "gold": float(gold[name]),
            "metric": float(metric[name]),
            "kind": "outlier" if name in outliers else "other",
            "hover": f"{name}: {gold_label} {gold[name]:.4g}, {metric_label} {metric[name]:.4g}",
        }
        for name in gold
        if math.isfinite(gold[name]) and math.isfinite(metric[name])
    ]
    _require(rows, title)
    alt, width, height = _altair(), 460, 340
    marked, lines = any(row["kind"] == "outlier" for row in rows), _regressions(rows)
    x_domain, y_domain = (_padded([row[axis] for row in [*rows, *lines]]) for axis in ("gold", "metric"))
    axes = {
        "x": alt.X("gold:Q", title=gold_label, scale=alt.Scale(domain=x_domain, nice=False)),
        "y": alt.Y("metric:Q", title=metric_label, scale=alt.Scale(domain=y_domain, nice=False)),
    }
    kinds = {"domain": ["other", "outlier"]}
    legend = alt.Legend(title="points") if marked else None
    points = alt.Chart(_data(rows)).mark_point(size=70, filled=True, opacity=0.9).encode(
        **axes,
        color=alt.Color("kind:N", scale=alt.Scale(range=[BLUE, VERMILLION], **kinds), legend=legend),
        shape=alt.Shape("kind:N", scale=alt.Scale(range=["circle", "diamond"], **kinds), legend=legend),
        **HOVER,
    )  # fmt: skip
    dashes = alt.Scale(domain=["without outliers", "all points"] if marked else ["all points"], range=[[1, 0], [5, 4]])
    key = alt.Legend(title="least squares", symbolType="stroke", symbolSize=400, symbolStrokeColor=GREY)
    fits = alt.Chart(_data(lines)).mark_line(color=GREY, strokeWidth=1.5, aria=False)
    layers = [fits.encode(**axes, strokeDash=alt.StrokeDash("line:N", scale=dashes, legend=key))] if lines else []
    layers.append(points)
    for side, labels in _labels(rows, x_domain, y_domain, width, height).items():
        base = alt.Chart(_data(labels)).encode(**axes)
        layers.append(base.mark_rule(color=GREY, strokeWidth=0.5, aria=False).encode(x2="from_gold", y2="from_metric"))
        layers.append(
            base.mark_text(align=side, dx=3 if side == "left" else -3, limit=LABEL, aria=False).encode(text="name:N")
        )
    chart = alt.layer(*layers).properties(width=width, height=height)
    return _figure(chart, rows, title, [subtitle, _missing(len(gold) - len(rows))], width)


def heat_map(
    names: Sequence[str],
    values: NDArray[np.float64],
    *,
    label: str,
    marks: NDArray[np.bool_] | None = None,
    marked: str = "significant",
    decimals: int = 2,
    title: str,
    subtitle: str = "",
) -> Figure:
    """A value for every row against every column, shape (m, m); cells in `marks` carry a sign as well.

    Up to 20 names the cells show their values, and marked ones a star; beyond, marked cells have a dot. The scale is
    diverging about 0 when values lie on both sides of it. The diagonal may be NaN without being missed.
    """
    m = len(names)
    values = np.asarray(values, dtype=np.float64)
    signs = np.zeros((m, m), dtype=bool) if marks is None else np.asarray(marks, dtype=bool)
    if values.shape != (m, m) or signs.shape != (m, m):
        raise UsageError(f"Figure {title!r}: {m} names need values and marks of shape ({m}, {m}).")
    _distinct(names, title)
    finite = np.isfinite(values)
    _require(finite.any(), title)
    scale, dark = _colour_scale(values, finite)
    with_text, missing = m <= CELLS_WITH_TEXT, int((~finite & ~np.eye(m, dtype=bool)).sum())
    sign, rows = "*" if with_text else "●", list[Row]()
    for i, j in zip(*np.nonzero(finite), strict=True):
        value, star = float(values[i, j]), bool(signs[i, j])
        shown = number(round(value, decimals) + 0.0, decimals) if with_text else ""  # + 0.0 turns -0.0 into 0.0
        hover = f"{names[i]} against {names[j]}: {label} {value:.4g}" + (f", {marked}" if star else "")
        cell = {"row": names[i], "column": names[j], "value": value, "marked": star}
        rows.append(cell | {"text": shown + (sign if star else ""), "dark": bool(dark[i, j]), "hover": hover})
    step = 20 if not with_text else max(10 + 6 * max(len(row["text"]) for row in rows), 34)
    size = {"step": step}
    alt = _altair()
    axis = {"title": None, "ticks": False, "domain": False, "grid": False, "labelPadding": 5}
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("column:N", sort=list(names), axis=alt.Axis(orient="top", labelAngle=-60, **axis), scale=_all(names)),
        y=alt.Y("row:N", sort=list(names), axis=alt.Axis(**axis), scale=_all(names)),
    )
    legend = alt.Legend(title=textwrap.wrap(label, 24), gradientLength=min(200, 20 + m * step // 2))
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color("value:Q", scale=alt.Scale(**scale), legend=legend), **HOVER
    )
    weight = alt.expr("datum.marked ? 'bold' : 'normal'")
    colour = alt.condition("datum.dark", alt.value("white"), alt.value("black"))
    text_mark = base.mark_text(fontSize=11 if with_text else 13, fontWeight=weight, aria=False)
    chart = alt.layer(cells, text_mark.encode(text="text:N", color=colour)).properties(width=size, height=size)
    legend_of_sign = f"{sign} {marked}" if signs[finite].any() else ""
    return _figure(chart, rows, title, [subtitle, legend_of_sign, _missing(missing)], m * step + 100)


def top_n_curves(
    curves: Mapping[str, Iterable[tuple[int, float, float]]],
    *,
    label: str = "correlation",
    title: str,
    subtitle: str = "",
) -> Figure:
    """A line per name over the N best, from many to few; a band from low to high where ties leave a range.

    The line runs through the middle of the range, and is broken where there is no value.
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
    alt, names, width = _altair(), list(curves), 520
    many = range(len(names))
    colours = alt.Scale(domain=names, range=[COLOURS[i % len(COLOURS)] for i in many])
    dashes = alt.Scale(domain=names, range=[DASHES[i // len(COLOURS) % len(DASHES)] for i in many])
    shapes = alt.Scale(domain=names, range=[SHAPES[i % len(SHAPES)] for i in many])
    symbols = {"symbolLimit": 0, "symbolSize": 90, "symbolOpacity": 1, "symbolStrokeWidth": 0}
    legend = alt.Legend(title=None, columns=1 + (len(names) - 1) // 20, labelLimit=LABEL, **symbols)
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("n:Q", title="N best", scale=alt.Scale(reverse=True, zero=False, nice=False, padding=8),
                axis=alt.Axis(tickMinStep=1, format="d", grid=False)),
        color=alt.Color("name:N", scale=colours, legend=legend),
    )  # fmt: skip
    y = alt.Y("middle:Q", title=label, scale=alt.Scale(zero=False))
    bands = base.mark_area(opacity=0.2, aria=False).encode(y=alt.Y("low:Q", title=label), y2="high:Q")
    lines = base.mark_line(strokeWidth=1.5, aria=False).encode(
        y=y, strokeDash=alt.StrokeDash("name:N", scale=dashes, legend=None)
    )
    points = base.mark_point(filled=True, size=45, opacity=1).encode(
        y=y, shape=alt.Shape("name:N", scale=shapes, legend=legend), **HOVER
    )
    chart = alt.layer(bands, lines, points).properties(width=width, height=340)
    return _figure(chart, rows, title, [subtitle, _missing(missing)], width)


def histogram(
    values: Mapping[str, Sequence[float] | NDArray[np.float64]], *, label: str, title: str, subtitle: str = ""
) -> Figure:
    """How often values occur; several names below one another, with the same bins and the same axes."""
    finite = {}
    for name, numbers in values.items():
        array = np.asarray(numbers, dtype=np.float64)
        finite[name] = array[np.isfinite(array)]
    total = sum(len(numbers) for numbers in values.values())
    pooled = np.concatenate([*finite.values(), np.empty(0)])
    _require(len(pooled), title)
    most = max(map(len, finite.values()))
    edges = np.histogram_bin_edges(pooled, bins=min(max(round(math.sqrt(most)), 5), 40))
    rows: list[Row] = []
    for name, numbers in finite.items():
        counts = np.histogram(numbers, edges)[0]
        for start, end, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
            hover = f"{name}: {count} from {start:.4g} to {end:.4g}"
            rows.append({"name": name, "start": start, "end": end, "count": count, "hover": hover})
    alt, several = _altair(), len(values) > 1
    columns = 1 if len(values) <= 6 else 3
    width, height = (480, 280 if not several else 110) if columns == 1 else (200, 90)
    bars = alt.Chart().mark_bar(color=BLUE, stroke="white", strokeWidth=0.5).encode(
        x=alt.X("start:Q", bin="binned", title=label, axis=alt.Axis(grid=False)),
        x2="end:Q",
        y=alt.Y("count:Q", title="count", axis=alt.Axis(tickMinStep=1, tickCount=4)),
        **HOVER,
    ).properties(width=width, height=height)  # fmt: skip
    if several:
        header = alt.Header(title=None, labelAnchor="start", labelFontWeight="bold", labelLimit=width)
        facet = alt.Facet("name:N", sort=list(values), header=header)
        chart = alt.layer(bars, data=_data(rows)).facet(facet=facet, columns=columns)
    else:
        chart = alt.layer(bars, data=_data(rows))
    return _figure(chart, rows, title, [subtitle, _missing(total - len(pooled))], width * columns)


def interval_plot(
    rows: Iterable[tuple[str, float, float, float, bool]], *, label: str, title: str, subtitle: str = ""
) -> Figure:
    """A dot with whiskers per (name, value, low, high, winner), the highest value on top; winners are filled.

    Undefined ends leave the dot without whiskers.
    """
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
    alt, width = _altair(), 460
    names = [record["name"] for record in records]
    axis = alt.Axis(title=None, ticks=False, domain=False, grid=True, labelPadding=6)
    base = alt.Chart(_data(records)).encode(y=alt.Y("name:N", sort=names, scale=_all(names), axis=axis))
    x_scale = alt.Scale(zero=False, padding=12)
    whiskers = base.mark_errorbar(ticks={"size": 8, "color": GREY}, rule={"color": GREY}).encode(
        x=alt.X("low:Q", title=label, scale=x_scale), x2="high:Q"
    )
    dots = base.mark_point(shape="circle", size=70, stroke=BLUE, strokeWidth=2, opacity=1).encode(
        x=alt.X("value:Q", title=label, scale=x_scale),
        fill=alt.condition("datum.winner", alt.value(BLUE), alt.value("white")),
        **HOVER,
    )
    chart = alt.layer(whiskers, dots).properties(width=width, height={"step": 22})
    filled = "filled: winner" if any(record["winner"] for record in records) else ""
    return _figure(chart, records, title, [subtitle, filled, _missing(len(given) - len(kept))], width)


def _altair() -> Any:
    return _package("altair")


def _package(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependency("A figure", "plots") from None


def _data(rows: list[Row]) -> Any:
    return _altair().InlineData(values=rows)


def _all(names: Sequence[str]) -> Any:
    """A scale with all names, also those without a value."""
    return _altair().Scale(domain=list(names))


def _require(something: object, title: str) -> None:
    if not something:
        raise DataError(f"Figure {title!r} has nothing to show: none of its values is a number.")


def _distinct(names: Sequence[str], title: str) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"Figure {title!r}: {', '.join(map(repr, twice))} is named more than once.")


def _missing(count: int) -> str:
    return f"{count} without a value" if count else ""


def _padded(numbers: Sequence[float]) -> list[float]:
    """The range of the numbers with a margin of 6 % on both sides."""
    low, high = min(numbers), max(numbers)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return [low - margin, high + margin]


def _regressions(rows: Sequence[Row]) -> list[Row]:
    """The ends of the least-squares lines: through those that are no outliers, if there are any, and through all."""
    groups = {"without outliers": [row for row in rows if row["kind"] == "other"], "all points": list(rows)}
    if len(groups["without outliers"]) == len(rows):
        del groups["without outliers"]
    lines: list[Row] = []
    for line, members in groups.items():
        x, y = (np.array([row[axis] for row in members]) for axis in ("gold", "metric"))
        if len(set(x.tolist())) < 2:
            continue  # no slope is defined
        slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
        ends = (float(x.min()), float(x.max()))
        lines += [{"line": line, "gold": at, "metric": float(y.mean()) + slope * (at - float(x.mean()))} for at in ends]
    return lines


def _labels(
    rows: Sequence[Row], x_domain: list[float], y_domain: list[float], width: int, height: int
) -> dict[str, list[Row]]:
    """Where the outliers' names stand, by alignment: beside their points, upon no other point or name if possible."""
    x_unit, y_unit = (x_domain[1] - x_domain[0]) / width, (y_domain[1] - y_domain[0]) / height
    at = [((row["gold"] - x_domain[0]) / x_unit, (row["metric"] - y_domain[0]) / y_unit) for row in rows]
    taken = [(x - 4, x + 4, y - 4, y + 4) for x, y in at]  # boxes in pixels: left, right, bottom, top
    places: dict[str, list[Row]] = {"left": [], "right": []}
    for row, (x, y) in zip(rows, at, strict=True):
        if row["kind"] != "outlier":
            continue
        long = min(6.5 * shown_width(row["name"]), LABEL)
        tried: list[tuple[int, int, str, int, tuple[float, float, float, float]]] = []
        for up in (0, 14, -14, 28, -28, 42, -42):
            for side, left in (("left", x + 10), ("right", x - 10 - long)):
                box = (left, left + long, y + up - 6, y + up + 6)
                clashes = sum(box[0] < b[1] and b[0] < box[1] and box[2] < b[3] and b[2] < box[3] for b in taken)
                outside = box[0] < 0 or box[1] > width or box[2] < 0 or box[3] > height
                tried.append((clashes + outside, len(tried), side, up, box))
        _, _, side, up, box = min(tried)
        taken.append(box)
        shift = 7 * x_unit if side == "left" else -7 * x_unit
        label = {"name": row["name"], "gold": row["gold"] + shift, "metric": row["metric"] + up * y_unit}
        places[side].append(label | {"from_gold": row["gold"], "from_metric": row["metric"]})
    return {side: labels for side, labels in places.items() if labels}


def _colour_scale(values: NDArray[np.float64], finite: NDArray[np.bool_]) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """The arguments of the scale, and the cells so dark that their text is white."""
    low, high = float(values[finite].min()), float(values[finite].max())
    if low < 0 < high:
        far = max(-low, high)
        return {"scheme": "blueorange", "domain": [-far, far], "nice": False}, (values < -0.6 * far) | (
            values > 0.75 * far
        )
    if low == high:
        high = low + 1.0
    return {"scheme": "blues", "domain": [low, high], "nice": False}, values > low + 0.65 * (high - low)


def _figure(chart: Any, rows: list[Row], title: str, notes: Iterable[str], width: int) -> Figure:
    """The finished figure: title, notes below it, and what all figures share."""
    alt = _altair()
    wide = max(width, 300)
    notes_text = "; ".join(note for note in notes if note)
    below = {"subtitle": textwrap.wrap(notes_text, wide // 6), "subtitleColor": "#333333"} if notes_text else {}
    heading = alt.Title(
        textwrap.wrap(title, wide // 8), anchor="start", frame="bounds", fontSize=14, offset=10, **below
    )
    chart = (
        chart.properties(title=heading)
        .configure(font="sans-serif", background="white", padding=10)
        .configure_view(stroke=None)
    )
    chart = chart.configure_axis(
        labelFontSize=11, titleFontSize=12, titleFontWeight="normal", labelLimit=240, labelFlush=False
    )
    chart = chart.configure_legend(labelFontSize=11, titleFontSize=11, titleFontWeight="normal")
    return Figure(title, chart.to_dict(), rows)


def _embeddable(svg: str, key: int) -> str:
    """The same drawing with identifiers of its own, so that several fit into one page, and with names on hover."""
    own: dict[str, str] = {}  # the renderer counts them on through all drawings; here, equal figures are equal texts

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

    return re.sub(r"<[^<>]*>", mended, svg)  # < and > are escaped everywhere else, also in attributes
