"""What remains of a trained model: arrays, and how to predict with them. NumPy is enough, whatever trained it.

There are three kinds: linear (mean, one feature, ridge, partial least squares), kernel (support vector regression) and
trees (gradient boosting). A predictor goes into a file as a dictionary of plain values and one of arrays, its parts,
and comes back the same to the last bit. A row's prediction does not depend on which other rows it is predicted with.
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
from ..stats.resampling import Floats

Integers = NDArray[np.int64]
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]

_BATCH = 512  # rows that go through all trees at once


@dataclass(frozen=True, eq=False)
class Inputs:
    """Which of the features are used, and what was seen of them in the training examples.

    A value beyond those of the training examples is taken as the nearest of them, wherever a model predicts: further
    out nothing was learnt, and a sentence of a thousand words would be predicted to be anything.
    """

    width: int  # features that are given
    columns: Integers  # (k,), ascending
    means: Floats  # (k,)
    scales: Floats  # (k,): standard deviations
    lowest: Floats  # (k,)
    highest: Floats  # (k,)

    def apply(self, features: ArrayLike) -> Floats:
        """Features in standard units, shape (n, width) -> (n, k)."""
        values = check_features(features)
        if values.shape[1] != self.width:
            raise DataError(f"The model was trained on {self.width} features; here are {values.shape[1]}.")
        inside = np.clip(values[:, self.columns], self.lowest, self.highest)
        return np.ascontiguousarray((inside - self.means) / self.scales)

    def only(self, chosen: Integers) -> Inputs:
        """Fewer of them, by their places among those used."""
        return Inputs(self.width, *(getattr(self, name)[chosen] for name in _INPUT_ARRAYS))


def check_features(features: ArrayLike) -> Floats:
    """Features as float64, shape (n, k), or an error that says which number is missing."""
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
    """A trained model. `training` says how it came about: learner, settings, figures; plain values only."""

    inputs: Inputs
    training: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    kind: ClassVar[str]

    def predict(self, features: ArrayLike) -> Floats:
        """One value for each row of features, shape (n, width) -> (n,)."""
        return self._predict(self.inputs.apply(features))

    def predict_with_usual(self, features: ArrayLike, usual: Floats) -> Floats:
        """What would be predicted with one feature at its usual value, for each feature: (n, width) -> (n, width)."""
        units, normal = self.inputs.apply(features), self.inputs.apply(usual[np.newaxis])[0]
        found = np.repeat(self._predict(units)[:, np.newaxis], self.inputs.width, axis=1)
        found[:, self.inputs.columns] = self._predict_with(units, normal)
        return found

    def _predict_with(self, units: Floats, normal: Floats) -> Floats:
        """With each of the features used replaced by its number in `normal`, in standard units: (n, k) -> (n, k)."""
        found = np.empty(units.shape)
        for column, value in enumerate(normal):
            changed = units.copy()
            changed[:, column] = value
            found[:, column] = self._predict(changed)
        return found

    @abstractmethod
    def _predict(self, units: Floats) -> Floats:
        """From features in standard units."""

    @abstractmethod
    def _fault(self) -> str | None:
        """What is inconsistent about the arrays, if anything."""

    def to_parts(self) -> Parts:
        """Plain values, for JSON, and arrays."""
        plain = {"kind": self.kind, "width": self.inputs.width, "training": dict(self.training)}
        arrays: dict[str, NDArray[Any]] = {name: getattr(self.inputs, name) for name in _INPUT_ARRAYS}
        for name, declared in self._own_fields():
            if declared == "float":
                plain[name] = getattr(self, name)
            else:
                arrays[name] = getattr(self, name)
        return plain, arrays

    @classmethod
    def _own_fields(cls) -> list[tuple[str, str]]:
        return [(f.name, str(f.type)) for f in fields(cls) if f.name not in ("inputs", "training")]


_INPUT_ARRAYS = {"columns": "Integers"} | dict.fromkeys(("means", "scales", "lowest", "highest"), "Floats")
_DTYPES = {"Integers": np.dtype(np.int64), "Floats": np.dtype(np.float64)}


@dataclass(frozen=True, eq=False)
class LinearPredictor(Predictor):
    """A weighted sum of features."""

    coefficients: Floats  # (k,), for standard units
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
    """A weighted sum of likenesses to training examples: exp(-gamma * squared distance)."""

    vectors: Floats  # (m, k), in standard units
    weights: Floats  # (m,)
    gamma: float
    intercept: float

    kind: ClassVar[str] = "kernel"

    def _predict(self, units: Floats) -> Floats:
        # Row by row, and no product of matrices: that may round a row differently in other company, or on more threads.
        squares = (self.vectors**2).sum(1)
        result = np.empty(len(units))
        for place, row in enumerate(units):
            distances = squares + (row**2).sum() - 2 * np.einsum("ij,j->i", self.vectors, row)
            result[place] = (self.weights * np.exp(-self.gamma * np.maximum(distances, 0))).sum()
        return result + self.intercept

    def _predict_with(self, units: Floats, normal: Floats) -> Floats:
        # One feature changes one term of the distance: all features together cost little more than one.
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
    """A sum over regression trees. Nodes of all trees are numbered together; a leaf is its own child.

    Features are compared in single precision, as scikit-learn does, which places its thresholds between such numbers.
    """

    roots: Integers  # (trees,)
    feature: Integers  # (nodes,), among those used; 0 for a leaf
    threshold: Floats  # (nodes,): left where the feature is at most this
    left: Integers
    right: Integers
    value: Floats  # (nodes,): what a leaf adds
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
                return f"a {name} of the trees that does not exist"
        own = np.arange(count)
        leaf = (self.left == own) & (self.right == own)
        # Children come after their parents, so that every way down ends.
        if not (leaf | ((self.left > own) & (self.right > own))).all():
            return "a tree with a way that does not lead down"
        return None


KINDS: dict[str, type[Predictor]] = {kind.kind: kind for kind in (LinearPredictor, KernelPredictor, TreePredictor)}


def predictor_from_parts(plain: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Predictor:
    """The predictor whose `to_parts` these are; parts that are unknown, missing or contradictory are refused."""
    kind = KINDS.get(plain["kind"]) if isinstance(plain.get("kind"), str) else None
    if kind is None:
        raise DataError(
            f"The model has an unknown kind of predictor, {plain.get('kind')!r}; known: {', '.join(KINDS)}."
        )
    own = dict(kind._own_fields())
    numbers = [name for name, declared in own.items() if declared == "float"]
    wanted = _INPUT_ARRAYS | {name: declared for name, declared in own.items() if declared != "float"}
    _check_names("values", plain, {"kind", "width", "training", *numbers})
    _check_names("arrays", arrays, wanted)
    for name, declared in wanted.items():
        array = arrays[name]
        if not isinstance(array, np.ndarray) or array.dtype != _DTYPES[declared] or not np.isfinite(array).all():
            raise _inconsistent(f"{name} is not an array of {_DTYPES[declared]} without gaps")
        if array.ndim != (2 if name == "vectors" else 1):
            raise _inconsistent(f"{name} has the shape {array.shape}")
    for name in numbers:
        if not isinstance(plain[name], float) or not np.isfinite(plain[name]):
            raise _inconsistent(f"{name} is {plain[name]!r}")
    if not isinstance(plain["training"], Mapping):
        raise _inconsistent(f"training is {plain['training']!r}")
    inputs = Inputs(plain["width"], *(arrays[name] for name in _INPUT_ARRAYS))
    rest = {name: plain[name] if declared == "float" else arrays[name] for name, declared in own.items()}
    predictor = kind(inputs, training=dict(plain["training"]), **rest)
    fault = _inputs_fault(inputs) or predictor._fault()
    if fault:
        raise _inconsistent(fault)
    return predictor


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


def _check_names(what: str, given: Mapping[str, Any], wanted: Mapping[str, str] | set[str]) -> None:
    for name in sorted(set(wanted) - set(given)):
        raise _inconsistent(f"among its {what}, {name} is missing")
    for name in sorted(set(given) - set(wanted)):
        raise _inconsistent(f"among its {what}, {name} is unknown")


def _inconsistent(fault: str) -> DataError:
    return DataError(f"The model's predictor is damaged, or of another version: {shown(fault)}. Train it again.")
