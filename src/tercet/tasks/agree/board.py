"""The document and the figures of `tercet agree`."""

from collections.abc import Iterator
from math import fsum, isfinite, nan

import numpy as np

from ...human.agreement import Agreement
from ...human.agreement_measures import AgreementSlice
from ...human.rater_report import RaterReport
from ...human.reference_effect import shown_name
from ...rendering.charts import line_chart
from ...rendering.document import Column, Heading, Notes, Part, Table, grid, listing
from ...rendering.figures import COLOURS, Figure, heat_map, interval_plot
from ...rendering.tables import number

GAP = "same − different"
GROUPS_TOGETHER = len(COLOURS)
NUMBERS = ("mean", "spread", "ties", "drift", "agreement", "seconds", "repeat_difference")  # known of a rater


def agreement_parts(result: Agreement, width: int = 3) -> Iterator[Part]:
    """Yield the parts of the document about the judgements of one kind."""
    pair = f" {result.pair}" if result.pair else ""
    judged = f"{result.judgements} judgements of {result.outputs} outputs by {result.raters} raters"
    yield Heading(f"{result.name}{pair}, {result.kind}: {judged}")
    if result.measures:
        yield _measures(result, width)
        yield Notes(list(_legend(result)))
    if result.averages:
        yield Heading("Average judgement by what was shown")
        columns: dict[str, Column] = {
            "Shown": lambda item: shown_name(item.shown),
            "Kind": lambda item: "source" if item.is_source else "reference",
        }
        yield listing(
            result.averages, columns | {name.capitalize(): name for name in ("mean", "raters", "outputs")}, width
        )
    if result.contrasts:
        yield Heading("Differences between groups of raters on the same outputs")
        yield listing(
            result.contrasts,
            {
                "Shown": "name",
                "Difference": lambda item: (item.difference, item.low, item.high),
                "Outputs": "outputs",
                "p": lambda item: _p(item.p_holm),
                "p (raters)": lambda item: _p(item.p_raters_holm),
            },
            width,
        )
        yield (
            f"Interval: {100 * result.confidence:g} %, over raters. p: paired t-test over outputs, with the raters as "
            "fixed. p (raters): permutation test over raters. Both are Holm-corrected over all rows."
        )
    for metric in dict.fromkeys(item.metric for item in result.correlations):
        yield Heading(f"{metric}: Pearson's r with raters, by the reference of both")
        yield _correlations(result, metric, width)
    yield Heading("Agreement over time")
    yield _slices(result, width)
    yield Heading("Raters")
    yield _people(result, width)
    failures = [f"Rater {person.rater}: {why}" for person in result.people for why in person.failed]
    yield Notes([*failures, *result.notes])


def _legend(result: Agreement) -> Iterator[str]:
    yield (
        f"Intervals of {100 * result.confidence:g} %: {result.resamples} resamples of raters within their groups, seed "
        f"{result.seed}. Raters are resampled, not pairs of raters, which are not independent."
    )
    if any(item.measure.startswith("ICC") for item in result.measures):
        yield "Intervals of ICC: from F distributions."
    if any(item.measure.startswith("P(A)") for item in result.measures):
        yield "Pairs: pairs of comparisons of the same two outputs."
    if result.gaps:
        yield "If the interval in the last column contains 0, the difference is not significant."


def _measures(result: Agreement, width: int) -> Table:
    found = {(item.measure, item.group): item for item in result.measures}
    gaps = {item.measure: (item.value, item.low, item.high) for item in result.gaps}
    counts = {"raters": "raters", "pairs": "items" if result.kind == "rank" else "pairs"}

    def value(row: str, group: str) -> object:
        if group == GAP:
            return gaps.get(row, "")
        item = found.get((result.measures[0].measure if row in counts else row, group))
        if item is None:
            return nan
        return getattr(item, counts[row]) if row in counts else (item.value, item.low, item.high)

    measures, groups = ([*dict.fromkeys(names)] for names in zip(*found, strict=True))
    return grid([*counts, *measures], [*groups, GAP] if gaps else groups, value, width)


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else number(value, 3)


def _correlations(result: Agreement, metric: str, width: int) -> Table:
    values = {(item.shown, item.given): item.value for item in result.correlations if item.metric == metric}
    rows: dict[tuple[str, ...], str] = {(shown,): shown_name(shown) for shown, _ in values}
    references = tuple(item.shown for item in result.averages if not item.is_source)
    if len(references) > 1:
        rows[references] = "mean over references"

    def mean(shown: tuple[str, ...], given: str) -> float:
        return fsum(values[one, given] for one in shown) / len(shown)

    given = {name: f"{metric} with {name}" for _, name in values}
    return grid(rows, given, mean, width, corner="Raters were shown")


