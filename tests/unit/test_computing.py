"""`tercet.compute` has the arguments and results of Hugging Face evaluate. Figures are those that it documents."""

import pytest

import tercet
from tercet.data.testset import name_references
from tercet.errors import UnknownName, UsageError

KENOBI = ["hello there general kenobi", "foo bar foobar"]
TWO = [["hello there general kenobi", "hello there !"], ["foo bar foobar"]]
CATS = [
    "The relationship between cats and dogs is not exactly friendly.",
    "a good bookshop is just a genteel black hole that knows how to read.",
]
DOGS = [
    ["The relationship between dogs and cats is not exactly friendly."],
    ["A good bookshop is just a genteel Black Hole that knows how to read."],
]
MATCH = ["does this sentence match??", "what about this sentence?"]
MATCHED = [
    ["does this sentence match", "does this sentence match!?!"],
    ["wHaT aBoUt ThIs SeNtEnCe?", "wHaT aBoUt ThIs SeNtEnCe?"],
]


def test_sacrebleu_is_the_default():
    found = tercet.compute(predictions=KENOBI, references=[TWO[0], TWO[1] * 2])
    assert found == {
        "score": pytest.approx(100), "counts": [7, 5, 3, 1], "totals": [7, 5, 3, 1], "precisions": [100.0] * 4,
        "bp": 1.0, "sys_len": 7, "ref_len": 7,
    }  # fmt: skip


def test_bleu_of_evaluate_takes_the_shortest_reference():
    found = tercet.compute("bleu", predictions=KENOBI, references=TWO)
    assert found == {
        "bleu": 1.0, "precisions": [1.0] * 4, "brevity_penalty": 1.0, "length_ratio": 1.1666666666666667,
        "translation_length": 7, "reference_length": 6,
    }  # fmt: skip
    smoothed = tercet.compute("bleu", predictions=["a b c"], references=["a b d"], max_order=2, smooth=True)
    assert smoothed["precisions"] == [3 / 4, 2 / 3]
    assert smoothed["bleu"] == pytest.approx((3 / 4 * 2 / 3) ** 0.5)
    assert tercet.compute("bleu", predictions=["a b c"], references=["x y"])["bleu"] == 0


def test_the_penalty_of_bleu():
    found = tercet.compute("bleu", predictions=["a b c d"], references=["a b c d e f"])
    assert found["brevity_penalty"] == pytest.approx(0.6065306597126334)
    assert found["bleu"] == pytest.approx(0.6065306597126334)


def test_chrf_and_its_arguments():
    found = tercet.compute("chrf", predictions=CATS, references=DOGS)
    assert found == {"score": pytest.approx(84.64214891738334), "char_order": 6, "word_order": 0, "beta": 2}
    plus = tercet.compute("chrf", predictions=CATS, references=DOGS, word_order=2, lowercase=True)
    assert plus == {"score": pytest.approx(92.12853119829202), "char_order": 6, "word_order": 2, "beta": 2}


def test_ter_and_its_arguments():
    found = tercet.compute("ter", predictions=MATCH, references=MATCHED, case_sensitive=True)
    assert found == {"score": pytest.approx(62.5), "num_edits": 5, "ref_length": 8.0}
    found = tercet.compute("ter", predictions=MATCH, references=MATCHED, ignore_punct=True, case_sensitive=False)
    assert found == {"score": 0.0, "num_edits": 0, "ref_length": 8.0}


def test_error_rates_are_numbers():
    predictions = ["this is the prediction", "there is an other sample"]
    references = ["this is the reference", "there is another one"]
    assert tercet.compute("wer", predictions=predictions, references=references) == 0.5
    assert tercet.compute("cer", predictions=predictions, references=references) == pytest.approx(0.34146341463414637)


def test_other_metrics_return_their_score_and_segments():
    found = tercet.compute("hlepor", predictions=KENOBI, references=TWO)
    assert list(found) == ["hlepor", "scores"]
    assert len(found["scores"]) == 2
    found = tercet.compute("bertscore", predictions=KENOBI, references=KENOBI, lang="en")
    assert found["f1"] == pytest.approx([1, 1], abs=1e-5)
    assert set(found) == {"precision", "recall", "f1", "hashcode"}


def test_errors_name_what_there_is():
    with pytest.raises(UnknownName, match="Did you mean bleu"):
        tercet.compute("bleuu", predictions=KENOBI, references=KENOBI)
    with pytest.raises(UsageError, match="chrf has no argument 'word_ordr'. It has: char_order, word_order"):
        tercet.compute("chrf", predictions=KENOBI, references=KENOBI, word_ordr=2)
    with pytest.raises(UsageError, match=r"predictions must be a list of texts, as \['hello'\]"):
        tercet.compute(predictions="hello", references=["hello"])


@pytest.mark.parametrize(
    ("references", "segments", "named"),
    [
        (["a", "b"], 2, {"ref": ["a", "b"]}),
        ([["a"], ["b"]], 2, {"ref": ["a", "b"]}),
        ([["a", "c"], ["b"]], 2, {"ref1": ["a", "b"], "ref2": ["c", None]}),
        ([["a", "b", "c"], ["d", "e", "f"]], 3, {"ref1": ["a", "b", "c"], "ref2": ["d", "e", "f"]}),
        ([["a", "b", "c"]], 3, {"ref": ["a", "b", "c"]}),
        ([["a"]], 1, {"ref": ["a"]}),
        ([["a", "b"]], 1, {"ref1": ["a"], "ref2": ["b"]}),
    ],
)
def test_layouts_of_references_are_told_by_their_shape(references, segments, named):
    assert name_references(references, segments) == named
    testset = tercet.TestSet({"x": ["t"] * segments}, references)
    assert testset.references == {name: tuple(texts) for name, texts in named.items()}


def test_a_square_of_references_is_refused_unless_a_caller_knows_better():
    square = [["a", "b"], ["c", "d"]]
    with pytest.raises(UsageError, match="2 lists of 2 texts can be read in two ways. Name them"):
        tercet.TestSet({"x": ["t", "t"]}, square)
    assert name_references(square, 2, square="segments") == {"ref1": ["a", "c"], "ref2": ["b", "d"]}
    assert name_references(square, 2, square="references") == {"ref1": ["a", "b"], "ref2": ["c", "d"]}
    with pytest.raises(UsageError, match="references: 3 lists of 1 texts, and 2 segments"):
        tercet.TestSet({"x": ["t", "t"]}, [["a"], ["b"], ["c"]])
    with pytest.raises(UsageError, match="texts, or lists of texts, but not both"):
        tercet.TestSet({"x": ["t", "t"]}, ["a", ["b"]])
