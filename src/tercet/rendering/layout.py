"""Positions in figures: points, regression lines, labels, bars; and which cells are dark. Nothing is drawn."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UnknownName
from .tables import number, shown_width

NAMED = 30  # points; of more, only outliers have names
LABEL = 200  # the greatest length of a label, in pixels
SHIFTS = (0, 14, -14, 28, -28, 42, -42, 56, -56, 70, -70)  # of a label above its point, in pixels, the best first
FEWEST_BINS, MOST_BINS = 10, 39  # requested; round edges can give half as many, or one more
ROUND = (10, 20, 25, 50, 100)  # widths of bins, times a power of ten

Row = dict[str, Any]
Box = tuple[float, float, float, float]  # left, right, bottom, top in pixels


def padded(numbers: Sequence[float]) -> list[float]:
    """Return the range of the numbers with a margin of 6 % on both sides."""
    low, high = min(numbers), max(numbers)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return [low - margin, high + margin]


def points(
    gold: Mapping[str, float],
    metric: Mapping[str, float],
    outliers: Collection[str],
    best: Collection[str] = (),
    *,
    gold_label: str,
    metric_label: str,
    title: str,
) -> list[Row]:
    """Return the points of a scatter plot that have both values; `title` is for messages."""
    if one_sided := gold.keys() ^ metric.keys():
        names = ", ".join(map(repr, sorted(one_sided)))
        raise DataError(f"Figure {title!r}: {names} has a value for only one of {gold_label} and {metric_label}.")
    for name in (*outliers, *best):
        if name not in gold:
            raise UnknownName("point", name, gold)
    return [
        {
            "name": name,
            "gold": float(gold[name]),
            "metric": float(metric[name]),
            "kind": "outlier" if name in outliers else "other",
            "best": name in best,
            "hover": f"{name}: {gold_label} {gold[name]:.4g}, {metric_label} {metric[name]:.4g}",
        }
        for name in gold
        if math.isfinite(gold[name]) and math.isfinite(metric[name])
    ]


def regressions(rows: Sequence[Mapping[str, object]]) -> list[Row]:
    """Return the ends of the least-squares lines: without outliers, of all points, of the best, where there are any."""
    groups = {"without outliers": [row for row in rows if row["kind"] == "other"], "all points": list(rows)}
    if len(groups["without outliers"]) == len(rows):
        del groups["without outliers"]
    if best := [row for row in rows if row.get("best")]:
        groups[f"{len(best)} best"] = best
    lines: list[Row] = []
    for line, members in groups.items():
        x, y = (np.array([row[axis] for row in members]) for axis in ("gold", "metric"))
        if len(set(x.tolist())) < 2:
            continue  # no slope is defined
        slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
        ends = (float(x.min()), float(x.max()))
        lines += [{"line": line, "gold": at, "metric": float(y.mean()) + slope * (at - float(x.mean()))} for at in ends]
    return lines


def labels(
    rows: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
    domains: tuple[Sequence[float], Sequence[float]],
    size: tuple[int, int],
) -> dict[str, list[Row]]:
    """Return the positions of labels, by alignment: beside their points, off other points, labels and lines.

    Every outlier has a label. Other points have one if there are at most NAMED points, and only where it covers neither
    a point nor another label. `rows` and `lines` are those of `regressions`, `domains` the ends of the axes, `size` the
    plot's pixels. A label has "name", "kind", "gold" and "metric"; a label above or below its point also has
    "from_gold" and "from_metric".
    """
    x_unit, y_unit = ((high - low) / pixels for (low, high), pixels in zip(domains, size, strict=True))

    def pixels(row: Mapping[str, Any]) -> tuple[float, float]:
        return (row["gold"] - domains[0][0]) / x_unit, (row["metric"] - domains[1][0]) / y_unit

    taken = [((x - 4, x + 4, y - 4, y + 4), 20) for x, y in map(pixels, rows)]
    for start, end in zip(lines[::2], lines[1::2], strict=True):
        taken += [(box, 1) for box in _along(pixels(start), pixels(end))]
    places: dict[str, list[Row]] = {"left": [], "right": []}
    names: list[tuple[float, Box]] = []
    shown = [(*pixels(row), row) for row in rows if row["kind"] == "outlier" or len(rows) <= NAMED]
    # Outliers come first, and those near an edge.
    for x, y, row in sorted(shown, key=lambda item: (item[2]["kind"] == "other", min(item[1], size[1] - item[1]))):
        tried: list[tuple[int, int, str, int, Box]] = []
        for side, up, box in _places(x, y, row["name"]):
            cost = abs(up) // 7 + sum(price for other, price in taken if _overlap(box, other))
            cost += 20 * (box[0] < 0 or box[1] > size[0] or box[2] < 0 or box[3] > size[1])
            cost += sum(10 for at, other in names if (at - y) * (other[2] - box[2]) < 0)  # another order than points
            tried.append((cost, len(tried), side, up, box))
        cost, _, side, up, box = min(tried)
        if cost >= 20 and row["kind"] == "other":
            continue
        taken.append((box, 20))
        names.append((y, box))
        shift = 7 * x_unit if side == "left" else -7 * x_unit
        label = {"name": row["name"], "kind": row["kind"]}
        label |= {"gold": row["gold"] + shift, "metric": row["metric"] + up * y_unit}
        places[side].append(label | ({"from_gold": row["gold"], "from_metric": row["metric"]} if up else {}))
    return {side: found for side, found in places.items() if found}


def _places(x: float, y: float, name: str) -> Iterator[tuple[str, int, Box]]:
    """Yield possible positions of a label, the best first: alignment, shift above the point, and bounding box."""
    long = min(6.5 * shown_width(name), LABEL)
    for up in SHIFTS:
        for side, left in (("left", x + 10), ("right", x - 10 - long)):
            yield side, up, (left, left + long, y + up - 6, y + up + 6)


def _along(start: tuple[float, float], end: tuple[float, float]) -> Iterator[Box]:
    """Yield small boxes along a line, ten pixels apart."""
    many = 1 + round(math.dist(start, end) / 10)
    for step in range(many + 1):
        x, y = (a + (b - a) * step / many for a, b in zip(start, end, strict=True))
        yield x - 1, x + 1, y - 1, y + 1


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def bars(values: Mapping[str, Sequence[float] | NDArray[np.float64]]) -> tuple[list[Row], int]:
    """Return the counts of each name's values in common bins, and the number of values that are not numbers."""
    finite = {}
    for name, numbers in values.items():
        array = np.asarray(numbers, dtype=np.float64)
        finite[name] = array[np.isfinite(array)]
    pooled = np.concatenate([*finite.values(), np.empty(0)])
    missing = sum(len(numbers) for numbers in values.values()) - len(pooled)
    rows: list[Row] = []
    if not len(pooled):
        return rows, missing
    edges = bin_edges(pooled, max(map(len, finite.values())))
    for name, numbers in finite.items():
        counts = np.histogram(numbers, edges)[0]
        for start, end, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
            hover = f"{name}: {count} from {start:.4g} to {end:.4g}"
            rows.append({"name": name, "start": start, "end": end, "count": count, "hover": hover})
    return rows, missing


