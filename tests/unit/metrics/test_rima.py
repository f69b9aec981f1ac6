"""Rima: recorded scores, several references, long texts, languages, and damaged model files."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet import TestSet
from tercet.data.model_file import read_model, write_model
from tercet.errors import DataError, UsageError
from tercet.language.encoders.rater import read_rater
from tercet.metrics import create
from tercet.metrics.learned import rima

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

REFERENCE = "The doctor was late for work on Monday because the train to Berlin was cancelled."
# Recorded with onnxruntime 1.31.1 on a processor with AVX512-VNNI; seven-bit weights give the same integers without it.
RECORDED = {
    REFERENCE: 99.0,
    "The physician came late to work on Monday, as the train to Berlin had been cancelled.": 77.16,
    "The doctor was late for work on Monday because the train to Berlin was not cancelled.": 65.01,
    "Doctor late Monday work train.": 19.68,
    "Der Arzt kam am Montag zu spät zur Arbeit.": 11.76,
}
TOLERANCE = 0.5  # of 100 points: other processors round the activations of single precision differently


def test_recorded_scores():
    metric = create("rima")
    found = {output: metric.score_one(output, [REFERENCE]) for output in RECORDED}
    assert found == pytest.approx(RECORDED, abs=TOLERANCE)


def test_scores_do_not_depend_on_avx512():
    """Valgrind runs a program on a processor of its own, which has AVX2 and no AVX512."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("valgrind, which hides AVX512 from a program, is not installed")
    outputs = list(RECORDED)[1:]
    code = (
        "import json, sys, numpy; from tercet.metrics import create; reference, *outputs = json.loads(sys.argv[1]);"
        "has = numpy._core._multiarray_umath.__cpu_features__['AVX512F']; metric = create('rima');"
        "print(json.dumps([has, *(metric.score_one(output, [reference]) for output in outputs)]))"
    )
    given = json.dumps([REFERENCE, *outputs])
    command = [valgrind, "--tool=none", "--quiet", sys.executable, "-c", code, given]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    has, *found = json.loads(ran.stdout)
    assert not has
    assert found == pytest.approx([RECORDED[output] for output in outputs], abs=TOLERANCE)
    assert found == pytest.approx([create("rima").score_one(output, [REFERENCE]) for output in outputs], abs=1e-3)


def test_the_reference_is_best_and_nothing_is_worst():
    metric = create("rima")
    scores = [metric.score_one(output, [REFERENCE]) for output in RECORDED]
    assert scores[0] == max(scores) > 95
    assert metric.score_one("", [REFERENCE]) == metric.score_one("  ", [REFERENCE]) == 0
    assert min(scores) > 0


def test_several_references_count_with_the_best_or_the_mean():
    output, *references = list(RECORDED)[1:4]
    single = [create("rima").score_one(output, [reference]) for reference in references]
    assert create("rima").score_one(output, references) == max(single)
    assert create("rima:references=mean").score_one(output, references) == pytest.approx(np.mean(single))


def test_results_do_not_depend_on_neighbours():
    outputs = list(RECORDED)
    together = tercet.score(TestSet({"a": outputs}, {"r": [REFERENCE] * len(outputs)}), ["rima"])[0].segment["a"]
    alone = [create("rima").score_one(output, [REFERENCE]) for output in outputs]
    assert together.tolist() == alone


def test_an_interval_and_the_parts_travel_with_the_scores():
    scores = tercet.score(TestSet({"a": list(RECORDED)}, {"r": [REFERENCE] * 5}), ["rima"])[0]
    extras = scores.extras["a"]
    assert set(extras) == {"network", "chrf", "lower", "upper"}
    assert (extras["lower"] <= scores.segment["a"]).all()
    assert (extras["upper"] >= scores.segment["a"]).all()
    assert extras["chrf"][0] == pytest.approx(100)


def test_a_long_text_is_read_to_its_end():
    metric = create("rima")
    long = " ".join([REFERENCE] * 40)
    assert metric.score_one(long, [long]) > 95
    assert metric.score_one(long, [long]) > metric.score_one(" ".join([*[REFERENCE] * 20, *["Nothing."] * 20]), [long])


