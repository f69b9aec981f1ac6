"""Prediction intervals that contain the true label with a given probability, for any model and any distribution.

Conformal prediction (Vovk, Gammerman and Shafer 2005, "Algorithmic Learning in a Random World"; Lei et al. 2018,
"Distribution-Free Predictive Inference for Regression"): half the width of an interval is a quantile of the absolute
errors on examples that the model has not seen. The caller chooses these examples:

- Examples that were set aside before training (split conformal): at least `level` of new examples are covered on
  average.
- All training examples, each predicted by a model that has not seen its group (`cross_fit`): the jackknife over folds
  (Barber et al. 2021, "Predictive Inference with the Jackknife+"). All examples are used for training, which small data
  need. There is no such guarantee, but coverage is near `level` if one fold more or less hardly changes the model.

Examples of one group are alike, and groups are exchangeable. So each group has the same weight, whatever its size, and
one more group with infinite errors represents the new one (Lee, Barber and Willett 2023, "Distribution-Free Inference
with Hierarchical Data"). For groups of one example this is the usual quantile, the ceil((n + 1) * level)-th smallest
error.
"""

import logging
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.model_file import shown
from ..errors import DataError, UsageError
from ..learning import SEED
from ..learning.examples import check_examples, number_groups
from ..learning.fitting import cross_fit
from ..learning.linear import Ridge
from ..learning.predictors import Parts, Predictor, below, predictor_from_parts
from ..stats.correlation import is_constant_series
from ..stats.resampling import TOLERANCE, check_share
from ..types import Floats

log = logging.getLogger(__name__)

_BELOW = "difficulty."
_NUMBERS = ("groups", "easiest", "usual")
_EASIEST = 0.25  # times the mean error: the smallest error that is expected of any example


