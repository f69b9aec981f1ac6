"""Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", doctoral thesis,
Universitat Pompeu Fabra: UPF-Cobalt on the rankings of WMT13 to WMT16, and the example of Table 4.9.

The author used Stanford's parser, PPDB's paraphrases and word vectors; Tercet has its own parser, WordNet's related
words and no vectors, so numbers are not required to be equal, but averages on WMT14 must be in the printed interval. Of
these years only WMT14's texts are public together with its rankings. The trees of Table 4.9 are in
`expected/thesis_t4_8.txt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....data.scores import MetricRecord, Scores
from ....data.testset import TestSet
from ....language.conllu import parse_lines
from ....metrics import create
from ....metrics.structure.cobalt import Cobalt
from ....metrics.structure.hwcm import HWCM
from ....metrics.structure.verta import VERTa
from ....types import Floats
from ..printed import check, printed
from ..results import Cell, Reproduction, Statement, Unchecked
from ..sources import DataSets
from .cobalt_scores import SYSTEM, cobalt_scores
from .rankings import (
    HALF_WIDTH_WITHIN,
    NOT_ASKED,
    Judged,
    check_tau,
    judged,
    missing_pair,
    own_taus,
    pairs_of,
    segment_taus,
    sentbleu,
    table_row,
)

if TYPE_CHECKING:
    from ....language.sentence import Sentence

OWN = "UPF-Cobalt"
ABLATIONS = {
    "equivalence off": Cobalt(equivalence=False),
    "weights off": Cobalt(weights=False),
    "penalty off": Cobalt(penalty=False),
    "aligner off": Cobalt(aligner="meteor"),
}
SAME_ROW = {"meteor aligner": "aligner off", "embeddings off": OWN, "WE off": OWN}  # rows under other names
VARIANTS = {"cobalt:related=false": Cobalt(related=False), "cobalt:params=published": Cobalt(params="published")}
PARAPHRASES = "cobalt:related=false with the thesis's paraphrases"
OUTPUTS = ("MT1", "MT2")
INFERRED = "VERTA-W"
INFERRED_FROM = "Two of its four weights were inferred from these numbers, so that they do not check anything."
LEAST = 0.350  # Tercet's UPF-Cobalt must reach this average over all language pairs of WMT14
INTERMEDIATE = "The thesis does not explain the row 'cobalt', a version between the metric and its ablations."
NO_PROGRAM = "Neither the metric nor its scores are available."


def variants(data: DataSets) -> dict[str, Cobalt]:
    """Return the variants that are shown for comparison, with the thesis's own paraphrases if they are there."""
    folder = data("lexical")
    if folder is None:
        return dict(VARIANTS)
    table = _paraphrase_table(data, folder)
    return {**VARIANTS, PARAPHRASES: Cobalt(related=False, paraphrases=str(table))}


def _paraphrase_table(data: DataSets, folder: Path) -> Path:
    return next(path for path in sorted(folder.iterdir()) if path.name.startswith("ppdb-1.0-xxxl-lexical.pairs"))


def flat(people: Judged, pair: str) -> TestSet:
    """Return the outputs that people compared as one system, each with its reference."""
    (references,) = people.texts.references.values()
    keys = people.outputs
    outputs = [people.texts.outputs[system][row] for system, row in keys]
    return TestSet({SYSTEM: outputs}, {"reference": [references[row] or "" for _, row in keys]}, pair=pair)


def judged_cobalt(data: DataSets, name: str, pair: str) -> tuple[dict[str, Cobalt], dict[str, Floats]]:
    """Return UPF-Cobalt, its ablations and variants, and their scores of the outputs that people compared."""

    def make() -> tuple[dict[str, Cobalt], dict[str, Floats]]:
        metrics = {OWN: Cobalt(), **ABLATIONS, **variants(data)}
        return metrics, cobalt_scores(data, flat(judged(data, name, pair), pair), metrics)

    return data.once((name, "cobalt", pair), make)


def _cobalt_scores(data: DataSets, name: str, pair: str) -> list[Scores]:
    """Return scores by row; NaN for outputs that nobody judged."""
    people, (metrics, scores) = judged(data, name, pair), judged_cobalt(data, name, pair)
    keys, found = people.outputs, []
    for row, values in scores.items():
        segment = {system: np.full(len(people.segments), np.nan) for system, _ in keys}
        for (system, place), value in zip(keys, values.tolist(), strict=True):
            segment[system][place] = value
        found.append(_as_scores(metrics[row], row, segment))
    return found


def _as_scores(metric: Cobalt, label: str, segment: Mapping[str, Floats]) -> Scores:
    means = {system: float(np.nanmean(values)) for system, values in segment.items()}
    n_segments = len(next(iter(segment.values())))
    record = MetricRecord(metric.spec, label, metric.resolved("en").signature)
    return Scores(record, means, segment, n_segments=n_segments)


def _taus(data: DataSets, name: str, pair: str, rows: Mapping[str, str]) -> dict[str, dict[str, float]]:
    def make() -> dict[str, dict[str, float]]:
        scores = [*_cobalt_scores(data, name, pair), sentbleu(data, name, pair)]
        return segment_taus(judged(data, name, pair), scores, [item.label for item in scores])

    return data.once((name, "taus", pair), make) | own_taus(data, name, pair, rows, rows)


def language_pairs(expected: str) -> list[str]:
    """Return the language pairs among the columns of a table."""
    return [column for column in printed(expected).columns if len(column) == 5 and "-" in column]


