"""Gekhman et al. (2020), KoBE: every row but its own follows from WMT19's scores."""

import pytest

from tercet import reproduce
from tercet.tasks.reproduce.papers import kobe

pytestmark = pytest.mark.xdist_group("kobe")  # the tables are recomputed once, in one process


@pytest.fixture(scope="module")
def tables(data):
    # not "ours", which takes minutes: test_kobe_metric.py has some of it. 5 and 6 are made as 7 is.
    return {number: reproduce("kobe", table=number, data=data)[0] for number in "12347"}


def test_all_76_cells_of_other_metrics_are_as_printed_with_their_signs(tables):
    found = [(len(tables[number].cells), tables[number].equal) for number in "1234"]
    assert found == [(26, 26), (31, 31), (11, 11), (8, 8)]
    assert sum(equal for _, equal in found) == 76  # with the mean of BLEU
    assert sum(cell.recomputed < 0 for number in "123" for cell in tables[number].cells) == 18


def test_kobe_itself_needs_its_annotations(tables):
    assert [len(tables[number].unchecked) for number in "12347"] == [7, 8, 3, 7, 18]
    assert {one.row for number in "1234" for one in tables[number].unchecked} == {"KoBE"}
    assert all("PAIR.annotations.jsonl" in one.reason for table in tables.values() for one in table.unchecked)
    assert [cell.row for cell in tables["4"].derived] == ["KoBE"] and tables["4"].derived[0].equal  # its mean


def test_sentences_are_counted_exactly_and_entities_beside_print(tables):
    seven = tables["7"]
    assert [(cell.row, cell.recomputed, cell.equal) for cell in seven.cells] == [
        ("sentence count", 1997, True),
        ("sentence count", 1701, True),
        ("sentence count", 1701, True),
    ]
    own = seven.extra["source sentences with entities, with Tercet's knowledge base"]
    assert all(0.9 < own[pair] / cell.recomputed < 1 for pair, cell in zip(own, seven.cells, strict=True))


def test_the_published_sample_gives_kobe_of_eight_systems(tables):
    assert tables["4"].extra == {"KoBE, on the published sample": {"ru-en": pytest.approx(0.914, abs=5e-4)}}
    assert "8 of the 14 systems" in tables["4"].notes[-1]


def test_figures_have_their_numbers(data):
    (histogram,) = reproduce("kobe", figure="4", data=data)
    (plot,) = histogram.plots
    assert plot.kind == "counts" and sum(count for _, count in plot.series["source"]) == 2000
    (systems,) = reproduce("kobe", figure="2", data=data)
    assert systems.equal == 1 and [len(points) for points in systems.plots[0].series.values()] == [14, 14, 14]


def test_precision_stands_beside_recall(data, monkeypatch):
    monkeypatch.setattr(kobe, "all_pairs", lambda *tables: ["gu-en"])
    (found,) = reproduce("kobe", table="precision", data=data)
    r = {row: [round(value, 3) for value in values.values()] for row, values in found.extra.items()}
    sample = [r[f"{what}, reference, on the published sample"] for what in ("KoBE", "recall", "precision")]
    assert sample == [[0.914], [0.914], [0.943]]
    recall, precision = (found.extra[f"{what}, with Tercet's knowledge base"] for what in ("recall", "precision"))
    assert list(recall) == list(precision) == ["gu-en"] and precision["gu-en"] < recall["gu-en"]
    assert [(one.found, one.holds, one.must) for one in found.statements] == [("1 of 1", True, False)]
