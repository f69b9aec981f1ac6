"""Test the quality control of raters."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.data.judgements import Judgement, Judgements
from tercet.errors import DataError, UsageError
from tercet.human.control import (
    passing_bad_items,
    passing_repeats,
    without_checks,
)


def items(rater: str, originals: list[float], again: list[float], check: str = "bad") -> list[Judgement]:
    """Make judgements of a rater, and of the same outputs as control items."""
    rows = [Judgement("da", str(i), "A", value, rater) for i, value in enumerate(originals)]
    return rows + [Judgement("da", str(i), "A", value, rater, check=check) for i, value in enumerate(again)]


GOOD = items("good", [80, 70, 90, 60, 75], [20, 30, 25, 10, 40])
RANDOM = items("random", [80, 20, 50, 60, 35], [20, 80, 45, 65, 40])


def test_control_items_are_left_out_and_counted() -> None:
    judgements = Judgements([*GOOD, *items("x", [1], [2], "repeat")])
    kept, report = without_checks(judgements)
    assert len(kept) == 6 and report.items == {"bad": 5, "repeat": 1} and not report.dropped
    assert len(without_checks(judgements, keep=("repeat",)).kept) == 7
    assert str(report).splitlines() == [
        "without control items: 6 of 12 judgements kept.",
        "  5 control items: bad",
        "  1 control items: repeat",
    ]


def test_raters_who_do_not_score_damaged_outputs_lower_are_dropped_with_the_reason() -> None:
    kept, report = passing_bad_items(Judgements([*GOOD, *RANDOM]))
    assert kept.raters == ("good",) and len(kept) == 10
    assert list(report.dropped) == ["random"]
    assert "damaged outputs not scored lower: mean difference +1 over 5, p = " in report.dropped["random"]
    assert (report.judgements_before, report.judgements_after) == (20, 10)
    assert "rater random: damaged" in str(report)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=8))
def test_the_t_test_is_scipys(pairs: list[tuple[int, int]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    originals, bad = map(list, zip(*pairs, strict=True))
    if len({b - a for a, b in pairs}) == 1:
        expected = 0.0 if bad[0] < originals[0] else 1.0
    else:
        expected = stats.ttest_rel(bad, originals, alternative="less").pvalue
    judgements = Judgements(items("r", originals, bad))
    assert bool(passing_bad_items(judgements).report.dropped) == (expected > 0.05)


def test_raters_with_equal_differences_pass_or_fail_by_their_sign() -> None:
    pytest.importorskip("scipy")
    assert not passing_bad_items(Judgements(items("r", [50, 60], [40, 50]))).report.dropped
    assert passing_bad_items(Judgements(items("r", [50, 60], [60, 70]))).report.dropped
    assert "p = 1" in passing_bad_items(Judgements(items("r", [50, 60], [50, 60]))).report.dropped["r"]


def test_raters_who_cannot_be_tested_are_named_or_kept_and_lone_items_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pytest.importorskip("scipy")
    judgements = Judgements([*GOOD, *items("new", [50], [])])
    filtered = passing_bad_items(judgements)
    assert filtered.report.dropped == {"new": "0 damaged outputs judged with the originals; at least 2 are needed."}
    assert passing_bad_items(judgements, keep_untested=True).kept.raters == ("good", "new")
    passing_bad_items(Judgements([*GOOD, Judgement("da", "77", "A", 3, "good", check="bad")]))
    assert "1 items of check 'bad': the rater did not judge the original. First: " in caplog.text
    assert "segment '77'" in caplog.text


def rankings(rater: str, right: int, wrong: int, ties: int = 0) -> list[Judgement]:
    """Make rankings of A, its damaged copy and B; in `right` of them the copy is below A."""
    rows = []
    for number, copy in enumerate([3] * right + [1] * wrong + [2] * ties):
        for system, rank in (("A", 2), ("A (damaged)", copy), ("B", 3)):
            task = f"t{number}"
            rows.append(Judgement("rank", str(number), system, rank, rater, task=task, check="bad"))
    return [*rows, Judgement("rank", "99", "A", 1, rater, task="x"), Judgement("rank", "99", "B", 2, rater, task="x")]


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 3))
def test_damaged_copies_must_be_ranked_below_by_an_exact_sign_test(right: int, wrong: int, ties: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    n = right + wrong + ties
    judgements = Judgements(rankings("r", right, wrong, ties))
    dropped = passing_bad_items(judgements).report.dropped
    if n < 5:
        assert dropped == {"r": f"{n} damaged outputs ranked with the originals; at least 5 are needed."}
        assert not passing_bad_items(judgements, keep_untested=True).report.dropped
        return
    p = stats.binomtest(right, n, alternative="greater").pvalue  # a tie is not below
    assert bool(dropped) == (p > 0.05)
    if dropped:
        assert dropped["r"] == f"damaged outputs ranked below the originals in {right} of {n} rankings, p = {p:.3g}."


def test_careless_rankers_are_left_out_and_control_items_are_no_comparisons() -> None:
    judgements = Judgements([*rankings("good", 8, 0), *rankings("careless", 4, 4), *rankings("lazy", 0, 0, 8)])
    kept, report = passing_bad_items(judgements)
    assert kept.raters == ("good",) and list(report.dropped) == ["careless", "lazy"]
    assert report.rule == "damaged outputs ranked lower (sign test, p <= 0.05)"
    assert {row.system for row in without_checks(judgements).kept.rows} == {"A", "B"}


def test_how_many_rankings_may_be_wrong() -> None:
    """The documentation gives these numbers."""
    allowed = {}
    for n in range(5, 14):
        passed = [w for w in range(n + 1) if not passing_bad_items(Judgements(rankings("r", n - w, w))).report.dropped]
        allowed[n] = max(passed)
    assert allowed == {5: 0, 6: 0, 7: 0, 8: 1, 9: 1, 10: 1, 11: 2, 12: 2, 13: 3}
    passing = {p: sum(math.comb(10, k) * p**k * (1 - p) ** (10 - k) for k in (9, 10)) for p in (0.95, 0.5)}
    assert {p: round(chance, 2) for p, chance in passing.items()} == {0.95: 0.91, 0.5: 0.01}


def test_repeats_must_agree() -> None:
    rows = items("same", [50, 60], [55, 58], "repeat") + items("other", [50, 60], [90, 10], "repeat")
    kept, report = passing_repeats(Judgements([*rows, Judgement("da", "9", "A", 5, "new")]), largest=10)
    assert kept.raters == ("same",)
    assert report.dropped == {
        "other": "repeats differ by 45 on average over 2.",
        "new": "no output was judged twice.",
    }
    assert passing_repeats(Judgements([*rows]), largest=45, keep_untested=True).kept.raters == ("same", "other")


def test_wrong_arguments_of_quality_control_are_errors() -> None:
    nobody = Judgements([Judgement("da", "1", "A", 5)])
    with pytest.raises(DataError, match="segment '1', system 'A': no rater is named"):
        passing_bad_items(nobody)
    with pytest.raises(UsageError, match="cannot be negative"):
        passing_repeats(Judgements(GOOD), largest=-1)
