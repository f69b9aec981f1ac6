"""Words that an output leaves untranslated, and partners of names by their vectors."""

import pytest

from tercet.knowledge import partners
from tercet.knowledge.literals import numerals
from tercet.knowledge.untranslated import common_words, untranslated


def test_common_words_are_in_lower_case_and_have_enough_letters() -> None:
    assert common_words("Das Haus und die bäckerei, die bäckerei 12b", "de", "en") == {"bäckerei": (17, 25)}
    assert list(common_words("он и она в Москве", "ru", "en")) == ["она"]
    assert list(common_words("他在 the house", "zh", "en")) == ["他", "在", "house"]


@pytest.mark.parametrize(
    ("source", "output", "pair", "left"),
    [
        ("die bäckerei und der film", "the bäckerei and the film", "de-en", ["bäckerei"]),  # film is English
        ("die bäckerei", "the Bäckerei", "de-en", ["bäckerei"]),  # with a capital it is left as it is too
        ("новая пекарня", "new пекарня", "ru-en", ["пекарня"]),
        ("the new bakery", "новая bakery", "en-ru", ["bakery"]),
        ("the new bakery", "жаңа bakery", "en-kk", ["bakery"]),  # Kazakh has no dictionary, and other letters
        ("他在家", "he is at 家", "zh-en", ["家"]),
        ("the new bakery", "the new bakery", "en-de", ["bakery"]),  # "new" is too short for one script
    ],
)
def test_words_that_the_output_has_and_its_language_has_not_are_untranslated(
    source: str, output: str, pair: str, left: list[str]
) -> None:
    pytest.importorskip("simplemma")
    language, _, other = pair.partition("-")
    assert untranslated(common_words(source, language, other), output, other) == left


def test_without_a_dictionary_of_the_language_only_other_scripts_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.knowledge.normalise._lemmatiser", lambda: None)
    assert untranslated(["zzbäckerei", "пекарнязз"], "the zzbäckerei and пекарнязз", "en") == ["пекарнязз"]


def test_a_name_has_a_partner_where_the_other_text_says_the_same() -> None:
    assert partners.has_partner("Malagasy", "en", "die madagassische Sprache", "de", least=0.5)
    assert not partners.has_partner("Colombia", "en", "el cáncer de mama", "es", least=0.5)
    assert not partners.has_partner("Colombia", "xx", "Colombia", "es", least=0.5)  # no language of the encoder
    assert not partners.has_partner("", "en", "", "de", least=0.5)


def test_numbers_in_chinese_characters_are_read() -> None:
    text = "一万纳秒，三十亿，两百万种，十五，二十五万，一百零五，三千五百万"
    assert numerals(text) == [10_000, 3_000_000_000, 2_000_000, 15, 250_000, 105, 35_000_000]
