"""The Moses tokeniser against the same rules as regular expressions."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tercet.text import moses

from . import regex_moses

shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
LANGUAGES = ("ca", "de", "en", "fi", "fr", "pt_BR", "so", "xx")
MARKS = "aAs'',,...:·5٣½²Ⅷ \u00a0\x85\x1c\x01\t-`\"&|<>[]$ªʰΣß中ְ\u0301\u2028\U0001f600"
WORDS = [
    *("DOTMULTI", "DOTDOTMULTI", "xDOT", "MULTI", "Mr.", "No.", "z.B.", "U.S.", "etc.", "A.", "5.", "XX.", "e.g"),
    *("il·lusió", "USA:n", "1990's", "don't", "l'homme", "...", ".'", "5,000", ",,", " ", "  ", "a", "5", "Ж"),
]
pieces = st.one_of(st.sampled_from(WORDS), st.sampled_from(MARKS), st.characters())
lines = st.lists(pieces, max_size=14).map("".join)


@pytest.mark.parametrize("language", LANGUAGES)
@shared_fixture
@given(texts=st.lists(lines, max_size=4))
@example(texts=["", " \t", "\x01", "He said 'no.'", "a,,,,5,,5,", "USA:n EU: x", "'", "a'b'c'd"])
def test_the_kernel_equals_the_regular_expressions(form, language, texts):
    assert moses.tokenise_all(texts, language) == [regex_moses.tokenise(text, language) for text in texts]


@pytest.mark.parametrize("language", ["en", "fi"])
def test_characters_of_all_scripts_have_the_class_of_the_regular_expressions(language):
    points = [*range(0x3100), *range(0x3100, 0x110000, 97)]
    texts = [f"a{c}'{c},{c}a. {c}" for c in map(chr, points)]
    assert moses.tokenise_all(texts, language) == [regex_moses.tokenise(text, language) for text in texts]


@shared_fixture
@given(texts=st.lists(lines, max_size=4))
def test_words_are_those_of_the_tokenised_text(form, texts):
    assert moses.words(texts, "en").strings() == [text.split() for text in moses.tokenise_all(texts, "en")]
