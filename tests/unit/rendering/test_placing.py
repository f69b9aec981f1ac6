"""Names stand clear of points and of each other, lines are least squares, bins are round and hold every value."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.rendering import layout as placing

SIZE = (460, 340)
DOMAINS = ([0.0, 460.0], [0.0, 340.0])  # one unit is one pixel


def row(name: str, gold: float, metric: float, kind: str = "outlier") -> dict[str, Any]:
    return {"name": name, "gold": gold, "metric": metric, "kind": kind}


def test_a_name_stands_right_of_its_point_or_left_of_it_where_the_plot_ends() -> None:
    placed = placing.labels(
        [row("first", 100, 100), row("second", 450, 200), row("third", 9, 9, "other")], [], DOMAINS, SIZE
    )
    assert placed == {
        "left": [row("first", 107, 100), row("third", 16, 9, "other")],
        "right": [row("second", 443, 200)],
    }


@pytest.mark.parametrize("base", [10, 170, 290])
@pytest.mark.parametrize("x", [10, 230, 450])
def test_names_of_a_crowd_are_apart_and_in_the_order_of_their_points(base: int, x: int) -> None:
    rows = [row(f"System-{i}", x + i, base + 8 * i) for i in range(5)]
    placed = placing.labels(rows, [], DOMAINS, SIZE)
    for found in placed.values():
        heights = [label["metric"] for label in sorted(found, key=lambda label: label["name"])]
        assert all(high - low >= 12 for low, high in itertools.pairwise(heights))
    assert all(6 <= label["metric"] <= 334 for found in placed.values() for label in found)
    assert sum(map(len, placed.values())) == 5


def test_a_name_makes_room_for_a_line_and_says_where_its_point_is() -> None:
    line = [{"line": "all points", "gold": at, "metric": 100.0} for at in (0.0, 460.0)]
    (label,) = placing.labels([row("long-name", 100, 100)], line, DOMAINS, SIZE)["left"]
    assert abs(label["metric"] - 100) == 14
    assert (label["from_gold"], label["from_metric"]) == (100, 100)


def test_lines_are_least_squares_and_undefined_slopes_have_none() -> None:
    rows = [row("a", 0, 1, "other"), row("b", 1, 2, "other"), row("c", 2, 4, "other"), row("d", 9, 0)]
    ends = placing.regressions(rows)
    assert [end["line"] for end in ends] == ["without outliers"] * 2 + ["all points"] * 2
    for members, (start, end) in ((rows[:3], ends[:2]), (rows, ends[2:])):
        slope, intercept = np.polyfit([r["gold"] for r in members], [r["metric"] for r in members], 1)
        assert [start["metric"], end["metric"]] == pytest.approx([intercept, intercept + slope * end["gold"]])
    assert placing.regressions([row("a", 1, 1, "other"), row("b", 1, 2, "other")]) == []


def test_edges_of_bins_are_the_round_numbers_themselves() -> None:
    assert placing.bin_edges(np.array([0.0, 1.0]), 30).tolist() == [i / 10 for i in range(11)]  # 0.3 is 0.3
    assert placing.bin_edges(np.array([-1.77, 0.35]), 22).tolist() == [-2 + i / 4 for i in range(11)]
    assert placing.bin_edges(np.array([3.0, 4990.0]), 10_000).tolist() == [200.0 * i for i in range(26)]


@given(
    st.lists(st.floats(-1e9, 1e9) | st.integers(-500, 500).map(lambda n: n / 100), min_size=1, max_size=20),
    st.integers(1, 5000),
)
def test_bins_hold_every_value_and_are_neither_few_nor_many(numbers: list[float], count: int) -> None:
    edges = placing.bin_edges(np.array(numbers), count)
    assert edges[0] <= min(numbers)
    assert max(numbers) <= edges[-1]
    assert (np.diff(edges) > 0).all()
    assert 5 <= len(edges) - 1 <= 41


def test_bars_count_values_in_common_bins_and_say_how_many_are_missing() -> None:
    rows, missing = placing.bars({"a": [0.0, 0.1, 1.0], "b": [0.3, math.nan], "c": []})
    assert missing == 1
    assert {name: sum(r["count"] for r in rows if r["name"] == name) for name in "abc"} == {"a": 3, "b": 1, "c": 0}
    assert [r["start"] for r in rows if r["name"] == "b" and r["count"]] == [0.3]
    assert placing.bars({"a": [math.nan]}) == ([], 1)
