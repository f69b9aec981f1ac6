"""The document of `tercet qe rank`: the segments that need review, by a model's predictions or by findings."""

from collections.abc import Iterable, Sequence

import numpy as np

from ...checking.triage import Triage, TriagedSegment
from ...cli.console import rendered
from ...quality.model import QualityModel
from ...quality.ranking import Ranked, SegmentRanking
from ...rendering.document import Column, Heading, Notes, Part, Table, listing, records
from ...rendering.review_page import Card, ReviewPage, Why, both_texts, review_page, title

ABOUT = (
    "Ranked by findings, without a model: what is wrong for certain or probably. Errors of meaning in fluent text are "
    "not found."
)
POINTS = "Points say how serious findings of these kinds usually are."


def show_ranking(model: QualityModel, ranking: SegmentRanking, form: str) -> str:
    """Render the ranking in one format, the worst segments first."""
    facts, (low, high) = model.provenance, model.label_range
    better = "higher" if model.higher_is_better else "lower"
    about = f"Predicted quality ranges from {low:g} to {high:g}; {better} is better. The worst segments come first."
    figures = facts["held_out"].get(model.learner, {})
    told = [f"{name} {figures[key]:.3f}" for key, name in (("pearson", "Pearson"), ("rmse", "RMSE"))
            if figures.get(key) is not None]  # fmt: skip
    known = f": {', '.join(told)} with the labels of held-out groups" if told else ""
    worth = f"The model was trained on {facts['examples']:,} examples{known}."
    if form == "html":
        return _page(model, ranking, f"{about} {worth}")
    parts: list[Part] = [Notes([*filter(None, (model.warning, ranking.advice, worth))]), records(ranking.rows())]
    if form == "text":
        reading = "Below each segment: what makes its prediction worse, by how much, and the usual value in training."
        parts = [model.warning, f"{about}\n{worth}\n{reading}"]
        parts += [_block(model, each) for each in ranking.segments]
        parts.append(f"{len(ranking.segments)} of {ranking.n} segments; intervals of {100 * ranking.level:g} %")
        parts.append(ranking.advice)
    return rendered(form, parts, ranking.to_dict, title(model.pair))


def ranking_notes(ranking: SegmentRanking) -> dict[str, list[str]]:
    """Return rank, quality and reasons in the order of the segments in their file. Segments not shown have none."""
    rows = [(each.segment, f"{each.quality:.3f}", each.decision or "", each.why) for each in ranking.segments]
    return _notes(ranking.n, ("rank", "quality", "decision", "reasons"), rows)


def _notes(n: int, names: Sequence[str], rows: Iterable[tuple[int, *tuple[str, ...]]]) -> dict[str, list[str]]:
    """Return notes by name in the order of n segments. rows: the number of a segment and its notes; the worst first."""
    made = {name: [""] * n for name in names}
    for rank, (segment, *texts) in enumerate(rows, 1):
        for notes, text in zip(made.values(), (str(rank), *texts), strict=True):
            notes[segment - 1] = text
    return made


def _within(model: QualityModel, each: Ranked) -> list[float]:
    """Return prediction and interval, clipped to the range of labels."""
    within: list[float] = np.clip((each.quality, each.low, each.high), *model.label_range).tolist()
    return within


def _block(model: QualityModel, each: Ranked) -> str:
    value, low, high = _within(model, each)
    decided = f", {each.decision}" if each.decision else ""
    lines = [f"Segment {each.name}: {value:.3f} ({low:.3f} to {high:.3f}){decided}"]
    lines += [f"  source: {each.source}", f"  output: {each.output}"]
    lines += [f"  unlike the training texts: {each.unusual}"] if each.unusual else []
    width = max((len(f"{reason.effect:+.3f}") for reason in each.reasons), default=0)
    lines += [f"  {reason.effect:+{width}.3f}  {reason}" for reason in each.reasons]
    lines += [] if each.reasons or each.unusual else ["  no single feature makes it worse"]
    return "\n".join(lines)


def _page(model: QualityModel, ranking: SegmentRanking, worth: str) -> str:
    cards = []
    for each in ranking.segments:
        value, low, high = _within(model, each)
        why = [Why("unlike the training texts", f"unlike the training texts: {each.unusual}")] if each.unusual else []
        why += [Why(reason.feature, str(reason)) for reason in each.reasons]
        texts = both_texts(each.source, each.output, model.pair)
        cards.append(Card(each.segment, each.name, each.file, texts, value, why, low, high, each.decision or ""))
    shown = [card.value for card in cards]
    quality = f", with predictions from {min(shown):.1f} to {max(shown):.1f}" if shown else ""
    first = f"{len(shown):,} of {ranking.n:,} segments, those that need review first{quality}."
    verdict, stop, rest = (ranking.advice or first).partition(". ")
    about = [
        rest,
        model.warning,
        worth,
        f"The bar shows the prediction, and the interval that contains the human judgement of {100 * ranking.level:g} "
        "% of segments that are like the training texts. Below a segment: the features that make its prediction worse, "
        "with their value and their usual value in the training texts.",
    ]
    page = ReviewPage(title(model.pair), verdict + stop.strip(), [*filter(None, about)], scale=model.label_range)
    return review_page(cards, page)


def show_triage(found: Triage, top: int | None, form: str) -> str:
    """Render the segments with findings, or the first `top` of them; TSV, CSV and JSON have all segments."""
    shown = [each for each in found.segments if each.points][:top]
    kinds = ", ".join(f"{kind} {number}" for kind, number in found.kinds.items())
    summary = f"{found.with_findings} of {found.n} segments have findings" + (f" ({kinds})." if kinds else ".")
    if form == "html":
        cards = [
            Card(each.segment, each.id, each.file, both_texts(each.source, each.output, found.pair), each.points,
                 [Why(finding.kind, finding.message) for finding in each.findings])
            for each in shown
        ]  # fmt: skip
        none = "No segment has findings."
        return review_page(cards, ReviewPage(title(found.pair), summary, [ABOUT, POINTS], unit="point", none=none))
    if form == "text":
        parts: list[Part] = [ABOUT, *map(_triaged_block, shown), summary]
    elif form in ("tsv", "csv"):
        parts = [_triaged_table(found.segments[:top])]
    else:
        notes = Notes([summary, ABOUT, POINTS])
        parts = [Heading("What to do"), notes, Heading("Segments"), _triaged_table(shown)]
    return rendered(form, parts, found.to_dict, title(found.pair))


def triage_notes(found: Triage) -> dict[str, list[str]]:
    """Return points and findings in the order of the segments in their file; nothing for segments without findings."""
    rows = [(each.segment, str(each.points), _findings(each)) for each in found.segments if each.points]
    return _notes(found.n, ("review rank", "points", "findings"), rows)


def _triaged_block(each: TriagedSegment) -> str:
    name = f"{each.id} ({each.file})" if each.file else each.id
    lines = [f"Segment {name}: {each.points} points", f"  source: {each.source}", f"  output: {each.output}"]
    return "\n".join([*lines, *(f"  - {why.message} [{why.kind}]" for why in each.findings)])


def _triaged_table(segments: Sequence[TriagedSegment]) -> Table:
    columns: dict[str, Column] = {"segment": "id", "file": "file", "points": "points", "findings": _findings}
    return listing(segments, columns | {name: name for name in ("source", "output")}, optional=["file"])


def _findings(each: TriagedSegment) -> str:
    return " | ".join(finding.message for finding in each.findings)
