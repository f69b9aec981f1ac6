"""Test means and standardised scores of judgements."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.data.judgements import Judgement, Judgements
from tercet.errors import DataError, UsageError
from tercet.human.gold import means, segment_means, standardise, system_means


def da(*rows: tuple[str, str, float, str], kind: str = "da") -> Judgements:
    return Judgements([Judgement(kind, *row) for row in rows], "en-de", "set")


SMALL = da(
    ("1", "A", 80, "r"), ("1", "A", 60, "s"), ("1", "A", 70, "t"), ("3", "A", 10, "r"),
    ("1", "B", 50, "r"), ("2", "B", 90, "s"),
)  # fmt: skip


def test_a_segment_judged_by_many_counts_no_more_than_one_judged_once() -> None:
    scores = segment_means(SMALL, ["1", "2", "3"])
    assert scores.system == {"A": 40.0, "B": 70.0}
    np.testing.assert_array_equal(scores.segment["A"], [70, np.nan, 10])
    np.testing.assert_array_equal(scores.segment["B"], [50, 90, np.nan])
    assert (scores.metric.spec, scores.label, scores.higher_is_better, scores.n_segments) == ("da", "DA", True, 3)
    assert scores.provenance == {"judgements": 6, "raters": 3, "source": "set"}
    assert scores.signature == "DA|judgements:6|raters:3"
    systems = system_means(SMALL)
    assert (systems.system, systems.segment) == (scores.system, {})


@pytest.mark.parametrize(
    ("kind", "label", "higher"),
    [
        ("esa", "ESA", True),
        ("likert", "Likert", True),
        ("z", "DA z", True),
        ("hter", "HTER", False),
        ("mqm", "MQM", True),
    ],
)
def test_every_scale_has_its_label_and_direction(kind: str, label: str, higher: bool) -> None:
    scores = system_means(da(("1", "A", 0.5, "r"), kind=kind))
    assert (scores.label, scores.higher_is_better) == (label, higher)


def test_judgements_are_counted() -> None:
    found = means(SMALL)
    assert found.segments == ("1", "3", "2") and found.systems == ("A", "B")
    assert found.counts.tolist() == [[3, 1], [1, 0], [0, 1]]


def test_scores_are_standardised_by_rater_with_n_minus_1() -> None:
    judgements = da(
        ("1", "A", 10, "r"), ("2", "A", 20, "r"), ("3", "A", 60, "r"), ("1", "A", 5, "s"), ("2", "A", 7, "s")
    )
    z = standardise(judgements)
    spread = statistics.stdev([10, 20, 60])
    expected = [(value - 30) / spread for value in (10, 20, 60)] + [-math.sqrt(0.5), math.sqrt(0.5)]
    np.testing.assert_allclose(z.values, expected, rtol=1e-14)
    assert z.kinds == {"z": 5} and z.raters == ("r", "s") and z.pair == "en-de"


@given(st.lists(st.integers(0, 100), min_size=2, max_size=30).filter(lambda values: len(set(values)) > 1))
def test_standardised_scores_of_a_rater_have_mean_0_and_deviation_1(values: list[int]) -> None:
    z = standardise(da(*((str(i), "A", value, "r") for i, value in enumerate(values)))).values
    assert z.mean() == pytest.approx(0, abs=1e-12)
    assert z.std(ddof=1) == pytest.approx(1, abs=1e-12)


def test_raters_who_always_give_the_same_score_are_named(caplog: pytest.LogCaptureFixture) -> None:
    judgements = da(
        ("1", "A", 10, "r"), ("2", "A", 20, "r"), ("1", "A", 5, "flat"), ("2", "A", 5, "flat"), ("1", "B", 5, "once")
    )
    assert standardise(judgements).raters == ("r",)
    assert "flat (2 judgements), once (1 judgements). They are left out." in caplog.text
    with pytest.raises(DataError, match=r"'set': raters whose scores are all the same: flat .* cannot be standardised"):
        standardise(judgements.where(lambda row: row.rater != "r"))


@pytest.mark.parametrize(
    ("judgements", "message"),
    [
        (da(), "'set' are empty"),
        (SMALL + da(("1", "A", 3, "r"), kind="likert"), r"several kinds \(6 da, 1 likert\). Choose one"),
        (Judgements([Judgement("rank", "1", "A", 1, task="t")]), "are rankings, which have no mean"),
        (Judgements([Judgement("mqm", "1", "A", math.nan, spans=())]), "segment '1', system 'A': there is no value"),
        (Judgements([Judgement("da", "1", "A", 3, "r", check="bad")]), r"rater 'r': this is a control item \(bad\)"),
    ],
)
def test_judgements_without_a_mean_are_errors(judgements: Judgements, message: str) -> None:
    with pytest.raises(DataError, match=message):
        system_means(judgements)


def test_segments_that_do_not_exist_are_named() -> None:
    with pytest.raises(DataError, match=r"2 judged segments are not in the test set \('3', '2'\), which has 1"):
        segment_means(SMALL, ["1"])
    with pytest.raises(DataError, match="names a segment twice"):
        segment_means(SMALL, ["1", "1"])


def test_only_named_raters_and_scales_where_higher_is_better_are_standardised() -> None:
    with pytest.raises(DataError, match="segment '1', system 'A': no rater"):
        standardise(da(("1", "A", 3, "")))
    with pytest.raises(UsageError, match="cannot be standardised: lower values are better"):
        standardise(da(("1", "A", 3, "r"), kind="hter"))
