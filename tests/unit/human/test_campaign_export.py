"""Test the export of judgements to tables."""

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet import examples as demo
from tercet.data.evidence import open_evidence
from tercet.data.formats.reading import read_judgement_file
from tercet.data.judgements import Judgement, Judgements
from tercet.data.mqm import read_mqm
from tercet.data.own_judgements import read_judgements, read_ratings_table
from tercet.errors import DataError, UnknownName, UsageError
from tercet.human.answers import judgements_of
from tercet.human.campaign import Campaign, Item, Output, Rater
from tercet.human.control import without_checks
from tercet.human.designs import design
from tercet.human.export import export
from tercet.human.gold import means, standardise
from tercet.human.pairs import pairs_of_rankings

DEMO = demo.load("en-zh")
TEXT = "Er sagte: „猫“ 👩‍🚀 e\u0301!"


def same(one: Judgements, other: Judgements) -> bool:
    """Return whether two values are equal, with NaN equal to NaN."""
    return [repr(row) for row in one.rows] == [repr(row) for row in other.rows] and one.pair == other.pair


def answers(campaign: Campaign) -> list[Any]:
    """Make an answer of every rater to every item; the first rater changes one answer."""
    rows: list[Any] = []
    for number, rater in enumerate(campaign.raters):
        for place, id in enumerate(rater.items):
            item, how = campaign.item(id), campaign.how
            value = how.low + (place * 7 + number * 3 + len(item.outputs[0].text)) % int(how.high - how.low + 1)
            answer: dict[str, Any] = {"value": value}
            if how.ranks:
                answer = {
                    "ranks": {system: 1 + (place + n) % len(item.systems) for n, system in enumerate(item.systems)}
                }
            if how.spans:
                category = campaign.categories[place % len(campaign.categories)] if campaign.categories else ""
                text = item.outputs[0].text
                span = {"start": 0, "end": len(text), "severity": campaign.severities[0], "category": category}
                answer = {"spans": [[span] if place % 2 and text else []], "value": value if how.has_value else None}
            rows.append((rater.name, id, answer, 1.25 + place, f"2026-01-01T00:00:{place % 60:02d}Z"))
    rows.append((*rows[0][:2], rows[1][2], 9.0, "2026-01-02T00:00:00Z"))
    if campaign.how.spans or campaign.how.ranks:
        rows.pop()
    return rows


@pytest.mark.parametrize("protocol", ["adequacy", "fluency", "da", "effort", "ranking", "pairwise", "mqm", "esa"])
def test_the_exported_table_gives_the_same_judgements_when_read(protocol: str, tmp_path: Path) -> None:
    made = design(DEMO, protocol=protocol, raters=3, segments=6, repeats=0.2, hidden=0.2)
    rows = answers(made)
    expected = judgements_of(made, rows)
    assert export(made, rows, tmp_path / "ratings.tsv") == len(expected)
    for read in (
        read_ratings_table(tmp_path / "ratings.tsv"),
        read_judgement_file(tmp_path / "ratings.tsv")[0],
        open_evidence(tmp_path / "ratings.tsv").judgements[0],
    ):
        assert same(read, expected) and read.name == made.name
    export(made, rows, tmp_path / "ratings.jsonl")
    assert same(read_judgements(tmp_path / "ratings.jsonl"), expected)
    export(made, rows, tmp_path / "ratings.csv")
    table = list(csv.reader((tmp_path / "ratings.csv").read_text("utf-8").split("\n")[:-1]))
    lines = (tmp_path / "ratings.tsv").read_text("utf-8").split("\n")[:-1]
    assert table == [line.split("\t") for line in lines]


def test_the_table_has_all_columns(tmp_path: Path) -> None:
    item = Item("0007", "12", (Output("A", TEXT),), None, "r", "refB", "doc 1", "repeat")
    made = Campaign("c", "esa", [item], [Rater("ann", ("0007",), "g")], "en-de", show="reference", severities=["Minor"])
    spans = [[{"start": 10, "end": 11, "severity": "Minor"}]]
    rows = [
        ("ann", "0007", {"spans": [[]], "value": 70.5}, math.nan, "t1"),
        ("ann", "0007", {"spans": spans, "value": 71}, 3.25, "t2"),
    ]
    export(made, rows, tmp_path / "r.tsv", revisions="all")
    assert (tmp_path / "r.tsv").read_text("utf-8").split("\n") == [
        "rater\titem\tsegment\tsystem\tkind\tvalue\treference\tseconds\ttime\tcheck\tgroup\tdocument\trevision\tspans\tlp\tset",
        "ann\t0007\t12\tA\tesa\t70.5\trefB\t\tt1\trepeat\tg\tdoc 1\t1\t[]\ten-de\tc",
        "ann\t0007\t12\tA\tesa\t71\trefB\t3.25\tt2\trepeat\tg\tdoc 1\t2\t"
        '[{"start": 10, "end": 11, "severity": "Minor", "category": "", "in_source": false}]\ten-de\tc',
        "",
    ]
    assert [row.task for row in read_ratings_table(tmp_path / "r.tsv").rows] == ["0007", "0007#2"]
    export(made, rows, tmp_path / "r.tsv")
    assert [row.value for row in read_ratings_table(tmp_path / "r.tsv").rows] == [71]


