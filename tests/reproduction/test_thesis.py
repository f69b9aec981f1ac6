"""Fomicheva (2017), chapter 6: what holds of its tables."""

import json

import pytest

from tercet import reproduce
from tercet.tasks.reproduce.papers.thesis_analyses import _kappa

from ..docs.running import run
from .conftest import values

pytestmark = pytest.mark.xdist_group("thesis")  # the tables are recomputed once, in one process


@pytest.fixture(scope="module")
def tables(data):
    numbers = ("6.1", "6.2", "6.3", "6.4", "figure 6.2", "figure 6.3")
    return {number: reproduce("thesis", table=number, data=data)[0] for number in numbers}


def test_kappa_with_the_same_and_with_different_references_is_as_printed(tables):
    one = tables["6.1"]
    assert one.equal == len(one.cells) == 6
    assert {row: round(value, 3) for row, value in values(one, "Diff. ref.").items()} == {
        "Standard": 0.161,
        "Weighted": 0.328,
        "One-off": 0.585,
    }
    assert {row: round(value, 3) for row, value in values(one, "Same ref.").items()} == {
        "Standard": 0.188,
        "Weighted": 0.361,
        "One-off": 0.633,
    }


def test_half_widths_over_raters_are_far_wider_than_printed(tables):
    extra = tables["6.1"].extra
    assert extra["Standard, half-width over raters"]["Diff. ref."] > 10 * 0.002
    assert extra["Standard, same less different"]["lowest"] < 0 < extra["Standard, same less different"]["highest"]
    assert round(extra["Standard, the 25 published raters"]["Source"], 3) == 0.247


def test_intervals_over_raters_are_those_of_tercet_agree(tables, shared):
    ran = run(
        ["agree", str(shared / "data/tradopad/thesis_ratings.tsv.gz"), "--complete", "--source", "5", "-f", "json"]
    )
    assert ran.code == 0, ran.err
    (agreement,) = json.loads(ran.out)
    found = {(item["measure"], item["group"]): item for item in agreement["measures"]}
    extra = tables["6.1"].extra
    for row, measure in {"Standard": "kappa", "Weighted": "kappa, linear", "One-off": "kappa, one-off"}.items():
        for column, group in {"Diff. ref.": "different references", "Same ref.": "same reference"}.items():
            half = (found[measure, group]["high"] - found[measure, group]["low"]) / 2
            assert extra[f"{row}, half-width over raters"][column] == pytest.approx(half, abs=1e-12)


@pytest.mark.parametrize(("table", "expected"), [("6.2", [1.980, 2.342, 2.562, 2.740]), ("6.4", [3.4, 2.0, 2.0, 2.8])])
def test_mean_ratings_are_exact(tables, table, expected):
    assert [cell.recomputed for cell in tables[table].cells] == pytest.approx(expected, abs=1e-12)
    assert tables[table].equal == 4


def test_bleu_and_ratings_correlate_as_printed_within_six_thousandths(tables):
    cells = tables["6.3"].cells
    assert len(cells) == 20
    assert max(abs(cell.difference) for cell in cells) < 0.006
    assert {cell.verdict for cell in cells} == {"near"}
    assert sum(abs(cell.difference) for cell in cells[:16]) / 16 < 0.003
    assert all(one.holds for one in tables["6.3"].statements)


def test_the_figures_show_what_the_text_says(tables):
    statements = [one for name in ("figure 6.2", "figure 6.3") for one in tables[name].statements]
    assert len(statements) == 4
    assert all(one.holds for one in statements)
    same, different = tables["figure 6.2"].extra.values()
    assert [round(value, 3) for value in same.values()] == [0.298, 0.400, 0.376, 0.375, 0.333]
    assert [round(value, 3) for value in different.values()] == [0.242, 0.368, 0.369, 0.332, 0.301]
    spread = tables["figure 6.3"].extra["standard deviation"]
    assert [round(value, 3) for value in spread.values()] == [1.020, 1.108, 1.019, 1.005, 0.894]


def test_people_agree_as_the_program_of_wmt15_counts(data):
    (found,) = reproduce("thesis", table="4.20", data=data)
    assert (found.equal, len(found.cells), len(found.unchecked)) == (10, 10, 0)
    assert all(cell.must for cell in found.cells) and found.statements[0].holds


@pytest.mark.parametrize(
    ("options", "kappa", "by_chance"),
    [
        # "a|b" twice with the same outcome, once with a tie, and once in the other order, which is not compared.
        ({}, (1 / 3 - 11 / 32) / (21 / 32), 11 / 32),
        # "d,e" is two systems: (d, e) is tied and shown once, so that it only adds a tie.
        ({"each_system": True}, (1 / 3 - 0.34) / 0.66, 0.34),
        ({"each_system": True, "ties": False}, 1.0, 0.5),
    ],
)
def test_kappa_is_of_outputs_that_were_shown_in_the_same_order(options, kappa, by_chance):
    rows = [("a|b", "1|2"), ("a|b", "1|3"), ("a|b", "2|2"), ("b|a", "1|2")]
    rows += [("d,e", "1")] if options.get("each_system") else []
    rankings = [("cs-en", "7", *row) for row in rows]
    assert _kappa(rankings, **options) == pytest.approx((kappa, by_chance))


def test_nothing_that_should_reproduce_differs(tables):
    assert [one.failed for one in tables.values()] == [[]] * len(tables)
