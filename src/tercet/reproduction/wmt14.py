"""Macháček and Bojar (2014), "Results of the WMT14 Metrics Shared Task".

Segment level: tau on the comparisons of five-way rankings, where a tie of the metric counts as half agreement (the
wmt14 variant), with half-widths from 1,000 resamples of comparisons. Only comparisons into English in which people
preferred one output are available. Ties are missing, so HTIES and the paper's TrueSkill scores cannot be recomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean

import numpy as np

from ..data.evidence import Evidence, open_evidence
from ..data.scores import Scores
from ..data.testset import TestSet
from ..errors import DataError
from ..metaeval.gold import Gold, find_gold, preferences_of
from ..metaeval.joining import align_segments, align_systems
from ..metaeval.measures import ResampleOptions, parse_statistic, preference_level
from ..scoring import score
from ..stats.correlation import pearson, spearman
from ..stats.resampling import SEED
from ..text.tokenisers import tokeniser
from . import Cell, DataSets, Reproduction, Unchecked, check, printed, read_tables

PAIRS = ("fr-en", "de-en", "hi-en", "cs-en", "ru-en")
VARIANTS = {"Avg": "wmt14", "WMT12": "wmt12", "WMT13": "wmt13"}  # columns of means, and the variant averaged
BOUNDED = ("SENTBLEU", "METEOR"), ("Avg", "WMT12")  # rows and columns with printed half-widths
TOKENISER = "moses-en"
RESAMPLES = 1000
WITHIN = 0.005  # of sentBLEU's tau
HALF_WIDTH_WITHIN = 0.0015  # one step of the last printed digit, plus the variation between resamples
# Rows of Table 2 that Tercet has: on the original texts, and on texts tokenised by Moses.
OF_PLAIN = {"BLEU": "bleu:variant=mteval,tokenize=intl"}
SLOW = {"METEOR": "meteor", "NIST": "nist:tokenize=intl"}
OF_TOKENISED = {
    "TER": "ter:case_sensitive=true",  # variant=moses takes ten times as long for nearly the same scores
    **{row: f"{row.lower()}:variant=moses,tokenize=none" for row in ("WER", "PER", "CDER")},
}
SENTBLEU = "sentbleu:tokenize=none"  # on text that is first tokenised, then lower-cased
OTHERS = ("bleu", "cer", "character", "chrf", "chrf:word_order=2", "eed", "hlepor", "ribes", "ter", "yisi0")
OTHERS_TOKENISED = ("cder", "per", "wer")  # their default is this tokeniser, which is run once for all
NO_METRIC = "Neither the metric nor its scores are available."
NO_TIES = "It needs the comparisons that people found equal, which are not available."
NOT_ASKED = "It was left out of this run."


def _evidence(data: DataSets, pair: str) -> tuple[Evidence, TestSet]:
    """Return the judgements and texts of a language pair."""

    def read() -> tuple[Evidence, TestSet]:
        evidence = open_evidence(data.needed("wmt14"), pair)
        if evidence.testset is None:
            raise DataError(f"wmt14 has no texts of {pair}.")
        return evidence, evidence.testset

    return data.once(("wmt14", pair), read)


def _tokenised(data: DataSets, pair: str, rows: Sequence[int] | None = None) -> TestSet:
    """Return outputs and references of all segments, or of `rows`, tokenised by Moses."""
    words, key = tokeniser(TOKENISER), ("wmt14 tokenised", pair)

    def split(texts: TestSet) -> TestSet:
        return _changed(texts, lambda line: words(line.rstrip()))

    texts = _evidence(data, pair)[1]
    if rows is not None and not data.has(key):
        return split(texts.take(rows))
    whole = data.once(key, lambda: split(texts))
    return whole if rows is None else whole.take(rows)


def _changed(testset: TestSet, change: Callable[[str], str]) -> TestSet:
    """Return the test set with every output and reference changed."""
    return replace(
        testset,
        outputs={name: [change(line) for line in lines] for name, lines in testset.outputs.items()},
        references={name: [change(line or "") for line in lines] for name, lines in testset.references.items()},
    )


def _slow(data: DataSets, pair: str, row: str) -> Scores:
    """Return the scores of one of the two slowest metrics, which both levels need, on all segments."""
    return data.once(("wmt14", row, pair), lambda: scored(_evidence(data, pair)[1], {row: SLOW[row]})[0])


def _system_scores(data: DataSets, pair: str) -> list[Scores]:
    """Return the scores of the metrics of Table 2."""
    plain, tokenised = _evidence(data, pair)[1], _tokenised(data, pair)
    slow = [_slow(data, pair, row) for row in SLOW]
    return [*scored(plain, OF_PLAIN), *slow, *scored(tokenised, OF_TOKENISED)]


def scored(texts: TestSet, specs: Mapping[str, str]) -> list[Scores]:
    """Return the scores of metrics, labelled by the row of the table; `specs` maps rows to metrics."""
    found = score(texts, list(specs.values()))
    return [item.relabelled(row) for row, item in zip(specs, found, strict=True)]


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged segments of a language pair: names, positions among all segments, texts and preferences."""

    segments: Sequence[str]
    rows: Sequence[int]
    texts: TestSet
    gold: Gold


