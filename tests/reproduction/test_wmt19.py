"""Ma et al. (2019), Results of the WMT19 Metrics Shared Task: what holds of its tables."""

import pytest

from tercet import reproduce

from ..conformance.test_williams_wmt19 import WINNERS
from .conftest import values

pytestmark = pytest.mark.xdist_group("wmt19")  # the tables are recomputed once, in one process


@pytest.fixture(scope="module")
def tables(data):
    return {one.table: one for one in reproduce("wmt19", data=data)}


def test_all_404_cells_at_system_level_are_as_printed(tables):
    found = [tables[number] for number in ("3", "4", "5")]
    assert [(len(one.cells), one.equal, len(one.unchecked)) for one in found] == [
        (182 + 7, 182 + 7, 0),  # with n, the number of systems
        (161 + 8, 161 + 8, 0),
        (61 + 3, 61 + 3, 0),
    ]
    assert sum(one.equal for one in found) == 404 + 18
    assert all(cell.within is None and cell.must for one in found for cell in one.cells)


def test_n_and_blanks_are_as_printed_for_18_language_pairs(tables):
    statements = [one for number in ("3", "4", "5") for one in tables[number].statements]
    assert all(one.holds for one in statements)
    counted = [cell.recomputed for number in ("3", "4", "5") for cell in tables[number].cells if cell.row == "n"]
    assert [str(n) for n in counted] == "16 12 11 11 11 14 15 11 22 12 11 11 12 12 12 11 11 10".split()


def test_winners_are_the_bold_sets(tables):
    found = {pair: names for number in ("3", "4", "5") for pair, names in tables[number].winners.items()}
    expected = {pair: names.replace("sacreBLEU-", "sacreBLEU.").split() for pair, names in WINNERS.items()}
    assert {pair: set(names) for pair, names in found.items()} == {pair: set(names) for pair, names in expected.items()}


def test_what_the_text_says_of_winners_holds(tables):
    text = tables["text"]
    assert all(one.holds for one in text.statements) and len(text.statements) == 5
    found = {cell.row: (cell.printed, cell.recomputed) for cell in text.cells}
    assert found["6.2.1: language pairs that ESIM wins"] == (11, 11)
    assert found["6.2.1: language pairs that EED wins, not into English"] == (7, 7)
    assert found["abstract: metrics, without the baselines"] == (24, 24)
    assert {cell.row: (cell.recomputed, cell.must) for cell in text.cells if not cell.equal} == {
        "2.2: systems": (225, False),
        "6.2.1: language pairs on which ESIM is best": (4, False),
    }


def test_lt_en_at_segment_level_is_as_printed(tables):
    six = tables["6"]
    assert {row: round(value, 3) for row, value in values(six, "lt-en").items()} == {
        "n": 21862,
        "chrF": 0.301,
        "chrF+": 0.303,
        "BERTr": 0.353,
        "Meteor++_2.0(syntax)": 0.291,
        "Meteor++_2.0(syntax+copy)": 0.287,
        "WMDO": 0.300,
        "sentBLEU": 0.262,  # from the texts, as the next two
        "CharacTER": 0.254,
        "EED": 0.298,
    }
    assert six.equal == len(six.cells) == 10
    assert [one.found for one in six.statements if one.holds] == ["0.3010", "0.3032"]
    one = tables["1"]
    assert one.equal == len(one.cells) == 10 and {cell.row for cell in one.cells} == {"gu-en", "kk-en", "lt-en"}
    assert values(one, "DARR") == {"lt-en": 21862} and values(one, "DA pairs")["gu-en"] == 55880


def test_language_pairs_with_a_part_of_the_pairs_are_not_compared_with_print(tables):
    assert {cell.column for cell in tables["6"].cells} == {"lt-en"}
    beside = tables["6"].extra["chrF, on the pairs at hand"]
    assert (round(beside["gu-en"], 3), round(beside["kk-en"], 3)) == (0.238, 0.320)
    reasons = {one.reason for one in tables["6"].unchecked if one.column == "gu-en"}
    assert reasons == {"Only a part of the daRR pairs of gu-en is available (20,110 of 31,139)."}


def test_the_curve_over_the_best_systems_shows_the_tie_at_the_tenth(tables):
    curve = {
        n: (round(low, 3), round(high, 3)) for n, low, high in tables["figure 5"].curves[0].points["sacreBLEU.BLEU"]
    }
    assert (curve[22], curve[10], curve[6], curve[4]) == (
        (0.969, 0.969),
        (0.296, 0.561),
        (-0.478, -0.478),
        (-0.976, -0.976),
    )
    assert all(one.holds for one in tables["figure 5"].statements)


def test_there_is_a_matrix_for_every_language_pair(tables):
    found = [*tables["figure 1"].matrices, *tables["figure 2"].matrices]
    assert [one.title.split(",")[0] for one in found] == list(WINNERS)
    assert all(len(one.p_values) == len(one.names) == len(one.p_values[0]) for one in found)


def test_nothing_that_must_hold_fails_and_every_number_is_accounted_for(tables):
    assert [one.failed for one in tables.values()] == [[]] * len(tables)
    assert [len(tables[number].unchecked) for number in ("7", "8")] == [110, 41]
    assert all(one.reason for table in tables.values() for one in table.unchecked)


def test_the_majority_of_systems_forms_a_cloud(tables):
    six = tables["figure 6"]
    assert all(one.holds and one.must for one in six.statements) and len(six.statements) == 4
    assert [round(r, 3) for r in six.extra["sacreBLEU.BLEU"].values()] == [0.969, 0.462, -0.976]
    assert [len(points) for points in six.plots[0].series.values()] == [22, 12, 4]


def test_curves_of_the_appendix_are_signed_and_bertr_falls_least(tables):
    appendix = tables["figure A"]
    assert [one.title.split(",")[0] for one in appendix.curves] == list(WINNERS)
    lowest = {one.title.split(",")[0]: min(low for _, low, _ in one.points["BLEU"]) for one in appendix.curves}
    assert lowest["en-de"] < 0 and lowest["ru-en"] < 0
    held = {one.text: one.holds for one in appendix.statements}
    assert all(holds for text, holds in held.items() if "BERTr" in text or "en-zh" in text or "strongly" in text)
    assert sorted(text.split(": ")[1] for text, holds in held.items() if not holds) == [
        "de-en", "de-en", "de-fr", "lt-en", "ru-en", "ru-en",
    ]  # fmt: skip


def test_segments_are_compared_by_overlap_of_intervals(tables):
    three = tables["figure 3"]
    assert [one.title.split(",")[0] for one in three.matrices] == ["gu-en", "kk-en", "lt-en"]
    assert three.winners["lt-en"] == ["BERTr"]
    (matrix,) = (one for one in three.matrices if one.title.startswith("lt-en"))
    assert matrix.names[0] == "BERTr" and matrix.p_values[0] == [1.0] + [0.0] * (len(matrix.names) - 1)
    assert "de-en.darr.tsv" in three.notes[-1] and tables["figure 4"].matrices == []