@dataclass(frozen=True, eq=False)
class Conformal:
    """Errors on held-out examples, from which intervals follow; `difficulty` predicts the error of an example."""

    errors: Floats  # (n,), absolute, ascending
    weights: Floats  # (n,): 1 / size of the example's group
    groups: int
    difficulty: Predictor | None = None
    easiest: float = 0.0  # the least difficulty
    usual: float = 1.0  # the median difficulty of the held-out examples

    def half_width(self, level: float) -> float:
        """Return half the width of intervals, for difficulty 1; infinite if there are too few groups for the level."""
        check_share("The level of intervals", level)
        reached = np.cumsum(self.weights) / (self.groups + 1)
        place = int(np.searchsorted(reached, level - TOLERANCE))
        return float(self.errors[place]) if place < len(self.errors) else float("inf")

    def usual_half_width(self, level: float) -> float:
        """Return half the width of the interval of an example of median difficulty."""
        return self.usual * self.half_width(level)

    def interval(
        self, predictions: ArrayLike, level: float, features: ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """Return the lower and upper bounds, shape (n,); `features` (n, k) are needed if there is a difficulty."""
        values = np.asarray(predictions, dtype=np.float64)
        half = self.half_width(level)
        if half == float("inf"):
            log.warning(
                "Intervals of %g %% are infinite: the model was trained on %d groups, which are too few.",
                100 * level, self.groups,
            )  # fmt: skip
        width = np.full(values.shape, half)
        if self.difficulty is not None:
            if features is None:
                raise UsageError("These intervals depend on the features: give them, too.")
            width *= np.maximum(self.difficulty.predict(features), self.easiest)
        return values - width, values + width

    def to_parts(self) -> Parts:
        plain: dict[str, Any] = {name: getattr(self, name) for name in _NUMBERS} | {"difficulty": None}
        arrays: dict[str, NDArray[Any]] = {"errors": self.errors, "weights": self.weights}
        if self.difficulty is not None:
            plain["difficulty"], own = self.difficulty.to_parts()
            arrays |= {_BELOW + name: array for name, array in own.items()}
        return plain, arrays

    @classmethod
    def from_parts(cls, plain: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "Conformal":
        """Rebuild the intervals from `to_parts`. Raises DataError for unknown, missing or contradictory parts."""
        own = {name: array for name, array in arrays.items() if not name.startswith(_BELOW)}
        of_difficulty = below(_BELOW, arrays)
        if fault := _fault(plain, own, bool(of_difficulty)):
            raise DataError(
                f"The model's intervals are damaged, or of another version: {shown(fault)}. Train it again."
            )
        difficulty = predictor_from_parts(plain["difficulty"], of_difficulty) if of_difficulty else None
        return cls(own["errors"], own["weights"], plain["groups"], difficulty, plain["easiest"], plain["usual"])


def _fault(plain: Mapping[str, Any], own: Mapping[str, NDArray[Any]], has_difficulty: bool) -> str:
    """Return what is inconsistent in parts from a file; empty if nothing is."""
    if set(plain) != {*_NUMBERS, "difficulty"} or set(own) != {"errors", "weights"}:
        return f"it has {', '.join(sorted({*plain, *own}))}"
    errors, groups = own["errors"], plain["groups"]
    for name, array in own.items():
        if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != (errors.size,):
            return f"{name} is not an array of {errors.size} float64 numbers"
        if not (np.isfinite(array) & (array >= 0)).all():
            return f"{name} has negative or missing numbers"
    if (np.diff(errors) < 0).any():
        return "errors are not in order"
    if not isinstance(groups, int) or abs(own["weights"].sum() - groups) > 1e-6 * max(groups, 1):
        return f"weights do not add up to {groups!r} groups"
    for name in ("easiest", "usual"):
        if not isinstance(plain[name], float) or not 0 <= plain[name] < float("inf"):
            return f"{name} is {plain[name]!r}"
    return "" if has_difficulty == (plain["difficulty"] is not None) else "the difficulty is incomplete"


def calibrate(
    labels: ArrayLike,
    held_out: ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    features: ArrayLike | None = None,
    seed: int = SEED,
    executor: Executor | None = None,
) -> Conformal:
    """Compute intervals from labels, shape (n,), and held-out predictions of the same examples.

    features: shape (n, k). With them, the width depends on how hard an example is to predict, according to a ridge
    regression of the absolute errors. That regression is cross-fitted, so that overfitting does not make intervals
    narrower.
    """
    truth, values = np.asarray(labels, dtype=np.float64), np.asarray(held_out, dtype=np.float64)
    if truth.ndim != 1 or truth.shape != values.shape or not truth.size:
        raise UsageError(f"Labels of shape {truth.shape} do not go with held-out predictions of shape {values.shape}.")
    if not np.isfinite(truth - values).all():
        raise DataError("A label or a held-out prediction is missing or not finite; intervals need all of them.")
    numbers = number_groups(groups, len(truth), "examples")
    errors = np.abs(truth - values)
    difficulty, easiest, usual = None, 0.0, 1.0
    if features is not None and not is_constant_series(errors):
        data = check_examples(features, errors, numbers.tolist(), seed=seed, executor=executor)
        difficulty, expected = cross_fit(Ridge(), data)
        easiest = _EASIEST * float(errors.mean())
        expected = np.maximum(expected, easiest)
        errors, usual = errors / expected, float(np.median(expected))
    order = np.argsort(errors, kind="stable")
    weights = 1 / np.bincount(numbers)[numbers]
    return Conformal(errors[order], weights[order], int(numbers.max()) + 1, difficulty, easiest, usual)


def is_covered(labels: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> NDArray[np.bool_]:
    """Return which labels are within their intervals, shape (n,)."""
    truth, low, high = (np.asarray(part, dtype=np.float64) for part in (labels, lower, upper))
    if not truth.shape == low.shape == high.shape:
        raise UsageError(f"{truth.size} labels do not go with {low.size} lower and {high.size} upper bounds.")
    inside: NDArray[np.bool_] = (low <= truth) & (truth <= high)
    return inside
