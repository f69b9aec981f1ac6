"""WER, PER, CDER, TER and CER: parameters, messages, empty and very long texts, and what they explain."""

import numpy as np
import pytest

from tercet import TestSet, metrics
from tercet.errors import DataError, TercetError, UsageError
from tercet.testing import check_metric
from tercet.text import editing

NAMES = ["cder", "cer", "per", "ter", "wer"]
VARIANTS = [
    "wer:variant=jiwer",
    "wer:variant=jiwer,rate=wil",
    "wer:variant=moses,tokenize=none",
    "wer:rate=mer,lowercase=true",
    "cder:variant=moses",
    "per:lowercase=true,tokenize=none",
    "cer:whitespace=false,lowercase=true",
    "ter:normalized=true,no_punct=true",
    "ter:variant=sacrebleu,normalized=true,asian_support=true",
    "ter:variant=tercom,normalized=true,no_punct=true,asian_support=true",
    "ter:variant=moses,case_sensitive=true",
]


def score(spec, output, *references):
    metric = metrics.create(spec)
    names = {f"r{i}": [text] for i, text in enumerate(references)}
    return float(metric.score(metric.statistics(TestSet({"x": [output]}, names))["x"].sum(0)))


@pytest.mark.parametrize("spec", VARIANTS)
def test_variants_keep_the_contract(spec):
    check_metric(spec)


@pytest.mark.parametrize("name", NAMES)
def test_lower_is_better_and_a_copy_is_perfect(name):
    assert not metrics.create(name).higher_is_better
    assert score(name, "A man saw, then left.", "A man saw, then left.") == 0


@pytest.mark.parametrize(
    ("spec", "output", "reference", "expected"),
    [
        ("wer", "", "a b", 1),
        ("wer:variant=jiwer", "a b", "", 2),
        ("wer", "", "", 0),
        ("wer:rate=wil", "a", "", 1),
        ("wer:rate=wil", "", "", 0),
        ("wer:rate=mer", "", "", 0),
        ("wer:variant=moses", "a b", "", 0),
        ("cder:variant=moses", "a b", "", 0),
        ("per:variant=moses", "", "", 1),
        ("per:variant=moses", "a b", "", 1),
        ("cer", "ab", "", 2),
        ("cer", " ", "", 0),
        ("ter", "a b", "", 100),
        ("ter", "", "", 0),
        ("ter", "", "a b", 100),
    ],
)
def test_empty_texts_score_as_the_original_programs_have_it(spec, output, reference, expected):
    assert score(spec, output, reference) == expected


@pytest.mark.parametrize("spec", ["wer", "per", "cder"])
def test_errors_against_an_empty_reference_have_no_rate(spec):
    assert np.isnan(score(spec, "a b", ""))
    assert score(spec, "", "") == 0
    assert score(spec, "a b", "", "a c") == 0.5  # another reference has one


@pytest.mark.parametrize(
    ("spec", "output", "references", "expected"),
    [
        ("wer", "a b c", ["x b c d", "a b"], 1 / 2),
        ("wer:variant=moses", "a b c", ["x b c d", "a b"], 1 / 2),  # all between -1 and 1 are equal: the first counts
        ("wer:variant=moses", "a b c", ["x y c d e", "a b c"], 0),
        ("per", "b a", ["a b", "a c"], 0),
        ("per", "b a a a", ["a b"], 1),
        ("cder", "d e f a b c", ["a b c d e f"], 1 / 2),
        ("ter", "c d e a b", ["a b c d e"], 20),
        ("ter", "a b c d", ["a b c x", "a b c d e f"], 20),  # one edit over the mean length
        ("cer", "abd", ["abc", "ab d"], 1 / 4),
        ("cer:whitespace=false", "abd", ["abc", "ab d"], 0),
        ("wer:lowercase=true", "A b", ["a B"], 0),
        ("ter:case_sensitive=true", "A b", ["a b"], 50),
    ],
)
def test_scores_by_hand(spec, output, references, expected):
    assert score(spec, output, *references) == pytest.approx(expected)


def test_per_of_moses_adds_lengths_up_over_segments():
    texts = TestSet({"x": ["a b c", "d"]}, {"r": ["a b", "d e"]})
    ours, theirs = metrics.create("per:tokenize=none"), metrics.create("per:tokenize=none,variant=moses")
    assert float(ours.score(ours.statistics(texts)["x"].sum(0))) == 2 / 4
    assert float(theirs.score(theirs.statistics(texts)["x"].sum(0))) == 1 / 4


def test_per_of_moses_refuses_several_references():
    with pytest.raises(UsageError, match="per: variant moses takes one reference, not r0, r1"):
        score("per:variant=moses", "a", "a", "b")


def test_sacrebleu_normalises_references_twice_and_the_default_does_not():
    text = "It is John's."
    assert score("ter:normalized=true", text, text) == 0
    assert score("ter:normalized=true,variant=sacrebleu", text, text) == 40


def test_tercom_splits_at_ascii_blanks_alone():
    assert score("ter", "a b", "a\u00a0b") == 0
    assert score("ter:variant=tercom", "a b", "a\u00a0b") > 0


