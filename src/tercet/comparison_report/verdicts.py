"""What a comparison says, in one or two sentences."""

from collections.abc import Mapping, Sequence
from math import isnan

from ..comparing import Comparison, MetricResult, PairResult

NAMED = 4  # systems that a sentence lists by name


def verdict(comparison: Comparison, metric: MetricResult, before: Mapping[str, str] | None = None) -> str:
    """Return which systems are better, by the decisive test; or what changed since `before`, the earlier outputs."""
    if before:
        return " ".join(_changed(comparison, metric, *both) for both in before.items())
    if len(metric.systems) == 1:
        [only] = metric.systems
        score, low, high = (f"{value:.{metric.decimals}f}" for value in (only.score, only.ci_low, only.ci_high))
        return f"{only.system} has {score} {metric.name} ({low} to {high})."
    if comparison.baseline is not None:
        return _against_baseline(comparison, metric, comparison.baseline)
    if len(metric.systems) == 2:
        return _of_pair(comparison, metric, metric.pairs[0])
    if not metric.clusters:
        return f"{metric.name} says of no system that it is better than another."
    leader, behind, alike = leading(comparison, metric)
    if not behind:
        return f"{leader} has the best {metric.name}, but none of the others can be told apart from it."
    margin = _margin(comparison, metric, metric.pair(leader, behind[0]))
    if not alike:
        others = "both others" if len(behind) == 2 else f"all {len(behind)} others"
        return f"{leader} is better than {others}. The closest is {behind[0]}, by {margin}."
    than = f"the other {len(behind)}, the closest of them {behind[0]}," if len(behind) > 1 else behind[0]
    return (
        f"{leader} has the best {metric.name}, but {listed(alike)} cannot be told apart from it. "
        f"It is better than {than} by {margin}."
    )


def leading(comparison: Comparison, metric: MetricResult) -> tuple[str, list[str], list[str]]:
    """Return the system with the best score, those that are significantly worse, and those that are not."""
    leader, *rest = (each.system for each in metric.ranked)
    behind = [name for name in rest if comparison.is_significant(metric.pair(leader, name))]
    return leader, behind, [name for name in rest if name not in behind]


def _changed(comparison: Comparison, metric: MetricResult, now: str, before: str) -> str:
    """Return whether a system is better than it was."""
    pair = metric.pair(now, before)
    if not comparison.is_significant(pair):
        difference = pair.difference if pair.a == now else -pair.difference
        if not difference:
            return f"{now} has not changed."
        p = shown_p(pair.p_holm[comparison.decisive])
        return f"{now} cannot be told apart from what it was ({difference:+.{metric.decimals}f} {metric.name}, {p})."
    better = pair.better(metric.higher_is_better)
    how = "better" if better == now else "worse" if better else "different"
    return f"{now} is {how} than before by {_margin(comparison, metric, pair)}."


def _margin(comparison: Comparison, metric: MetricResult, pair: PairResult) -> str:
    """Return by how much the better system is better, with interval and p-value."""
    width, p = metric.decimals, shown_p(pair.p_holm[comparison.decisive])
    low, high = (pair.ci_low, pair.ci_high) if pair.difference > 0 else (-pair.ci_high, -pair.ci_low)
    return f"{abs(pair.difference):.{width}f} {metric.name} ({low:.{width}f} to {high:.{width}f}, {p})"


def _of_pair(comparison: Comparison, metric: MetricResult, pair: PairResult) -> str:
    p = pair.p_holm[comparison.decisive]
    better = pair.better(metric.higher_is_better) if comparison.is_significant(pair) else None
    if better is not None:
        worse = pair.b if better == pair.a else pair.a
        return f"{better} is better than {worse} by {_margin(comparison, metric, pair)}."
    width = metric.decimals
    difference = f"{pair.difference:+.{width}f} {metric.name} ({pair.ci_low:+.{width}f} to {pair.ci_high:+.{width}f}"
    what = "differ, and neither direction is better" if comparison.is_significant(pair) else "cannot be told apart"
    return f"{pair.a} and {pair.b} {what}: {pair.a} - {pair.b} is {difference}, {shown_p(p)})."


def _against_baseline(comparison: Comparison, metric: MetricResult, baseline: str) -> str:
    if len(metric.pairs) == 1:
        return _of_pair(comparison, metric, metric.pairs[0])
    found: dict[str, list[str]] = {"better than": [], "worse than": [], "not distinguishable from": []}
    for pair in metric.pairs:
        other = pair.a if pair.b == baseline else pair.b
        ahead = pair.better(metric.higher_is_better) if comparison.is_significant(pair) else None
        what = {other: "better than", baseline: "worse than"}.get(ahead or "", "not distinguishable from")
        found[what].append(other)
    parts = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {what} {baseline}"
        for what, names in found.items()
        if names
    ]
    return f"By {metric.name}, {'; '.join(parts)}."


def shown_p(p: float) -> str:
    """Return a p-value for a sentence: "p = .003", "p < .001"."""
    if isnan(p):
        return "p undefined"
    if p > 0.9995:
        return "p = 1"
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them; of many only the first."""
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
