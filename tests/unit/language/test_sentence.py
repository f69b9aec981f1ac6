"""The parsed sentence and what it refuses; contractions."""

import pickle

import pytest

from tercet.errors import DataError
from tercet.language.contractions import expansions
from tercet.language.sentence import Dependency, Entity, Sentence, Token, find_cycle, iob


def two_words(**changes):
    return Sentence("Anna sings", (Token("Anna", 0, 4, head=2), Token("sings", 5, 10, head=0)), **changes)


def test_a_sentence_cannot_be_changed_and_travels_by_pickle():
    sentence = two_words()
    with pytest.raises(AttributeError):
        sentence.text = "x"
    with pytest.raises(AttributeError):
        sentence.tokens[0].form = "x"
    assert pickle.loads(pickle.dumps(sentence)) == sentence
    assert hash(sentence) == hash(two_words())


def test_an_empty_segment_has_no_words():
    assert len(Sentence("")) == 0 and Sentence("").entities == ()


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([Token("a", 0, 9)], "its position 0-9 is outside the text"),
        ([Token("", 0, 1)], "has no form"),
        ([Token("a", 0, 1, head=2)], "has head 2; a head must be 0 .for a root. or another word, 1 to 1"),
        ([Token("a", 0, 1, head=1)], "has head 1"),
    ],
)
def test_what_cannot_be_is_refused(tokens, message):
    with pytest.raises(DataError, match=message):
        Sentence("a", tuple(tokens))


def test_an_unknown_scheme_and_a_dependency_of_no_word_are_refused():
    with pytest.raises(DataError, match="one of ud, clearnlp, stanford, tiger, other, not 'negra'"):
        Sentence("", scheme="negra")
    with pytest.raises(DataError, match=r"nsubj\(3, 1\) is not a dependency of the words 1 to 2"):
        two_words(dependencies=(Dependency(3, "nsubj", 1),))
    with pytest.raises(DataError, match=r"nsubj\(1, 1\) is not a dependency"):
        two_words(dependencies=(Dependency(1, "nsubj", 1),))


def test_heads_in_a_circle_are_refused():
    tokens = tuple(
        Token(form, 2 * i, 2 * i + 1, head=head) for i, (form, head) in enumerate([("a", 2), ("b", 3), ("c", 2)])
    )
    with pytest.raises(DataError, match="Word 2 .'b'. of 'a b c' is part of a cycle of heads"):
        Sentence("a b c", tokens)


def test_circles_are_found_and_trees_have_none():
    assert find_cycle([]) is None and find_cycle([0, None, 0]) is None and find_cycle([2, 0, 2, 3]) is None
    assert find_cycle([0, 3, 4, 2]) == 2 and find_cycle([2, 1]) == 1


def test_entities_are_runs_of_words():
    marks = ["B-PER", "I-PER", "", "B-LOC", "B-LOC", "I-ORG"]
    text = "a b c d e f"
    tokens = tuple(Token(text[2 * i], 2 * i, 2 * i + 1, entity=mark) for i, mark in enumerate(marks))
    found = Sentence(text, tokens).entities
    assert found == (Entity(1, 2, "PER"), Entity(4, 4, "LOC"), Entity(5, 5, "LOC"), Entity(6, 6, "ORG"))


def test_neighbours_of_one_type_are_one_entity():
    assert iob(["PER", "PER", "", "PER", "LOC"]) == ["B-PER", "I-PER", "", "B-PER", "B-LOC"]


def test_a_parse_fits_a_text_with_other_white_space():
    moved = two_words().over("  Anna\u00a0 sings ")
    assert [moved.text[token.start : token.end] for token in moved.tokens] == ["Anna", "sings"]
    assert [token.head for token in moved.tokens] == [2, 0]
    assert two_words().over("Annasings").tokens[1][1:3] == (4, 9)
    assert two_words().over("Anna sang") is None


def test_contractions_match_what_they_stand_for():
    assert expansions("n't", "en") == ("not",)
    assert expansions("N’T", "en") == ("not",)
    assert expansions("dog", "en") == () and expansions("n't", "xx") == ()
    assert expansions("'ll", "en") == ("will", "shall") and expansions("wo", "en") == ("will",)
