"""The document of `tercet qe rank`: the segments that need review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..rendering.document import Notes, Part, Table
from .console import rendered
from .qeboard import warnings_of
from .reviewpage import Card, ReviewPage, Why, both_texts, review_page, title

if TYPE_CHECKING:
    from ..quality.model import QualityModel
    from ..quality.ranking import CutOff, Ranked, Reason, SegmentRanking


def show_ranking(model: QualityModel, ranking: SegmentRanking, form: str) -> str:
    """Render the ranking in one format, the worst segments first."""
    if form == "html":
        return _page(model, ranking)
    parts: Iterable[Part] = _parts(model, ranking)
    if form != "text":  # tables for programs and papers
        parts = [Notes([*warnings_of(model), *advice(ranking), _worth(model)]), _table(ranking)]
    return rendered(form, parts, ranking.to_dict, title(model.pair))


def _parts(model: QualityModel, ranking: SegmentRanking) -> Iterator[Part]:
    reading = "Below each segment: what makes its prediction worse, by how much, and the usual value in training."
    yield from warnings_of(model)
    yield f"{_about(model)}\n{_worth(model)}\n{reading}"
    yield from (_block(model, each) for each in ranking.segments)
    yield f"{len(ranking.segments)} of {ranking.n} segments; intervals of {100 * ranking.level:g} %"
    yield from advice(ranking)


def notes(ranking: SegmentRanking) -> dict[str, list[str]]:
    """Return rank, quality and reasons in the order of the segments in their file. Segments not shown have none."""
    made = {name: [""] * ranking.n for name in ("rank", "quality", "decision", "reasons")}
    for place, each in enumerate(ranking.segments, 1):
        reasons = " | ".join(map(_describe, each.reasons))
        for name, text in zip(made, (str(place), f"{each.quality:.3f}", each.decision or "", reasons), strict=True):
            made[name][each.segment - 1] = text
    return made


def advice(ranking: SegmentRanking) -> list[str]:
    """Return what to do to reach the target, as a list of one text; empty without a target."""
    return [] if ranking.cut_off is None else [_advice(ranking.cut_off, ranking.n, ranking.higher_is_better)]


def _advice(cut: CutOff, n: int, higher_is_better: bool) -> str:
    if not cut.kept:
        best = (
            "All are unlike the training texts."
            if np.isnan(cut.best)
            else f"The best possible mean is {cut.best:.3f}, the expected quality of the best segment."
        )
        return f"Target {cut.target:g}: no segment can be kept unchanged; all {n} need review. {best}"
    worse = "below" if higher_is_better else "above"
    look = f", review the {cut.to_review} ({100 * cut.to_review / n:.0f} %) predicted {worse} {cut.threshold:.3f}"
    if cut.unusual:
        look += f" or unlike the training texts ({cut.unusual})"
    return (
        f"Target {cut.target:g}: keep {cut.kept} of {n} segments unchanged{look if cut.to_review else ''}. Expected "
        f"mean quality of the kept segments: {cut.expected:.3f} ± {cut.error:.3f} (standard error). The typical error "
        f"for a single segment is {cut.typical_error:.3f}."
    )


def _about(model: QualityModel) -> str:
    low, high = model.label_range
    better = "higher" if model.higher_is_better else "lower"
    return f"Predicted quality ranges from {low:g} to {high:g}; {better} is better. The worst segments come first."


def _worth(model: QualityModel) -> str:
    """Return how good the model was on texts it had not seen, as `train` said."""
    facts = model.provenance
    figures = facts["held_out"].get(model.learner, {})
    said = [f"{name} {figures[key]:.3f}" for key, name in (("pearson", "Pearson"), ("rmse", "RMSE"))
            if figures.get(key) is not None]  # fmt: skip
    known = f": {', '.join(said)} with the labels of held-out groups" if said else ""
    return f"The model was trained on {facts['examples']:,} examples{known}."


def _within(model: QualityModel, each: Ranked) -> tuple[float, float, float]:
    """Return prediction and interval, clipped to the range of labels."""
    value, low, high = np.clip((each.quality, each.low, each.high), *model.label_range).tolist()
    return value, low, high


def _block(model: QualityModel, each: Ranked) -> str:
    value, low, high = _within(model, each)
    decided = f", {each.decision}" if each.decision else ""
    lines = [f"Segment {each.id or each.segment}: {value:.3f} ({low:.3f} to {high:.3f}){decided}"]
    lines += [f"  source: {each.source}", f"  output: {each.output}"]
    if each.unusual:
        lines.append(f"  unlike the training texts: {each.unusual}")
    effects = [f"{reason.effect:+.3f}" for reason in each.reasons]
    width = max(map(len, effects), default=0)
    lines += [f"  {effect:>{width}}  {_describe(reason)}" for effect, reason in zip(effects, each.reasons, strict=True)]
    if not each.reasons and not each.unusual:
        lines.append("  no single feature makes it worse")
    return "\n".join(lines)


def _describe(reason: Reason) -> str:
    return f"{reason.description}: {_short(reason.value)}, usually {_short(reason.usual)}"


def _short(value: float) -> str:
    """Format with three significant digits and no exponent. Values below 0.00005 become 0."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{round(value, 4):.3g}"


def _table(ranking: SegmentRanking) -> Table:
    """Return a table for spreadsheets. It has descriptions of features; only JSON has their names."""
    header = ("segment", "quality", "low", "high", "decision", "reasons", "source", "output", "unusual")
    rows = [
        [each.id or str(each.segment), repr(each.quality), repr(each.low), repr(each.high), each.decision or "",
         " | ".join(map(_describe, each.reasons)), each.source, each.output, each.unusual or ""]
        for each in ranking.segments
    ]  # fmt: skip
    return Table(header, rows)


def _page(model: QualityModel, ranking: SegmentRanking) -> str:
    """Return the page for reviewers."""
    shown = [_within(model, each)[0] for each in ranking.segments]
    quality = f", with predictions from {min(shown):.1f} to {max(shown):.1f}" if shown else ""
    first = f"{len(shown):,} of {ranking.n:,} segments, those that need review first{quality}."
    verdict, stop, rest = next(iter(advice(ranking)), first).partition(". ")
    about = [
        *([rest] if rest else []),
        *warnings_of(model),
        f"{_about(model)} {_worth(model)}",
        f"The bar shows the prediction, and the interval that contains the human judgement of {100 * ranking.level:g} "
        "% of segments that are like the training texts. Below a segment: the features that make its prediction worse, "
        "with their value and their usual value in the training texts.",
    ]
    cards = []
    for each in ranking.segments:
        value, low, high = _within(model, each)
        why = [Why("unlike the training texts", f"unlike the training texts: {each.unusual}")] if each.unusual else []
        why += [Why(reason.feature, _describe(reason)) for reason in each.reasons]
        texts = both_texts(each.source, each.output, model.pair)
        cards.append(
            Card(
                each.segment, each.id or str(each.segment), each.file, texts, value, why, low, high, each.decision or ""
            )
        )
    page = ReviewPage(title(model.pair), verdict + stop.strip(), about, scale=model.label_range)
    return review_page(cards, page)