def year_values(
    data: DataSets, name: str, wanted: Sequence[str], rows: Mapping[str, str], *, pairs: Sequence[str] | None = None
) -> dict[str, dict[str, float]]:
    """Return tau of UPF-Cobalt, its ablations and variants, and of other metrics, by row and language pair, with means.

    The ablations are always computed, because several tables share them. pairs: only these of the wanted ones.
    """
    here = pairs_of(data, name, wanted if pairs is None else pairs)
    by_pair = {pair: _taus(data, name, pair, rows) for pair in here}
    names = list(dict.fromkeys(row for found in by_pair.values() for row in found))
    return {
        row: table_row({pair: found[row] for pair, found in by_pair.items() if row in found}, wanted) for row in names
    }


def tau_table(
    data: DataSets,
    *,
    expected: str,
    name: str,
    rows: Mapping[str, str] | None = None,
    ablation: bool = False,
    pairs: Sequence[str] | None = None,
) -> Reproduction:
    """Return tau of UPF-Cobalt, of sentBLEU and of the metrics of `rows` on the rankings of one year.

    name: the data set. ablation: also without one of its parts. pairs: only these language pairs; means need all.
    """
    values = year_values(data, name, language_pairs(expected), rows or {}, pairs=pairs)
    values |= {row: values[same] for row, same in SAME_ROW.items() if same in values}
    if not ablation:
        values = {row: found for row, found in values.items() if row not in ABLATIONS}
    return _against_print(expected, name, values, ablation=ablation)


def _against_print(
    expected: str, name: str, values: Mapping[str, Mapping[str, float]], *, ablation: bool
) -> Reproduction:
    """Compare Tercet's rows with the printed table."""
    table = printed(expected)
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    places = {row.casefold(): row for row in values} | {"bleu": "SENTBLEU"}
    for row, column, text in table.numbers():
        ours = values.get(places.get(row.casefold(), row))
        base = column.replace("Average", "Avg")
        if not values:
            unchecked.append(missing_pair(name, row, column, text))
        elif ours is None:
            unchecked.append(Unchecked(row, column, float(text), INTERMEDIATE if row == "cobalt" else NO_PROGRAM))
        elif base not in ours:
            unchecked.append(
                missing_pair(name, row, column, text) if "-" in base else Unchecked(row, column, float(text), NOT_ASKED)
            )
        else:
            cells.append(check_tau(table, row, column, text, ours[base], must=False))
    printed_rows = {places.get(row.casefold(), row) for row in table.cells}
    columns = dict.fromkeys(column.replace("Average", "Avg") for column in table.columns)
    extra = {
        row: {column: found[column] for column in columns if column in found and not column.endswith("_ci")}
        for row, found in values.items()
        if row not in printed_rows and row not in SAME_ROW
    }
    statements = []
    average = values.get(OWN, {}).get("Avg")
    if average is not None and name == "wmt14":
        text = f"the average of {OWN} is at least {LEAST:.3f}"
        statements.append(Statement(text, average >= LEAST, f"{average:.4f}"))
        if ablation:
            averages = {row: values[row]["Avg"] for row in (OWN, *ABLATIONS)}
            lower = [row for row in ABLATIONS if averages[row] < averages[OWN]]
            text = "the average is lower without any one of the parts"
            found = f"with {', '.join(lower) or 'none'}"
            statements.append(Statement(text, len(lower) == len(ABLATIONS), found, must=False))
    return Reproduction(cells, unchecked, statements, extra=extra, note_values={"within": HALF_WIDTH_WITHIN})


def example_table(data: DataSets) -> Reproduction:
    """Return Table 4.9: scores of two outputs; the second contradicts the reference. It needs no data."""
    text = files("tercet.tasks.reproduce").joinpath("expected", "thesis_t4_8.txt").read_text(encoding="utf-8")
    trees = list(parse_lines(text.split("\n"), "thesis_t4_8.txt"))
    stanford, minipar = trees[:3], trees[3:]  # each: the reference, MT1, MT2
    words = [replace(tree, tokens=tuple(word for word in tree.tokens if word.form != "=")) for tree in minipar]
    reference, *outputs = (tree.text for tree in stanford)
    values = {
        OWN: _of_trees(Cobalt(params="published"), stanford),
        "HWCM_w-4": _of_trees(HWCM(of="words", variant="asiya"), words),
        "HWCM_c-4": _of_trees(HWCM(of="categories", variant="asiya"), minipar),
        "HWCM_r-4": _of_trees(HWCM(of="relations", variant="asiya"), minipar),
        "VERTA-EQ": _of_trees(VERTa(variant="eq"), stanford),
        "VERTA-W": _of_trees(VERTa(), stanford),
        "Meteor": [create("meteor").score_one(output, [reference]) for output in outputs],
        "BLEU": [create("bleu:variant=mteval").score_one(output, [reference]) for output in outputs],
    }
    cells, unchecked = [], []
    for row, column, number in printed("thesis_t4_9").numbers():
        if row == INFERRED:
            unchecked.append(Unchecked(row, column, float(number), INFERRED_FROM))
        elif row in values:
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
        extra={
            "cobalt": dict(zip(OUTPUTS, _of_trees(Cobalt(), stanford), strict=True)),
            "verta": dict(zip(OUTPUTS, values[INFERRED], strict=True)),
        },
        decimals=4,
    )


def _of_trees(metric: Cobalt | HWCM | VERTa, trees: Sequence[Sentence]) -> list[float]:
    """Return the scores of outputs against the reference, which comes first."""
    settled = metric.resolved()
    return [float(settled.count_parsed(output, trees[:1])[0]) for output in trees[1:]]
