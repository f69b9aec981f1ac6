"""Models that turn features of a segment into a score: what `tercet learn` writes and `learned`, `beer`, … read.

A model is a file of the one format (`data.model_file`) of the kind "learned-metric". It holds the names of the
features, a predictor (`learning.predictors`), the language of the outputs, and what it saw: the names of the data sets,
and a short hash of each reference that judgements were about. With the hashes `tercet meta` notices that a metric is
judged on segments it was trained on, whatever their file is called today.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...data.files import file_state
from ...data.model_file import Dataset, ModelFile, has_form
from ...errors import DataError
from ...language.encoders.base import check_finite
from ...learning.predictors import Predictor, predictor_from_parts
from ...learning.stored import StoredModel
from ...types import Floats

_FORM = {"features": [str], "language": str, "label": str}
Hashes = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class LearnedModel(StoredModel):
    """A predictor of features, with all that is known of its training.

    features: names, in the order of the predictor's columns. language: of the outputs; empty for any.
    trained_on: the judgements. seen: sorted hashes of their references, those of models among the features included.
    needs: fingerprints of what computed the features, by the metric's string.
    """

    features: tuple[str, ...]
    predictor: Predictor
    language: str = ""
    label: str = "Learned"
    trained_on: tuple[Dataset, ...] = ()
    seen: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint32))
    figures: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)

    kind: ClassVar[str] = "learned-metric"
    made_by: ClassVar[str] = "tercet learn"

    def predict(self, features: Floats) -> Floats:
        found = self.predictor.predict(features)
        check_finite(f"The model {self.label}", found, [f"features of output {row + 1}" for row in range(len(found))])
        return found

    @property
    def languages(self) -> tuple[str, ...]:
        """The language of the outputs as a metric declares it: none for any."""
        return (self.language,) if self.language else ()

    def to_file(self) -> ModelFile:
        plain, arrays = self.predictor.to_parts()
        manifest = {"features": list(self.features), "language": self.language, "label": self.label, "predictor": plain}
        return ModelFile(
            self.kind, manifest, {**arrays, "seen": self.seen},
            trained_on=self.trained_on, figures=self.figures, needs=self.needs,
        )  # fmt: skip

    @classmethod
    def from_file(cls, content: ModelFile) -> Self:
        manifest, arrays = dict(content.manifest), dict(content.arrays)
        plain, seen = manifest.pop("predictor", None), arrays.pop("seen", None)
        if not has_form(manifest, _FORM) or not isinstance(plain, dict) or seen is None or seen.dtype != np.uint32:
            raise DataError(f"it is not a learned metric: parts of it are missing. Make it with '{cls.made_by}'.")
        predictor = predictor_from_parts(plain, arrays)
        if predictor.inputs.width != len(manifest["features"]):
            raise DataError(f"it names {len(manifest['features'])} features for {predictor.inputs.width} columns.")
        return cls(
            tuple(manifest["features"]), predictor, manifest["language"], manifest["label"], content.trained_on, seen,
            content.figures, content.needs,
        )  # fmt: skip


def load_model(path: str | Path) -> LearnedModel:
    """Read a model from a file, once per process and state of the file."""
    return _load(str(path), file_state(path))


@lru_cache(maxsize=8)
def _load(path: str, state: object) -> LearnedModel:
    return LearnedModel.load(path)


@lru_cache(maxsize=8)
def shipped_model(name: str) -> LearnedModel:
    """Return a model that comes with the package."""
    with as_file(files("tercet.metrics").joinpath("data", f"{name}.model")) as path:
        return LearnedModel.load(path)


def hash_references(texts: Iterable[str | None]) -> Hashes:
    """Return the distinct hashes of texts, sorted."""
    found = {sha256(text.encode("utf-8", "surrogatepass")).digest()[:4] for text in texts if text is not None}
    return np.array(sorted(int.from_bytes(each, "big") for each in found), dtype=np.uint32)


def join_hashes(several: Sequence[Hashes]) -> Hashes:
    """Return the union of sorted hashes."""
    return np.unique(np.concatenate([np.empty(0, dtype=np.uint32), *several]))
