"""QE: the quality that a trained model predicts from source and output, with no reference.

Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics", LREC. Models are
made by `tercet qe train`; the package has one for 28 languages. A system's score is the mean of its segments'
predictions, on the scale of the labels that the model was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...data.files import file_state
from ...errors import DataError, UsageError
from ...types import Floats
from .._contract import Learnt, Metric, Shard, mean_score
from .._parameters import param

if TYPE_CHECKING:
    from ...quality.model import QualityModel
    from .._machinery import Corpus


@dataclass(frozen=True)
class QE(Metric):
    """Predicted quality, on the scale of the labels that the model learnt from.

    model: a file that `tercet qe train` wrote, or default, the package's own for 28 languages. Whether higher is
    better is what the model was trained for.
    """

    model: str = param("default", file=lambda place: None if place == "default" else Path(place))

    needs = frozenset({"source"})
    paper: ClassVar[str] = "Specia et al. (2010), A Dataset for Assessing Machine Translation Evaluation Metrics"

    @property
    def packages(self) -> Sequence[tuple[str, str]]:
        from ...language.encoders import PACKAGES

        return PACKAGES["onnx"] if self.model == "default" else ()

    @property
    def decimals(self) -> int:
        return 1 if self.model == "default" else 3  # the package's model predicts from 0 to 100

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        model = self._load(_languages(testset))
        if model.given:
            raise UsageError(
                f"The model {self.model} reads features of your own ({', '.join(model.given)}), which a test set does "
                "not have. Use 'tercet qe predict' with `extra_features`."
            )
        if testset.pair is not None:
            model.check_languages(testset.pair.split("-"))

    def learn(self, testset: Corpus) -> Learnt:
        languages = _languages(testset)
        model = self._load(languages)
        state = model.checksum, languages
        return Learnt(state, {"checksum": model.checksum[:16]}, higher_is_better=model.higher_is_better)

    def open(self, state: tuple[str, tuple[str, str] | None] | None) -> QualityModel:
        checksum, languages = state or (None, None)
        model = self._load(languages)
        if checksum is not None and model.checksum != checksum:
            raise DataError(
                f"{self.model} is not the model that scoring began with: it has changed, or differs between computers."
            )
        return model

    def count(self, shard: Shard, opened: QualityModel) -> dict[str, Floats]:
        """Count the prediction, and 1."""
        counts = {}
        for system, outputs in shard.outputs.items():
            predictions = opened.predict(shard.source or (), outputs).values
            counts[system] = np.column_stack([predictions, np.ones(len(predictions))])
        return counts

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def _load(self, languages: tuple[str, str] | None) -> QualityModel:
        return _open(self.model, languages if self.model == "default" else None, file_state(self.model))


def _languages(testset: Corpus) -> tuple[str, str] | None:
    """Return source and target language, where the test set knows both."""
    if testset.pair is None:
        return None
    source, target = testset.pair.split("-")
    return source, target


@lru_cache(maxsize=4)
def _open(path: str, languages: tuple[str, str] | None, state: object) -> QualityModel:
    """Read a model, once per process and file state."""
    from ...quality.default import load_model

    return load_model(path, languages)
