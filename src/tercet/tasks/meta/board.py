"""The document of `tercet meta`: a table for one language pair, or a table with one column per pair."""

from collections.abc import Iterator, Sequence
from math import inf, isnan, nan
from typing import Any

from ...data.display import listed
from ...metaeval import Verdict, Verdicts
from ...metaeval.results import ranked_items, statistic_name
from ...metaeval.significance import TESTS
from ...rendering.document import Column, Heading, Notes, Part, Table, grid, listing
from ...rendering.tables import DASH, Bold, number

P_VALUES = "p-values: row better than column"


def verdict_parts(results: Sequence[Verdicts], width: int = 3, *, matrix: bool = False) -> Iterator[Part]:
    """Yield the parts of the document."""
    first = results[0]
    level = "system" if first.level == "sys" else "segment"
    golds = dict.fromkeys(
        one.gold
        if one.margin is None
        else f"{one.gold} differences {'of at least' if one.inclusive else 'above'} {one.margin:g}"
        for one in results
    )
    name = f"{first.dataset} {first.pair}".strip() if len(results) == 1 else first.dataset
    yield Heading(f"{name}, {level} level: {statistic_name(first)} with {', '.join(golds)}")
    yield from _one(first, width) if len(results) == 1 else _several(results, width)
    if about := list(dict.fromkeys(line for result in results for line in result.about)):
        yield Notes(about)
    for result in results:
        name = f"{result.pair}: " if len(results) > 1 else ""
        if matrix:
            yield from _matrix(result, name)
        if result.items[0].top_n:
            yield from _top(result, width, name)
        if result.items[0].by_quality:
            yield from _by_quality(result, width, name)


def _legend(results: Sequence[Verdicts]) -> Iterator[str]:
    first = results[0]
    counted = {"none": "judged outputs", "item": "segments", "system": "systems"}[first.average]
    if first.statistic.startswith("tau") or (first.level == "seg" and first.statistic.startswith("accuracy")):
        counted = "pairs of outputs"
    elif first.level == "sys":
        counted = "systems"
    yield f"n: {counted}."
    again = sum(result.repeated for result in results)
    if again and first.level == "seg":
        outputs = "1 output was" if again == 1 else f"{again} outputs were"
        yield f"{outputs} judged more than once; the judgements of an output are averaged."
    if first.test:
        level = "" if first.test == "overlap" else f", p < {first.alpha:g}"
        yield f"Marked: no other metric is significantly better ({TESTS[first.test]}{level})."
    where = "" if len(results) == 1 else " in -f json and -f csv"
    drawn = f"{first.resamples} resamples of {first.unit}, seed {first.seed}"
    yield f"Intervals of {100 * first.confidence:g} %{where}: {drawn}."
    items = [item for result in results for item in result.items]
    if averaged := {item.label: item.mean_of_segments for item in items if item.mean_of_segments}:
        over = f"{min(averaged.values())} " if len(set(averaged.values())) == 1 else ""
        yield f"System scores are means of {over}segment scores: {listed([*averaged])}."
    used: dict[tuple[str, ...], dict[str, None]] = {}
    for item in items:
        if item.references:
            used.setdefault(item.references, {})[item.label] = None
    for names, labels in used.items():
        yield f"References{f' of {listed([*labels])}' if len(used) > 1 else ''}: {', '.join(names)}."


def _marked(item: Verdict | None, width: int) -> str:
    text = DASH if item is None else number(item.value, width)
    return Bold(text) if item and item.winner else text


def _one(result: Verdicts, width: int) -> Iterator[Part]:
    columns: dict[str, Column] = {
        "Metric": "label",
        "Value": lambda item: _marked(item, width),
        f"{100 * result.confidence:g} % interval": lambda item: (item.ci_low, item.ci_high),
        "n": "n",
    }
    notes = list(_legend([result]))
    if any(isnan(item.value) for item in result.items):
        notes.append(f"{DASH}: undefined, because scores are missing or all equal.")
    elif any(isnan(item.ci_low) for item in result.items):
        notes.append(f"{DASH}: undefined, because too many resamples have no value; there are too few data.")
    if result.outliers and result.items[0].without_outliers is not None:
        columns["Without outliers"] = "without_outliers"
        notes.append(f"Outliers (far from the median of {result.gold}): {', '.join(result.outliers)}.")
    if result.items[0].epsilon is not None:
        columns["Tied up to"] = lambda item: DASH if isnan(item.epsilon) else f"{item.epsilon:.4g}"
    yield listing(ranked_items(result), columns, width)
    yield Notes(notes)


