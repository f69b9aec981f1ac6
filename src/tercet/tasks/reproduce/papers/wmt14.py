"""Macháček and Bojar (2014), "Results of the WMT14 Metrics Shared Task".

Segment level: tau on the comparisons of five-way rankings, where a tie of the metric counts as half agreement (the
wmt14 variant), with half-widths from 1,000 resamples of comparisons. The published copy has only comparisons into
English in which people preferred one output. Ties are missing, so HTIES and the paper's TrueSkill scores cannot be
recomputed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import mean

from ....data.scores import Scores
from ....metaeval.judging import judge
from ..printed import Printed, check, printed
from ..results import Cell, Reproduction, Unchecked
from ..sources import DataSets
from .rankings import (
    HALF_WIDTH_WITHIN,
    NOT_ASKED,
    check_tau,
    evidence,
    judged,
    missing_pair,
    own_taus,
    pairs_of,
    segment_taus,
    sentbleu,
    table_row,
    tokenised,
    whole_scores,
)

NAME = "wmt14"
PAIRS = ("fr-en", "de-en", "hi-en", "cs-en", "ru-en")
MEANS = ("Average", "Average_excl_en-de")  # of Pearson's r; of Spearman's rho: Spearman_…
WITHIN = 0.005  # of sentBLEU's tau
# Rows of Tables 2 and 3 that Tercet has: on the original texts, and on texts tokenised by Moses.
OF_PLAIN = {"BLEU": "bleu:variant=mteval,tokenize=intl", "METEOR": "meteor", "NIST": "nist:tokenize=intl"}
OF_TOKENISED = {
    "TER": "ter:case_sensitive=true",  # variant=moses takes ten times as long for nearly the same scores
    **{row: f"{row.lower()}:variant=moses,tokenize=none" for row in ("WER", "PER", "CDER")},
}
WINS = "expected-wins"  # instead of the task's TrueSkill, which needs the ties
SYSTEM_WIDTH_WITHIN = 0.005  # of half-widths at system level, whose human scores are not the task's
NO_METRIC = "Neither the metric nor its scores are available."
NO_TIES = (
    "It needs the ties of all five-way rankings, which the published copy does not have. Who has them as rankings gets "
    "HTIES by tercet meta --stat tau:hties."
)


def _system_scores(data: DataSets, pair: str, rows: Mapping[str, str]) -> list[Scores]:
    """Return the scores of the baselines of Table 2 and of the metrics of `rows`."""
    plain, words = evidence(data, NAME, pair)[1], tokenised(data, NAME, pair)
    own = whole_scores(data, NAME, pair, rows)
    return [*data.scored(plain, OF_PLAIN), *data.scored(words, OF_TOKENISED), *own]


def _taus(data: DataSets, pair: str, rows: Mapping[str, str], bounded: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the taus of sentBLEU and of the metrics of `rows`."""
    own = segment_taus(judged(data, NAME, pair), [sentbleu(data, NAME, pair)], bounded)
    return own | own_taus(data, NAME, pair, rows, bounded)


def _pairs_in(table: Printed) -> tuple[str, ...]:
    """Return the language pairs among the columns of a table."""
    return tuple(name for name in table.columns if len(name) == 5 and "-" in name)


