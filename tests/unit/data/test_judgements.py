"""`Judgements`: one row per judgement, checked when built, nothing averaged."""

import math

import numpy as np
import pytest

from tercet.data.judgements import KINDS, Judgement, Judgements, Span
from tercet.errors import DataError, UnknownName

ROWS = [
    Judgement("da", "1", "x", 70, "ann"),
    Judgement("da", "1", "x", 40, "bob"),
    Judgement("rank", "2", "x", 1, "ann", task="t1"),
    Judgement("rank", "2", "y", 2, "ann", task="t1"),
]


def test_several_judgements_of_one_output_live_side_by_side() -> None:
    judgements = Judgements(ROWS, pair="en-de", name="small")
    assert len(judgements) == 4
    assert judgements.kinds == {"da": 2, "rank": 2}
    assert (judgements.systems, judgements.segments, judgements.raters) == (("x", "y"), ("1", "2"), ("ann", "bob"))
    assert judgements.of("da").values.tolist() == [70, 40]
    assert len(judgements + judgements) == 8


def test_names_become_numbers_in_order_of_appearance() -> None:
    names, codes = Judgements(ROWS).codes("rater")
    assert names == ("ann", "bob")
    np.testing.assert_array_equal(codes, [0, 1, 0, 0])
    with pytest.raises(UnknownName, match="column of names called 'value'"):
        Judgements(ROWS).codes("value")


def test_judgements_of_different_pairs_do_not_mix() -> None:
    with pytest.raises(DataError, match="of en-de and of de-en cannot be joined"):
        Judgements(ROWS, pair="en-de") + Judgements(ROWS, pair="de-en")


def test_a_kind_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownName, match="kind of judgement in 'unnamed' called 'mqm'"):
        Judgements(ROWS).of("mqm")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (Judgement("daa", "1", "x", 70), "no kind of judgement called 'daa'"),
        (Judgement("da", "1", "", 70), "needs the name of a system and of a segment"),
        (Judgement("da", "", "x", 70), "needs the name of a system and of a segment"),
        (Judgement("da", "1", "x", math.nan), "the value is nan; leave out judgements that were not made"),
        (Judgement("z", "1", "x", math.inf), "the value is inf"),
        (Judgement("da", "1", "x", 101), r"101 is out of range for da \(0 to 100\)"),
        (Judgement("rank", "1", "x", 0, task="t"), r"0 is out of range for rank \(at least 1\)"),
        (Judgement("rank", "1", "x", 1), "a rank needs the task"),
        (
            Judgement("mqm", "1", "x", 0, spans=(Span(3, None, "major"),)),
            "a span needs both start and end, or neither: 3, None",
        ),
        (Judgement("mqm", "1", "x", 0, spans=(Span(3, 2, "major"),)), "a span cannot go from 3 to 2"),
    ],
)
def test_what_cannot_be_a_judgement_is_refused_with_its_number(row: Judgement, problem: str) -> None:
    with pytest.raises(DataError, match=f"Judgements 'bad', judgement 2 .*{problem}"):
        Judgements([ROWS[0], row], name="bad")


def test_spans_need_no_value_before_weights_are_chosen() -> None:
    row = Judgement("mqm", "1", "x", math.nan, spans=(Span(None, None, "major", "omission"),))
    assert Judgements([row]).kinds == {"mqm": 1}


def test_only_ranks_and_efforts_are_better_when_lower() -> None:
    assert {kind for kind in KINDS if not KINDS[kind].higher_is_better} == {"rank", "hter", "seconds", "keystrokes"}


def test_a_data_frame_has_one_row_per_judgement() -> None:
    pytest.importorskip("pandas")
    frame = Judgements(ROWS).to_pandas()
    assert list(frame.columns) == list(Judgement._fields)
    assert frame["value"].tolist() == [70, 40, 1, 2]