def test_wmts_table_has_means_and_standardised_means_without_control_items(tmp_path: Path) -> None:
    made = design(DEMO, protocol="da", raters=4, segments=8, bad=0.2, repeats=0.2, hidden=0.2)
    rows = answers(made)
    export(made, rows, tmp_path / "wmt.en-zh.tsv", form="wmt")
    table = [line.split("\t") for line in (tmp_path / "wmt.en-zh.tsv").read_text("utf-8").split("\n")[:-1]]
    assert table[0] == ["SYS", "SEGID", "RAW.SCR", "Z.SCR", "N"] and len(table) == 1 + 8 * 3
    judgements = judgements_of(made, rows)
    raw = means(without_checks(judgements).kept)
    z = means(without_checks(standardise(judgements)).kept, raw.segments)
    for system, segment, one, other, number in table[1:]:
        place = raw.segments.index(segment), raw.systems.index(system)
        assert (float(one), float(other), int(number)) == (raw.values[place], z.values[place], 4)
    gold = {scores.metric.spec: scores for scores in open_evidence(tmp_path / "wmt.en-zh.tsv").gold}
    assert set(gold) == {"da", "da_raw"}


def test_tutorial_items_do_not_affect_standardised_scores(tmp_path: Path) -> None:
    items = [Item(f"i{n}", str(n), (Output("s", "x"),), source="y") for n in range(3)]
    items.append(Item("t1", "t1", (Output("s", "x"),), source="y", check="tutorial"))
    made = Campaign("c", "da", items, [Rater("anna", ("i0", "i1", "i2"))], pair="en-de", tutorial=["t1"])
    rows: list[Any] = [("anna", f"i{n}", {"value": 50 + n}, 1.0, "") for n in range(3)]
    tables = []
    for number, extra in enumerate(([], [("anna", "t1", {"value": 0}, 1.0, "")])):
        export(made, extra + rows, tmp_path / f"{number}.tsv", form="wmt")
        tables.append((tmp_path / f"{number}.tsv").read_text("utf-8"))
    assert tables[0] == tables[1] and "s\t2\t52\t1\t1\n" in tables[0].replace(".0\t", "\t")


def test_wmts_table_of_rankings_gives_the_same_pairs(tmp_path: Path) -> None:
    made = design(DEMO, protocol="ranking", raters=3, segments=6, repeats=0.2)
    rows = answers(made)
    export(made, rows, tmp_path / "rankings.tsv", form="wmt")
    (read,) = open_evidence(tmp_path / "rankings.tsv", "en-zh").judgements
    expected = pairs_of_rankings(without_checks(judgements_of(made, rows)).kept)
    found = pairs_of_rankings(read)
    assert found.outcome.tolist() == expected.outcome.tolist() and read.pair == "en-zh"
    assert [row.rater for row in read.rows] == [row.rater for row in judgements_of(made, rows).rows if not row.check]


def test_the_mqm_table_has_one_row_per_error_with_marks_in_code_points(tmp_path: Path) -> None:
    plain = Item("1", "1", (Output("A", TEXT),), "Die 🐈 Quelle", document="d")
    none = Item("2", "2", (Output("A", "ok"),), "s", document="d")
    made = Campaign(
        "c",
        "mqm",
        [plain, none],
        [Rater("ann", ("1", "2"))],
        severities=["Minor", "Major"],
        categories=["Other", "X/Y"],
    )
    cat = TEXT.index("猫")
    accent = TEXT.index("e\u0301")
    spans = [
        {"start": cat, "end": cat + 1, "severity": "Major", "category": "X/Y"},
        {"start": accent, "end": accent + 2, "severity": "Minor", "category": "Other"},
        {"start": 4, "end": 5, "severity": "Minor", "category": "Other", "in_source": True},
        {"start": None, "end": None, "severity": "Minor", "category": "X/Y"},
    ]
    rows = [("ann", "1", {"spans": [spans]}, 1, ""), ("ann", "2", {"spans": [[]]}, 1, "")]
    export(made, rows, tmp_path / "mqm.tsv", form="mqm")
    lines = (tmp_path / "mqm.tsv").read_text("utf-8").split("\n")
    assert lines[1].split("\t")[6] == "Er sagte: „<v>猫</v>“ 👩‍🚀 e\u0301!"
    assert lines[3].split("\t")[5] == "Die <v>🐈</v> Quelle"
    assert lines[5] == "A\td\t2\t2\tann\ts\tok\tno-error\tno-error"
    read = read_mqm(tmp_path / "mqm.tsv")
    assert [row.spans for row in read.rows] == [row.spans for row in judgements_of(made, rows).rows]
    (found,) = open_evidence(tmp_path / "mqm.tsv").judgements
    assert [row.spans for row in found.rows] == [row.spans for row in read.rows]


