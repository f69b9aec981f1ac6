"""What the model behind a metric was trained on: names of data sets, and hashes of references."""

import re
from dataclasses import dataclass, field

import numpy as np

from ..data.model_file import Dataset
from ._contract import Metric
from .bases.combined import CombinedMetric
from .bases.features import FeatureMetric
from .bases.learned_model import Hashes, LearnedModel, join_hashes
from .bases.mixed import MixedMetric


@dataclass(frozen=True, eq=False)
class Seen:
    """The judgements that a metric's model saw, those of models among its features included."""

    sets: tuple[Dataset, ...] = ()
    hashes: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint32))

    def names(self, data: str, pair: str | None) -> bool:
        return any(re.split(r"[ .]", one.name) == [data, pair or ""] for one in self.sets)


def seen_by(metric: Metric) -> Seen:
    """Return what the model behind a metric saw; nothing for a metric without one."""
    if isinstance(metric, MixedMetric):
        found = [seen_by(member.metric) for member in metric.members()]
        return Seen(tuple(set_ for one in found for set_ in one.sets), join_hashes([one.hashes for one in found]))
    model: object = None
    if isinstance(metric, CombinedMetric):
        model = metric.fitted_model()
    elif isinstance(metric, FeatureMetric):
        model = metric.weights()
    if isinstance(model, LearnedModel):
        return Seen(model.trained_on, model.seen)
    return Seen(tuple(metric.trained_on()))