GERMAN = TestSet(
    {
        "good": ["Der Arzt kam am Montag zu spät zur Arbeit.", "Die Preise sind wieder gestiegen."],
        "bad": ["Arzt Montag Arbeit spät der.", "Der Hund schläft im Garten."],
        "copied": ["The doctor was late for work on Monday.", "Prices rose again."],
    },
    {"r": ["Am Montag kam der Arzt zu spät zur Arbeit.", "Die Preise stiegen erneut."]},
    source=["The doctor was late for work on Monday.", "Prices rose again."],
    pair="en-de",
)  # fmt: skip


@pytest.mark.parametrize("inputs", ["reference", "source", "both"])
def test_outputs_in_other_languages_are_rated_beside_reference_source_or_both(inputs: str):
    (scores,) = tercet.score(GERMAN, [f"rima:inputs={inputs}"])
    for place in range(2):
        good, bad, copied = (scores.segment[system][place] for system in ("good", "bad", "copied"))
        assert 0 <= bad < good <= 100 and copied < good
    assert f"inputs:{inputs}" in scores.signature or inputs == "reference"
    assert "network:multilingual" in scores.signature and "scale:uncalibrated" in scores.signature
    assert ("chrf" in scores.extras["good"]) == (inputs != "source")
    assert (scores.extras["good"]["upper"] >= scores.segment["good"]).all()
    only = GERMAN.only(["good"])
    assert tercet.verify(only, scores.signature, repr(scores.system["good"])).equal


def test_without_references_the_source_is_read():
    alone = TestSet(GERMAN.outputs, {}, source=GERMAN.source, pair="en-de")
    (scores,) = tercet.score(alone, ["rima"])
    (asked,) = tercet.score(GERMAN, ["rima:inputs=source"])
    assert scores.segment["good"].tolist() == asked.segment["good"].tolist()
    assert scores.signature.startswith("Rima|") and "inputs:source" in scores.signature


def test_english_beside_its_source_is_read_by_the_network_for_many_languages():
    texts = TestSet(
        {"a": ["The doctor was late."], "b": ["A dog sleeps."]}, {}, source=["Der Arzt kam zu spät."], pair="de-en"
    )
    (scores,) = tercet.score(texts, ["rima"])
    assert scores.system["a"] > scores.system["b"] and "network:multilingual" in scores.signature
    assert "uncalibrated" not in scores.signature  # the judgements behind the scale are of English outputs
    with pytest.raises(UsageError, match="network=english reads no source"):
        create("rima:network=english,inputs=both")


def test_an_empty_output_has_nothing_and_results_do_not_depend_on_neighbours_in_german():
    metric, texts = create("rima:network=multilingual"), GERMAN.outputs["good"]
    alone = [
        metric.score_one(output, [reference]) for output, reference in zip(texts, GERMAN.references["r"], strict=True)
    ]
    (together,) = tercet.score(GERMAN, [metric])
    assert together.segment["good"].tolist() == alone
    assert metric.score_one(" ", ["Der Hund"]) == 0
    long = " ".join([texts[0]] * 60)
    assert metric.score_one(long, [long]) > metric.score_one(" ".join([texts[0]] * 30), [long])


def test_languages_that_the_network_does_not_know_are_refused_with_the_list():
    with pytest.raises(UsageError, match="rima was made for outputs in 'en', 'ar', .*, and these are in 'sw'"):
        tercet.score(TestSet({"a": ["Habari"]}, {"r": ["Jambo"]}, pair="en-sw"), ["rima"])
    unknown = TestSet({"a": ["Hallo"]}, {}, source=["Habari"], pair="sw-de")
    with pytest.raises(UsageError, match="rima reads sources in ar, cs, .*, and these are in 'sw'"):
        tercet.score(unknown, ["rima"])


def test_the_network_for_many_languages_explains_what_it_saw():
    ready = create("rima:inputs=both").ready(GERMAN)
    seen = ready.explain(GERMAN.outputs["good"][0], [GERMAN.references["r"][0]], GERMAN.source[0])
    assert set(seen.values) == {"interval", "references"} and 0 < seen.score <= 100


