"""Gekhman, Aharoni, Beryozkin, Freitag and Macherey (2020), "KoBE: Knowledge-Based Machine Translation Evaluation",
Findings of EMNLP.

The other metrics are those of WMT19, with signed correlations. KoBE itself needs all texts annotated with entities of a
large knowledge base, of which only a sample was published. The table "ours" has the results with Tercet's own knowledge
base next to the paper's numbers. Counts of entities and figures are in `kobe_entities`.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from ....data.layouts import open_testset
from ....metrics import Metric
from ....stats.correlation import pearson
from ..printed import check, printed
from ..results import Cell, Reproduction, Statement, Unchecked
from ..sources import DataSets
from .kobe_entities import annotations_of, needed_file, published, sample_row
from .wmt19_systems import system_level

OWN = "KoBE"
WITH_REFERENCE = "KoBE, reference"


def correlation_table(data: DataSets, expected: str) -> Reproduction:
    """Return one of Tables 1 to 4: signed Pearson's r."""
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    own = _own_row(data, expected)
    for row, pair, text in printed(expected).numbers():
        if row == OWN and pair not in own:
            unchecked.append(Unchecked(row, pair, float(text), needed_file("PAIR")))
        elif row == OWN:
            cells.append(check(row, pair, text, own[pair], decimals=3, must=False))
        elif pair == "mean":
            found = mean(cell.recomputed for cell in cells if cell.row == row)
            cells.append(check(row, pair, text, found))
        else:
            r = _published(data, pair).get(row, float("nan"))
            cells.append(check(row, pair, text, r, decimals=3))
    sample, note = sample_row(data) if expected == "kobe_t4" else ({}, "")
    extra = {"KoBE, on the published sample": sample} if sample else {}
    return Reproduction(cells, unchecked, notes=[note] if note else [], extra=extra)


def _own_row(data: DataSets, expected: str) -> dict[str, float]:
    """Return KoBE's own row for the language pairs that have the paper's annotations."""
    against = "reference" if expected == "kobe_t4" else "source"
    found: dict[str, float] = {}
    for pair in printed(expected).columns:
        path = annotations_of(data, pair)
        if path is not None:
            found |= {pair: _correlations_from_texts(data, pair, {OWN: published(path, against)})[OWN]}
    return found


def _published(data: DataSets, pair: str) -> dict[str, float]:
    """Return Pearson's r of the metrics whose scores the task published."""
    one = system_level(data, pair)
    return dict(zip(one.metrics, one.correlations.tolist(), strict=True))


def _correlations_from_texts(data: DataSets, pair: str, specs: Mapping[str, str | Metric]) -> dict[str, float]:
    """Return Pearson's r with DA of metrics that are computed from the texts, by row."""
    judged, testset = system_level(data, pair), open_testset(data.needed("wmt19"), pair)
    found = data.scored(testset.only(judged.systems), specs)
    return {
        scores.label: float(pearson([scores.system[system] for system in judged.systems], judged.human))
        for scores in found
    }


def own_table(data: DataSets) -> Reproduction:
    """Return KoBE of all 18 language pairs with Tercet's knowledge base, with printed KoBE and other metrics."""
    source = {pair: text for table in ("kobe_t1", "kobe_t2", "kobe_t3") for pair, text in _row(table, OWN).items()}
    reference = {pair: text for pair, text in _row("kobe_t4", OWN).items() if pair != "mean"}
    cells: dict[str, list[Cell]] = {OWN: [], WITH_REFERENCE: []}
    others: dict[str, dict[str, float]] = {"BLEU": {}, "YiSi-2": {}}
    for pair, text in source.items():
        specs = {OWN: "kobe", "BLEU": "bleu"}
        if pair in reference:
            specs[WITH_REFERENCE] = "kobe:against=reference"
        found = _correlations_from_texts(data, pair, specs)
        cells[OWN].append(check(OWN, pair, text, found[OWN], decimals=3, must=False))
        if pair in reference:
            own = check(WITH_REFERENCE, pair, reference[pair], found[WITH_REFERENCE], decimals=3, must=False)
            cells[WITH_REFERENCE].append(own)
        others["BLEU"][pair] = found["BLEU"]
        others["YiSi-2"][pair] = _published(data, pair).get("YiSi-2", float("nan"))
    listed = [*cells[OWN], *cells[WITH_REFERENCE]]
    return Reproduction(listed, statements=_compared(cells, others["YiSi-2"]), extra=others)


def _row(expected: str, row: str) -> Mapping[str, str]:
    return {pair: text for pair, text in printed(expected).cells[row].items() if text}


def _compared(cells: Mapping[str, list[Cell]], yisi_2: Mapping[str, float]) -> list[Statement]:
    """Return statements that compare Tercet's KoBE with the paper's; none is required to hold."""
    own = cells[OWN]
    above = sum(cell.recomputed > yisi_2[cell.column] for cell in own)
    reached = sum(round(cell.recomputed, 3) >= cell.printed for cell in own)
    statements = [
        Statement(f"{OWN}: above YiSi-2 in most pairs", 2 * above > len(own), f"{above} of {len(own)}", must=False),
        Statement(
            f"{OWN}: at or above the paper's in most pairs", 2 * reached > len(own), f"{reached} of {len(own)}",
            must=False,
        ),
    ]  # fmt: skip
    for row, listed in cells.items():
        ours, paper = mean(cell.recomputed for cell in listed), mean(cell.printed for cell in listed)
        text = f"{row}: the mean of {len(listed)} pairs reaches the paper's, {paper:.3f}"
        statements.append(Statement(text, round(ours, 3) >= round(paper, 3), f"{ours:.3f}", must=False))
    return statements
