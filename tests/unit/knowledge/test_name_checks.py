"""Which names are worth reporting."""

import pytest

from tercet import TestSet, entities
from tercet.examples import load, pairs
from tercet.knowledge.default import resolve
from tercet.knowledge.linking import KBLinker
from tercet.knowledge.name_checks import NameChecks


def reported(source: str, output: str, pair: str) -> tuple[list[str], list[str]]:
    """Return the names that an output lost and invented, for one system without a reference."""
    found = entities(TestSet({"a": [output]}, source=[source], pair=pair)).systems["a"]
    return [each.name for each in found.lost], [each.name for each in found.invented]


@pytest.mark.parametrize(
    ("source", "output", "pair", "expected"),
    [
        # Names that are there, or not.
        ("She flew to Berlin.", "Sie flog nach Rom.", "en-de", (["Berlin"], ["Rom"])),
        ("She flew to Berlin.", "Sie flog nach Berlin.", "en-de", ([], [])),
        ("She flew home.", "Sie flog nach Porto Alegre.", "en-de", ([], ["Porto Alegre"])),
        # The same name in another form.
        ("The Israeli army moved.", "Die Armee Israels rückte vor.", "en-de", ([], [])),
        ("The fair in Cologne opened.", "Die Kölner Messe wurde eröffnet.", "en-de", ([], [])),
        ("It rained on Saturday evening.", "Es regnete am Samstagabend.", "en-de", ([], [])),
        ("Exports of Russia grew.", "Die russischen Exporte wuchsen.", "en-de", ([], [])),
        ("Eden Hazard scored.", "Eden Hazard traf.", "en-de", ([], [])),
        ("The water rose by 20 feet.", "Das Wasser stieg um sechs Meter.", "en-de", ([], [])),
        ("They sold five million albums.", "他们卖了500万张专辑。", "en-zh", ([], [])),
        ("They fold in 10000 ns.", "它们在一万纳秒内折叠。", "en-zh", ([], [])),
        ("Floods in South Asia grew.", "南亚的洪水增加了。", "en-zh", ([], [])),
        ("It was signed in Febuary.", "Es wurde im Februar unterzeichnet.", "en-de", ([], [])),
        # A word that names another entity of the text is no form of this one.
        ("From Niger to Nigeria.", "Von Nigeria aus.", "en-de", (["Niger"], [])),
        ("The concert in Vienna.", "Das Konzert in Venedig.", "en-de", (["Vienna"], ["Venedig"])),
        # Ordinary words.
        ("Pour the water into the glass.", "Gießen Sie das Wasser in das Glas.", "en-de", ([], [])),
        ("You need not pay for postage.", "Sie müssen kein Porto zahlen.", "en-de", ([], [])),
        ("Ein kleiner Flughafen, Vilnius Flugplatz.", "A small one, Vilnius Airport.", "de-en", ([], [])),
        ("The WAR OF INDEPENDENCE began.", "Der Unabhängigkeitskrieg begann.", "en-de", ([], [])),
        ("A cougar has no spots.", "美洲狮没有斑点。", "en-zh", ([], [])),
        ("LET US GO NOW.", "Gehen wir jetzt.", "en-de", ([], [])),
        ("Ein Mann kam.", "Man came.", "de-en", ([], [])),
    ],
)
def test_names_worth_reporting(source: str, output: str, pair: str, expected: tuple[list[str], list[str]]) -> None:
    pytest.importorskip("simplemma")
    assert reported(source, output, pair) == expected


@pytest.mark.parametrize("pair", [pair for pair in pairs() if not pair.endswith("zh")])
def test_nothing_is_reported_in_the_demo_texts_for_one_system_without_a_reference(pair: str) -> None:
    """No output of the demo changes a name; "gießen" and "Porto" are ordinary words there."""
    pytest.importorskip("simplemma")
    texts = load(pair)
    for system in texts.systems:
        one = TestSet({system: texts.outputs[system]}, source=texts.source, pair=pair)
        found = entities(one).systems[system]
        assert (found.lost, found.invented) == ((), ())


def test_without_a_knowledge_base_a_name_is_looked_for_as_it_is_written() -> None:
    [[mention]] = KBLinker(resolve("default")).link(["Rom ist schön"], "de")
    checks = NameChecks(None, "de", "en", [mention])
    assert checks.form_in(mention, "Rom is beautiful") == "as written"
    assert checks.form_in(mention, "Rome is beautiful") == ""
    assert not checks.is_word(mention, "Rom ist schön")


def test_all_names_of_entities_are_found_in_one_pass() -> None:
    kb = resolve("default")
    numbers = [
        number for entity in ("cldr:territory:GB", "cldr:territory:FR") if (number := kb.number_of(entity)) is not None
    ]
    names = kb.names(numbers, "en")
    assert ("france",) in names[numbers[1]]
    assert {("united", "kingdom"), ("britain",)} <= set(names[numbers[0]])
    assert kb.names([], "en") == {}
