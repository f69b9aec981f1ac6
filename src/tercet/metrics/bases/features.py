"""The base of metrics that are features of a segment, and a model that weighs them; `model=none`: features alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...errors import DataError
from ...text.explanations import Seen
from ...types import Floats
from .._contract import Corpus, Learnt, Shard
from .._parameters import param
from .learned_model import LearnedModel, load_model, shipped_model
from .pairs import one_segment
from .segments import PartsMetric

NONE = "none"


class Weights(Protocol):
    """What makes scores of features."""

    @property
    def checksum(self) -> str: ...

    def predict(self, features: Floats) -> Floats: ...


def model_path(name: str) -> Path | None:
    """Return the file that a parameter `model` names."""
    return None if name == NONE else Path(name)


@dataclass(frozen=True)
class FeatureMetric(PartsMetric):
    """A metric that computes features and weighs them.

    model: a file that `tercet learn` wrote; none gives only the features, and the score 0.
    """

    model: str | None = param(file=model_path)

    @property
    def higher_is_better(self) -> bool | None:
        return None if self.model == NONE else True

    def feature_names(self) -> tuple[str, ...]:
        raise NotImplementedError

    @property
    def part_names(self) -> tuple[str, ...]:
        return self.feature_names()

    def features(self, shard: Shard, opened: Any, weights: Weights | None) -> dict[str, Floats]:
        """Return the features of all systems, shape (segments, features). weights: to choose among references."""
        raise NotImplementedError

    @property
    def shipped(self) -> str:
        """The name of the model in the package."""
        return self.name

    def weights(self) -> Weights | None:
        if self.model == NONE:
            return None
        model = load_model(self.model) if self.model else shipped_model(self.shipped)
        expected = self.feature_names()
        if tuple(name.rpartition("@")[2] for name in model.features) != expected:
            raise DataError(
                f"{self.name}: the model {self.model or 'of the package'} is not one of these {len(expected)} "
                f"features. Make one with 'tercet learn … --features {self.name}@*', or use it as learned:model=FILE."
            )
        return model

    @property
    def languages(self) -> tuple[str, ...]:
        model = self.weights()
        return model.languages if isinstance(model, LearnedModel) else ()

    def learn(self, testset: Corpus) -> Learnt:
        weights = self.weights()
        if weights is None:
            return Learnt()
        checksum = weights.checksum[:16]
        return Learnt(checksum, {"checksum": checksum})

    def count(self, shard: Shard, opened: object) -> dict[str, Floats]:
        weights = self.weights()
        found = {}
        for system, features in self.features(shard, opened, weights).items():
            scores = np.zeros(len(features)) if weights is None else weights.predict(features)
            found[system] = np.column_stack([scores, np.ones(len(features)), features])
        return found

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        counts = self.count(one_segment(output, references, source), opened)["output"][0].tolist()
        return Seen(counts[0], values={"features": dict(zip(self.feature_names(), counts[2:], strict=True))})
