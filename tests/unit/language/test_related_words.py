"""Words that WordNet relates."""

import pytest

from tercet.language.lexical_similarity import Similarity
from tercet.language.sentence import Token
from tercet.language.synonyms import english_related_words

from .lookups import level


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ambulance", "car"),  # a wider meaning
        ("decide", "decision"),  # derived
        ("hot", "baking"),  # similar
        ("decide", "determine"),  # a group of verbs
    ],
)
def test_relations_hold_both_ways(first: str, second: str) -> None:
    known = english_related_words()
    assert second in known.of(first)
    assert first in known.of(second)


def test_opposites_unknown_words_and_phrases_are_not_related() -> None:
    known = english_related_words()
    assert "cold" not in known.of("hot")
    assert known.of("qwertyuiop") == frozenset()
    assert not any("_" in word or " " in word for word in known.of("vehicle"))


def word(form: str, upos: str) -> Token:
    return Token(form, 0, len(form), lemma=form, upos=upos)


def test_related_words_are_paraphrases_where_they_are_asked_for() -> None:
    pair = word("decide", "VERB"), word("decision", "NOUN")
    assert level(Similarity(related=True), *pair) == "paraphrase"
    assert level(Similarity(), *pair) is None
    assert level(Similarity(language="de", synonyms=False, related=True), *pair) is None
