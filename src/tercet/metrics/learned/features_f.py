"""Features-F: how fluent the output is, above all where it differs from the reference.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", section 5.1.2: language
models of words and of tags judge the output, and again its words that are not aligned with the reference. The weights
of the features are learnt from people's rankings by logistic regression (section 5.1.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .._parameters import param
from ._aligned_features import AlignedFeatures, Compared
from ._fluency import NAMES, REFINED, SIMPLE, TAGS, WORDS

GROUPS = {"all": NAMES, "simple": SIMPLE, "refined": REFINED, "words": WORDS, "tags": TAGS}


@dataclass(frozen=True)
class FeaturesF(AlignedFeatures):
    """Features of fluency, weighed; higher is better. The mean of segments.

    of: all features, or the groups of Table 5.6: simple, refined, words, tags; a group needs a model of its own.
    """

    of: str = param("all", choices=GROUPS, quiet=True)

    paper = "Fomicheva (2017), The Role of Human Reference Translation in Machine Translation Evaluation, chapter 5"
    label = "Features-F"

    def feature_names(self) -> tuple[str, ...]:
        return GROUPS[self.of]

    def features_of(self, compared: Compared) -> Sequence[float]:
        return [compared.fluency[name] for name in GROUPS[self.of]]
