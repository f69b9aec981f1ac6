"""Learned: a metric that `tercet learn` made of other metrics and people's judgements.

Fomicheva (2017), section 5.1.1, and the tuned combinations of WMT14 (Bojar et al. 2014): features of a segment, weights
learnt so that outputs that people prefer score higher.
"""

from dataclasses import dataclass

from ...errors import UsageError
from .. import CombinedMetric, param
from ..bases.learned_model import LearnedModel, load_model


@dataclass(frozen=True)
class Learned(CombinedMetric):
    """A model of other metrics' scores and parts; the mean of segments. Differences count, the zero has no meaning.

    model: a file that `tercet learn` wrote.
    lm: a file that `tercet lm` wrote, for features of fluency.
    table: a table of numbers, for features of your own (numbers@*).
    trust_features: run the code of features that are in Python files; the model's author chose these.
    allow_network: send texts to the services that the model names. They get no key.
    """

    table: str | None = param(file=True, local=True)
    trust_features: bool = param(False, local=True)
    allow_network: bool = param(False, local=True)
    model: str | None = param(file=True)

    paper = "Fomicheva (2017), section 5.1.1; docs/guides/own-metric.md"

    def fitted_model(self) -> LearnedModel:
        if self.model is None:
            raise UsageError(f"learned needs {self.lacks}.")
        return load_model(self.model)

    @property
    def lacks(self) -> str:
        return "" if self.model else "a model: learned:model=FILE, with a file that 'tercet learn' wrote"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"reference"}) if self.model is None else super().needs

    @property
    def whole(self) -> bool:
        return self.model is not None and super().whole

    @property
    def label(self) -> str:
        own = "Learned" if self.model is None else self.fitted_model().label
        return own if own == "Learned" else f"Learned({own})"
