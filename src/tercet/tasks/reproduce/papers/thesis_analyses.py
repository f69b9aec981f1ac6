"""Fomicheva (2017), doctoral thesis, sections 4.4, 4.5 and 5.1: averages over years, matches, penalties, agreement,
words.

WMT14 stands in where the texts of WMT16 are missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ....errors import DataError
from ....language.lexical_similarity import LEVELS
from ...alignments import alignments
from ...alignments.counting import SystemAlignments
from ..derived import same_row
from ..printed import check, printed
from ..results import Cell, Plot, Reproduction, Statement, Unchecked
from ..sources import DataSets, read_table
from .rankings import evidence, judged, pairs_of, tokenised
from .thesis_cobalt import NO_PROGRAM, OWN, flat, judged_cobalt, language_pairs, year_values

YEARS = {"WMT13": ("wmt13", "thesis_tA_4"), "WMT14": ("wmt14", "thesis_tA_3"), "WMT15": ("wmt15", "thesis_tA_2"),
         "WMT16": ("wmt16", "thesis_tA_1")}  # fmt: skip
EXACT_PAIR = "cs-en"  # of Tables 4.13 and 4.14
LEVEL_ROWS = dict(zip(("Exact", "Stem", "Synonym", "Paraphrase", "Distributional", "NE"), LEVELS, strict=True))
STAND_IN = "For comparison: the outputs of WMT14 that people compared."


def average_table(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return Table 4.10: averages of tau by year, for the years whose texts are there.

    The tables of the single years print the intervals of these averages.
    """
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    found = {
        column: year_values(data, name, language_pairs(expected), rows)
        for column, (name, expected) in YEARS.items()
        if data(name) is not None
    }
    for row, column, text in printed("thesis_t4_10").numbers():
        name, expected = YEARS[column]
        of_row = found.get(column, {}).get("SENTBLEU" if row == "BLEU" else row, {})
        if "Avg" in of_row:
            interval = _half_width(expected, row)
            cells.append(check(row, column, text, of_row["Avg"], interval=interval, must=False))
        else:
            unchecked.append(Unchecked(row, column, float(text), data.missing([name]) or NO_PROGRAM))
    return Reproduction(cells, unchecked)


def _half_width(expected: str, row: str) -> float | None:
    """Return what the table of a year prints after ± beside the average of a row of Table 4.10."""
    table = printed(expected)
    names = {name.upper(): name for name in table.cells}
    name = names.get(same_row(row, names), "")
    average = next(column for column in table.columns if column in ("Avg", "Average"))
    return table.half_width(name, average) if name else None


def _alignments(data: DataSets) -> tuple[bool, SystemAlignments]:
    """Return whether the texts are those of the thesis, and the alignment statistics of all outputs of cs-en."""

    def make() -> tuple[bool, SystemAlignments]:
        own = data("wmt16") is not None
        name = "wmt16" if own else "wmt14"
        texts = evidence(data, name, EXACT_PAIR)[1] if own else flat(judged(data, name, EXACT_PAIR), EXACT_PAIR)
        return own, alignments(texts, cache=data.cache, executor=data.executor).total

    return data.once("thesis alignments", make)


def match_table(data: DataSets) -> Reproduction:
    """Return Table 4.13: aligned words by kind of match, of UPF-Cobalt and of METEOR."""
    own, found = _alignments(data)
    values: dict[str, dict[str, float]] = {}
    for row, level in LEVEL_ROWS.items():
        count = found.matches[level].total
        values[row] = {"UPF-Cobalt_n": count, "UPF-Cobalt_pct": 100 * count / found.aligned}
        if level in found.meteor:
            other = found.meteor[level].total
            values[row] |= {"Meteor_n": other, "Meteor_pct": 100 * other / found.meteor_aligned}
    values["Total Aligned"] = {"UPF-Cobalt_n": found.aligned, "Meteor_n": found.meteor_aligned}
    for row, words in {"Total MT": found.output_words, "Total Reference": found.reference_words}.items():
        values[row] = {
            "UPF-Cobalt_n": words,
            "UPF-Cobalt_pct": 100 * found.aligned / words,
            "Meteor_n": words,
            "Meteor_pct": 100 * found.meteor_aligned / words,
        }
    return _beside(data, "thesis_t4_13", values, own=own, decimals=1)


