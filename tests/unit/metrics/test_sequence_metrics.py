"""CharacTER, EED, hLEPOR, RIBES and YiSi-0: what they refuse, what they say of a segment, and texts at the edges."""

import numpy as np
import pytest

from tercet import TestSet, metrics
from tercet.errors import DataError, UsageError
from tercet.metrics.edits.eed import divide_marks, divide_marks_as_published
from tercet.testing import check_metric

NAMES = ["character", "eed", "hlepor", "ribes", "yisi0"]
VARIANTS = [
    "character:variant=original",
    "eed:variant=wmt19",
    "eed:variant=current",
    "eed:variant=python",
    "eed:variant=python-wmt19,rho=0.5",
    "eed:deletion=0.35,insertion=0.9,substitution=1.2,jump=3,rho=0.1",
    "hlepor:variant=wmt19",
    "hlepor:variant=wmt19,average=factors",
    "hlepor:variant=pypi,n=4",
    "hlepor:average=factors,alpha=1,beta=9,weight_elp=1.25,weight_npp=3,weight_hpr=7.123456789,tokenize=13a",
    "ribes:variant=original,lowercase=false",
    "ribes:alpha=0,beta=1.5,tokenize=char",
    "yisi0:variant=original,n=1,alpha=0.5",
    "yisi0:lowercase=true,tokenize=13a,n=5",
]


def segment(spec, output, *references):
    metric = metrics.create(spec)
    testset = TestSet({"x": [output]}, {str(i): [text] for i, text in enumerate(references)})
    return float(metric.segment_scores(metric.statistics(testset)["x"])[0])


@pytest.mark.parametrize("spec", [*NAMES, *VARIANTS])
def test_every_variant_keeps_the_contract(spec):
    check_metric(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("character:variant=new", "There is no variant of character called 'new'. Known: corrected, original."),
        ("eed:variant=wmt18", "There is no variant of eed called 'wmt18'. Did you mean wmt19"),
        ("eed:rho=-1", "eed: rho must be 0 to 1000, not -1."),
        ("eed:jump=x", "eed: jump must be a number, not 'x'."),
        ("hlepor:average=mean", "There is no average of hlepor called 'mean'"),
        ("hlepor:weight_elp=0", "hlepor: weight_elp must be above 0, not 0"),
        ("hlepor:n=0", "hlepor: n must be 1 to 100, not 0."),
        ("hlepor:variant=wmt19,n=3", "hlepor: variant wmt19 looks at 2 words and splits at blanks"),
        ("hlepor:variant=perl", "There is no variant of hlepor called 'perl'"),
        ("ribes:alpha=-0.1", "ribes: alpha must be 0 or more, not -0.1."),
        ("ribes:tokenize=x", "There is no tokeniser called 'x'"),
        ("yisi0:n=0", "yisi0: n must be 1 to 100, not 0."),
        ("yisi0:alpha=1.5", "yisi0: alpha must be 0 to 1, not 1.5."),
        ("yisi0:variant=original,tokenize=13a", "yisi0: variant original splits at blanks; leave tokenize out."),
        ("yisi0:frequencies=x", "There is no parameter of yisi0 called 'frequencies'"),
    ],
)
def test_a_wrong_parameter_is_refused_in_clear_words(spec, message):
    with pytest.raises(UsageError) as error:
        metrics.create(spec)
    assert message in str(error.value)


def test_yisi0_needs_its_weights():
    with pytest.raises(UsageError, match="yisi0: word weights are missing; call ready"):
        metrics.create("yisi0").ready().count(metrics.Shard(TestSet({"x": ["a"]}, {"r": ["a"]})))


