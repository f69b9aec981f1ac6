"""Figures of the WMT19 metrics task (Ma et al. 2019), and what section 6.1 says of the best systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ....metaeval.judging import judge
from ....stats.correlation import pearson
from ....stats.outliers import top_n
from ..printed import check, printed
from ..results import Curve, Matrix, Plot, Reproduction, Statement
from ..sources import DataSets
from .wmt19_segments import judged_segments, pairs_with_darr
from .wmt19_systems import SYSTEM_TABLES, system_level

BASELINES = ("BLEU", "CDER", "chrF", "chrF+", "NIST", "PER", "sacreBLEU.BLEU", "sacreBLEU.chrF", "TER", "WER")
DOWNWARD = ("de-en", "de-fr", "en-de", "en-kk", "lt-en", "ru-en", "zh-en")
STEADY = ("en-cs", "en-gu", "en-ru", "kk-en")
UPWARD_QE = {"de-en": ("LP", "UNI", "UNI+"), "en-kk": ("YiSi-2",), "ru-en": ("UNI", "UNI+")}
CLOUD = 12  # "the majority of MT systems" of en-de, which has 22
FEWEST = (4, 5, 6)  # the N over which "only the best systems" are averaged: a single N is noisy
CURVE_METRIC = "sacreBLEU.BLEU"
TEXT = "wmt19_text"  # numbers in the text

Points = Sequence[tuple[int, float, float]]


def _curves(data: DataSets, pair: str) -> dict[str, Points]:
    """Return signed r over the N best systems by metric; ties of direct assessment give a range."""
    one = system_level(data, pair)
    return {
        name: [(n, low, high) for n, low, high in top_n(one.human, row)]
        for name, row in zip(one.metrics, one.values, strict=True)
    }


def top_n_figure(data: DataSets) -> Reproduction:
    """Return Figure 5: sacreBLEU-BLEU en-de over the N best systems."""
    curves = _curves(data, "en-de")
    curve = {n: (low, high) for n, low, high in curves[CURVE_METRIC]}
    statements = [
        Statement("6.1: below .5 with 10 systems", curve[10][0] < 0.5, _range(curve[10])),
        Statement("6.1: negative with 6 systems", curve[6][1] < 0, _range(curve[6])),
        Statement("6.1: negative with 4 systems", curve[4][1] < 0, _range(curve[4])),
    ]
    row = "6.1: sacreBLEU-BLEU en-de, all systems"
    return Reproduction(
        [check(CURVE_METRIC, "22 systems", printed(TEXT).cells[row]["number"], curve[22][0])],
        statements=statements,
        extra={
            f"{CURVE_METRIC}, {bound}": {str(n): curve[n][i] for n in curve}
            for i, bound in enumerate(("lowest", "highest"))
        },
        curves=[Curve("en-de, Pearson's r of the N best systems", curves)],
    )


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"{low:.3f}" if low == high else f"{low:.3f} or {high:.3f}, depending on a tie"


def cloud_figure(data: DataSets) -> Reproduction:
    """Return Figure 6: sacreBLEU-BLEU and DA en-de, of all systems, of the majority and of the best 4."""
    one = system_level(data, "en-de")
    values = one.values[one.metrics.index(CURVE_METRIC)]
    order = np.argsort(-one.human, kind="stable")
    worst = one.systems[int(order[-1])]
    parts = {"all systems": order, f"the best {CLOUD}": order[:CLOUD], "the best 4": order[:4]}
    r = {name: float(pearson(values[part], one.human[part])) for name, part in parts.items()}
    series = {
        f"{name}, r = {r[name]:.3f}": list(zip(one.human[part].tolist(), values[part].tolist(), strict=True))
        for name, part in parts.items()
    }
    everyone, cloud, best = r.values()
    statements = [
        Statement("6.1: the outlier is the worst system, en_de_task", worst.lower().startswith("en_de_task"), worst),
        Statement("6.1: the outlier makes the correlation of all systems high", everyone > 0.9, f"{everyone:.3f}"),
        Statement(
            "6.1: the majority of systems form a cloud with Pearson's r around .5",
            0.4 <= cloud <= 0.6,
            f"{cloud:.3f} of the best {CLOUD}",
        ),
        Statement("6.1: the best 4 systems have a negative correlation", best < 0, f"{best:.3f}"),
    ]
    plot = Plot("scatter", "en-de, direct assessment and sacreBLEU-BLEU", "DA", CURVE_METRIC, series, lines=True)
    return Reproduction(statements=statements, extra={CURVE_METRIC: r}, plots=[plot])


def _trend(points: Points) -> tuple[float, float]:
    """Return r of all systems, and the mean r of the best 4, 5 and 6."""
    middle = {n: (low + high) / 2 for n, low, high in points}
    return middle[max(middle)], float(np.mean([middle[n] for n in FEWEST if n in middle]))


def _mean_trend(curves: Mapping[str, Points], names: Iterable[str]) -> tuple[float, float]:
    trends = [_trend(curves[name]) for name in names if name in curves]
    return float(np.mean([one for one, _ in trends])), float(np.mean([few for _, few in trends]))


def appendix_figure(data: DataSets) -> Reproduction:
    """Return Appendix A: signed r over the N best systems, 18 language pairs, and the statements of section 6.1."""
    pairs = [pair for name in SYSTEM_TABLES for pair in printed(name).columns]
    curves = {pair: _curves(data, pair) for pair in pairs}
    baselines = {pair: _mean_trend(curves[pair], BASELINES) for pair in pairs}
    statements = [
        Statement(
            f"6.1: {pair}: the baselines fall, towards 0 or below",
            baselines[pair][1] < baselines[pair][0] - 0.2 and baselines[pair][1] < 0.5,
            _fell(baselines[pair]),
            must=False,
        )
        for pair in DOWNWARD
    ]
    for pair in (pair for pair in DOWNWARD if "BERTr" in curves[pair]):
        own, others = _trend(curves[pair]["BERTr"]), _mean_trend(curves[pair], BASELINES)
        statements.append(
            Statement(
                f"6.1: {pair}: BERTr falls less than the baselines, and stays positive",
                own[0] - own[1] < others[0] - others[1] and own[1] > 0,
                f"BERTr {_fell(own)}; baselines {_fell(others)}",
                must=False,
            )
        )
    for pair, names in UPWARD_QE.items():
        for name in names:
            own = _trend(curves[pair][name])
            text = f"6.1: {pair}: {name}, a metric without references, rises"
            statements.append(Statement(text, own[1] > own[0], _fell(own), must=False))
    for pair in STEADY:
        kept = baselines[pair][0] - baselines[pair][1] < 0.5
        text = f"6.1: {pair}: the baselines do not fall strongly"
        statements.append(Statement(text, kept, _fell(baselines[pair]), must=False))
    rises = baselines["en-zh"]
    statements.append(
        Statement("6.1: en-zh: correlations rise towards the best systems", rises[1] > rises[0], _fell(rises), False)
    )
    return Reproduction(
        statements=statements,
        extra={
            "all systems": {p: baselines[p][0] for p in pairs},
            "the best 4 to 6": {p: baselines[p][1] for p in pairs},
        },
        curves=[Curve(f"{pair}, Pearson's r of the N best systems", curves[pair]) for pair in pairs],
    )


def _fell(trend: tuple[float, float]) -> str:
    return f"{trend[0]:.3f} to {trend[1]:.3f}"


def segment_figure(data: DataSets, *, expected: Sequence[str], same: Mapping[str, str]) -> Reproduction:
    """Return the panels of Figure 3 or 4 whose daRR pairs are there: which metric outperforms which.

    The task's rule: the 95 % intervals of tau (1,000 resamples of pairs) do not overlap.
    """
    wanted = [pair for name in expected for pair in printed(name).columns]
    here = [pair for pair in wanted if pair in pairs_with_darr(data)]
    matrices, extra, winners = [], {}, {}
    for pair in here:
        evidence, testset = judged_segments(data, pair)
        published = list(evidence.scores)
        known = {item.label for item in published}
        scores = [*published, *data.scored(testset, {row: spec for row, spec in same.items() if row not in known})]
        verdicts = judge(evidence, scores, level="seg", statistic="tau:wmt12", significance="overlap")
        items = sorted(verdicts.items, key=lambda item: -item.value)
        names = [item.label for item in items]
        apart = [[0.0 if one.label in other.outperformed_by else 1.0 for other in items] for one in items]
        matrices.append(Matrix(f"{pair}, 95 % intervals that do not overlap", names, apart))
        winners[pair] = [item.label for item in items if item.winner]
        extra[pair] = {"metrics": len(names), "significant": sum(len(item.outperformed_by) for item in items)}
    missing = [pair for pair in wanted if pair not in here]
    files = ", ".join(f"{pair}.darr.tsv" for pair in missing)
    notes = [f"Not drawn: {', '.join(missing)}. They need {files} in wmt19_darr."] if missing else []
    return Reproduction(notes=notes, matrices=matrices, winners=winners, extra=extra)
