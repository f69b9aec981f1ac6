"""Ma, Wei, Bojar and Graham (2019), "Results of the WMT19 Metrics Shared Task: Segment-Level and Strong MT Systems Pose
Big Challenges".

System level: |r| with direct assessment, from the published scores; winners by Williams' test (one-sided, p < .05).
Rows with our own metrics are computed if the texts are there. The segment level is in `wmt19_segments`, figures on the
best systems and on segments in `wmt19_figures`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ....data.evidence import evidence_pairs, open_evidence
from ....data.layouts import open_testset
from ....data.scores import Scores
from ....data.testset import TestSet
from ....errors import DataError
from ....metaeval.gold import find_gold
from ....metaeval.joining import align_systems
from ....stats.clusters import not_outperformed, outperforms
from ....stats.correlation import pearson
from ....stats.williams import williams_matrix
from ....types import Floats
from ..printed import check, compare, printed
from ..results import Matrix, Reproduction, Statement
from ..sources import DataSets, once

PRINTED_AS = {"sacreBLEU-BLEU": "sacreBLEU.BLEU", "sacreBLEU-chrF": "sacreBLEU.chrF"}
BASELINES = ("BLEU", "CDER", "chrF", "chrF+", "NIST", "PER", "sacreBLEU.BLEU", "sacreBLEU.chrF", "TER", "WER")
TEXT = "wmt19_text"  # numbers in the text
WITHOUT_REFERENCES = {
    "LASIM", "LP", "UNI", "UNI+", "USFD", "USFD-TL", "YiSi-2", "YiSi-2_srl", "ibm1-morpheme", "ibm1-pos4gram"
}  # fmt: skip
NO_TEXTS = "Rows with Tercet's own metrics need the texts, the data set wmt19."


@dataclass(frozen=True)
class SystemLevel:
    """Metric scores and direct assessment of the systems of one language pair."""

    metrics: tuple[str, ...]  # names as in the paper
    systems: tuple[str, ...]
    human: Floats  # (systems,)
    values: Floats  # (metrics, systems)

    @property
    def correlations(self) -> dict[str, float]:
        return dict(zip(self.metrics, pearson(self.values, self.human).tolist(), strict=True))

    @property
    def sizes(self) -> Floats:
        return np.abs(pearson(self.values, self.human))

    @property
    def p_values(self) -> Floats:
        return williams_matrix(self.human, self.values)

    @property
    def winners(self) -> tuple[str, ...]:
        """Metrics that no other significantly outperforms."""
        best = not_outperformed(self.p_values, scores=self.sizes)
        return tuple(name for name, wins in zip(self.metrics, best, strict=True) if wins)

    @property
    def ranked(self) -> list[int]:
        return [int(row) for row in np.argsort(-self.human, kind="stable")]

    def correlate(self, found: Iterable[Scores]) -> dict[str, float]:
        """Return r over the systems that a metric scored, by metric; positive where a metric agrees with people."""
        r = {}
        for item in found:
            rows = [row for row, system in enumerate(self.systems) if system in item.system]
            values = [item.system[self.systems[row]] for row in rows]
            r[item.label] = float(pearson(values, self.human[rows])) * (-1 if item.higher_is_better is False else 1)
        return r


def all_pairs(tables: Sequence[str] = ("wmt19_t3", "wmt19_t4", "wmt19_t5")) -> list[str]:
    """Return the language pairs that are columns of tables: by default all of the task."""
    return [pair for name in tables for pair in printed(name).columns]


@once
def texts_of(data: DataSets, pair: str) -> TestSet:
    """Return the texts of a language pair."""
    return open_testset(data.needed("wmt19"), pair)


@once
def system_level(data: DataSets, pair: str) -> SystemLevel:
    """Return the published scores of the systems of a language pair."""
    evidence = open_evidence(data.needed("wmt19_sys"), pair)
    human, aligned = align_systems(find_gold(evidence, level="sys"), evidence.scores)
    names = tuple(PRINTED_AS.get(item.label, item.label) for item in evidence.scores)
    return SystemLevel(names, aligned.systems, human, aligned.values)


def own_correlations(data: DataSets, pair: str, rows: Mapping[str, str]) -> dict[str, float]:
    """Return r of our metrics with direct assessment, by row."""
    one, texts = system_level(data, pair), texts_of(data, pair)
    if missing := [system for system in one.systems if system not in texts.systems]:
        raise DataError(f"wmt19 {pair} has no output of {missing[0]}, which people judged.")
    return one.correlate(data.scored(texts, rows, optional=True))


def correlation_table(
    data: DataSets, expected: str, *, rows: Mapping[str, str], only: Mapping[str, str] = MappingProxyType({})
) -> Reproduction:
    """Return one of Tables 3 to 5: |r| of every metric by language pair, and r of our own metrics."""
    table = printed(expected)
    found = {pair: system_level(data, pair) for pair in table.columns}
    r = {pair: one.correlations for pair, one in found.items()}
    values = {row: {pair: abs(r[pair].get(row, np.nan)) for pair in table.columns} for row in table.cells}
    values["n"] = {pair: len(one.systems) for pair, one in found.items()}
    negative = {
        row: [pair for pair, text in columns.items() if text and r[pair].get(row, 0) < 0]
        for row, columns in table.cells.items()
    }
    listed = "; ".join(f"{name} ({', '.join(pairs)})" for name, pairs in negative.items() if pairs)
    notes = [f"These correlations are negative: {listed}."] if listed else []
    extra: dict[str, dict[str, float]] = {}
    if data("wmt19") is None:
        notes.append(NO_TEXTS)
    else:
        for pair in table.columns:
            fitting = {row: spec for row, spec in rows.items() if pair in only.get(row, pair).split()}
            for row, value in own_correlations(data, pair, fitting).items():
                extra.setdefault(row, {})[pair] = value
    winners = {pair: one.winners for pair, one in found.items()}
    filled = {(row, pair) for row, pair, _ in table.numbers() if row != "n"}
    scored = {(name, pair) for pair, one in found.items() for name in one.metrics}
    differing = ", ".join(sorted(f"{row} {pair}" for row, pair in filled ^ scored))
    text = "a number where the metric has scores, a blank elsewhere"
    said = [Statement(text, not differing, differing or "the same")]
    return compare(expected, values, must=True, statements=said, notes=notes, winners=winners, extra=extra)


def text_statements(data: DataSets) -> Reproduction:
    """Return the numbers and statements of the text on winners and systems, over all language pairs."""
    found = {pair: system_level(data, pair) for pair in all_pairs()}
    won = {pair: one.winners for pair, one in found.items()}

    def says(text: str, metric: str, pair: str, *, wins: bool = True) -> Statement:
        is_winner = metric in won[pair]
        return Statement(text, is_winner == wins, f"{metric} {'wins' if is_winner else 'does not win'}")

    yisi = sum(any(name in won[pair] for name in ("YiSi-0", "YiSi-1", "YiSi-1_srl")) for pair in found)
    statements = [
        says("6.3: de-fr, chrF does not win", "chrF", "de-fr", wins=False),
        says("6.3: de-fr, sacreBLEU-chrF wins", "sacreBLEU.chrF", "de-fr"),
        says("Table 5: YiSi-0 is bold in de-cs", "YiSi-0", "de-cs"),
        says("Table 5: YiSi-0 is bold in de-fr", "YiSi-0", "de-fr"),
        Statement("6.2.1: YiSi wins almost all language pairs", yisi == 16, f"{yisi} of {len(found)}"),
    ]
    values = _text_numbers(data, found)
    cells = [check(row, column, text, values[row]) for row, column, text in printed(TEXT).numbers() if row in values]
    return Reproduction(cells, statements=statements, winners=won)


def _text_numbers(data: DataSets, found: Mapping[str, SystemLevel]) -> dict[str, float]:
    """Return the numbers of the text that follow from the scores of all language pairs."""
    with_esim = [one for one in found.values() if "ESIM" in one.metrics]
    with_eed = [one for pair, one in found.items() if "EED" in one.metrics and not pair.endswith("-en")]
    metrics = {name for one in found.values() for name in one.metrics}
    without_references = [
        abs(r) for one in found.values() for name, r in one.correlations.items() if name in WITHOUT_REFERENCES
    ]
    return {
        "abstract: metrics, without the baselines": len(metrics - {*BASELINES}),
        "2.2: systems": sum(len(one.systems) for one in found.values()),
        "2.2: language pairs": len(evidence_pairs(data.needed("wmt19_sys"))),
        "6.2.1: language pairs that ESIM wins": sum("ESIM" in one.winners for one in with_esim),
        "6.2.1: language pairs with ESIM": len(with_esim),
        "6.2.1: language pairs on which ESIM is best": sum(
            one.metrics[int(np.nanargmax(one.sizes))] == "ESIM" for one in found.values()
        ),
        "6.2.1: language pairs that EED wins, not into English": sum("EED" in one.winners for one in with_eed),
        "6.2.1: language pairs with EED, not into English": len(with_eed),
        "6.2.3: the lowest |r| without references": min(without_references),
        "6.2.3: the highest |r| without references": max(without_references),
    }


def head_to_head_figure(data: DataSets, expected: Sequence[str]) -> Reproduction:
    """Return Figure 1 or 2: which metric significantly outperforms which, by the language pairs of these tables."""
    found = {pair: system_level(data, pair) for pair in all_pairs(expected)}
    matrices, extra = [], {}
    for pair, one in found.items():
        order = np.argsort(-one.sizes, kind="stable")
        p = one.p_values[np.ix_(order, order)]
        matrices.append(Matrix(f"{pair}, Williams' test", [one.metrics[i] for i in order], p.tolist()))
        beats = float(outperforms(p, scores=one.sizes[order]).sum())
        extra[pair] = {"metrics": float(len(order)), "significant": beats, "winners": float(len(one.winners))}
    return Reproduction(extra=extra, winners={pair: one.winners for pair, one in found.items()}, matrices=matrices)
