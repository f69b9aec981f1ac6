"""HWCM on small trees written by hand, among them those of the thesis's Table 4.9."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import TestSet, score
from tercet.errors import UnknownName, UsageError
from tercet.language import conllu
from tercet.language.sentence import Sentence, Token
from tercet.metrics import create
from tercet.metrics.structure._trees import Tree, tree
from tercet.metrics.structure.hwcm import chains, gapped_chains


def parsed(rows):
    """A sentence from lines of word, category, head and relation."""
    tokens, text = [], ""
    for row in rows.strip().split("\n"):
        form, category, head, relation = row.split()
        head = None if head == "_" else int(head)
        text += f" {form}" if text else form
        tokens.append(Token(form, len(text) - len(form), len(text), "", category, "", "", head, relation.strip("_")))
    return Sentence(text, tuple(tokens))


# WMT14, Czech to English, sentence 2272, which Table 4.8 of Fomicheva (2017) shows, as Minipar has it: a copy of the
# surface subject where it belongs (here "=", which is no word), and punctuation outside the tree.
REFERENCE = parsed("""
    The Det 2 det
    government N 4 s
    has Have 4 have
    discussed V 0 i
    the Det 6 det
    document N 4 obj
    = N 4 subj
    . U 0 punc
""")
PASSIVE = parsed("""
    The Det 2 det
    document N 4 s
    was be 4 be
    discussed V 0 i
    by Prep 4 by-subj
    the Det 7 det
    government N 5 pcomp-n
    = N 4 obj
    . U 0 punc
""")
SCRAMBLED = parsed("""
    The Det 2 det
    document N 4 s
    has Have 4 have
    discussed V 0 i
    the Det 6 det
    government N 4 obj
    = N 4 subj
    . U 0 punc