def test_a_file_of_the_network_without_its_parts_is_refused(tmp_path: Path):
    whole = read_rater()
    cut = {name: array for name, array in whole.arrays.items() if name != "knots.source"}
    write_model(type(whole)(whole.kind, whole.manifest, cut, whole.blobs), tmp_path / "cut.model")
    with pytest.raises(DataError, match="not a model of the network rater: parts of it are missing"):
        create(f"rima:network=multilingual,model={tmp_path / 'cut.model'}").score_one("a", ["b"])
    with pytest.raises(DataError):  # of the other kind
        create(f"rima:model={tmp_path / 'cut.model'}").score_one("a", ["b"])


def test_the_file_of_the_network_says_what_it_was_trained_on():
    names = {dataset.name for dataset in read_rater().trained_on}
    assert {"wmt15.en-ru", "mlqe_pe.en-zh", "bio_mqm.en-es"} <= names
    assert not any(name.startswith(("wmt16", "wmt17", "wmt19", "wmt23")) for name in names)


def test_a_language_that_is_not_given_is_reported(caplog):
    create("rima").ready(TestSet({"a": ["Hallo"]}, {"r": ["Guten Tag"]}))
    assert "Rima: the language of the outputs is not given and taken to be en. Set `pair`" in caplog.text


def test_the_signature_names_the_model():
    texts = TestSet({"a": ["Hello"]}, {"r": ["Hi"]}, pair="de-en")
    scores = tercet.score(texts, ["rima"])[0]
    assert f"checksum:{rima._read(None, None).checksum[:16]}" in scores.signature
    verified = tercet.verify(texts, scores.signature, repr(scores.system["a"]))
    assert (verified.equal, verified.notes) == (True, ())


def test_a_model_of_ones_own(tmp_path: Path):
    content = rima._read(None, None)
    own = type(content)(
        content.kind, {**content.manifest, "chrf_weight": 0.0}, content.arrays, content.blobs, needs=content.needs
    )
    write_model(own, tmp_path / "own.model")
    metric = create(f"rima:model={tmp_path / 'own.model'}")
    assert metric.score_one("Hello there", ["Hi there"]) != create("rima").score_one("Hello there", ["Hi there"])


@pytest.mark.parametrize(("change", "message"), [("manifest", "not a model of rima"), ("needs", "another tokenizer")])
def test_a_wrong_model_is_refused(tmp_path: Path, change: str, message: str):
    content = rima._read(None, None)
    parts = {"manifest": content.manifest, "needs": content.needs} | {change: {}}
    wrong = type(content)(content.kind, parts["manifest"], content.arrays, content.blobs, needs=parts["needs"])
    write_model(wrong, tmp_path / "wrong.model")
    with pytest.raises(DataError, match=message):
        create(f"rima:model={tmp_path / 'wrong.model'}").score_one("a", ["b"])


@pytest.mark.parametrize("curve", [np.arange(3.0), np.ones((2, 2)), np.array([]), np.array([1.0, np.nan])])
def test_a_model_with_a_forged_curve_is_refused(tmp_path: Path, curve: np.ndarray):
    content = rima._read(None, None)
    arrays = {**content.arrays, "values": curve}
    if curve.ndim == 1 and len(curve) != 3:
        arrays["knots"] = np.arange(float(len(curve)))
    wrong = type(content)(content.kind, content.manifest, arrays, content.blobs, needs=content.needs)
    write_model(wrong, tmp_path / "wrong.model")
    with pytest.raises(DataError, match="Its curve must be finite and rising"):
        create(f"rima:model={tmp_path / 'wrong.model'}").score_one("a", ["b"])


def test_a_damaged_model_is_refused(tmp_path: Path):
    path = tmp_path / "damaged.model"
    whole = (Path(rima.__file__).parents[1] / "data" / "rima.model").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="truncated or damaged"):
        create(f"rima:model={path}").score_one("a", ["b"])


def test_the_model_file_says_what_it_was_trained_on():
    with pytest.raises(UsageError):
        read_model("nowhere.model", rima.KIND, made_by="training")
    content = rima._read(None, None)
    names = {dataset.name for dataset in content.trained_on}
    assert {"wmt14.ru-en", "wmt17.zh-en", "mlqe.ro-en"} <= names
    assert not any(name.startswith(("wmt18", "wmt19")) for name in names)
    assert json.dumps(content.manifest)
