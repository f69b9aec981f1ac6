"""The document of `tercet meta`: a table for one language pair, or a table with one column per pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan, nan

from ..metaeval import Verdict, Verdicts
from ..metaeval.joining import listed
from ..metaeval.results import ranked_items, statistic_name
from ..rendering.document import Heading, Notes, Part, Table
from ..rendering.tables import DASH, Bold, full, interval, number

TESTS = {
    "williams": "Williams' test, one-sided",
    "bootstrap": "paired bootstrap",
    "overlap": "intervals do not overlap",
    "perm-inputs": "permutation of segments",
    "perm-systems": "permutation of systems",
    "perm-both": "permutation of systems and segments",
}


COLUMNS = ("pair", "metric", "label", "level", "statistic", "gold", "value", "signed", "n", "ci_low", "ci_high",
           "winner", "without_outliers", "epsilon")  # fmt: skip


def verdict_parts(
    results: Sequence[Verdicts], form: str = "text", width: int = 3, *, matrix: bool = False
) -> Iterator[Part]:
    """Yield the parts of the document. CSV and TSV have one row per metric and pair."""
    if form in ("csv", "tsv"):
        rows = [row for result in results for row in result.rows()]
        yield Table(COLUMNS, [[full(row[name]) for name in COLUMNS] for row in rows])
        return
    yield from _one(results[0], width) if len(results) == 1 else _several(results, width)
    for result in results:
        name = f"{result.pair}: " if len(results) > 1 else ""
        if matrix:
            yield from _matrix(result, name)
        if result.items[0].top_n:
            yield from _top(result, width, name)
        if result.items[0].by_quality:
            yield from _by_quality(result, width, name)


def _people(result: Verdicts) -> str:
    return result.gold if result.margin is None else f"{result.gold} differences above {result.margin:g}"


def _counted(result: Verdicts) -> str:
    """Return what n counts."""
    if result.statistic.startswith("tau"):
        return "pairs of outputs"
    if result.level == "sys":
        return "systems"
    if result.statistic.startswith("accuracy"):
        return "pairs of outputs"
    return {"none": "judged outputs", "item": "segments", "system": "systems"}[result.average]


def _cell(item: Verdict, width: int) -> str:
    text = number(item.value, width)
    return Bold(text) if item.winner else text


def _legend(results: Sequence[Verdicts]) -> list[str]:
    first = results[0]
    notes = [f"n: {_counted(first)}."]
    again = sum(result.repeated for result in results)
    if again and first.level == "seg":
        outputs = "1 output was" if again == 1 else f"{again} outputs were"
        notes.append(f"{outputs} judged more than once; the judgements of an output are averaged.")
    if first.test:
        level = "" if first.test == "overlap" else f", p < {first.alpha:g}"
        notes.append(f"Marked: no other metric is significantly better ({TESTS[first.test]}{level}).")
    drawn = f"{first.resamples} resamples of {first.unit}, seed {first.seed}"
    where = "" if len(results) == 1 else " in -f json and -f csv"
    notes.append(f"Intervals of {100 * first.confidence:g} %{where}: {drawn}.")
    return notes + _averaged(results) + _references(results)


def _averaged(results: Sequence[Verdicts]) -> list[str]:
    """Return a sentence on metrics whose system scores are means of segment scores, if there are any."""
    averaged = {item.label: item.mean_of_segments for one in results for item in one.items if item.mean_of_segments}
    over = f"{min(averaged.values())} " if len(set(averaged.values())) == 1 else ""
    return [f"System scores are means of {over}segment scores: {listed([*averaged])}."] if averaged else []


def _references(results: Sequence[Verdicts]) -> list[str]:
    """Return sentences on the references that metrics were computed with, if known."""
    items = [item for result in results for item in result.items if item.references]
    used: dict[tuple[str, ...], dict[str, None]] = {}
    for item in items:
        used.setdefault(item.references, {})[item.label] = None
    if len(used) < 2:
        return [f"References: {', '.join(names)}." for names in used]
    return [f"References of {', '.join(labels)}: {', '.join(names)}." for names, labels in used.items()]


def _one(result: Verdicts, width: int) -> Iterator[Part]:
    level = "system" if result.level == "sys" else "segment"
    name = f"{result.dataset} {result.pair}".strip()
    yield Heading(f"{name}, {level} level: {statistic_name(result)} with {_people(result)}")
    header = ["Metric", "Value", f"{100 * result.confidence:g} % interval", "n"]
    extra = bool(result.outliers) and result.items[0].without_outliers is not None
    if extra:
        header.append("Without outliers")
    if result.items[0].epsilon is not None:
        header.append("Tied up to")
    rows = []
    for item in ranked_items(result):
        row = [item.label, _cell(item, width), interval(item.ci_low, item.ci_high, width), str(item.n)]
        if extra:
            row.append(number(item.without_outliers, width))
        if item.epsilon is not None:
            row.append(DASH if isnan(item.epsilon) else f"{item.epsilon:.4g}")
        rows.append(row)
    yield Table(header, rows)
    notes = _legend([result])
    if any(isnan(item.value) for item in result.items):
        notes.append(f"{DASH}: undefined, because scores are missing or all equal.")
    elif any(isnan(item.ci_low) for item in result.items):
        notes.append(f"{DASH}: undefined, because too many resamples have no value; there are too few data.")
    if extra:
        notes.append(f"Outliers (far from the median of {result.gold}): {', '.join(result.outliers)}.")
    yield Notes(notes)


def _several(results: Sequence[Verdicts], width: int) -> Iterator[Part]:
    first = results[0]
    level = "system" if first.level == "sys" else "segment"
    golds = ", ".join(dict.fromkeys(_people(result) for result in results))
    yield Heading(f"{first.dataset}, {level} level: {statistic_name(first)} with {golds}")
    found = [{item.label: item for item in result.items} for result in results]
    labels = dict.fromkeys(item.label for result in results for item in result.items)
    rows = []
    means = {label: _mean([by_label[label].value for by_label in found if label in by_label]) for label in labels}
    wins = {label: sum(bool(by_label[label].winner) for by_label in found if label in by_label) for label in labels}
    for label in sorted(labels, key=lambda name: (isnan(means[name]), -means[name] if not isnan(means[name]) else 0.0)):
        cells = [_cell(by_label[label], width) if label in by_label else DASH for by_label in found]
        present = sum(cell != DASH for cell in cells)
        row = [label, *cells, number(means[label], width), str(present)]
        rows.append([*row, str(wins[label])] if first.test else row)
    header = ["Metric", *(result.pair for result in results), "Mean", "Pairs", *(["Wins"] if first.test else [])]
    sizes = ["n", *(str(max(item.n for item in result.items)) for result in results), "", ""]
    yield Table(header, [[*sizes, ""] if first.test else sizes, *rows])
    notes = _legend(results)
    averaged = {tuple(label in one and not isnan(one[label].value) for one in found) for label in labels}
    if len({pairs for pairs in averaged if any(pairs)}) > 1:
        notes.append("The means are over different language pairs, so the order of the metrics is not reliable.")
    yield Notes(notes)


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if not isnan(value)]
    return sum(defined) / len(defined) if defined else nan


def _matrix(result: Verdicts, name: str) -> Iterator[Part]:
    if result.p_values is None and result.test == "overlap":
        yield from _overlap_matrix(result, name)
        return
    if result.p_values is None:
        yield Notes([f"{name}No p-values: {'there are too few data' if result.test else 'no test was run'}."])
        return
    ranked = ranked_items(result)
    order = [result.items.index(item) for item in ranked]
    rows = []
    for number_of_row, (item, i) in enumerate(zip(ranked, order, strict=True), 1):
        cells = []
        for j in order:
            p = float(result.p_values[i, j])
            better = item.value > result.items[j].value and p < result.alpha
            text = "" if i == j else number(p, 3)
            cells.append(Bold(text) if better and i != j else text)
        rows.append([f"({number_of_row}) {item.label}", *cells])
    yield Heading(f"{name}p-values: row better than column")
    yield Table(["Metric", *(f"({place})" for place in range(1, len(order) + 1))], rows)


def _overlap_matrix(result: Verdicts, name: str) -> Iterator[Part]:
    ranked = ranked_items(result)
    rows = [
        [f"({place}) {one.label}", *("better" if one.label in other.outperformed_by else "" for other in ranked)]
        for place, one in enumerate(ranked, 1)
    ]
    yield Heading(f"{name}row better than column: the intervals do not overlap")
    yield Table(["Metric", *(f"({place})" for place in range(1, len(ranked) + 1))], rows)


def _top(result: Verdicts, width: int, name: str) -> Iterator[Part]:
    yield Heading(f"{name}{statistic_name(result)} over the N best systems")
    rows = []
    for item in ranked_items(result):
        both = [(number(low, width), number(high, width)) for _, low, high in item.top_n]
        rows.append([item.label, *(" to ".join(dict.fromkeys(ends)) for ends in both)])
    yield Table(["Metric", *(str(n) for n, _, _ in result.items[0].top_n)], rows)
    if any(low != high and not isnan(low) for item in result.items for _, low, high in item.top_n):
        yield Notes(
            ["Two numbers: human scores are tied at the cut; this is the range over all ways to break the tie."]
        )


def _by_quality(result: Verdicts, width: int, name: str) -> Iterator[Part]:
    levels = result.items[0].by_quality
    rows = [["n", *(str(n) for _, n, _ in levels)]]
    rows += [[item.label, *(number(value, width) for _, _, value in item.by_quality)] for item in ranked_items(result)]
    title = f"by quality: L1 is the worst quarter of outputs, L{len(levels)} the best"
    yield Heading(f"{name}{statistic_name(result)} {title}")
    yield Table(["Metric", *(f"L{level}" for level, _, _ in levels)], rows)
