"""Test system scores from preferences."""

import sys

import numpy as np
import pytest

from tercet.data.judgements import Judgement, Judgements
from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.human.pairs import RankedPairs, pairs_of_rankings
from tercet.human.ranking import expected_wins, trueskill_means, win_rates


def compared(*results: tuple[str, str, int]) -> RankedPairs:
    """Make pairs from (left, right, outcome)."""
    rows = []
    for task, (left, right, outcome) in enumerate(results):
        for system, rank in ((left, 2 - (outcome > 0)), (right, 2 - (outcome < 0))):
            rows.append(Judgement("rank", "1", system, rank, task=str(task)))
    return pairs_of_rankings(Judgements(rows, name="set"))


# A beats B twice and loses once, ties with B once; B beats C; A and C tie.
SMALL = compared(
    ("A", "B", 1),
    ("B", "A", -1),
    ("A", "B", -1),
    ("A", "B", 0),
    ("B", "C", 1),
    ("B", "C", 1),
    ("C", "B", 1),
    ("A", "C", 0),
)


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("ignored", [2 / 3, 3 / 6, 1 / 3]),
        ("wins", [4 / 5, 4 / 7, 2 / 4]),
        ("losses", [2 / 5, 3 / 7, 1 / 4]),
        ("half", [3 / 5, 3.5 / 7, 1.5 / 4]),
    ],
)
def test_win_rates_with_each_way_of_counting_ties(ties: str, expected: list[float]) -> None:
    scores = win_rates(SMALL, ties=ties)
    assert list(scores.system) == ["A", "B", "C"]
    assert list(scores.system.values()) == pytest.approx(expected, abs=1e-15)
    assert scores.signature == f"Win rate|pairs:8|ties:{ties}" and scores.higher_is_better


def test_expected_wins_are_the_mean_over_opponents(caplog: pytest.LogCaptureFixture) -> None:
    scores = expected_wins(SMALL)
    assert scores.system == pytest.approx({"A": 2 / 3, "B": (1 / 3 + 2 / 3) / 2, "C": 1 / 3})
    assert "'set': no comparison without a tie for A and C." in caplog.text


def test_opponents_have_equal_weight_however_often_they_were_compared() -> None:
    pairs = compared(*[("A", "B", 1)] * 9, ("A", "C", -1), ("B", "C", -1))
    assert win_rates(pairs).system["A"] == 0.9
    assert expected_wins(pairs).system["A"] == 0.5


def test_a_system_that_only_tied_has_no_win_rate() -> None:
    pairs = compared(("A", "B", 0), ("B", "C", 1))
    assert np.isnan(win_rates(pairs).system["A"]) and np.isnan(expected_wins(pairs).system["A"])


def random_pairs(n: int) -> RankedPairs:
    generator = np.random.default_rng(7)
    left = generator.integers(0, 5, n)
    right = (left + generator.integers(1, 5, n)) % 5
    outcome = np.sign(np.round(0.3 * (right - left) + generator.normal(size=n))).astype(np.int8)
    return RankedPairs(
        ("1",), tuple("ABCDE"), (), np.zeros(n, np.intp), left, right, outcome, np.full(n, -1), np.arange(n)
    )


def test_trueskill_equals_the_library() -> None:
    trueskill = pytest.importorskip("trueskill")
    pairs = random_pairs(400)
    scores = trueskill_means(pairs, sample=300, draw_probability=0.3, sigma=0.7, seed=5)
    environment = trueskill.TrueSkill(0.0, 0.7, 0.7 * 300 / 40, 0.0, 0.3)
    skills = [trueskill.Rating(0.0, 0.7) for _ in range(5)]
    for i in np.random.default_rng(5).permutation(400)[:300]:
        a, b = pairs.left[i], pairs.right[i]
        if pairs.outcome[i] < 0:
            a, b = b, a
        skills[a], skills[b] = trueskill.rate_1vs1(skills[a], skills[b], pairs.outcome[i] == 0, env=environment)
    assert list(scores.system.values()) == pytest.approx([skill.mu for skill in skills], abs=1e-12)
    assert list(scores.provenance["sigma"].values()) == pytest.approx([skill.sigma for skill in skills], abs=1e-12)


def test_trueskill_is_repeatable_and_orders_systems() -> None:
    pytest.importorskip("trueskill")
    pairs = random_pairs(4000)
    scores = trueskill_means(pairs)
    assert scores.system == trueskill_means(pairs).system
    assert sorted(scores.system, key=lambda name: -scores.system[name]) == list("ABCDE")
    several = trueskill_means(pairs, runs=3)
    assert several.provenance["runs"] == 3 and several.system != scores.system
    assert several.signature == "TrueSkill|pairs:4000|comparisons:4000|runs:3|seed:12345|draw_probability:0.25"


def test_misuse_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match="way of counting ties"):
        win_rates(SMALL, ties="drawn")
    with pytest.raises(DataError, match="'unnamed' are empty"):
        win_rates(pairs_of_rankings(Judgements([])))
    with pytest.raises(UsageError, match="1 to 8 comparisons and at least 1 run, not 9 and 1"):
        trueskill_means(SMALL, sample=9)
    monkeypatch.setitem(sys.modules, "trueskill", None)
    with pytest.raises(MissingDependency, match=r"tercet\[meta\]"):
        trueskill_means(SMALL)
