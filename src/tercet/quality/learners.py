"""The learners by name, choosing the best of them, and training with held-out predictions.

mean, linear:FEATURE    baselines
ridge, pls, svr, gbm    see linear.py, pls.py, svr.py, trees.py
best                    the one of these four with the lowest error in grouped cross-validation
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import UnknownName
from ..stats.correlation import pearson
from ..types import Floats
from .learner_base import LabelledFeatures, Learner, Settings, cross_predict
from .linear import Mean, OneFeature, Ridge
from .pls import PLS
from .predictors import Inputs, Predictor
from .svr import SVR
from .trees import GradientBoosting

_LARGEST = 1e6  # setting that a model file may have, far above all that are tried


@dataclass(frozen=True)
class Best(Learner):
    """The learner with the lowest error on held-out groups. The figures of all candidates are recorded."""

    candidates: tuple[Learner, ...] = (Ridge(), PLS(), SVR(), GradientBoosting())

    name = "best"

    def choose(self, data: LabelledFeatures) -> Settings:
        chosen: dict[str, Settings] = {}
        figures: dict[str, dict[str, Any]] = {}
        for learner in self.candidates:
            settings = learner.choose(data)
            held_out = cross_predict(learner, settings, data)
            chosen[learner.name], figures[learner.name] = settings, describe(data.labels, held_out)
        best = min(figures, key=lambda name: figures[name]["rmse"])
        return {"learner": best, "settings": dict(chosen[best]), "figures": figures}

    def fit_units(self, inputs: Inputs, units: Floats, labels: Floats, settings: Settings, seed: int) -> Predictor:
        learner = next(learner for learner in self.candidates if learner.name == settings["learner"])
        return learner.fit_units(inputs, units, labels, settings["settings"], seed)


LEARNERS: dict[str, Learner] = {
    learner.name: learner for learner in (Mean(), Ridge(), PLS(), SVR(), GradientBoosting(), Best())
}


def create(name: str, features: Sequence[str] = ()) -> Learner:
    """Return a learner by its name. For `linear:FEATURE`, the names of the features are needed."""
    kind, colon, feature = name.partition(":")
    if kind == "linear" and colon:
        if feature not in features:
            raise UnknownName("feature", feature, features)
        return OneFeature(list(features).index(feature), feature)
    if name not in LEARNERS:
        raise UnknownName("learner", name, [*LEARNERS, "linear:FEATURE"])
    return LEARNERS[name]


def learnt_by(predictor: Predictor, features: Sequence[str]) -> tuple[Learner, Settings]:
    """Return the learner of a predictor and its settings, to train others like it; for `best`, the one chosen.

    Raises ValueError if the predictor comes from a file that does not name a learner and its settings.
    """
    training = predictor.training
    if training["learner"] == Best.name:
        training = training["settings"]
    name, settings = training["learner"], training["settings"]
    if not isinstance(name, str) or not isinstance(settings, Mapping):
        raise ValueError(f"its learner is {name!r} with the settings {settings!r}")
    learner = create(name, features)
    for key, kind in learner.needs.items():
        if type(settings.get(key)) is not kind or not 0 < settings[key] < _LARGEST:
            raise ValueError(f"the setting {key} of {name} is {settings.get(key)!r}")
    return learner, settings


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """A predictor trained on all examples, and held-out predictions of others like it."""

    predictor: Predictor
    held_out: Floats  # (n,): for each example the prediction of a model that has not seen its group


def cross_fit(learner: Learner, data: LabelledFeatures) -> CrossFitted:
    """Train a predictor on all examples, and predict each group with the same settings (`cross_predict`).

    The predictor's `training` has the errors and the correlation of the held-out predictions as "held_out".
    """
    predictor = learner.fit(data)
    held_out = cross_predict(learner, predictor.training["settings"], data)
    training: dict[str, Any] = {**predictor.training, "held_out": describe(data.labels, held_out)}
    return CrossFitted(replace(predictor, training=training), held_out)


def describe(labels: Floats, predictions: Floats) -> dict[str, float | None]:
    """Return errors and correlation without intervals; an undefined correlation is None, for JSON."""
    errors = predictions - labels
    r = float(pearson(labels, predictions))
    return {
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "mae": float(np.mean(np.abs(errors))),
        "pearson": None if np.isnan(r) else r,
    }
