"""STM on small trees written by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import DataError, UsageError
from tercet.language import conllu
from tercet.language.sentence import Sentence
from tercet.metrics import create
from tercet.metrics.structure._trees import Tree
from tercet.metrics.structure.stm import subtrees

from .test_hwcm import REFERENCE, SCRAMBLED, parsed, value

GIVES = parsed("She PRON 2 nsubj\ngives VERB 0 root\nhim PRON 2 iobj\na DET 5 det\nbook NOUN 2 obj")
TAKES = parsed("She PRON 2 nsubj\ntakes VERB 0 root\na DET 4 det\nbook NOUN 2 obj")


def test_a_subtree_has_all_words_below_to_its_depth():
    found = subtrees(Tree(["a", "b", "c", "d"], [1, -1, 3, 1]), 4)
    assert found[0] == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert found[1:] == [{("b", "a", "d"): 1, ("d", "c"): 1}, {("b", "a", ("d", "c")): 1}, {}]


def test_the_paper_averages_precisions_over_depths():
    metric = create("stm:depth=3")
    assert list(metric.count_parsed(GIVES, [TAKES])) == [3, 1, 0, 5, 2, 1, 4, 2, 1]
    assert value(metric, GIVES, TAKES) == pytest.approx((3 / 5 + 1 / 2 + 0) / 3)
    assert value(create("stm:of=categories,depth=3"), GIVES, TAKES) == pytest.approx((4 / 5 + 1 / 2 + 0) / 3)


def test_a_piece_counts_once_for_each_time_that_the_reference_has_it():
    reference = parsed("S S 0 x\nNP NP 1 x\nN N 2 x\nVP VP 1 x\nV V 4 x\nNP NP 4 x\nPRON PRON 6 x")
    output = parsed("S S 0 x\nNP NP 1 x\nPRON PRON 2 x\nVP VP 1 x\nV V 4 x\nNP NP 4 x\nPRON PRON 6 x")
    assert list(create("stm:depth=3").count_parsed(output, [reference]))[:6] == [6, 3, 1, 7, 4, 2]


def test_relations_do_not_see_who_does_what_to_whom_and_words_do():
    assert value(create("stm:of=relations"), SCRAMBLED, REFERENCE) == 1.0
    assert value(create("stm"), SCRAMBLED, REFERENCE) < 1.0


@pytest.mark.parametrize("of", ["words", "categories", "relations"])
def test_a_text_scores_1_against_itself_and_nothing_when_empty(of):
    metric, empty = create(f"stm:of={of}"), Sentence("")
    assert value(metric, GIVES, GIVES) == value(metric, GIVES, TAKES, GIVES) == 1.0
    assert [value(metric, *pair) for pair in ((empty, empty), (empty, GIVES), (GIVES, empty))] == [0, 0, 0]


def test_several_roots_are_trees_too():
    both, one = parsed("a X 0 x\nb X 0 x"), parsed("a X 0 x")
    assert [value(create("stm"), *pair) for pair in ((both, both), (one, both), (both, one))] == [1.0, 1.0, 0.5]


def test_the_depth_is_checked():
    with pytest.raises(UsageError, match="stm: depth must be 1 to 9, not 0"):
        create("stm:depth=0")


def test_what_it_saw_is_told(tmp_path):
    conllu.write(tmp_path / "x.conllu", [GIVES, TAKES])
    told = create(f"stm:parser=conllu:{tmp_path / 'x.conllu'}").ready().explain(GIVES.text, [TAKES.text])
    assert told.parts[0].groups[1] == (2, ["(book a)"], ["(gives she him book)"], 1, 2)
    assert told.parts[0].groups[2].unmatched == ["(gives she him (book a))"]
    assert told.score == pytest.approx((3 / 5 + 1 / 2 + 0) / 3)


def slow(above, place, depth):
    """A subtree by recursion, with what it reaches down to."""
    children = [child for child, head in enumerate(above) if head == place]
    if depth == 1 or not children:
        return str(place), 1
    parts = [slow(above, child, depth - 1) for child in children]
    return (str(place), *(part for part, _ in parts)), 1 + max(deep for _, deep in parts)


heads = st.integers(1, 8).flatmap(lambda n: st.tuples(*(st.integers(-1, i - 1) for i in range(n))))


@given(heads, st.integers(1, 4))
def test_subtrees_are_those_of_the_definition(above, depth):
    found = subtrees(Tree([str(i) for i in range(len(above))], list(above)), depth)[depth - 1]
    expected = [slow(above, place, depth) for place in range(len(above))]
    assert dict(found) == {part: 1 for part, reached in expected if reached == depth}


def test_counts_are_whole_numbers():
    counts = np.array(create("stm").count_parsed(GIVES, [TAKES]), dtype=float)
    assert (counts == counts.round()).all() and counts.shape == (12,)


# Figure 2 of Liu and Gildea (2005): 6 of 7 subtrees of depth 1 match, 3 of 4 of depth 2, 1 of 2 of depth 3.
PAPER = "(S (NP (N a)) (VP (V b) (NP (PRON c))))\n(S (NP (PRON d)) (VP (V e) (NP (PRON f))))\n"


def test_constituents_are_read_from_brackets(tmp_path):
    (tmp_path / "trees").write_text(PAPER)
    metric = create(f"stm:depth=3,trees={tmp_path / 'trees'}")
    assert metric.score_one("d e f", ["a b c"]) == pytest.approx((6 / 7 + 3 / 4 + 1 / 2) / 3)
    assert metric.score_one("def", ["d e f"]) == 1 and metric.score_one("", ["d e f"]) == 0
    assert "tree_file:" in metric.ready().signature


def test_a_text_without_a_tree_is_named(tmp_path):
    (tmp_path / "trees").write_text(PAPER)
    with pytest.raises(DataError, match=r"stm: .* has no tree of 'x y'"):
        create(f"stm:trees={tmp_path / 'trees'}").score_one("x y", ["d e f"])
