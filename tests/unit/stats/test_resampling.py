"""Draws do not depend on batches, sums are exact, memory is bounded."""

import subprocess
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from benchmarks.calibration import mean_score

from tercet.errors import DataError, UsageError
from tercet.stats import bootstrap, compare_all
from tercet.stats.resampling import (
    SEED,
    batch_rows,
    check_cube,
    check_share,
    draw_swaps,
    draw_weights,
    evaluate,
    exact_columns,
    resampled_scores,
    swapped_sums,
)


@pytest.mark.parametrize("draw", [draw_weights, draw_swaps])
@pytest.mark.parametrize("n", [1, 7, 63, 64, 65, 1000])
def test_the_same_seed_gives_the_same_draws_in_batches_of_any_size(draw, n):
    whole = np.concatenate(list(draw(n, 50, rows=50)))
    assert whole.shape == (50, n)
    for rows in (1, 7, 49):
        assert np.array_equal(np.concatenate(list(draw(n, 50, rows=rows))), whole)
    assert np.array_equal(np.concatenate(list(draw(n, 50))), whole)
    assert np.array_equal(np.concatenate(list(draw(n, 20, rows=20))), whole[:20])


@pytest.mark.parametrize("draw", [draw_weights, draw_swaps])
def test_seeds_give_different_draws(draw):
    first, second = (np.concatenate(list(draw(100, 10, seed=seed))) for seed in (1, 2))
    assert not np.array_equal(first, second)


def test_a_resample_has_as_many_segments_as_the_test_set_and_each_is_equally_likely():
    weights = np.concatenate(list(draw_weights(10, 20_000)))
    assert (weights.sum(1) == 10).all()
    assert (weights == np.rint(weights)).all()
    # A weight is binomial with mean 1 and variance .9; 5 standard errors of each.
    assert np.abs(weights.mean(0) - 1).max() < 5 * np.sqrt(0.9 / 20_000)
    assert np.abs(weights.var(0) - 0.9).max() < 0.06
    assert np.corrcoef(weights.T)[0, 1] == pytest.approx(-1 / 9, abs=0.04)


def test_swaps_are_fair_and_independent():
    swaps = np.concatenate(list(draw_swaps(70, 20_000)))
    assert set(np.unique(swaps)) == {0.0, 1.0}
    assert np.abs(swaps.mean(0) - 0.5).max() < 5 * np.sqrt(0.25 / 20_000)
    correlations = np.corrcoef(swaps.T) - np.eye(70)
    assert np.abs(correlations).max() < 5 / np.sqrt(20_000)
    assert not np.array_equal(swaps[0], swaps[1])


@pytest.mark.parametrize("n", [64, 65, 129])
def test_the_last_segment_is_exchanged_as_often_as_others(n):
    """Exchanges are made from words of 64 bits."""
    assert np.concatenate(list(draw_swaps(n, 2000)))[:, -1].mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, "0.5", float("nan")])
def test_shares_lie_strictly_between_0_and_1(share):
    with pytest.raises(UsageError, match="The power must lie between 0 and 1, not"):
        check_share("The power", share)


def test_resamples_and_swaps_are_different_streams():
    # Of two segments, draws take the highest bits of two half words; from one stream these would be bits 31 and 63.
    drawn = np.concatenate(list(draw_weights(2, 2000)))[:, 1]
    swaps = np.concatenate(list(draw_swaps(64, 2000)))
    assert (drawn == swaps[:, 31] + swaps[:, 63]).mean() == pytest.approx(3 / 8, abs=0.05)


def every(columns):
    return np.stack([columns.counts(system) for system in range(columns.shape[0])])


def test_columns_that_are_equal_in_all_systems_are_kept_once():
    rng = np.random.default_rng(0)
    cube = rng.integers(0, 100, (3, 50, 3)).astype(float)
    cube[:, :, 1] = cube[0, :, 1]
    cube[:, :, 2] = rng.normal(size=(3, 50))  # not integers: in double precision, the others in single
    columns = exact_columns(cube)
    assert [part.shape[1] for part in columns.parts] == [4, 3]
    assert np.array_equal(every(columns)[..., :2], cube[..., :2])
    assert np.abs(every(columns) - cube).max() < 1e-12


def test_integer_counts_stay_what_they_are_and_take_single_precision_only_where_it_is_exact():
    small = np.random.default_rng(0).integers(0, 100, (3, 50, 4)).astype(float)
    columns = exact_columns(small)
    assert [part.shape for part in columns.parts] == [(50, 12), (50, 0)]
    assert columns.parts[0].dtype == np.float32
    assert np.array_equal(every(columns), small)
    for more in (2**19, 2**22):  # 50 segments of 2**19 may sum to more than 2**24
        large = small + more
        columns = exact_columns(large)
        assert [part.shape for part in columns.parts] == [(50, 0), (50, 12)]
        assert np.array_equal(every(columns), large)
        assert np.array_equal(columns.totals, large.sum(1))