def judged(data: DataSets, pair: str) -> Judged:
    """Return the segments that metrics have to score at segment level."""
    evidence, testset = _evidence(data, pair)
    names = {name for judgements in evidence.judgements for name in judgements.segments}
    rows = [place for place, name in enumerate(evidence.segments) if name in names]
    segments = tuple(evidence.segments[row] for row in rows)
    gold = find_gold(replace(evidence, segments=segments, testset=None), level="seg", wants_pairs=True)
    return Judged(segments, rows, testset.take(rows), gold)


def segment_taus(people: Judged, scores: Sequence[Scores], bounded: Collection[str]) -> dict[str, dict[str, float]]:
    """Return by metric tau in the paper's and two other variants; half-widths (_ci) for metrics in `bounded`."""
    pairs, values = preferences_of(people.gold), align_segments(people.gold, scores, people.segments).values
    places = [place for place, item in enumerate(scores) if item.label in bounded]
    found: dict[str, dict[str, float]] = {item.label: {} for item in scores}
    for name, variant in VARIANTS.items():
        wanted = parse_statistic(f"tau:{variant}", "seg")
        measured, _ = preference_level(wanted, pairs, values, draws=ResampleOptions(resamples=1, seed=SEED))
        for item, value in zip(scores, measured.values.tolist(), strict=True):
            found[item.label][name] = value
        if name in BOUNDED[1]:
            drawn, _ = preference_level(
                wanted, pairs, values[places], draws=ResampleOptions(resamples=RESAMPLES, seed=SEED)
            )
            for place, interval in zip(places, drawn.resampled.intervals(), strict=True):
                found[scores[place].label][f"{name}_ci"] = (interval.high - interval.low) / 2
    return found


