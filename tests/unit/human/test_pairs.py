"""Test preferences from rankings and from scores."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.data.judgements import Judgement, Judgements
from tercet.errors import DataError, UsageError
from tercet.human.pairs import Pair, RankedPairs, pairs_of_rankings, pairs_of_scores


def ranking(task: str, ranks: dict[str, int], *, segment: str = "1", rater: str = "r") -> list[Judgement]:
    return [Judgement("rank", segment, system, rank, rater, task) for system, rank in ranks.items()]


def test_a_ranking_of_five_gives_ten_pairs_with_ties() -> None:
    rows = ranking("t", {"A": 1, "B": 3, "C": 2, "D": 2, "E": 5}) + ranking(
        "u", {"E": 1, "A": 2}, segment="9", rater=""
    )
    pairs = pairs_of_rankings(Judgements(rows, "en-de", "rr"))
    assert (pairs.n, pairs.ties, pairs.name, pairs.pair) == (11, 1, "rr", "en-de")
    found = list(pairs.rows())
    assert found[0] == Pair("1", "A", "B", 1, "r")
    assert Pair("1", "C", "D", 0, "r") in found and Pair("1", "B", "C", -1, "r") in found
    assert found[-1] == Pair("9", "E", "A", 1, "")
    assert pairs.task.tolist() == [0] * 10 + [1]
    assert pairs.rater.tolist() == [0] * 10 + [-1]
    assert pairs.without_ties().n == 10 and pairs.without_ties().ties == 0


def test_two_raters_of_the_same_task_make_separate_rankings() -> None:
    rows = ranking("t", {"A": 1, "B": 2}) + ranking("t", {"A": 2, "B": 1}, rater="s")
    assert [(pair.outcome, pair.rater) for pair in pairs_of_rankings(Judgements(rows)).rows()] == [(1, "r"), (-1, "s")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ranking("t", {"A": 1}) + ranking("t", {"B": 1}, segment="2"),
            "segment '2', .*task 't' also ranks segment '1'",
        ),
        (ranking("t", {"A": 1}) + ranking("t", {"A": 2}), "system 'A', .*task 't' ranks this system twice"),
        ([Judgement("da", "1", "A", 3)], "a ranking is needed, not a judgement of kind da"),
    ],
)
def test_invalid_rankings_are_errors(rows: list[Judgement], message: str) -> None:
    with pytest.raises(DataError, match=message):
        pairs_of_rankings(Judgements(rows))


def test_no_rankings_give_no_pairs() -> None:
    assert pairs_of_rankings(Judgements([])).n == 0


def da(*rows: tuple[str, str, float], kind: str = "da") -> Judgements:
    return Judgements([Judgement(kind, *row) for row in rows], "en-de", "set")


def test_scores_more_than_the_margin_apart_make_a_pair() -> None:
    # B's mean of segment 1 is 50, exactly 25 below A's and 26 above C's.
    judgements = da(("1", "A", 75), ("1", "B", 40), ("1", "B", 60), ("1", "C", 24), ("2", "A", 10), ("2", "C", 90))
    pairs = pairs_of_scores(judgements)
    assert list(pairs.rows()) == [Pair("1", "A", "C", 1), Pair("1", "B", "C", 1), Pair("2", "A", "C", -1)]
    assert (pairs.name, pairs.pair, pairs.raters) == ("set", "en-de", ())
    inclusive = list(pairs_of_scores(judgements, inclusive=True).rows())
    assert inclusive == [Pair("1", "A", "B", 1), *pairs.rows()]
    assert pairs_of_scores(judgements, margin=60).n == 1


def test_equal_scores_make_no_pair_and_less_effort_is_better() -> None:
    judgements = da(("1", "A", 0.5), ("1", "B", 0.5), ("1", "C", 0.7), kind="hter")
    assert list(pairs_of_scores(judgements, margin=0, inclusive=True).rows()) == [
        Pair("1", "A", "C", 1),
        Pair("1", "B", "C", 1),
    ]


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from([0, 1, 25, 26, 50, np.nan]), min_size=n, max_size=n), min_size=1, max_size=5
        )
    ),
    st.booleans(),
)
def test_pairs_of_a_table_equal_those_of_a_plain_loop(table: list[list[float]], inclusive: bool) -> None:
    systems = [f"s{i}" for i in range(len(table[0]))]
    expected = []
    for segment, values in enumerate(table):
        for (a, x), (b, y) in combinations(enumerate(values), 2):
            if abs(x - y) > 25 or (inclusive and abs(x - y) == 25):
                expected.append(Pair(str(segment), systems[a], systems[b], 1 if x > y else -1))
    segments = [str(number) for number in range(len(table))]
    assert list(pairs_of_scores(np.array(table).T, systems, segments, inclusive=inclusive).rows()) == expected


def test_wrong_shapes_and_margins_are_errors() -> None:
    with pytest.raises(DataError, match=r"shape \(1, 2\) for 2 systems and 1 segments"):
        pairs_of_scores(np.zeros((1, 2)), ["A", "B"], ["1"])
    with pytest.raises(UsageError, match="margin between two scores cannot be negative, but is -1"):
        pairs_of_scores(np.zeros((2, 1)), ["A", "B"], ["1"], margin=-1)
    with pytest.raises(DataError, match="1 judged segments are not in the test set"):
        pairs_of_scores(da(("1", "A", 3)), segments=["2"])


def test_columns_of_wrong_lengths_are_errors() -> None:
    one = np.zeros(1, dtype=np.intp)
    good = {
        "segment": one,
        "left": one,
        "right": one + 1,
        "outcome": one.astype(np.int8),
        "rater": one - 1,
        "task": one,
    }
    assert RankedPairs(("1",), ("A", "B"), (), **good).n == 1
    for column, wrong, message in (
        ("left", one + 2, "column left does not fit"),
        ("segment", np.zeros(2, dtype=np.intp), "column segment does not fit"),
        ("right", one, "compared with itself"),
        ("outcome", (one + 2).astype(np.int8), "an outcome of 1, 0 or -1"),
    ):
        with pytest.raises(DataError, match=message):
            RankedPairs(("1",), ("A", "B"), (), **(good | {column: wrong}))
