"""Tau by hand: tables, counts, columns for the bootstrap, signs, and what is refused."""

import pickle

import numpy as np
import pytest

from tercet.errors import DataError, UnknownName, UsageError
from tercet.stats import bootstrap_all
from tercet.stats.tau import VARIANTS, Tau, parse_table, signs, tau_columns, tau_ratio

from .coefficients import count_pairs, tau_of

nan = float("nan")
HUMAN = np.array([1, 1, 1, -1, -1, 0, 0])
METRIC = np.array([1, 0, -1, -1, 1, 0, 1])


@pytest.mark.parametrize(
    ("variant", "expected"),
    # Two agree, two disagree, one is tied by the metric; of two human ties the metric sees one.
    [("wmt12", (2 - 3) / 5), ("wmt13", 0.0), ("wmt14", 0.0), ("hties", (2 - 2 + 1) / 7)],
)
def test_seven_pairs_by_hand(variant, expected):
    assert tau_ratio(tau_columns(HUMAN, METRIC, Tau(variant)).sum(0)) == pytest.approx(expected)


@pytest.mark.parametrize(("variant", "expected"), [("wmt12", -1.0), ("wmt13", nan), ("wmt14", 0.0), ("hties", 1 / 3)])
def test_a_metric_that_always_ties(variant, expected):
    columns = tau_columns([1, -1, 0], [0, 0, 0], Tau(variant))
    assert float(tau_ratio(columns.sum(0))) == pytest.approx(expected, nan_ok=True)


def test_without_groups_each_pair_is_its_own():
    assert tau_columns(HUMAN, METRIC, Tau("hties"))[:, 1].tolist() == [1] * 7
    assert tau_columns([], np.empty((3, 0))).shape == (3, 0, 2)


def test_two_columns_say_what_nine_do():
    rng = np.random.default_rng(1)
    human, metric = rng.integers(-1, 2, 200), rng.integers(-1, 2, (2, 3, 200))
    groups = rng.integers(0, 20, 200)
    for tau in (*map(Tau, VARIANTS), Tau(table="2,.5,X;0,1,0;-1,0,1")):
        for how in ({}, {"groups": groups}):
            columns = tau_columns(human, metric, tau, **how)
            counts = count_pairs(human, metric, **how)
            assert np.allclose(tau_ratio(columns), tau_of(counts, tau), equal_nan=True, rtol=0, atol=1e-12)
            assert np.allclose(tau_ratio(columns.sum(-2)), tau_of(counts.sum(-2), tau))


def test_columns_and_counts_give_the_same_bootstrap():
    rng = np.random.default_rng(2)
    human, metric = rng.choice([-1, 1], 300), rng.integers(-1, 2, (2, 300))
    few = bootstrap_all(tau_ratio, tau_columns(human, metric, Tau("wmt12")), resamples=50)
    assert few == bootstrap_all(lambda sums: tau_of(sums, "wmt12"), count_pairs(human, metric), resamples=50)
    assert few[0].low < few[0].value < few[0].high


def test_a_missing_sign_makes_its_group_undefined_and_no_other():
    human, metric = [1, 1, -1, 1], [[1, nan, -1, 1], [1, 1, 1, 1]]
    columns = tau_columns(human, metric, groups=[0, 0, 1, 2])
    assert np.isnan(columns).any(-1).tolist() == [[True, False, False], [False, False, False]]
    assert np.isnan(tau_ratio(tau_columns(human, metric).sum(-2))).tolist() == [True, False]
    assert np.isnan(tau_columns([1, nan], [1, 1])).any(-1).tolist() == [False, True]


def test_tables_of_ones_own():
    hties = Tau(table="1,0,-1; 0,1,0; -1,0,1")
    assert np.array_equal(tau_columns(HUMAN, METRIC, hties), tau_columns(HUMAN, METRIC, Tau("hties")))
    assert np.array_equal(parse_table("1,X,-1;x,X,X;-1,X,1"), VARIANTS["wmt13"], equal_nan=True)
    assert Tau() == Tau("wmt14") != Tau("wmt12")
    custom = Tau(table="1,X,-1;X,X,X;-1,X,1")
    assert pickle.loads(pickle.dumps(custom)) == custom and hash(custom)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("1,0;0,1", "three rows of three cells"),
        ("1,0,-1;0,1,0;-1,0,one", "a number or X, not 'one'"),
        ("1,0,-1;0,nan,0;-1,0,1", "a number or X, not 'nan'"),
        ("X,X,X;X,X,X;X,X,X", "leaves out every pair"),
    ],
)
def test_tables_that_make_no_sense_are_refused(table, message):
    with pytest.raises(UsageError, match=message):
        Tau(table=table)


def test_names_and_shapes_that_do_not_fit_are_refused():
    with pytest.raises(UnknownName, match="no tau variant called 'wmt15'. Did you mean wmt1"):
        Tau("wmt15")
    with pytest.raises(UsageError, match="a variant or a table, not both"):
        Tau("wmt14", "1,0,-1;0,1,0;-1,0,1")
    with pytest.raises(UsageError, match=r"shape \(3,\), do not match human signs, shape \(2,\)"):
        tau_columns([1, 1], [1, 1, 1])
    with pytest.raises(UsageError, match="signs of the metric must be -1, 0 or 1"):
        tau_columns([1, 1], [0.5, 1])
    with pytest.raises(DataError, match="numbered from 0 to 1, not -1 to 1"):
        tau_columns([1, 1], [1, 1], groups=[-1, 1])
    with pytest.raises(UsageError, match="Groups must be one integer for each of the 2 pairs"):
        tau_columns([1, 1], [1, 1], groups=[0.5, 1])


def test_signs_of_differences():
    assert signs([1, 2, 3], [2, 2, 2]).tolist() == [-1, 0, 1]
    assert np.array_equal(signs([1, nan, 1], [nan, nan, 1]), [nan, nan, 0], equal_nan=True)
    inf = float("inf")
    assert signs([inf, -inf, inf], [1, inf, inf]).tolist() == [1, -1, 0]


def test_differences_up_to_the_tolerance_are_ties():
    assert 0.1 + 0.2 > 0.3
    assert signs(0.1 + 0.2, 0.3).tolist() == 1
    assert signs(0.1 + 0.2, 0.3, tolerance=1e-9).tolist() == 0
    assert signs([1.0, 1.0, 1.0], [1.5, 1.25, 0.5], tolerance=0.25).tolist() == [-1, 0, 1]
    assert signs([[1.0], [2.0]], [1.0, 2.0]).tolist() == [[0, -1], [1, 0]]
    with pytest.raises(UsageError, match="tolerance for ties must be 0 or more, not -1"):
        signs(1, 2, tolerance=-1)
