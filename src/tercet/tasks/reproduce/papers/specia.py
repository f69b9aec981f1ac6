"""Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics", LREC.

Its data, EAMT09 or ce_dataset, 16,000 translations with scores by translators, are no longer on the web. Those who have
them as one TSV file (system, source, reference, mt, score) get its tables. The paper does not say how it divided the
data; here a model of a system is trained on the first four fifths of its sentences and tested on the last fifth.

The most similar available data are those of the WMT12 quality estimation task: also English to Spanish, with
post-editing effort from 1 to 5 instead of quality from 1 to 4. Tables 3 and 4 are made of these, for comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....data.testset import TestSet
from ....quality.evaluating import compare_pearson, evaluate
from ....quality.inputs import GivenFeatures
from ....quality.model import QualityModel
from ....quality.training import train
from ....stats.correlation import pearson
from ....types import Floats
from ..printed import all_unchecked, compare
from ..results import Reproduction, Statement
from ..sources import DataSets, grouped, numbers, once, read_table

CE = "ce_dataset"
PAIR = "en-es"
TRAINED_ON = "System3"
SHARE = 0.8  # of the sentences of a system, for training
CORPUS = {"BLEU": "bleu:variant=mteval", "NIST": "nist", "METEOR": "meteor:matchers=exact", "TER": "ter"}
HALF_WIDTHS = "±: half of the 95 % interval over resampled test sentences. The paper does not say what its ± is."
PRESET = "specia2010"  # the 84 features that the paper describes
MODELS = (
    "Models: partial least squares on the 84 features that the paper describes (--features specia2010), trained on "
    "four fifths of a system's sentences."
)
ANALOGUE = "iwslt2019_pe"
GIVEN = tuple(f"f{number}" for number in range(1, 18))  # the baseline features of the task
# As in the paper: BLEU of bigrams with Lin and Och's smoothing, METEOR with exact matches only.
METRICS = {
    "BLEU": "bleu:max_ngram_order=2,smooth_method=add-k,smooth_value=1",
    "NIST": "nist",
    "METEOR": "meteor:matchers=exact",
    "TER": "ter",
}
OWN = "QE"
STAND_IN = "WMT12, 422 test sentences"
CONFIDENCE = 0.998


class Scored(NamedTuple):
    """Translations with scores of quality from 1 to 4 or, in WMT12, of effort from 1 to 5 (no change needed)."""

    sources: Sequence[str]
    outputs: Sequence[str]
    references: Sequence[str]
    scores: Floats
    features: GivenFeatures | None = None

    @property
    def texts(self) -> TestSet:
        return TestSet({"mt": self.outputs}, {"reference": self.references}, pair=PAIR)

    def part(self, *, test: bool) -> Scored:
        cut = int(SHARE * len(self.scores))
        rows = slice(cut, None) if test else slice(cut)
        return Scored(self.sources[rows], self.outputs[rows], self.references[rows], self.scores[rows])


@once
def _systems(data: DataSets) -> dict[str, Scored]:
    columns = ["system", "source", "mt", "reference", "score"]
    by_system = grouped(read_table(data.needed(CE), "ce_dataset.tsv", columns), "system")
    return {
        system.replace(" ", ""): Scored(
            table["source"], table["mt"], table["reference"], numbers(table["score"], "ce_dataset.tsv, score")
        )
        for system, table in by_system.items()
    }


def score_table(data: DataSets) -> Reproduction:
    """Return Table 1: mean and median scores of translators."""
    values = {
        name: {"Average score": float(one.scores.mean()), "Median score": float(np.median(one.scores))}
        for name, one in _systems(data).items()
    }
    return compare("specia_t1", values)


def system_table(data: DataSets) -> Reproduction:
    """Return Table 2: scores of systems by metrics."""
    values = {
        name: {item.label: item.system["mt"] for item in data.scored(one.texts, CORPUS)}
        for name, one in _systems(data).items()
    }
    return compare("specia_t2", values, decimals=4)


@once
def _model(data: DataSets, system: str) -> QualityModel:
    part = _systems(data)[system].part(test=False)
    return train(part.sources, part.outputs, part.scores, PAIR, learner="pls", features=[PRESET])


@once
def _predictions(data: DataSets, trained_on: str, name: str) -> Floats:
    """Return predictions for the last fifth of a system, of a model of the first four fifths of another."""
    part = _systems(data)[name].part(test=True)
    return _model(data, trained_on).predict(part.sources, part.outputs).values


def _own_error_table(data: DataSets) -> Reproduction:
    """Return Table 3: root mean squared error of predictions."""
    values = {
        name: _error(one.part(test=True).scores, _predictions(data, name, name)) for name, one in _systems(data).items()
    }
    return compare("specia_t3", values, notes=[MODELS, HALF_WIDTHS])


def _error(scores: Floats, predictions: Floats) -> dict[str, float]:
    """Return the root mean squared error, and half of its 95 % interval over resampled sentences."""
    found = evaluate(scores, predictions).rmse
    return {"RMSPE": found.value, "RMSPE_ci": found.half_width}


def _own_correlation_table(data: DataSets) -> Reproduction:
    """Return Table 4: |r| of metrics and of predictions, on the last fifth of each system."""
    values: dict[str, dict[str, float]] = {}
    statements: list[Statement] = []
    for name, one in ((name, one.part(test=True)) for name, one in _systems(data).items()):
        values[name], said = _beside_metrics(data, one, _predictions(data, name, name), f"{name}: ")
        statements += said
    return compare("specia_t4", values, statements=statements, notes=[MODELS])


def _beside_metrics(
    data: DataSets, one: Scored, predictions: Floats, start: str = "", *, must: bool = True
) -> tuple[dict[str, float], list[Statement]]:
    """Return |r| of metrics and of predictions, and what the paper says of their difference."""
    by_metric = {  # negated if lower is better
        found.label: (1 if found.higher_is_better else -1) * found.segment["mt"]
        for found in data.scored(one.texts, METRICS)
    }
    row = {name: abs(float(pearson(values, one.scores))) for name, values in {**by_metric, OWN: predictions}.items()}
    wins = {name: compare_pearson(one.scores, predictions, values).wins for name, values in by_metric.items()}
    others = ", ".join(f"{name} {row[name]:.3f}" for name in METRICS)
    least = min(wins, key=lambda name: wins[name])
    said = f"{OWN} correlates better than every metric that has the reference"
    better = row[OWN] > max(row[name] for name in METRICS)
    surely = f"least over {least}, in {wins[least]:.1%} of resamples"
    return row, [
        Statement(f"{start}{said}", better, f"{row[OWN]:.3f}; {others}", must=must),
        Statement(f"{start}it does so with {CONFIDENCE:.1%} confidence", wins[least] >= CONFIDENCE, surely, must=False),
    ]


def cross_system_table(data: DataSets) -> Reproduction:
    """Return r of a model of System3 on the other systems; IWSLT 2019 stands in where EAMT09 is missing."""
    if data(CE) is not None:
        values = {
            name: {"Pearson": float(pearson(_predictions(data, TRAINED_ON, name), one.part(test=True).scores))}
            for name, one in _systems(data).items()
            if name != TRAINED_ON
        }
        return compare("specia_text_crosssystem", values, notes=[MODELS])
    found = _analogue(data)
    extra = {
        f"trained on the {name} systems": {f"half {half}": one[name][0] for half, one in enumerate(found, 1)}
        for name in ("same", "other")
    }
    # The lower ends of the 95 % intervals, by Fisher's transformation.
    lowest = min(float(np.tanh(np.arctanh(r) - 1.96 / np.sqrt(n - 3))) for r, n in (one["other"] for one in found))
    same, other = (" and ".join(f"{one[name][0]:.3f}" for one in found) for name in ("same", "other"))
    said = "a model of other systems still correlates with people (r above 0 in both halves, 95 %)"
    statement = Statement(said, lowest > 0, f"{other}; of the same systems {same}", must=False)
    note = "For comparison: post-editing effort (HTER) of IWSLT 2019, en-es; half of the systems for training."
    unchecked = all_unchecked("specia_text_crosssystem", data.missing([CE]))
    return Reproduction(unchecked=unchecked, statements=[statement], notes=[note], extra=extra)


@once
def _analogue(data: DataSets) -> list[dict[str, tuple[float, int]]]:
    """Return r and n of models of the same and of other systems, with the post-editing effort (HTER) of IWSLT 2019.

    Systems are divided into two halves. Each half is tested once, by two models that have as many sentences for
    training: one of the same half, one of the other.
    """
    found = read_table(data.needed(ANALOGUE), "annotations.tsv", ["file_name", "S", "MT", "HTER"])
    effort: dict[tuple[str, str, str], list[float]] = {}
    human = numbers(found["HTER"], "annotations.tsv, HTER").tolist()
    for file, source, output, value in zip(found["file_name"], found["S"], found["MT"], human, strict=True):
        system = file.partition("_doc")[0]  # as in newstest2011.en-es.uedin_doc-38
        effort.setdefault((system, source, output), []).append(value)
    keys = list(effort)
    systems = sorted({system for system, _, _ in keys})
    labels = np.array([np.mean(values) for values in effort.values()])
    second = np.array([systems.index(system) % 2 == 1 for system, _, _ in keys])
    return [_halves(data, keys, labels, tested) for tested in (second, ~second)]


def _halves(
    data: DataSets, keys: Sequence[tuple[str, str, str]], labels: Floats, tested: NDArray[np.bool_]
) -> dict[str, tuple[float, int]]:
    """Return r and n on every second sentence of a half of the systems, of a model of this half and of the other."""
    test = np.zeros(len(keys), dtype=bool)
    test[np.flatnonzero(tested)[::2]] = True
    parts = {"same": tested & ~test, "other": ~tested}
    size = min(int(part.sum()) for part in parts.values())

    def texts(rows: Sequence[int]) -> tuple[list[str], list[str]]:
        return [keys[row][1] for row in rows], [keys[row][2] for row in rows]

    asked, found = np.flatnonzero(test).tolist(), {}
    for name, part in parts.items():
        used = np.flatnonzero(part)[:size].tolist()
        how: dict[str, Any] = {"learner": "pls", "higher_is_better": False, "executor": data.executor}
        values = train(*texts(used), labels[used], PAIR, **how).predict(*texts(asked)).values
        found[name] = float(pearson(values, labels[asked])), len(asked)
    return found


def _part(data: DataSets, name: str) -> Scored:
    """Return the training or test sentences of WMT12."""
    file = f"{name}.tsv"
    table = read_table(data.needed("wmt12_qe"), file, ["source", "mt", "reference", "effort", *GIVEN])
    effort, *features = (numbers(table[column], f"{file}, {column}") for column in ("effort", *GIVEN))
    given = GivenFeatures(GIVEN, np.stack(features, axis=1))
    return Scored(table["source"], table["mt"], table["reference"], effort, given)


class Predicted(NamedTuple):
    """Predictions for the test part. plain: the mean of the training labels. knows_words: with wordfreq."""

    test: Scored
    values: Floats
    plain: Floats
    n_features: int
    knows_words: bool


@once
def _predicted(data: DataSets) -> Predicted:
    training, test = _part(data, "training"), _part(data, "test")
    known: dict[str, Any] = {"given": training.features, "executor": data.executor}
    model = train(training.sources, training.outputs, training.scores, PAIR, learner="pls", **known)
    values = model.predict(test.sources, test.outputs, given=test.features).values
    plain = np.full(len(test.scores), training.scores.mean())
    return Predicted(test, values, plain, len(model.names), model.resources.source_words is not None)


def error_table(data: DataSets) -> Reproduction:
    """Return Table 3: root mean squared error of predictions."""
    if data(CE) is not None:
        return _own_error_table(data)
    made = _predicted(data)
    model, mean = (_error(made.test.scores, values) for values in (made.values, made.plain))
    extra = {STAND_IN: model, "the mean effort of the training part for all of them": mean}
    both = f"{model['RMSPE']:.3f} and {mean['RMSPE']:.3f}"
    statement = Statement("predictions are better than the mean", model["RMSPE"] < mean["RMSPE"], both)
    return _beside("specia_t3", data, made, [statement], extra)


def correlation_table(data: DataSets) -> Reproduction:
    """Return Table 4: |r| with human scores, of metrics with references and of predictions without."""
    if data(CE) is not None:
        return _own_correlation_table(data)
    made = _predicted(data)
    row, statements = _beside_metrics(data, made.test, made.values, must=made.knows_words)
    return _beside("specia_t4", data, made, statements, {STAND_IN: row})


def _beside(
    expected: str, data: DataSets, made: Predicted, statements: list[Statement], extra: dict[str, dict[str, float]]
) -> Reproduction:
    """Return a table whose printed numbers are unchecked, with what was found on the data of WMT12."""
    words = (
        "and word frequencies of the package wordfreq."
        if made.knows_words
        else "only; without word frequencies (pip install 'tercet[qe]') it is not required to exceed the metrics."
    )
    notes = [
        "For comparison: the WMT12 quality estimation data, English to Spanish, with post-editing effort from 1 to 5 "
        "(paper: quality from 1 to 4); numbers are not expected to be close. QE: partial least squares on the task's "
        f"17 features and {made.n_features - len(GIVEN)} of Tercet's, models of the 1,832 training sentences {words}",
        "; ".join(f"{name}: {spec}" for name, spec in METRICS.items()) + ".",
    ]
    unchecked = all_unchecked(expected, data.missing([CE]))
    return Reproduction(unchecked=unchecked, statements=statements, extra=extra, notes=notes)
