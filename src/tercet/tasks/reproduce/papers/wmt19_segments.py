"""The segment level of the WMT19 metrics task: daRR pairs, where a tie of the metric counts against it."""

from collections.abc import Mapping, Sequence

from ....data.evidence import Evidence, evidence_pairs, open_evidence
from ....data.scores import Scores
from ....data.testset import TestSet
from ....errors import DataError
from ....metaeval.judging import judge
from ..printed import check, compare, printed
from ..results import Reproduction, Statement
from ..sources import DataSets, once
from .wmt19 import system_level, texts_of

NO_ASSESSMENTS = "It needs the direct assessments of single segments of newstest2019, which were not published."
NO_SCORES = "The task's segment scores are not available. Tercet's metrics of this kind have other models; see below."
NO_PARAMETERS = {"YiSi-0": "The task's parameters of YiSi-0 are not known; Tercet's is shown for comparison."}
EVERY_OUTPUT = ("gu-en", "kk-en", "lt-en")  # every output of these was judged; of others, Table 1 has fewer pairs
ON_PART = "{}, on the pairs at hand"


@once
def judged_segments(data: DataSets, pair: str) -> tuple[Evidence, TestSet]:
    """Return the daRR pairs with published segment scores, and the texts, of a language pair."""
    evidence, testset = open_evidence(data.needed("wmt19_darr"), pair), texts_of(data, pair)
    if list(evidence.segments) != [str(number) for number in range(1, len(testset) + 1)]:
        raise DataError(
            f"wmt19_darr {pair} has scores of {len(evidence.segments)} segments, but the texts have {len(testset)}."
        )
    return evidence, testset


@once
def pairs_with_darr(data: DataSets) -> set[str]:
    """Return the language pairs that have daRR pairs."""
    return set(evidence_pairs(data.needed("wmt19_darr")))


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
    """Return Table 6, 7 or 8, with Tercet's metrics that equal the task's (`same`) and other rows."""
    table = printed(expected)
    values: dict[str, dict[str, float]] = {}
    extra: dict[str, dict[str, float]] = {}
    statements: list[Statement] = []
    published: dict[str, float] = {}
    exact: set[tuple[str, str]] = set()  # numbers that must equal print
    lacking = {pair: _lacks(data, pair, total) for pair, total in table.cells["n"].items()}
    for pair in (pair for pair in table.columns if pair in pairs_with_darr(data)):
        evidence, testset = judged_segments(data, pair)
        if lacking[pair]:
            own = [*data.scored(testset, {"sentBLEU": same["sentBLEU"]}), *data.scored(testset, rows, optional=True)]
            for row, tau in _taus(evidence, [*evidence.scores, *own]).items():
                extra.setdefault(ON_PART.format(row), {})[pair] = tau
            continue
        published = _taus(evidence, evidence.scores)
        ours = _taus(evidence, [*data.scored(testset, same), *data.scored(testset, rows, optional=True)])
        exact |= {(row, pair) for row in ("n", *same, *published)}
        for row, value in {**ours, **published, "n": darr_pairs(data, pair)}.items():
            if row in table.cells:
                values.setdefault(row, {})[pair] = value
            elif row in ours:
                extra.setdefault(row, {})[pair] = value
        for row, text in ((row, table.cells[row][pair]) for row in same if row in published and row in table.cells):
            said = f"{row} {text} in {pair} also from the texts, with Tercet's {same[row]}"
            if text:
                statements.append(Statement(said, check(row, pair, text, ours[row]).equal, f"{ours[row]:.4f}"))
    of_texts = ", ".join(f"{name} ({spec})" for name, spec in same.items() if name not in published)
    return compare(
        expected, values, lambda row, pair: lacking[pair] or NO_PARAMETERS.get(row, NO_SCORES),
        lambda *place: {"must": place in exact}, statements=statements, extra=extra, note_values={"of_texts": of_texts},
    )  # fmt: skip


def judgement_table(data: DataSets) -> Reproduction:
    """Return Table 1: numbers of judgements; daRR pairs can be counted where all of them are there."""
    lacking = {pair: _lacks(data, pair, columns["DARR"]) for pair, columns in printed("wmt19_t1").cells.items()}
    values: dict[str, dict[str, float]] = {}
    for pair in (pair for pair in lacking if pair in pairs_with_darr(data)):
        if pair in EVERY_OUTPUT:
            segments, systems = len(judged_segments(data, pair)[1]), len(system_level(data, pair).systems)
            values[pair] = {"DA>1": segments, "Ave": systems, "DA pairs": segments * systems * (systems - 1) // 2}
        if not lacking[pair]:
            values.setdefault(pair, {})["DARR"] = darr_pairs(data, pair)
    return compare(
        "wmt19_t1", values, lambda pair, column: lacking[pair] if column == "DARR" else NO_ASSESSMENTS, must=True,
        decimals=0,
    )  # fmt: skip
