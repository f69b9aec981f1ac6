"""The document of `tercet qe rank triage`: segments with findings, the most serious first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..rendering.document import Heading, Notes, Part, Table
from .console import rendered
from .reviewpage import Card, ReviewPage, Why, both_texts, review_page, title

if TYPE_CHECKING:
    from ..checking.triage import Triage, TriagedSegment

ABOUT = (
    "Ranked by findings, without a model: what is wrong for certain or probably. Errors of meaning in fluent text are "
    "not found."
)


def show_triage(found: Triage, top: int | None, form: str) -> str:
    """Render the segments with findings, or the first `top` of them; TSV, CSV and JSON have all segments."""
    shown = [each for each in found.segments if each.points][:top]
    if form == "html":
        return _page(found, shown)
    return rendered(form, _parts(found, shown, top, form), found.to_dict, title(found.pair))


def _parts(found: Triage, shown: list[TriagedSegment], top: int | None, form: str) -> Iterator[Part]:
    if form in ("tsv", "csv"):
        yield _table(list(found.segments[:top]))
        return
    summary = _summary(found)
    if form == "text":
        yield ABOUT
        for each in shown:
            lines = [f"Segment {_name(each)}: {each.points} points", f"  source: {each.source}"]
            lines += [f"  output: {each.output}", *(f"  - {why.message} [{why.kind}]" for why in each.findings)]
            yield "\n".join(lines)
        yield summary
        return
    yield Heading("What to do")
    yield Notes([summary, ABOUT, "Points say how serious findings of these kinds usually are."])
    yield Heading("Segments")
    yield _table(shown)


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


def _name(each: TriagedSegment) -> str:
    return f"{each.id} ({each.file})" if each.file else each.id


def _table(segments: list[TriagedSegment]) -> Table:
    with_files = any(each.file for each in segments)
    header = ["segment", *(["file"] if with_files else []), "points", "findings", "source", "output"]
    rows = [
        [each.id, *([each.file] if with_files else []), str(each.points), _findings(each), each.source, each.output]
        for each in segments
    ]
    return Table(header, rows)


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
