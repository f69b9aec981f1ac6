"""The document of `tercet agree`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, isnan, nan
from typing import Any

from ..human.agreement import Agreement
from ..rendering.document import Heading, Notes, Part, Table
from ..rendering.tables import DASH, full, number

COLUMNS = ("name", "pair", "kind", "measure", "group", "value", "low", "high", "raters", "pairs", "items")
CONTRASTS = (
    "Interval: {confidence} %, over raters. p: paired t-test over outputs, with the raters as fixed. "
    "p (raters): permutation test over raters. Both are Holm-corrected over all rows."
)


def agreement_parts(results: Sequence[Agreement], form: str = "text", width: int = 3) -> Iterator[Part]:
    """Yield the parts of the document. CSV and TSV have the coefficients, one per row."""
    if form in ("csv", "tsv"):
        found = [(result, item) for result in results for item in result.measures]
        rows = [
            [full(getattr(result if name in COLUMNS[:3] else item, name)) for name in COLUMNS] for result, item in found
        ]
        yield Table(COLUMNS, rows)
        return
    for result in results:
        yield from _parts(result, width)


def _parts(result: Agreement, width: int) -> Iterator[Part]:
    pair = f" {result.pair}" if result.pair else ""
    judged = f"{result.judgements} judgements of {result.outputs} outputs by {result.raters} raters"
    yield Heading(f"{result.name}{pair}, {result.kind}: {judged}")
    if result.measures:
        yield _measures(result, width)
        yield Notes(_legend(result))
    if result.averages:
        yield Heading("Average judgement by what was shown")
        yield _averages(result, width)
    if result.contrasts:
        yield Heading("Differences between groups of raters on the same outputs")
        yield _contrasts(result, width)
        yield Notes([CONTRASTS.format(confidence=f"{100 * result.confidence:g}")])
    for metric in dict.fromkeys(item.metric for item in result.correlations):
        yield Heading(f"{metric}: Pearson's r with raters, by the reference of both")
        yield _correlations(result, metric, width)
    yield Heading("Agreement over time")
    yield _slices(result, width)
    yield Heading("Raters")
    yield _people(result, width)
    failures = [f"Rater {person.rater}: {why}" for person in result.people for why in person.failed]
    yield Notes([*failures, *result.notes])


def _legend(result: Agreement) -> list[str]:
    said = [
        f"Intervals of {100 * result.confidence:g} %: {result.resamples} resamples of raters within their groups, seed "
        f"{result.seed}. Raters are resampled, not pairs of raters, which are not independent."
    ]
    if any(item.measure.startswith("ICC") for item in result.measures):
        said.append("Intervals of ICC: from F distributions.")
    if any(item.measure.startswith("P(A)") for item in result.measures):
        said.append("Pairs: pairs of comparisons of the same two outputs.")
    if result.gaps:
        said.append("If the interval in the last column contains 0, the difference is not significant.")
    return said


def _with_interval(value: float, low: float, high: float, width: int) -> str:
    text = number(value, width)
    return text if isnan(low) or isnan(high) else f"{text} ({number(low, width)} to {number(high, width)})"


def _measures(result: Agreement, width: int) -> Table:
    groups = list(dict.fromkeys(item.group for item in result.measures))
    found = {(item.measure, item.group): item for item in result.measures}
    first = result.measures[0].measure
    firsts = [found.get((first, group)) for group in groups]
    counts = {"raters": "raters", "pairs": "items" if result.kind == "rank" else "pairs"}
    rows = [
        [title, *(DASH if item is None else str(getattr(item, name)) for item in firsts)]
        for title, name in counts.items()
    ]
    for measure in dict.fromkeys(item.measure for item in result.measures):
        items = [found.get((measure, group)) for group in groups]
        cells = [DASH if item is None else _with_interval(item.value, item.low, item.high, width) for item in items]
        rows.append([measure, *cells])
    if not result.gaps:
        return Table(["", *groups], rows)
    gaps = {item.measure: _with_interval(item.value, item.low, item.high, width) for item in result.gaps}
    return Table(["", *groups, "same − different"], [[*row, gaps.get(row[0], "")] for row in rows])


def shown_name(name: str) -> str:
    """Return the name of what raters were shown, or "no reference" if it has none."""
    return name or "no reference"


def _averages(result: Agreement, width: int) -> Table:
    rows = [
        [shown_name(item.shown), "source" if item.is_source else "reference", number(item.mean, width),
         str(item.raters), str(item.outputs)]
        for item in result.averages
    ]  # fmt: skip
    return Table(["Shown", "Kind", "Mean", "Raters", "Outputs"], rows)


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else number(value, 3)


def _contrasts(result: Agreement, width: int) -> Table:
    rows = [
        [f"{shown_name(item.first)} − {shown_name(item.second)}",
         _with_interval(item.difference, item.low, item.high, width), str(item.outputs), _p(item.p_holm),
         _p(item.p_raters_holm)]
        for item in result.contrasts
    ]  # fmt: skip
    return Table(["Shown", "Difference", "Outputs", "p", "p (raters)"], rows)


def _correlations(result: Agreement, metric: str, width: int) -> Table:
    own = [item for item in result.correlations if item.metric == metric]
    given = list(dict.fromkeys(item.given for item in own))
    shown = list(dict.fromkeys(item.shown for item in own))
    values = {(item.shown, item.given): item.value for item in own}
    rows = [[shown_name(name), *(number(values[name, column], width) for column in given)] for name in shown]
    references = [item.shown for item in result.averages if not item.is_source]
    if len(references) > 1:
        means = [_mean([values[name, column] for name in references]) for column in given]
        rows.append(["mean over references", *(number(value, width) for value in means)])
    return Table(["Raters were shown", *(f"{metric} with {name}" for name in given)], rows)


def _mean(values: Sequence[float]) -> float:
    return nan if any(map(isnan, values)) else fsum(values) / len(values)


def _with_columns(
    header: list[str], rows: list[list[str]], items: Sequence[Any], columns: dict[str, str], width: int
) -> Table:
    """Return the table with a column for each field of the items that has a value; seconds have one decimal."""
    for title, name in columns.items():
        values = [getattr(item, name) for item in items]
        if not all(map(isnan, values)):
            header = [*header, title]
            cells = [number(value, 1 if name == "seconds" else width) for value in values]
            rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
    return Table(header, rows)


def _slices(result: Agreement, width: int) -> Table:
    groups = list(result.slices[0].agreement)
    header = ["Part", "n", *(f"{result.slices[0].measure}: {group}" for group in groups)]
    rows = [
        [
            f"{100 * item.first:g}-{100 * item.last:g} %",
            str(item.judgements),
            *(number(item.agreement[group], width) for group in groups),
        ]
        for item in result.slices
    ]
    return _with_columns(header, rows, result.slices, {"Spread": "spread", "Seconds": "seconds"}, width)


def _people(result: Agreement, width: int) -> Table:
    several = len(result.shown) > 1
    rows = [
        [person.rater, *([", ".join(map(shown_name, person.shown))] if several else []), str(person.judgements)]
        for person in result.people
    ]
    fields = ("mean", "spread", "ties", "drift", "agreement", "seconds", "repeat_difference")
    columns = {name.replace("_", " ").capitalize(): name for name in fields}
    header = ["Rater", *(["Shown"] if several else []), "Judgements"]
    table = _with_columns(header, rows, result.people, columns, width)
    if not any(person.checks for person in result.people):
        return table
    checks = [[str(person.checks), str(len(person.failed))] for person in result.people]
    rows = [[*row, *cells] for row, cells in zip(table.rows, checks, strict=True)]
    return Table([*table.header, "Checks", "Failed"], rows)
