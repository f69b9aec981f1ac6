"""Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics", LREC.

Its 16,000 translations with scores by translators are no longer on the web; `specia_data` makes the tables for those
who have them. The most similar available data are those of the WMT12 quality estimation task: also English to Spanish,
with post-editing effort from 1 to 5 instead of quality from 1 to 4. The paper's experiments are run on these, for
comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....data.testset import TestSet
from ....errors import DataError
from ....quality.evaluating import compare_pearson, evaluate
from ....quality.inputs import GivenFeatures, read_column, read_labels
from ....quality.training import train
from ....stats.correlation import pearson
from ....types import Floats
from ..printed import all_unchecked
from ..results import Reproduction, Statement
from ..sources import DataSets
from . import specia_data
from .specia_data import CE

PAIR = "en-es"
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


@dataclass(frozen=True, eq=False)
class Part:
    """Training or test sentences of WMT12: effort from 1 (translate again) to 5 (no change needed)."""

    sources: tuple[str, ...]
    outputs: tuple[str, ...]
    references: tuple[str, ...]
    effort: Floats
    features: GivenFeatures


def _part(data: DataSets, name: str) -> Part:
    folder = data.needed("wmt12_qe")
    names = [f"{name}.tsv", f"{name}.tsv.gz"]
    path = next((folder / known for known in names if (folder / known).is_file()), None)
    if path is None:
        raise DataError(f"{folder} has neither {names[0]} nor {names[1]}.")
    texts = {column: read_column(f"{path}:{column}").values for column in ("source", "mt", "reference")}
    features = np.stack([_numbers(path, column) for column in GIVEN], axis=1)
    return Part(
        texts["source"], texts["mt"], texts["reference"], _numbers(path, "effort"), GivenFeatures(GIVEN, features)
    )


def _numbers(path: Path, column: str) -> Floats:
    return read_labels(f"{path}:{column}")[1]


@dataclass(frozen=True, eq=False)
class Predicted:
    """Predictions for the test part; plain: the mean of the training labels as prediction.

    knows_words: the model used word frequencies of the optional package wordfreq.
    """

    test: Part
    values: Floats
    plain: Floats
    n_features: int
    knows_words: bool


def _predicted(data: DataSets) -> Predicted:
    def make() -> Predicted:
        training, test = _part(data, "training"), _part(data, "test")
        known: dict[str, Any] = {"given": training.features, "executor": data.executor}
        model = train(training.sources, training.outputs, training.effort, PAIR, learner="pls", **known)
        values = model.predict(test.sources, test.outputs, given=test.features).values
        plain = np.full(len(test.effort), training.effort.mean())
        return Predicted(test, values, plain, len(model.names), model.resources.source_words is not None)

    return data.once("wmt12_qe predicted", make)


def error_table(data: DataSets) -> Reproduction:
    """Return Table 3: root mean squared error of predictions."""
    if data(CE) is not None:
        return specia_data.error_table(data)
    made = _predicted(data)
    errors = {
        STAND_IN: evaluate(made.test.effort, made.values, resamples=1).rmse.value,
        "the mean effort of the training part for all of them": float(
            np.sqrt(((made.plain - made.test.effort) ** 2).mean())
        ),
    }
    extra = {row: {"RMSPE": value} for row, value in errors.items()}
    model, mean = errors.values()
    statement = Statement("predictions are better than the mean", model < mean, f"{model:.3f} and {mean:.3f}")
    return Reproduction(
        unchecked=all_unchecked("specia_t3", data.missing([CE])),
        statements=[statement],
        extra=extra,
        notes=_notes(made),
    )


def correlation_table(data: DataSets) -> Reproduction:
    """Return Table 4: |r| with human scores, of metrics with references and of predictions without."""
    if data(CE) is not None:
        return specia_data.correlation_table(data, METRICS)
    made = _predicted(data)
    effort = made.test.effort
    texts = TestSet({"mt": made.test.outputs}, {"reference": made.test.references}, pair=PAIR)
    by_metric = {  # negated if lower is better
        found.label: (1 if found.higher_is_better else -1) * found.segment["mt"]
        for found in data.scored(texts, METRICS)
    }
    row = {name: abs(float(pearson(values, effort))) for name, values in {**by_metric, OWN: made.values}.items()}
    wins = {name: compare_pearson(effort, made.values, values).wins for name, values in by_metric.items()}
    others = ", ".join(f"{name} {row[name]:.3f}" for name in METRICS)
    least = min(wins, key=lambda name: wins[name])
    statements = [
        Statement(
            f"{OWN} correlates better than every metric that has the reference",
            row[OWN] > max(row[name] for name in METRICS),
            f"{row[OWN]:.3f}; {others}",
            must=made.knows_words,
        ),
        Statement(
            f"it does so with {CONFIDENCE:.1%} confidence",
            wins[least] >= CONFIDENCE,
            f"least over {least}, in {wins[least]:.1%} of resamples",
            must=False,
        ),
    ]
    return Reproduction(
        unchecked=all_unchecked("specia_t4", data.missing([CE])),
        statements=statements,
        extra={STAND_IN: row},
        notes=_notes(made),
    )


def _notes(made: Predicted) -> list[str]:
    words = (
        "and word frequencies of the package wordfreq."
        if made.knows_words
        else "only; without word frequencies (pip install 'tercet[qe]') it is not required to exceed the metrics."
    )
    return [
        "For comparison: the WMT12 quality estimation data, English to Spanish, with post-editing effort from 1 to 5 "
        "(paper: quality from 1 to 4); numbers are not expected to be close. QE: partial least squares on the task's "
        f"17 features and {made.n_features - len(GIVEN)} of Tercet's, models of the 1,832 training sentences {words}",
        "; ".join(f"{name}: {spec}" for name, spec in METRICS.items()) + ".",
    ]
