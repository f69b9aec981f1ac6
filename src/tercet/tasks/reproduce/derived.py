"""Printed numbers that follow from other printed numbers: means, sums, percentages, repeated values."""

from collections.abc import Callable, Container, Iterator
from statistics import mean

from .printed import Printed, check, printed
from .results import Cell

MEANS = {"Avg", "Average", "mean", "Average_excl_en-de"}  # columns with the mean of the language pairs
LEFT_OUT = {"Average_excl_en-de": "en-de"}
ROUNDING = 0.001  # a mean of rounded numbers may differ by one in the last digit
YEARS = {"WMT13": "thesis_tA_4", "WMT14": "thesis_tA_3", "WMT15": "thesis_tA_2", "WMT16": "thesis_tA_1"}
SAME_NAME = {"DPMFCOMB": "DPMFCOMB", "VERTA": "VERTA-W", "SIMPBLEU-RECALL": "SIMPBLEU_RECALL"}

Found = Iterator[tuple[str, str, float]]


def derived_cells(expected: str) -> list[Cell]:
    """Return the cells of a table that follow from printed numbers."""
    table = printed(expected)
    found = {(row, column): value for row, column, value in _means(table)}
    if expected in RULES:
        found |= {(row, column): value for row, column, value in RULES[expected](table)}
    cells = []
    for (row, column), value in found.items():
        text = table.cells[row][column]
        if text:
            cells.append(check(row, column, text, value, within=ROUNDING if "." in text else None, must=False))
    return cells


def _means(table: Printed) -> Found:
    """Yield the means of the language pairs, and of their half-widths."""
    for row, columns in table.cells.items():
        for column in columns:
            name, ci = column.removesuffix("_ci"), "_ci" if column.endswith("_ci") else ""
            if name not in MEANS or not columns[column]:
                continue
            pairs = [pair for pair in columns if pair[2:3] == "-" and len(pair) == 5 and pair != LEFT_OUT.get(name)]
            texts = [columns.get(f"{pair}{ci}", "") for pair in pairs]
            if pairs and all(texts):
                yield row, column, mean(float(text) for text in texts)


def _matches(table: Printed) -> Found:
    """Return sums and percentages of Table 4.13."""
    kinds = ("Exact", "Stem", "Synonym", "Paraphrase", "Distributional", "NE")
    for metric in ("UPF-Cobalt", "Meteor"):
        counts = {row: float(table.cells[row][f"{metric}_n"] or 0) for row in table.cells}
        total = sum(counts[kind] for kind in kinds)
        yield "Total Aligned", f"{metric}_n", total
        for kind in kinds:
            yield kind, f"{metric}_pct", 100 * counts[kind] / total
        for row in ("Total MT", "Total Reference"):
            yield row, f"{metric}_pct", 100 * total / counts[row]


def _penalties(table: Printed) -> Found:
    """Return the percentages of Table 4.14, of the words of Table 4.13."""
    words = printed("thesis_t4_13").cells
    for row, columns in table.cells.items():
        yield row, "Pct", 100 * float(columns["Count"]) / float(words[row]["UPF-Cobalt_n"])


def _changed(table: Printed) -> Found:
    """Return the percentages of Table 4.19."""
    for row, columns in table.cells.items():
        yield row, "%", 100 * float(columns["Changed"]) / float(columns["Total"])


def _origins(table: Printed) -> Found:
    """Return Table 3.7 as means of Table 3.8, weighted by the number of sentences."""
    rows = printed("thesis_t3_8").cells.values()
    total = sum(float(row["Sentences"]) for row in rows)
    for metric in table.cells:
        yield metric, "Translation", sum(float(r[f"{metric}_avg"]) * float(r["Sentences"]) for r in rows) / total


def _years(table: Printed) -> Found:
    """Return Table 4.10 as averages of Tables A.1 to A.4."""
    for column, name in YEARS.items():
        rows = {row.upper(): columns for row, columns in printed(name).cells.items()}
        for row in table.cells:
            columns = rows.get(same_row(row, rows), {})
            text = columns.get("Avg") or columns.get("Average") or ""
            if text:
                yield row, column, float(text)


def same_row(row: str, rows: Container[str]) -> str:
    """Return what a row of Table 4.10 is called, in upper case, in the table of a year."""
    return "SENTBLEU" if row == "BLEU" and "SENTBLEU" in rows else SAME_NAME.get(row.upper(), row.upper())


def _best_metric(table: Printed) -> Found:
    """Return the column Metric of Table 4.20, the row DPMFcomb of Table A.2."""
    for pair in table.cells:
        yield pair, "Metric", float(printed("thesis_tA_2").cells["DPMFCOMB"][pair])


RULES: dict[str, Callable[[Printed], Found]] = {
    "thesis_t3_7": _origins,
    "thesis_t4_10": _years,
    "thesis_t4_13": _matches,
    "thesis_t4_14": _penalties,
    "thesis_t4_19": _changed,
    "thesis_t4_20": _best_metric,
}
