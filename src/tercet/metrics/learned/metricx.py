"""MetricX: an error score that an mT5 model predicts, 0 (perfect) to 25. Lower is better.

Juraska et al. (2023), "MetricX-23: The Google Submission to the WMT 2023 Metrics Shared Task"; Juraska et al. (2024),
"MetricX-24". The weights are on the hub (google/metricx-…); the package called metricx on PyPI is something else. The
model is run by transformers: the score is the logit of one token in the first step of the decoder, as in the authors'
program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._parameters import param
from ..bases.models import HubModel, Predict, Row

SCORE_TOKEN = 250089  # <extra_id_10> of mT5
WORST = 25.0
TOKENIZER = "google/mt5-small"  # all sizes of mT5 have the same
LONGEST = {23: 1024, 24: 1536}  # tokens that the models were trained with


@dataclass(frozen=True)
class MetricX(HubModel):
    """MetricX, the mean of segments: an error score from 0 to 25.

    model: a folder with the weights, or a name of the hub such as google/metricx-24-hybrid-large-v2p6.
    tokenizer: the folder or hub name of mT5's tokenizer, which the models' folders lack; by default the
        model's folder, and google/mt5-small for the models of google.
    year: 23 or 24, which write their input differently; by default what the model's name says, or 24.
    references: how the scores with several references become one: mean or best; none is quality estimation.
    """

    tokenizer: str | None = param(local=True)
    year: int | None = param(choices=(23, 24))

    usual_model = "google/metricx-24-hybrid-large-v2p6"
    paper = "Juraska et al. (2024), MetricX-24: The Google Submission to the WMT 2024 Metrics Shared Task"
    higher_is_better = False

    @property
    def needs(self) -> frozenset[str]:
        settled = self.resolved()
        if settled.references == "none":
            return frozenset({"source"})
        return frozenset({"reference"} if settled.year == 23 else {"source", "reference"})

    def defaults(self, language: str | None) -> Mapping[str, object]:
        usual = super().defaults(language)
        name = str(self.model or usual["model"] or "").lower()
        tokenizer = TOKENIZER if name.startswith("google/metricx") else None
        return {
            **usual,
            "tokenizer": tokenizer,
            "references": "none" if "-qe-" in name else "mean",
            "year": 23 if "metricx-23" in name else 24,
        }

    def written(self, row: Row) -> str:
        if self.year == 23:
            other = f"source: {row.source}" if self.without_references else f"reference: {row.reference}"
            return f"candidate: {row.output} {other}"
        text = f"source: {row.source} candidate: {row.output}"
        return text if self.without_references else f"{text} reference: {row.reference}"

    def load(self, place: Path) -> Predict:
        from ...language.encoders.huggingface import feed, inferring, open_tokenizer, packages

        _, torch = packages()
        name = str(self.model)
        tokenizer = open_tokenizer(name, self.find(self.tokenizer, weights=False) if self.tokenizer else place, {})
        tokenizer.longest = LONGEST[self.year or 24]
        model = self.network("AutoModelForSeq2SeqLM", place)
        column = min(SCORE_TOKEN, model.config.vocab_size - 1)  # a small model of a test has a smaller vocabulary

        def run(encoded: list[object]) -> Any:
            inputs = tokenizer.pad(encoded)
            # Without the end mark, as the authors' program.
            ends = inputs.mask.sum(1) - 1
            inputs.mask[np.arange(len(ends)), ends] = 0
            inputs.ids[np.arange(len(ends)), ends] = tokenizer.padding
            with inferring(name):
                start = torch.zeros((len(encoded), 1), dtype=torch.long, device=model.device)
                logits = model(**feed(model, inputs), decoder_input_ids=start).logits[:, 0, column]
                return logits.float().clamp(0, WORST).cpu().numpy()

        return self.predictor(lambda rows: tokenizer.encode([self.written(row) for row in rows]), run)
