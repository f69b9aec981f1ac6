"""Training a model: what it learns, that it is the same each time, what its file keeps, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.errors import DataError, TercetError, UsageError
from tercet.language.sentence import Sentence, Token
from tercet.quality.across import across_systems, assess, untested
from tercet.quality.evaluating import evaluate
from tercet.quality.material import Corpora
from tercet.quality.model import QualityModel
from tercet.quality.model_files import write_parts
from tercet.quality.reading import GivenFeatures
from tercet.quality.resources import Resources
from tercet.quality.training import check_training, chosen_features, featurise, json_able, most_outside, train

NOTHING = Resources("et", "en")  # features that need no resource are quick
WORDS = "maja puu tee vesi kivi lind tuul meri jõgi mets aed sild uks aken laud tool".split()


def examples(n: int, seed: int = 1, noise: float = 0.3) -> tuple[list[str], list[str], np.ndarray]:
    """Outputs that leave out more or fewer words; the label, from 1 to 5 but for noise, is lower the more."""
    rng = np.random.default_rng(seed)
    sources, outputs, labels = [], [], []
    for number in range(n):
        own = [f"x{seed}x{number}", f"y{seed}x{number}"][: 1 + (number % 3 == 0)]  # words that no other sentence has
        words = [*rng.choice(WORDS, rng.integers(8, 16)), *own]
        kept = [word.title() for word in words if rng.random() > number % 5 / 6]
        sources.append(" ".join(words) + ".")
        outputs.append(" ".join(kept) + ".")
        labels.append(1 + 4 * len(kept) / len(words) + noise * rng.standard_normal())
    return sources, outputs, np.array(labels)


def small(n: int = 60, **options: Any) -> QualityModel:
    sources, outputs, labels = examples(n)
    return train(sources, outputs, labels, "et-en", **{"learner": "ridge", "resources": NOTHING, **options})


@pytest.fixture(scope="module")
def model() -> QualityModel:
    return small(200)


def test_a_model_predicts_the_labels_of_new_texts_and_its_intervals_hold_them(model: QualityModel) -> None:
    sources, outputs, labels = examples(300, seed=2)
    found = model.predict(sources, outputs, level=0.9)
    figures = evaluate(labels, found.values, intervals=(found.lower, found.upper), resamples=10)
    assert figures.pearson.value > 0.9
    assert figures.coverage is not None
    assert 0.85 < figures.coverage.value < 0.95
    assert figures.rmse.value == pytest.approx(model.provenance["held_out"]["ridge"]["rmse"], abs=0.05)


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


def test_what_is_learnt_is_compared_with_baselines(model: QualityModel) -> None:
    figures = model.provenance["held_out"]
    assert list(figures) == ["mean", "linear:source_tokens", "ridge"]
    assert figures["mean"]["pearson"] is None
    assert figures["ridge"]["rmse"] < figures["linear:source_tokens"]["rmse"]
    assert (model.provenance["examples"], model.provenance["groups"]) == (200, 200)
    assert model.provenance["importance"][0]["increase"] > 0
    assert model.provenance["constant"]


def test_the_best_learner_is_chosen_among_all() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    model = small(40, learner="best", features=["lengths"])
    figures = model.provenance["held_out"]
    assert list(figures) == ["mean", "linear:source_tokens", "ridge", "pls", "svr", "gbm"]
    assert model.learner == min(("ridge", "pls", "svr", "gbm"), key=lambda name: figures[name]["rmse"])
    assert model.describe()["chosen"] == model.learner
    assert model.settings


def test_the_same_seed_is_the_same_file_with_any_number_of_workers(tmp_path: Path) -> None:
    small().save(tmp_path / "one")
    with ThreadPoolExecutor(3) as executor:
        small(executor=executor).save(tmp_path / "three")
    small(seed=5).save(tmp_path / "other")
    contents = [(tmp_path / name).read_bytes() for name in ("one", "three", "other")]
    assert contents[0] == contents[1] != contents[2]


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


def test_a_file_with_features_of_another_version_is_refused(model: QualityModel, tmp_path: Path) -> None:
    replace(model, features=("unheard_of", *model.features[1:])).save(tmp_path / "model.qe")
    with pytest.raises(DataError, match=r"this version of Tercet can use.*not known here: unheard_of"):
        QualityModel.load(tmp_path / "model.qe")


def test_features_come_from_models_that_have_not_seen_the_sentence() -> None:
    sources, outputs, labels = examples(40)
    given = check_training(sources, outputs, labels, None, None)
    made = featurise(given, Corpora(("et", "en")))
    # Every source has a word of its own, which the models of other sentences cannot know, and the last ones do.
    own = made.table.column("source_unknown_words")
    assert own.tolist() == [2 if number % 3 == 0 else 1 for number in range(40)]
    from tercet.quality.features import extract

    seen = extract(sources, outputs, made.resources, names=["source_unknown_words"])
    assert (seen.values == 0).all()
    assert set(made.from_training) >= {"source_lm", "target_lm", "aligner"}


def test_corpora_are_used_and_what_they_lack_comes_from_the_training_texts() -> None:
    sources, outputs, labels = examples(40)
    given = check_training(sources, outputs, labels, None, None)
    corpus, _, _ = examples(50, seed=9)
    made = featurise(given, Corpora(("et", "en"), source_texts=corpus))
    assert "source_lm" not in made.from_training
    assert {"target_lm", "aligner"} <= set(made.from_training)
    parallel = featurise(given, Corpora(("et", "en"), parallel=(corpus, corpus)))
    assert parallel.from_training == ()
    assert parallel.resources.aligner is not None


def test_groups_are_source_sentences_unless_others_are_given() -> None:
    sources, outputs, labels = examples(30)
    twice = train([*sources, *sources], [*outputs, *outputs[::-1]], [*labels, *labels[::-1]], "et-en",
                  learner="ridge", resources=NOTHING)  # fmt: skip
    assert (twice.provenance["examples"], twice.provenance["groups"]) == (60, 30)
    assert twice.conformal.groups == 30
    documents = [number // 5 for number in range(30)]
    model = train(sources, outputs, labels, "et-en", learner="ridge", resources=NOTHING, groups=documents)
    assert (model.provenance["groups"], model.provenance["grouped_by"]) == (6, "given groups")


def test_features_are_chosen_by_name_number_and_group() -> None:
    names, left_out = chosen_features(["target_tokens", "1001", "tgt_repetition"], NOTHING)
    assert (names, left_out) == (["target_tokens", "source_tokens", "target_occurrences"], {})
    names, left_out = chosen_features(["baseline"], NOTHING)
    assert "source_tokens" in names
    assert "needs what is missing: source_lm" in left_out["source_log_probability"]
    with pytest.raises(UsageError, match="source_log_probability cannot be computed: .*source_lm"):
        chosen_features(["source_log_probability"], NOTHING)
    with pytest.raises(UsageError, match="no feature or group called 'length'. Did you mean lengths"):
        chosen_features(["length"], NOTHING)
    with pytest.raises(UsageError, match="called 'zzz'. 'tercet qe features --list' shows all"):
        chosen_features(["zzz"], NOTHING)
    with pytest.raises(UsageError, match="none can be computed"):
        chosen_features(["lm_word"], NOTHING)


def test_features_of_ones_own_are_learnt_from_and_asked_for_again(tmp_path: Path) -> None:
    sources, outputs, labels = examples(60)
    own = GivenFeatures(("oracle",), labels[:, np.newaxis] + 1)
    model = small(given=own)
    assert model.names[-1] == "oracle"
    assert model.provenance["importance"][0]["feature"] == "oracle"
    found = model.predict(sources, outputs, given=own)
    assert np.abs(found.values - labels).mean() < 0.1
    model.save(tmp_path / "m")
    assert QualityModel.load(tmp_path / "m").given == ("oracle",)
    with pytest.raises(UsageError, match="reads features of your own: give oracle with --extra-features"):
        model.predict(sources, outputs)
    with pytest.raises(UsageError, match="no given feature called 'oracle'"):
        model.predict(sources, outputs, given=GivenFeatures(("other",), own.values))
    with pytest.raises(DataError, match="There are 60 segments, and given features for 59"):
        model.predict(sources, outputs, given=GivenFeatures(("oracle",), own.values[1:]))
    with pytest.raises(UsageError, match="trained without features of your own"):
        small().predict(sources, outputs, given=own)
    with pytest.raises(DataError, match="'source_tokens' has the name of one of Tercet's"):
        small(given=GivenFeatures(("source_tokens",), own.values))


def test_a_learning_curve_falls_with_more_examples() -> None:
    points = small(200, features=["lengths"], curve=True).provenance["curve"]
    assert points[0]["examples"] < points[-1]["examples"]
    assert points[0]["rmse"] > points[-1]["rmse"] - 0.05


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [1.0, 2.0]}, "There are 30 sources, 30 outputs and 2 labels"),
        ({"labels": [3.0] * 30}, "All 30 labels are 3: there is nothing to learn"),
        ({"labels": [1.0, float("nan"), *[2.0] * 28]}, "Example 2: the label is missing"),
        (
            {"labels": [1.0, 7.0, *[2.0] * 28], "label_range": (1, 5)},
            "Example 2: the label 7 is outside the range from 1",
        ),
        ({"label_range": (5, 1)}, "from a lower to a higher number"),
        ({"languages": "estonian"}, "The languages are SRC-TGT"),
        ({"learner": "forest"}, "no learner called 'forest'"),
        ({"groups": ["same"] * 30}, "All examples belong to one group"),
    ],
)
def test_what_nothing_can_be_learnt_from_is_refused(change: dict[str, Any], message: str) -> None:
    sources, outputs, labels = examples(30)
    given: dict[str, Any] = {"labels": labels, "languages": "et-en", "learner": "ridge", "resources": NOTHING, **change}
    with pytest.raises(TercetError, match=message):
        train(sources, outputs, given.pop("labels"), given.pop("languages"), **given)


def test_too_few_examples_are_refused_before_any_work() -> None:
    sources, outputs, labels = examples(19)
    with pytest.raises(DataError, match="19 examples are too few to learn from; at least 20 are needed"):
        train(sources, outputs, labels, "et-en")


def test_another_language_pair_is_refused(model: QualityModel) -> None:
    model.check_languages(("ET", "en_GB"))
    with pytest.raises(UsageError, match="The model is for et-en, and these texts are en-et"):
        model.check_languages(("en", "et"))
    with pytest.raises(DataError, match="There are 1 sources and 2 outputs"):
        model.predict(["a"], ["a", "b"])


def test_numbers_that_json_cannot_hold_become_none() -> None:
    assert json_able({"a": [1.5, float("nan")], "b": (float("inf"), 1)}) == {"a": [1.5, None], "b": [None, 1]}


def test_a_value_beyond_the_training_texts_is_taken_as_the_nearest(model: QualityModel) -> None:
    sources, outputs, _ = examples(3, seed=4)
    table = model.featurise(sources, outputs).values
    column = model.names.index("source_tokens")
    far, at_the_end = table.copy(), table.copy()
    far[:, column], at_the_end[:, column] = 1e9, model.bounds[1, column]
    assert np.array_equal(model.predict_from(far), model.predict_from(at_the_end))
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
    assert warning.startswith(
        "3 of 4 segments are unlike the training texts, so that predictions are not to be trusted"
    )
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


def test_of_texts_like_those_of_training_few_are_called_unlike_them() -> None:
    rng = np.random.default_rng(1)
    for n in (40, 300):
        features = rng.standard_t(3, size=(n, 50)) * rng.uniform(0.5, 3, size=(n, 1))
        new = rng.standard_t(3, size=(5000, 50)) * rng.uniform(0.5, 3, size=(5000, 1))
        most = most_outside(features, list(range(n)), 1)
        outside = ((new < features.min(0)) | (new > features.max(0))).sum(1)
        assert (outside > most).mean() < 0.03


def test_resources_of_other_languages_are_refused() -> None:
    with pytest.raises(UsageError, match="The resources are for fi-en, and these texts are et-en"):
        small(resources=Resources("fi", "en"))
    assert small(resources=Resources("et_EE", "en")).pair == "et-en"


def test_a_range_of_whole_numbers_is_the_same_model() -> None:
    assert small(label_range=[-9, 9]).checksum == small(label_range=(-9.0, 9.0)).checksum


def test_a_learning_curve_of_too_few_examples_is_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.quality.training.featurise", lambda *_, **__: pytest.fail("work was done"))
    with pytest.raises(DataError, match="With 24 examples every fraction has fewer than the 20 that learning needs"):
        small(24, curve=True)


@pytest.mark.parametrize("sizes", [(1300, 1300), (3, 2600)])
def test_a_few_large_groups_can_be_learnt_from(sizes: tuple[int, int]) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    sources, outputs, labels = examples(sum(sizes))
    groups = np.repeat([0, 1], sizes).tolist()
    model = train(sources, outputs, labels, "et-en", learner="gbm", resources=NOTHING, groups=groups,
                  features=["target_source_ratio"])  # fmt: skip
    assert model.provenance["groups"] == 2
    assert [each["feature"] for each in model.provenance["importance"]] == ["target_source_ratio"]


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


@pytest.mark.parametrize("part", ["provenance", "predictor", "conformal", "features", "label_range", "languages"])
def test_a_file_with_another_kind_of_part_is_refused(model: QualityModel, tmp_path: Path, part: str) -> None:
    for other in (None, 7, "words", [], ["a", "b"], {}):
        write_parts(replace(model._parts, facts={**model._parts.facts, part: other}), tmp_path / "m")
        with pytest.raises(TercetError):
            QualityModel.load(tmp_path / "m")


def test_a_model_that_is_opened_has_the_checksum_of_its_file(
    model: QualityModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.save(tmp_path / "m")
    expected = model.checksum
    monkeypatch.setattr("tercet.quality.model.checksum_of", lambda _: pytest.fail("packed anew"))
    assert QualityModel.load(tmp_path / "m").checksum == expected


SYSTEMS = ["good", "fair", "poor"] * 40


def test_models_trained_on_one_system_are_tested_on_each(model: QualityModel) -> None:
    sources, outputs, labels = examples(120, seed=8)
    found = assess(model, sources, outputs, labels, systems=SYSTEMS, resamples=20)
    assert found.across is not None
    assert (found.across.systems, found.across.segments) == (("good", "fair", "poor"), (40, 40, 40))
    assert (found.across.pearson > 0.8).all()
    assert [each.n for each in found.by_system.values()] == [40, 40, 40]
    assert untested(found.across) == []
    with ThreadPoolExecutor(2) as executor:
        again = assess(model, sources, outputs, labels, systems=SYSTEMS, resamples=20, executor=executor)
    assert again.across is not None
    assert np.array_equal(found.across.rmse, again.across.rmse)


def test_across_systems_a_sentence_is_never_on_both_sides(monkeypatch: pytest.MonkeyPatch, model: QualityModel) -> None:
    sources, outputs, labels = examples(40, seed=8)
    table = model.featurise(sources * 2, outputs * 2).values
    rows_of = {"x": np.arange(40), "y": np.arange(40, 80)}
    seen = []

    def watched(learner: Any, settings: Any, features: Any, labels: Any, unseen: Any, seed: int) -> Any:
        seen.append({tuple(row) for row in features.tolist()} & {tuple(row) for row in unseen.tolist()})
        return np.zeros(len(unseen))

    monkeypatch.setattr("tercet.quality.across.fit_and_predict", watched)
    across_systems(model, table, np.tile(labels, 2), rows_of, sources * 2)
    assert seen == [set()] * 10


def test_a_system_with_few_segments_is_tested_on_but_not_trained_on(model: QualityModel) -> None:
    sources, outputs, labels = examples(60, seed=8)
    found = assess(model, sources, outputs, labels, systems=["many"] * 50 + ["few"] * 10, resamples=20)
    assert found.across is not None
    assert untested(found.across) == ["few"]
    assert np.isfinite(found.across.rmse[0]).all()
    assert np.isnan(found.across.rmse[1]).all()
    with pytest.raises(UsageError, match="needs two systems or more, and all segments are of 'one'"):
        assess(model, sources, outputs, labels, systems=["one"] * 60)
    with pytest.raises(DataError, match="There are 60 segments, and the systems of 2"):
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


def test_each_text_is_parsed_once_in_a_training_run(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(texts: list[str], language: str, **_: Any) -> list[Sentence]:
        parsed.extend(texts)
        return [Sentence(text, (Token("x", 0, 1, upos="NOUN"),)) for text in texts]

    monkeypatch.setattr("tercet.language.backends.default_name", lambda language: "fake")
    monkeypatch.setattr("tercet.language.parsing.parse", parse)
    sources, outputs, labels = examples(25)
    made = featurise(
        check_training(sources, outputs, labels, None, None),
        Corpora(("et", "en"), tags=True),
        features=["lengths", "source_nouns", "target_nouns"],
    )
    assert made.resources.source_tagger == "fake"
    assert sorted(parsed) == sorted({*sources} | {*outputs})
