"""Metrics on encoders: values by hand on word vectors, and that texts are encoded once."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet import TestSet, examples
from tercet.errors import DataError, UsageError
from tercet.language.encoders.onnx import OnnxEncoder
from tercet.metrics import Shard, create
from tercet.metrics.alignment.yisi0 import similarity
from tercet.metrics.embeddings.bertscore import find_baseline, read_baseline
from tercet.metrics.embeddings.yisi1 import combine, match_ngrams

SPECS = ["bertr", "bertscore", "yisi1", "wmdo"]
TEXTS = TestSet(
    {"a": ["the cat sat on the mat", "a dog barked", ""], "b": ["a cat on a mat", "the dog barks", "x"]},
    {"ref": ["the cat sat on a mat", "a dog barked", "nothing"]},
    pair="de-en",
)


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    """Vectors of four words; cat and dog have the cosine 0.6, red and cat 0."""
    path = tmp_path / "vectors.txt"
    path.write_text("cat 1 0 0\ndog 0.6 0.8 0\nred 0 0 1\nblue 0 0.28 0.96\n")
    return f"encoder=vectors:{path}"


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the default encoder is given."""
    pytest.importorskip("onnxruntime")
    seen: list[str] = []
    original = OnnxEncoder.token_batches

    def watching(self: OnnxEncoder, texts: Sequence[str], layer: int) -> object:
        seen.extend(texts)
        return original(self, texts, layer)

    monkeypatch.setattr(OnnxEncoder, "token_batches", watching)
    return seen


RECORDED = {  # the demo de-en, systems Alder, Birch, Cedar
    "bertr": (0.9362, 0.8767, 0.6007),
    "bertscore": (0.9372, 0.8805, 0.5695),
    "bertscore:idf=true": (0.9304, 0.8701, 0.5415),
    "yisi1": (0.9097, 0.8430, 0.5091),
    "yisi1:srl=true": (0.9039, 0.8340, 0.4993),
    "wmdo": (0.1308, 0.2121, 0.5678),
}


def test_scores_of_the_default_encoder_are_those_that_were_recorded():
    """A change of any of these is a change of scores: raise the metric's version."""
    for package in ("onnxruntime", "ot", "spacy"):
        pytest.importorskip(package)
    scores = tercet.score(examples.load("de-en"), list(RECORDED))
    for wanted, found in zip(RECORDED.values(), scores, strict=True):
        assert tuple(found.system.values()) == pytest.approx(wanted, abs=2e-4)


def test_bertr_is_the_mean_of_the_best_cosines(vectors):
    metric = create(f"bertr:{vectors}")
    assert metric.score_one("cat red", ["dog red"]) == pytest.approx((0.6 + 1) / 2, abs=1e-6)
    assert metric.score_one("red", ["dog red cat red"]) == pytest.approx(0.5, abs=1e-6)
    assert metric.score_one("cat red", ["blue", "dog red"]) == pytest.approx(0.96, abs=1e-6)
    assert metric.score_one("", ["cat"]) == metric.score_one("cat", [""]) == 0


def test_words_without_a_vector_are_equal_to_themselves_alone(vectors):
    metric = create(f"bertr:{vectors}")
    assert metric.score_one("Paris cat", ["paris cat"]) == 1
    assert metric.score_one("London cat", ["paris cat"]) == 0.5


def test_bertscore_has_precision_recall_and_f1(vectors):
    testset = TestSet({"x": ["cat red red"]}, {"r": ["dog red"]})
    ready = create(f"bertscore:{vectors}").ready(testset)
    counts = ready.count(Shard(testset))["x"]
    precision, recall = (0.6 + 1 + 1) / 3, (0.6 + 1) / 2
    f1 = 2 * precision * recall / (precision + recall)
    assert counts[0] == pytest.approx([f1, 1, precision, recall], abs=1e-6)
    assert ready.details(counts[0]) == {"precision": pytest.approx(precision), "recall": pytest.approx(recall)}


def test_bertscore_weighs_rare_words_more_with_idf(vectors):
    testset = TestSet({"x": ["cat red", "red"]}, {"r": ["dog red", "red"]})
    counts = create(f"bertscore:{vectors},idf=true").ready(testset).count(Shard(testset))["x"]
    # red is in all references and has the weight 0; dog in one of two, log(3 / 2); cat in none, log 3
    assert counts[0, 2:] == pytest.approx([0.6, 0.6], abs=1e-6)
    assert counts[1, 2:] == pytest.approx([1, 1], abs=1e-6)


