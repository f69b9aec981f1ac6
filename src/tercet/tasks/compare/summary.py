"""The short form of `tercet compare`: the answer, one table for all metrics, the answer again."""

from collections.abc import Iterable, Iterator, Sequence
from math import isnan

from ...comparing import Comparison, MetricResult
from ...comparison_report.verdicts import leading, listed, verdict
from ...rendering.document import Heading, Notes, Part, Table
from ...rendering.tables import DASH, interval, number
from .board import clusters, group_parts, legend, ranks

INTERVALS_UP_TO = 3  # metrics of which a table of systems has room for half-widths
DIFFER = "they differ"  # by a metric of which neither direction is better
MORE = "--details adds pairs, p-values and the segments that decide; 'tercet report' shows all of it on a page."


def answer(result: Comparison) -> str:
    """Return which systems are better, in one sentence for all metrics."""
    names = [system.system for system in result.metrics[0].systems]
    if len(result.metrics) == 1:
        return verdict(result, result.metrics[0])
    if len(names) == 2:
        return _of_two(result, names)
    groups: dict[str, list[str]] = {}
    for metric in result.metrics:
        groups.setdefault(_finding(result, metric), []).append(metric.name)
    clauses = "; by ".join(f"{_and(metrics)}: {finding}" for finding, metrics in groups.items())
    return f"By {clauses}."


def _of_two(result: Comparison, names: Sequence[str]) -> str:
    found: dict[str, list[str]] = {}
    for metric in result.metrics:
        pair = metric.pairs[0]
        better = (pair.better(metric.higher_is_better) or DIFFER) if result.is_significant(pair) else ""
        found.setdefault(better, []).append(metric.name)
    apart = [
        f"{name} is better than {next(other for other in names if other != name)} by {_and(found[name])}"
        for name in names
        if name in found
    ]
    if undirected := found.get(DIFFER):
        apart.append(f"{_and(names)} differ by {_and(undirected)}, of which neither direction is better")
    if alike := found.get(""):
        who = "they" if apart else _and(names)
        apart.append(f"{who} cannot be told apart by {_and(alike, 'or')}")
    return f"{'; '.join(apart)}."


def _finding(result: Comparison, metric: MetricResult) -> str:
    if result.baseline is not None:
        return verdict(result, metric).removeprefix(f"By {metric.name}, ").removesuffix(".")
    if not metric.clusters:
        return "no system is better than another"
    leader, behind, alike = leading(result, metric)
    if not alike:
        return f"{leader} is better than {'both' if len(behind) == 2 else f'all {len(behind)}'} others"
    if not behind:
        return f"{leader} has the best score, but none of the others can be told apart from it"
    return f"{leader} is the best, but {listed(alike)} cannot be told apart from it"


def _and(names: Sequence[str], word: str = "and") -> str:
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def summary_parts(
    result: Comparison, width: int | None = None, *, first: Iterable[Part] = (), last: Iterable[Part] = ()
) -> Iterator[Part]:
    """Yield the parts of the short form. first, last: parts after the first answer and before the last one."""
    metrics = result.metrics
    said = answer(result)
    yield said
    yield from first
    n = metrics[0].n_segments
    yield Heading(f"{len(metrics[0].systems)} systems, {n} segment{'s' * (n != 1)}")
    yield score_table(result, width)
    if len(metrics[0].systems) > 2 and len(metrics) > 1 and result.baseline is None:
        yield Notes([f"{metric.name}: {verdict(result, metric)}" for metric in metrics])
    for metric in metrics:
        yield from group_parts(metric, metric.decimals if width is None else width, f"{metric.name} by slice")
    yield from last
    yield Notes([*dict.fromkeys(_notes(result)), MORE])
    yield Notes([metric.signature for metric in metrics])
    yield said


def score_table(result: Comparison, width: int | None = None) -> Table:
    """Return the scores of all metrics in one table: a row per metric for two systems, otherwise a row per system."""
    return _pair_table(result, width) if len(result.metrics[0].systems) == 2 else _system_table(result, width)


def _pair_table(result: Comparison, width: int | None) -> Table:
    """Return one row per metric for two systems."""
    rows = []
    for metric in result.metrics:
        [pair] = metric.pairs
        decimals = metric.decimals if width is None else width
        scores = {system.system: number(system.score, decimals) for system in metric.systems}
        better = (pair.better(metric.higher_is_better) or DIFFER) if result.is_significant(pair) else DASH
        rows.append([
            metric.name, scores[pair.a], scores[pair.b], number(pair.difference, decimals, "+"),
            interval(pair.ci_low, pair.ci_high, decimals, "+"), number(pair.p_holm[result.decisive], 4), better,
        ])  # fmt: skip
    interval_title = f"{100 * result.confidence:g} % interval"
    return Table(["Metric", pair.a, pair.b, "Difference", interval_title, "p", "Better"], rows)


def _system_table(result: Comparison, width: int | None) -> Table:
    """Return one row per system, with score and rank (or difference from the baseline) by each metric."""
    first, wide = result.metrics[0], len(result.metrics) <= INTERVALS_UP_TO
    header = ["System"]
    rows = [[each.system] for each in first.ranked]
    for metric in result.metrics:
        decimals = metric.decimals if width is None else width
        header += [metric.name, *["±"] * wide, "Rank" if result.baseline is None else f"- {result.baseline}"]
        known = {each.system: each for each in metric.systems}
        for row in rows:
            system = known[row[0]]
            row.append(number(system.score, decimals))
            row += [number((system.ci_high - system.ci_low) / 2, decimals)] * wide
            row.append(ranks(system) if result.baseline is None else _from_baseline(result, metric, row[0], decimals))
    return Table(header, rows, groups=clusters(first))


def _from_baseline(result: Comparison, metric: MetricResult, name: str, decimals: int) -> str:
    if name == result.baseline:
        return ""
    pair = metric.pair(name, str(result.baseline))
    difference = pair.difference if pair.a == name else -pair.difference
    return number(difference, decimals, "+") + ("*" if result.is_significant(pair) else " ")


def _notes(result: Comparison) -> Iterator[str]:
    several = len(result.metrics[0].systems) > 2
    if several and result.baseline is None:
        yield "Rank: from the best to the worst place that the tests allow."
        if len(result.metrics[0].clusters) > 1:
            by = f" by {result.metrics[0].name}" * (len(result.metrics) > 1)
            yield f"Dashed lines: every system above is significantly better{by} than every system below."
    if several and result.baseline is not None:
        yield "*: significantly different from the baseline."
    if lower := [metric.name for metric in result.metrics if metric.higher_is_better is False]:
        yield f"{_and(lower)}: lower is better."
    found = [f"{metric.mde:.2g} {metric.name}" for metric in result.metrics if not isnan(metric.mde)]
    if found:
        median = f", median of {len(result.metrics[0].pairs)} pairs" if len(result.metrics[0].pairs) > 1 else ""
        what = "a true difference" if len(found) == 1 else "true differences"
        yield f"Found with 80 % power (at 5 %, before correction{median}): {what} of about {_and(found)}."
    for metric in result.metrics:
        if isnan(metric.mde):
            yield f"{metric.name}: {metric.mde_sentence}" if len(result.metrics) > 1 else metric.mde_sentence
    yield from legend(result, short=True)
