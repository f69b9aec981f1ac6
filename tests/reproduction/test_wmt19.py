"""Ma et al. (2019), Results of the WMT19 Metrics Shared Task: what holds of its tables."""

from unittest import mock

import pytest

from tercet.reproduction import DataSets, reproduce

from ..conformance.test_williams_wmt19 import WINNERS
from .conftest import values

ENCODED = ("bertr", "bertscore", "yisi1", "wmdo", "prep", "lasim", "yisi2")
pytestmark = pytest.mark.xdist_group("wmt19")  # the tables are recomputed once, in one process


@pytest.fixture(scope="module")
def tables(data):
    """All tables, without the rows of encoders below Table 6, which take two minutes."""
    scored = DataSets.scored

    def without_encoders(self, texts, rows, **options):
        kept = {row: metric for row, metric in rows.items() if not row.startswith(ENCODED)}
        return scored(self, texts, kept, **options)

    with mock.patch.object(DataSets, "scored", without_encoders):
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
    found = {one.text: (one.holds, one.found) for one in tables["text"].statements}
    assert found["6.2.1: ESIM wins 11 of 16 language pairs"] == (True, "11 of 16")
    assert found["6.2.1: EED wins 7 of 11 out of English and without English"] == (True, "7 of 11")
    assert [text for text, (holds, _) in found.items() if not holds] == [
        "6.2.1: ESIM is best on 5 language pairs",
        "2.2: 233 systems",
    ]


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
    assert {cell.row: cell.recomputed for cell in tables["1"].cells} == {"lt-en": 21862}


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
