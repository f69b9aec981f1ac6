"""The segment level of the WMT19 metrics task (Ma et al. 2019): daRR pairs, where a tie of the metric counts against
it.

The task's daRR pairs are public for few language pairs; a table is made of those that are found. Numbers are compared
with print only where all of a language pair's daRR pairs are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....data.evidence import Evidence, evidence_pairs, open_evidence
from ....data.layouts import open_testset
from ....data.scores import Scores
from ....data.testset import TestSet
from ....errors import DataError
from ....metaeval.judging import judge
from ..printed import check, printed
from ..results import Cell, Reproduction, Statement, Unchecked
from ..sources import DataSets
from .wmt19_systems import system_level

NO_SCORES = "The task's segment scores are not available. Tercet's metrics of this kind have other models; see below."
NO_PARAMETERS = {"YiSi-0": "The task's parameters of YiSi-0 are not known; Tercet's is shown for comparison."}
EVERY_OUTPUT = ("gu-en", "kk-en", "lt-en")  # every output of these was judged; of others, Table 1 has fewer pairs
ON_PART = "{}, on the pairs at hand"


def judged_segments(data: DataSets, pair: str) -> tuple[Evidence, TestSet]:
    """Return the daRR pairs with published segment scores, and the texts, of a language pair."""

    def read() -> tuple[Evidence, TestSet]:
        evidence = open_evidence(data.needed("wmt19_darr"), pair)
        testset = open_testset(data.needed("wmt19"), pair)
        if list(evidence.segments) != [str(number) for number in range(1, len(testset) + 1)]:
            raise DataError(
                f"wmt19_darr {pair} has scores of {len(evidence.segments)} segments, but the texts have {len(testset)}."
            )
        return evidence, testset

    return data.once(("wmt19 segments", pair), read)


def pairs_with_darr(data: DataSets) -> set[str]:
    """Return the language pairs that have daRR pairs."""
    return data.once(("wmt19 darr",), lambda: set(evidence_pairs(data.needed("wmt19_darr"))))


def _taus(evidence: Evidence, scores: Sequence[Scores]) -> dict[str, float]:
    if not scores:
        return {}
    verdicts = judge(evidence, scores, level="seg", statistic="tau:wmt12", significance=None, resamples=1)
    return {item.label: item.value for item in verdicts.items}


def darr_pairs(data: DataSets, pair: str) -> int:
    """Return the number of daRR pairs; each is two judgements."""
    return sum(len(judgements) for judgements in judged_segments(data, pair)[0].judgements) // 2


def _lacks(data: DataSets, pair: str, total: str) -> str:
    """Return why the numbers of a language pair cannot be checked; empty if all of its daRR pairs are there."""
    if pair not in pairs_with_darr(data):
        return f"It needs {pair}.darr.tsv (seg, better, worse) with {int(total):,} daRR pairs in wmt19_darr."
    here = darr_pairs(data, pair)
    if here != int(total):
        return f"Only a part of the daRR pairs of {pair} is available ({here:,} of {int(total):,})."
    return ""


def segment_table(data: DataSets, *, expected: str, same: Mapping[str, str], rows: Mapping[str, str]) -> Reproduction:
    """Return Table 6, 7 or 8. same: Tercet's metrics that equal the task's; rows: others, by row.

    Language pairs of which only a part of the daRR pairs is there are shown for comparison.
    """
    table = printed(expected)
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    statements: list[Statement] = []
    extra: dict[str, dict[str, float]] = {}
    published: dict[str, float] = {}
    for pair in table.columns:
        lacking = _lacks(data, pair, table.cells["n"][pair])
        numbers = {row: columns[pair] for row, columns in table.cells.items() if columns[pair]}
        if lacking:
            unchecked += [Unchecked(row, pair, float(text), lacking) for row, text in numbers.items()]
            if pair in pairs_with_darr(data):
                _show_part(data, pair, {"sentBLEU": same["sentBLEU"]}, rows, extra)
            continue
        evidence, testset = judged_segments(data, pair)
        published = _taus(evidence, evidence.scores)
        ours = _taus(evidence, [*data.scored(testset, same), *data.scored(testset, rows, optional=True)])
        cells.append(check("n", pair, numbers.pop("n"), darr_pairs(data, pair)))
        for row, text in numbers.items():
            if row in published or row in ours:
                value = published[row] if row in published else ours[row]
                cells.append(check(row, pair, text, value, must=row in published or row in same))
            else:
                unchecked.append(Unchecked(row, pair, float(text), NO_PARAMETERS.get(row, NO_SCORES)))
        for row in same:
            if row in published and row in numbers:
                equal = check(row, pair, numbers[row], ours[row]).equal
                text = f"{row} {numbers[row]} in {pair} also from the texts, with Tercet's {same[row]}"
                statements.append(Statement(text, equal, f"{ours[row]:.4f}"))
        for row in ours:
            if row not in table.cells:
                extra.setdefault(row, {})[pair] = ours[row]
    of_texts = ", ".join(f"{name} ({spec})" for name, spec in same.items() if name not in published)
    return Reproduction(cells, unchecked, statements, extra=extra, note_values={"of_texts": of_texts})


def _show_part(
    data: DataSets, pair: str, same: Mapping[str, str], rows: Mapping[str, str], extra: dict[str, dict[str, float]]
) -> None:
    """Add tau on the available pairs of a language pair, by metric."""
    evidence, testset = judged_segments(data, pair)
    scores = [*evidence.scores, *data.scored(testset, same), *data.scored(testset, rows, optional=True)]
    for name, value in _taus(evidence, scores).items():
        extra.setdefault(ON_PART.format(name), {})[pair] = value


def judgement_table(data: DataSets) -> Reproduction:
    """Return Table 1: numbers of judgements; daRR pairs can be counted where all of them are there."""
    cells, unchecked = [], []
    table = printed("wmt19_t1")
    for pair, column, text in table.numbers():
        if column != "DARR" and pair in EVERY_OUTPUT and pair in pairs_with_darr(data):
            cells.append(check(pair, column, text, _if_all_judged(data, pair)[column]))
        elif column != "DARR":
            reason = "It needs the direct assessments of single segments of newstest2019, which were not published."
            unchecked.append(Unchecked(pair, column, float(text), reason))
        elif lacking := _lacks(data, pair, text):
            unchecked.append(Unchecked(pair, column, float(text), lacking))
        else:
            cells.append(check(pair, column, text, darr_pairs(data, pair)))
    return Reproduction(cells, unchecked, decimals=0)


def _if_all_judged(data: DataSets, pair: str) -> dict[str, float]:
    """Return the numbers of a language pair of which every output was judged: segments, systems, pairs of outputs."""
    segments, systems = len(judged_segments(data, pair)[1]), len(system_level(data, pair).systems)
    return {"DA>1": segments, "Ave": systems, "DA pairs": segments * systems * (systems - 1) // 2}
