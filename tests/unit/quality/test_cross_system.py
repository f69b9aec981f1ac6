"""A model on labelled texts: system by system, across systems, beside metrics."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.quality.cross_system import across_systems, assess
from tercet.quality.model import QualityModel

from .test_training import examples, small


@pytest.fixture(scope="module")
def model() -> QualityModel:
    return small(200)


SYSTEMS = ["good", "fair", "poor"] * 40


def test_models_trained_on_one_system_are_tested_on_each(model: QualityModel) -> None:
    sources, outputs, labels = examples(120, seed=8)
    found = assess(model, sources, outputs, labels, systems=SYSTEMS, resamples=20)
    assert found.across is not None
    assert (found.across.systems, found.across.segments) == (("good", "fair", "poor"), (40, 40, 40))
    assert (found.across.pearson > 0.8).all()
    assert [each.n for each in found.by_system.values()] == [40, 40, 40]
    assert found.across.untested == []
    with ThreadPoolExecutor(2) as executor:
        again = assess(model, sources, outputs, labels, systems=SYSTEMS, resamples=20, executor=executor)
    assert again.across is not None
    assert np.array_equal(found.across.rmse, again.across.rmse)


def test_across_systems_a_sentence_is_never_on_both_sides(monkeypatch: pytest.MonkeyPatch, model: QualityModel) -> None:
    sources, outputs, labels = examples(40, seed=8)
    table = model.featurise(sources * 2, outputs * 2).values
    rows_of = {"x": np.arange(40), "y": np.arange(40, 80)}
    seen = []

    def watched(data: Any, unseen: Any, *_: Any) -> Any:
        seen.append(set.intersection(*({tuple(row) for row in one.features.tolist()} for one in (data, unseen))))
        return np.zeros(len(unseen.labels))

    monkeypatch.setattr("tercet.learning.fitting.fit_and_predict", watched)
    across_systems(model, table, np.tile(labels, 2), rows_of, sources * 2)
    assert seen == [set()] * 10


def test_a_system_with_few_segments_is_tested_on_but_not_trained_on(model: QualityModel) -> None:
    sources, outputs, labels = examples(60, seed=8)
    found = assess(model, sources, outputs, labels, systems=["many"] * 50 + ["few"] * 10, resamples=20)
    assert found.across is not None
    assert found.across.untested == ["few"]
    assert np.isfinite(found.across.rmse[0]).all()
    assert np.isnan(found.across.rmse[1]).all()
    with pytest.raises(UsageError, match="`across` needs at least two systems, and all segments are of 'one'"):
        assess(model, sources, outputs, labels, systems=["one"] * 60)
    with pytest.raises(DataError, match="There are 60 segments, but systems for 2"):
        assess(model, sources, outputs, labels, systems=["a", "b"])


def test_metrics_are_compared_on_the_segments_that_they_score(model: QualityModel) -> None:
    sources, outputs, labels = examples(60, seed=8)
    noise = np.random.default_rng(1).standard_normal(60)
    gaps = np.where(np.arange(60) < 5, np.nan, labels)
    given = {"noise": noise, "perfect": labels.copy(), "gaps": gaps, "constant": np.ones(60)}
    found = assess(model, sources, outputs, labels, metrics=given, resamples=200)
    by_name = {rival.metric: rival for rival in found.rivals}
    assert by_name["noise"].confidence == 1.0
    assert by_name["noise"].low > 0
    assert by_name["perfect"].pearson == pytest.approx(1)
    assert by_name["perfect"].confidence == 0.0
    assert by_name["gaps"].pearson == pytest.approx(1)
    assert np.isnan(by_name["constant"].pearson)
    assert found.to_dict()["metrics"][0]["metric"] == "noise"


def test_scores_of_other_segments_are_refused(model: QualityModel) -> None:
    sources, outputs, labels = examples(30, seed=8)
    with pytest.raises(DataError, match="There are 30 segments, but scores of chrf for 29"):
        assess(model, sources, outputs, labels, metrics={"chrf": labels[1:]}, resamples=5)
    with pytest.raises(DataError, match="There are 30 segments, but groups for 2"):
        assess(model, sources, outputs, labels, groups=["a", "b"])
