"""Training a model: what it learns, from what, that it is the same each time, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.errors import DataError, TercetError, UsageError
from tercet.language.sentence import Sentence, Token
from tercet.quality.evaluating import evaluate
from tercet.quality.inputs import GivenFeatures
from tercet.quality.model import QualityModel
from tercet.quality.resources import Corpora, Resources
from tercet.quality.training import check_training, chosen_features, featurise, most_outside, train

from .corpus import column

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


def test_features_come_from_models_that_have_not_seen_the_sentence() -> None:
    sources, outputs, labels = examples(40)
    given = check_training(sources, outputs, labels, None, None)
    made = featurise(given, Corpora(("et", "en")))
    # Every source has a word of its own, which the models of other sentences cannot know, and the last ones do.
    own = column(made.table, "source_unknown_words")
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
    assert "a resource is missing: source_lm" in left_out["source_log_probability"]
    with pytest.raises(UsageError, match="source_log_probability cannot be computed: .*source_lm"):
        chosen_features(["source_log_probability"], NOTHING)
    with pytest.raises(UsageError, match="no feature or group called 'length'. Did you mean lengths"):
        chosen_features(["length"], NOTHING)
    with pytest.raises(UsageError, match="called 'zzz'. 'tercet qe features --list' lists all"):
        chosen_features(["zzz"], NOTHING)
    with pytest.raises(UsageError, match="None of the features asked for can be computed"):
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
    with pytest.raises(UsageError, match="uses features of your own: give oracle with `extra_features`"):
        model.predict(sources, outputs)
    with pytest.raises(UsageError, match="no given feature called 'oracle'"):
        model.predict(sources, outputs, given=GivenFeatures(("other",), own.values))
    with pytest.raises(DataError, match="There are 60 segments, but `extra_features` for 59"):
        model.predict(sources, outputs, given=GivenFeatures(("oracle",), own.values[1:]))
    with pytest.raises(DataError, match="There are 60 segments, but `extra_features` for 59"):
        small(given=GivenFeatures(("oracle",), own.values[1:]))
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
        ({"languages": "estonian"}, "Give the languages as SRC-TGT"),
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
    with pytest.raises(DataError, match="24 examples are too few for a learning curve: .* learning needs 20 or more"):
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


def test_a_learner_that_there_is_not_is_said_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.quality.training.featurise", lambda *_, **__: pytest.fail("work was done"))
    for learner in ("forest", "linear:lenght"):
        with pytest.raises(UsageError, match="There is no (learner|feature) called"):
            small(learner=learner)


def test_a_line_through_a_feature_is_a_model_too() -> None:
    model = small(learner="linear:target_source_ratio", features=["lengths"], curve=True)
    assert model.learner == "linear:target_source_ratio"
    assert model.provenance["importance"][0]["feature"] == "target_source_ratio"
    assert model.provenance["importance"][1]["increase"] == 0
    assert model.provenance["curve"]


def test_figures_on_held_out_groups_are_of_predictions_as_they_are_made_for_new_texts() -> None:
    sources, outputs, labels = examples(60)
    own = np.random.default_rng(3).standard_normal((60, 1))
    own[7] = 1e6  # held out, it is as far from the others as a new text may be
    model = train(sources, outputs, labels, "et-en", learner="linear:own", resources=NOTHING,
                  given=GivenFeatures(("own",), own))  # fmt: skip
    assert np.abs(model.held_out_predictions - labels.mean()).max() < 3
    assert model.provenance["held_out"]["linear:own"]["rmse"] < 2 * labels.std()


def test_corpora_that_hold_the_training_texts_do_not_mislead(caplog: pytest.LogCaptureFixture) -> None:
    sources, outputs, labels = examples(40)
    other, _, _ = examples(50, seed=9)
    given: Any = {"learner": "ridge", "features": ["source_unknown_words", "lengths"]}
    seen = [text.upper() + " " for text in sources]  # the same to a language model
    with_own = train(sources, outputs, labels, "et-en", source_texts=[*other, *seen], **given)
    assert caplog.messages == [
        "40 texts of the corpora are training texts, or parallel to one, and are left out: features must come from "
        "models that have not seen the text."
    ]
    assert with_own.provenance["sentences"]["source"] == 50
    assert with_own.checksum == train(sources, outputs, labels, "et-en", source_texts=other, **given).checksum
    # Without the rest there is no corpus: everything comes from the training texts, fold by fold.
    caplog.clear()
    alone = train(sources, outputs, labels, "et-en", parallel=(sources, outputs[::-1]), **given)
    assert len(caplog.messages) == 1
    assert "aligner" in alone.provenance["from_training_texts"]
    assert alone.checksum == train(sources, outputs, labels, "et-en", **given).checksum


def test_corpora_without_training_texts_are_left_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    sources, outputs, labels = examples(40)
    given = check_training(sources, [*outputs[:-1], ""], labels, None, None)
    corpora = Corpora(("et", "en"), ["puu"], ["tree", ""], (["maja", ""], ["house", ""]))
    assert corpora.without(given.sources, given.outputs) is corpora
    assert caplog.messages == []
    pairs = replace(corpora, parallel=(["maja", sources[3], "uks"], ["house", "tree", outputs[5]])).without(
        given.sources, given.outputs
    )
    assert pairs.parallel == (["maja"], ["house"])
    uneven = replace(corpora, parallel=(["maja"], []))
    with pytest.raises(DataError, match="1 source and 0 target sentences"):
        uneven.without(given.sources, given.outputs).estimate()


def test_a_name_that_cannot_be_shown_is_refused() -> None:
    own = GivenFeatures(("x\x1b[2J",), np.arange(60.0)[:, np.newaxis])
    with pytest.raises(DataError, match=r"The name of your feature 'x\\x1b\[2J' has control characters"):
        small(given=own)
