"""Fomicheva (2017), sections 4.4, 4.5 and 5.1. WMT14 stands in where the texts of WMT16 are missing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ....errors import DataError
from ....language.lexical_similarity import LEVELS
from ....stats.reliability import preference_agreement
from ...alignments import alignments
from ...alignments.counting import SystemAlignments
from ..derived import YEARS, same_row
from ..printed import all_unchecked, compare, printed
from ..results import Plot, Reproduction, Statement
from ..sources import DataSets, once, read_table
from ..tables import why_absent
from .rankings import Taus, evidence, judged, language_pairs, pairs_of, tokenised
from .thesis_cobalt import OWN, flat, judged_cobalt, year_values

EXACT_PAIR = "cs-en"  # of Tables 4.13 and 4.14
LEVEL_ROWS = dict(zip(("Exact", "Stem", "Synonym", "Paraphrase", "Distributional", "NE"), LEVELS, strict=True))
STAND_IN = "For comparison: the outputs of WMT14 that people compared."
NO_VOCABULARY = "The thesis's language model, whose vocabulary decides what is unknown, was not published."


def average_table(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return Table 4.10: averages of tau by year, for the years whose texts are there."""
    values: Taus = {}
    for year, expected in YEARS.items():
        if data(year.lower()) is not None:
            for row, found in year_values(data, expected, year.lower(), rows).items():
                if "Avg" in found:
                    values.setdefault("BLEU" if row == "SENTBLEU" else row, {})[year] = found["Avg"]
    return compare(
        "thesis_t4_10",
        values,
        lambda row, year: data.missing([year.lower()]) or why_absent(row),
        lambda row, year: {"interval": _half_width(YEARS[year], row)},
    )


def _half_width(expected: str, row: str) -> float | None:
    """Return what the table of a year prints after ± beside the average of a row of Table 4.10."""
    table = printed(expected)
    names = {name.upper(): name for name in table.cells}
    name = names.get(same_row(row, names), "")
    average = next(column for column in table.columns if column in ("Avg", "Average"))
    return table.half_width(name, average) if name else None


def _data_set(data: DataSets) -> str:
    """Return the name of the thesis's data set, or of the one that stands in."""
    return "wmt16" if data("wmt16") is not None else "wmt14"


@once
def _alignments(data: DataSets) -> SystemAlignments:
    """Return the alignment statistics of all outputs of cs-en; of WMT14, of those that people compared."""
    name = _data_set(data)
    own = name == "wmt16"
    texts = evidence(data, name, EXACT_PAIR)[1] if own else flat(judged(data, name, EXACT_PAIR), EXACT_PAIR)
    return alignments(texts, cache=data.cache, executor=data.executor).total


def match_table(data: DataSets) -> Reproduction:
    """Return Table 4.13: aligned words by kind of match, of UPF-Cobalt and of METEOR."""
    found = _alignments(data)
    values: Taus = {}
    for row, level in LEVEL_ROWS.items():
        of_row = values.setdefault(row, {})
        for metric, matches, aligned in (
            ("UPF-Cobalt", found.matches, found.aligned),
            ("Meteor", found.meteor, found.meteor_aligned),
        ):
            if level in matches:
                count = matches[level].total
                of_row |= {f"{metric}_n": count, f"{metric}_pct": 100 * count / aligned}
    values["Total Aligned"] = {"UPF-Cobalt_n": found.aligned, "Meteor_n": found.meteor_aligned}
    for row, words in {"Total MT": found.output_words, "Total Reference": found.reference_words}.items():
        values[row] = {"UPF-Cobalt_n": words, "UPF-Cobalt_pct": 100 * found.aligned / words}
        values[row] |= {"Meteor_n": words, "Meteor_pct": 100 * found.meteor_aligned / words}
    return _beside(data, "thesis_t4_13", values, decimals=1)


def penalty_table(data: DataSets) -> Reproduction:
    """Return Table 4.14: mean context penalty by kind of match."""
    penalties = _alignments(data).penalties
    values = {
        row: {"Average": of_level.mean, "Count": of_level.penalised, "Pct": 100 * of_level.share}
        for row, of_level in ((row, penalties[level]) for row, level in LEVEL_ROWS.items())
        if of_level.words
    }
    averages = {"Exact": values["Exact"]["Average"], **{row: one["Average"] for row, one in values.items()}}
    lowest = all(averages["Exact"] < value for row, value in averages.items() if row != "Exact")
    shown = ", ".join(f"{row} {value:.3f}" for row, value in averages.items())
    statement = Statement("words of the same form have the lowest penalty", lowest, shown)
    return replace(_beside(data, "thesis_t4_14", values, decimals=3), statements=[statement])