def penalty_table(data: DataSets) -> Reproduction:
    """Return Table 4.14: mean context penalty by kind of match."""
    own, found = _alignments(data)
    values = {
        row: {
            "Average": found.penalties[level].mean,
            "Count": found.penalties[level].penalised,
            "Pct": 100 * found.penalties[level].share,
        }
        for row, level in LEVEL_ROWS.items()
        if found.penalties[level].words
    }
    exact = values["Exact"]["Average"]
    others = {row: one["Average"] for row, one in values.items() if row != "Exact"}
    text = "words of the same form have the lowest penalty"
    shown = ", ".join(f"{row} {value:.3f}" for row, value in {"Exact": exact, **others}.items())
    statement = Statement(text, all(exact < value for value in others.values()), shown)
    return replace(_beside(data, "thesis_t4_14", values, own=own, decimals=3), statements=[statement])


def equivalence_table(data: DataSets) -> Reproduction:
    """Return Table 4.19: how many scores change because some dependencies are treated as equivalent."""
    own = data("wmt16") is not None
    name = "wmt16" if own else "wmt14"
    wanted = list(printed("thesis_t4_19").cells) if own else language_pairs("thesis_tA_3")
    values = {}
    for pair in pairs_of(data, name, wanted):
        if own:
            total = alignments(evidence(data, name, pair)[1], cache=data.cache, executor=data.executor).total
            changed, outputs = total.changed, total.segments
        else:
            _, scores = judged_cobalt(data, name, pair)
            changed = int((scores[OWN] != scores["equivalence off"]).sum())
            outputs = len(scores[OWN])
        values[pair] = {"Changed": changed, "Total": outputs, "%": 100 * changed / outputs}
    return _beside(data, "thesis_t4_19", values, own=own, decimals=0)


def _beside(
    data: DataSets, expected: str, values: Mapping[str, Mapping[str, float]], *, own: bool, decimals: int
) -> Reproduction:
    """Compare with print, if the texts are the thesis's; otherwise show the values for comparison."""
    table = printed(expected)
    if own:
        cells = [
            check(row, column, text, values[row][column], must=False)
            for row, column, text in table.numbers()
            if column in values.get(row, {})
        ]
        return Reproduction(cells, decimals=decimals)
    missing = data.missing(["wmt16"])
    unchecked = [Unchecked(row, column, float(text), missing) for row, column, text in table.numbers()]
    return Reproduction(unchecked=unchecked, notes=[STAND_IN], extra=values, decimals=decimals)


def agreement_table(data: DataSets) -> Reproduction:
    """Return Table 4.20: kappa of people who compared the same outputs of WMT15, with and without ties.

    As the task's program counts: two comparisons are of the same outputs only if these were shown in the same order,
    and two of the same judge count too. With ties, systems with the same output are one; without, each of them counts.
    """
    folder = data.needed("wmt15_rr")
    found = read_table(folder, "rankings.tsv", ["lp", "seg", "systems", "ranks"])
    values: dict[str, dict[str, float]] = {}
    chance = []
    for pair in printed("thesis_t4_20").cells:
        rankings = [item for item in zip(*found.values(), strict=True) if item[0] == pair]
        if not rankings:
            raise DataError(f"{folder / 'rankings.tsv'} has no rankings of {pair}.")
        values[pair] = {
            "Human_TIES": _kappa(rankings)[0],
            "Human_-TIES": _kappa(rankings, each_system=True, ties=False)[0],
        }
        chance.append(_kappa(rankings, each_system=True)[1])
    cells = [
        check(row, column, text, values[row][column])
        for row, column, text in printed("thesis_t4_20").numbers()
        if column in values[row]
    ]
    average = float(np.mean(chance))
    text = "section 2.2.4: P(E) is .338 for the language pairs into English"
    statement = Statement(text, round(average, 3) == 0.338, f"{average:.4f}, on average, if each system counts")
    return Reproduction(cells, statements=[statement])


