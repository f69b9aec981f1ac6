"""Models: what they predict of usual and unusual texts, what their files keep, and which files are refused."""

import copy
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tercet.cli import group
from tercet.data.model_file import ModelFile, read_model, write_model
from tercet.errors import DataError, TercetError, UsageError
from tercet.learning.learners import learnt_by
from tercet.quality.inputs import GivenFeatures
from tercet.quality.model import QualityModel
from tercet.quality.resources import Resources
from tercet.quality.training import train

from .test_training import NOTHING, examples, small


@pytest.fixture(scope="module")
def model() -> QualityModel:
    return small(200)


def test_a_file_brings_the_model_back_to_the_last_bit(model: QualityModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.qe")
    again = QualityModel.load(tmp_path / "model.qe")
    sources, outputs, _ = examples(20, seed=3)
    for name in ("values", "lower", "upper"):
        one, other = (getattr(each.predict(sources, outputs), name) for each in (model, again))
        assert np.array_equal(one, other)
    assert again.checksum == model.checksum
    assert again.describe() == model.describe()
    again.save(tmp_path / "again.qe")
    assert (tmp_path / "again.qe").read_bytes() == (tmp_path / "model.qe").read_bytes()


def test_a_file_says_what_the_model_was_trained_on_and_what_it_reached(model: QualityModel, tmp_path: Path) -> None:
    sources, outputs, labels = examples(60)
    corpora = {"source_texts": ["üks maja"], "parallel": (["kaks puud ."] * 3, ["two trees ."] * 3)}
    trained = train(sources, outputs, labels, "et-en", learner="ridge", features=["lengths"], **corpora)
    trained.save(tmp_path / "m")
    file = read_model(tmp_path / "m", QualityModel.kind, made_by=QualityModel.made_by)
    assert [(each.name, each.size) for each in file.trained_on] == [
        ("labelled segments", 60),
        ("source texts", 1),
        ("parallel source texts", 3),
        ("parallel target texts", 3),
    ]
    assert file.trained_on[0].checksum == trained.provenance["training_checksum"]
    assert len({each.checksum for each in file.trained_on}) == 4
    assert file.languages == ("et", "en")
    assert file.figures == trained.provenance["held_out"]
    assert file.needs == {}
    assert "held_out" not in file.manifest["provenance"]


def test_another_version_of_the_encoder_is_reported_once(
    model: QualityModel, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    changed = replace(model, provenance={**model.provenance, "needs": {"embeddings": "use 1.0"}})
    changed.save(tmp_path / "m")
    loaded = QualityModel.load(tmp_path / "m")
    assert loaded.provenance["needs"] == {"embeddings": "use 1.0"}
    monkeypatch.setattr(Resources, "needs", lambda self: {"embeddings": "use 1.1"})
    for _ in range(2):
        loaded.predict(*examples(3)[:2])
    assert caplog.messages == [
        "The model was trained with use 1.0 (its embeddings), and here is use 1.1: predictions may differ. Install "
        "that version, or train the model again."
    ]


def test_a_file_of_an_earlier_version_or_of_another_kind_says_what_to_do(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "old", "w") as archive:
        archive.writestr("model.json", json.dumps({"format": "tercet-qe", "version": 1, "model": {}, "members": {}}))
    with pytest.raises(DataError, match="earlier version of Tercet.* Train it again with 'tercet qe train'"):
        QualityModel.load(tmp_path / "old")
    write_model(ModelFile("head", {}), tmp_path / "head")
    with pytest.raises(DataError, match="kind 'head', and one of the kind 'quality-estimation' is needed. Make one wi"):
        QualityModel.load(tmp_path / "head")


def test_a_file_with_features_of_another_version_is_refused(model: QualityModel, tmp_path: Path) -> None:
    replace(model, features=("unheard_of", *model.features[1:])).save(tmp_path / "model.qe")
    with pytest.raises(DataError, match=r"this version of Tercet can use.*not known here: unheard_of"):
        QualityModel.load(tmp_path / "model.qe")


def test_another_language_pair_is_refused(model: QualityModel) -> None:
    model.check_languages(("ET", "en_GB"))
    with pytest.raises(UsageError, match="The model is for et-en, and these texts are en-et"):
        model.check_languages(("en", "et"))
    with pytest.raises(DataError, match="There are 1 sources and 2 outputs"):
        model.predict(["a"], ["a", "b"])


def test_a_value_beyond_the_training_texts_is_taken_as_the_nearest(model: QualityModel) -> None:
    sources, outputs, _ = examples(3, seed=4)
    table = model.featurise(sources, outputs).values
    column = model.names.index("source_tokens")
    far, at_the_end = table.copy(), table.copy()
    far[:, column], at_the_end[:, column] = 1e9, model.bounds[1, column]
    assert np.array_equal(model.predictor.predict(far), model.predictor.predict(at_the_end))
    assert np.isfinite(model.predict(["", "a b"], ["", ""]).values).all()


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_an_empty_output_is_as_bad_as_can_be(higher_is_better: bool, caplog: pytest.LogCaptureFixture) -> None:
    model = small(label_range=(0, 7), higher_is_better=higher_is_better)
    sources, outputs, _ = examples(4, seed=4)
    usual = model.predict(sources, outputs)
    assert (dict(usual.unusual), caplog.messages) == ({}, [])
    found = model.predict([*sources[:2], "", " "], ["", *outputs[1:3], "\u3000"])
    worst = 0 if higher_is_better else 7
    assert found.values[[0, 2]].tolist() == [worst, worst]
    assert (found.lower[0], found.upper[0]) == (0, 7)
    assert found.values[1] == usual.values[1]
    assert found.one_sided.tolist() == [True, False, True, False]
    assert dict(found.unusual) == {0: "the output is empty", 2: "the source is empty", 3: "source and output are empty"}
    (warning,) = caplog.messages
    assert warning.startswith("3 of 4 segments are unlike the training texts, so their predictions are not reliable")
    assert "the first is segment 1: the output is empty. If the model was trained on these very texts" in warning


def test_segments_with_many_features_out_of_range_are_said(
    model: QualityModel, caplog: pytest.LogCaptureFixture
) -> None:
    sources, outputs, _ = examples(40, seed=4)
    found = model.predict([*sources, "x " * 500], [*outputs, "y ( " * 400])
    assert list(found.unusual) == [40]
    assert "features are outside the range of the training texts" in found.unusual[40]
    assert caplog.messages[0].startswith("1 of 41 segments are unlike")
    assert "very texts" not in caplog.messages[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"means": np.zeros(3)}, "means is not an array of numbers of the shape"),
        ({"bounds": np.full((2, 400), np.nan)}, "bounds is not an array of numbers"),
        ({"held_out_predictions": np.zeros(3)}, "held_out_predictions is not an array"),
        ({"features": ("source_tokens",)}, "not an array of numbers of the shape"),
        ({"higher_is_better": 1}, "does not say whether higher is better"),
        ({"provenance": {}}, "KeyError"),
        ({"resources": Resources("fi", "en")}, "its resources are of other languages"),
        ({"label_range": (2, 1)}, "from a lower to a higher number"),
    ],
)
def test_a_file_whose_parts_contradict_each_other_is_refused(
    model: QualityModel, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    replace(model, **change).save(tmp_path / "m")
    with pytest.raises(TercetError, match=message):
        QualityModel.load(tmp_path / "m")


@pytest.mark.parametrize("part", ["provenance", "predictor", "conformal", "features", "label_range"])
def test_a_file_with_another_kind_of_part_is_refused(model: QualityModel, tmp_path: Path, part: str) -> None:
    for other in (None, 7, "words", [], ["a", "b"], {}):
        write_model(replace(model.to_file(), manifest={**model.to_file().manifest, part: other}), tmp_path / "m")
        with pytest.raises(TercetError):
            QualityModel.load(tmp_path / "m")


def test_a_model_that_is_opened_has_the_checksum_of_its_file(
    model: QualityModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.save(tmp_path / "m")
    expected = model.checksum
    monkeypatch.setattr(QualityModel, "to_file", lambda _: pytest.fail("encoded again"))
    assert QualityModel.load(tmp_path / "m").checksum == expected


def test_intervals_are_wider_where_predictions_are_harder_and_the_file_keeps_that(tmp_path: Path) -> None:
    sources, outputs, labels = examples(200)
    hard = np.random.default_rng(5).random(200) < 0.5  # a feature of one's own says where labels are noisy
    own = GivenFeatures(("hard",), hard[:, np.newaxis].astype(float))
    noisy = labels + np.where(hard, 3.0, 0.1) * np.random.default_rng(6).standard_normal(200)
    train(sources, outputs, noisy, "et-en", learner="ridge", resources=NOTHING, given=own).save(tmp_path / "m")
    model = QualityModel.load(tmp_path / "m")
    found = model.predict(sources, outputs, given=own)
    widths = found.upper - found.lower
    assert np.median(widths[hard]) > 2 * np.median(widths[~hard])
    described = model.describe()
    assert described["half_width_varies"] is True
    usual = described["half_width"]["0.9"]
    assert np.median(widths[~hard]) / 2 < usual < np.median(widths[hard]) / 2


def test_wider_intervals_for_a_higher_level(model: QualityModel) -> None:
    sources, outputs, _ = examples(5)
    widths = [np.subtract(*(getattr(model.predict(sources, outputs, level=level), end) for end in ("upper", "lower")))
              for level in (0.5, 0.9, 0.95)]  # fmt: skip
    assert (np.diff(widths, axis=0) > 0).all()
    with pytest.raises(UsageError, match="between 0 and 1"):
        model.predict(sources, outputs, level=90)


def places(part: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all members of a part of JSON, of lists to the first."""
    members = part.items() if isinstance(part, dict) else enumerate(part[:1]) if isinstance(part, list) else ()
    return [way, *(found for key, member in members for found in places(member, (*way, key)))]


def test_what_is_said_in_a_forged_file_is_refused_or_can_be_used(tmp_path: Path) -> None:
    model = small(features=["lengths"])
    facts = json.loads(json.dumps(model.to_file().manifest))
    refused = 0
    for way in places(facts)[1:]:
        for other in (None, 10**400, "x\x1b[2J", [[]], {}):
            forged = copy.deepcopy(facts)
            part = forged
            for key in way[:-1]:
                part = part[key]
            part[way[-1]] = other
            write_model(replace(model.to_file(), manifest=forged), tmp_path / "m")
            try:
                found = QualityModel.load(tmp_path / "m")
            except TercetError as error:
                refused += 1
                assert "\x1b" not in str(error)
                continue
            assert learnt_by(found.predictor, found.names)
            for form in ("text", "json"):
                result = CliRunner().invoke(group, ["qe", "info", str(tmp_path / "m"), "-f", form])
                assert result.exit_code == 0, (way, other)
    assert refused > 200


def test_arrays_that_no_model_has_are_refused(model: QualityModel, tmp_path: Path) -> None:
    write_model(replace(model.to_file(), arrays={**model.to_file().arrays, "more": np.zeros(3)}), tmp_path / "m")
    with pytest.raises(DataError, match="arrays that are not known here: more"):
        QualityModel.load(tmp_path / "m")


def test_too_few_groups_for_a_level_are_said(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    sources, outputs, labels = examples(30)
    documents = [number // 5 for number in range(30)]
    model = train(sources, outputs, labels, "et-en", learner="ridge", resources=NOTHING, groups=documents)
    found = model.predict(sources[:2], outputs[:2])
    assert np.isinf(found.upper).all()
    assert "Intervals of 90 % are infinite: the model was trained on 6 groups, which are too few." in caplog.messages
    widths = model.describe()["half_width"]
    assert widths["0.9"] is None
    assert widths["0.5"] > 0
    caplog.clear()
    assert np.isfinite(model.predict(sources[:2], outputs[:2], level=0.8).upper).all()
    assert not any("infinite" in message for message in caplog.messages)
