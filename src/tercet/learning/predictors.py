"""Trained predictors: arrays, and prediction with NumPy alone, whichever library trained them.

There are three kinds: linear (mean, one feature, ridge, partial least squares), kernel (support vector regression) and
trees (gradient boosting). A predictor is stored as its parts, a dictionary of plain values and one of arrays, and is
read back exactly. The prediction of a row does not depend on the other rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.model_file import shown
from ..errors import DataError
from ..types import Floats

Integers = NDArray[np.int64]
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]

_BATCH = 512  # rows that are predicted by all trees at once


@dataclass(frozen=True, eq=False)
class Inputs:
    """The features that a predictor uses, with their means, scales and ranges in the training examples.

    Values outside the range of the training examples are clipped to it: nothing was learnt about them, and the
    prediction for a sentence of a thousand words could be anything.
    """

    width: int  # number of all features
    columns: Integers  # (k,), ascending
    means: Floats  # (k,)
    scales: Floats  # (k,): standard deviations
    lowest: Floats  # (k,)
    highest: Floats  # (k,)

    def apply(self, features: ArrayLike) -> Floats:
        """Standardise features, shape (n, width) -> (n, k)."""
        values = check_features(features)
        if values.shape[1] != self.width:
            raise DataError(f"The model was trained on {self.width} features, and {values.shape[1]} are given.")
        inside = np.clip(values[:, self.columns], self.lowest, self.highest)
        return np.ascontiguousarray((inside - self.means) / self.scales)

    def only(self, chosen: Integers) -> Inputs:
        """Return a selection of the used features, by their places among them."""
        return Inputs(self.width, *(getattr(self, name)[chosen] for name in _INPUT_ARRAYS))


def check_features(features: ArrayLike) -> Floats:
    """Return features as float64, shape (n, k), or raise an error that says which number is missing."""
    values = np.asarray(features, dtype=np.float64)
    if values.ndim != 2:
        raise DataError(f"Features must have the shape (examples, features), not {values.shape}.")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise DataError(
            f"Feature number {column + 1} of example {row + 1} is {values[row, column]}, not a number "
            f"({len(bad)} such {'value' if len(bad) == 1 else 'values'}). Every feature needs a value."
        )
    return values


@dataclass(frozen=True, eq=False)
class Predictor(ABC):
    """A trained model. training: learner, settings and figures, as plain values for JSON."""

    inputs: Inputs
    training: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    kind: ClassVar[str]

    def predict(self, features: ArrayLike) -> Floats:
        """Predict one value for each row of features, shape (n, width) -> (n,)."""
        return self._predict(self.inputs.apply(features))

    def predict_with_usual(self, features: ArrayLike, usual: Floats) -> Floats:
        """Predict with one feature at a time replaced by its usual value, shape (n, width) -> (n, width)."""
        units, normal = self.inputs.apply(features), self.inputs.apply(usual[np.newaxis])[0]
        found = np.repeat(self._predict(units)[:, np.newaxis], self.inputs.width, axis=1)
        found[:, self.inputs.columns] = self._predict_with(units, normal)
        return found

    def _predict_with(self, units: Floats, normal: Floats) -> Floats:
        """Predict with one used feature at a time replaced by its value in `normal`, both standardised: (n, k)."""
        found = np.empty(units.shape)
        for column, value in enumerate(normal):
            changed = units.copy()
            changed[:, column] = value
            found[:, column] = self._predict(changed)
        return found

    @abstractmethod
    def _predict(self, units: Floats) -> Floats:
        """Predict from standardised features."""

    @abstractmethod
    def _fault(self) -> str | None:
        """Return what is inconsistent about the arrays, or None."""

    def to_parts(self) -> Parts:
        plain = {"kind": self.kind, "width": self.inputs.width, "training": dict(self.training)}
        arrays: dict[str, NDArray[Any]] = {name: getattr(self.inputs, name) for name in _INPUT_ARRAYS}
        for name, declared in self._own_fields().items():
            (plain if declared == "float" else arrays)[name] = getattr(self, name)
        return plain, arrays

    @classmethod
    def _own_fields(cls) -> dict[str, str]:
        return {f.name: str(f.type) for f in fields(cls) if f.name not in ("inputs", "training")}


_INPUT_ARRAYS = {"columns": "Integers"} | dict.fromkeys(("means", "scales", "lowest", "highest"), "Floats")
_DTYPES = {"Integers": np.dtype(np.int64), "Floats": np.dtype(np.float64)}


@dataclass(frozen=True, eq=False)
class LinearPredictor(Predictor):
    """A linear model."""

    coefficients: Floats  # (k,), for standardised features
    intercept: float

    kind: ClassVar[str] = "linear"

    def _predict(self, units: Floats) -> Floats:
        result: Floats = (units * self.coefficients).sum(1) + self.intercept
        return result

    def _fault(self) -> str | None:
        if self.coefficients.shape != self.inputs.columns.shape:
            return f"{self.coefficients.size} coefficients for {self.inputs.columns.size} features"
        return None


@dataclass(frozen=True, eq=False)
class KernelPredictor(Predictor):
    """A weighted sum of similarities to training examples (Gaussian kernel): exp(-gamma * squared distance)."""

    vectors: Floats  # (m, k), standardised
    weights: Floats  # (m,)
    gamma: float
    intercept: float

    kind: ClassVar[str] = "kernel"

    def _predict(self, units: Floats) -> Floats:
        # Row by row: a matrix product may round a row differently if there are other rows, or more threads.
        squares = (self.vectors**2).sum(1)
        result = np.empty(len(units))
        for place, row in enumerate(units):
            distances = squares + (row**2).sum() - 2 * np.einsum("ij,j->i", self.vectors, row)
            result[place] = (self.weights * np.exp(-self.gamma * np.maximum(distances, 0))).sum()
        return result + self.intercept

    def _predict_with(self, units: Floats, normal: Floats) -> Floats:
        # One feature changes one term of the distance, so all features together cost little more than one.
        then = self.weights[:, np.newaxis] * np.exp(-self.gamma * (self.vectors - normal) ** 2)
        found = np.empty(units.shape)
        for place, row in enumerate(units):
            apart = (self.vectors - row) ** 2
            others = apart.sum(1, keepdims=True) - apart
            found[place] = np.einsum("mk,mk->k", then, np.exp(-self.gamma * np.maximum(others, 0)))
        return found + self.intercept

    def _fault(self) -> str | None:
        if self.vectors.shape != (*self.weights.shape, len(self.inputs.columns)):
            return f"vectors of shape {self.vectors.shape} for {self.weights.shape} weights"
        return None if self.gamma > 0 else f"gamma is {self.gamma}"


@dataclass(frozen=True, eq=False)
class TreePredictor(Predictor):
    """A sum of regression trees; a leaf is its own child. Thresholds are in single precision, as scikit-learn's."""

    roots: Integers  # (trees,)
    feature: Integers  # (nodes,), among the used features; 0 for a leaf
    threshold: Floats  # (nodes,): go left if the feature is at most this
    left: Integers
    right: Integers
    value: Floats  # (nodes,): the value that a leaf adds
    intercept: float

    kind: ClassVar[str] = "trees"

    def _predict(self, units: Floats) -> Floats:
        parts = [self._add_up(units[start : start + _BATCH]) for start in range(0, len(units), _BATCH)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _add_up(self, units: Floats) -> Floats:
        singles = units.astype(np.float32).astype(np.float64)
        rows = np.arange(len(units))[:, np.newaxis]
        nodes = np.broadcast_to(self.roots, (len(units), len(self.roots)))
        while True:
            goes_left = singles[rows, self.feature[nodes]] <= self.threshold[nodes]
            below = np.where(goes_left, self.left[nodes], self.right[nodes])
            if np.array_equal(below, nodes):
                break
            nodes = below
        result: Floats = self.value[nodes].sum(1) + self.intercept
        return result

    def _fault(self) -> str | None:
        count = len(self.feature)
        if any(part.shape != (count,) for part in (self.threshold, self.left, self.right, self.value)):
            return "the trees' arrays are not equally long"
        for name, part, limit in (
            ("root", self.roots, count),
            ("feature", self.feature, len(self.inputs.columns)),
            ("child", self.left, count),
            ("child", self.right, count),
        ):
            if ((part < 0) | (part >= limit)).any():
                return f"a {name} of the trees does not exist"
        own = np.arange(count)
        leaf = (self.left == own) & (self.right == own)
        # Children come after their parents, so that every path ends.
        if not (leaf | ((self.left > own) & (self.right > own))).all():
            return "a path in a tree does not lead down"
        return None


KINDS: dict[str, type[Predictor]] = {kind.kind: kind for kind in (LinearPredictor, KernelPredictor, TreePredictor)}


def predictor_from_parts(plain: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Predictor:
    """Rebuild a predictor from its `to_parts`. Raises DataError for unknown, missing or contradictory parts."""
    kind = KINDS.get(plain["kind"]) if isinstance(plain.get("kind"), str) else None
    if kind is None:
        raise DataError(
            f"The model has an unknown kind of predictor, {plain.get('kind')!r}; known: {', '.join(KINDS)}."
        )
    own = kind._own_fields()
    numbers = [name for name, declared in own.items() if declared == "float"]
    wanted = _INPUT_ARRAYS | {name: declared for name, declared in own.items() if declared != "float"}
    fault = _names_fault("values", plain, {"kind", "width", "training", *numbers})
    fault = fault or _names_fault("arrays", arrays, wanted) or _form_fault(plain, arrays, numbers, wanted)
    if not fault:
        inputs = Inputs(plain["width"], *(arrays[name] for name in _INPUT_ARRAYS))
        rest = {name: plain[name] if declared == "float" else arrays[name] for name, declared in own.items()}
        predictor = kind(inputs, training=dict(plain["training"]), **rest)
        fault = _inputs_fault(inputs) or predictor._fault()
    if fault:
        raise DataError(f"The model's predictor is damaged, or of another version: {shown(fault)}. Train it again.")
    return predictor


def below(prefix: str, arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names have the prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _names_fault(what: str, given: Mapping[str, object], wanted: Mapping[str, str] | set[str]) -> str | None:
    for name in sorted(set(wanted) ^ set(given)):
        return f"{name} is {'missing' if name in wanted else 'unknown'} among its {what}"
    return None


def _form_fault(
    plain: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], numbers: list[str], wanted: Mapping[str, str]
) -> str | None:
    for name, declared in wanted.items():
        array = arrays[name]
        if not isinstance(array, np.ndarray) or array.dtype != _DTYPES[declared] or not np.isfinite(array).all():
            return f"{name} is not an array of finite {_DTYPES[declared]} numbers"
        if array.ndim != (2 if name == "vectors" else 1):
            return f"{name} has the shape {array.shape}"
    for name in numbers:
        if not isinstance(plain[name], float) or not np.isfinite(plain[name]):
            return f"{name} is {plain[name]!r}"
    return None if isinstance(plain["training"], Mapping) else f"training is {plain['training']!r}"


def _inputs_fault(inputs: Inputs) -> str | None:
    width, columns = inputs.width, inputs.columns
    if not isinstance(width, int) or isinstance(width, bool) or width < 0:
        return f"width is {width!r}"
    for name in _INPUT_ARRAYS:
        if getattr(inputs, name).shape != columns.shape:
            return f"{columns.size} columns and {getattr(inputs, name).size} {name}"
    if ((columns < 0) | (columns >= width)).any() or (np.diff(columns) <= 0).any():
        return f"columns are not ascending numbers below {width}"
    if not (inputs.lowest < inputs.highest).all():
        return "a lowest value is not below the highest"
    return None if (inputs.scales > 0).all() else "a scale is not positive"
