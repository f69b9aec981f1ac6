"""Stems, synonyms and function words."""

import sys

import pytest

from tercet.errors import UsageError
from tercet.language import stemming
from tercet.language.function_words import function_words
from tercet.language.stemming import stemmer
from tercet.language.synonyms import english_synonyms


def test_english_stems_are_those_of_meteor():
    # The last three changed in Snowball 3.
    words = ["running", "generously", "skies", "limited", "added", "archaeologists", "organizer"]
    assert stemmer("en")(words) == ["run", "generous", "sky", "limit", "ad", "archaeologist", "organ"]


@pytest.mark.parametrize(
    ("language", "word", "now", "then"),
    [
        ("de", "ereignisse", "ereignis", "ereigniss"),
        ("ru", "вертолёт", "вертолет", "вертолёт"),
        ("fr", "égoïste", "égo", "égoïst"),
    ],
)
def test_the_original_rules_are_those_before_snowball_2(language, word, now, then):
    assert stemmer(language)([word]) == [now]
    assert stemmer(language, original=True)([word]) == [then]


def test_a_language_without_a_stemmer_is_refused():
    with pytest.raises(UsageError, match="no language with a stemmer called 'zh'"):
        stemmer("zh")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    stemming.stemmer.cache_clear()
    with pytest.raises(UsageError, match="Stemming needs PyStemmer.*pip install 'PyStemmer>=2.2,<3'"):
        stemmer("en")
    stemming.stemmer.cache_clear()


def test_a_stemmer_with_other_rules_is_refused(monkeypatch):
    class Stemmer:
        def __init__(self, name):
            pass

        def stemWord(self, word):
            return "add"

    monkeypatch.setitem(sys.modules, "Stemmer", type(sys)("Stemmer"))
    sys.modules["Stemmer"].Stemmer = Stemmer
    stemming.stemmer.cache_clear()
    with pytest.raises(UsageError, match="PyStemmer>=2.2,<3"):
        stemmer("en")
    stemming.stemmer.cache_clear()


def share(a, b, **options):
    synonyms = english_synonyms(**options)
    return bool(set(synonyms.of(a)) & set(synonyms.of(b)))


def test_words_of_one_synset_are_synonyms():
    assert share("car", "automobile")
    assert share("cars", "autos")
    assert share("ran", "running")
    assert not share("car", "bicycle")


def test_unknown_words_have_no_synonyms():
    assert english_synonyms().of("qwertz") == ()
    assert english_synonyms().of("") == ()


@pytest.mark.parametrize(
    ("word", "bases"),
    [
        ("children", ["child"]),
        ("buses", ["bus"]),
        ("dates", ["date"]),  # and not dat, which is a word too
        ("goodness", ["goodness"]),
        ("better", ["better", "good", "well"]),
        ("as", ["as"]),
        ("qwertzs", []),
    ],
)
def test_base_forms_follow_wordnets_rules(word, bases):
    assert english_synonyms().base_forms(word) == bases


def test_the_original_takes_some_unrelated_synsets_for_one():
    assert not share("entity", "breathe")
    assert share("entity", "breathe", original=True)


def test_wordnet_is_whole():
    synonyms = english_synonyms()
    assert len(synonyms._lemmas) == 147_306
    assert len({number for lemma in synonyms._lemmas for number in synonyms._synsets(lemma)}) == 117_659


@pytest.mark.parametrize("language", ["cs", "de", "en", "es", "fr", "ru"])
def test_function_words_are_lower_case_and_hold_punctuation(language):
    words = function_words(language)
    assert 60 < len(words) < 110
    assert {",", "."} < words
    assert all(word == word.lower() for word in words)


def test_a_language_without_a_list_has_no_function_words():
    assert function_words("sw") == frozenset()
