"""Identities between the variants of tau, on any pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.stats.tau import VARIANTS, Tau, tau_columns, tau_ratio

SIGN = st.sampled_from([-1, 0, 1])
PAIRS = st.lists(st.tuples(SIGN, SIGN), min_size=1, max_size=40).map(lambda rows: np.array(rows).T)


def taus(human, metric):
    return {variant: float(tau_ratio(tau_columns(human, metric, Tau(variant)).sum(0))) for variant in VARIANTS}


@given(PAIRS)
def test_metric_ties_tell_the_variants_apart(pairs):
    human, metric = pairs
    tau = taus(human, metric)
    decided = human != 0
    if not decided.any():
        assert np.isnan([tau["wmt12"], tau["wmt13"], tau["wmt14"]]).all()
        return
    ties = float((metric[decided] == 0).mean())
    assert tau["wmt12"] == pytest.approx(tau["wmt14"] - ties)
    if ties == 1:
        assert np.isnan(tau["wmt13"])
        assert (tau["wmt12"], tau["wmt14"]) == (-1, 0)
        return
    assert tau["wmt13"] == pytest.approx(tau["wmt14"] / (1 - ties))
    if tau["wmt14"] > 0:
        assert tau["wmt12"] <= tau["wmt14"] <= tau["wmt13"] + 1e-12
    assert ties or tau["wmt12"] == tau["wmt13"] == tau["wmt14"]


@given(PAIRS)
def test_a_constant_metric_gets_the_share_of_human_ties_by_hties(pairs):
    human, _ = pairs
    assert taus(human, np.zeros_like(human))["hties"] == pytest.approx(float((human == 0).mean()))


@given(PAIRS)
def test_without_human_ties_hties_is_wmt14(pairs):
    human, metric = pairs
    human = np.where(human == 0, 1, human)
    tau = taus(human, metric)
    assert tau["hties"] == tau["wmt14"]


@given(PAIRS, st.sampled_from(sorted(VARIANTS)))
def test_left_and_right_may_change_places_and_people_agree_with_themselves(pairs, variant):
    human, metric = pairs
    assert taus(human, metric)[variant] == pytest.approx(taus(-human, -metric)[variant], nan_ok=True)
    assert -1 <= taus(human, metric)[variant] <= 1 or np.isnan(taus(human, metric)[variant])
    if human.any():
        assert taus(human, human)[variant] == 1


@given(PAIRS, st.sampled_from(sorted(VARIANTS)), st.integers(1, 5))
def test_counts_of_groups_add_up(pairs, variant, groups):
    human, metric = pairs
    columns = tau_columns(human, metric, Tau(variant), groups=np.arange(len(human)) % groups)
    assert np.array_equal(columns.sum(0), tau_columns(human, metric, Tau(variant)).sum(0))
