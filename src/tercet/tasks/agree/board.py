"""The document of `tercet agree`."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum, nan
from typing import Any

from ...human.agreement import Agreement
from ...human.reference_effect import shown_name
from ...rendering.document import Column, Heading, Notes, Part, Table, grid, listing
from ...rendering.tables import number

GAP = "same − different"
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


def _seconds(item: Any) -> str:
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
