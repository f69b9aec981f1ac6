"""Names in another form: found in each of the ways, and not where they are not."""

import pytest

from tercet.knowledge.literals import literals
from tercet.knowledge.name_forms import Text
from tercet.knowledge.normalise import compound_parts


def entities(text: str, language: str) -> list[str]:
    return [mention.entities[0] for mention in literals(text, language)]


@pytest.mark.parametrize(
    ("one", "first", "other", "second"),
    [
        ("30 %", "en", "30 Prozent", "de"),
        ("1.5 million", "en", "1 500 000", "fi"),
        ("1.5 million", "en", "150万", "zh"),
        ("3 pm", "en", "15:00", "de"),
        ("3 p.m.", "en", "下午3点", "zh"),
        ("$750", "en", "750 US-Dollar", "de"),
        ("5 km", "en", "5 Kilometer", "de"),
        ("the 1890s", "en", "19世纪90年代", "zh"),
        ("0·22", "en", "0,22", "es"),
        ("37 млрд.", "ru", "37 billion", "en"),
    ],
)
def test_numbers_amounts_and_times_are_the_same_in_two_languages(one: str, first: str, other: str, second: str) -> None:
    assert entities(one, first) == entities(other, second) != []


def test_a_date_has_a_day_a_month_and_a_year() -> None:
    assert entities("am 25.08.2018", "de") == ["number:25", "cldr:month:8", "number:2018"]
    assert entities("8 月 25 日", "zh") == ["cldr:month:8", "number:25"]


@pytest.mark.parametrize(
    ("name", "language", "text", "other", "names", "found", "way"),
    [
        ("Eden", "en", "Eden traf.", "de", (), (), "as written"),
        ("South East Asia", "en", "Boote in Südostasien", "de", [("südostasien",)], (), "other form"),
        ("France", "en", "in Südfrankreich", "de", [("frankreich",)], (), "other form"),
        ("Greeks", "en", "Řekové zabili", "cs", (), ["cldr:language:el", "cldr:territory:GR"], "same people"),
        ("U.S.", "en", "US-Abgeordnete", "de", (), ["cldr:territory:US"], "acronym"),
        ("Papua New Guinea", "en", "PNG-rekisteröityjen", "fi", (), (), "acronym"),
        ("Sheridan", "en", "谢里丹整理了混乱", "zh", (), (), "sound"),
        ("Юньнань", "ru", "in Yunnan province", "en", (), (), "sound"),
        ("50", "en", "пятьдесят", "ru", (), ["number:50"], "sign"),
        ("80 degrees", "en", "27 градусов", "ru", (), ["amount:fahrenheit:80", "number:80"], "sign"),
        ("US-Dollar", "de", "$750", "en", (), ["cldr:currency:USD"], "sign"),
        ("Texas", "en", "James Brown absolvierte 14 Versuche", "de", [("texas",)], ["iso:US-TX"], ""),
        ("Spain", "en", "en Navarra", "es", [("españa",)], ["cldr:territory:ES"], ""),
        ("3.51", "en", "IC 95 %: 2,28", "es", (), ["number:3.51"], ""),
    ],
)
def test_the_way_in_which_a_text_has_a_name(
    name: str, language: str, text: str, other: str, names: list[tuple[str, ...]], found: list[str], way: str
) -> None:
    assert Text(text, other).has_form(name, language, names, found) == way


def test_compounds_with_directions_have_their_second_part() -> None:
    assert compound_parts("südfrankreich", "de") == ("frankreich",)
    assert compound_parts("pohjois-korea", "fi") == ("korea",)
    assert compound_parts("frankreich", "de") == ()
