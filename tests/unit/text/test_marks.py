"""Marks on the words of texts, and metrics that give them."""

import pytest

from tercet import TestSet
from tercet.errors import MissingDependency
from tercet.explaining import explain
from tercet.text.marks import Mark, WordLink, locate, mark_links, merged

TEXTS = TestSet(
    {"x": ["The cat sat on the mat.", "Berlin is big"]},
    {"r": ["The cats sat on a mat.", "Berlin is large"]},
    source=["Die Katze saß in Berlin.", "Berlin ist groß"],
    pair="de-en",
)


def test_words_are_found_in_their_order_whatever_their_case() -> None:
    assert locate(["the", "cat", "the"], "The cat the") == [(0, 3), (4, 7), (8, 11)]
    assert locate(["i̇stanbul", "x"], "İstanbul x") == [(0, 8), (9, 10)]  # two characters in lower case
    assert locate(["𝒳", "b"], "𝒳b") == [(0, 1), (1, 2)]


def test_words_that_a_tokeniser_has_changed_have_no_place() -> None:
    assert locate(["a", "&apos;s", "b"], "a 's b") == [(0, 1), None, (5, 6)]
    assert locate(["z", "b"], f"a b{'.' * 50}z") == [None, (2, 3)]
    assert locate([" ", ""], " ") == [None, None]


def test_words_without_a_link_weigh_nothing() -> None:
    found = mark_links(("a b", ["a", "b"]), ("b c", ["b", "c"]), [WordLink([1], [0], 1.0, "exact")], 2)
    assert found.output == (Mark(0, 1, 0.0), Mark(2, 3, 1.0, "exact", (0, 1)))
    assert found.other == (Mark(0, 1, 1.0, "exact", (2, 3)), Mark(2, 3, 0.0))
    assert found.against == 2


def test_neighbours_are_merged_if_their_partners_are_neighbours() -> None:
    first, second = Mark(0, 1, 1.0, "match", (4, 5)), Mark(1, 2, 1.0, "match", (5, 6))
    assert merged([first, second]) == (Mark(0, 2, 1.0, "match", (4, 6)),)
    assert merged([first, second._replace(partner=(7, 8))]) == (first, second._replace(partner=(7, 8)))
    assert merged([first, second._replace(weight=0.0)]) == (first, second._replace(weight=0.0))


MARKING = ["bertr", "bertscore", "bleu", "cder", "cer", "chrf", "cobalt", "hlepor", "hwcm", "kobe", "meteor", "nist"]
MARKING += ["per", "ribes", "sentbleu", "simpbleu", "stm", "ter", "wer", "wmdo", "yisi0", "yisi1", "yisi2"]


@pytest.mark.parametrize("name", MARKING)
def test_marks_lie_within_the_texts(name: str) -> None:
    try:
        (found,) = explain(TEXTS, [name])
    except MissingDependency as missing:
        pytest.skip(str(missing))
    marks = found.marks
    assert marks is not None
    assert found.to_dict()["marks"] == marks.to_dict()
    output, reference, source = TEXTS.outputs["x"][0], TEXTS.references["r"][0] or "", (TEXTS.source or [""])[0]
    other = source if marks.against is None else reference
    assert marks.output or marks.other
    for text, partner, own in ((output, other, marks.output), (other, output, marks.other)):
        for mark in own:
            assert 0 <= mark.begin < mark.end <= len(text)
            assert 0 <= mark.weight <= 1
            assert mark.partner is None or 0 <= mark.partner[0] <= mark.partner[1] <= len(partner)
        places = [(mark.begin, mark.end) for mark in own]
        assert places == sorted(places)


MARKED = {  # of "The cat sat on the mat." against "The cats sat on a mat."
    "meteor": {"cat": "stem", "sat": "exact"},
    "wer": {"cat": "substitution", "sat": "match"},
    "ribes": {"sat": "match"},
    "bleu": {"The": "1-gram", "cat": "0-gram", "sat": "2-gram", "mat.": "2-gram"},  # "sat on", "mat ."
}


@pytest.mark.parametrize("name", MARKED)
def test_labels_say_how_a_word_was_matched(name: str) -> None:
    (found,) = explain(TEXTS, [name])
    assert found.marks is not None
    labels = {TEXTS.outputs["x"][0][mark.begin : mark.end]: mark.label for mark in found.marks.output}
    assert {word: labels[word] for word in MARKED[name]} == MARKED[name]


@pytest.mark.parametrize("name", ["bleu", "stm", "wmdo"])
def test_an_empty_output_has_no_marks(name: str) -> None:
    try:
        (found,) = explain(TestSet({"x": [""]}, {"r": ["A cat."], "s": ["A dog."]}, pair="de-en"), [name])
    except MissingDependency as missing:
        pytest.skip(str(missing))
    assert found.marks is not None
    assert found.marks.output == ()


def test_n_grams_are_marked_against_the_closest_reference() -> None:
    (found,) = explain(TestSet({"x": ["a b c"]}, {"r": ["a x c"], "s": ["b c d"]}), ["bleu"])
    assert found.marks is not None
    assert found.marks.against == 1
    assert [(mark.weight, mark.label) for mark in found.marks.output] == [
        (0, "0-gram"),
        (0.5, "2-gram"),
        (0.5, "2-gram"),
    ]
    assert [mark.label for mark in found.marks.other] == ["2-gram", "2-gram", "0-gram"]


def test_kobe_says_which_entities_are_lost() -> None:
    (found,) = explain(TEXTS, ["kobe"])
    [lost] = found.seen["source_entities"]
    assert (lost["text"], lost["matched"]) == ("Berlin", False)
    assert found.marks is not None
    assert [(mark.weight, mark.begin, mark.end) for mark in found.marks.other] == [(0.0, 17, 23)]
    (kept,) = explain(TEXTS, ["kobe"], segment=2)
    assert [each["matched"] for each in kept.seen["source_entities"]] == [True]
    assert [mark.weight for mark in kept.marks.output] == [1.0] if kept.marks else False