def _several(results: Sequence[Verdicts], width: int) -> Iterator[Part]:
    found = {result.pair: {item.label: item for item in result.items} for result in results}
    values = {
        label: {pair: by[label].value for pair, by in found.items() if label in by and not isnan(by[label].value)}
        for label in dict.fromkeys(item.label for result in results for item in result.items)
    }
    means = {label: sum(known.values()) / len(known) if known else nan for label, known in values.items()}
    more: dict[str, Any] = {"Mean": means.get, "Pairs": lambda label: len(values[label])}
    if results[0].test:
        more["Wins"] = lambda label: sum(bool(by[label].winner) for by in found.values() if label in by)
    sizes = {result.pair: str(max(item.n for item in result.items)) for result in results}
    table = grid(
        sorted(values, key=lambda label: -means[label] if values[label] else inf),
        [*found, *more],
        lambda label, name: more[name](label) if name in more else _marked(found[name].get(label), width),
        width,
        corner="Metric",
    )
    yield Table(table.header, [["n", *(sizes.get(name, "") for name in table.header[1:])], *table.rows])
    notes = list(_legend(results))
    if len({tuple(known) for known in values.values() if known}) > 1:
        notes.append("The means are over different language pairs, so the order of the metrics is not reliable.")
    yield Notes(notes)


def _matrix(result: Verdicts, name: str) -> Iterator[Part]:
    items, p_values = result.items, result.p_values
    if p_values is None and result.test != "overlap":
        yield Notes([f"{name}No p-values: {'there are too few data' if result.test else 'no test was run'}."])
        return

    def shown(i: int, j: int) -> str:
        better = items[i].label in items[j].outperformed_by
        if p_values is None or i == j:
            return "better" if better else ""
        p = number(float(p_values[i, j]), 3)
        return Bold(p) if better else p

    what = "row better than column: the intervals do not overlap" if p_values is None else P_VALUES
    yield Heading(f"{name}{what}")
    places = {items.index(item): f"({place})" for place, item in enumerate(ranked_items(result), 1)}
    yield grid({i: f"{place} {items[i].label}" for i, place in places.items()}, places, shown, corner="Metric")


def _top(result: Verdicts, width: int, name: str) -> Iterator[Part]:
    yield Heading(f"{name}{statistic_name(result)} over the N best systems")
    ends = {item.label: {n: (low, high) for n, low, high in item.top_n} for item in ranked_items(result)}

    def span(label: str, n: int) -> str:
        return " to ".join(dict.fromkeys(number(end, width) for end in ends[label][n]))

    yield grid(ends.keys(), {n: str(n) for n, _, _ in result.items[0].top_n}, span, corner="Metric")
    if any(low != high and not isnan(low) for known in ends.values() for low, high in known.values()):
        yield Notes(
            ["Two numbers: human scores are tied at the cut; this is the range over all ways to break the tie."]
        )


def _by_quality(result: Verdicts, width: int, name: str) -> Iterator[Part]:
    levels = result.items[0].by_quality
    title = f"by quality: L1 is the worst quarter of outputs, L{len(levels)} the best"
    yield Heading(f"{name}{statistic_name(result)} {title}")
    values = {item.label: [value for _, _, value in item.by_quality] for item in ranked_items(result)}
    columns = {place: f"L{level}" for place, (level, _, _) in enumerate(levels)}
    table = grid(values.keys(), columns, lambda label, place: values[label][place], width, corner="Metric")
    yield Table(table.header, [["n", *(str(n) for _, n, _ in levels)], *table.rows])
