"""Forms of words: what names and texts agree by."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.knowledge import normalise
from tercet.knowledge.normalise import (
    alias_key,
    dictionary_forms,
    is_ordinary,
    lemma_forms,
    lemma_key,
    spans,
    token_forms,
)


def forms(text, language):
    return [form for form in token_forms(text, spans(text), language) if form]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The U.S. president’s visit", "the u s president s visit"),
        ("en", "Guinea-Bissau, São Paulo", "guinea bissau , sao paulo"),
        ("fr", "l’État d'Israël", "l état d israël"),
        ("de", "Straße nach Zürich und Łódź", "strasse nach zürich und łodz"),
        ("cs", "Být v bytě Müllera", "být v bytě mullera"),
        ("ru", "Ещё Йо́шкар-Ола", "еще йошкар ола"),
        ("gu", "ભારતમાં વડાપ્રધાન", "ભારતમાં વડાપ્રધાન"),
        ("zh", "巴拉克·奥巴马。", "巴 拉 克 奥 巴 马 ,"),
        ("th", "กรุง", "ก รุ ง"),
        ("tr", "İstanbul ILGAZ", "istanbul ılgaz"),
        ("en", "ＡＢＣ ﬁne", "abc fine"),
        ("en", "costs €5 (now)", "costs € 5 , now ,"),
        ("en", "", ""),
    ],
)
def test_forms_of_words(language, text, expected):
    assert forms(text, language) == expected.split()


def test_places_are_code_points_of_the_text():
    text = "In São Paulo, 🙂 ભારતમાં!"
    assert [text[start:end] for start, end in spans(text)] == [
        "In", "São", "Paulo", ",", "🙂", "ભારતમાં", "!",
    ]  # fmt: skip


def test_punctuation_keeps_names_apart_and_belongs_to_names_that_have_it():
    assert alias_key("Washington, D.C.", "en") == ("washington", ",", "d", "c")
    assert alias_key("Washington D.C.", "en") == ("washington", "d", "c")


@pytest.mark.parametrize("name", ["", "...", "—", "?!", "\u200d", "’"])
def test_a_name_without_letters_has_no_key(name):
    assert alias_key(name, "en") == ()


@given(st.text(max_size=30), st.sampled_from(["en", "de", "ru", "gu", "zh", "tr", "xx"]))
def test_any_text_has_forms_that_are_stable(text, language):
    assert all(end <= start for (_, end), (start, _) in pairwise(spans(text)))
    for form in forms(text, language):
        assert form == unicodedata.normalize("NFC", form)


@given(st.text(max_size=20), st.sampled_from(["en", "de", "ru"]))
def test_a_name_in_a_text_has_the_forms_of_its_key(name, language):
    key = list(alias_key(name, language))
    if key:
        assert forms(name, language) == key
        assert (
            forms(f"x {name} x", language)[1:-1] == key or unicodedata.combining(name[0]) or name[0] in "\u200d\ufe0f"
        )


@pytest.mark.parametrize(
    ("language", "form", "base"),
    [
        ("kk", "қазақстанның", "қазақстан"),
        ("gu", "ભારતમાં", "ભારત"),
        ("ru", "абвгдбурге", "абвгдбург"),
        ("lt", "xyzas", None),
    ],
)
def test_endings_give_base_forms_without_a_dictionary(monkeypatch, language, form, base):
    monkeypatch.setattr(normalise, "_lemmatiser", lambda: None)
    lemma_forms.cache_clear()
    found = lemma_forms(form, language)
    lemma_forms.cache_clear()
    assert base in found if base else found == ()


def test_dictionaries_know_names_and_words():
    pytest.importorskip("simplemma")
    assert dictionary_forms("prahy", "cs")[:2] == ("praha", "práh")
    assert lemma_key("Spojené státy", "cs") == ("spojený", "stát")
    assert is_ordinary("according", "en")
    assert not is_ordinary("россии", "ru")
