"""Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", doctoral thesis,
Universitat Pompeu Fabra: the tables of UPF-Cobalt whose texts are available.

Tables A.3 and A.7 have tau on WMT14, like Table 4 of that task. The author used Stanford's parser, PPDB's paraphrases
and word vectors; Tercet has its own parser, WordNet's related words and no vectors, so numbers are not required to be
equal. Table 4.9 has the scores of one sentence; its trees are in `expected/thesis_t4_8.txt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ..data.scores import Floats, MetricRecord, Scores
from ..language.conllu import parse_lines
from ..metaeval.gold import preferences_of
from ..metrics import create
from ..metrics.cobalt import Cobalt
from ..metrics.hwcm import HWCM
from . import Cell, DataSets, Reproduction, Statement, Unchecked, check, printed
from .wmt14 import HALF_WIDTH_WITHIN, NOT_ASKED, PAIRS, Judged, judged, scored, segment_taus, table_row

if TYPE_CHECKING:
    from ..language.sentence import Sentence

OWN = "UPF-Cobalt"
ABLATIONS = {
    "equivalence off": Cobalt(equivalence=False),
    "weights off": Cobalt(weights=False),
    "penalty off": Cobalt(penalty=False),
    "aligner off": Cobalt(aligner="meteor"),
}
WITHOUT_VECTORS = "embeddings off"
VARIANTS = {"cobalt:related=false": Cobalt(related=False), "cobalt:params=published": Cobalt(params="published")}
OTHERS = ("meteor", "sentbleu", "chrf")
OUTPUTS = ("MT1", "MT2")
LEAST = 0.350  # Tercet's UPF-Cobalt must reach this average over all language pairs
OF_WMT14 = "It repeats Table 4 of wmt14: tercet reproduce wmt14 --table 4."
INTERMEDIATE = "The thesis does not explain the row 'cobalt', a version between the metric and its ablations."
NO_PROGRAM = "Neither the metric nor its scores are available."


def _cobalt_scores(people: Judged, metrics: Mapping[str, Cobalt]) -> list[Scores]:
    """Return scores by row; NaN for outputs that nobody judged. Each text is parsed once for all metrics."""
    gold, pairs = people.gold, preferences_of(people.gold)
    metrics = {label: metric.resolved("en") for label, metric in metrics.items()}
    place = {name: row for row, name in enumerate(people.segments)}
    wanted = dict.fromkeys(
        (gold.systems[system], place[gold.segments[segment]])
        for side in (pairs.left, pairs.right)
        for system, segment in zip(side.tolist(), pairs.segment.tolist(), strict=True)
    )
    (references,) = people.texts.references.values()
    texts = {key: (people.texts.outputs[key[0]][key[1]], references[key[1]] or "") for key in wanted}
    distinct = dict.fromkeys(text for both in texts.values() for text in both)
    parses = dict(zip(distinct, Cobalt().resolved().parse_texts(distinct), strict=True))
    found = {label: {system: np.full(len(people.segments), np.nan) for system, _ in wanted} for label in metrics}
    # Alignment takes most of the time. Metrics that differ only in scoring share it.
    aligners = {row: replace(one, penalty=True, weights=True, equivalence=True) for row, one in metrics.items()}
    for (system, row), (output, reference) in texts.items():
        aligned = {each: each.align(parses[output], parses[reference]) for each in set(aligners.values())}
        for label, metric in metrics.items():
            found[label][system][row] = metric.assess(aligned[aligners[label]]).score
    return [_as_scores(metric, label, found[label]) for label, metric in metrics.items()]


def _as_scores(metric: Cobalt, label: str, segment: Mapping[str, Floats]) -> Scores:
    means = {system: float(np.nanmean(values)) for system, values in segment.items()}
    n_segments = len(next(iter(segment.values())))
    return Scores(MetricRecord(metric.spec, label, metric.signature), means, segment, n_segments=n_segments)


def _taus(data: DataSets, pairs: Sequence[str], metrics: Mapping[str, Cobalt]) -> dict[str, dict[str, float]]:
    """Return rows with tau and its half-width for each language pair, and their means if no pair is left out."""
    by_pair = {}
    for pair in pairs:
        people = judged(data, pair)
        scores = [*_cobalt_scores(people, metrics), *scored(people.texts, {name: name for name in OTHERS})]
        by_pair[pair] = segment_taus(people, scores, metrics)
    return {row: table_row({pair: found[row] for pair, found in by_pair.items()}) for row in (*metrics, *OTHERS)}


def _against_print(expected: str, rows: Mapping[str, Mapping[str, float]], reason: str) -> Reproduction:
    """Compare Tercet's rows with the printed table; `reason`: why other rows are not checked."""
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in printed(expected).numbers():
        if row not in rows:
            unchecked.append(Unchecked(row, column, float(text), reason))
        elif column not in rows[row]:
            unchecked.append(Unchecked(row, column, float(text), NOT_ASKED))
        else:
            within = HALF_WIDTH_WITHIN if column.endswith("_ci") else None
            cells.append(check(row, column, text, rows[row][column], within=within, decimals=3, must=False))
    columns = (*PAIRS, "Avg")
    extra = {
        row: {column: rows[row][column] for column in columns if column in rows[row]} for row in (*VARIANTS, *OTHERS)
    }
    average = rows[OWN].get("Avg")
    text = f"the average of {OWN} is at least {LEAST:.3f}"
    statements = [] if average is None else [Statement(text, average >= LEAST, f"{average:.4f}")]
    return Reproduction(cells, unchecked, statements, extra=extra, note_values={"within": HALF_WIDTH_WITHIN})