def test_bertscore_is_rescaled_by_a_baseline(vectors, tmp_path):
    (tmp_path / "base.csv").write_text("LAYER,P,R,F\n-1,0.1,0.2,0.25\n")
    testset = TestSet({"x": ["cat red"]}, {"r": ["dog red"]})
    plain = create(f"bertscore:{vectors}").ready(testset)
    scaled = create(f"bertscore:{vectors},baseline={tmp_path / 'base.csv'}").ready(testset)
    counts = plain.count(Shard(testset))["x"]
    assert scaled.score(counts) == pytest.approx((plain.score(counts) - 0.25) / 0.75)
    assert scaled.extras(counts)["recall"] == pytest.approx((counts[:, 3] - 0.2) / 0.8)
    assert scaled.explain("cat red", ["dog red"]).score == pytest.approx(float(scaled.score(counts)[0]))
    (tmp_path / "all.csv").write_text("LAYER,P,R,F\n0,0,0,0\n1,0.1,0.2,0.25\n")  # the last layer is number 1
    last = create(f"bertscore:{vectors},baseline={tmp_path / 'all.csv'}").ready(testset)
    assert last.score(counts) == scaled.score(counts)
    for text, said in (("LAYER,P,R,F\n3,0,0,0\n", "has no baseline for layer -1"), ("", "has no baselines"),
                       ("LAYER,P,R,F\n1,x,0,0\n", "line 2: expected LAYER,P,R,F")):  # fmt: skip
        (tmp_path / "base.csv").write_text(text)
        with pytest.raises((UsageError, DataError), match=said):
            create(f"bertscore:{vectors},baseline={tmp_path / 'base.csv'}").score_one("cat", ["cat"])


def test_unrelated_texts_have_about_0_with_the_baseline_of_the_default_encoder():
    pytest.importorskip("onnxruntime")
    metric = create("bertscore:baseline=minilm")
    assert metric.score_one("The doctor was late for work.", ["The doctor was late for work."]) == pytest.approx(1)
    assert abs(metric.score_one("Prices rose again in March.", ["The old bridge is closed to walkers."])) < 0.15
    for layer in range(7):
        low = read_baseline(str(find_baseline("minilm")), layer)
        assert all(0 < value < 1 for value in low) and low == pytest.approx([low[0]] * 3, abs=0.02)
    with pytest.raises(UsageError, match="the baseline minilm is of the encoder minilm, and the encoder is use"):
        create("bertscore:baseline=minilm,encoder=use")


def test_yisi1_with_common_substrings_is_yisi0():
    """The n-grams and weights of YiSi-1 are those of YiSi-0, which equals the program yisi."""
    testset = TestSet(
        {"x": ["a cat sat on mats", "the dogs", "", "b"]}, {"r": ["the cat sat", "a dog ran by", "c", "b"]}
    )
    for n in (1, 2, 3, 9):
        metric = create(f"yisi0:n={n},alpha=0.7").ready(testset)
        known = metric.state
        for row, counts in enumerate(metric.count(Shard(testset))["x"]):
            output, reference = (texts[row].split() for texts in (testset.outputs["x"], testset.references["r"]))
            found = np.array([[similarity(a, b) for b in reference] for a in output]).reshape(
                len(output), len(reference)
            )
            weights = [np.array([known.weight(word) for word in words]) for words in (output, reference)]
            precision, recall = match_ngrams(found, *weights, n)
            assert [combine(precision, recall, 0.7), precision, recall] == pytest.approx(counts[[0, 2, 3]], abs=1e-12)


def test_yisi1_on_word_vectors(vectors):
    testset = TestSet({"x": ["cat red"]}, {"r": ["dog red"]})
    weight = {"cat": np.log2(1 + 2 / 1), "dog": np.log2(1 + 2 / 2), "red": np.log2(1 + 2 / 2)}
    recall = (0.6 * weight["dog"] + weight["red"]) / (weight["dog"] + weight["red"])
    precision = (0.6 * weight["cat"] + weight["red"]) / (weight["cat"] + weight["red"])
    counts = create(f"yisi1:{vectors},n=1,alpha=0.8").ready(testset).count(Shard(testset))["x"]
    wanted = precision * recall / (0.8 * precision + 0.2 * recall)
    assert counts[0] == pytest.approx([wanted, 1, precision, recall], abs=1e-6)


