"""RED on small trees written by hand."""

from math import exp

import pytest

from tercet.language.sentence import Sentence
from tercet.metrics import create
from tercet.metrics.structure.red import structures

from .test_hwcm import parsed

REFERENCE = parsed("the DET 2 det\ndog NOUN 3 nsubj\nchases VERB 0 root\na DET 6 det\nblack ADJ 6 amod\ncat NOUN 3 obj")


def words(text):
    return parsed("\n".join(f"{word} X 0 root" for word in text.split()))


def test_structures_are_contiguous_and_chains_are_not():
    assert dict(structures(REFERENCE, 2)) == {
        (0, 1): True, (1, 2): True, (3, 4): True, (4, 5): True, (2, 5): False, (3, 5): False,
    }  # fmt: skip
    found = dict(structures(REFERENCE, 3))
    assert found[0, 1, 2] and found[3, 4, 5] and not found[2, 3, 5] and not found[2, 4, 5]
    assert (1, 2, 3) not in found  # dog chases a: no head has these


def test_words_without_a_common_head_are_no_structure():
    assert structures(words("a b c"), 2) == []


def test_precision_and_recall_by_size():
    metric = create("red:function=1").resolved("en")
    shares = metric.precision_recall(words("the dog chases the cat"), REFERENCE)
    assert shares[0] == (pytest.approx(4 / 5), pytest.approx(4 / 6))
    # Two structures, the dog and dog chases; the chain chases cat is 2 words apart instead of 3.
    assert shares[1] == (pytest.approx((2 + exp(-1)) / 4), pytest.approx((2 + exp(-1)) / 6))


def test_the_order_of_a_chain_must_be_kept():
    metric = create("red:function=1").resolved("en")
    assert metric.precision_recall(words("cat chases"), REFERENCE)[1] == (0, 0)


def test_stems_and_synonyms_count_less():
    for output, value in (("the dog chased", 0.8), ("the dog chases", 1.0)):
        metric = create("red:function=1,stem=0.8").resolved("en")
        assert metric.precision_recall(words(output), REFERENCE)[0][1] == pytest.approx((2 + value) / 6)


def test_variants_differ_in_weights_alone():
    scores = {}
    for variant in ("sent", "sys", "syssent"):
        metric = create(f"red:variant={variant}").resolved("en")
        scores[variant] = metric.count_parsed(words("the dog chases the cat"), [REFERENCE])[0]
    assert len(set(scores.values())) == 3
    same = create("red:variant=syssent,alpha=0.7").resolved("en")
    assert (same.alpha, create("red:variant=syssent").resolved("en").alpha) == (0.7, 0.8)


def test_a_sentence_scores_1_against_itself_and_nothing_when_empty():
    metric, empty = create("red").resolved("en"), Sentence("")
    assert metric.count_parsed(words("a b"), [words("a b")])[0] == pytest.approx(1)
    assert [metric.count_parsed(*pair)[0] for pair in ((empty, [REFERENCE]), (REFERENCE, [empty]))] == [0, 0]
