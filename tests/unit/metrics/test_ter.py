"""TER as Moses computes it: which text moves, empty references, how long a segment may be."""

import pytest

from tercet import TestSet, metrics
from tercet.errors import DataError

MOSES = "ter:variant=moses,tokenize=none"


def counts(output, *references):
    testset = TestSet({"x": [output]}, {f"r{i}": [text] for i, text in enumerate(references)})
    return metrics.create(MOSES).statistics(testset)["x"]


def test_moses_moves_words_of_the_reference():
    (script,) = metrics.create(MOSES).ready().explain("c a b x", ["a b c"]).parts
    assert script.moved == "other"
    assert script.lines() == ["shift 'c' from 3 to 1 in the reference", "insertion 'x'"]
    assert script.shifts[0].positions == (2,)
    assert [edit.other for edit in script.edits] == [2, 0, 1, None]
    assert script.cost == counts("c a b x", "a b c")[0, 0] == 2


def test_moses_takes_the_reference_with_fewest_edits_and_the_mean_length():
    assert counts("a b c", "x y z v", "a b d")[0, :2].tolist() == [1, 3.5]


@pytest.mark.parametrize(("output", "edits"), [("", 0), ("a b", 2)])
def test_an_empty_reference_is_met_perfectly_in_moses_alone(output, edits):
    table = counts(output, "")
    assert table[0, :2].tolist() == [edits, 0]
    assert float(metrics.create(MOSES).score(table)[0]) == 0
    assert float(metrics.create("ter").score(table)[0]) == (100 if edits else 0)


def test_moses_is_named_in_the_signature():
    assert "|compat:moses|" in metrics.create(MOSES).signature


def test_segments_of_two_thousand_words_are_answered_and_longer_ones_refused():
    words = [f"w{i % 700}" for i in range(2000)]
    assert counts(" ".join([*words[3:], *words[:3]]), " ".join(words))[0, 0] > 0
    text = " ".join([*words, "w"])
    with pytest.raises(DataError, match=r"Segment 1 has 2,001 words, .* allows at most 2,000"):
        counts(text, text)
