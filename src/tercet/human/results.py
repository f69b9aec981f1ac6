"""Results of a campaign with scores: means with intervals, distributions, worst and most disputed outputs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..data.grouping import grouped
from ..data.judgements import KINDS, Judgements, Span
from ..data.own_judgements import spans_text, text_of
from ..errors import DataError, UsageError
from ..stats.resampling import SEED
from . import mqm
from .answers import AnswerRow, ratings_of
from .campaign import Campaign
from .storage import StoredRecord, answer_row

BINS = 10
SHOWN = 10  # outputs in a list
RESAMPLES = 1000
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
        return max(self.scores.values()) - min(self.scores.values())


def judged_outputs(campaign: Campaign, rows: Iterable[AnswerRow | Sequence[object]]) -> list[JudgedOutput]:
    """Return the judged outputs with their scores, without control items. Raises UsageError for rankings."""
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


def judged_texts(campaign: Campaign, rows: Iterable[AnswerRow | Sequence[object]]) -> list[dict[str, str]]:
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


def labelled_outputs(campaign: Campaign, rows: Iterable[AnswerRow | Sequence[object]]) -> Labelled:
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


@dataclass(frozen=True)
class SystemMean:
    """The mean score of a system over its judged outputs, with a 95 % bootstrap interval over segments."""

    system: str
    mean: float
    low: float
    high: float
    outputs: int
    judgements: int
    bins: tuple[int, ...]  # outputs by mean score, from the lowest to the highest


@dataclass(frozen=True)
class Results:
    """Scores by system, the outputs to look at, and marked errors by severity and category.

    edges: the lowest and the highest score of the distributions. worst: the outputs with the lowest mean scores.
    disputed: those about which raters differ most. errors: (severity, category, number), the most frequent first.
    """

    systems: tuple[SystemMean, ...]
    edges: tuple[float, float]
    worst: tuple[JudgedOutput, ...]
    disputed: tuple[JudgedOutput, ...]
    errors: tuple[tuple[str, str, int], ...]
    errors_by_system: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def results_of(campaign: Campaign, records: Sequence[StoredRecord]) -> Results | None:
    """Return the results so far; None without scores: for rankings, and before the first judgement."""
    try:
        outputs = [] if campaign.how.ranks else judged_outputs(campaign, map(answer_row, records))
    except DataError:  # errors that no weight matches; the dashboard reports it
        return None
    if not outputs:
        return None
    means = np.array([output.mean for output in outputs])
    how = campaign.how
    edges = (how.low, how.high) if how.has_value else (float(min(means.min(), -1.0)), 0.0)
    systems = list(dict.fromkeys(output.system for output in outputs))
    rng = np.random.default_rng(SEED)
    found = [_mean(system, [output for output in outputs if output.system == system], edges, rng) for system in systems]
    listed = _once(outputs)
    judged_twice = [output for output in listed if len(output.scores) > 1 and output.spread > 0]
    errors = Counter((span.severity, span.category) for output in outputs for span in output.errors)
    return Results(
        tuple(sorted(found, key=lambda each: -each.mean)),
        edges,
        tuple(sorted(listed, key=lambda output: output.mean)[:SHOWN]),
        tuple(sorted(judged_twice, key=lambda output: -output.spread)[:SHOWN]),
        tuple((severity, category, number) for (severity, category), number in errors.most_common()),
        _by_system(outputs, systems),
    )


def _once(outputs: Sequence[JudgedOutput]) -> list[JudgedOutput]:
    """Return one output for those that were judged together because their texts are the same."""
    together = grouped(((each.segment, each.output, tuple(each.scores.items()), each.errors), each) for each in outputs)
    return [replace(same[0], system=", ".join(each.system for each in same)) for same in together.values()]


def _by_system(outputs: Sequence[JudgedOutput], systems: Sequence[str]) -> dict[str, dict[str, float]]:
    marked = [(span.category or span.severity, output.system) for output in outputs for span in output.errors]
    found, kinds = Counter(marked), Counter(kind for kind, _ in marked)
    judgements = Counter(output.system for output in outputs for _ in output.scores)
    return {
        kind: {each: 100 * found[kind, each] / judgements[each] for each in systems} for kind, _ in kinds.most_common()
    }


def _mean(
    system: str, outputs: Sequence[JudgedOutput], edges: tuple[float, float], rng: np.random.Generator
) -> SystemMean:
    values = np.array([output.mean for output in outputs])
    draws = rng.integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.quantile(values[draws].mean(1), (0.025, 0.975)) if len(values) > 1 else (np.nan, np.nan)
    bins, _ = np.histogram(np.clip(values, *edges), BINS, edges)
    judgements = sum(len(output.scores) for output in outputs)
    return SystemMean(
        system, float(values.mean()), float(low), float(high), len(values), judgements, tuple(map(int, bins))
    )
