"""Triage: order, reasons, and a cut-off that keeps its promise on new texts."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.learning.examples import check_examples
from tercet.learning.learners import create
from tercet.quality.features.families import family
from tercet.quality.model import QualityModel
from tercet.quality.ranking import CutOff, find_cut_off, rank
from tests.unit.learning.examples import planted

from .test_training import examples, small


@pytest.fixture(scope="module")
def model() -> QualityModel:
    return small(300)


def test_the_worst_come_first_with_reasons(model: QualityModel) -> None:
    sources, outputs, _ = examples(40, seed=2)
    found = rank(model, sources, outputs)
    qualities = [each.quality for each in found.segments]
    assert qualities == sorted(qualities)
    assert sorted(each.segment for each in found.segments) == list(range(1, 41))
    worst = found.segments[0]
    assert (worst.source, worst.output) == (sources[worst.segment - 1], outputs[worst.segment - 1])
    assert worst.low < worst.quality < worst.high
    assert 1 <= len(worst.reasons) <= 3
    effects = [reason.effect for reason in worst.reasons]
    assert effects == sorted(effects)
    assert effects[0] < 0
    assert worst.reasons[0].description


def test_only_the_first_are_listed_and_all_are_counted(model: QualityModel) -> None:
    sources, outputs, _ = examples(40, seed=2)
    found = rank(model, sources, outputs, top=3)
    assert (len(found.segments), found.n) == (3, 40)
    assert found.segments == rank(model, sources, outputs).segments[:3]
    with pytest.raises(UsageError, match="`top` must be 1 or more"):
        rank(model, sources, outputs, top=0)


def test_where_lower_is_better_the_highest_come_first(model: QualityModel) -> None:
    sources, outputs, _ = examples(40, seed=2)
    turned = replace(model, higher_is_better=False)
    found = rank(turned, sources, outputs)
    qualities = [each.quality for each in found.segments]
    assert qualities == sorted(qualities, reverse=True)
    assert found.segments[0].reasons[0].effect > 0


def test_effects_of_a_linear_model_are_its_terms(model: QualityModel) -> None:
    sources, outputs, _ = examples(5, seed=4)
    table = model.featurise(sources, outputs).values
    inputs = model.predictor.inputs
    terms = dict(zip(inputs.columns.tolist(), (model.predictor.coefficients / inputs.scales).tolist(), strict=True))
    for each in rank(model, sources, outputs).segments:
        for reason in each.reasons:
            column = model.names.index(reason.feature)
            away = table[each.segment - 1, column] - model.means[column]
            assert reason.effect == pytest.approx(terms[column] * away, abs=1e-9)
            assert (reason.value, reason.usual) == (table[each.segment - 1, column], model.means[column])


def test_an_empty_output_comes_first_and_that_is_the_reason(model: QualityModel) -> None:
    sources, outputs, _ = examples(40, seed=2)
    outputs[7] = ""
    first = rank(model, sources, outputs).segments[0]
    assert (first.segment, first.reasons, first.unusual) == (8, (), "the output is empty")
    assert first.quality == model.label_range[0]


def test_of_a_segment_without_any_text_that_is_the_only_reason(model: QualityModel) -> None:
    sources, outputs, _ = examples(40, seed=2)
    sources[7] = outputs[7] = " "
    (empty,) = (each for each in rank(model, sources, outputs).segments if each.segment == 8)
    assert (empty.reasons, empty.unusual) == ((), "source and output are empty")


@pytest.mark.parametrize("learner", ["ridge", "pls", "svr", "gbm"])
def test_what_is_predicted_with_a_usual_feature_is_what_the_predictor_says(learner: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    features, labels, groups = planted()
    predictor = create(learner).fit(check_examples(features, labels, groups))
    usual = features.mean(0)
    found = predictor.predict_with_usual(features[:9], usual)
    for column, value in enumerate(usual):
        changed = features[:9].copy()
        changed[:, column] = value
        assert found[:, column] == pytest.approx(predictor.predict(changed), abs=1e-12)


def stand_in(predictions: Any, labels: Any, *, higher_is_better: bool = True) -> Any:
    return SimpleNamespace(
        held_out_predictions=np.array(predictions, dtype=float),
        held_out_labels=np.array(labels, dtype=float),
        higher_is_better=higher_is_better,
        label_range=(0.0, 10.0),
    )


def test_a_cut_off_by_hand() -> None:
    # The labels are 2 p - 1, with errors of one to either side.
    model = stand_in([1, 1, 3, 3], [0, 2, 4, 6])
    found = find_cut_off(model, np.array([2.0, 4.0, 3.0, 1.0]), 5.0)
    # Best first: 7, 5, 3, 1; their means 7, 6, 5, 4.
    assert (found.kept, found.to_review, found.threshold, found.expected) == (3, 1, 2.0, 5.0)
    spread = np.sqrt(4 / 2)
    assert found.typical_error == pytest.approx(spread)
    assert found.error == pytest.approx(spread * np.sqrt(1 / 3 + 1 / 4 + (3 - 2) ** 2 / 4))


def test_a_cut_off_where_lower_is_better() -> None:
    model = stand_in([1, 1, 3, 3], [0, 2, 4, 6], higher_is_better=False)
    found = find_cut_off(model, np.array([2.0, 4.0, 3.0, 1.0]), 3.0)
    # Best first: 1, 3, 5, 7; their means 1, 2, 3, 4.
    assert (found.kept, found.threshold, found.expected) == (3, 3.0, 3.0)


def test_all_or_nothing_may_be_kept() -> None:
    model = stand_in([1, 1, 3, 3], [0, 2, 4, 6])
    assert find_cut_off(model, np.array([2.0, 3.0]), 0.0).kept == 2
    nothing = find_cut_off(model, np.array([1.0, 0.5]), 9.0)
    assert (nothing.kept, nothing.to_review) == (0, 2)
    assert all(np.isnan(value) for value in (nothing.threshold, nothing.expected, nothing.error))
    assert nothing.best == 1.0  # 2 p - 1 of the best


def test_unusual_segments_are_never_kept(model: QualityModel) -> None:
    by_hand = stand_in([1, 1, 3, 3], [0, 2, 4, 6])
    found = find_cut_off(by_hand, np.array([2.0, 4.0, 3.0, 1.0]), 4.0, unusual=[1])
    # Best first, without the best of all: 5, 3, 1; their means 5, 4, 3.
    assert (found.kept, found.to_review, found.unusual, found.best) == (2, 2, 1, 5.0)
    assert np.isnan(find_cut_off(by_hand, np.array([4.0]), 4.0, unusual=[0]).best)
    sources, outputs, _ = examples(40, seed=2)
    turned = replace(model, higher_is_better=False, held_out_predictions=model.held_out_predictions)
    sources[3], outputs[3] = "", ""  # the features look harmless, and predictions are good
    for each in (model, turned):
        ranking = rank(each, sources, outputs, target=each.label_range[0 if each.higher_is_better else 1])
        assert {one.segment: one.decision for one in ranking.segments}[4] == "review"
        assert ranking.cut_off is not None
        assert sum(one.decision == "keep" for one in ranking.segments) == ranking.cut_off.kept > 0
    assert {one.decision for one in rank(model, sources, outputs).segments} == {None}


def test_a_target_is_checked_before_anything_is_predicted(model: QualityModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QualityModel, "predict", lambda *_, **__: pytest.fail("predicted"))
    with pytest.raises(UsageError, match="The target 40 is outside the range of the model's labels"):
        rank(model, ["a"], ["b"], target=40)


def test_reasons_do_not_say_the_same_twice(model: QualityModel) -> None:
    sources, outputs, _ = examples(40, seed=2)
    several = 0
    for each in rank(model, sources, outputs).segments:
        families = [family(reason.feature) for reason in each.reasons]
        assert len(set(families)) == len(families)
        several += len(families) > 1
    assert several


def test_a_target_outside_the_labels_and_a_useless_model_are_refused() -> None:
    with pytest.raises(UsageError, match="target 11 is outside the range of the model's labels, 0 to 10"):
        find_cut_off(stand_in([1, 2], [1, 2]), np.array([1.0]), 11)
    for predictions in ([3, 2, 1], [1, 1, 1]):
        with pytest.raises(DataError, match="do not correlate with their labels"):
            find_cut_off(stand_in(predictions, [1, 2, 3]), np.array([1.0]), 2)


def test_the_promise_of_a_cut_off_is_kept_on_new_texts(model: QualityModel) -> None:
    sources, outputs, labels = examples(400, seed=7)
    found = rank(model, sources, outputs, target=4.0)
    cut = found.cut_off
    assert isinstance(cut, CutOff)
    kept = [each.segment - 1 for each in found.segments if each.decision == "keep"]
    assert len(kept) == cut.kept > 50
    assert cut.expected == pytest.approx(4.0, abs=0.05)
    assert abs(labels[kept].mean() - cut.expected) < 3 * cut.error
    review = [each for each in found.segments if each.decision == "review"]
    assert len(review) == cut.to_review
    assert all(each.quality < cut.threshold or each.unusual for each in review)
    assert found.to_dict()["cut_off"]["kept"] == cut.kept
