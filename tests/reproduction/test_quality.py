"""Quality estimation on WMT12's English-Spanish data: with our features beside the 17 given ones, through `train`.

Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics", Table 4: a model
without references correlates better with people than any metric with them. Everything is estimated from the training
part. Figures of the 17 given features alone are in tests/conformance/test_wmt12_qe.py, all tables in docs/quality.md.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.data.field_checks import table_rows
from tercet.quality.evaluating import Evaluation, evaluate
from tercet.quality.inputs import GivenFeatures
from tercet.quality.model import Predictions, QualityModel
from tercet.quality.training import train

pytestmark = pytest.mark.xdist_group("quality")

GIVEN = tuple(f"f{number}" for number in range(1, 18))
METRICS = (
    "bleu:max_ngram_order=2,smooth_method=add-k,smooth_value=1",  # as in the paper
    "nist",
    "meteor:matchers=exact",
    "ter",
    "bleu",
    "meteor",
    "chrf",
    "sentbleu",
    "eed",
    "yisi0",
)


class Part(NamedTuple):
    table: dict[str, list[str]]
    labels: np.ndarray
    given: GivenFeatures


class Trained(NamedTuple):
    model: QualityModel
    test: Part
    predictions: Predictions
    figures: Evaluation


def read(path: Path) -> Part:
    header, *rows = table_rows(path)
    table = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    values = np.array([table[name] for name in GIVEN], dtype=float).T
    return Part(table, np.array(table["effort"], dtype=float), GivenFeatures(GIVEN, values))


@pytest.fixture(scope="module")
def trained(shared: Path) -> Trained:
    pytest.importorskip("wordfreq", reason="without wordfreq there are fewer features")
    training, test = (read(shared / "data" / "wmt12_qe" / f"{name}.tsv.gz") for name in ("training", "test"))
    model = train(
        training.table["source"], training.table["mt"], training.labels, "en-es", learner="pls", given=training.given
    )
    found = model.predict(test.table["source"], test.table["mt"], given=test.given)
    figures = evaluate(test.labels, found.values, intervals=(found.lower, found.upper), groups=test.table["source"])
    return Trained(model, test, found, figures)


def test_the_error_with_our_features_beside_the_given_is_below_080(trained: Trained) -> None:
    assert len(trained.figures.figures()) == 6
    assert trained.figures.n == 422
    assert trained.figures.rmse.value < 0.80
    assert trained.figures.rmse.value == pytest.approx(0.797, abs=0.002)  # as documented


def test_all_resources_came_from_the_training_texts(trained: Trained) -> None:
    facts = trained.model.provenance
    assert facts["sentences"] == {"source": 0, "target": 0, "parallel": 0}
    assert {"source_lm", "target_lm", "aligner"} <= set(facts["from_training_texts"])


@pytest.mark.parametrize("metric", METRICS)
def test_no_metric_with_a_reference_correlates_better_with_people(trained: Trained, metric: str) -> None:
    table = trained.test.table
    testset = TestSet({"mt": table["mt"]}, {"reference": table["reference"]}, source=table["source"], pair="en-es")
    (found,) = score(testset, [metric])
    theirs = abs(np.corrcoef(found.segment["mt"], trained.test.labels)[0, 1])
    assert 0.4 < theirs < trained.figures.pearson.value
