"""Every number that counts as equal stops being equal when the printed number is changed."""

import csv
import io
from decimal import Decimal

import pytest

from tercet import reproduce
from tercet.tasks.reproduce import printed as prints
from tercet.tasks.reproduce.derived import derived_cells
from tercet.tasks.reproduce.papers import kobe
from tercet.tasks.reproduce.papers.wmt14 import segment_table, system_table
from tercet.tasks.reproduce.papers.wmt19_figures import top_n_figure
from tercet.tasks.reproduce.tables import PAPERS, tables

from .test_wmt14 import FEW

CHEAP = {
    "wmt19": ("1", "3", "4", "5", "6", "text"),
    "kobe": ("1", "2", "3", "4", "7"),
    "thesis": ("4.9", "4.20", "6.1", "6.2", "6.4"),
}


def changed(text: str, *, steps: int = 1) -> str:
    """The number, larger by one in its last printed digit."""
    number = Decimal(text)
    return str(number + steps * Decimal(1).scaleb(int(number.as_tuple().exponent)))


@pytest.fixture
def mutate(monkeypatch):
    """Changes the printed numbers of a table: all, or one of them."""
    original = prints._expected_text

    def put(name: str, change, only: tuple[str, str] | None = None) -> None:
        def text(asked: str) -> str:
            rows = list(csv.reader(io.StringIO(original(asked))))
            if asked != name:
                return original(asked)
            for row in rows[1:]:
                for place in range(1, len(row)):
                    if row[place] and only in (None, (row[0], rows[0][place])):
                        row[place] = change(row[place], rows[0][place])
            out = io.StringIO()
            csv.writer(out).writerows(rows)
            return out.getvalue()

        monkeypatch.setattr(prints, "_expected_text", text)

    return put


# Each paper is in the group of its own tests, which have computed its scores.
@pytest.mark.parametrize(
    ("paper", "number"),
    [
        pytest.param(paper, number, marks=pytest.mark.xdist_group(paper))
        for paper, numbers in CHEAP.items()
        for number in numbers
    ],
)
def test_one_in_the_last_digit_makes_a_cell_differ(data, mutate, paper, number):
    (before,) = reproduce(paper, table=number, data=data)
    equal = [cell for cell in before.cells if cell.agrees]
    assert equal and before.failed == []
    # The copies of KoBE's tables have lost final zeros, so that their last digit may be worth ten or a hundred.
    mutate(tables(paper)[number].expected, lambda text, column: changed(text))
    (after,) = reproduce(paper, table=number, data=data)
    still = {(cell.row, cell.column) for cell in after.cells if cell.agrees}
    assert not still & {(cell.row, cell.column) for cell in equal}
    lost = len(equal) - sum(cell.failed for cell in after.cells)
    assert after.failed or lost == len(equal)  # daRR pairs that do not add up to n are not compared at all


@pytest.mark.xdist_group("wmt14")
def test_numbers_in_a_printed_interval_differ_outside_of_it(data, mutate):
    table = tables("wmt14")["4"]
    rows = {row: table.own_rows[row] for row in ("METEOR", "BEER", "UPC-IPA", "BLEU_NRC", "AMBER", "APAC")}

    def taus():
        return segment_table(data, rows=rows, pairs=FEW).cells

    before = {(cell.row, cell.column): cell.verdict for cell in taus() if cell.agrees}
    assert {row for row, column in before if column in FEW} == {"SENTBLEU", *rows} - {"BEER"}
    assert set(before.values()) == {"equal", "in interval", "half-width"}
    mutate("wmt14_t4", lambda text, column: changed(text, steps=20) if not column.endswith("_ci") else text)
    after = {(cell.row, cell.column): cell for cell in taus()}
    assert not any(after[key].agrees or after[key].failed != after[key].must for key in before if key[1] in FEW)
    mutate("wmt14_t4", lambda text, column: changed(text) if column.endswith("_ci") else text)
    assert not any(cell.agrees for cell in taus() if cell.column.endswith("_ci") and (cell.row, cell.column) in before)


@pytest.mark.xdist_group("wmt14")
def test_numbers_at_system_level_differ_when_they_are_changed(data, mutate):
    def cells():
        return system_table(data, rows={}, pairs=FEW).cells

    before = {(cell.row, cell.column): cell for cell in cells() if cell.agrees}
    assert {cell.verdict for cell in before.values()} == {"equal", "in interval"} and ("n", FEW[0]) in before
    mutate("wmt14_t2", lambda text, column: changed(text, steps=1 if column.endswith("_ci") else 200))
    assert not any(cell.agrees for cell in cells() if (cell.row, cell.column) in before)


@pytest.mark.xdist_group("kobe")
def test_numbers_of_the_text_and_of_figures_differ_when_they_are_changed(data, mutate):
    def found():
        texts = kobe.text_statements(data).cells
        return [cell.agrees for cell in (*texts, *kobe.system_figure(data).cells, *top_n_figure(data).cells)]

    assert found() == [True, False, True, True]  # KoBE's number of sentences is not that of its tables
    mutate("kobe_text", lambda text, column: changed(text))
    assert found() == [False, False, False, True]
    mutate("wmt19_text", lambda text, column: changed(text))
    assert found() == [True, False, True, False]


def test_numbers_that_follow_from_others_differ_when_they_are_changed(mutate):
    checked = 0
    for paper in PAPERS:
        for table in tables(paper).values():
            for cell in derived_cells(table.expected) if table.expected else ():
                if cell.agrees:
                    mutate(table.expected, lambda text, column: changed(text), only=(cell.row, cell.column))
                    after = {(one.row, one.column): one for one in derived_cells(table.expected)}
                    assert not after[cell.row, cell.column].agrees, (table.expected, cell)
                    mutate(table.expected, lambda text, column: text)
                    checked += 1
    assert checked == 335
