"""Results of a campaign that people can act on: means with intervals, distributions, worst and most disputed outputs.

They are computed for protocols with scores, at any time and also for one system. Control items are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..data.judgements import grouped
from ..errors import DataError
from ..stats.resampling import SEED
from .campaign import Campaign
from .judged_outputs import JudgedOutput, judged_outputs
from .storage import StoredRecord, answer_row

BINS = 10
SHOWN = 10  # outputs in a list
RESAMPLES = 1000


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


def results_of(campaign: Campaign, records: Sequence[StoredRecord], *, seed: int = SEED) -> Results | None:
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
    rng = np.random.default_rng(seed)
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
