"""The figures of `tercet meta`: intervals, p-values of all pairs, the N best systems, human scores by metric."""

import re

import numpy as np

from ..rendering.charts import top_n_curves
from ..rendering.figures import Figure, cloud, heat_map, histogram, interval_plot, scatter
from ..rendering.tables import number
from .results import Verdict, Verdicts, ranked_items, statistic_name

BEST = 4  # systems with a line of their own in scatter plots, if there are values for the N best
SCATTERS = 30  # number of metrics, the best ones, with a scatter plot


def draw(result: Verdicts) -> dict[str, Figure]:
    """Return all figures that a result has data for, keyed by a part of their file name."""
    title, statistic = f"{result.dataset} {result.pair}".strip(), statistic_name(result)
    ranked = ranked_items(result)
    drawn = {
        "intervals": interval_plot(
            [(item.label, item.value, item.ci_low, item.ci_high, bool(item.winner)) for item in ranked],
            label=f"{statistic} with {result.gold}",
            title=title,
            subtitle=f"{100 * result.confidence:g} % intervals, {result.resamples} resamples of {result.unit}",
        )
    }
    if result.p_values is not None and len(ranked) > 1:
        drawn["head-to-head"] = _head_to_head(result, ranked, title)
    if ranked[0].top_n:
        curves = {item.label: item.top_n for item in ranked}
        drawn["top-n"] = top_n_curves(curves, label=statistic, title=f"{title}: the N best systems")
    if result.human:
        people = list(result.human.values())
        drawn["human"] = histogram(
            {result.gold: people}, label=result.gold, title=f"{title}: people's scores of {len(people)} systems"
        )
        for item in ranked[:SCATTERS]:
            drawn[f"scatter.{_file_name(item.label)}"] = _scatter(result, item, title)
    if result.outputs is not None:
        human, metrics = result.outputs
        for item in ranked[:SCATTERS]:
            drawn[f"scatter.{_file_name(item.label)}"] = cloud(
                human.tolist(),
                metrics[result.items.index(item)].tolist(),
                gold_label=result.gold,
                metric_label=item.label,
                title=f"{title}: {item.label} and {result.gold}",
                subtitle=f"{statistic_name(result)} {number(item.value, 3)}, {item.n} outputs",
            )
    return drawn


def _head_to_head(result: Verdicts, ranked: list[Verdict], title: str) -> Figure:
    order = [result.items.index(item) for item in ranked]
    p = np.asarray(result.p_values)[np.ix_(order, order)]
    np.fill_diagonal(p, np.nan)  # a metric is not compared with itself
    return heat_map(
        [item.label for item in ranked], p, label="p", marks=p < result.alpha, marked=f"p < {result.alpha:g}",
        decimals=3, low_is_dark=True, title=f"{title}: is the row's metric better than the column's?",
    )  # fmt: skip


def _scatter(result: Verdicts, item: Verdict, title: str) -> Figure:
    without = f", without outliers {number(item.without_outliers, 3)}" if result.outliers else ""
    best: list[str] = []
    for n, low, high in item.top_n:
        if n == BEST:
            best = sorted(result.human, key=lambda name: -result.human[name])[:BEST]
            span = number(low, 3) if low == high else f"{number(low, 3)} to {number(high, 3)}"
            without += f", of the {BEST} best {span}"
    return scatter(
        result.human, result.scores[item.label], gold_label=result.gold, metric_label=item.label,
        outliers=result.outliers, best=best, title=f"{title}: {item.label} and {result.gold}",
        subtitle=f"{statistic_name(result)} {number(item.value, 3)}{without}",
    )  # fmt: skip


def _file_name(label: str) -> str:
    """Return a metric's name for use in a file name, with special characters replaced by hyphens."""
    return re.sub(r"[^\w.+()-]+", "-", label)