def segment_table(
    data: DataSets,
    *,
    expected: str = "wmt14_t4",
    rows: Mapping[str, str] | None = None,
    pairs: Sequence[str] | None = None,
) -> Reproduction:
    """Return Table 4 or 5: tau by language pair. rows: metrics by row. pairs: only these; means need all pairs."""
    table = printed(expected)
    wanted = _pairs_in(table)
    here = pairs_of(data, NAME, wanted if pairs is None else pairs)
    bounded = [row for row in table.cells if row == "SENTBLEU" or (rows and row in rows)]
    by_pair = {pair: _taus(data, pair, rows or {}, bounded) for pair in here}
    names = list(dict.fromkeys(name for found in by_pair.values() for name in found))
    values = {
        name: table_row({pair: found[name] for pair, found in by_pair.items() if name in found}, wanted)
        for name in names
    }
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in table.numbers():
        value = values.get(row, {}).get(column)
        if value is not None:
            within = WITHIN if row == "SENTBLEU" else None
            must = row in ("SENTBLEU", "METEOR")
            cells.append(check_tau(table, row, column, text, value, must=must, within=within))
        elif not here:
            unchecked.append(missing_pair(NAME, row, column, text))
        elif column.startswith("HTIES") or row == "n":
            unchecked.append(Unchecked(row, column, float(text), NO_TIES))
        elif row in values:
            unchecked.append(Unchecked(row, column, float(text), NOT_ASKED))
        else:
            unchecked.append(Unchecked(row, column, float(text), NO_METRIC))
    taus = [cell for cell in cells if cell.row == "SENTBLEU" and not cell.column.endswith("_ci")]
    extra = {name: row for name, row in values.items() if name not in table.cells}
    return Reproduction(
        cells,
        unchecked,
        extra=extra,
        note_values={
            "within": WITHIN,
            "half_width_within": HALF_WIDTH_WITHIN,
            "largest": max((abs(cell.difference) for cell in taus), default=float("nan")),
        },
    )


def system_table(
    data: DataSets,
    *,
    expected: str = "wmt14_t2",
    rows: Mapping[str, str] | None = None,
    pairs: Sequence[str] | None = None,
) -> Reproduction:
    """Return Table 2 or 3: system level, with expected wins instead of the task's TrueSkill.

    rows: metrics by row, besides the baselines. pairs: only these.
    """
    table = printed(expected)
    wanted = _pairs_in(table)
    here = pairs_of(data, NAME, wanted if pairs is None else pairs)
    values: dict[str, dict[str, float]] = {}
    ranks: dict[str, dict[str, float]] = {}  # Spearman's rho
    systems: dict[str, float] = {}
    for pair in here:
        scores = _system_scores(data, pair, rows or {})
        people = evidence(data, NAME, pair)[0]
        for statistic, found in (("pearson", values), ("spearman", ranks)):
            verdicts = judge(
                people, scores, gold=WINS, level="sys", statistic=statistic, unit="judgements", significance=None
            )
            for item in verdicts.items:
                of_row = found.setdefault(item.label, {})
                of_row |= {pair: item.value, f"{pair}_ci": (item.ci_high - item.ci_low) / 2}
                systems[pair] = item.n
    averaged = [pair for pair in wanted if pair != "en-de"]
    for row, of_pairs in values.items() if len(here) == len(wanted) else ():
        for column, end in product(MEANS, ("", "_ci")):
            of_pairs[f"{column}{end}"] = mean(of_pairs[f"{pair}{end}"] for pair in averaged)
            of_pairs[f"Spearman_{column}{end}"] = mean(ranks[row][f"{pair}{end}"] for pair in averaged)
    values["n"] = systems
    cells, unchecked = [], []
    for row, column, text in table.numbers():
        if not here:
            unchecked.append(missing_pair(NAME, row, column, text))
        elif row not in values:
            unchecked.append(Unchecked(row, column, float(text), NO_METRIC))
        elif column not in values[row]:
            unchecked.append(Unchecked(row, column, float(text), NOT_ASKED))
        elif column.endswith("_ci"):
            value = values[row][column]
            cells.append(check(row, column, text, value, within=SYSTEM_WIDTH_WITHIN, decimals=3, must=False))
        else:
            interval = table.half_width(row, column)
            cells.append(check(row, column, text, values[row][column], interval=interval, must=row == "n"))
    specs = "; ".join(f"{row}: {spec}" for row, spec in {**OF_PLAIN, **OF_TOKENISED, **(rows or {})}.items())
    extra = {
        row: {column: value for column, value in found.items() if column in table.columns}
        for row, found in values.items()
        if row not in table.cells
    }
    return Reproduction(cells, unchecked, extra=extra, note_values={"specs": specs})
