"""The learners by name, and the choice of the best of them.

mean, linear:FEATURE    baselines
ridge, pls, svr, gbm    learn labels; see linear.py, pls.py, svr.py, trees.py
best                    the one of these four with the lowest error in grouped cross-validation
logistic, lambdamart    learn from pairs of outputs of which one is better (linear.py, trees.py); ridge does, too
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import UnknownName
from ..types import Floats
from .examples import Examples
from .fitting import Learner, Settings, cross_predict, describe
from .linear import Logistic, Mean, OneFeature, Ridge
from .pls import PLS
from .predictors import Inputs, Predictor
from .svr import SVR
from .trees import GradientBoosting, LambdaMART

_LARGEST = 1e6  # setting that a model file may have, far above all that are tried


@dataclass(frozen=True)
class Best(Learner):
    """The learner with the lowest error on held-out groups. The figures of all candidates are recorded."""

    candidates: tuple[Learner, ...] = (Ridge(), PLS(), SVR(), GradientBoosting())

    name = "best"

    def choose(self, data: Examples) -> Settings:
        chosen: dict[str, Settings] = {}
        figures: dict[str, dict[str, Any]] = {}
        for learner in self.candidates:
            settings = learner.choose(data)
            held_out = cross_predict(learner, settings, data)
            chosen[learner.name], figures[learner.name] = settings, describe(data.labels, held_out)
        best = min(figures, key=lambda name: figures[name]["rmse"])
        return {"learner": best, "settings": dict(chosen[best]), "figures": figures}

    def fit_units(self, inputs: Inputs, units: Floats, data: Examples, settings: Settings) -> Predictor:
        learner = next(learner for learner in self.candidates if learner.name == settings["learner"])
        return learner.fit_units(inputs, units, data, settings["settings"])


LEARNERS: dict[str, Learner] = {
    learner.name: learner
    for learner in (Mean(), Ridge(), PLS(), SVR(), GradientBoosting(), Best(), Logistic(), LambdaMART())
}


def create(name: str, features: Sequence[str] = ()) -> Learner:
    """Return a learner of labels by its name. For `linear:FEATURE`, the names of the features are needed."""
    kind, colon, feature = name.partition(":")
    if kind == "linear" and colon:
        if feature not in features:
            raise UnknownName("feature", feature, features)
        return OneFeature(list(features).index(feature), feature)
    known = {name: learner for name, learner in LEARNERS.items() if learner.learns_from != "pairs"}
    if name not in known:
        raise UnknownName("learner", name, [*known, "linear:FEATURE"])
    return known[name]


def learnt_by(predictor: Predictor, features: Sequence[str]) -> tuple[Learner, Settings]:
    """Return learner and settings of a predictor (for `best`, the chosen one). Raises ValueError if it names none."""
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
