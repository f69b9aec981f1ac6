"""Metrics learnt from judgements: figures on what was held out, models that are metrics, and what is refused."""

import gzip
import sys

import numpy as np
import pytest

import tercet
from tercet import TestSet, examples
from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.learning.linear import fit_logistic
from tercet.metrics import create
from tercet.metrics._seen import seen_by
from tercet.metrics.alignment.meteor import METEOR
from tercet.metrics.bases.learned_model import load_model

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")
WORDS = "a small red house stands near the old bridge over a quiet river in the north".split()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    examples.write("en-de", folder)
    return folder


def write_rankings(folder, *, pairs=("cs-en", "de-en"), segments=40, ties=False, seed=1):
    """Texts whose better output has more words of the reference, with one preference per segment."""
    folder.mkdir(exist_ok=True)
    draw = np.random.default_rng(seed)
    for number, pair in enumerate(pairs):
        rows, outputs, choices = [], [], []
        for segment in range(1, segments + 1):
            words = [f"{WORDS[k]}{number}" for k in draw.permutation(len(WORDS))[:9]]
            good, bad = [*words[:8], "oh"], [*words[:3], *"oh no not at all".split()]
            if draw.random() < 0.1:
                good, bad = bad, good
            rows.append(f"{segment}\tsource {segment}\t{' '.join(words)}")
            outputs.append(f"{segment}\t{' '.join(good)}\t{' '.join(bad)}")
            choices.append(f"{segment}\tA\tB")
        (folder / f"{pair}.segments.tsv").write_text("\n".join(["seg\tsource\treference", *rows, ""]))
        (folder / f"{pair}.outputs.tsv").write_text("\n".join(["seg\tA\tB", *outputs, ""]))
        (folder / f"{pair}.rr.tsv").write_text("\n".join(["seg\tbetter\tworse", *choices, ""]))
    return folder


def test_the_logistic_solution_has_no_gradient():
    draw = np.random.default_rng(3)
    differences = draw.normal([1.0, 0.2, 0.0, -0.5], size=(400, 4))
    weights = draw.random(400)
    found = fit_logistic(differences, weights, 0.01)
    wrong = 1 / (1 + np.exp(differences @ found))
    gradient = 0.01 * found - differences.T @ (weights / weights.sum() * wrong)
    assert np.abs(gradient).max() < 1e-6


@pytest.mark.parametrize("learner", ["logistic", "ridge", "lambdamart"])
def test_rankings_teach_a_metric_that_agrees_with_held_out_language_pairs(learner, tmp_path):
    folder = write_rankings(tmp_path / "set")
    found = tercet.learn(folder, ["chrf", "ter", "length"], learner=learner)
    assert [one.name for one in found.held_out] == ["cs-en", "de-en"]
    assert min(one.tau for one in found.held_out) > 0.5
    assert [one.name for one in found.model.trained_on] == ["set cs-en", "set de-en"]
    assert found.model.language == "en"


def test_a_learned_metric_is_a_metric_like_any_other(demo, tmp_path):
    found = tercet.learn(demo, ["chrf", "beer@*", "meteor@recall"], learner="ridge", label="Mine")
    found.model.save(tmp_path / "my.metric")
    spec = f"learned:model={tmp_path / 'my.metric'}"
    testset = TestSet(
        {"x": ["Das ist gut .", "Das Haus ist alt ."]}, {"r": ["Es war schlecht .", "Das Haus ist alt ."]}, pair="en-de"
    )
    (scores,) = tercet.score(testset, spec, jobs=2)
    assert scores.label == "Learned(Mine)"
    assert scores.segment["x"][1] > scores.segment["x"][0]
    assert load_model(tmp_path / "my.metric").checksum == found.model.checksum
    told = create(spec).ready(testset).explain("Das ist gut .", ["Das ist sehr gut ."])
    assert {row["feature"] for row in told.values["features"]} >= {"chrf", "meteor@recall"}


def test_the_same_seed_gives_the_same_weights_for_any_number_of_jobs(tmp_path):
    folder = write_rankings(tmp_path / "set")
    one, two = (tercet.learn(folder, ["chrf", "beer@*"], jobs=jobs).model.checksum for jobs in (1, 2))
    assert one == two


def test_scores_of_people_also_give_pairs_of_different_segments(demo):
    found = tercet.learn(demo, ["chrf", "ter"], across=10)
    assert sum(one.pairs for one in found.held_out) > 100
    with pytest.raises(UsageError, match="learns from pairs"):
        tercet.learn(demo, ["chrf", "ter"], margin=1000)


