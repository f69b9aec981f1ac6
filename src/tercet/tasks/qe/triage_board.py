"""The document of `tercet qe rank triage`: segments with findings, the most serious first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...cli.console import rendered
from ...rendering.document import Column, Heading, Notes, Part, Table, listing
from ...rendering.review_page import Card, ReviewPage, Why, both_texts, review_page, title

if TYPE_CHECKING:
    from ...checking.triage import Triage, TriagedSegment

ABOUT = (
    "Ranked by findings, without a model: what is wrong for certain or probably. Errors of meaning in fluent text are "
    "not found."
)


def show_triage(found: Triage, top: int | None, form: str) -> str:
    """Render the segments with findings, or the first `top` of them; TSV, CSV and JSON have all segments."""
    shown = [each for each in found.segments if each.points][:top]
    summary = _summary(found)
    if form == "html":
        return _page(found, shown)
    if form == "text":
        parts: list[Part] = [ABOUT, *map(_block, shown), summary]
    elif form in ("tsv", "csv"):
        parts = [_table(found.segments[:top])]
    else:
        notes = [summary, ABOUT, "Points say how serious findings of these kinds usually are."]
        parts = [Heading("What to do"), Notes(notes), Heading("Segments"), _table(shown)]
    return rendered(form, parts, found.to_dict, title(found.pair))


def _block(each: TriagedSegment) -> str:
    name = f"{each.id} ({each.file})" if each.file else each.id
    lines = [f"Segment {name}: {each.points} points", f"  source: {each.source}", f"  output: {each.output}"]
    return "\n".join([*lines, *(f"  - {why.message} [{why.kind}]" for why in each.findings)])


def _summary(found: Triage) -> str:
    kinds = ", ".join(f"{kind} {number}" for kind, number in found.kinds.items())
    return f"{found.with_findings} of {found.n} segments have findings" + (f" ({kinds})." if kinds else ".")


def _page(found: Triage, shown: list[TriagedSegment]) -> str:
    """Return the page for reviewers."""
    cards = [
        Card(each.segment, each.id, each.file, both_texts(each.source, each.output, found.pair), each.points,
             [Why(finding.kind, finding.message) for finding in each.findings])
        for each in shown
    ]  # fmt: skip
    about = [ABOUT, "Points say how serious findings of these kinds usually are."]
    none = "No segment has findings."
    return review_page(cards, ReviewPage(title(found.pair), _summary(found), about, unit="point", none=none))


def _table(segments: Sequence[TriagedSegment]) -> Table:
    columns: dict[str, Column] = {"segment": "id", "file": "file", "points": "points", "findings": _findings}
    return listing(segments, columns | {name: name for name in ("source", "output")}, optional=["file"])


def _findings(each: TriagedSegment) -> str:
    return " | ".join(finding.message for finding in each.findings)


def triage_notes(found: Triage) -> dict[str, list[str]]:
    """Return points and findings in the order of the segments in their file; nothing for segments without findings."""
    made = {name: [""] * found.n for name in ("review rank", "points", "findings")}
    for place, each in enumerate(found.segments, 1):
        if each.points:
            for name, text in zip(made, (str(place), str(each.points), _findings(each)), strict=True):
                made[name][each.segment - 1] = text
    return made
