"""Classifier: any sequence classifier or regressor of Hugging Face that reads two texts, as a metric.

The first text is the reference or the source, the second the output. A regressor's number is the score; of a
classifier it is the probability of one label, such as "entailment" or "paraphrase".
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UnknownName, UsageError
from .._parameters import param
from ..bases.models import HubModel, Predict


@dataclass(frozen=True)
class Classifier(HubModel):
    """The output of a sequence classifier, the mean of segments.

    model: a Hugging Face folder, or a name of the hub.
    against: what the output is paired with: reference or source.
    label_name: whose probability is the score, by name or number; by default the last. A regressor has none.
    lower_is_better: if the score is an error.
    """

    against: str = param("reference", choices=("reference", "source"))
    label_name: str | None = param(key="label")
    lower_is_better: bool = param(False, quiet=True)

    paper = "Devlin et al. (2019), BERT: Pre-training of Deep Bidirectional Transformers"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({self.against})

    @property
    def without_references(self) -> bool:
        return self.against == "source"

    @property
    def higher_is_better(self) -> bool:
        return not self.lower_is_better

    def validate(self) -> None:
        if self.references == "none":
            raise UsageError("classifier: to pair the output with the source, use against=source.")

    def load(self, place: Path) -> Predict:
        from ...language.encoders.huggingface import feed, inferring, open_tokenizer
        from ...language.encoders.transformer import read_json

        name = str(self.model)
        tokenizer = open_tokenizer(name, place, read_json(place / "config.json"))
        model = self.network("AutoModelForSequenceClassification", place)
        column = self._column(model.config)

        def run(encoded: list[object]) -> Any:
            with inferring(name):
                found = model(**feed(model, tokenizer.pad(encoded))).logits.float().cpu().numpy().astype(np.float64)
            if column is None:
                return found[:, 0]
            powers = np.exp(found - found.max(1, keepdims=True))
            return (powers / powers.sum(1, keepdims=True))[:, column]

        return self.predictor(
            lambda rows: tokenizer.encode([(row.source or row.reference, row.output) for row in rows]), run
        )

    def _column(self, config: Any) -> int | None:
        if config.num_labels == 1:
            if self.label_name is not None:
                raise UsageError(f"classifier: {self.model} has no labels: it gives one number.")
            return None
        known = {str(name): int(number) for number, name in config.id2label.items()}
        if self.label_name is None:
            return int(config.num_labels) - 1
        if self.label_name.isdecimal() and int(self.label_name) < config.num_labels:
            return int(self.label_name)
        if self.label_name not in known:
            raise UnknownName(f"label of {self.model}", self.label_name, known)
        return known[self.label_name]