def _taus(data: DataSets, pair: str, slow: Sequence[str], others: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the taus of the metrics of Table 4 and of those shown for comparison."""
    people = judged(data, pair)
    tokenised = _tokenised(data, pair, people.rows)
    scores = [
        *scored(_changed(tokenised, str.lower), {"SENTBLEU": SENTBLEU}),
        *(_taken(_slow(data, pair, row), people.rows) for row in slow),
        *scored(people.texts, {name: name for name in others}),
        *scored(tokenised, {name: f"{name}:tokenize=none" for name in OTHERS_TOKENISED}),
    ]
    return segment_taus(people, scores, BOUNDED[0])


def _taken(scores: Scores, rows: Sequence[int]) -> Scores:
    """Return the scores of some segments."""
    segment = {name: values[rows] for name, values in scores.segment.items()}
    return replace(scores, segment=segment, counts={}, document_ids=None, n_segments=len(rows))


def segment_table(
    data: DataSets, *, pairs: Sequence[str] = PAIRS, slow: Sequence[str] = tuple(SLOW), others: Sequence[str] = OTHERS
) -> Reproduction:
    """Return Table 4: tau into English. pairs, slow, others: only these pairs and metrics; means need all pairs."""
    by_pair = {pair: _taus(data, pair, slow, others) for pair in pairs}
    values = {name: table_row({pair: found[name] for pair, found in by_pair.items()}) for name in by_pair[pairs[0]]}
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in printed("wmt14_t4").numbers():
        if row not in values:
            unchecked.append(Unchecked(row, column, float(text), NOT_ASKED if row in SLOW else NO_METRIC))
        elif column not in values[row]:
            reason = NO_TIES if column.startswith("HTIES") else NOT_ASKED
            unchecked.append(Unchecked(row, column, float(text), reason))
        elif column.endswith("_ci"):
            cells.append(check(row, column, text, values[row][column], within=HALF_WIDTH_WITHIN, decimals=3))
        elif row == "SENTBLEU":
            cells.append(check(row, column, text, values[row][column], within=WITHIN))
        else:
            cells.append(check(row, column, text, values[row][column], must=False))
    largest = max(abs(cell.difference) for cell in cells if cell.row == "SENTBLEU" and not cell.column.endswith("_ci"))
    extra = {name: row for name, row in values.items() if name not in ("SENTBLEU", "METEOR")}
    return Reproduction(
        cells,
        unchecked,
        extra=extra,
        note_values={"within": WITHIN, "half_width_within": HALF_WIDTH_WITHIN, "largest": largest},
    )


def table_row(by_pair: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return a metric's row: tau and half-width by language pair, and the means in the last columns."""
    row: dict[str, float] = {}
    for pair, found in by_pair.items():
        row[pair] = found["Avg"]
        if "Avg_ci" in found:
            row[f"{pair}_ci"] = found["Avg_ci"]
    if len(by_pair) < len(PAIRS):
        return row
    return row | {column: mean(found[column] for found in by_pair.values()) for column in by_pair[PAIRS[0]]}


def system_table(data: DataSets, *, pairs: Sequence[str] = PAIRS) -> Reproduction:
    """Return Table 2: system level into English, with expected wins instead of the task's TrueSkill.

    pairs: only these language pairs; means need all.
    """
    values: dict[str, dict[str, float]] = {}
    ranks: dict[str, list[float]] = {}
    for pair in pairs:
        scores = _system_scores(data, pair)
        human, aligned = align_systems(find_gold(_evidence(data, pair)[0], name="expected-wins", level="sys"), scores)
        correlations = np.stack([pearson(aligned.values, human), spearman(aligned.values, human)])
        for item, (r, rho) in zip(scores, correlations.T.tolist(), strict=True):
            values.setdefault(item.label, {})[pair] = r
            ranks.setdefault(item.label, []).append(rho)
    for row, of_pairs in values.items() if len(pairs) == len(PAIRS) else ():
        of_pairs["Average"], of_pairs["Spearman_Average"] = mean(list(of_pairs.values())), mean(ranks[row])
    cells, unchecked = [], []
    for row, column, text in printed("wmt14_t2").numbers():
        if row not in values:
            unchecked.append(Unchecked(row, column, float(text), NO_METRIC))
        elif column.endswith("_ci"):
            unchecked.append(Unchecked(row, column, float(text), "Half-widths are of the task's own human scores."))
        elif column not in values[row]:
            unchecked.append(Unchecked(row, column, float(text), NOT_ASKED))
        else:
            cells.append(check(row, column, text, values[row][column], must=False))
    specs = "; ".join(f"{row}: {spec}" for row, spec in {**OF_PLAIN, **SLOW, **OF_TOKENISED}.items())
    return Reproduction(cells, unchecked, note_values={"specs": specs})


TABLES = read_tables("wmt14", globals())
