"""Render the results of `tercet agree`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, isnan, nan

from ..human.agreement import Agreement
from ..report.tables import DASH, number, table, to_json
from .compareboard import _notes
from .metaboard import _heading

COLUMNS = ("name", "pair", "kind", "measure", "group", "value", "low", "high", "raters", "pairs", "items")


def render(results: Sequence[Agreement], form: str = "text", width: int = 3) -> str:
    """Render all results in one format. JSON has everything; CSV and TSV have the coefficients, one per row."""
    if form == "json":
        return to_json([result.to_dict() for result in results])
    if form in ("csv", "tsv"):
        return _long(results, form)
    return "\n\n".join(block for result in results for block in _blocks(result, form, width))


def _long(results: Sequence[Agreement], form: str) -> str:
    rows = []
    for result in results:
        facts = {"name": result.name, "pair": result.pair, "kind": result.kind}
        for item in result.measures:
            values = facts | {name: getattr(item, name) for name in COLUMNS[3:]}
            rows.append(["" if value is None or value != value else str(value) for value in values.values()])
    return table(COLUMNS, rows, form)


def _blocks(result: Agreement, form: str, width: int) -> Iterator[str]:
    pair = f" {result.pair}" if result.pair else ""
    yield _heading(
        f"{result.name}{pair}, {result.kind}: {result.judgements} judgements of {result.outputs} outputs by "
        f"{result.raters} raters",
        form,
    )
    if result.measures:
        yield _measures(result, form, width)
        yield from _notes(_legend(result), form)
    if result.averages:
        yield _heading("Average judgement by what was shown", form)
        yield _averages(result, form, width)
    if result.contrasts:
        yield _heading("Differences between groups of raters on the same outputs", form)
        yield _contrasts(result, form, width)
        yield from _notes([CONTRASTS.format(confidence=f"{100 * result.confidence:g}")], form)
    for metric in dict.fromkeys(item.metric for item in result.correlations):
        yield _heading(f"{metric}: Pearson's r with raters, by the reference of both", form)
        yield _correlations(result, metric, form, width)
    yield _heading("Agreement over time", form)
    yield _slices(result, form, width)
    yield _heading("Raters", form)
    yield _people(result, form, width)
    yield from _notes([*(_failures(result)), *result.notes], form)


CONTRASTS = (
    "Interval: {confidence} %, over raters. p: paired t-test over outputs, with the raters as fixed. "
    "p (raters): permutation test over raters. Both are Holm-corrected over all rows."
)


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


def _measures(result: Agreement, form: str, width: int) -> str:
    groups = list(dict.fromkeys(item.group for item in result.measures))
    found = {(item.measure, item.group): item for item in result.measures}
    gaps = {item.measure: item for item in result.gaps}
    first = result.measures[0].measure
    facts = ("raters", "items" if result.kind == "rank" else "pairs")
    rows = [
        [fact.replace("items", "pairs"), *(_fact(found.get((first, group)), fact) for group in groups)]
        for fact in facts
    ]
    for measure in dict.fromkeys(item.measure for item in result.measures):
        cells = []
        for group in groups:
            item = found.get((measure, group))
            cells.append(DASH if item is None else _with_interval(item.value, item.low, item.high, width))
        rows.append([measure, *cells])
    header = ["", *groups]
    if gaps:
        header.append("same − different")
        for row in rows:
            gap = gaps.get(row[0])
            row.append("" if gap is None else _with_interval(gap.value, gap.low, gap.high, width))
    return table(header, rows, form)


def _fact(item: object, fact: str) -> str:
    return DASH if item is None else str(getattr(item, fact))


def shown_name(name: str) -> str:
    """Return the name of what raters were shown, or "no reference" if it has none."""
    return name or "no reference"


def _averages(result: Agreement, form: str, width: int) -> str:
    rows = [
        [shown_name(item.shown), "source" if item.is_source else "reference", number(item.mean, width),
         str(item.raters), str(item.outputs)]
        for item in result.averages
    ]  # fmt: skip
    return table(["Shown", "Kind", "Mean", "Raters", "Outputs"], rows, form)


def _p(value: float) -> str:
    return DASH if isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _contrasts(result: Agreement, form: str, width: int) -> str:
    rows = [
        [f"{shown_name(item.first)} − {shown_name(item.second)}",
         _with_interval(item.difference, item.low, item.high, width), str(item.outputs), _p(item.p_holm),
         _p(item.p_raters_holm)]
        for item in result.contrasts
    ]  # fmt: skip
    return table(["Shown", "Difference", "Outputs", "p", "p (raters)"], rows, form)


def _correlations(result: Agreement, metric: str, form: str, width: int) -> str:
    own = [item for item in result.correlations if item.metric == metric]
    given = list(dict.fromkeys(item.given for item in own))
    shown = list(dict.fromkeys(item.shown for item in own))
    values = {(item.shown, item.given): item.value for item in own}
    rows = [[shown_name(name), *(number(values[name, column], width) for column in given)] for name in shown]
    references = [item.shown for item in result.averages if not item.is_source]
    if len(references) > 1:
        means = [_mean([values[name, column] for name in references]) for column in given]
        rows.append(["mean over references", *(number(value, width) for value in means)])
    return table(["Raters were shown", *(f"{metric} with {name}" for name in given)], rows, form)


def _mean(values: Sequence[float]) -> float:
    return nan if any(map(isnan, values)) else fsum(values) / len(values)


def _slices(result: Agreement, form: str, width: int) -> str:
    groups = list(result.slices[0].agreement)
    header = ["Part", *(f"{result.slices[0].measure}: {group}" for group in groups)]
    rows = [
        [f"{100 * item.first:g}-{100 * item.last:g} %", *(number(item.agreement[group], width) for group in groups)]
        for item in result.slices
    ]
    for title, name in (("Spread", "spread"), ("Seconds", "seconds")):
        values = [getattr(item, name) for item in result.slices]
        if not all(map(isnan, values)):
            header.append(title)
            for row, value in zip(rows, values, strict=True):
                row.append(number(value, width if name == "spread" else 1))
    return table(header, rows, form)


PEOPLE = (
    ("Mean", "mean", None), ("Spread", "spread", None), ("Ties", "ties", None), ("Drift", "drift", None),
    ("Agreement", "agreement", None), ("Seconds", "seconds", 1), ("Repeat difference", "repeat_difference", None),
)  # fmt: skip


def _people(result: Agreement, form: str, width: int) -> str:
    several = len(result.shown) > 1
    header = ["Rater", *(["Shown"] if several else []), "Judgements"]
    rows = []
    for person in result.people:
        shown = [", ".join(map(shown_name, person.shown))] if several else []
        rows.append([person.rater, *shown, str(person.judgements)])
    for title, name, places in PEOPLE:
        values = [getattr(person, name) for person in result.people]
        if not all(map(isnan, values)):
            header.append(title)
            for row, value in zip(rows, values, strict=True):
                row.append(number(value, width if places is None else places))
    if any(person.checks for person in result.people):
        header += ["Checks", "Failed"]
        for row, person in zip(rows, result.people, strict=True):
            row += [str(person.checks), str(len(person.failed))]
    return table(header, rows, form)


def _failures(result: Agreement) -> list[str]:
    return [f"Rater {person.rater}: {why}" for person in result.people for why in person.failed]
