"""Ma, Wei, Bojar and Graham (2019), "Results of the WMT19 Metrics Shared Task: Segment-Level and Strong MT Systems Pose
Big Challenges".

System level: |r| with direct assessment, from the published scores; winners by Williams' test (one-sided, p < .05). The
segment level is in `wmt19_segments`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.evidence import open_evidence
from ..metaeval.gold import find_gold
from ..metaeval.joining import align_systems
from ..stats.correlation import pearson
from ..stats.outliers import top_n
from ..stats.williams import williams_matrix
from ..stats.winners import not_outperformed, outperforms
from . import Cell, Curve, DataSets, Matrix, Reproduction, Statement, check, printed, read_tables, wmt19_segments

Floats = NDArray[np.float64]

PRINTED_AS = {"sacreBLEU-BLEU": "sacreBLEU.BLEU", "sacreBLEU-chrF": "sacreBLEU.chrF"}
SYSTEM_TABLES = ("wmt19_t3", "wmt19_t4", "wmt19_t5")


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
            cells.append(check(row, pair, text, len(found[pair].systems)))
            continue
        r = values[pair].get(row, float("nan"))
        cells.append(check(row, pair, text, abs(r)))
        if r < 0:
            negative.setdefault(row, []).append(pair)
    listed = "; ".join(f"{name} ({', '.join(pairs)})" for name, pairs in negative.items())
    return Reproduction(
        cells,
        statements=[_same_metrics(expected, found)],
        notes=[f"These correlations are negative: {listed}."] if negative else [],
        winners={pair: one.winners for pair, one in found.items()},
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


TABLES = read_tables("wmt19", vars(wmt19_segments) | globals())