@pytest.mark.parametrize(
    ("spec", "both", "output", "reference"),
    [
        ("character", 0.0, 1.0, 1.0),
        ("character:variant=original", 1.0, 1.0, 1.0),
        ("hlepor", 1.0, 0.0, 0.0),
        ("hlepor:variant=wmt19", 0.0, 0.0, 0.0),
        ("yisi0", 0.0, 0.0, 0.0),
        ("ribes:variant=original", -np.inf, 0.0, -np.inf),
    ],
)
def test_empty_texts(spec, both, output, reference):
    """Both, the output, the reference."""
    assert segment(spec, "", " ") == both
    assert segment(spec, "", "some words") == output
    assert segment(spec, "some words", "\t") == reference


@pytest.mark.parametrize("spec", ["eed", "eed:variant=wmt19", "eed:variant=current"])
def test_an_empty_text_is_far_from_a_full_one_for_eed(spec):
    """Not at 1: the blanks around both texts match."""
    assert segment(spec, "", "") == 0.0
    assert 0.6 < segment(spec, "", "some words here") < 1
    assert 0.6 < segment(spec, "some words here", "") < 1


def test_ribes_has_no_score_without_a_reference_but_a_mean_of_the_rest():
    metric = metrics.create("ribes")
    counts = metric.statistics(TestSet({"x": ["a b", "a b"]}, {"r": ["", "a b"]}))["x"]
    assert np.isnan(metric.segment_scores(counts)).tolist() == [True, False]
    assert metric.score(counts.sum(0)) == 1.0
    assert segment("ribes", "a b", "", "a b") == 1.0


@pytest.mark.parametrize(
    ("text", "right", "published"),
    [
        ("Mr Smith", "Mr Smith", "Mr.mith"),
        ("Mr. Smith, Ms. Jones.", "Mr. Smith , Ms. Jones .", "Mr. Smith , Ms. Jones ."),
        ("It costs 1,000.50.", "It costs 1,000.50 .", "It costs 1 ,000 .50 ."),
        ("the U.S., e.g. here", "the U.S. , e.g. here", "the U .S . , e .g . here"),
        ("i . e . this", "i.e. this", "e.g. this"),
        ("1 . 5", "1 . 5", "1.5"),
        ("  so!  what?", "so ! what ?", " so ! what ?"),
    ],
)
def test_eed_divides_marks_from_words(text, right, published):
    assert divide_marks(text) == right
    assert divide_marks_as_published(text) == published


def test_equal_texts_are_above_zero_only_in_eeds_python():
    assert segment("eed", "a cat sat.", "a cat sat.") == 0.0
    assert segment("eed:variant=current", "a cat sat.", "a cat sat.") == 0.0
    assert segment("eed:variant=python", "a cat sat.", "a cat sat.") > 0.0


def test_the_best_of_several_references_counts():
    for name in ("character", "eed"):
        assert segment(name, "the cat", "a dog", "the cat") == 0.0
    for name in ("hlepor", "ribes", "yisi0"):
        assert segment(name, "the cat", "a dog", "the cat") == pytest.approx(1.0)


def test_character_says_what_it_moves_and_edits():
    seen = metrics.create("character").ready().explain("on the mat the cat satt", ["x", "the cat sat on the mat"])
    assert seen.score == pytest.approx((1 + 17 / 3) / 23)
    assert seen.against == 1
    assert seen.values == {
        "moves": [{"words": "on the mat", "from": 0, "to": 3}],
        "move_cost": pytest.approx(17 / 3),
        "moved": "the cat satt on the mat",
        "distance": 1,
    }
    (edits,) = seen.parts
    assert edits.lines() == ["edits: at 10, is 't', should_be ''"]
    assert edits.shifts == [(("on", "the", "mat"), (0, 1, 2), 0, 3)]
    assert [edit for edit in edits.edits if edit.kind != "match"] == [("insertion", 10, None)]
    words = edits.to_dict("on the mat the cat satt", "the cat sat on the mat")["output"]
    assert words[:5] == [["t", 11, 12], ["h", 12, 13], ["e", 13, 14], [" ", None, None], ["c", 15, 16]]


