"""One document has every form; hostile texts and formulas do no harm in any."""

import csv
import io
import json
import math
from dataclasses import dataclass

import pytest

from tercet.errors import UnknownName
from tercet.rendering.document import (
    FORMS,
    Column,
    Document,
    Heading,
    Notes,
    Pre,
    Segments,
    SegmentTexts,
    Table,
    cell,
    grid,
    listing,
    records,
    wrap,
)

CARD = SegmentTexts("segment 1", [("source", "a <b>b</b>")], [("edits", ["insert x"])])
PARTS = [
    Heading("Scores", "BLEU|v:1"),
    "A paragraph.",
    Notes(["One.", "Two."]),
    Table(["System", "BLEU"], [["a", "1.0"], ["b", "2.0"]], "Systems", key=("Metric", "bleu")),
    Segments("Deciding", [CARD]),
    Pre("  $ tercet"),
]


def test_cells_round_numbers_and_show_intervals() -> None:
    assert [cell(value, 2) for value in (0.125, 7, None, (1.0, 0.5, 1.5), (0.5, 1.5), (math.nan, 1.5))] == [
        "0.12", "7", "–", "1.00 (0.50 to 1.50)", "0.50 to 1.50", "–",
    ]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_cells_of_the_table(form: str) -> None:
    text = Document(PARTS, "t").render(form)
    assert all(cell in text for cell in ("System", "BLEU", "1.0", "2.0"))


def test_programs_get_only_tables_and_latex_has_the_rest_as_comments() -> None:
    document = Document(PARTS)
    assert document.render("csv") == "Metric,System,BLEU\nbleu,a,1.0\nbleu,b,2.0"
    latex = document.render("latex").split("\n")
    start, end = latex.index(r"\begin{tabular}{lr}"), latex.index(r"\end{tabular}")
    assert all(not line or line.startswith("% ") for line in (*latex[:start], *latex[end + 1 :]))
    assert "% Two." in latex


def test_json_has_the_data_if_there_are_some_else_the_parts() -> None:
    assert json.loads(Document(PARTS, data=lambda: {"x": float("nan")}).render("json")) == {"x": None}
    assert Document(PARTS, data=lambda: [{"x": 1}, {"x": 2}]).render("jsonl") == '{"x": 1}\n{"x": 2}'
    parts = json.loads(Document(PARTS).render("json"))
    assert parts[0] == {"heading": "Scores", "level": 2, "code": "BLEU|v:1"}
    assert parts[3]["header"] == ["Metric", "System", "BLEU"]
    assert parts[4]["segments"][0]["texts"] == {"source": "a <b>b</b>"}


def test_an_unknown_form_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no format called 'jsn'. Did you mean json"):
        Document([]).render("jsn")


def test_markdown_escapes_html_and_keeps_code_within_its_fence() -> None:
    hostile = "<img src=x onerror=alert(1)> &lt; A & B"
    parts = [Heading(hostile), hostile, Table([hostile], [[hostile]]), Segments(hostile, [CARD]), Pre("``` <b>")]
    text = Document(parts).render("markdown")
    assert "<img" not in text and "a <b>" not in text
    assert text.count("&lt;img src=x onerror=alert(1)&gt; &amp;lt; A & B") == 5
    assert text.endswith("````\n``` <b>\n````")


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_spreadsheet_gets_no_formulas_and_numbers_stay(form: str) -> None:
    cells = ["=1+1", "+cmd", "-x", "@sum", " =1", "-1.5", "+2", "-.3e-5", "a=b", "-", "1,234"]
    document = Document([Table(["=h"], [[cell] for cell in cells])])
    delimiter = "," if form == "csv" else "\t"

    def read(text: str) -> list[str]:
        return [row[0] for row in csv.reader(io.StringIO(text), delimiter=delimiter)]

    assert read(document.render(form)) == ["=h", *cells]
    expected = ["'=h", "'=1+1", "'+cmd", "'-x", "'@sum", "' =1", "-1.5", "+2", "-.3e-5", "a=b", "'-", "1,234"]
    assert read(document.render(form, spreadsheet=True)) == expected


def test_records_are_a_table_and_one_record_is_a_list_of_its_fields() -> None:
    table = records([{"a": 1, "b": True}, {"a": "x", "c": [1, 2]}])
    assert (table.header, table.rows) == (["a", "b", "c"], [["1", "yes", ""], ["x", "", "[1, 2]"]])
    assert records({"a": None, "b": 0.5}).rows == [["a", ""], ["b", "0.5"]]


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("", 5, [""]),
        ("one two", 7, ["one two"]),
        ("one two three", 8, ["one two", "three"]),
        ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]),
        ("漢字漢字 漢", 5, ["漢字", "漢字", "漢"]),
    ],
)
def test_texts_are_broken_at_blanks_and_long_words_anywhere(text: str, columns: int, lines: list[str]) -> None:
    assert list(wrap(text, columns)) == lines


@dataclass
class Item:
    name: str
    value: float
    low: float
    by: dict[str, int]


ITEMS = [Item("a", 0.12345, math.nan, {"x": 1}), Item("b", math.nan, math.nan, {"x": 2})]


def test_a_listing_shows_fields_paths_and_functions_of_items() -> None:
    columns: dict[str, Column] = {
        "Name": "name",
        "Value": "value",
        "X": ("by", "x"),
        "Span": lambda item: (item.value, 0.0, 1.0),
    }
    table = listing(ITEMS, columns, 2, caption="c")
    assert (table.header, table.caption) == (["Name", "Value", "X", "Span"], "c")
    assert [list(row) for row in table.rows] == [
        ["a", "0.12", "1", "0.12 (0.00 to 1.00)"],
        ["b", "–", "2", "– (0.00 to 1.00)"],
    ]
    assert listing([{"n": None}], {"N": "n"}).rows == [("–",)]


def test_a_listing_leaves_out_optional_columns_without_a_value() -> None:
    columns = {"Name": "name", "Value": "value", "Low": "low"}
    assert listing(ITEMS, columns, optional=["Value", "Low"]).header == ["Name", "Value"]
    assert listing(ITEMS, columns).header == ["Name", "Value", "Low"]


def test_a_grid_may_name_its_rows_and_columns_otherwise() -> None:
    table = grid({1: "one", 2: "two"}, ["3", "4"], lambda row, column: row * float(column), 1, corner="times")
    assert table.header == ["times", "3", "4"]
    assert table.rows == [["one", "3.0", "4.0"], ["two", "6.0", "8.0"]]


def test_programs_get_the_records_in_full_and_people_the_tables() -> None:
    rows: list[dict[str, object]] = [{"n": 1 / 3, "ok": True, "why": None}, {"n": math.nan, "ok": False, "why": "x"}]
    document = Document([listing(rows, {"N": "n"}, 1)], rows=lambda: rows)
    assert document.render("tsv") == f"n\tok\twhy\n{1 / 3}\ttrue\t\n\tfalse\tx"
    assert document.render("markdown").splitlines()[2:] == ["| 0.3 |", "| – |"]
    assert [json.loads(line)["n"] for line in document.render("jsonl").splitlines()] == [1 / 3, None]
    assert Document(["text"], rows=list, columns=["n", "ok"]).render("csv") == "n,ok"
    assert Document([], rows=lambda: rows, columns=["why", "n"]).render("csv").splitlines()[1] == f",{1 / 3}"
