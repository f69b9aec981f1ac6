"""Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", doctoral thesis,
Universitat Pompeu Fabra: UPF-Cobalt on the rankings of WMT13 to WMT16, and the example of Table 4.9.

The author used Stanford's parser, PPDB's paraphrases and word vectors; Tercet has its own parser, WordNet's related
words and no vectors, so numbers are not required to be equal, but averages on WMT14 must be in the printed interval. Of
these years only WMT14's texts are public together with its rankings. The trees of Table 4.9 are in
`expected/thesis_t4_8.txt`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ....count_cache import Cache
from ....data.scores import MetricRecord, Scores
from ....data.testset import TestSet
from ....language.conllu import parse_lines
from ....language.sentence import Sentence
from ....metrics import create
from ....metrics.structure.cobalt import Cobalt
from ....metrics.structure.hwcm import HWCM
from ....metrics.structure.verta import VERTa
from ....types import Floats
from ....workers import results_in_order
from ..printed import compare, expected_file, printed
from ..recomputing import LEFT_OUT
from ..results import Reproduction, Statement
from ..sources import DataSets, once
from ..tables import why_absent
from .rankings import (
    HALF_WIDTH_WITHIN,
    NOT_ASKED,
    Judged,
    Taus,
    judged,
    language_pairs,
    missing_pair,
    own_taus,
    pairs_of,
    segment_taus,
    sentbleu,
    table_rows,
    tau_options,
)  # fmt: skip

OWN = "UPF-Cobalt"
SYSTEM = "output"  # in test sets with the outputs that people judged as one system
STEP = 100  # outputs of a piece of work
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


def asks_for_cobalt(data: DataSets) -> bool:
    """Return whether UPF-Cobalt, its ablations and variants are to be computed."""
    return data.asks_for(OWN, "cobalt")


def cobalts(data: DataSets) -> dict[str, Cobalt]:
    """Return UPF-Cobalt, its ablations and variants; one has the thesis's own paraphrases, if they are there."""
    metrics = {OWN: Cobalt(), **ABLATIONS, **VARIANTS}
    if folder := data("lexical"):
        table = min(folder.glob("ppdb-1.0-xxxl-lexical.pairs*"))
        metrics[PARAPHRASES] = Cobalt(related=False, paraphrases=str(table))
    return metrics


def cobalt_scores(data: DataSets, texts: TestSet, metrics: Mapping[str, Cobalt]) -> dict[str, Floats]:
    """Return the scores of the one system by row. Each text is parsed once. cache: keeps counts."""
    if data.cache is None:
        return _counted(data, texts, metrics)
    store = Cache(data.cache)
    headers = {row: store.header(metric.ready(texts), texts, texts.outputs[SYSTEM]) for row, metric in metrics.items()}
    loaded = {row: store.load(header) for row, header in headers.items()}
    found = {row: counts[:, 0] for row, counts in loaded.items() if counts is not None}
    for row, scores in _counted(data, texts, {row: metrics[row] for row in metrics if row not in found}).items():
        store.save(headers[row], np.stack([scores, np.ones_like(scores)], axis=1))
        found[row] = scores
    return {row: found[row] for row in metrics}


def _counted(data: DataSets, texts: TestSet, metrics: Mapping[str, Cobalt]) -> dict[str, Floats]:
    if not metrics:
        return {}
    (references,) = texts.references.values()
    both = [(output, text or "") for output, text in zip(texts.outputs[SYSTEM], references, strict=True)]
    settled = {row: metric.resolved("en") for row, metric in metrics.items()}
    tasks = [(both[start : start + STEP], settled) for start in range(0, len(both), STEP)]
    done: Iterator[dict[str, Floats]] = (score_piece(*task) for task in tasks)
    if data.executor is not None:
        done = results_in_order(data.executor, score_piece, tasks, doing="aligning")
    parts: list[dict[str, Floats]] = []
    _report(data, texts, 0)
    for part in done:
        parts.append(part)
        _report(data, texts, min(len(parts) * STEP, len(both)))
    return {row: np.concatenate([part[row] for part in parts]) for row in metrics}


