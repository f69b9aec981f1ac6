"""Ma, Wei, Bojar and Graham (2019), "Results of the WMT19 Metrics Shared Task: Segment-Level and Strong MT Systems Pose
Big Challenges".

System level: |r| with direct assessment, from the published scores; winners by Williams' test (one-sided, p < .05).
Rows with our own metrics are computed if the texts are there. The segment level is in `wmt19_segments`, figures on the
best systems and on segments in `wmt19_figures`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ....data.evidence import evidence_pairs
from ....stats.winners import outperforms
from ..printed import check, printed
from ..results import Cell, Matrix, Reproduction, Statement
from ..sources import DataSets
from .wmt19_figures import BASELINES, TEXT
from .wmt19_systems import SYSTEM_TABLES, SystemLevel, own_correlations, system_level

WITHOUT_REFERENCES = {
    "LASIM", "LP", "UNI", "UNI+", "USFD", "USFD-TL", "YiSi-2", "YiSi-2_srl", "ibm1-morpheme", "ibm1-pos4gram"
}  # fmt: skip
NO_TEXTS = "Rows with Tercet's own metrics need the texts, the data set wmt19."


def correlation_table(
    data: DataSets, expected: str, *, rows: Mapping[str, str], only: Mapping[str, str] = MappingProxyType({})
) -> Reproduction:
    """Return one of Tables 3 to 5: |r| of every metric, by language pair; and r of our own metrics, with its sign.

    rows: our metrics, by row. only: for some rows, the language pairs for which the metric is computed.
    """
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
    notes = [f"These correlations are negative: {listed}."] if negative else []
    extra: dict[str, dict[str, float]] = {}
    if data("wmt19") is None:
        notes.append(NO_TEXTS)
    else:
        for pair in table.columns:
            fitting = {row: spec for row, spec in rows.items() if pair in only.get(row, pair).split()}
            for row, r in own_correlations(data, pair, fitting).items():
                extra.setdefault(row, {})[pair] = r
    return Reproduction(
        cells,
        statements=[_same_metrics(expected, found)],
        notes=notes,
        winners={pair: one.winners for pair, one in found.items()},
        extra=extra,
    )


def _same_metrics(expected: str, found: Mapping[str, SystemLevel]) -> Statement:
    filled = {(row, pair) for row, pair, _ in printed(expected).numbers() if row != "n"}
    scored = {(name, pair) for pair, one in found.items() for name in one.metrics}
    differing = sorted(f"{row} {pair}" for row, pair in filled ^ scored)
    return Statement(
        "a number where the metric has scores, a blank elsewhere", not differing, ", ".join(differing) or "the same"
    )


def text_statements(data: DataSets) -> Reproduction:
    """Return the numbers and statements of the text on winners and systems, over all language pairs."""
    found = {pair: system_level(data, pair) for name in SYSTEM_TABLES for pair in printed(name).columns}
    won = {pair: one.winners for pair, one in found.items()}
    yisi = sum(any(name in won[pair] for name in ("YiSi-0", "YiSi-1", "YiSi-1_srl")) for pair in found)
    statements = [
        Statement("6.3: de-fr, chrF does not win", "chrF" not in won["de-fr"], _won("chrF", won["de-fr"])),
        Statement(
            "6.3: de-fr, sacreBLEU-chrF wins", "sacreBLEU.chrF" in won["de-fr"], _won("sacreBLEU.chrF", won["de-fr"])
        ),
        *(
            Statement(f"Table 5: YiSi-0 is bold in {pair}", "YiSi-0" in won[pair], _won("YiSi-0", won[pair]))
            for pair in ("de-cs", "de-fr")
        ),
        Statement("6.2.1: YiSi wins almost all language pairs", yisi == 16, f"{yisi} of {len(found)}"),
    ]
    values = _text_numbers(data, found)
    cells = [check(row, column, text, values[row]) for row, column, text in printed(TEXT).numbers() if row in values]
    return Reproduction(cells, statements=statements, winners=won)


def _text_numbers(data: DataSets, found: Mapping[str, SystemLevel]) -> dict[str, float]:
    """Return the numbers of the text that follow from the scores of all language pairs."""
    with_esim = [pair for pair, one in found.items() if "ESIM" in one.metrics]
    with_eed = [pair for pair, one in found.items() if "EED" in one.metrics and not pair.endswith("-en")]
    best = {pair: one.metrics[int(np.nanargmax(np.abs(one.correlations)))] for pair, one in found.items()}
    metrics = {name for one in found.values() for name in one.metrics}
    without_references = [
        abs(r)
        for one in found.values()
        for name, r in zip(one.metrics, one.correlations.tolist(), strict=True)
        if name in WITHOUT_REFERENCES
    ]
    return {
        "abstract: metrics, without the baselines": len(metrics - {*BASELINES}),
        "2.2: systems": sum(len(one.systems) for one in found.values()),
        "2.2: language pairs": len(evidence_pairs(data.needed("wmt19_sys"))),
        "6.2.1: language pairs that ESIM wins": sum("ESIM" in found[pair].winners for pair in with_esim),
        "6.2.1: language pairs with ESIM": len(with_esim),
        "6.2.1: language pairs on which ESIM is best": list(best.values()).count("ESIM"),
        "6.2.1: language pairs that EED wins, not into English": sum("EED" in found[one].winners for one in with_eed),
        "6.2.1: language pairs with EED, not into English": len(with_eed),
        "6.2.3: the lowest |r| without references": min(without_references),
        "6.2.3: the highest |r| without references": max(without_references),
    }


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
