"""The report of entities."""

import json
from pathlib import Path

import pytest

from tercet import TestSet, entities, metrics
from tercet.errors import DataError, UsageError
from tercet.knowledge.building import NameRecord, build
from tercet.rendering.charts import count_bars, share_bars
from tercet.rendering.document import Document
from tercet.rendering.tables import to_json
from tercet.tasks.entities.board import entity_page, histogram_figure, report_parts, share_figure
from tercet.tasks.entities.counting import EntityCounts, MentionPlace
from tests.docs.running import run

NAMES = [
    ("Q64", "place", "Berlin", "Berlin"),
    ("Q90", "place", "Paris", "Paris"),
    ("Q1490", "place", "Tokio", "Tokyo"),
    ("Q567", "person", "Angela Merkel", "Angela Merkel"),
    ("Q146", "", "Katze", "cat"),
]
SOURCE = ["Angela Merkel in Berlin", "Die Katze aus Berlin und Paris", "Kein Name", "Berlin"]
GOOD = ["Angela Merkel in Berlin", "The cat from Berlin and Paris", "No name", "Berlin"]
BAD = ["She in Berlin", "The dog from Paris and Tokyo", "No name, Tokyo", "The city"]
TEXTS = TestSet({"good": GOOD, "bad": BAD}, {"r": GOOD}, source=SOURCE, pair="de-en", name="small")


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> str:
    records = [
        NameRecord(entity, language, name, category)
        for entity, category, german, english in NAMES
        for language, name in (("de", german), ("en", english))
    ]
    place = tmp_path_factory.mktemp("kb") / "small"
    build(records, place, name="small", languages=["de", "en"])
    return str(place)


def test_kept_lost_and_invented_entities_by_hand(kb: str) -> None:
    report = entities(TEXTS, kb=kb)
    assert report.categories == {"place": 4, "person": 1, "other": 1}
    good, bad = report.systems["good"], report.systems["bad"]
    assert (good.kept, good.source, good.output, good.lost, good.invented) == (6, 6, 6, (), ())
    assert bad.categories == {"place": (2, 4), "person": (0, 1), "other": (0, 1)}
    assert bad.lost[0] == EntityCounts(
        "Q64", "Berlin", "place", 2, 3, (MentionPlace(2, "Berlin"), MentionPlace(4, "Berlin"))
    )
    assert [(entity.id, entity.times, entity.mentions) for entity in bad.lost[1:]] == [("Q146", 1, 1), ("Q567", 1, 1)]
    assert bad.invented == (
        EntityCounts("Q1490", "Tokyo", "place", 2, 2, (MentionPlace(2, "Tokyo"), MentionPlace(3, "Tokyo"))),
    )
    assert report.most_lost[0] == EntityCounts(
        "Q64", "Berlin", "place", 2, 6, (MentionPlace(2, "Berlin"), MentionPlace(4, "Berlin"))
    )


def test_a_name_that_a_reference_or_half_of_the_others_have_is_not_invented(kb: str) -> None:
    text = {"source": ["Die Katze"], "pair": "de-en"}

    def invented(outputs: dict[str, list[str]], references: dict[str, list[str]]) -> list[str]:
        return [entity.name for entity in entities(TestSet(outputs, references, **text), kb=kb).systems["a"].invented]

    assert invented({"a": ["The Tokyo"]}, {}) == ["Tokyo"]
    assert invented({"a": ["The Tokyo"]}, {"r": ["A Tokyo"]}) == []
    assert invented({"a": ["The Tokyo"], "b": ["One Tokyo"], "c": ["It"]}, {}) == []
    assert invented({"a": ["The Tokyo"], "b": ["One Tokyo"], "c": ["It"], "d": ["It"]}, {"r": ["It"]}) == ["Tokyo"]


def test_the_numbers_are_those_of_the_metric(kb: str) -> None:
    report = entities(TEXTS, kb=kb)
    metric = metrics.create(f"kobe:numbers=true,forms=true,kb={kb}")
    for system, counts in metric.statistics(TEXTS).items():
        found = report.systems[system]
        assert [found.kept, found.source, found.output] == counts.sum(0).tolist()
        assert sum(kept for kept, _ in found.categories.values()) == found.kept
        assert found.source - found.kept == sum(entity.times for entity in found.lost)
    assert metrics.create(report.signature).resolved() == metric.resolved()


