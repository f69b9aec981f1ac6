"""METEOR's normaliser; what it should return was asked of METEOR 1.5, class Normalizer."""

import pytest

from tercet.errors import UsageError
from tercet.text.meteor import LANGUAGES, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \t ", ""),
        ("Dr. Smith doesn’t “know”.", 'Dr. Smith doesn \'t " know " .'),
        ("the U.S.A. and U.K.-based a.m. e.g. this", "the USA and UK based am eg this"),
        ("word. Word word. word", "word . Word word. word"),
        ("A. B. Smith, J.K. Rowling's", "A. B. Smith , JK Rowling 's"),
        ("No. 5 No. Five No.", "No. 5 No . Five No ."),
        ("1.5 1,000.50 5. 6.", "1.5 1,000.50 5 . 6 ."),
        ("a,,b a,,,b 5,,5", "a , ,b a , ,,b 5 , , 5"),
        ("a-b-c 10-year-old -a a- a--b ---", "a b-c 10 year old -a a- a b --"),
        ("a–b a—b", "a - b a — b"),
        ("1990's '90s dogs' 5'a rock'n'roll", "1990 's ' 90s dogs ' 5'a rock 'n'roll"),
        ("''x'' ``y``", '" x " " y "'),
        ("wait... what.. .", "wait ... what .. ."),
        ("日本語 x²", "日 本 語 x ²"),
        ("end.\u00a0and", "end . and"),
        ("&quot; <b>", "& quot ; < b >"),
        ("foo.com. Bar", "foocom Bar"),
        ("a\x0bb \x01", "a\x0bb"),
    ],
)
def test_english_texts_become_what_meteor_makes_of_them(text, expected):
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "l'homme n'est pas M. Dupont.", "l' homme n' est pas M. Dupont ."),
        ("de", "am 3. Mai sagt's der Prof. Meier usw.", "am 3. Mai sagt ' s der Prof. Meier usw."),
        ("es", "el Sr. Gómez (EE.UU.)", "el Sr. Gómez ( EEUU )"),
        ("cs", "prof. Novák", "prof . Novák"),
        ("ru", "ул. Ленина, 5кг. Там", "ул. Ленина , 5кг. Там"),
        ("en", "Sept. 5", "Sept . 5"),
    ],
)
def test_each_language_has_its_apostrophes_and_abbreviations(language, text, expected):
    assert normalise(text, language) == expected


def test_without_punctuation_only_letters_and_digits_are_left():
    assert normalise("It's 1.5 (U.S.) 日本 a_b!", punctuation=False) == "It s 1 5 US a b"


def test_a_language_without_rules_is_refused():
    with pytest.raises(UsageError, match="no language with METEOR's normaliser called 'pt'"):
        normalise("x", "pt")


def test_normalised_text_has_single_spaces():
    for language in LANGUAGES:
        assert normalise("  a \n b.\tc ", language) == "a b. c"
