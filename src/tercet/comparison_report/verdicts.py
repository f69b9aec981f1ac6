"""What a comparison says, in one or two sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from ..comparing import Comparison, MetricResult, PairResult

NAMED = 4  # systems that a sentence lists by name


def verdict(comparison: Comparison, metric: MetricResult) -> str:
    """Return the answer to the question which systems are better, by the decisive test at the level alpha."""
    if comparison.baseline is not None:
        return _against_baseline(comparison, metric, comparison.baseline)
    if len(metric.systems) == 2:
        return _of_pair(comparison, metric, metric.pairs[0])
    if not metric.clusters:
        return f"{metric.name} says of no system that it is better than another."
    first, *rest = metric.clusters
    if not rest:
        return f"No group of systems is significantly better than all others by {metric.name}. {_leader(metric)}"
    together = f"{listed(first)} cannot be told apart" if len(first) > 1 else ""
    behind = [pair for pair in metric.pairs if {pair.a, pair.b} & set(first) and {pair.a, pair.b} & set(rest[0])]
    closest = min(behind, key=lambda pair: abs(pair.difference))
    sentence = _of_pair(comparison, metric, closest)
    if len(first) == 1:
        others = len(metric.systems) - 1
        return f"{first[0]} is better than all {others} others by {metric.name}. The closest: {sentence}"
    return f"{together}, and are better than all others by {metric.name}. The closest: {sentence}"


def _leader(metric: MetricResult) -> str:
    sign = -1 if metric.higher_is_better is False else 1
    best = max(metric.systems, key=lambda system: sign * system.score if not isnan(system.score) else -float("inf"))
    alike = sum(system.rank_low == 1 for system in metric.systems) - 1
    others = f"{alike} other{'s' * (alike != 1)} may be as good" if alike else "it may not be the best"
    return f"{best.system} has the best score; {others}."


def _of_pair(comparison: Comparison, metric: MetricResult, pair: PairResult) -> str:
    width = max(2, metric.record.decimals)
    p = pair.p_holm[comparison.decisive]
    low, high = sorted((abs(pair.ci_low), abs(pair.ci_high)))
    better = pair.better(metric.higher_is_better)
    if not p < comparison.alpha or better is None:
        bounds = f"{pair.ci_low:+.{width}f} to {pair.ci_high:+.{width}f}"
        return (
            f"{pair.a} and {pair.b} cannot be told apart: the difference is {pair.difference:+.{width}f} {metric.name} "
            f"({bounds}, {shown_p(p)})."
        )
    worse = pair.b if better == pair.a else pair.a
    return (
        f"{better} is better than {worse} by {abs(pair.difference):.{width}f} {metric.name} "
        f"({low:.{width}f} to {high:.{width}f}, {shown_p(p)})."
    )


def _against_baseline(comparison: Comparison, metric: MetricResult, baseline: str) -> str:
    if len(metric.pairs) == 1:
        return _of_pair(comparison, metric, metric.pairs[0])
    better: list[str] = []
    worse: list[str] = []
    alike: list[str] = []
    for pair in metric.pairs:
        other = pair.a if pair.b == baseline else pair.b
        significant = pair.p_holm[comparison.decisive] < comparison.alpha
        ahead = pair.better(metric.higher_is_better) if significant else None
        (better if ahead == other else worse if ahead == baseline else alike).append(other)
    parts = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {what} {baseline}"
        for names, what in ((better, "better than"), (worse, "worse than"), (alike, "not distinguishable from"))
        if names
    ]
    return f"By {metric.name}, {'; '.join(parts)}."


def shown_p(p: float) -> str:
    """Return a p-value for a sentence: "p = .003", "p < .001"."""
    if isnan(p):
        return "p undefined"
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them; of many only the first."""
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
