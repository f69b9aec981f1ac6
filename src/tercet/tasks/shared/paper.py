"""`--style paper` of `tercet score` and `tercet compare`: one table with its caption."""

from __future__ import annotations

from collections.abc import Sequence

from ...comparing import Comparison, MetricResult
from ...data.scores import Scores
from ...rendering.paper import Column, PaperTable
from ...stats import Comparisons
from ...stats.paired import resamples_made, test_name

ALPHA = 0.05  # of the tests of `score`


def scores_table(
    scores: Sequence[Scores], tests: Sequence[Comparisons] | None, width: int | None, *, intervals: bool
) -> PaperTable:
    """Return the table of scores, with marks of the paired test where one was made."""
    systems = scores[0].systems
    columns = []
    for place, item in enumerate(scores):
        values = [item.system[system] for system in systems]
        marks = []
        if tests:
            worth = -1 if item.higher_is_better is False else 1
            signs = ["+" if worth * (value - values[0]) > 0 else "-" for value in values]
            significant = [False, *(tests[place].p_value[0][1:] < ALPHA)]
            marks = [sign if is_sure else "" for sign, is_sure in zip(signs, significant, strict=True)]
        bounds = [(item.interval[s].low, item.interval[s].high) for s in systems] if intervals else []
        decimals = item.metric.decimals if width is None else width
        columns.append(Column(item.label, item.higher_is_better, item.signature, decimals, values, marks, bounds))
    caption = [_subject(scores[0].n_segments, len(scores[0].provenance.get("references", ()))), _bold(columns)]
    if intervals:
        level = next(iter(scores[0].interval.values())).confidence
        caption.append(f"In brackets: {100 * level:g}% bootstrap intervals.")
    if tests:
        test = _tested(tests[0].test, tests[0].n, tests[0].resamples, ALPHA)
        caption.append(_marked(systems[0], f"{test}, not corrected for several comparisons"))
    return PaperTable(systems, columns, [part for part in caption if part])


def comparison_table(result: Comparison, references: int, width: int | None, *, intervals: bool) -> PaperTable:
    """Return the table of a comparison: marks against the baseline, or clusters where all pairs were compared."""
    first = result.metrics[0]
    columns = [
        Column(
            metric.name,
            metric.higher_is_better,
            metric.signature,
            metric.decimals if width is None else width,
            [system.score for system in metric.systems],
            [_mark(result, metric, system.system, system.cluster) for system in metric.systems],
            [(system.ci_low, system.ci_high) for system in metric.systems] if intervals else [],
        )
        for metric in result.metrics
    ]
    several = any(len(metric.pairs) > 1 for metric in result.metrics)
    test = _tested(result.decisive, result.n_segments, result.resamples[result.decisive], result.alpha)
    test += ", Holm's correction" * several
    caption = [_subject(first.n_segments, references), _bold(columns)]
    if intervals:
        caption.append(f"In brackets: {100 * result.confidence:g}% bootstrap intervals.")
    if result.baseline is not None:
        caption.append(_marked(result.baseline, test))
    elif any(metric.clusters for metric in result.metrics):
        caption.append(
            "Superscripts: clusters; every system of one is significantly better than every system of those "
            f"after it ({test})."
        )
    return PaperTable([system.system for system in first.systems], columns, [part for part in caption if part])


def _mark(result: Comparison, metric: MetricResult, system: str, cluster: int | None) -> str:
    if result.baseline is None:
        return "" if cluster is None else str(cluster)
    if system == result.baseline:
        return ""
    pair = metric.pair(system, result.baseline)
    better = pair.better(metric.higher_is_better) if result.is_significant(pair) else None
    return "" if better is None else "+" if better == system else "-"


def _tested(test: str, n: int, resamples: int, alpha: float) -> str:
    return f"{test_name(test, n)}, {resamples_made(test, n, resamples)}, p < {alpha:g}"


def _subject(segments: int, references: int) -> str:
    against = f", {references} reference{'s' * (references != 1)}" if references else ""
    return f"Scores on {segments} segments{against}."


def _bold(columns: Sequence[Column]) -> str:
    return "Best scores in bold." if any(column.higher_is_better is not None for column in columns) else ""


def _marked(baseline: str, test: str) -> str:
    return f"⁺ and ⁻: significantly better and worse than {baseline} ({test})."
