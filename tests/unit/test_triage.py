"""Findings on single translations, and the order of review that follows from them."""

import pytest

from tercet.checking.segment_findings import CHECKS, POINTS, Sides, find
from tercet.checking.triage import Usual, triage
from tercet.data.terminology import read_terms
from tercet.errors import DataError, UsageError

CLEAN = [
    ("Pay 1,250.50 euros by 3 May 2024.", "Zahlen Sie bis zum 3. Mai 2024 1.250,50 Euro."),
    ("She has two dogs and 3 cats.", "Sie hat zwei Hunde und drei Katzen."),
    ("The train leaves at 5:30 p.m.", "Der Zug fährt um 17:30 Uhr ab."),
    ("Visit www.example.org (free).", "Besuchen Sie www.example.org (kostenlos)."),
    ("Mind the people who know it.", "Achten Sie auf die, die die Antwort kennen."),
    ("iPhone", "iPhone"),
    ("Is it far?", "Ist es weit?"),
    ("It is 20 °C and 90 km/h.", "Es sind 20 ° C und 90 km / h."),
    ("Hello %s, you have {count} files", "Hallo %s, Sie haben {count} Dateien"),
    ("1) First, open it.", "1) Öffnen Sie es zuerst."),
]


def kinds(source, output, pair="en-de", **more):
    usual = Usual(pair, more.pop("terms", {}))
    usual.add([source], [output])
    return [finding.kind for finding in find(Sides(source, output, **more), usual.context())]


@pytest.mark.parametrize(("source", "output"), CLEAN)
def test_good_translations_have_no_findings(source, output):
    assert kinds(source, output) == []


@pytest.mark.parametrize(
    ("source", "output", "kind"),
    [
        ("Later today", " ", "untranslated"),
        ("Open the dashboard now", "Open the dashboard now", "copied"),
        ("Open the dashboard and close every window", "Open the dashboard and schließen every window", "copied"),
        ("It is what they were told to do", "It is what they were said to", "language"),
        ("Press Save to continue", "Нажмите кнопку", "language"),
        ("Hello %s", "Hallo", "placeholders"),
        ("Pay 120 euros", "Zahlen Sie 210 Euro", "numbers"),
        ("There were 1500 people", "Es waren viele Menschen da", "numbers"),
        ("Delivered on 3 May", "Geliefert am 3. Juni", "dates"),
        ("It weighs 20 kg", "Es wiegt 20 lb", "units"),
        ("It costs $20", "Es kostet 20 €", "units"),
        ("See https://a.example/b", "Siehe https://a.example/c", "addresses"),
        ("Charge the iPhone", "Laden Sie das Telefon", "names"),
        ("Press it (twice)", "Drücken Sie (zweimal", "brackets"),
        ("Press it (twice)", "Drücken Sie zweimal", "brackets"),
        ("We went to the house", "Wir gingen zum Haus Haus", "repetition"),
        ("Is it far?", "Es ist weit.", "end-mark"),
    ],
)
def test_an_error_is_found_by_its_kind(source, output, kind):
    pytest.importorskip("babel") if kind == "dates" else None
    assert kind in kinds(source, output)


def test_lost_and_added_tags_are_found():
    assert kinds("Press Save", "Sichern drücken", source_tags=("g:1",), output_tags=()) == ["tags"]
    assert kinds("Press Save", "Sichern drücken", source_tags=("g:1",), output_tags=("g:1",)) == []


def test_terms_may_be_inflected_and_have_several_translations():
    terms = {"user": ("Nutzer", "Anwender"), "data base": ("Datenbank",)}
    assert kinds("The users wait", "Die Anwendern warten", terms=terms) == []
    assert kinds("The data base is full", "Die Datenbanken sind voll", terms=terms) == []
    assert kinds("The user waits", "Der Benutzername wartet", terms={"user": ("Anwender",)}) == ["terms"]
    assert kinds("It is misused", "Es wird missbraucht", terms=terms) == []


