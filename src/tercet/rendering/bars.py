"""Bar charts: counts of whole numbers, and shares by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .figures import BLUE, HOVER, Figure, Row, _altair, _data, _figure, _require


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
