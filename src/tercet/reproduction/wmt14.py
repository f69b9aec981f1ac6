"""Macháček and Bojar (2014), "Results of the WMT14 Metrics Shared Task".

Segment level: tau on the comparisons of five-way rankings, where a tie of the metric counts as half agreement (the
wmt14 variant), with half-widths from 1,000 resamples of comparisons. The published copy has only comparisons into
English in which people preferred one output. Ties are missing, so HTIES and the paper's TrueSkill scores cannot be
recomputed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np

from ..data.scores import Scores
from ..metaeval.gold import find_gold
from ..metaeval.joining import align_systems
from ..metaeval.judging import judge
from ..stats.correlation import pearson, spearman
from . import Cell, DataSets, Printed, Reproduction, Unchecked, check, printed, read_tables
from .rankings import (
    HALF_WIDTH_WITHIN,
    NOT_ASKED,
    check_tau,
    evidence,
    judged,
    missing_pair,
    pairs_of,
    segment_taus,
    sentbleu,
    table_row,
    tokenised,
)

NAME = "wmt14"
PAIRS = ("fr-en", "de-en", "hi-en", "cs-en", "ru-en")
MEANS = ("Average", "Average_excl_en-de")  # of Pearson's r; of Spearman's rho: Spearman_…
WITHIN = 0.005  # of sentBLEU's tau
# Rows of Tables 2 and 3 that Tercet has: on the original texts, and on texts tokenised by Moses.
OF_PLAIN = {"BLEU": "bleu:variant=mteval,tokenize=intl"}
SLOW = {"METEOR": "meteor", "NIST": "nist:tokenize=intl"}  # both levels need them, so all segments are scored
OF_TOKENISED = {
    "TER": "ter:case_sensitive=true",  # variant=moses takes ten times as long for nearly the same scores
    **{row: f"{row.lower()}:variant=moses,tokenize=none" for row in ("WER", "PER", "CDER")},
}
WINS = "expected-wins"  # instead of the task's TrueSkill, which needs the ties
SYSTEM_WIDTH_WITHIN = 0.005  # of half-widths at system level, whose human scores are not the task's
NO_RANKS = "Half-widths of Spearman's rho are not recomputed."
NO_METRIC = "Neither the metric nor its scores are available."
NO_TIES = "It needs rankings.tsv with the ties of all five-way rankings of WMT14; the published copy has none."


def _slow(data: DataSets, pair: str, row: str) -> Scores:
    return data.once((NAME, row, pair), lambda: data.scored(evidence(data, NAME, pair)[1], {row: SLOW[row]})[0])


def _system_scores(data: DataSets, pair: str, rows: Mapping[str, str]) -> list[Scores]:
    """Return the scores of the baselines of Table 2 and of the metrics of `rows`."""
    plain, words = evidence(data, NAME, pair)[1], tokenised(data, NAME, pair)
    slow = [_slow(data, pair, row) for row in SLOW]
    others = data.scored(plain, rows, optional=True)
    return [*data.scored(plain, OF_PLAIN), *slow, *data.scored(words, OF_TOKENISED), *others]


def _taus(data: DataSets, pair: str, rows: Mapping[str, str], bounded: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the taus of sentBLEU and of the metrics of `rows`."""
    people = judged(data, NAME, pair)
    others = {row: spec for row, spec in rows.items() if row not in SLOW}
    scores = [
        sentbleu(data, NAME, pair),
        *(_taken(_slow(data, pair, row), people.rows) for row in SLOW if row in rows),
        *data.scored(people.texts, others, optional=True),
    ]
    return segment_taus(people, scores, bounded)


def _taken(scores: Scores, rows: Sequence[int]) -> Scores:
    """Return the scores of some segments."""
    segment = {name: values[rows] for name, values in scores.segment.items()}
    return replace(scores, segment=segment, counts={}, document_ids=None, n_segments=len(rows))


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
        elif column.startswith("HTIES"):
            unchecked.append(Unchecked(row, column, float(text), NO_TIES))
        elif row in values:
            unchecked.append(Unchecked(row, column, float(text), NOT_ASKED))
        else:
            reason = NOT_ASKED if row in SLOW else NO_METRIC
            unchecked.append(Unchecked(row, column, float(text), reason))
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
    ranks: dict[str, dict[str, float]] = {}
    for pair in here:
        scores = _system_scores(data, pair, rows or {})
        people = evidence(data, NAME, pair)[0]
        gold = find_gold(people, name=WINS, level="sys")
        human, aligned = align_systems(gold, scores)
        correlations = np.stack([pearson(aligned.values, human), spearman(aligned.values, human)])
        for item, (r, rho) in zip(scores, correlations.T.tolist(), strict=True):
            values.setdefault(item.label, {})[pair] = r
            ranks.setdefault(item.label, {})[pair] = rho
        for verdict in judge(people, scores, gold=WINS, level="sys", unit="judgements", significance=None).items:
            values[verdict.label][f"{pair}_ci"] = (verdict.ci_high - verdict.ci_low) / 2
    for row, of_pairs in values.items() if len(here) == len(wanted) else ():
        averaged = [pair for pair in wanted if pair != "en-de"]
        for column in MEANS:
            of_pairs[column] = mean(of_pairs[pair] for pair in averaged)
            of_pairs[f"{column}_ci"] = mean(of_pairs[f"{pair}_ci"] for pair in averaged)
            of_pairs[f"Spearman_{column}"] = mean(ranks[row][pair] for pair in averaged)
    cells, unchecked = [], []
    for row, column, text in table.numbers():
        if not here:
            unchecked.append(missing_pair(NAME, row, column, text))
        elif row not in values:
            unchecked.append(Unchecked(row, column, float(text), NO_METRIC))
        elif column not in values[row]:
            reason = NO_RANKS if column.startswith("Spearman") and column.endswith("_ci") else NOT_ASKED
            unchecked.append(Unchecked(row, column, float(text), reason))
        elif column.endswith("_ci"):
            value = values[row][column]
            cells.append(check(row, column, text, value, within=SYSTEM_WIDTH_WITHIN, decimals=3, must=False))
        else:
            interval = table.half_width(row, column)
            cells.append(check(row, column, text, values[row][column], interval=interval, must=False))
    specs = "; ".join(f"{row}: {spec}" for row, spec in {**OF_PLAIN, **SLOW, **OF_TOKENISED, **(rows or {})}.items())
    extra = {
        row: {column: value for column, value in found.items() if column in table.columns}
        for row, found in values.items()
        if row not in table.cells
    }
    return Reproduction(cells, unchecked, extra=extra, note_values={"specs": specs})


TABLES = read_tables("wmt14", globals())