def test_eed_says_what_it_compares():
    seen = metrics.create("eed").ready().explain("Hello world.", ["Hello, world."])
    assert (seen.values["output"], seen.values["reference_text"]) == (" Hello world . ", " Hello , world . ")
    assert seen.score == segment("eed", "Hello world.", "Hello, world.")


def test_hlepor_and_ribes_say_what_they_align():
    for name in ("hlepor", "ribes"):
        seen = metrics.create(name).ready().explain("the cat saw the dog", ["z", "The cat saw the mouse"])
        (alignment,) = seen.parts
        assert [(link.output, link.other) for link in alignment.links] == [([i], [i]) for i in range(4)]
        assert seen.against == 1
        assert alignment.other == ["the", "cat", "saw", "the", "mouse"]
        assert seen.score == segment(name, "the cat saw the dog", "z", "The cat saw the mouse")


def test_yisi0_says_which_words_match():
    def explain(output, reference):
        return metrics.create("yisi0").ready(TestSet({"x": [output]}, {"r": [reference]})).explain(output, [reference])

    (found,) = explain("cats sleep", "a cat sleeps").parts
    assert [(found.other[link.other[0]], round(link.weight, 3)) for link in found.links] == [
        ("cat", 0.857),
        ("sleeps", 0.909),
    ]
    assert explain("", "a").parts[0].links == []
    assert ", match None, similarity 0.0" in explain("a", "").parts[0].lines()[0]


def test_yisi0s_weights_are_those_of_the_whole_test_set():
    texts = TestSet({"x": ["a b", "c d"]}, {"r": ["a x", "a d"]})
    ready = metrics.create("yisi0").ready(texts)
    assert ready.state.weight("a") == np.log2(1 + 3 / 3)
    assert ready.state.weight("A") == np.log2(1 + 3 / 3)  # by its lower case
    assert ready.state.weight("É") == np.log2(1 + 3 / 1)
    assert ready.state.checksum in ready.signature
    assert metrics.create("yisi0").ready(texts.take([1, 0])).signature == ready.signature
    assert metrics.create("yisi0").ready(texts[:1]).signature != ready.signature


def long_text(seed, words):
    random = np.random.default_rng(seed)
    ranks = np.minimum(random.zipf(1.3, words), 3000)
    return " ".join(f"w{rank}" for rank in ranks)


@pytest.mark.parametrize("name", NAMES)
def test_segments_of_400_words_are_answered(name):
    assert 0 <= segment(name, long_text(1, 400), long_text(2, 400)) <= 1


@pytest.mark.parametrize("name", ["eed", "hlepor", "ribes", "yisi0"])
def test_segments_of_5000_words_are_answered(name):
    assert 0 <= segment(name, long_text(1, 5000), long_text(2, 5000)) <= 1


def test_character_refuses_what_would_take_minutes(monkeypatch):
    """5,000 words have more possible moves than can be tried; the budget makes sure that nobody waits."""
    from tercet.metrics.edits import character

    monkeypatch.setattr(character, "BUDGET", 1_000_000)
    with pytest.raises(
        DataError, match="character: the output that begins 'w.*' has 5,000 words and its reference 5,0"
    ):
        segment("character", long_text(1, 5000), long_text(2, 5000))
    with pytest.raises(DataError, match="split this one, or leave it out"):
        segment("character", "a " * 10_001, "a b")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("eed", "a" * 100_001, "100,003 characters"),
        ("hlepor", "a " * 20_001, "20,001 words"),
        ("ribes", "a " * 20_001, "20,001 words"),
        ("yisi0", "a" * 100_001, "100,001 bytes"),
    ],
)
def test_endless_texts_are_refused(name, text, message):
    with pytest.raises(DataError, match=f"{name}: the output that begins 'a.* {message} and its reference"):
        segment(name, text, "a b")
    with pytest.raises(DataError, match=f"{name}: the output that begins 'a b' has"):
        segment(name, "a b", text)
