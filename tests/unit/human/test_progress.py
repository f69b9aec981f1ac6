"""Test the ranking of systems in a running campaign, and the risk of stopping."""

import math

import numpy as np
import pytest

from tercet.errors import UsageError
from tercet.human.progress import FEWEST, rank_systems

NAMES = ("a", "b", "c")


def values_of(segments: int, gap: float, *, seed: int = 1, missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(segments, 1)) + rng.normal(size=(segments, 3)) - gap * np.arange(3)
    values[rng.random(values.shape) < missing] = np.nan
    return values


def test_scores_are_means_of_judged_segments_and_the_best_comes_first() -> None:
    values = values_of(60, 1.0, missing=0.3)
    found = rank_systems(NAMES, values, missing=0.0)
    assert [place.system for place in found.places] == ["a", "b", "c"]
    for number, place in enumerate(found.places):
        assert place.score == pytest.approx(np.nanmean(values[:, number]))
        assert place.segments == np.count_nonzero(~np.isnan(values[:, number]))
        assert place.low < place.score < place.high
    assert found == rank_systems(NAMES, values, missing=0.0)


def test_lower_can_be_better() -> None:
    values = values_of(60, 1.0)
    up, down = (
        rank_systems(NAMES, values, missing=0.5),
        rank_systems(NAMES, -values, missing=0.5, higher_is_better=False),
    )
    assert [place.system for place in up.places] == [place.system for place in down.places]
    assert [place.score for place in up.places] == [-place.score for place in down.places]
    assert all(place.low < place.score < place.high for place in down.places)
    assert (up.risk, up.risk_best) == (down.risk, down.risk_best)


def test_clear_differences_can_stop_and_unclear_ones_cannot() -> None:
    clear = rank_systems(NAMES, values_of(100, 2.0), missing=1.0)
    assert clear.clusters == 3 and clear.can_stop and clear.risk == clear.risk_best == 1 / 1001
    unclear = rank_systems(NAMES, values_of(100, 0.25), missing=1.0)
    assert not unclear.can_stop and unclear.risk > 0.1


def test_equal_systems_can_stop_near_the_end_but_not_early() -> None:
    values = np.repeat(values_of(40, 0.0)[:, :1], 3, axis=1) + np.random.default_rng(3).normal(0, 1e-3, (40, 3))
    assert rank_systems(NAMES, values, missing=0.02).can_stop
    assert rank_systems(NAMES, values, missing=20.0).risk > 0.05


def test_the_risk_is_zero_at_the_end_and_nan_at_the_beginning() -> None:
    assert rank_systems(NAMES, values_of(60, 0.1), missing=0.0).risk == 0.0
    early = rank_systems(NAMES, values_of(FEWEST - 1, 5.0), missing=1.0)
    assert math.isnan(early.risk) and not early.can_stop
    assert math.isnan(rank_systems(("a",), values_of(60, 1)[:, :1], missing=1.0).risk)


def test_the_risk_is_about_right() -> None:
    """Stop campaigns half-way: the mean risk must be near the share of campaigns whose clusters changed later."""
    risks, changed = [], []
    for seed in range(60):
        values = values_of(80, 0.3, seed=seed)
        half = rank_systems(NAMES, values[:40], missing=1.0, resamples=200)
        end = rank_systems(NAMES, values, missing=0.0, resamples=200)
        risks.append(half.risk)
        changed.append({p.system: p.cluster for p in half.places} != {p.system: p.cluster for p in end.places})
    assert abs(np.mean(risks) - np.mean(changed)) < 0.12
    sure = [change for risk, change in zip(risks, changed, strict=True) if risk < 0.2]
    unsure = [change for risk, change in zip(risks, changed, strict=True) if risk > 0.5]
    assert np.mean(unsure) > (np.mean(sure) if sure else 0)


def test_wrong_arguments_of_the_ranking_are_errors() -> None:
    with pytest.raises(UsageError, match="do not fit 3 systems"):
        rank_systems(NAMES, values_of(10, 1)[:, :2], missing=0)
    with pytest.raises(UsageError, match="without judgements"):
        rank_systems(NAMES, np.full((10, 3), np.nan), missing=0)
