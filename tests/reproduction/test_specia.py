"""Specia, Cancedda and Dymetman (2010): what their experiments give on the data of WMT12, which stand in for theirs."""

from pathlib import Path

import numpy as np
import pytest

from tercet import reproduce
from tercet.quality.inputs import GivenFeatures
from tercet.tasks.reproduce.papers import specia
from tercet.tasks.reproduce.papers.specia import GIVEN, Predicted, Scored, correlation_table, error_table
from tercet.tasks.reproduce.sources import DataSets

from ..docs.running import run

pytestmark = pytest.mark.xdist_group("specia")  # the model is trained once, in one process

COLUMNS = ["BLEU", "NIST", "METEOR", "TER", "QE"]


@pytest.fixture(scope="module")
def tables(data):
    pytest.importorskip("wordfreq", reason="without frequencies of words predictions are worse")
    return {number: reproduce("specia", table=number, data=data)[0] for number in "34"}


def test_all_numbers_in_print_are_unchecked_with_the_reason(tables):
    assert {name: len(one.unchecked) for name, one in tables.items()} == {"3": 8, "4": 20}
    for one in tables.values():
        assert all("ce_dataset.tsv (system, source, reference, mt, score)" in item.reason for item in one.unchecked)
    assert not any(one.cells for one in tables.values())


def test_quality_estimation_correlates_better_than_metrics_with_the_reference(tables):
    ((_, row),) = tables["4"].extra.items()
    assert list(row) == COLUMNS
    assert row["QE"] == pytest.approx(0.586, abs=0.02)
    assert row["QE"] > max(row[name] for name in COLUMNS[:4]) > 0.45 > min(row[name] for name in COLUMNS[:4])
    first, second = tables["4"].statements
    assert (first.must, first.holds, second.must) == (True, True, False)
    assert tables["4"].failed == []


def test_predictions_are_nearer_to_people_than_their_mean(tables):
    model, mean = (row["RMSPE"] for row in tables["3"].extra.values())
    assert all(0.01 < row["RMSPE_ci"] < 0.1 for row in tables["3"].extra.values())
    assert model == pytest.approx(0.797, abs=0.02)
    assert mean == pytest.approx(1.0, abs=0.05)
    assert [one.holds for one in tables["3"].statements] == [True]


def test_notes_say_what_the_numbers_are_from(tables):
    for name in "34":
        assert "WMT12" in tables[name].notes[0] and "17 features and " in tables[name].notes[0]
        assert "bleu:max_ngram_order=2" in tables[name].notes[1]


def test_a_model_that_knows_no_words_need_not_be_better_than_metrics(monkeypatch):
    """Where wordfreq is not installed; here its predictions are of no use at all."""
    texts = ("one two three", "four five six", "seven eight nine", "ten eleven")
    given = GivenFeatures(GIVEN, np.zeros((4, len(GIVEN))))
    outputs = ("one two", "four", "seven eight nine", "ten eight")
    test = Scored(texts, outputs, texts, np.array([1.0, 2.0, 4.0, 3.0]), given)
    made = Predicted(test, np.array([4.0, 3.0, 1.0, 1.5]), np.full(4, 2.5), 20, knows_words=False)
    data = DataSets(lambda name: None)
    monkeypatch.setattr(specia, "_predicted", lambda data: made)
    errors, correlations = error_table(data), correlation_table(data)
    assert not correlations.statements[0].must and correlations.failed == []
    note = correlations.notes[0]
    assert "17 features and 3 of Tercet's" in note and "tercet[qe]" in note
    assert errors.failed[0].startswith("predictions are better than the mean: ")


def test_without_the_data_nothing_is_recomputed():
    found = reproduce("specia", data=DataSets(lambda name: None))
    assert [bool(one.extra) for one in found] == [False] * 5
    assert "tercet data add FOLDER ce_dataset" in found[2].unchecked[0].reason
    assert "training.tsv (source, mt, reference, postedit, effort, f1, f17)" in found[2].unchecked[0].reason


def test_data_that_lack_a_part_are_an_error_of_data(tmp_path: Path):
    folder = tmp_path / "wmt12_qe"
    folder.mkdir()
    ran = run(["reproduce", "specia", "--table", "3", "--data", str(tmp_path)])
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"Error: {folder} has no training.tsv.\n"
    (folder / "training.tsv").write_text("source\tmt\na\tb\n", "utf-8")
    ran = run(["reproduce", "specia", "--table", "3", "--data", str(tmp_path)])
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"Error: {folder / 'training.tsv'}, line 1: no column 'reference'. Columns: source, mt.\n"
