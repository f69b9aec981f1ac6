"""One table has the same cells in every form, and what stands out does so in each form's own way."""

import pytest

from tercet.errors import UnknownName
from tercet.rendering.tables import DASH, FORMS, Bold, is_numeric, number, shown_width, table

HEADER = ["Metric", "r"]
ROWS = [["chrF", Bold("0.98")], ["BLEU", "-0.5"]]


def test_bold_cells_have_a_star_in_text_and_digits_stay_in_line() -> None:
    assert table(HEADER, ROWS, "text").split("\n") == [
        "Metric      r",
        "──────  ─────",
        "chrF    0.98*",
        "BLEU    -0.5",
    ]


def test_bold_cells_are_bold_in_markdown() -> None:
    assert table(HEADER, ROWS, "markdown").split("\n") == [
        "| Metric | r |",
        "|---|---:|",
        "| chrF | **0.98** |",
        "| BLEU | -0.5 |",
    ]


def test_bold_cells_are_bold_in_latex_with_their_signs_escaped() -> None:
    lines = table(HEADER, [*ROWS, [Bold("a_b"), "1"]], "latex").split("\n")
    assert lines == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"Metric & r \\",
        r"\midrule",
        r"chrF & \textbf{0.98} \\",
        r"BLEU & -0.5 \\",
        r"\textbf{a\_b} & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_bold_cells_are_plain_where_programs_read(form: str, delimiter: str) -> None:
    text = table(HEADER, ROWS, form)
    assert text == f"Metric{delimiter}r\nchrF{delimiter}0.98\nBLEU{delimiter}-0.5"


@pytest.mark.parametrize("form", FORMS)
def test_a_line_feed_in_a_bold_cell_stays_within_its_cell(form: str) -> None:
    text = table(["a"], [[Bold("x\ny")]], form)
    shown = {"text": "x y*", "markdown": "**x y**", "latex": r"\textbf{x y}", "csv": '"x\ny"', "tsv": '"x\ny"'}
    assert text.count(shown[form]) == 1


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "–", ""],
        [".301", "-.2", "−.5"],
        ["−0.5", "<0.001", "< 0.001", "> 0.9", "≥ 5"],
        ["0.905 to 0.998", "12 %", "1,234"],
        [],
    ],
)
def test_columns_of_numbers_dashes_and_blanks_are_numeric(cells: list[str]) -> None:
    assert is_numeric(cells)


@pytest.mark.parametrize("cell", ["a", ".hidden", "...", "-x", "–a", "<b>", "(1)", "a1"])
def test_a_column_with_one_word_is_not_numeric(cell: str) -> None:
    assert not is_numeric(["1", cell])


def test_numbers_are_rounded_and_undefined_ones_are_dashes() -> None:
    assert [number(0.12345, 3), number(float("nan"), 3), number(None, 1)] == ["0.123", DASH, DASH]


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert [shown_width(text) for text in ("ab", "中文", "e\u0301")] == [2, 4, 1]


def test_an_unknown_form_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no table format called 'markdwn'. Did you mean markdown"):
        table(["a"], [["1"]], "markdwn")


def test_a_table_that_is_too_wide_is_cut_into_parts_with_the_names_of_its_rows() -> None:
    header = ["A", "B", "first", "second", "third"]
    rows = [["one", "two", "1.00", Bold("2.00"), "3.00"], ["three", "four", "4.00", "5.00", "6.00"]]
    whole = table(header, rows)
    assert table(header, rows, columns=max(map(len, whole.split("\n")))) == whole
    assert table(header, rows, columns=27) == (
        "A      B     first  second\n"
        "─────  ────  ─────  ──────\n"
        "one    two    1.00   2.00*\n"
        "three  four   4.00   5.00\n"
        "\n"
        "A      B     third\n"
        "─────  ────  ─────\n"
        "one    two    3.00\n"
        "three  four   6.00"
    )
    narrow = table(header, rows, columns=5)  # each part has a column at least
    assert [part.split("\n")[0].split()[-1] for part in narrow.split("\n\n")] == ["first", "second", "third"]
    assert table(header, rows, "tsv", columns=5) == table(header, rows, "tsv")


def test_sentences_that_begin_with_a_number_are_no_numbers() -> None:
    assert is_numeric(["0.661 to 0.844", "–", "< 0.001", ""])
    assert not is_numeric(["43 of 147 features are outside the range of the training texts"])
