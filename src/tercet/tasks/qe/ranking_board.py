"""The document of `tercet qe rank`: the segments that need review."""

from __future__ import annotations

import numpy as np

from ...cli.console import rendered
from ...quality.model import QualityModel
from ...quality.ranking import Ranked, SegmentRanking
from ...rendering.document import Notes, Part, records
from ...rendering.review_page import Card, ReviewPage, Why, both_texts, review_page, title


def show_ranking(model: QualityModel, ranking: SegmentRanking, form: str) -> str:
    """Render the ranking in one format, the worst segments first."""
    if form == "html":
        return _page(model, ranking)
    told = [model.warning, ranking.advice, _worth(model)]
    parts: list[Part] = [Notes([*filter(None, told)]), records(ranking.rows())]
    if form == "text":
        reading = "Below each segment: what makes its prediction worse, by how much, and the usual value in training."
        parts = [model.warning, f"{_about(model)}\n{_worth(model)}\n{reading}"]
        parts += [_block(model, each) for each in ranking.segments]
        parts.append(f"{len(ranking.segments)} of {ranking.n} segments; intervals of {100 * ranking.level:g} %")
        parts.append(ranking.advice)
    return rendered(form, parts, ranking.to_dict, title(model.pair))


def notes(ranking: SegmentRanking) -> dict[str, list[str]]:
    """Return rank, quality and reasons in the order of the segments in their file. Segments not shown have none."""
    made = {name: [""] * ranking.n for name in ("rank", "quality", "decision", "reasons")}
    for place, each in enumerate(ranking.segments, 1):
        for name, text in zip(made, (str(place), f"{each.quality:.3f}", each.decision, each.why), strict=True):
            made[name][each.segment - 1] = text or ""
    return made


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
    lines = [f"Segment {each.name}: {value:.3f} ({low:.3f} to {high:.3f}){decided}"]
    lines += [f"  source: {each.source}", f"  output: {each.output}"]
    lines += [f"  unlike the training texts: {each.unusual}"] if each.unusual else []
    width = max((len(f"{reason.effect:+.3f}") for reason in each.reasons), default=0)
    lines += [f"  {reason.effect:+{width}.3f}  {reason}" for reason in each.reasons]
    lines += [] if each.reasons or each.unusual else ["  no single feature makes it worse"]
    return "\n".join(lines)


def _page(model: QualityModel, ranking: SegmentRanking) -> str:
    """Return the page for reviewers."""
    shown = [_within(model, each)[0] for each in ranking.segments]
    quality = f", with predictions from {min(shown):.1f} to {max(shown):.1f}" if shown else ""
    first = f"{len(shown):,} of {ranking.n:,} segments, those that need review first{quality}."
    verdict, stop, rest = (ranking.advice or first).partition(". ")
    about = [
        rest,
        model.warning,
        f"{_about(model)} {_worth(model)}",
        f"The bar shows the prediction, and the interval that contains the human judgement of {100 * ranking.level:g} "
        "% of segments that are like the training texts. Below a segment: the features that make its prediction worse, "
        "with their value and their usual value in the training texts.",
    ]
    cards = []
    for each in ranking.segments:
        value, low, high = _within(model, each)
        why = [Why("unlike the training texts", f"unlike the training texts: {each.unusual}")] if each.unusual else []
        why += [Why(reason.feature, str(reason)) for reason in each.reasons]
        texts = both_texts(each.source, each.output, model.pair)
        cards.append(Card(each.segment, each.name, each.file, texts, value, why, low, high, each.decision or ""))
    page = ReviewPage(title(model.pair), verdict + stop.strip(), [*filter(None, about)], scale=model.label_range)
    return review_page(cards, page)