def equivalence_table(data: DataSets) -> Reproduction:
    """Return Table 4.19: how many scores change because some dependencies are treated as equivalent."""
    name = _data_set(data)
    own = name == "wmt16"
    values = {}
    for pair in pairs_of(data, name, list(printed("thesis_t4_19").cells) if own else language_pairs("thesis_tA_3")):
        if own:
            total = alignments(evidence(data, name, pair)[1], cache=data.cache, executor=data.executor).total
            changed, outputs = total.changed, total.segments
        else:
            scores = judged_cobalt(data, name, pair)
            changed, outputs = int((scores[OWN] != scores["equivalence off"]).sum()), len(scores[OWN])
        values[pair] = {"Changed": changed, "Total": outputs, "%": 100 * changed / outputs}
    return _beside(data, "thesis_t4_19", values, decimals=0)


def _beside(data: DataSets, expected: str, values: Mapping[str, Mapping[str, float]], *, decimals: int) -> Reproduction:
    """Compare with print, if the texts are the thesis's; otherwise show the values for comparison."""
    missing = data.missing(["wmt16"])
    if not missing:
        return replace(compare(expected, values, decimals=decimals), unchecked=())
    return Reproduction(unchecked=all_unchecked(expected, missing), notes=[STAND_IN], extra=values, decimals=decimals)


def agreement_table(data: DataSets) -> Reproduction:
    """Return Table 4.20: kappa of people who compared the same outputs of WMT15, with and without ties."""
    folder = data.needed("wmt15_rr")
    found = read_table(folder, "rankings.tsv", ["lp", "seg", "systems", "ranks"])
    values, chance = {}, []
    for pair in printed("thesis_t4_20").cells:
        rankings = [item for item in zip(*found.values(), strict=True) if item[0] == pair]
        if not rankings:
            raise DataError(f"{folder / 'rankings.tsv'} has no rankings of {pair}.")
        without_ties = _kappa(rankings, each_system=True, ties=False)[0]
        values[pair] = {"Human_TIES": _kappa(rankings)[0], "Human_-TIES": without_ties}
        chance.append(_kappa(rankings, each_system=True)[1])
    average = float(np.mean(chance))
    text = "section 2.2.4: P(E) is .338 for the language pairs into English"
    statement = Statement(text, round(average, 3) == 0.338, f"{average:.4f}, on average, if each system counts")
    return replace(compare("thesis_t4_20", values, must=True, statements=[statement]), unchecked=())


def _kappa(rankings: Sequence[tuple[str, ...]], *, each_system: bool = False, ties: bool = True) -> tuple[float, float]:
    """Return kappa of all comparisons of the same outputs, and P(E). each_system: equal outputs count as several."""
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
    found = preference_agreement(pairs[True], pairs[False], ties=outcomes[0] / outcomes.total())
    return found.kappa, found.expected


def unknown_table(data: DataSets) -> Reproduction:
    """Return Table 5.2: unknown words per sentence. Unknown: in no reference of the other language pairs of WMT14."""
    pairs = pairs_of(data, "wmt14", language_pairs("thesis_tA_3"))
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
    statement = Statement("WMT14: hi-en has most unknown words", highest == "hi-en", f"{highest} has", must=False)
    notes = ["For comparison: words that occur in no reference of the other language pairs of WMT14."]
    unchecked = all_unchecked("thesis_t5_2", NO_VOCABULARY)
    return Reproduction(unchecked=unchecked, statements=[statement], notes=notes, extra=values)


def language_figure(data: DataSets) -> Reproduction:
    """Return Figure 4.3 for WMT14: UPF-Cobalt less BLEU and less the best metric, and its scores, by language pair."""
    pairs = language_pairs("thesis_tA_3")
    found = year_values(data, "thesis_tA_3", "wmt14", {OWN: "cobalt"})
    best = printed("thesis_tA_3").cells["DISCOTK-PARTY-TUNED"]
    gains = {
        "less BLEU": {pair: found[OWN][pair] - found["SENTBLEU"][pair] for pair in pairs},
        "less the best metric (printed)": {pair: found[OWN][pair] - float(best[pair]) for pair in pairs},
    }
    scores = {pair: judged_cobalt(data, "wmt14", pair)[OWN] for pair in pairs}
    quartiles = {
        name: [(pair, float(np.quantile(values, q))) for pair, values in scores.items()]
        for name, q in (("upper quartile", 0.75), ("median", 0.5), ("lower quartile", 0.25))
    }
    means = {pair: float(values.mean()) for pair, values in scores.items()}
    lowest = min(means, key=means.__getitem__)
    most = max(pairs, key=gains["less BLEU"].__getitem__)
    statements = [
        Statement("WMT14: hi-en has the lowest scores", lowest == "hi-en", f"{lowest}, {means[lowest]:.3f}"),
        Statement("WMT14: the gain over BLEU is largest in hi-en", most == "hi-en", most),
    ]
    bars = {name: list(points.items()) for name, points in gains.items()}
    plots = [
        Plot("bars", "UPF-Cobalt less other metrics, tau, WMT14", "language pair", "difference in tau", bars),
        Plot("lines", "scores of UPF-Cobalt, WMT14", "language pair", "score", quartiles),
    ]
    return Reproduction(statements=statements, extra={**gains, "mean score": means}, plots=plots)
