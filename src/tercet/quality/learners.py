"""The learners by name, the choice among them, and training with predictions for what was held out.

mean, linear:FEATURE    baselines
ridge, pls, svr, gbm    see linear.py, pls.py, svr.py, trees.py
best                    that one of the four with the least error in grouped cross-validation
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UnknownName
from ..stats.correlation import pearson
from ..stats.resampling import Floats
from .learner_base import Groups, Learner, Settings, check_examples, cross_predict
from .linear import Mean, OneFeature, Ridge
from .pls import PLS
from .predictors import Predictor as Predictor
from .predictors import predictor_from_parts as predictor_from_parts
from .splits import SEED, Rows
from .svr import SVR
from .trees import GradientBoosting

if TYPE_CHECKING:
    from concurrent.futures import Executor

_LARGEST = 1e6  # of a setting, far above all that are tried


@dataclass(frozen=True)
class Best(Learner):
    """The learner with the least error on held-out groups; of equals the first. All figures are recorded."""

    candidates: tuple[Learner, ...] = (Ridge(), PLS(), SVR(), GradientBoosting())

    name = "best"

    def choose(
        self, features: Floats, labels: Floats, groups: Rows, *, seed: int, executor: Executor | None
    ) -> Settings:
        chosen: dict[str, Settings] = {}
        figures: dict[str, dict[str, Any]] = {}
        for learner in self.candidates:
            settings = learner.choose(features, labels, groups, seed=seed, executor=executor)
            held_out = cross_predict(learner, features, labels, groups.tolist(), settings, seed=seed, executor=executor)
            chosen[learner.name], figures[learner.name] = settings, describe(labels, held_out)
        best = min(figures, key=lambda name: figures[name]["rmse"])
        return {"learner": best, "settings": dict(chosen[best]), "figures": figures}

    def fit_with(self, features: Floats, labels: Floats, settings: Settings, *, seed: int) -> Predictor:
        learner = next(learner for learner in self.candidates if learner.name == settings["learner"])
        return learner.fit_with(features, labels, settings["settings"], seed=seed)


LEARNERS: dict[str, Learner] = {
    learner.name: learner for learner in (Mean(), Ridge(), PLS(), SVR(), GradientBoosting(), Best())
}


def create(name: str, features: Sequence[str] = ()) -> Learner:
    """A learner by its name; for `linear:FEATURE` the names of the features are needed."""
    kind, colon, feature = name.partition(":")
    if kind == "linear" and colon:
        if feature not in features:
            raise UnknownName("feature", feature, features)
        return OneFeature(list(features).index(feature), feature)
    if name not in LEARNERS:
        raise UnknownName("learner", name, [*LEARNERS, "linear:FEATURE"])
    return LEARNERS[name]


def learnt_by(predictor: Predictor, features: Sequence[str]) -> tuple[Learner, Settings]:
    """What a predictor was trained by, to train others like it; where the best was chosen, that one.

    A file that says something else than a learner and its settings is a ValueError.
    """
    training = predictor.training
    if training["learner"] == Best.name:
        training = training["settings"]
    name, settings = training["learner"], training["settings"]
    if not isinstance(name, str) or not isinstance(settings, Mapping):
        raise ValueError(f"it was learnt by {name!r} with {settings!r}")
    learner = create(name, features)
    for key, kind in learner.needs.items():
        if type(settings.get(key)) is not kind or not 0 < settings[key] < _LARGEST:
            raise ValueError(f"the setting {key} of {name} is {settings.get(key)!r}")
    return learner, settings


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """A predictor trained on all examples, and what others like it say of examples that they have not seen."""

    predictor: Predictor
    held_out: Floats  # (n,): for each example the prediction of a model that has not seen its group


def cross_fit(
    learner: Learner,
    features: ArrayLike,
    labels: ArrayLike,
    groups: Groups = None,
    *,
    seed: int = SEED,
    executor: Executor | None = None,
) -> CrossFitted:
    """`Learner.fit`, and held-out predictions of grouped folds with the same settings (`selection.cross_predict`).

    The predictor's `training` has their root mean squared error, mean absolute error and correlation as "held_out".
    """
    values, targets, numbers = check_examples(features, labels, groups)
    predictor = learner.fit(values, targets, numbers.tolist(), seed=seed, executor=executor)
    settings = predictor.training["settings"]
    held_out = cross_predict(learner, values, targets, numbers.tolist(), settings, seed=seed, executor=executor)
    training: dict[str, Any] = {**predictor.training, "held_out": describe(targets, held_out)}
    return CrossFitted(replace(predictor, training=training), held_out)


def describe(labels: Floats, predictions: Floats) -> dict[str, float | None]:
    """Errors and correlation without intervals; None, for JSON, where a correlation is undefined."""
    errors = predictions - labels
    r = float(pearson(labels, predictions))
    return {
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "mae": float(np.mean(np.abs(errors))),
        "pearson": None if np.isnan(r) else r,
    }