def score_piece(both: Sequence[tuple[str, str]], metrics: Mapping[str, Cobalt]) -> dict[str, Floats]:
    """Return the scores of some outputs with their references, by row. Runs in any process."""
    distinct = list(dict.fromkeys(text for pair in both for text in pair))
    parses = dict(zip(distinct, Cobalt().resolved("en").parse_texts(distinct), strict=True))
    # Alignment takes most of the time. Metrics that differ only in scoring share it.
    aligners = {row: replace(one, penalty=True, weights=True, equivalence=True) for row, one in metrics.items()}
    found = {row: np.empty(len(both)) for row in metrics}
    for place, (output, reference) in enumerate(both):
        aligned = {each: each.align(parses[output], parses[reference]) for each in set(aligners.values())}
        for row, metric in metrics.items():
            found[row][place] = metric.assess(aligned[aligners[row]]).score
    return found


def _report(data: DataSets, texts: TestSet, done: int) -> None:
    if data.progress is not None:
        data.progress(f"{data.title} ({texts.pair}): {done} of {len(texts)} outputs")


def flat(people: Judged, pair: str) -> TestSet:
    """Return the outputs that people compared as one system, each with its reference."""
    (references,) = people.texts.references.values()
    keys = people.outputs
    outputs = [people.texts.outputs[system][row] for system, row in keys]
    return TestSet({SYSTEM: outputs}, {"reference": [references[row] or "" for _, row in keys]}, pair=pair)


@once
def judged_cobalt(data: DataSets, name: str, pair: str) -> dict[str, Floats]:
    """Return the scores of the outputs that people compared, by UPF-Cobalt, its ablations and variants."""
    return cobalt_scores(data, flat(judged(data, name, pair), pair), cobalts(data))


def _cobalt_scores(data: DataSets, name: str, pair: str) -> list[Scores]:
    """Return scores by row; NaN for outputs that nobody judged."""
    people, metrics, found = judged(data, name, pair), cobalts(data), []
    keys, n_segments = people.outputs, len(people.segments)
    for row, values in judged_cobalt(data, name, pair).items():
        segment = {system: np.full(n_segments, np.nan) for system, _ in keys}
        for (system, place), value in zip(keys, values.tolist(), strict=True):
            segment[system][place] = value
        means = {system: float(np.nanmean(scores)) for system, scores in segment.items()}
        record = MetricRecord(metrics[row].spec, row, metrics[row].resolved("en").signature)
        found.append(Scores(record, means, segment, n_segments=n_segments))
    return found


@once
def _cobalt_taus(data: DataSets, name: str, pair: str, asked: bool) -> Taus:
    """Return tau of sentBLEU, and of UPF-Cobalt and its variants if they were asked for."""
    scores = [*(_cobalt_scores(data, name, pair) if asked else ()), sentbleu(data, name, pair)]
    return segment_taus(judged(data, name, pair), scores, [item.label for item in scores])


def year_values(
    data: DataSets, expected: str, name: str, rows: Mapping[str, str], *, pairs: Sequence[str] | None = None
) -> Taus:
    """Return tau of sentBLEU and of metrics on the rankings of a table's year, by row and language pair, with means.

    UPF-Cobalt is computed with its ablations and variants, because several tables share them. Rows that are printed
    have half-widths. pairs: only these.
    """
    wanted = language_pairs(expected)
    here = pairs_of(data, name, wanted if pairs is None else pairs)
    asked, others = OWN in rows and asks_for_cobalt(data), {row: spec for row, spec in rows.items() if row != OWN}
    names = {row.casefold() for row in printed(expected).cells}
    bounded = {row for row in others if row.casefold() in names}
    return table_rows(
        {pair: _cobalt_taus(data, name, pair, asked) | own_taus(data, name, pair, others, bounded) for pair in here},
        wanted,
    )


