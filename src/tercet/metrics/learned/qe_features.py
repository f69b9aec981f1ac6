"""QE features: features of quality estimation that need no reference and no resources, for `tercet learn`.

Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics", LREC, and QuEst:
lengths, punctuation, repetition, numbers and words copied from the source. Features that need language models or
aligners are in models of `tercet qe train`, which are metrics too: qe:model=FILE.
"""

from dataclasses import dataclass
from functools import cache

from .. import FeatureMetric, Floats, Shard
from ..bases.features import Weights


@dataclass(frozen=True)
class QEFeatures(FeatureMetric):
    """Features of source and output, weighed; the mean of segments.

    model: a file that `tercet learn` wrote from qe_features@*; without one there are only the features, and the score
        is 0.
    """

    needs = frozenset({"source"})
    paper = "Specia et al. (2010), A Dataset for Assessing Machine Translation Evaluation Metrics"
    label = "QE-Features"

    @property
    def higher_is_better(self) -> bool | None:
        return None if self.model is None else super().higher_is_better

    def feature_names(self) -> tuple[str, ...]:
        return _names()

    def weights(self) -> Weights | None:
        return None if self.model is None else super().weights()

    def features(self, shard: Shard, opened: object, weights: Weights | None) -> dict[str, Floats]:
        from ...quality.features import extract
        from ...quality.resources import Resources

        source, _, target = (shard.texts.pair or "").partition("-")
        languages = source or "und", target or "und"
        return {
            system: extract(shard.source or (), outputs, Resources(*languages), names=_names()).values
            for system, outputs in shard.outputs.items()
        }


@cache
def _names() -> tuple[str, ...]:
    from ...quality.features import all_features

    return tuple(feature.name for feature in all_features() if not feature.needs)