@pytest.mark.parametrize(
    ("protocol", "form", "revisions", "expected"),
    [
        ("adequacy", "wmt", "last", "WMT's table is for scores from 0 to 100 and rankings, not for adequacy"),
        ("da", "mqm", "last", "The format mqm is for marked errors, and da has none"),
        ("da", "wmt", "all", "The format wmt cannot hold earlier answers"),
        ("da", "xml", "last", "There is no format of ratings called 'xml'"),
    ],
)
def test_a_format_that_cannot_hold_the_answers_is_an_error(
    protocol: str, form: str, revisions: Any, expected: str, tmp_path: Path
) -> None:
    made = design(DEMO, protocol=protocol, raters=2, segments=3)
    with pytest.raises((UsageError, UnknownName)) as caught:
        export(made, answers(made), tmp_path / "x", form=form, revisions=revisions)
    assert expected in str(caught.value) and not list(tmp_path.iterdir())


def test_texts_that_would_break_the_mqm_table_are_refused(tmp_path: Path) -> None:
    for text, why in (("a\tb", "holds a tab"), ("a\nb", "holds a line feed"), ("a <v> b", "contains <v> or </v>")):
        made = Campaign("c", "mqm", [Item("1", "1", (Output("A", text),), "s")], [Rater("r", ("1",))], severities=["M"])
        with pytest.raises(DataError, match=f"Item '1' {why}"):
            export(made, [("r", "1", {"spans": [[]]}, 1, "")], tmp_path / "x", form="mqm")


def test_an_export_without_judgements_is_an_error(tmp_path: Path) -> None:
    made = design(DEMO, protocol="da", raters=1)
    with pytest.raises(DataError, match="Campaign 'en-zh' has no judgements yet"):
        export(made, [], tmp_path / "r.tsv")


HEADER = "rater\titem\tsegment\tsystem\tkind\tvalue"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([HEADER, "r\ti\t1\tA\tda\tmany"], "line 2, column 'value': 'many' is not a number"),
        ([HEADER, "r\ti\t1\tA\tda\t50", "r\ti\t2\tA\tda\t150"], "line 3: 150 is out of range for da (0 to 100)."),
        ([HEADER, "r\ti\t1\tA\tdda\t50"], "line 2: there is no kind of judgement called 'dda'"),
        ([HEADER, "r\ti\t1\tA\tda\t"], "line 2: the value is nan"),
        ([HEADER, "r\ti\t1\t\tda\t5"], "line 2: a judgement needs the name of a system and of a segment."),
        ([HEADER, "r\ti\t1\tA\tda"], "line 2: 5 tab-separated fields, but line 1 has 6."),
        ([f"{HEADER}\tspans", "r\ti\t1\tA\tmqm\t\t[{]"], "line 2: "),
        ([f"{HEADER}\tspans", 'r\ti\t1\tA\tmqm\t\t[{"start": 1}]'], 'line 2: "spans" must be a list of objects'),
        ([f"{HEADER}\tseconds", "r\ti\t1\tA\tda\t5\tlong"], "line 2, column 'seconds': 'long' is not a number"),
        (["rater\titem\tsegment\tsystem\tkind", "r\ti\t1\tA\tda"], "line 1: no column 'value'"),
    ],
)
def test_a_bad_table_is_refused_with_its_line(lines: list[str], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(DataError) as caught:
        read_ratings_table(path)
    assert expected in str(caught.value) and "r.tsv" in str(caught.value)


def test_a_users_own_table_needs_six_columns_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("note\tvalue\tkind\tsystem\tsegment\titem\trater\nfirst\t3\tadequacy\tA\t1\t\tann\n", "utf-8")
    read = read_ratings_table(path)
    assert read.name == "mine" and read.pair is None
    assert repr(read.rows) == repr((Judgement("adequacy", "1", "A", 3.0, "ann"),))


@settings(deadline=None, max_examples=30)
@given(value=st.floats(0, 100), seconds=st.floats(0, 1e5))
def test_numbers_are_kept_to_the_last_digit(value: float, seconds: float, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "numbers.tsv"
    made = Campaign("c", "da", [Item("1", "1", (Output("A", "x"),), "s")], [Rater("r", ("1",))])
    export(made, [("r", "1", {"value": value}, seconds, "")], path)
    (row,) = read_ratings_table(path).rows
    assert (row.value, row.seconds) == (value, seconds)
