"""Segment-level tau on relative rankings, as in the metrics tasks WMT13 to WMT16: segments, taus, rows of tables."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from ....data.evidence import Evidence, evidence_pairs, open_evidence
from ....data.scores import Scores
from ....data.testset import TestSet
from ....errors import DataError
from ....metaeval.gold import Gold, find_gold, preferences_of
from ....metaeval.joining import align_segments
from ....metaeval.measures import ResampleOptions, parse_statistic, preference_level
from ....scoring import make_ready
from ....stats.resampling import SEED
from ....text.tokenisers import tokeniser
from ..printed import Printed, printed
from ..sources import DataSets, once

VARIANTS = {"Avg": "wmt14", "WMT12": "wmt12", "WMT13": "wmt13"}  # columns of means, and the variant averaged
WITH_HALF_WIDTHS = ("Avg", "WMT12")
TOKENISER = "moses-en"
RESAMPLES = 1000
HALF_WIDTH_WITHIN = 0.0015  # one step of the last printed digit, plus the variation between resamples
SENTBLEU = "sentbleu:tokenize=none"  # on text that is first tokenised, then lower-cased
NOT_ASKED = "It was left out of this run."
COMPARISONS = "rr"  # {pair}.rr.tsv: comparisons without ties

Taus = dict[str, dict[str, float]]  # by row, of columns or language pairs


@once
def evidence(data: DataSets, name: str, pair: str) -> tuple[Evidence, TestSet]:
    """Return the judgements and texts of a language pair of a data set."""
    found = open_evidence(data.needed(name), pair)
    if found.testset is None:
        raise DataError(f"{name} has no texts of {pair}.")
    # Rankings with judges may be beside the comparisons that were taken from them.
    chosen = [item for item in found.judgements if item.name == COMPARISONS] or found.judgements
    return replace(found, judgements=chosen), found.testset


def pairs_of(data: DataSets, name: str, wanted: Sequence[str]) -> list[str]:
    """Return those of the wanted language pairs that a data set has."""
    known = data.once((name, "pairs"), lambda: set(evidence_pairs(data.needed(name))))
    return [pair for pair in wanted if pair in known]


def language_pairs(expected: str) -> list[str]:
    """Return the language pairs among the columns of a table."""
    return [column for column in printed(expected).columns if len(column) == 5 and "-" in column]


def tokenised(data: DataSets, name: str, pair: str, rows: Sequence[int] | None = None) -> TestSet:
    """Return outputs and references of all segments, or of `rows`, tokenised by Moses."""
    words, key = tokeniser(TOKENISER), (name, "tokenised", pair)

    def split(texts: TestSet) -> TestSet:
        return _changed(texts, lambda line: words(line.rstrip()))

    texts = evidence(data, name, pair)[1]
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


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged segments of a language pair: names, positions among all segments, texts and preferences."""

    segments: Sequence[str]
    rows: Sequence[int]
    texts: TestSet
    gold: Gold

    @property
    def outputs(self) -> list[tuple[str, int]]:
        """The outputs that people compared: system and row, those of a segment together."""
        pairs, place = preferences_of(self.gold), {name: row for row, name in enumerate(self.segments)}
        found = {
            (place[self.gold.segments[segment]], self.gold.systems[system])
            for side in (pairs.left, pairs.right)
            for system, segment in zip(side.tolist(), pairs.segment.tolist(), strict=True)
        }
        return [(system, row) for row, system in sorted(found)]


@once
def judged(data: DataSets, name: str, pair: str) -> Judged:
    """Return the segments that metrics have to score at segment level."""
    found, testset = evidence(data, name, pair)
    names = {name for judgements in found.judgements for name in judgements.segments}
    rows = [place for place, segment in enumerate(found.segments) if segment in names]
    segments = tuple(found.segments[row] for row in rows)
    gold = find_gold(replace(found, segments=segments, testset=None), level="seg", wants_pairs=True)
    return Judged(segments, rows, testset.take(rows), gold)


def sentbleu(data: DataSets, name: str, pair: str) -> Scores:
    """Return the tasks' sentBLEU of the judged segments: Moses' tokens, lower-cased."""
    texts = _changed(tokenised(data, name, pair, judged(data, name, pair).rows), str.lower)
    return data.scored(texts, {"SENTBLEU": SENTBLEU})[0]


