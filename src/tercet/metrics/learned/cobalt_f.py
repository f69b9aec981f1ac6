"""Cobalt-F: UPF-Cobalt, or the parts that it consists of, together with the fluency of the output.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", section 5.1. "simple" has
the score of UPF-Cobalt and the features of fluency, "comp" its 48 components in the place of the score. The weights of
the features are learnt from people's rankings by logistic regression.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .._parameters import param
from ._adequacy import NAMES as ADEQUACY
from ._adequacy import adequacy_features
from ._aligned_features import AlignedFeatures, Compared
from ._fluency import NAMES as FLUENCY


@dataclass(frozen=True)
class CobaltF(AlignedFeatures):
    """UPF-Cobalt with features of fluency; higher is better. The mean of segments.

    of: simple, the score of UPF-Cobalt, or comp, its components.
    """

    of: str = param("simple", choices=("simple", "comp"))

    paper = "Fomicheva (2017), The Role of Human Reference Translation in Machine Translation Evaluation, chapter 5"
    label = "Cobalt-F"

    def feature_names(self) -> tuple[str, ...]:
        own = ("cobalt",) if self.of == "simple" else tuple(f"adequacy_{name}" for name in ADEQUACY)
        return (*own, *FLUENCY)

    @property
    def shipped(self) -> str:
        return f"cobalt_f_{self.of}"

    def features_of(self, compared: Compared) -> Sequence[float]:
        fluency = list(compared.fluency.values())
        if self.of == "simple":
            return [compared.comparison.score, *fluency]
        return [*adequacy_features(compared.comparison, self.cobalt.relation_weights()).values(), *fluency]