def test_structure_prefers_a_passive_to_swapped_roles():
    pytest.importorskip("onnxruntime")
    pytest.importorskip("spacy")
    passive, swapped = "The papers were read by the teacher .", "The papers have read the teacher ."
    reference = "The teacher has read the papers ."
    testset = TestSet({"x": [passive, swapped, ""]}, {"r": [reference] * 3}, pair="de-en")
    scores = {}
    for beta in (0, 1):
        ready = create(f"yisi1:srl=true,beta={beta}").ready(testset)
        scores[beta] = ready.segment_scores(ready.count(Shard(testset))["x"])
        assert ready.explain(passive, [reference]).score == pytest.approx(scores[beta][0], abs=1e-5)
    assert "|srl:yes|" in ready.signature and "|parsed:spacy:en_core_web" in ready.signature
    assert scores[0][0] < scores[0][1] and scores[1][0] > scores[1][1]
    assert scores[1][2] == 0
    plain = create("yisi1").ready(testset)
    assert scores[0] == pytest.approx(plain.segment_scores(plain.count(Shard(testset))["x"]), abs=1e-5)


def test_wmdo_is_a_distance_with_penalties(vectors):
    pytest.importorskip("ot")
    metric = create(f"wmdo:{vectors}")
    assert metric.score_one("cat red", ["cat red"]) == pytest.approx(0.18 * 1 / 2, abs=1e-6)
    assert metric.score_one("red cat", ["cat red"]) == pytest.approx(0.18, abs=1e-6)
    assert metric.score_one("dog red", ["cat red"]) == pytest.approx(0.4 / 2 + 0.18 / 2, abs=1e-6)
    # the mass of cat goes to both words
    assert metric.score_one("dog red", ["cat"]) == pytest.approx((0.4 + 1) / 2 + 0.18, abs=1e-6)
    assert metric.score_one("Paris cat", ["paris cat"]) == pytest.approx(0.18 / 2 + 0.1 / 2, abs=1e-6)
    assert metric.score_one("", ["cat"]) == metric.score_one("cat", [""]) == pytest.approx(1.18)
    assert metric.score_one("dog", ["red", "dog"]) == pytest.approx(0.18, abs=1e-6)
    assert metric.higher_is_better is False


def test_the_distance_is_that_of_linear_programming():
    pytest.importorskip("ot")
    optimize = pytest.importorskip("scipy.optimize")
    pytest.importorskip("onnxruntime")
    ready = create("wmdo").ready(TEXTS)
    for output, reference in ((TEXTS.outputs["b"][0], TEXTS.references["ref"][0]), ("dogs", "a dog barks at night")):
        words, others = (
            each.by_word for each in ready.opened().encoder.tokens([output, reference], ready.metric.layer)
        )
        costs = 1 - others.vectors.astype(float) @ words.vectors.T.astype(float)
        rows, columns = costs.shape
        leave = np.kron(np.eye(rows), np.ones(columns))
        arrive = np.kron(np.ones(rows), np.eye(columns))
        mass = np.r_[np.full(rows, 1 / rows), np.full(columns, 1 / columns)]
        best = optimize.linprog(costs.ravel(), A_eq=np.r_[leave, arrive], b_eq=mass, method="highs").fun
        assert ready.explain(output, [reference]).values["distance"] == pytest.approx(best, abs=1e-4)


def test_a_text_is_encoded_once_for_all_metrics_and_systems(encoded):
    pytest.importorskip("ot")
    together = tercet.score(TEXTS, SPECS)
    columns = (*TEXTS.references.values(), *TEXTS.outputs.values())
    assert sorted(encoded) == sorted({text for lines in columns for text in lines})
    for spec, scores in zip(SPECS, together, strict=True):
        assert scores.system == pytest.approx(tercet.score(TEXTS, spec)[0].system, abs=1e-5)


def test_with_a_cache_another_system_does_not_encode_the_references_again(encoded, tmp_path):
    first = tercet.score(TEXTS.only(["a"]), "bertr", cache=tmp_path)
    encoded.clear()
    both = tercet.score(TEXTS, ["bertr", "bertscore"], cache=tmp_path)
    assert sorted(encoded) == sorted(set(TEXTS.outputs["b"]))
    assert both["bertr"].system["a"] == first[0].system["a"]
    encoded.clear()
    assert tercet.score(TEXTS, "yisi1", cache=tmp_path)[0].system == pytest.approx(
        tercet.score(TEXTS, "yisi1")[0].system, abs=1e-5
    )
    with sqlite3.connect(tmp_path / "encodings.sqlite") as connection:
        connection.execute("UPDATE encodings SET encoding = substr(encoding, 1, 50)")
    encoded.clear()
    assert tercet.score(TEXTS, "bertr", cache=tmp_path)["bertr"].system == both["bertr"].system
    assert encoded == []  # the counts are there
    assert tercet.score(TEXTS, "yisi1:n=3", cache=tmp_path)
    assert encoded  # what is damaged is encoded again