@pytest.mark.parametrize("scale", [1e-12, 1.0, 3e5])
def test_sums_of_any_counts_are_exact(scale):
    cube = scale * np.random.default_rng(1).normal(size=(2, 37, 3))
    columns = exact_columns(cube)
    assert np.abs(every(columns) - cube).max() < scale * 37 * 2.0**-49
    rows = every(columns).transpose(1, 0, 2).reshape(37, 6)
    exact = [[Fraction(float(value)) for value in row] for row in rows]
    for draws, sums in (
        (np.concatenate(list(draw_swaps(37, 20))), np.concatenate(list(swapped_sums(columns, trials=20, seed=SEED)))),
        (
            np.concatenate(list(draw_weights(37, 20))),
            np.concatenate(
                [w @ rows for w in draw_weights(37, 20, rows=3)],
            ).reshape(20, 2, 3),
        ),
    ):
        for drawn, row in zip(draws, sums.reshape(20, 6), strict=True):
            for column in range(6):
                expected = sum(int(times) * exact[i][column] for i, times in enumerate(drawn))
                assert Fraction(float(row[column])) == expected


@pytest.mark.parametrize("trials", [1, 15, 16, 17, 50])
@pytest.mark.parametrize(("systems", "n", "k"), [(1, 1, 1), (2, 513, 3), (3, 64, 90), (1, 1030, 1), (2, 30, 129)])
def test_products_in_blocks_equal_whole_products(systems, n, k, trials):
    columns = exact_columns(np.random.default_rng(n).integers(0, 50, (systems, n, k)))
    draws = np.concatenate(list(draw_swaps(n, trials)))
    expected = np.einsum("tn,snk->tsk", draws, every(columns))
    assert np.array_equal(np.concatenate(list(swapped_sums(columns, trials=trials, seed=SEED))), expected)


def test_resampled_scores_equal_a_plain_loop_over_the_same_draws():
    rng = np.random.default_rng(2)
    cube = np.stack([rng.integers(0, 20, (30, 2)), rng.integers(1, 20, (30, 2))]).astype(float)
    scores = resampled_scores(lambda t: t[..., 0] / (1 + t[..., 1]), exact_columns(cube), resamples=40, seed=9)
    for resample, weights in enumerate(np.concatenate(list(draw_weights(30, 40, seed=9)))):
        for system in range(2):
            drawn = [i for i in range(30) for _ in range(int(weights[i]))]
            assert len(drawn) == 30
            top = sum(cube[system][i][0] for i in drawn)
            bottom = 1 + sum(cube[system][i][1] for i in drawn)
            assert scores[system, resample] == top / bottom


@pytest.mark.parametrize("width", [1, 10, 2000, 65_536, 100_000, 2_000_000, 10_000_000])
def test_a_batch_is_bounded_however_long_its_rows(width):
    rows = batch_rows(width)
    assert rows >= 1
    assert rows == 1 or rows * width <= 2**21


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
@pytest.mark.parametrize("whole_numbers", [True, False])
def test_memory_does_not_grow_with_the_resamples(test, whole_numbers):
    n, k = 100_000, 2
    rng = np.random.default_rng(0)
    cube = rng.integers(0, 50, (2, n, k)) + (0.0 if whole_numbers else rng.random((2, n, k)))
    tracemalloc.start()
    try:
        compare_all(mean_score, cube, test=test, resamples=100, interval_resamples=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # All draws at once would take 80 MB; the batch stays below 64, and the counts are copied once (3.2 MB).
    assert peak < 64e6


def test_the_jackknife_is_done_in_batches_too():
    counts = np.random.default_rng(0).integers(1, 50, (300_000, 2)).astype(float)
    tracemalloc.start()
    try:
        interval = bootstrap(mean_score, counts, resamples=20, method="bca")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert interval.low < interval.value < interval.high
    assert peak < 64e6


def test_a_score_function_that_is_not_vectorised_is_refused():
    with pytest.raises(UsageError, match=r"returned shape \(\) for sums of shape \(5, 2\); it must return \(5,\)"):
        evaluate(lambda totals: totals.sum(), np.ones((5, 2)))


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        ((3, 2), UsageError, r"shape \(systems, segments, k\), not \(3, 2\)"),
        ((2, 3, 0), UsageError, r"shape \(systems, segments, k\)"),
        ((0, 3, 2), UsageError, "no systems"),
        ((2, 0, 2), DataError, "no segments"),
    ],
)
def test_counts_of_the_wrong_shape_are_refused(shape, error, message):
    with pytest.raises(error, match=message):
        check_cube(np.zeros(shape))


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, tercet.stats; print([m for m in ('scipy', 'pandas', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