def test_jiwer_splits_at_spaces_alone():
    assert score("wer:variant=jiwer", "a b", "a\tb") == 2
    assert score("wer:variant=jiwer", "a b", "a\t b") == 0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("wer:variant=mosses", "no variant of wer called 'mosses'. Did you mean moses"),
        ("wer:rate=war", "no rate of wer called 'war'"),
        ("wer:variant=jiwer,tokenize=13a", "variant jiwer splits text at spaces; leave tokenize=13a out"),
        ("wer:variant=moses,rate=mer", "Moses does not know rate mer"),
        ("per:variant=jiwer", "no variant of per called 'jiwer'"),
        ("cder:tokenize=13b", "no tokeniser called '13b'"),
        ("ter:variant=java", "no variant of ter called 'java'"),
        ("ter:tokenize=13a", "tokenize=13a goes with variant=moses"),
        ("ter:variant=moses,normalized=true", "variant moses takes tokenize"),
    ],
)
def test_what_makes_no_sense_is_refused(spec, message):
    with pytest.raises(TercetError, match=message):
        metrics.create(spec)


def test_the_language_chooses_the_tokeniser():
    assert metrics.create("wer").resolved("de").tokenize == "moses-de"
    assert metrics.create("cder").resolved("zh").tokenize == "zh"
    assert metrics.create("per").resolved("ja").tokenize == "ja-mecab"
    assert metrics.create("wer:variant=jiwer").resolved("de").tokenize == "none"
    assert metrics.create("ter").resolved("de").tokenize == "tercom"
    assert metrics.create("ter:variant=moses").resolved("de").tokenize == "moses-de"


def test_the_signature_of_ter_is_that_of_sacrebleu():
    signature = metrics.create("ter").signature
    assert signature.startswith("TER|case:lc|tok:tercom|norm:no|punct:yes|asian:no|compat:sacrebleu2.6|version:")
    signature = metrics.create("ter:normalized=true,no_punct=true,case_sensitive=true").signature
    assert signature.startswith("TER|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:")


def test_ter_explains_its_shifts():
    seen = metrics.create("ter").ready().explain("on the mat the cat sat", ["x y z", "The cat sat on the mat ."])
    assert seen.against == 1
    (script,) = seen.parts
    assert script.lines() == ["shift 'the cat sat' from 4 to 1", "deletion '.'"]
    assert script.shifts[0].positions == (3, 4, 5)
    assert script.cost == 2
    assert [edit.output for edit in script.edits] == [3, 4, 5, 0, 1, 2, None]
    assert [edit.other for edit in script.of_kind("deletion")] == [6]


def test_wer_explains_its_edits():
    (script,) = metrics.create("wer").ready().explain("a x c e", ["a b c d"]).parts
    assert script.lines() == ["substitution 'x' for 'b'", "substitution 'e' for 'd'"]
    assert len(script.of_kind("substitution")) == 2


def test_cder_explains_its_jumps():
    (script,) = metrics.create("cder").ready().explain("d e f a b c", ["a b c d e f"]).parts
    assert script.jumps == (3, 0, 6)  # the last one to the end of the output
    assert script.cost == 3
    assert [edit.output for edit in script.edits] == [3, 4, 5, 0, 1, 2]
    assert script.lines() == ["jump to 4", "jump to 1", "jump to 7"]


def test_per_explains_which_words_have_a_partner():
    (script,) = metrics.create("per").ready().explain("b a x y", ["a b z"]).parts
    assert script.lines() == ["substitution 'x' for 'z'", "insertion 'y'"]


def test_cer_explains_its_characters():
    (script,) = metrics.create("cer").ready().explain("cart", ["cat"]).parts
    assert script.lines() == ["insertion 'r'"]


@pytest.mark.parametrize("spec", ["cder:tokenize=none", "cer", "per:tokenize=none", "ter", "wer:tokenize=none"])
def test_five_thousand_words_are_answered(spec):
    random = np.random.default_rng(1)
    words = [f"w{i}" for i in random.integers(0, 500, 5000)]
    output = [*words[2500:], *words[:2500]]
    assert score(spec, " ".join(output), " ".join(words)) >= 0


def test_what_would_take_too_long_is_refused():
    text = " ".join(["word"] * 501)
    with pytest.raises(DataError, match=r"Segment 1 has 501 words, .* allows at most 500"):
        score("ter:variant=tercom", text, text)


def test_edits_of_enormous_texts_are_refused(monkeypatch):
    monkeypatch.setattr(editing, "LARGEST_TRACE", 10)
    with pytest.raises(DataError, match=r"Segment 1 is too long for an edit script: 20 words in the output"):
        score("wer:tokenize=none", "a " * 20, "b " * 20)


def test_repetitive_segments_of_four_hundred_words_do_not_explode():
    assert score("ter", "a b " * 200, "b a a " * 133) > 0


def test_details_add_up():
    metric = metrics.create("ter")
    totals = metric.statistics(TestSet({"x": ["c d e a b x"]}, {"r": ["a b c d e f g"]}))["x"].sum(0)
    parts = metric.details(totals)
    assert parts["num_edits"] == sum(parts[kind] for kind in ("substitutions", "deletions", "insertions", "shifts"))
    assert metric.verbose(totals) == "(1 sub, 1 del, 0 ins, 1 shifts / 7 ref)"
    metric = metrics.create("wer:tokenize=none")
    totals = metric.statistics(TestSet({"x": ["a x c d"]}, {"r": ["a b c"]}))["x"].sum(0)
    assert metric.verbose(totals) == "(1 sub, 0 del, 1 ins / 3 ref)"