def tau_table(
    data: DataSets, *, expected: str, name: str, rows: Mapping[str, str] | None = None, ablation: bool = False,
    pairs: Sequence[str] | None = None, must: Collection[str] = (),
) -> Reproduction:  # fmt: skip
    """Return tau of sentBLEU and of the metrics of `rows`, such as UPF-Cobalt, on the rankings of one year.

    name: the data set. ablation: also without one of its parts. pairs: only these language pairs; means need all.
    must: rows that are required to agree with print.
    """
    values = year_values(data, expected, name, rows or {}, pairs=pairs)
    values |= {row: values[same] for row, same in SAME_ROW.items() if same in values}
    if not ablation:
        values = {row: found for row, found in values.items() if row not in ABLATIONS}
    table = printed(expected)
    places = {row.casefold(): row for row in values} | dict.fromkeys(("bleu", "sentbleu"), "SENTBLEU")
    ours = {row: places.get(row.casefold(), row) for row in table.cells}  # the names of our rows
    columns = {column: column.replace("Average", "Avg") for column in table.columns}
    shown = {
        row: {column: values[own][base] for column, base in columns.items() if base in values[own]}
        for row, own in ours.items()
        if own in values
    }

    def reason(row: str, column: str) -> str:
        if values and row not in shown:
            if row in (*ABLATIONS, *SAME_ROW):
                return LEFT_OUT
            return INTERMEDIATE if row == "cobalt" else why_absent(row)
        return missing_pair(name, column) if not values or "-" in columns[column] else NOT_ASKED

    extra = {
        row: {base: found[base] for base in columns.values() if base in found and not base.endswith("_ci")}
        for row, found in values.items()
        if row not in ours.values() and row not in SAME_ROW
    }
    statements = _averages(values, ablation) if name == "wmt14" and "Avg" in values.get(OWN, {}) else []
    noted = {"within": HALF_WIDTH_WITHIN}
    return compare(
        expected, shown, reason, lambda row, column: {**tau_options(table, row, column), "must": row in must},
        statements=statements, extra=extra, note_values=noted,
    )  # fmt: skip


def _averages(values: Taus, ablation: bool) -> list[Statement]:
    average = values[OWN]["Avg"]
    statements = [Statement(f"the average of {OWN} is at least {LEAST:.3f}", average >= LEAST, f"{average:.4f}")]
    if ablation:
        lower = [row for row in ABLATIONS if values[row]["Avg"] < average]
        holds, found = len(lower) == len(ABLATIONS), f"with {', '.join(lower) or 'none'}"
        statements.append(Statement("the average is lower without any one of the parts", holds, found, must=False))
    return statements


def example_table(data: DataSets) -> Reproduction:
    """Return Table 4.9: scores of two outputs; the second contradicts the reference. It needs no data."""
    trees = list(parse_lines(expected_file("thesis_t4_8.txt").split("\n"), "thesis_t4_8.txt"))
    stanford, minipar = trees[:3], trees[3:]  # each: the reference, MT1, MT2
    words = [replace(tree, tokens=tuple(word for word in tree.tokens if word.form != "=")) for tree in minipar]
    reference, *outputs = (tree.text for tree in stanford)
    scores = {
        OWN: _of_trees(Cobalt(params="published"), stanford),
        "HWCM_w-4": _of_trees(HWCM(of="words", variant="asiya"), words),
        "HWCM_c-4": _of_trees(HWCM(of="categories", variant="asiya"), minipar),
        "HWCM_r-4": _of_trees(HWCM(of="relations", variant="asiya"), minipar),
        "VERTA-EQ": _of_trees(VERTa(variant="eq"), stanford),
        INFERRED: _of_trees(VERTa(), stanford),
        "Meteor": [create("meteor").score_one(output, [reference]) for output in outputs],
        "BLEU": [create("bleu:variant=mteval").score_one(output, [reference]) for output in outputs],
    }
    values = {row: dict(zip(OUTPUTS, both, strict=True)) for row, both in scores.items()}
    prefer_first = [row for row, (first, second) in scores.items() if first > second]
    said, found = f"of these metrics {OWN} alone prefers MT1", f"prefer it: {', '.join(prefer_first)}"
    default = _of_trees(Cobalt(), stanford)
    extra = {"cobalt": dict(zip(OUTPUTS, default, strict=True)), "verta": values.pop(INFERRED)}
    return compare(
        "thesis_t4_9", values, lambda row, _: INFERRED_FROM if row == INFERRED else why_absent(row),
        lambda *place: {"must": place != (OWN, "MT1")}, statements=[Statement(said, prefer_first == [OWN], found)],
        extra=extra, decimals=4,
    )  # fmt: skip


def _of_trees(metric: Cobalt | HWCM | VERTa, trees: Sequence[Sentence]) -> list[float]:
    """Return the scores of outputs against the reference, which comes first."""
    settled = metric.resolved()
    return [float(settled.count_parsed(output, trees[:1])[0]) for output in trees[1:]]