def tau_table(data: DataSets, *, pairs: Sequence[str] = PAIRS) -> Reproduction:
    """Return Table A.3: tau of UPF-Cobalt on WMT14. pairs: only these language pairs; means need all."""
    rows = _taus(data, pairs, {OWN: Cobalt(), **VARIANTS})
    return _against_print("thesis_tA_3", rows, OF_WMT14)


def ablation_table(data: DataSets, *, pairs: Sequence[str] = PAIRS) -> Reproduction:
    """Return Table A.7: tau of UPF-Cobalt without one of its parts. pairs: only these; means need all."""
    rows = _taus(data, pairs, {OWN: Cobalt(), **ABLATIONS, **VARIANTS})
    rows[WITHOUT_VECTORS] = rows[OWN]
    found = _against_print("thesis_tA_7", rows, INTERMEDIATE)
    averages = {row: rows[row]["Avg"] for row in (OWN, *ABLATIONS) if "Avg" in rows[row]}
    if not averages:
        return found
    lower = [row for row in ABLATIONS if averages[row] < averages[OWN]]
    text = "the average is lower without any one of the parts"
    statement = Statement(text, len(lower) == len(ABLATIONS), f"with {', '.join(lower) or 'none'}", must=False)
    return replace(found, statements=[*found.statements, statement])


def example_table(data: DataSets) -> Reproduction:
    """Return Table 4.9: scores of two outputs; the second contradicts the reference. It needs no data."""
    text = files(__package__).joinpath("expected", "thesis_t4_8.txt").read_text(encoding="utf-8")
    trees = list(parse_lines(text.split("\n"), "thesis_t4_8.txt"))
    stanford, minipar = trees[:3], trees[3:]  # each: the reference, MT1, MT2
    words = [replace(tree, tokens=tuple(word for word in tree.tokens if word.form != "=")) for tree in minipar]
    reference, *outputs = (tree.text for tree in stanford)
    values = {
        OWN: _of_trees(Cobalt(params="published"), stanford),
        "HWCM_w-4": _of_trees(HWCM(of="words", variant="asiya"), words),
        "HWCM_c-4": _of_trees(HWCM(of="categories", variant="asiya"), minipar),
        "HWCM_r-4": _of_trees(HWCM(of="relations", variant="asiya"), minipar),
        "Meteor": [create("meteor").score_one(output, [reference]) for output in outputs],
        "BLEU": [create("bleu:variant=mteval").score_one(output, [reference]) for output in outputs],
    }
    cells, unchecked = [], []
    for row, column, number in printed("thesis_t4_9").numbers():
        if row in values:
            value = values[row][OUTPUTS.index(column)]
            cells.append(check(row, column, number, value, must=(row, column) != (OWN, "MT1")))
        else:
            unchecked.append(Unchecked(row, column, float(number), NO_PROGRAM))
    prefer_first = [row for row, (first, second) in values.items() if first > second]
    return Reproduction(
        cells,
        unchecked,
        [
            Statement(
                f"of these metrics {OWN} alone prefers MT1",
                prefer_first == [OWN],
                f"prefer it: {', '.join(prefer_first)}",
            )
        ],
        extra={"cobalt": dict(zip(OUTPUTS, _of_trees(Cobalt(), stanford), strict=True))},
        decimals=4,
    )


def _of_trees(metric: Cobalt | HWCM, trees: Sequence[Sentence]) -> list[float]:
    """Return the scores of outputs against the reference, which comes first."""
    settled = metric.resolved()
    return [float(settled.count_parsed(output, trees[:1])[0]) for output in trees[1:]]
