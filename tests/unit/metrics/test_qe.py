"""The metric qe: a trained model's mean prediction, without references."""

import re
from pathlib import Path

import numpy as np
import pytest

from tercet import metrics, verify
from tercet.data.testset import TestSet
from tercet.errors import DataError, UsageError
from tercet.quality.default import open_default
from tercet.quality.inputs import GivenFeatures
from tercet.quality.model import QualityModel
from tercet.scoring import score
from tests.unit.quality.test_training import examples, small

SOURCES, OUTPUTS, _ = examples(12, seed=6)
TEXTS = TestSet({"x": OUTPUTS, "y": OUTPUTS[::-1]}, source=SOURCES, pair="et-en")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("qe") / "model.qe"
    small().save(place)
    return place


def test_a_systems_score_is_the_mean_of_its_predictions(path: Path) -> None:
    (scores,) = score(TEXTS, [f"qe:model={path}"])
    expected = QualityModel.load(path).predict(SOURCES, OUTPUTS).values
    assert scores.segment["x"] == pytest.approx(expected, abs=1e-12)
    assert scores.system["x"] == pytest.approx(expected.mean(), abs=1e-12)
    assert scores.higher_is_better is True


def test_the_signature_holds_the_models_checksum_and_leads_back(path: Path) -> None:
    (scores,) = score(TEXTS, [f"qe:model={path}"])
    assert f"|checksum:{QualityModel.load(path).checksum[:16]}|" in scores.signature
    assert metrics.create(scores.metric.signature) == metrics.create(f"qe:model={path}")


def test_intervals_and_comparisons_come_by_themselves(path: Path) -> None:
    (scores,) = score(TEXTS, [f"qe:model={path}"], confidence=True, confidence_n=50)
    assert scores.interval["x"].low < scores.system["x"] < scores.interval["x"].high


def test_the_model_says_which_direction_is_better(tmp_path: Path) -> None:
    small(higher_is_better=False).save(tmp_path / "lower.qe")
    (scores,) = score(TEXTS, [f"qe:model={tmp_path / 'lower.qe'}"])
    assert scores.higher_is_better is False
    assert metrics.create("qe").higher_is_better is True


def test_without_a_model_the_packages_own_estimates() -> None:
    (scores,) = score(TEXTS, ["qe"])
    expected = open_default(("et", "en")).predict(SOURCES, OUTPUTS).values
    assert scores.segment["x"] == pytest.approx(expected, abs=1e-9)
    assert "|model:default|" in scores.signature
    with pytest.raises(UsageError, match="There is no default model for et-sw"):
        score(TestSet({"x": OUTPUTS}, source=SOURCES, pair="et-sw"), ["qe"])
    with pytest.raises(UsageError, match="must not be empty or hold"):
        metrics.create("qe:model=")


def test_another_language_pair_is_refused(path: Path) -> None:
    with pytest.raises(UsageError, match="The model is for et-en, and these texts are fi-en"):
        score(TestSet({"x": OUTPUTS}, source=SOURCES, pair="fi-en"), [f"qe:model={path}"])
    for same in ("ET-EN", "et-Latn-en", "et_EE-en-GB"):
        assert score(TestSet({"x": OUTPUTS}, source=SOURCES, pair=same), [f"qe:model={path}"])
    (scores,) = score(TestSet({"x": OUTPUTS}, source=SOURCES), [f"qe:model={path}"])
    assert np.isfinite(scores.system["x"])


def test_sources_are_needed(path: Path) -> None:
    with pytest.raises(UsageError, match="qe needs sources, and test set 'unnamed' has none"):
        score(TestSet({"x": OUTPUTS}, {"r": OUTPUTS}), [f"qe:model={path}"])


def test_a_model_that_reads_features_of_ones_own_is_no_metric(tmp_path: Path) -> None:
    _, _, labels = examples(60)
    small(given=GivenFeatures(("mine",), labels[:, np.newaxis])).save(tmp_path / "own.qe")
    with pytest.raises(UsageError, match=r"reads features of your own \(mine\).*Use 'tercet qe predict'"):
        score(TEXTS, [f"qe:model={tmp_path / 'own.qe'}"])


def test_another_file_under_the_same_name_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "model.qe"
    found = []
    for seed in (1, 2):
        small(40, label_range=(-10, 10), seed=seed).save(path)
        found.append(score(TEXTS, [f"qe:model={path}"])[0].signature)
    assert found[0] != found[1]
    path.write_bytes(b"something else")
    with pytest.raises(DataError, match="is not a model"):
        score(TEXTS, [f"qe:model={path}"])


def test_a_model_that_changes_while_scores_are_computed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.qe"
    small(40, seed=1).save(path)
    ready = metrics.create(f"qe:model={path}").ready(TEXTS)
    assert ready.count(metrics.Shard(TEXTS))["x"].shape == (12, 2)
    small(40, seed=2).save(path)
    with pytest.raises(DataError, match="is not the model that scoring began with"):
        ready.metric.open(ready.state)  # as a worker process does


def test_an_empty_output_does_not_raise_a_systems_score(path: Path) -> None:
    outputs = {"x": OUTPUTS, "y": [*OUTPUTS[:-6], *[""] * 6]}
    (scores,) = score(TestSet(outputs, source=SOURCES), [f"qe:model={path}"])
    assert scores.segment["y"][-6:].tolist() == [QualityModel.load(path).label_range[0]] * 6
    assert scores.system["y"] < scores.system["x"]


def test_the_same_scores_from_any_number_of_jobs_and_verified(path: Path) -> None:
    spec = f"qe:model={path}"
    (one,), (two,) = score(TEXTS, [spec]), score(TEXTS, [spec], jobs=2)
    assert one.signature == two.signature
    assert all(np.array_equal(one.segment[name], two.segment[name]) for name in ("x", "y"))
    found = verify(TEXTS, one.signature, f"{one.system['y']:.6f}", system="y")
    assert (found.equal, found.notes) == (True, ())
    other = re.sub("checksum:[0-9a-f]+", "checksum:0123456789abcdef", one.signature)
    assert any("This is another model" in note for note in verify(TEXTS, other, "3.0", system="y").notes)