def test_ablation_names_what_each_metric_adds(tmp_path):
    found = tercet.learn(write_rankings(tmp_path / "set"), ["chrf", "meteor@*"], ablation=True)
    assert [(row.group, row.features > 1) for row in found.ablation] == [("chrf", False), ("meteor", True)]
    assert abs(sum(row.contribution for row in found.weights) - 1) < 1e-9


def test_what_was_trained_on_cannot_be_a_test_set_even_in_another_folder(tmp_path):
    first = write_rankings(tmp_path / "first")
    again = write_rankings(tmp_path / "again")
    with pytest.raises(UsageError, match="again cs-en cannot be a test set: 40 of its 40 references were trained on"):
        tercet.learn(first, ["chrf"], test=again)
    other = write_rankings(tmp_path / "other", seed=9)
    assert len(tercet.learn(first, ["chrf"], test=other).tests) == 2


def test_a_model_passes_on_what_models_among_its_features_saw(tmp_path):
    first, second = write_rankings(tmp_path / "first"), write_rankings(tmp_path / "second", seed=9)
    tercet.learn(first, ["chrf"]).model.save(tmp_path / "inner.metric")
    inner = f"learned:model={tmp_path / 'inner.metric'}"
    tercet.learn(second, [inner, "ter"]).model.save(tmp_path / "outer.metric")
    outer = f"learned:model={tmp_path / 'outer.metric'}"
    assert [one.name for one in seen_by(create(outer)).sets] == [
        "second cs-en", "second de-en", "first cs-en", "first de-en",
    ]  # fmt: skip
    notes = tercet.meta(first, ["cs-en"], metrics=[outer], level="seg").results[0].notes
    assert any("was trained on first cs-en" in note for note in notes)
    (tmp_path / "first").rename(tmp_path / "renamed")
    notes = tercet.meta(tmp_path / "renamed", ["cs-en"], metrics=[outer], level="seg").results[0].notes
    assert any("was trained on 40 of the 40 references" in note for note in notes)


def test_a_mean_has_seen_what_its_members_saw(tmp_path):
    folder = write_rankings(tmp_path / "first")
    tercet.learn(folder, ["chrf"]).model.save(tmp_path / "inner.metric")
    spec = f"mean:of=ter+learned:model={tmp_path / 'inner.metric'}"
    notes = tercet.meta(folder, ["cs-en"], metrics=[spec], level="seg").results[0].notes
    assert any("was trained on first cs-en" in note for note in notes)
    with pytest.raises(UsageError, match="cannot be a test set"):
        tercet.learn(write_rankings(tmp_path / "other", seed=9), [spec, "chrf"], test=folder)


def test_left_out_language_pairs_are_the_test(tmp_path):
    folder = write_rankings(tmp_path / "set")
    found = tercet.learn(folder, ["chrf", "ter"], leave_out="de-en")
    assert [one.name for one in found.tests] == ["set de-en"]
    assert [one.name for one in found.model.trained_on] == ["set cs-en"]


def test_bad_input_is_named(tmp_path, demo):
    single = write_rankings(tmp_path / "single", pairs=("cs-en",))
    with pytest.raises(UsageError, match="Nothing is left to train on"):
        tercet.learn(single, ["chrf"], leave_out="cs-en")
    with pytest.raises(UsageError, match="no judgements of fr-en to leave out"):
        tercet.learn(single, ["chrf"], leave_out="fr-en")
    with pytest.raises(UnknownName, match="There is no metric called 'chrff'"):
        tercet.learn(single, ["chrff"])
    with pytest.raises(UnknownName, match="part of meteor"):
        tercet.learn(single, ["meteor@recal"])
    with pytest.raises(UsageError, match="svr learns from scores"):
        tercet.learn(single, ["chrf"], learner="svr")
    with pytest.raises(UsageError, match="asked for twice"):
        tercet.learn(single, ["chrf", "chrf"])
    with pytest.raises(DataError, match=r"No feature differs between outputs \(numbers\)"):
        tercet.learn(single, ["numbers"], table=_constant(single))


def _constant(folder):
    lines = (folder / "cs-en.outputs.tsv").read_text().split("\n")[1:-1]
    texts = dict.fromkeys(text for line in lines for text in line.split("\t")[1:])
    path = folder.parent / "constant.tsv"
    path.write_text("\n".join(["output\tone", *(f"{text}\t1" for text in texts), ""]))
    return str(path)


