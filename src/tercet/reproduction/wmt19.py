"""Ma, Wei, Bojar and Graham (2019), "Results of the WMT19 Metrics Shared Task: Segment-Level and Strong MT Systems Pose
Big Challenges".

System level: |r| with direct assessment, from the published scores; winners by Williams' test (one-sided, p < .05).
Segment level: daRR pairs, where a tie of the metric counts against it (the wmt12 variant of tau).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.evidence import Evidence, open_evidence
from ..data.layouts import open_testset
from ..data.scores import Scores
from ..data.testset import TestSet
from ..errors import DataError
from ..metaeval.gold import find_gold
from ..metaeval.joining import align_systems
from ..metaeval.judging import judge
from ..stats.correlation import pearson
from ..stats.outliers import top_n
from ..stats.williams import williams_matrix
from ..stats.winners import not_outperformed, outperforms
from . import Cell, Curve, DataSets, Matrix, Reproduction, Statement, Unchecked, check, printed, read_tables
from .wmt14 import scored

Floats = NDArray[np.float64]

PRINTED_AS = {"sacreBLEU-BLEU": "sacreBLEU.BLEU", "sacreBLEU-chrF": "sacreBLEU.chrF"}
SYSTEM_TABLES = ("wmt19_t3", "wmt19_t4", "wmt19_t5")
COMPLETE = "lt-en"  # the only language pair with all of its daRR pairs
SUBSETS = ("gu-en", "kk-en")
FROM_TEXTS = {  # Tercet's metrics with the parameters of the task
    "sentBLEU": "sentbleu",
    "chrF": "chrf:variant=original,unit=byte,beta=3",
    "chrF+": "chrf:variant=original,unit=byte,beta=3,word_order=1",
    "CharacTER": "character:variant=original",
    "EED": "eed:variant=wmt19",
}
OTHERS = ("yisi0:tokenize=moses-en", "hlepor", "meteor", "chrf", "chrf:word_order=2", "bleu", "ter", "ribes", "cer")
NO_PAIRS = "The task's daRR pairs of these language pairs are not available."
NO_SCORES = "The task's segment scores of these metrics are not available, and Tercet does not have the metrics."
NO_WAY = {"YiSi-0": "The task's parameters of YiSi-0 are not known; Tercet's is shown for comparison."}


@dataclass(frozen=True)
class SystemLevel:
    """Metric scores and direct assessment of the systems of one language pair."""

    metrics: tuple[str, ...]  # names as in the paper
    systems: tuple[str, ...]
    human: Floats  # (systems,)
    values: Floats  # (metrics, systems)

    @property
    def correlations(self) -> Floats:
        return pearson(self.values, self.human)

    @property
    def p_values(self) -> Floats:
        return williams_matrix(self.human, self.values)

    @property
    def winners(self) -> tuple[str, ...]:
        """Metrics that no other significantly outperforms."""
        best = not_outperformed(self.p_values, scores=np.abs(self.correlations))
        return tuple(name for name, wins in zip(self.metrics, best, strict=True) if wins)


def system_level(data: DataSets, pair: str) -> SystemLevel:
    """Return the published scores of the systems of a language pair."""
    return data.once(("wmt19 systems", pair), lambda: _system_level(data, pair))


def _system_level(data: DataSets, pair: str) -> SystemLevel:
    evidence = open_evidence(data.needed("wmt19_sys"), pair)
    human, aligned = align_systems(find_gold(evidence, level="sys"), evidence.scores)
    names = tuple(PRINTED_AS.get(item.label, item.label) for item in evidence.scores)
    return SystemLevel(names, aligned.systems, human, aligned.values)


def correlation_table(data: DataSets, expected: str) -> Reproduction:
    """Return one of Tables 3 to 5: |r| of every metric, by language pair."""
    table = printed(expected)
    cells: list[Cell] = []
    negative: dict[str, list[str]] = {}
    found = {pair: system_level(data, pair) for pair in table.columns}
    values = {pair: dict(zip(one.metrics, one.correlations.tolist(), strict=True)) for pair, one in found.items()}
    for row, pair, text in table.numbers():
        if row == "n":
            continue
        r = values[pair].get(row, float("nan"))
        cells.append(check(row, pair, text, abs(r)))
        if r < 0:
            negative.setdefault(row, []).append(pair)
    listed = "; ".join(f"{name} ({', '.join(pairs)})" for name, pairs in negative.items())
    return Reproduction(
        cells,
        statements=[_systems_counted(table.cells["n"], found), _same_metrics(expected, found)],
        notes=[f"These correlations are negative: {listed}."] if negative else [],
        winners={pair: one.winners for pair, one in found.items()},
    )


def _systems_counted(numbers: Mapping[str, str], found: Mapping[str, SystemLevel]) -> Statement:
    counts = {pair: len(one.systems) for pair, one in found.items()}
    return Statement(
        f"n, the number of systems of {len(numbers)} language pairs: {' '.join(numbers.values())}",
        all(int(text) == counts[pair] for pair, text in numbers.items()),
        " ".join(str(counts[pair]) for pair in numbers),
    )


def _same_metrics(expected: str, found: Mapping[str, SystemLevel]) -> Statement:
    filled = {(row, pair) for row, pair, _ in printed(expected).numbers() if row != "n"}
    scored = {(name, pair) for pair, one in found.items() for name in one.metrics}
    differing = sorted(f"{row} {pair}" for row, pair in filled ^ scored)
    return Statement(
        "a number where the metric has scores, a blank elsewhere", not differing, ", ".join(differing) or "the same"
    )


def text_statements(data: DataSets) -> Reproduction:
    """Return the statements of section 6 on winners, over all language pairs."""
    found = {pair: system_level(data, pair) for name in SYSTEM_TABLES for pair in printed(name).columns}
    won = {pair: one.winners for pair, one in found.items()}

    def wins(metric: str, *, into_english: bool = True) -> str:
        took = [pair for pair in found if metric in found[pair].metrics and (into_english or not pair.endswith("-en"))]
        return f"{sum(metric in won[pair] for pair in took)} of {len(took)}"

    yisi = sum(any(name in won[pair] for name in ("YiSi-0", "YiSi-1", "YiSi-1_srl")) for pair in found)
    systems = sum(len(one.systems) for one in found.values())
    best = [pair for pair, one in found.items() if one.metrics[int(np.nanargmax(np.abs(one.correlations)))] == "ESIM"]
    statements = [
        Statement("6.2.1: ESIM wins 11 of 16 language pairs", wins("ESIM") == "11 of 16", wins("ESIM")),
        Statement(
            "6.2.1: EED wins 7 of 11 out of English and without English",
            wins("EED", into_english=False) == "7 of 11",
            wins("EED", into_english=False),
        ),
        Statement("6.3: de-fr, chrF does not win", "chrF" not in won["de-fr"], _won("chrF", won["de-fr"])),
        Statement(
            "6.3: de-fr, sacreBLEU-chrF wins", "sacreBLEU.chrF" in won["de-fr"], _won("sacreBLEU.chrF", won["de-fr"])
        ),
        *(
            Statement(f"Table 5: YiSi-0 is bold in {pair}", "YiSi-0" in won[pair], _won("YiSi-0", won[pair]))
            for pair in ("de-cs", "de-fr")
        ),
        Statement("6.2.1: YiSi wins almost all language pairs", yisi == 16, f"{yisi} of {len(found)}"),
        Statement("6.2.1: ESIM is best on 5 language pairs", len(best) == 5, f"{len(best)}: {', '.join(best)}", False),
        Statement("2.2: 233 systems", systems == 233, f"{systems}; so do the n of Tables 3 to 5 add up", False),
    ]
    return Reproduction(statements=statements, winners=won)


def _won(metric: str, winners: Sequence[str]) -> str:
    return f"{metric} {'wins' if metric in winners else 'does not win'}"


def head_to_head_figure(data: DataSets, expected: Sequence[str]) -> Reproduction:
    """Return Figure 1 or 2: which metric significantly outperforms which, by the language pairs of these tables."""
    pairs = [pair for name in expected for pair in printed(name).columns]
    found = {pair: system_level(data, pair) for pair in pairs}
    matrices, extra = [], {}
    for pair, one in found.items():
        order = np.argsort(-np.abs(one.correlations), kind="stable")
        p = one.p_values[np.ix_(order, order)]
        matrices.append(Matrix(f"{pair}, Williams' test", [one.metrics[i] for i in order], p.tolist()))
        beats = outperforms(p, scores=np.abs(one.correlations)[order])
        extra[pair] = {
            "metrics": float(len(order)), "significant": float(beats.sum()), "winners": float(len(one.winners))
        }  # fmt: skip
    winners = {pair: one.winners for pair, one in found.items()}
    return Reproduction(extra=extra, winners=winners, matrices=matrices)


def top_n_figure(data: DataSets) -> Reproduction:
    """Return Figure 5: sacreBLEU-BLEU en-de over the N best systems; ties of direct assessment give a range."""
    one = system_level(data, "en-de")
    curves = {
        name: [(n, low, high) for n, low, high in top_n(one.human, row)]
        for name, row in zip(one.metrics, one.values, strict=True)
    }
    curve = {n: (low, high) for n, low, high in curves["sacreBLEU.BLEU"]}
    statements = [
        Statement("6.1: below .5 with 10 systems", curve[10][0] < 0.5, _range(curve[10])),
        Statement("6.1: negative with 6 systems", curve[6][1] < 0, _range(curve[6])),
        Statement("6.1: negative with 4 systems", curve[4][1] < 0, _range(curve[4])),
    ]
    return Reproduction(
        [check("sacreBLEU.BLEU", "22 systems", "0.969", curve[22][0])],
        statements=statements,
        extra={
            f"sacreBLEU.BLEU, {bound}": {str(n): curve[n][i] for n in curve}
            for i, bound in enumerate(("lowest", "highest"))
        },
        curves=[Curve("en-de, Pearson's r of the N best systems", curves)],
    )


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"{low:.3f}" if low == high else f"{low:.3f} or {high:.3f}, depending on a tie"


def _judged_segments(data: DataSets, pair: str) -> tuple[Evidence, TestSet]:
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


def _taus(evidence: Evidence, scores: Sequence[Scores]) -> dict[str, float]:
    verdicts = judge(evidence, scores, level="seg", statistic="tau:wmt12", significance=None, resamples=1)
    return {item.label: item.value for item in verdicts.items}


def segment_table(data: DataSets) -> Reproduction:
    """Return Table 6: lt-en, whose pairs are complete; gu-en and kk-en, which are not, are shown for comparison."""
    table = printed("wmt19_t6")
    evidence, testset = _judged_segments(data, COMPLETE)
    of_texts = _taus(evidence, scored(testset, FROM_TEXTS | {spec: spec for spec in OTHERS}))
    published = _taus(evidence, evidence.scores)
    cells, unchecked = [], []
    for row, pair, text in table.numbers():
        if pair == COMPLETE and row == "n":
            continue  # among the statements
        if pair == COMPLETE and (row in published or row in FROM_TEXTS):
            cells.append(check(row, pair, text, published[row] if row in published else of_texts[row]))
        elif pair in SUBSETS:
            unchecked.append(Unchecked(row, pair, float(text), _part(data, pair, table.cells["n"][pair])))
        else:
            reason = NO_WAY.get(row, NO_SCORES) if pair == COMPLETE else NO_PAIRS
            unchecked.append(Unchecked(row, pair, float(text), reason))
    return Reproduction(
        cells,
        unchecked,
        statements=[
            Statement(
                f"n of lt-en: {table.cells['n'][COMPLETE]} pairs",
                _pairs(data, COMPLETE) == int(table.cells["n"][COMPLETE]),
                f"{_pairs(data, COMPLETE)} pairs",
            ),
            *(
                Statement(
                    f"{name} {table.cells[name][COMPLETE]} also from the texts, with Tercet's {FROM_TEXTS[name]}",
                    check(name, COMPLETE, table.cells[name][COMPLETE], of_texts[name]).equal,
                    f"{of_texts[name]:.4f}",
                )
                for name in ("chrF", "chrF+")
            ),
        ],
        extra={**{spec: {COMPLETE: of_texts[spec]} for spec in OTHERS}, **_of_subsets(data)},
        note_values={
            "of_texts": ", ".join(f"{name} ({FROM_TEXTS[name]})" for name in FROM_TEXTS if name not in published)
        },
    )


def _pairs(data: DataSets, pair: str) -> int:
    """Return the number of daRR pairs; each is two judgements."""
    return sum(len(judgements) for judgements in _judged_segments(data, pair)[0].judgements) // 2


def _part(data: DataSets, pair: str, total: str) -> str:
    return f"Only a part of the daRR pairs of {pair} is available ({_pairs(data, pair):,} of {int(total):,})."


def _of_subsets(data: DataSets) -> dict[str, dict[str, float]]:
    """Return tau on the available pairs of gu-en and kk-en, by metric."""
    extra: dict[str, dict[str, float]] = {}
    for pair in SUBSETS:
        evidence, testset = _judged_segments(data, pair)
        scores = [*evidence.scores, *scored(testset, {"sentBLEU": FROM_TEXTS["sentBLEU"]})]
        for name, value in _taus(evidence, scores).items():
            extra.setdefault(f"{name}, on the pairs at hand", {})[pair] = value
    return extra


def judgement_table(data: DataSets) -> Reproduction:
    """Return Table 1: numbers of judgements; only the pairs of lt-en can be counted."""
    cells, unchecked, statements = [], [], []
    table = printed("wmt19_t1")
    for pair, column, text in table.numbers():
        if (pair, column) == (COMPLETE, "DARR"):
            cells.append(check(pair, column, text, _pairs(data, pair)))
            continue
        reason = "The task's direct assessments of single segments are not available."
        if column == "DARR" and pair in SUBSETS:
            reason = _part(data, pair, text)
        unchecked.append(Unchecked(pair, column, float(text), reason))
    for pair in (COMPLETE, *SUBSETS):
        segments, systems = len(_judged_segments(data, pair)[1]), len(system_level(data, pair).systems)
        count = segments * systems * (systems - 1) // 2
        said = table.cells[pair]["DA pairs"]
        statements.append(
            Statement(
                f"{pair}: {said} DA pairs, if every output was judged",
                count == int(said),
                f"{segments} segments of {systems} systems make {count}",
            )
        )
    return Reproduction(cells, unchecked, statements, decimals=0)


TABLES = read_tables("wmt19", globals())
