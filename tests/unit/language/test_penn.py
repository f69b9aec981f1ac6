"""Constituent trees in Penn's brackets."""

import pytest

from tercet.errors import DataError
from tercet.language.penn import parse_brackets, read_trees


def trees(text):
    return list(parse_brackets(text.split("\n"), "trees.txt"))


def test_a_tree_has_labels_from_the_root_down_and_words():
    (found,) = trees("(S (NP (PRP She))\n  (VP (VBZ sleeps)))")
    assert found.labels == ("S", "NP", "PRP", "VP", "VBZ")
    assert found.parents == (-1, 0, 1, 0, 3)
    assert found.words == ("She", "sleeps")


def test_empty_outer_brackets_traces_and_escapes():
    (found,) = trees("( (S (NP (-NONE- *)) (-LRB- -LRB-) (VP (VB Go))))")
    assert found.labels == ("S", "NP", "-LRB-", "VP", "VB") and found.parents == (-1, 0, 0, 0, 3)
    assert found.words == ("(", "Go")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP x)", "line 1: the last tree is not closed"),
        ("(S x))", "line 1: a bracket closes that was not opened"),
        ("(S x)\nword", "line 2: 'word' is outside of a tree"),
    ],
)
def test_damaged_brackets_are_named_with_their_line(text, message):
    with pytest.raises(DataError, match=message):
        trees(text)


def test_a_file_without_trees_is_refused(tmp_path):
    (tmp_path / "empty").write_text("")
    with pytest.raises(DataError, match="has no trees"):
        read_trees(tmp_path / "empty")