def test_rankings_without_a_preference_are_refused(tmp_path):
    folder = write_rankings(tmp_path / "set", pairs=("cs-en",), segments=2)
    (folder / "cs-en.rr.tsv").unlink()
    (folder / "rankings.tsv").write_text(
        "lp\tseg\tjudge\tsystems\tranks\ncs-en\t1\tj\tA|B\t1|1\ncs-en\t2\tj\tA|B\t2|2\n"
    )
    with pytest.raises(DataError, match="nothing to learn from"):
        tercet.learn(folder, ["chrf"])


def test_a_damaged_or_foreign_model_is_refused(demo, tmp_path):
    path = tmp_path / "my.metric"
    tercet.learn(demo, ["chrf"], learner="ridge").model.save(path)
    testset = TestSet({"x": ["a"]}, {"r": ["a"]}, pair="de-fr")
    with pytest.raises(UsageError, match="was made for outputs in 'de', and these are in 'fr'"):
        tercet.score(testset, f"learned:model={path}")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="my.metric"):
        tercet.score(testset, f"learned:model={path}")
    path.write_text("not a model")
    with pytest.raises(DataError, match="is not a model file"):
        tercet.score(testset, f"learned:model={path}")


def test_a_model_whose_metric_is_not_installed_says_so(demo, tmp_path):
    from dataclasses import replace

    model = replace(tercet.learn(demo, ["chrf"], learner="ridge").model, features=("from_elsewhere",))
    model.save(tmp_path / "my.metric")
    with pytest.raises(UsageError, match="needs a metric that is not installed here"):
        tercet.score(TestSet({"x": ["a"]}, {"r": ["a"]}), f"learned:model={tmp_path / 'my.metric'}")


def test_a_network_of_the_package_names_what_it_saw():
    seen = seen_by(create("rima"))
    assert seen.names("wmt14", "de-en")
    assert not seen.names("wmt19", "lt-en")


@pytest.mark.parametrize(
    "name",
    [
        "beer",
        "cobalt_comp",
        "cobalt_f",
        "cobalt_f:of=comp",
        "dpmfcomb",
        "features_f",
        "metrics_f",
        "metrics_only",
        "party",
    ],
)
def test_models_of_the_package_have_seen_wmt12_and_neither_wmt14_nor_wmt19(name):
    seen = seen_by(create(name))
    assert seen.names("wmt12", "de-en")
    assert not seen.names("wmt14", "de-en")
    assert {one.name.split()[0] for one in seen.sets} == {"wmt12"}


def test_the_training_script_compares_rankings_with_and_without_assessments(tmp_path, capsys):
    training = pytest.importorskip("training.learned_metrics", reason="the folder training is not here")
    write_rankings(tmp_path / "wmt12", pairs=training.PAIRS, segments=10)
    texts = [f"{' '.join(WORDS[: 5 + n])}\t{' '.join(WORDS[n:])}" for n in range(8)]
    table = "".join(f"cs-en\t{n}\ts\t{-n / 3}\tsource\t{text}\tedited\n" for n, text in enumerate(texts, 1))
    (tmp_path / "da.tsv.gz").write_bytes(
        gzip.compress(f"lp\tseg\tsystem\tDA_z\tsource\treference\tmt\tpostedit\n{table}".encode())
    )
    (tmp_path / "wmt13").mkdir()
    training.write_assessments(tmp_path / "da.tsv.gz", tmp_path / "wmt13")
    training.compare(["chrf", "ter"], (tmp_path / "wmt12", tmp_path / "wmt13"), None)
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in printed] == [["across", str(number)] for number in training.ACROSS]
    assert all(float(line.split()[-1]) > 0.5 for line in printed)


def test_a_missing_package_is_named_with_its_extra(demo, monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with pytest.raises(MissingDependency, match=r"Training a model needs .*'tercet\[qe\]'"):
        tercet.learn(demo, ["chrf", "ter"], learner="ridge")


def test_an_error_of_a_member_keeps_its_class_and_names_the_member(monkeypatch):
    def missing(self, testset):
        raise MissingDependency("A parser", "en")

    monkeypatch.setattr(METEOR, "learn", missing)
    with pytest.raises(MissingDependency, match=r"^meteor: A parser needs a package .*'tercet\[en\]'"):
        tercet.score(TestSet({"a": ["x"]}, {"r": ["x"]}, pair="de-en"), "mean:of=chrf+meteor")
