"""Bar charts: counts of whole numbers, shares by group, and parts of a whole."""

from collections.abc import Mapping, Sequence

from .figures import BLUE, HOVER, VERMILLION, Figure, Row, _altair, _data, _figure, _require

NARROW = 0.04  # a part of a bar with a smaller share has no space for its number
DARK = (BLUE, VERMILLION)  # colours on which text is white


def count_bars(counts: Sequence[int], *, label: str, title: str, subtitle: str = "") -> Figure:
    """Return a bar chart of how often 0, 1, 2, … occur."""
    _require(sum(counts), title)
    rows: list[Row] = [
        {"number": number, "count": count, "hover": f"{label} {number}: {count}"} for number, count in enumerate(counts)
    ]
    alt = _altair()
    step = 5 if len(counts) > 25 else 1
    ticks = [row["number"] for row in rows if row["number"] % step == 0]
    bars = alt.Chart(_data(rows)).mark_bar(color=BLUE).encode(
        x=alt.X("number:O", title=label, axis=alt.Axis(values=ticks, labelAngle=0)),
        y=alt.Y("count:Q", title="count", axis=alt.Axis(tickMinStep=1)),
        **HOVER,
    ).properties(width=480, height=280)  # fmt: skip
    return _figure(alt.layer(bars), rows, title, [subtitle], 480)


def share_bars(
    shares: Mapping[str, Mapping[str, tuple[int, int]]], *, label: str, title: str, subtitle: str = ""
) -> Figure:
    """Return a bar chart of shares, given as (part, whole) by group and name; one panel per group, one bar per name."""
    rows: list[Row] = []
    for group, by_name in shares.items():
        for name, (part, whole) in by_name.items():
            if whole:
                hover = f"{group}, {name}: {part} of {whole}"
                rows.append({"group": group, "name": name, "share": part / whole, "hover": hover})
    _require(rows, title)
    alt = _altair()
    names = list(dict.fromkeys(row["name"] for row in rows))
    base = alt.Chart().encode(y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(ticks=False, labelPadding=6)))
    bars = base.mark_bar(color=BLUE).encode(
        x=alt.X("share:Q", title=label, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")), **HOVER
    )
    header = alt.Header(title=None, labelAnchor="start", labelFontWeight="bold", labelLimit=400)
    facet = alt.Facet("group:N", sort=list(shares), header=header)
    several = alt.layer(bars, data=_data(rows)).properties(width=400, height={"step": 16})
    return _figure(several.facet(facet=facet, columns=1), rows, title, [subtitle], 400)


def part_bars(
    counts: Mapping[str, Mapping[str, int]], colours: Mapping[str, str], *, label: str, title: str, subtitle: str = ""
) -> Figure:
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
    alt = _altair()
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
    return _figure(chart, rows, title, [subtitle], 560)