def _seconds(item: AgreementSlice | RaterReport) -> str:
    return number(item.seconds, 1)


def _slices(result: Agreement, width: int) -> Table:
    first = result.slices[0]
    columns: dict[str, Column] = {"Part": lambda item: f"{100 * item.first:g}-{100 * item.last:g} %", "n": "judgements"}
    columns |= {f"{first.measure}: {group}": ("agreement", group) for group in first.agreement}
    columns |= {"Spread": "spread", "Seconds": _seconds}
    return listing(result.slices, columns, width, optional=("Spread", "Seconds"))


def _people(result: Agreement, width: int) -> Table:
    columns: dict[str, Column] = {"Rater": "rater"}
    if len(result.shown) > 1:
        columns["Shown"] = lambda person: ", ".join(map(shown_name, person.shown))
    columns["Judgements"] = "judgements"
    columns |= {name.replace("_", " ").capitalize(): _seconds if name == "seconds" else name for name in NUMBERS}
    optional = list(columns)[-len(NUMBERS) :]
    if any(person.checks for person in result.people):
        columns |= {"Checks": "checks", "Failed": lambda person: len(person.failed)}
    return listing(result.people, columns, width, optional=optional)


def draw(result: Agreement) -> dict[str, Figure]:
    """Draw all figures that a result has data for. Returns them by the name used in file names."""
    title = " ".join(part for part in (result.name, result.pair, result.kind) if part)
    over = f"{100 * result.confidence:g} % intervals, {result.resamples} resamples of raters (ICC: F distributions)"
    found: dict[str, Figure] = {}
    measures = [item for item in result.measures if isfinite(item.value)]
    several = len({item.group for item in measures}) > 1
    rows = [
        (f"{item.measure}, {item.group}" if several else item.measure, item.value, item.low, item.high, False)
        for item in measures
        if not item.measure.startswith("P(E)")
    ]
    if rows:
        found["agreement"] = interval_plot(rows, label="agreement", title=f"{title}: agreement", subtitle=over)
    parts = [f"{100 * item.first:g}-{100 * item.last:g} %" for item in result.slices]
    measure, groups = result.slices[0].measure, list(result.slices[0].agreement)[:GROUPS_TOGETHER]
    stages = {group: [item.agreement[group] for item in result.slices] for group in groups}
    spread = {"spread": [item.spread for item in result.slices]}
    for name, curves, label, what in (
        ("stages", stages, measure, "agreement over time"),
        ("spread", spread, "standard deviation", "spread of judgements over time"),
    ):  # figures 6.2 and 6.3 of Fomicheva 2017
        known = {
            group: [(part, float(value)) for part, value in zip(parts, values, strict=True) if isfinite(value)]
            for group, values in curves.items()
        }
        if len(parts) > 1 and any(known.values()):
            found[name] = line_chart(known, x_label="part of the work", y_label=label, title=f"{title}: {what}")
    if result.contrasts:
        found["references"] = interval_plot(
            [(item.name, item.difference, item.low, item.high, False) for item in result.contrasts],
            label="difference of mean judgements",
            title=f"{title}: differences by what was shown",
            subtitle=over,
        )
    for metric in dict.fromkeys(item.metric for item in result.correlations):
        figure = _heat_map(result, metric, title)
        if figure is not None:
            found[f"metric.{metric.replace('/', '-')}"] = figure
    people = [(person.rater, person.agreement, nan, nan, False) for person in result.people]
    if any(isfinite(person[1]) for person in people):
        found["raters"] = interval_plot(people, label="agreement with other raters", title=f"{title}: raters")
    return found


def _heat_map(result: Agreement, metric: str, title: str) -> Figure | None:
    """Draw correlations as a heat map if raters and the metric had the same references; otherwise return None."""
    own = {(item.shown, item.given): item.value for item in result.correlations if item.metric == metric}
    given = list(dict.fromkeys(name for _, name in own))
    if len(given) < 2 or not all((name, name) in own for name in given):
        return None
    values = np.array([[own[row, column] for column in given] for row in given])
    if not np.isfinite(values).any():
        return None
    return heat_map(
        given, values, label="Pearson's r", marks=np.eye(len(given), dtype=bool), marked="same reference",
        title=f"{title}: references of raters (rows) and of {metric} (columns)",
    )  # fmt: skip
