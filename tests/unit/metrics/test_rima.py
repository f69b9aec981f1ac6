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


def test_other_languages_are_refused():
    with pytest.raises(UsageError, match="rima was made for outputs in 'en', and these are in 'de'"):
        tercet.score(TestSet({"a": ["Hallo"]}, {"r": ["Guten Tag"]}, pair="en-de"), ["rima"])


def test_a_language_that_is_not_given_is_reported(caplog):
    create("rima").ready(TestSet({"a": ["Hallo"]}, {"r": ["Guten Tag"]}))
    assert "Rima: the language of the outputs is not given and taken to be en. Set `pair`" in caplog.text


def test_the_signature_names_the_model():
    texts = TestSet({"a": ["Hello"]}, {"r": ["Hi"]}, pair="de-en")
    scores = tercet.score(texts, ["rima"])[0]
    assert f"checksum:{rima._content(None, None).checksum[:16]}" in scores.signature
    verified = tercet.verify(texts, scores.signature, repr(scores.system["a"]))
    assert (verified.equal, verified.notes) == (True, ())


def test_a_model_of_ones_own(tmp_path: Path):
    content = rima._content(None, None)
    own = type(content)(
        content.kind, {**content.manifest, "chrf_weight": 0.0}, content.arrays, content.blobs, needs=content.needs
    )
    write_model(own, tmp_path / "own.model")
    metric = create(f"rima:model={tmp_path / 'own.model'}")
    assert metric.score_one("Hello there", ["Hi there"]) != create("rima").score_one("Hello there", ["Hi there"])


@pytest.mark.parametrize(("change", "message"), [("manifest", "not a model of rima"), ("needs", "another tokenizer")])
def test_a_wrong_model_is_refused(tmp_path: Path, change: str, message: str):
    content = rima._content(None, None)
    parts = {"manifest": content.manifest, "needs": content.needs} | {change: {}}
    wrong = type(content)(content.kind, parts["manifest"], content.arrays, content.blobs, needs=parts["needs"])
    write_model(wrong, tmp_path / "wrong.model")
    with pytest.raises(DataError, match=message):
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
    content = rima._content(None, None)
    names = {dataset.name for dataset in content.trained_on}
    assert {"wmt14.ru-en", "wmt17.zh-en", "mlqe.ro-en"} <= names
    assert not any(name.startswith(("wmt18", "wmt19")) for name in names)
    assert json.dumps(content.manifest)