""")


def without_copies(sentence):
    """The words alone: those behind the copy of the subject are roots."""
    return replace(sentence, tokens=tuple(token for token in sentence.tokens if token.form != "="))


def value(metric, output, *references):
    return float(metric.segment_scores(np.array([metric.count_parsed(output, references)], dtype=float))[0])


@pytest.mark.parametrize(("of", "expected"), [("words", 14 / 26), ("categories", 16 / 28), ("relations", 12 / 32)])
def test_table_49_is_that_of_asiya(of, expected):
    assert f"{expected:.4f}" in ("0.5385", "0.5714", "0.3750")  # as printed
    metric = create(f"hwcm:variant=asiya,of={of}")
    texts = (PASSIVE, SCRAMBLED, REFERENCE)
    passive, scrambled, reference = map(without_copies, texts) if of == "words" else texts
    assert value(metric, passive, reference) == expected
    assert value(metric, scrambled, reference) == 1.0


@pytest.mark.parametrize("of", ["words", "categories", "relations"])
def test_chains_do_not_see_who_does_what_to_whom(of):
    metric = create(f"hwcm:of={of}")
    assert value(metric, SCRAMBLED, REFERENCE) == 1.0
    assert value(metric, PASSIVE, REFERENCE) < 0.6


def test_the_paper_averages_precisions_over_lengths():
    output, reference = without_copies(PASSIVE), without_copies(REFERENCE)
    counts = create("hwcm").count_parsed(output, [reference])
    assert list(counts) == [6, 3, 1, 0, 8, 6, 3, 1, 7, 5, 2, 0]
    assert value(create("hwcm"), output, reference) == pytest.approx((6 / 8 + 3 / 6 + 1 / 3 + 0) / 4)
    assert value(create("hwcm:length=2"), output, reference) == (6 / 8 + 3 / 6) / 2


def test_chains_are_paths_down_the_tree():
    found = chains(tree(without_copies(REFERENCE), "words", lowercase=True), 4)
    assert found[0] == {
        ("the",): 2, ("government",): 1, ("has",): 1, ("discussed",): 1, ("document",): 1, (".",): 1,
    }  # fmt: skip
    assert found[1] == {
        ("government", "the"): 1, ("discussed", "government"): 1, ("discussed", "has"): 1, ("document", "the"): 1,
        ("discussed", "document"): 1,
    }  # fmt: skip
    assert found[2] == {("discussed", "government", "the"): 1, ("discussed", "document", "the"): 1}
    assert not found[3]


def test_asiya_leaves_out_words_between():
    labels, heads = ["a", "b", "c"], [-1, 0, 1]
    assert chains(Tree(labels, heads), 3)[1] == {("a", "b"): 1, ("b", "c"): 1}
    assert gapped_chains(Tree(labels, heads), 3)[1] == {("a", "b"): 1, ("b", "c"): 1, ("a", "c"): 1}


def test_a_chain_counts_as_often_as_in_the_reference_that_has_it_most():
    output, once, twice = (parsed("\n".join(["a X 0 root"] * times)) for times in (3, 1, 2))
    assert list(create("hwcm:length=1").count_parsed(output, [once, twice])) == [2, 3, 1]
    assert value(create("hwcm:length=1"), output, once, twice) == 2 / 3
    assert value(create("hwcm:length=1,variant=asiya"), output, once, twice) == 2 / 3


def test_lengths_that_output_and_reference_lack_do_not_count():
    yes, long = parsed("Yes X 0 root"), parsed("Yes X 0 root\nhe X 3 nsubj\ncan X 1 parataxis")
    assert value(create("hwcm"), yes, yes) == 1.0
    assert value(create("hwcm"), yes, long) == pytest.approx(1 / 3)
    assert value(create("hwcm"), yes, long, yes) == 1.0


def test_case_matters_where_asked():
    upper, lower = parsed("Yes X 0 root"), parsed("yes X 0 root")
    assert value(create("hwcm"), upper, lower) == 1.0
    assert value(create("hwcm:lowercase=false"), upper, lower) == 0.0


def test_words_without_a_label_are_left_out():
    sentence = parsed("a X 3 x\nb _ _ _\nc Y 0 y\nd _ 3 _\ne Z 4 z")
    labelled = replace(sentence, tokens=tuple(t._replace(upos=t.upos.strip("_")) for t in sentence.tokens))
    assert tree(labelled, "categories", lowercase=True) == Tree(["X", "Y", "Z"], [1, -1, -1])
    assert tree(labelled, "relations", lowercase=True) == Tree(["x", "y", "z"], [1, -1, -1])
    assert tree(labelled, "words", lowercase=True) == Tree(list("abcde"), [2, -1, -1, 2, 3])
    tagged = replace(sentence, tokens=(Token("a", 0, 1, xpos="NN"),))
    assert tree(tagged, "categories", lowercase=True).labels == ["NN"]


@pytest.mark.parametrize("spec", ["hwcm", "hwcm:variant=asiya", "hwcm:of=relations"])
def test_empty_texts_score_nothing_and_are_numbers(spec):
    metric, empty, word = create(spec), Sentence(""), parsed("Yes X 0 root")
    assert [value(metric, *pair) for pair in ((empty, empty), (empty, word), (word, empty))] == [0, 0, 0]


def test_a_deep_tree_of_asiya_is_bounded():
    labels = [str(i) for i in range(300)]
    found = gapped_chains(Tree(labels, list(range(-1, 299))), 4)
    assert len(found[3]) == sum(min(i, 16) * (min(i, 16) - 1) * (min(i, 16) - 2) // 6 for i in range(300))


def test_parameters_are_checked():
    with pytest.raises(UnknownName, match="no kind of label of hwcm called 'word'. Did you mean words"):
        create("hwcm:of=word")
    with pytest.raises(UnknownName, match="no variant of hwcm called"):
        create("hwcm:variant=other")
    with pytest.raises(UsageError, match="hwcm: length must be 1 to 9, not 10"):
        create("hwcm:length=10")
    with pytest.raises(UsageError, match="with variant=asiya length must be 1 to 4, not 5"):
        create("hwcm:length=5,variant=asiya")


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "parses.conllu"
    conllu.write(path, map(without_copies, (REFERENCE, PASSIVE, SCRAMBLED)))
    return f"parser=conllu:{path}"


def test_the_score_of_a_system_adds_up_its_segments(stored):
    passive, scrambled, reference = (without_copies(each).text for each in (PASSIVE, SCRAMBLED, REFERENCE))
    testset = TestSet({"x": [passive, scrambled]}, {"r": [reference] * 2}, pair="cs-en")
    paper, asiya = score(testset, [f"hwcm:{stored}", f"hwcm:variant=asiya,{stored}"])
    assert paper.system["x"] == pytest.approx((13 / 15 + 8 / 11 + 3 / 5 + 0 / 1) / 4)
    assert asiya.system["x"] == pytest.approx((14 / 26 + 1) / 2)
    assert create(paper.metric.signature).resolved().details(paper.totals["x"])["matches"] == [13, 8, 3, 0]


def test_what_it_saw_is_told(stored):
    told = (
        create(f"hwcm:length=3,{stored}")
        .ready()
        .explain(without_copies(PASSIVE).text, [without_copies(REFERENCE).text])
    )
    assert told.parts[0].groups[2] == (
        3, ["discussed > document > the"], ["by > government > the", "discussed > by > government"], 1, 3
    )  # fmt: skip
    assert told.score == pytest.approx((6 / 8 + 3 / 6 + 1 / 3) / 3)


heads = st.integers(1, 8).flatmap(lambda n: st.tuples(*(st.integers(-1, i - 1) for i in range(n))))


@given(heads, st.integers(1, 4))
def test_every_word_ends_a_chain_of_each_length_up_to_its_depth(above, length):
    found = Tree([str(i) for i in range(len(above))], list(above))
    paths = []
    for word in range(len(above)):
        path = [word]
        while above[path[0]] >= 0:
            path.insert(0, above[path[0]])
        paths.append(path)
    expected = {tuple(map(str, path[-length:])) for path in paths if len(path) >= length}
    assert set(chains(found, length)[length - 1]) == expected
