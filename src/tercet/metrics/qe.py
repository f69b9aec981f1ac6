"""QE: the quality that a trained model predicts from source and output, with no reference.

Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics", LREC. Models are
made by `tercet qe train`. A system's score is the mean of its segments' predictions, on the scale of the labels that
the model was trained on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..data.files import file_state
from ..errors import DataError, UsageError
from ._contract import Batch, Floats, Metric

if TYPE_CHECKING:
    from ..quality.model import QualityModel


@dataclass(frozen=True)
class QE(Metric):
    """Predicted quality, on the scale of the labels that the model learnt from.

    model: a file that `tercet qe train` wrote. Whether higher is better is what the model was trained for.
    """

    model: str | None = None
    checksum: str | None = field(default=None, init=False)  # of the model, known when it is read

    needs: ClassVar[frozenset[str]] = frozenset({"source"})
    paper: ClassVar[str] = "Specia et al. (2010), A Dataset for Assessing Machine Translation Evaluation Metrics"

    def __post_init__(self) -> None:
        if self.model is not None and (not self.model or set(self.model) & set("|,")):
            raise UsageError(f"qe: a model's file name must not be empty or hold '|' or ',': {self.model!r}")

    def signature_items(self) -> dict[str, str]:
        items = super().signature_items()
        return items if self.checksum is None else {**items, "checksum": self.checksum}

    def check_needs(self, testset: Any) -> None:
        super().check_needs(testset)
        model = self._opened()
        if model.given:
            raise UsageError(
                f"The model {self.model} reads features of your own ({', '.join(model.given)}), which a test set does "
                "not have. Use 'tercet qe predict' with --extra-features."
            )
        if testset.pair is not None:
            _check_pair(model, testset.pair)

    def fitted(self, testset: Any) -> Self:
        """The metric with the model's checksum in its signature, and the model's direction."""
        model, fitted = self._opened(), replace(self)
        object.__setattr__(fitted, "checksum", model.checksum[:16])
        object.__setattr__(fitted, "higher_is_better", model.higher_is_better)  # of this metric, not of the class
        return fitted

    def count(self, batch: Batch) -> Floats:
        """The prediction, and 1."""
        model = self._opened()
        if self.checksum is not None and not model.checksum.startswith(self.checksum):
            raise DataError(f"{self.model} is another model than when scoring began, or than where it began.")
        predictions = model.predict(batch.source or (), batch.outputs).values
        return np.column_stack([predictions, np.ones(len(predictions))])

    def score(self, totals: Floats) -> Floats:
        return totals[..., 0] / totals[..., 1]

    def _opened(self) -> QualityModel:
        if self.model is None:
            raise UsageError("qe needs a model: qe:model=FILE, with a file that 'tercet qe train' wrote.")
        return _open(self.model, file_state(self.model))


def _check_pair(model: QualityModel, pair: str) -> None:
    """Refuse another language pair than the model's. A language may hold hyphens itself, as in zh-Hans-en."""
    from ..quality.inputs import same_languages

    codes = pair.split("-")
    splits = [("-".join(codes[:end]), "-".join(codes[end:])) for end in range(1, len(codes))]
    if not any(same_languages(split, model.languages) for split in splits):
        model.check_languages(splits[0])


@lru_cache(maxsize=4)
def _open(path: str, state: object) -> QualityModel:
    """Read once per process and state of the file."""
    from ..quality.model import QualityModel

    return QualityModel.load(path)