def test_statistics_are_the_rows_of_tables_5_to_7(kb: str) -> None:
    report = entities(TEXTS, kb=kb)
    assert report.statistics == {
        "sentence count": 4,
        "source sentences with entities": 3,
        "source entities count": 6,
        "source distinct entities count": 4,
        "reference entities count": 6,
        "reference distinct entities count": 4,
        "common distinct entities count": 4,
    }
    assert report.histogram == (1, 1, 1, 1)
    alone = entities(TestSet({"bad": BAD}, source=SOURCE, pair="de-en"), kb=kb)
    assert list(alone.statistics) == list(report.statistics)[:4]


def test_lists_and_examples_are_as_long_as_asked_for(kb: str) -> None:
    bad = entities(TEXTS, kb=kb, most=1, examples=1).systems["bad"]
    assert [len(bad.lost), len(bad.lost[0].examples)] == [1, 1]
    with pytest.raises(UsageError, match="`most` must be 0 or more, not -1"):
        entities(TEXTS, kb=kb, most=-1)
    with pytest.raises(UsageError, match="has no outputs to report on"):
        entities(TestSet({}, source=SOURCE, pair="de-en"), kb=kb)


def test_text_json_page_and_figures_show_the_same(kb: str) -> None:
    report = entities(TEXTS, kb=kb)
    rows = [line.split() for line in Document(report_parts(report)).render().split("\n")]
    assert ["system", "all", "(6)", "place", "(4)", "person", "(1)", "other", "(1)"] in rows
    assert ["good", "100.0", "100.0", "100.0", "100.0"] in rows
    assert ["bad", "33.3", "50.0", "0.0", "0.0"] in rows
    assert ["Berlin", "place", "2", "3", "2,", "4", "Q64"] in rows
    assert json.loads(to_json(report.to_dict()))["systems"]["bad"]["categories"]["place"]["share"] == 0.5
    html = entity_page(report, TEXTS)
    assert '<p id="verdict">Names to look at: 4 lost and 2 invented, in 4 of 4 segments.</p>' in html
    shares = {(row["group"], row["name"]): row["share"] for row in share_figure(report).rows}
    assert shares["place (4)", "bad"] == 0.5
    assert [row["count"] for row in histogram_figure(report).rows] == [1, 1, 1, 1]


def test_a_page_of_texts_without_entities_says_so_without_a_figure_of_shares(kb: str) -> None:
    testset = TestSet({"a": ["Nothing"]}, source=["Nichts"], pair="de-en")
    html = entity_page(entities(testset, kb=kb), testset)
    assert "all (0)" in html
    assert html.count("<svg") == 1  # the histogram


def test_bars_of_nothing_are_refused() -> None:
    with pytest.raises(DataError, match="Figure 'none' has nothing to show"):
        count_bars([0, 0], label="x", title="none")
    with pytest.raises(DataError, match="Figure 'none' has nothing to show"):
        share_bars({"a": {"x": (0, 0)}}, label="x", title="none")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, texts in (("src", SOURCE), ("good", GOOD), ("bad", BAD)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return tmp_path


def test_the_command_prints_what_the_function_returns(kb: str, files: Path) -> None:
    words = ["entities", "-s", f"{files}/src", "-i", f"{files}/good", f"{files}/bad", "-l", "de-en", "--kb", kb]
    ran = run([*words, "-f", "json"])
    assert (ran.code, ran.err) == (0, "")
    testset = TestSet.read([files / "good", files / "bad"], source=files / "src", pair="de-en")
    printed = json.loads(ran.out)
    assert printed.pop("options")["command"] == "entities"
    assert printed == json.loads(to_json(entities(testset, kb=kb).to_dict()))
    ran = run([*words, "--html", f"{files}/page.html", "--plot", f"{files}/a.svg", "--histogram", f"{files}/b.png"])
    assert ran.code == 0
    assert "Lost by bad" in ran.out
    assert "Names to look at: 4 lost and 2 invented" in (files / "page.html").read_text("utf-8")
    assert run([*words, "-f", "html"]).out == (files / "page.html").read_text("utf-8")
    assert (files / "a.svg").read_text("utf-8").startswith("<svg")
    assert (files / "b.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_says_what_is_missing(files: Path) -> None:
    ran = run(["entities", "-i", f"{files}/good", "-l", "de-en"])
    assert (ran.code, ran.out) == (2, "")
    assert "kobe needs sources" in ran.err
    ran = run(["entities", "-s", f"{files}/src", "-i", f"{files}/good"])
    assert "kobe needs to know the languages" in ran.err
