"""Student's t and Fisher's F against SciPy, at the edges, and the same in any array."""

import numpy as np
import pytest

from tercet.stats.student import beta_share, f_quantile, t_below

special = pytest.importorskip("scipy.special")


@pytest.mark.parametrize("freedom", [1, 2, 3.5, 9, 30, 93, 1000, 10_000])
def test_t_is_scipys(freedom: float) -> None:
    t = np.concatenate([np.random.default_rng(1).normal(size=200) * 4, [0, 50, -50]])
    assert t_below(freedom, t) == pytest.approx(special.stdtr(freedom, t), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize(("above", "below"), [(1, 1), (5, 30.3), (31, 93.2), (2, 1000)])
@pytest.mark.parametrize("share", [0.5, 0.95, 0.999])
def test_quantiles_of_f_are_scipys(above: float, below: float, share: float) -> None:
    assert f_quantile(above, below, share) == pytest.approx(special.fdtri(above, below, share), rel=1e-9)


def test_edges() -> None:
    assert t_below(1, 1e-9) - 0.5 == pytest.approx(1e-9 / np.pi, rel=1e-6)  # SciPy has 0.5
    assert t_below(5, [np.inf, -np.inf, 0.0]).tolist() == [1, 0, 0.5]
    assert np.isnan(t_below([np.nan, 3], [1, np.nan])).all()
    assert np.isnan(f_quantile(0, 3, 0.5))
    assert beta_share(2, 3, [0.0, 1.0]).tolist() == [0, 1]


def test_a_number_is_the_same_in_any_array() -> None:
    t = np.random.default_rng(2).normal(size=50) * 3
    assert [float(t_below(8, each)) for each in t] == t_below(8, t).tolist()
