"""Outputs with the judgements that they got and their texts: for tables, for training, and for results pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..data.judgements import KINDS, Judgements, Span
from ..data.ratings import spans_text, text_of
from ..errors import DataError, UsageError
from . import mqm
from .answers import AnswerRow, ratings_of
from .campaign import Campaign

COLUMNS = ("segment", "document", "system", "rater", "kind", "value", "errors", "seconds", "check",
           "source", "reference", "output")  # fmt: skip


@dataclass(frozen=True)
class JudgedOutput:
    """One output: its texts, each rater's score, and the errors that they marked."""

    segment: str
    system: str
    output: str
    source: str | None = None
    reference: str | None = None
    document: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    errors: tuple[Span, ...] = ()

    @property
    def mean(self) -> float:
        return float(np.mean([*self.scores.values()]))

    @property
    def spread(self) -> float:
        """Return the largest difference between two raters."""
        return max(self.scores.values()) - min(self.scores.values())


def judged_outputs(campaign: Campaign, rows: Iterable[AnswerRow | Sequence[Any]]) -> list[JudgedOutput]:
    """Return the outputs with their scores, in the order of their first judgement, without control items.

    MQM errors are weighed. A rater's last answer counts. Raises UsageError for rankings, which have no scores.
    """
    if campaign.how.ranks:
        raise UsageError(f"{campaign.protocol} compares outputs and gives them no scores.")
    rated = [row for row in ratings_of(campaign, rows) if not row.item.check]
    judgements = Judgements([row.judgement for row in rated], campaign.pair or None, campaign.name)
    if campaign.how.kind == "mqm" and rated:
        judgements = mqm.weigh(judgements)
    found: dict[tuple[str, str, str], JudgedOutput] = {}
    for row, judgement in zip(rated, judgements.rows, strict=True):
        item, system = row.item, judgement.system
        text = item.text_of(system)
        new = JudgedOutput(item.segment, system, text, item.source, item.reference, item.document)
        known = found.get((item.segment, system, text), new)
        scores = {**known.scores, judgement.rater: judgement.value}
        errors = (*known.errors, *(judgement.spans or ()))
        found[item.segment, system, text] = replace(new, scores=scores, errors=errors)
    return list(found.values())


def judged_texts(campaign: Campaign, rows: Iterable[AnswerRow | Sequence[Any]]) -> list[dict[str, str]]:
    """Return one record per judgement with its texts, control items included. Keys: `COLUMNS`."""
    records = []
    for row in ratings_of(campaign, rows):
        judgement, item = row.judgement, row.item
        fields = (item.segment, item.document, judgement.system, judgement.rater, judgement.kind,
                  text_of(judgement.value), spans_text(judgement), text_of(judgement.seconds), judgement.check,
                  item.source or "", item.reference or "", item.text_of(judgement.system))  # fmt: skip
        records.append(dict(zip(COLUMNS, fields, strict=True)))
    return records


@dataclass(frozen=True)
class Labelled:
    """Examples for quality estimation: sources, outputs, and the mean judgement of each."""

    sources: tuple[str, ...]
    outputs: tuple[str, ...]
    labels: tuple[float, ...]
    label_range: tuple[float, float] | None
    higher_is_better: bool


def labelled_outputs(campaign: Campaign, rows: Iterable[AnswerRow | Sequence[Any]]) -> Labelled:
    """Return the judged outputs as examples for `tercet qe train`; the label is the mean over raters."""
    outputs = judged_outputs(campaign, rows)
    if not outputs:
        raise DataError(f"Campaign {campaign.name!r} has no judgements yet.")
    sources = [output.source for output in outputs if output.source is not None]
    if len(sources) < len(outputs):
        raise DataError(f"Campaign {campaign.name!r} does not show sources, which quality estimation needs.")
    how = campaign.how
    return Labelled(
        tuple(sources),
        tuple(output.output for output in outputs),
        tuple(output.mean for output in outputs),
        (how.low, how.high) if how.has_value else None,
        KINDS[how.kind].higher_is_better is not False,
    )
