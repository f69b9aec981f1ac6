"""Figures of the WMT19 metrics task (Ma et al. 2019), and what section 6.1 says of the best systems."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ....metaeval.judging import judge
from ....stats.correlation import pearson
from ....stats.outliers import top_n
from ..printed import check, printed
from ..results import Curve, Matrix, Plot, Reproduction, Statement
from ..sources import DataSets
from .wmt19 import BASELINES, TEXT, all_pairs, system_level
from .wmt19_segments import judged_segments, pairs_with_darr

DOWNWARD = ("de-en", "de-fr", "en-de", "en-kk", "lt-en", "ru-en", "zh-en")
STEADY = ("en-cs", "en-gu", "en-ru", "kk-en")
UPWARD_QE = {"de-en": ("LP", "UNI", "UNI+"), "en-kk": ("YiSi-2",), "ru-en": ("UNI", "UNI+")}
CLOUD = 12  # "the majority of MT systems" of en-de, which has 22
FEWEST = (4, 5, 6)  # the N over which "only the best systems" are averaged: a single N is noisy
CURVE_METRIC = "sacreBLEU.BLEU"

Points = Sequence[tuple[int, float, float]]
Trend = tuple[float, float]  # r of all systems, and the mean r of the best 4, 5 and 6


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
        Statement("6.1: below .5 with 10 systems", curve[10][0] < 0.5, _range(*curve[10])),
        Statement("6.1: negative with 6 systems", curve[6][1] < 0, _range(*curve[6])),
        Statement("6.1: negative with 4 systems", curve[4][1] < 0, _range(*curve[4])),
    ]
    text = printed(TEXT).cells["6.1: sacreBLEU-BLEU en-de, all systems"]["number"]
    return Reproduction(
        [check(CURVE_METRIC, "22 systems", text, curve[22][0])],
        statements=statements,
        extra={
            f"{CURVE_METRIC}, {bound}": {str(n): curve[n][i] for n in curve}
            for i, bound in enumerate(("lowest", "highest"))
        },
        curves=[Curve("en-de, Pearson's r of the N best systems", curves)],
    )


def _range(low: float, high: float) -> str:
    return f"{low:.3f}" if low == high else f"{low:.3f} or {high:.3f}, depending on a tie"


def cloud_figure(data: DataSets) -> Reproduction:
    """Return Figure 6: sacreBLEU-BLEU and DA en-de, of all systems, of the majority and of the best 4."""
    one = system_level(data, "en-de")
    values, order = one.values[one.metrics.index(CURVE_METRIC)], one.ranked
    worst = one.systems[order[-1]]
    parts = {"all systems": order, f"the best {CLOUD}": order[:CLOUD], "the best 4": order[:4]}
    r = {name: float(pearson(values[part], one.human[part])) for name, part in parts.items()}
    series = {
        f"{name}, r = {r[name]:.3f}": list(zip(one.human[part].tolist(), values[part].tolist(), strict=True))
        for name, part in parts.items()
    }
    everyone, cloud, best = r.values()
    cloudy = "6.1: the majority of systems form a cloud with Pearson's r around .5"
    statements = [
        Statement("6.1: the outlier is the worst system, en_de_task", worst.lower().startswith("en_de_task"), worst),
        Statement("6.1: the outlier makes the correlation of all systems high", everyone > 0.9, f"{everyone:.3f}"),
        Statement(cloudy, 0.4 <= cloud <= 0.6, f"{cloud:.3f} of the best {CLOUD}"),
        Statement("6.1: the best 4 systems have a negative correlation", best < 0, f"{best:.3f}"),
    ]
    plot = Plot("scatter", "en-de, direct assessment and sacreBLEU-BLEU", "DA", CURVE_METRIC, series, lines=True)
    return Reproduction(statements=statements, extra={CURVE_METRIC: r}, plots=[plot])


def _trend(points: Points) -> Trend:
    middle = {n: (low + high) / 2 for n, low, high in points}
    return middle[max(middle)], float(np.mean([middle[n] for n in FEWEST if n in middle]))


def _mean_trend(curves: Mapping[str, Points], names: Iterable[str]) -> Trend:
    trends = [_trend(curves[name]) for name in names if name in curves]
    return float(np.mean([one for one, _ in trends])), float(np.mean([few for _, few in trends]))


def appendix_figure(data: DataSets) -> Reproduction:
    """Return Appendix A: signed r over the N best systems, 18 language pairs, and the statements of section 6.1."""
    curves = {pair: _curves(data, pair) for pair in all_pairs()}
    baselines = {pair: _mean_trend(of_pair, BASELINES) for pair, of_pair in curves.items()}
    said: list[tuple[str, bool, str]] = []
    for pair in DOWNWARD:
        before, after = baselines[pair]
        falls = after < before - 0.2 and after < 0.5
        said.append((f"{pair}: the baselines fall, towards 0 or below", falls, _fell(baselines[pair])))
    for pair in (pair for pair in DOWNWARD if "BERTr" in curves[pair]):
        own, (before, after) = _trend(curves[pair]["BERTr"]), baselines[pair]
        less = own[0] - own[1] < before - after and own[1] > 0
        found = f"BERTr {_fell(own)}; baselines {_fell(baselines[pair])}"
        said.append((f"{pair}: BERTr falls less than the baselines, and stays positive", less, found))
    for pair, name in ((pair, name) for pair, names in UPWARD_QE.items() for name in names):
        own = _trend(curves[pair][name])
        said.append((f"{pair}: {name}, a metric without references, rises", own[1] > own[0], _fell(own)))
    for pair in STEADY:
        before, after = baselines[pair]
        said.append((f"{pair}: the baselines do not fall strongly", before - after < 0.5, _fell(baselines[pair])))
    before, after = baselines["en-zh"]
    said.append(("en-zh: correlations rise towards the best systems", after > before, _fell(baselines["en-zh"])))
    return Reproduction(
        statements=[Statement(f"6.1: {text}", holds, found, must=False) for text, holds, found in said],
        extra={
            "all systems": {pair: everyone for pair, (everyone, _) in baselines.items()},
            "the best 4 to 6": {pair: few for pair, (_, few) in baselines.items()},
        },
        curves=[Curve(f"{pair}, Pearson's r of the N best systems", points) for pair, points in curves.items()],
    )


def _fell(trend: Trend) -> str:
    return f"{trend[0]:.3f} to {trend[1]:.3f}"


def segment_figure(data: DataSets, *, expected: Sequence[str], same: Mapping[str, str]) -> Reproduction:
    """Return the panels of Figure 3 or 4: metrics differ if the 95 % intervals of tau do not overlap."""
    wanted = all_pairs(expected)
    matrices, extra, winners = [], {}, {}
    for pair in (pair for pair in wanted if pair in pairs_with_darr(data)):
        evidence, testset = judged_segments(data, pair)
        known = {item.label for item in evidence.scores}
        own = data.scored(testset, {row: spec for row, spec in same.items() if row not in known})
        scores = [*evidence.scores, *own]
        verdicts = judge(evidence, scores, level="seg", statistic="tau:wmt12", significance="overlap")
        items = sorted(verdicts.items, key=lambda item: -item.value)
        names = [item.label for item in items]
        apart = [[0.0 if one.label in other.outperformed_by else 1.0 for other in items] for one in items]
        matrices.append(Matrix(f"{pair}, 95 % intervals that do not overlap", names, apart))
        winners[pair] = [item.label for item in items if item.winner]
        extra[pair] = {"metrics": len(names), "significant": sum(len(item.outperformed_by) for item in items)}
    missing = [pair for pair in wanted if pair not in winners]
    files = ", ".join(f"{pair}.darr.tsv" for pair in missing)
    notes = [f"Not drawn: {', '.join(missing)}. They need {files} in wmt19_darr."] if missing else []
    return Reproduction(notes=notes, matrices=matrices, winners=winners, extra=extra)