def test_an_unusual_length_is_found_by_comparison_with_the_other_segments():
    pairs = [(f"The house number {number} is big.", f"Das Haus Nummer {number} ist groß.") for number in range(20)]
    sources, outputs = map(list, zip(*pairs, strict=True))
    outputs[7] = "7."
    found = triage(sources, outputs, pair="en-de")
    assert (found.segments[0].segment, found.kinds) == (8, {"length": 1})
    assert "short as usual" in found.segments[0].findings[0].message


def test_segments_are_ranked_by_points_then_by_order():
    sources = ["Is it far?", "Good day", "Open the file now", "Are we there?"]
    outputs = ["Es ist weit.", "Guten Tag", "Open the file now", "Wir sind da."]
    found = triage(sources, outputs, pair="en-de", ids=["a", "b", "c", "d"])
    assert [each.id for each in found.segments] == ["c", "a", "d", "b"]
    assert (found.n, found.with_findings) == (4, 3)
    assert len(triage(sources, outputs, top=2).segments) == 2
    with pytest.raises(UsageError, match="4 sources, but 3 ids"):
        triage(sources, outputs, ids=["a", "b", "c"])


def test_every_check_has_points():
    assert set(POINTS) == {"untranslated", *CHECKS}


TBX = """<?xml version="1.0"?><!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd"><martif type="TBX"><text><body>
<termEntry><langSet xml:lang="en-US"><tig><term>dashboard</term></tig></langSet>
<langSet xml:lang="de"><tig><term>Übersicht</term></tig>
<tig><term>Armatur</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig></langSet>
<langSet xml:lang="fr"><tig><term>tableau</term></tig></langSet></termEntry></body></text></martif>"""


def test_terminology_is_read_from_tbx_and_from_tables(tmp_path):
    (tmp_path / "a.tbx").write_text(TBX, "utf-8")
    assert read_terms(tmp_path / "a.tbx", "en-de") == {"dashboard": ("Übersicht",)}
    (tmp_path / "a.csv").write_text("en,de\nuser,Nutzer\nuser,Anwender\n,x\n")
    assert read_terms(tmp_path / "a.csv", "en-de") == {"user": ("Nutzer", "Anwender")}
    with pytest.raises(UsageError, match="give the language pair"):
        read_terms(tmp_path / "a.tbx")
    with pytest.raises(DataError, match="no term with a translation for en-it"):
        read_terms(tmp_path / "a.tbx", "en-it")
    (tmp_path / "b.tbx").write_text("<html/>")
    with pytest.raises(DataError, match="not TBX"):
        read_terms(tmp_path / "b.tbx", "en-de")


def test_terminology_is_a_knowledge_base_that_shows_lost_terms(tmp_path):
    import tercet
    from tercet.errors import UsageError
    from tercet.kb import build

    (tmp_path / "a.tbx").write_text(TBX, "utf-8")
    build(tmp_path / "kb", languages=["en", "de"], terms=[tmp_path / "a.tbx"])
    texts = tercet.TestSet({"x": ["Die Leiste öffnen"]}, source=["Open the dashboard"], pair="en-de")
    found = tercet.entities(texts, kb=str(tmp_path / "kb"), categories="term").systems["x"]
    assert [(entity.name, entity.category) for entity in found.lost] == [("dashboard", "term")]
    for output, lost in (("Das Dashboard öffnen", 1), ("Die Übersichten öffnen", 0)):
        texts = tercet.TestSet({"x": [output]}, source=["Open the dashboard"], pair="en-de")
        assert len(tercet.entities(texts, kb=str(tmp_path / "kb"), categories="term").systems["x"].lost) == lost
    with pytest.raises(UsageError, match="needs two languages"):
        build(tmp_path / "other", languages=["en", "de", "fr"], terms=[tmp_path / "a.tbx"])