def segment_taus(people: Judged, scores: Sequence[Scores], bounded: Collection[str]) -> Taus:
    """Return by metric tau in the paper's and two other variants; half-widths (_ci) for metrics in `bounded`."""
    pairs, values = preferences_of(people.gold), align_segments(people.gold, scores, people.segments).values
    places = [place for place, item in enumerate(scores) if item.label in bounded]
    found: Taus = {item.label: {} for item in scores}
    for name, variant in VARIANTS.items():
        wanted = parse_statistic(f"tau:{variant}", "seg")
        measured, _ = preference_level(wanted, pairs, values, draws=ResampleOptions(resamples=1, seed=SEED))
        for item, value in zip(scores, measured.values.tolist(), strict=True):
            found[item.label][name] = value
        if name in WITH_HALF_WIDTHS and places:
            draws = ResampleOptions(resamples=RESAMPLES, seed=SEED)
            drawn, _ = preference_level(wanted, pairs, values[places], draws=draws)
            for place, interval in zip(places, drawn.resampled.intervals(), strict=True):
                found[scores[place].label][f"{name}_ci"] = interval.half_width
    return found


def whole_scores(data: DataSets, name: str, pair: str, rows: Mapping[str, str]) -> list[Scores]:
    """Return the scores of all segments of a language pair by the rows with our own metrics."""
    found = data.scored(evidence(data, name, pair)[1], rows, optional=True)
    _known(data, name, pair).update({rows[item.label]: replace(item, counts={}, totals={}) for item in found})
    return found


def _judged_scores(data: DataSets, name: str, pair: str, rows: Mapping[str, str]) -> list[Scores]:
    """Return the scores of the judged segments by the rows with our own metrics."""
    people, taken = judged(data, name, pair), {}
    for row, spec in rows.items():
        scores = _known(data, name, pair).get(spec)
        if scores is None or scores.metric.whole:
            continue
        (ready,) = make_ready(people.texts, [data.as_published(spec, people.texts)])
        if ready.signature == scores.metric.signature:  # it names what the metric learnt
            segment = {system: values[people.rows] for system, values in scores.segment.items()}
            taken[row] = Scores(scores.metric, scores.system, segment, n_segments=len(people.rows)).relabelled(row)
    others = {row: spec for row, spec in rows.items() if row not in taken}
    return [*data.scored(people.texts, others, optional=True), *taken.values()]


@once
def _known(data: DataSets, name: str, pair: str) -> dict[str, Scores]:
    return {}


@once
def _known_taus(data: DataSets, name: str, pair: str) -> dict[tuple[str, bool], dict[str, float]]:
    return {}


def own_taus(data: DataSets, name: str, pair: str, rows: Mapping[str, str], bounded: Collection[str]) -> Taus:
    """Return `segment_taus` of the rows with our own metrics. Tables of the same data share them."""
    known = _known_taus(data, name, pair)
    keys = {row: (spec, row in bounded) for row, spec in rows.items() if data.asks_for(row, spec)}
    scores = _judged_scores(data, name, pair, {row: rows[row] for row in keys if keys[row] not in known})
    taus = segment_taus(judged(data, name, pair), scores, bounded) if scores else {}
    known |= {keys[row]: of_row for row, of_row in taus.items()}
    return {row: known[key] for row, key in keys.items() if key in known}


def table_rows(by_pair: Mapping[str, Taus], wanted: Sequence[str]) -> Taus:
    """Return the rows of a table: tau and half-width by language pair, and the means of rows that have all pairs."""
    rows: Taus = {}
    for pair, found in by_pair.items():
        for name, columns in found.items():
            row = rows.setdefault(name, {})
            row[pair] = columns["Avg"]
            if "Avg_ci" in columns:
                row[f"{pair}_ci"] = columns["Avg_ci"]
    for name, row in rows.items():
        of_pairs = [found[name] for found in by_pair.values() if name in found]
        if len(of_pairs) == len(wanted):
            row |= {column: mean(columns[column] for columns in of_pairs) for column in of_pairs[0]}
    return rows


def tau_options(table: Printed, row: str, column: str) -> dict[str, object]:
    """Return how the cell of a tau or of its half-width is checked. A tau in the printed interval is equal."""
    if column.endswith("_ci"):
        return {"within": HALF_WIDTH_WITHIN, "decimals": 3}
    return {"interval": table.half_width(row, column), "decimals": 3}


def missing_pair(name: str, column: str) -> str:
    """Return which files would provide the numbers of a language pair that the data lack."""
    pair = column.removesuffix("_ci")
    if "-" not in pair:
        return f"Means need all language pairs in {name}."
    return f"It needs {pair}.segments.tsv, {pair}.outputs.tsv and {pair}.rr.tsv in {name}."