def _kappa(rankings: Sequence[tuple[str, ...]], *, each_system: bool = False, ties: bool = True) -> tuple[float, float]:
    """Return kappa of all comparisons of the same outputs, and P(E).

    each_system: systems with the same output, which was shown once, count as several that are tied. Otherwise they are
    one.
    """
    comparisons: dict[tuple[str, str, str], list[int]] = {}
    for _, segment, systems, ranks in rankings:
        ranked = [
            (name, int(rank))
            for cell, rank in zip(systems.split("|"), ranks.split("|"), strict=True)
            for name in (cell.split(",") if each_system else [cell])
            if int(rank) >= 0
        ]
        for (left, one), (right, other) in combinations(ranked, 2):
            if one != other or ties:
                comparisons.setdefault((segment, left, right), []).append((one > other) - (one < other))
    outcomes = Counter(value for listed in comparisons.values() for value in listed)
    pairs = Counter(one == other for listed in comparisons.values() for one, other in combinations(listed, 2))
    tied = outcomes[0] / outcomes.total()
    by_chance = tied**2 + 2 * ((1 - tied) / 2) ** 2
    return (pairs[True] / pairs.total() - by_chance) / (1 - by_chance), by_chance


def unknown_table(data: DataSets) -> Reproduction:
    """Return Table 5.2: unknown words per sentence. Unknown: in no reference of the other language pairs of WMT14."""
    pairs = [pair for pair in language_pairs("thesis_tA_3") if pair in pairs_of(data, "wmt14", [pair])]
    texts = {pair: tokenised(data, "wmt14", pair) for pair in pairs}
    words = {
        pair: {word for lines in one.references.values() for line in lines for word in (line or "").lower().split()}
        for pair, one in texts.items()
    }
    values = {}
    for pair, one in texts.items():
        known = set().union(*(words[other] for other in pairs if other != pair))
        lines = [line for outputs in one.outputs.values() for line in outputs]
        values[pair] = {"WMT14": float(np.mean([sum(w not in known for w in line.lower().split()) for line in lines]))}
    highest = max(values, key=lambda pair: values[pair]["WMT14"])
    reason = "The thesis's language model, whose vocabulary decides what is unknown, was not published."
    unchecked = [Unchecked(row, column, float(text), reason) for row, column, text in printed("thesis_t5_2").numbers()]
    statement = Statement("WMT14: hi-en has most unknown words", highest == "hi-en", f"{highest} has", must=False)
    note = "For comparison: words that occur in no reference of the other language pairs of WMT14."
    return Reproduction(unchecked=unchecked, statements=[statement], notes=[note], extra=values)


def language_figure(data: DataSets) -> Reproduction:
    """Return Figure 4.3 for WMT14: UPF-Cobalt less BLEU and less the best metric, and its scores, by language pair."""
    pairs = language_pairs("thesis_tA_3")
    found = year_values(data, "wmt14", pairs, {})
    best = printed("thesis_tA_3").cells["DISCOTK-PARTY-TUNED"]
    gains = {
        "less BLEU": [(pair, found[OWN][pair] - found["SENTBLEU"][pair]) for pair in pairs],
        "less the best metric (printed)": [(pair, found[OWN][pair] - float(best[pair])) for pair in pairs],
    }
    scores = {pair: judged_cobalt(data, "wmt14", pair)[1][OWN] for pair in pairs}
    quartiles = {
        name: [(pair, float(np.quantile(values, q))) for pair, values in scores.items()]
        for name, q in (("upper quartile", 0.75), ("median", 0.5), ("lower quartile", 0.25))
    }
    means = {pair: float(values.mean()) for pair, values in scores.items()}
    lowest, most = min(means, key=means.__getitem__), max(gains["less BLEU"], key=lambda item: item[1])[0]
    statements = [
        Statement("WMT14: hi-en has the lowest scores", lowest == "hi-en", f"{lowest}, {means[lowest]:.3f}"),
        Statement("WMT14: the gain over BLEU is largest in hi-en", most == "hi-en", most),
    ]
    plots = [
        Plot("bars", "UPF-Cobalt less other metrics, tau, WMT14", "language pair", "difference in tau", gains),
        Plot("lines", "scores of UPF-Cobalt, WMT14", "language pair", "score", quartiles),
    ]
    extra = {**{name: dict(points) for name, points in gains.items()}, "mean score": means}
    return Reproduction(statements=statements, extra=extra, plots=plots)
