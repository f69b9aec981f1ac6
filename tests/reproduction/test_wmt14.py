"""Macháček and Bojar (2014), Results of the WMT14 Metrics Shared Task: how near its tables can be reached."""

import pytest

from tercet.meta.papers import reproduce

PAIRS = ("fr-en", "de-en", "hi-en", "cs-en", "ru-en")


pytestmark = pytest.mark.xdist_group("wmt14")  # the tables are recomputed once, in one process


@pytest.fixture(scope="module")
def tables(data):
    return {one.table: one for one in reproduce("wmt14", data=data)}


def cells(result, row):
    return {cell.column: cell for cell in result.cells if cell.row == row}


def test_sentbleu_is_within_two_thousandths_of_print(tables):
    found = cells(tables["4"], "SENTBLEU")
    assert [found[pair].printed for pair in PAIRS] == [0.378, 0.271, 0.300, 0.213, 0.263]
    assert [round(found[pair].recomputed, 3) for pair in PAIRS] == [0.378, 0.271, 0.301, 0.212, 0.263]
    assert max(abs(found[column].difference) for column in (*PAIRS, "Avg", "WMT12")) < 0.002
    assert all(found[column].equal and found[column].must for column in (*PAIRS, "Avg", "WMT12"))


@pytest.mark.parametrize("row", ["SENTBLEU", "METEOR"])
def test_half_widths_are_as_printed_within_what_the_draw_brings(tables, row):
    found = cells(tables["4"], row)
    widths = [column for column in found if column.endswith("_ci")]
    assert widths == [*(f"{pair}_ci" for pair in PAIRS), "Avg_ci", "WMT12_ci"]
    assert all(abs(found[column].difference) <= 0.0015 and found[column].equal for column in widths)


def test_meteor_without_its_paraphrases_stays_below_print(tables):
    found = cells(tables["4"], "METEOR")
    assert all(-0.013 < found[pair].difference < 0 and not found[pair].must for pair in PAIRS)


def test_our_other_metrics_stand_beside_print(tables):
    extra = tables["4"].extra
    assert {"chrf", "chrf:word_order=2", "bleu", "ter", "wer", "per", "cder", "eed", "character", "NIST"} <= set(extra)
    assert all(set(PAIRS) <= set(row) for row in extra.values())
    for row in extra.values():  # the identities between the variants
        assert row["WMT12"] <= row["Avg"] <= row["WMT13"]
    assert extra["bleu"]["Avg"] < cells(tables["4"], "SENTBLEU")["Avg"].recomputed < extra["chrf"]["Avg"]


def test_system_level_comes_near_with_other_human_scores(tables):
    found = tables["2"].cells
    assert {cell.row for cell in found} == {"BLEU", "CDER", "NIST", "METEOR", "TER", "WER", "PER"}
    assert max(abs(cell.difference) for cell in found) < 0.07
    assert not any(cell.must for cell in found)


def test_what_needs_ties_or_other_judgements_is_unchecked(tables):
    reasons = {(one.row, one.column): one.reason for one in tables["4"].unchecked}
    assert "found equal" in reasons["SENTBLEU", "HTIES"]
    assert [len(tables[number].unchecked) for number in ("3", "5")] == [208, 164]
    assert [one.failed for one in tables.values()] == [[]] * 4
