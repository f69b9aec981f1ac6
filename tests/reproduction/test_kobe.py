"""Gekhman et al. (2020), KoBE: every row but its own follows from WMT19's scores."""

import pytest

from tercet.reproduction import reproduce

pytestmark = pytest.mark.xdist_group("kobe")  # the tables are recomputed once, in one process


@pytest.fixture(scope="module")
def tables(data):
    # not "ours", which takes minutes: test_kobe_metric.py has some of it
    return {number: reproduce("kobe", table=number, data=data)[0] for number in "1234567"}


def test_all_75_cells_of_other_metrics_are_as_printed_with_their_signs(tables):
    found = [(len(tables[number].cells), tables[number].equal) for number in "1234"]
    assert found == [(26, 26), (31, 31), (11, 11), (8, 8)]
    assert sum(equal for _, equal in found) == 76  # with the mean of BLEU
    assert sum(cell.recomputed < 0 for number in "123" for cell in tables[number].cells) == 18


def test_kobe_itself_and_its_entities_are_unchecked_with_the_reason(tables):
    assert [len(tables[number].unchecked) for number in "1234567"] == [7, 8, 3, 8, 49, 56, 21]
    assert {one.row for number in "1234" for one in tables[number].unchecked} == {"KoBE"}
    assert {one.reason.split(",")[0] for table in tables.values() for one in table.unchecked} == {
        "KoBE needs the entities of all texts in its own knowledge base"
    }
