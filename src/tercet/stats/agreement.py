"""Cohen's kappa: agreement of two raters beyond chance.

Cohen (1960), "A Coefficient of Agreement for Nominal Scales"; with weights: Cohen (1968), "Weighted Kappa". Chance
agreement follows from the two raters' own distributions. The weights "one-off", where
neighbouring values count as agreement and larger distances count linearly, are those of Fomicheva (2017), "The Role of
Human Reference Translation in Machine Translation Evaluation", chapter 6.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UnknownName, UsageError
from ..types import Floats

# The cost of two ratings by their distance.
WEIGHTS: dict[str, Callable[[Floats], Floats]] = {
    "standard": lambda distance: (distance > 0).astype(np.float64),
    "linear": lambda distance: distance,
    "one-off": lambda distance: np.maximum(0.0, distance - 1),
    "quadratic": lambda distance: distance**2,
}


def kappa(first: ArrayLike, second: ArrayLike, *, weights: str = "standard") -> float:
    """Return kappa of two raters on the items that both have rated; NaN marks an item without a rating."""
    if weights not in WEIGHTS:
        raise UnknownName("kind of kappa", weights, WEIGHTS)
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise UsageError(f"Two raters must have rated the same items, not {one.shape} and {other.shape}.")
    common = ~(np.isnan(one) | np.isnan(other))
    one, other = one[common], other[common]
    n = len(one)
    if n < 2:
        return float("nan")
    cost = WEIGHTS[weights]
    values, counts = np.unique(one, return_counts=True)
    others, other_counts = np.unique(other, return_counts=True)
    expected = float(counts @ cost(np.abs(values[:, np.newaxis] - others)) @ other_counts) / n
    observed = float(cost(np.abs(one - other)).sum())
    return 1 - observed / expected if expected > 0 else float("nan")


def kappa_matrix(ratings: ArrayLike, *, weights: str = "standard") -> Floats:
    """Return kappa of each pair of raters, shape (raters, items) -> (raters, raters); NaN on the diagonal."""
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 2:
        raise UsageError(f"Ratings must have the shape (raters, items), not {values.shape}.")
    matrix = np.full((len(values), len(values)), np.nan)
    for i, j in combinations(range(len(values)), 2):
        matrix[i, j] = matrix[j, i] = kappa(values[i], values[j], weights=weights)
    return matrix
