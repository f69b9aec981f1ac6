"""The Moses tokeniser on sentences of our own; the whole goldens are in tests/conformance."""

import html
import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.text import moses
from tercet.text.tokenisers import tokenise as tokenise_all
from tercet.text.tokenisers import tokeniser

EXAMPLES = [
    ("en", "Hello, world!", "Hello , world !"),
    ("en", "Mr. Smith paid 1,000.50 dollars.", "Mr. Smith paid 1,000.50 dollars ."),
    ("en", "See No. 5 and No. Five.", "See No. 5 and No . Five ."),
    ("en", "He lives in the U.S. today.", "He lives in the U.S. today ."),
    ("en", "He lives in the U.S.", "He lives in the U.S ."),
    ("en", "It's the 1990's, isn't it?", "It &apos;s the 1990 &apos;s , isn &apos;t it ?"),
    ("en", "rock 'n' roll", "rock &apos; n &apos; roll"),
    ("en", "Wait... what?", "Wait ... what ?"),
    ("en", "He said 'no.'", "He said &apos; no . &apos; "),
    ("en", "a|b [c] <d> \"e\" & f", "a &#124; b &#91; c &#93; &lt; d &gt; &quot; e &quot; &amp; f"),
    ("en", "well-known e-mail", "well-known e-mail"),
    ("en", "a,b,c and 1,2,3", "a , b , c and 1,2,3"),
    ("en", "etc. and so on. Next", "etc. and so on . Next"),
    ("fr", "L'homme qu'il aime, c'est-à-dire.", "L&apos; homme qu&apos; il aime , c&apos; est-à-dire ."),
    ("it", "L'Italia dell'est", "L&apos; Italia dell&apos; est"),
    ("de", "Am 3. Oktober z.B. um 5 Uhr.", "Am 3. Oktober z.B. um 5 Uhr ."),
    ("de", "Das ist's.", "Das ist &apos; s ."),
    ("fi", "EU:n ja USA: hyvä", "EU:n ja USA : hyvä"),
    ("cs", "Např. Praha, tj. Brno", "Např . Praha , tj. Brno"),
    ("ru", "Это стоит 5 руб. Ура!", "Это стоит 5 руб. Ура !"),
    ("lt", "Jis gyvena Nr. 5.", "Jis gyvena Nr. 5 ."),
    ("es", "El Sr. López, EE.UU.", "El Sr. López , EE.UU ."),
    ("ru", "5кг. Xв. Xкг. 12кг. Ы", "5кг. Xв. Xкг . 12кг . Ы"),
    ("pt", "O Sr. Silva", "O Sr. Silva"),
    ("pt", "No séc. XIX. Xx. XXI. Ele", "No séc . XIX. Xx . XXI . Ele"),
    ("de", "Kap. XX. Xiv. Xv. xv. A", "Kap . XX. Xiv . Xv. xv. A"),
    ("nl", "Dr. de Vries en drs. Jansen", "Dr. de Vries en drs. Jansen"),
    ("xx", "Mr. Smith isn't", "Mr. Smith isn &apos; t"),  # English abbreviations, not English apostrophes
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), EXAMPLES)
def test_a_sentence_becomes_the_words_of_moses(language, text, expected):
    assert moses.tokenise(text, language) == expected


def test_every_second_of_several_commas_is_seen_first():
    assert moses.tokenise("a,,5", "en") == "a , ,5"
    assert moses.tokenise("5,,5", "en") == "5 , , 5"
    assert moses.tokenise("5,", "en") == "5 ,"
    assert moses.tokenise(",5", "en") == ",5"


def test_marks_that_spell_words_stay_and_others_do_not():
    assert moses.tokenise("שָׁלוֹם", "en") == "שָׁלוֹם"  # Hebrew points are alphabetic in Unicode
    assert moses.tokenise("cafe\u0301", "en") == "cafe \u0301"  # a combining acute is not
    assert moses.tokenise("x²", "en") == "x ²"


def test_a_blank_line_is_left_alone_and_blanks_are_joined():
    assert moses.tokenise("   ", "en") == "   "
    assert moses.tokenise("", "en") == ""
    assert moses.tokenise("\x01", "en") == ""
    assert moses.tokenise("a\u00a0b\tc\u3000d", "en") == "a b c d"
    assert moses.tokenise("a\x1fb", "en") == "ab"


def test_all_languages_of_the_table_work():
    for language in ("en", "de", "fr", "es", "cs", "ru", "lt", "fi", "it", "pt", "nl"):
        assert moses.tokenise("Ja , no .", language) == "Ja , no ."


def test_a_region_is_left_out():
    for language in ("pt_BR", "pt-BR", "PT"):
        assert moses.tokenise("O Exmo. Silva", language) == "O Exmo. Silva"
    assert moses.tokenise("L'homme", "fr_CA") == "L&apos; homme"


def test_a_language_without_a_list_is_said_once(caplog):
    moses._warned.clear()
    with caplog.at_level(logging.WARNING):
        for language in ("zh-CN", "zh_TW", "zh", "en", "de_AT"):
            for _ in range(3):
                assert tokeniser(f"moses-{language}")("Mr. X") == "Mr. X"
    (record,) = caplog.records
    assert "no list of abbreviations for the language 'zh'" in record.getMessage()
    assert "English" in record.getMessage()


def test_the_lists_are_sorted_and_hold_no_word_that_the_rules_keep_anyway():
    for language, entry in moses._abbreviations().items():
        for key in ("always", "before_number"):
            words = entry.get(key, "").split()
            assert words == sorted(set(words), key=lambda word: (word.casefold(), word)), (language, key)
        known = {word for word in entry["always"].split() if "." in word or word in set(entry["letters"])}
        assert not known, language


def test_the_name_reaches_the_function():
    assert tokenise_all(["Don't go."], "moses-en").strings() == [["Don", "&apos;t", "go", "."]]
    assert tokenise_all(["Don't go."], "moses").strings() == [["Don", "&apos;t", "go", "."]]


@given(st.text(max_size=60), st.sampled_from(["en", "fr", "de", "fi", "ru"]))
def test_only_blanks_and_controls_are_lost_and_only_blanks_are_added(text, language):
    tokens = moses.tokenise(text, language)
    if "MULTI" in text:
        return  # Moses hides dots behind this word and cannot tell it from a real one
    assert re.sub(r"\s", "", html.unescape(tokens)) == re.sub(r"[\s\x00-\x1f]", "", html.unescape(_escape(text)))


def _escape(text):
    return text.translate(str.maketrans(moses._ENTITIES))


@pytest.mark.parametrize("unit", [",", ".", "'", "a.", "'a", "1,", "...x"])
def test_a_megabyte_of_anything_takes_linear_time(unit):
    assert moses.tokenise(unit * (300_000 // len(unit)), "en")