def bin_edges(numbers: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return round, equidistant bin edges around all `numbers`; about as many bins as the square root of `count`."""
    low, high = float(numbers.min()), float(numbers.max())
    size = max(abs(low), abs(high))
    if high - low <= 1e-9 * size or size < 1e-290:  # all equal up to rounding
        margin = 0.06 * size if size >= 1e-290 else 1.0
        low, high = low - margin, high + margin
    finest = (high - low) / min(max(round(math.sqrt(count)), FEWEST_BINS), MOST_BINS)
    power = math.floor(math.log10(finest)) - 1
    # Divide by negative powers: 3 / 10 equals the number 0.3 of the data, 3 * 0.1 does not.
    unit, parts = (10.0**power, 1.0) if power >= 0 else (1.0, 10.0**-power)
    width = next(width for width in ROUND if width * unit / parts >= finest or width == ROUND[-1])
    first, last = math.floor(low * parts / unit / width), math.ceil(high * parts / unit / width)
    first -= first * width * unit / parts > low  # the products above are rounded
    last += last * width * unit / parts < high
    return np.arange(first, last + 1, dtype=np.float64) * width * unit / parts


def cells(
    names: Sequence[str],
    values: NDArray[np.float64],
    signs: NDArray[np.bool_],
    *,
    label: str,
    marked: str,
    sign: str,
    decimals: int | None,
) -> list[Row]:
    """Return the cells of a matrix that have a value, row by row. Without `decimals` their text is only the sign."""
    rows: list[Row] = []
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
        value, star = float(values[i, j]), bool(signs[i, j])
        text = "" if decimals is None else number(round(value, decimals) + 0.0, decimals)  # + 0.0: no -0.0
        hover = f"{names[i]} against {names[j]}: {label} {value:.4g}" + (f", {marked}" if star else "")
        cell = {"row": names[i], "column": names[j], "value": value, "marked": star}
        rows.append(cell | {"text": text + (sign if star else ""), "hover": hover})
    return rows


def colour_scale(
    values: NDArray[np.float64], finite: NDArray[np.bool_], *, low_is_dark: bool
) -> tuple[dict[str, object], NDArray[np.bool_]]:
    """Return the arguments of the colour scale, and the cells that are so dark that their text is white."""
    low, high = float(values[finite].min()), float(values[finite].max())
    if low < 0 < high:
        far = max(-low, high)
        scale = {"scheme": "blueorange", "domain": [-far, far], "nice": False}
        return scale, (values < -0.6 * far) | (values > 0.75 * far)
    if low == high:
        high = low + 1.0
    scale = {"scheme": "blues", "domain": [low, high], "nice": False, "reverse": low_is_dark}
    height = (values - low) / (high - low)
    return scale, (1 - height if low_is_dark else height) > 0.65