def test_workers_give_the_same_scores():
    pytest.importorskip("onnxruntime")
    assert tercet.score(TEXTS, "bertr", jobs=2)[0].system == pytest.approx(
        tercet.score(TEXTS, "bertr")[0].system, abs=1e-5
    )


def test_a_language_that_the_encoder_does_not_know_is_reported(caplog):
    pytest.importorskip("onnxruntime")
    create("bertr:encoder=minilm").ready(TestSet({"x": ["Hallo"]}, {"r": ["Hallo"]}, pair="en-de"))
    assert "the encoder minilm knows en, and the texts are in de: its scores mean little there" in caplog.text
    caplog.clear()
    create("bertr").ready(TEXTS)
    assert not caplog.text
    create("bertr").ready(TestSet({"x": ["Hallo"]}, {"r": ["Hallo"]}))
    assert "bertr: the language of the outputs is not given and taken to be en." in caplog.text


def test_the_signature_names_encoder_and_weights():
    pytest.importorskip("onnxruntime")
    ready = create("yisi1").ready(TEXTS)
    assert "|encoder:minilm|" in ready.signature and "|encoded:f0ed627e0fb8b0e7|weights:" in ready.signature


def test_verifying_with_another_encoder_says_that_scores_are_not_comparable(vectors):
    scores = tercet.score(TEXTS, f"bertr:{vectors}")[0]
    checksum = create(f"bertr:{vectors}").ready(TEXTS).state.fingerprint
    stated = scores.system["a"]
    found = tercet.verify(TEXTS, scores.signature.replace(checksum, "0123456789abcdef"), stated, system="a")
    assert any("scores are not comparable: encoded:0123456789abcdef there" in note for note in found.notes)
    assert not any(
        "not comparable" in note for note in tercet.verify(TEXTS, scores.signature, stated, system="a").notes
    )


@pytest.mark.parametrize("metric", ["bertr", "bertscore", "yisi1"])
def test_a_multilingual_encoder_is_taken_for_other_languages(metric, caplog):
    testset = TestSet({"x": ["Der Hund schläft."], "y": ["Die Bank ist zu."]}, {"r": ["Der Hund ruht."]}, pair="en-de")
    (scores,) = tercet.score(testset, metric)
    assert scores.system["x"] > scores.system["y"]
    assert "|encoder:multilingual|" in scores.signature and not caplog.records
    assert tercet.score(testset, scores.metric.spec)[0].signature == scores.signature


def test_wrong_parameters_are_refused():
    with pytest.raises(UsageError, match="There is no encoder called 'bert'"):
        create("bertr:encoder=bert")
    with pytest.raises(UsageError, match="There is no device of bertr called 'tpu'"):
        create("bertr:device=tpu")
    pytest.importorskip("onnxruntime")
    with pytest.raises(UsageError, match="has no layer 12; it has 0 to 6"):
        create("bertr:layer=12").score_one("a", ["a"])


@pytest.mark.parametrize("spec", SPECS)
def test_explanations_agree_with_the_scores(spec):
    pytest.importorskip("onnxruntime")
    if spec == "wmdo":
        pytest.importorskip("ot")
    ready = create(spec).ready(TEXTS)
    for system in TEXTS.systems:
        scores = ready.segment_scores(ready.count(Shard(TEXTS))[system])
        for row, output in enumerate(TEXTS.outputs[system]):
            seen = ready.explain(output, [TEXTS.references["ref"][row]])
            assert seen.score == pytest.approx(scores[row], abs=1e-5)
            json.dumps(seen.to_dict(output, [TEXTS.references["ref"][row]], None), allow_nan=False)
    seen = ready.explain("a dog barked", ["the dog barks"])
    if spec == "wmdo":
        assert sum(link.values["mass"] for link in seen.parts[0].links) == pytest.approx(1)
    else:
        part = seen.parts[-1]
        assert ("dog", "dog") in {(part.other[link.other[0]], part.output[link.output[0]]) for link in part.links}
