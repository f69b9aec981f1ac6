"""The document of `tercet qe rank`: the segments that need review."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..rendering.document import Notes, Part, Table, records
from .console import rendered
from .qeboard import warnings_of
from .reviewpage import Card, ReviewPage, Why, both_texts, review_page, title

if TYPE_CHECKING:
    from ..quality.model import QualityModel
    from ..quality.ranking import Ranked, Reason, SegmentRanking


def show_ranking(model: QualityModel, ranking: SegmentRanking, form: str) -> str:
    """Render the ranking in one format, the worst segments first."""
    if form == "html":
        return _page(model, ranking)
    parts: list[Part] = [Notes([*warnings_of(model), *advice(ranking), _worth(model)]), _table(ranking)]
    if form == "text":
        reading = "Below each segment: what makes its prediction worse, by how much, and the usual value in training."
        parts = [*warnings_of(model), f"{_about(model)}\n{_worth(model)}\n{reading}"]
        parts += [_block(model, each) for each in ranking.segments]
        parts.append(f"{len(ranking.segments)} of {ranking.n} segments; intervals of {100 * ranking.level:g} %")
        parts += advice(ranking)
    return rendered(form, parts, ranking.to_dict, title(model.pair))


def notes(ranking: SegmentRanking) -> dict[str, list[str]]:
    """Return rank, quality and reasons in the order of the segments in their file. Segments not shown have none."""
    made = {name: [""] * ranking.n for name in ("rank", "quality", "decision", "reasons")}
    for place, each in enumerate(ranking.segments, 1):
        for name, text in zip(made, (str(place), f"{each.quality:.3f}", each.decision, _reasons(each)), strict=True):
            made[name][each.segment - 1] = text or ""
    return made


def advice(ranking: SegmentRanking) -> list[str]:
    """Return what to do to reach the target, as a list of one text; empty without a target."""
    cut, n = ranking.cut_off, ranking.n
    if cut is None:
        return []
    if not cut.kept:
        best = f"The best possible mean is {cut.best:.3f}, the expected quality of the best segment."
        best = "All are unlike the training texts." if np.isnan(cut.best) else best
        return [f"Target {cut.target:g}: no segment can be kept unchanged; all {n} need review. {best}"]
    worse = "below" if ranking.higher_is_better else "above"
    look = f", review the {cut.to_review} ({100 * cut.to_review / n:.0f} %) predicted {worse} {cut.threshold:.3f}"
    look += f" or unlike the training texts ({cut.unusual})" if cut.unusual else ""
    return [
        f"Target {cut.target:g}: keep {cut.kept} of {n} segments unchanged{look if cut.to_review else ''}. Expected "
        f"mean quality of the kept segments: {cut.expected:.3f} ± {cut.error:.3f} (standard error). The typical error "
        f"for a single segment is {cut.typical_error:.3f}."
    ]


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


def _within(model: QualityModel, each: Ranked) -> list[float]:
    """Return prediction and interval, clipped to the range of labels."""
    within: list[float] = np.clip((each.quality, each.low, each.high), *model.label_range).tolist()
    return within


def _block(model: QualityModel, each: Ranked) -> str:
    value, low, high = _within(model, each)
    decided = f", {each.decision}" if each.decision else ""
    lines = [f"Segment {each.id or each.segment}: {value:.3f} ({low:.3f} to {high:.3f}){decided}"]
    lines += [f"  source: {each.source}", f"  output: {each.output}"]
    lines += [f"  unlike the training texts: {each.unusual}"] if each.unusual else []
    width = max((len(f"{reason.effect:+.3f}") for reason in each.reasons), default=0)
    lines += [f"  {reason.effect:+{width}.3f}  {_describe(reason)}" for reason in each.reasons]
    lines += [] if each.reasons or each.unusual else ["  no single feature makes it worse"]
    return "\n".join(lines)


def _reasons(each: Ranked) -> str:
    return " | ".join(map(_describe, each.reasons))


def _describe(reason: Reason) -> str:
    return f"{reason.description}: {_short(reason.value)}, usually {_short(reason.usual)}"


def _short(value: float) -> str:
    """Format with three significant digits and no exponent. Values below 0.00005 become 0."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{round(value, 4):.3g}"


def _table(ranking: SegmentRanking) -> Table:
    """Return a table for spreadsheets. It has descriptions of features; only JSON has their names."""
    names = ("quality", "low", "high", "decision", "reasons", "source", "output", "unusual")
    return records(
        {"segment": each.id or each.segment}
        | {name: getattr(each, name) for name in names}
        | {"reasons": _reasons(each)}
        for each in ranking.segments
    )


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
