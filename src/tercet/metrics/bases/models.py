"""What metrics share that are models of other people: a metric says where its model is and what runs it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...errors import DataError
from ...language.encoders import DEVICES
from ...language.encoders.base import check_finite
from ...text.explanations import Seen
from ...types import Floats
from .._contract import Corpus, Learnt, Metric, Shard, mean_score
from .._parameters import param

SETTLED = ("mean", "best", "none")


class Row(NamedTuple):
    """The texts of one prediction; empty where the model does not read them."""

    source: str
    output: str
    reference: str


Predict = Callable[[Sequence[Row]], Sequence[float]]


@dataclass(frozen=True)
class ModelMetric(Metric):
    """A metric that is a trained model.

    model: a folder or file, or the name of a model.
    references: how the scores with several references become one: mean or best; none uses no reference.
    batch: texts that are scored at once. device: cpu, cuda, or auto, the GPU where there is one.
    allow_download: download a model of the hub that is not on this computer.
    trust_pickle: load weights in Python's pickle format, which can run any code.
    """

    model: str | None = None
    references: str | None = param(choices=SETTLED)
    batch: int = param(16, low=1, local=True)
    device: str = param("auto", choices=DEVICES, local=True)
    allow_download: bool = param(False, local=True)
    trust_pickle: bool = param(False, local=True)

    usual_model: ClassVar[str] = ""  # of the hub; taken where none is named and it may be downloaded
    tolerance = 1e-4
    segments_per_unit = 256
    one_process = True  # the packages use all cores, or the device, by themselves

    def place(self) -> Path:
        raise NotImplementedError

    def checksum(self, place: Path) -> str:
        raise NotImplementedError

    def load(self, place: Path) -> Predict:
        """Load the model. Returns a function from rows to scores."""
        raise NotImplementedError

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {"references": "mean", "model": self.usual_model if self.allow_download else None}

    @property
    def without_references(self) -> bool:
        """Whether the model reads no reference."""
        return self.resolved().references == "none"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"source"} if self.without_references else {"source", "reference"})

    @property
    def lacks(self) -> str:
        usual = f"{self.usual_model},allow_download=true" if self.usual_model else "FOLDER"
        return "" if self.resolved().model else f"a model: {self.name}:model={usual}"

    def learn(self, testset: Corpus) -> Learnt:
        checksum = self.checksum(self.place())
        return Learnt(checksum, {"checksum": checksum})

    def open(self, state: str | None) -> Predict:
        place = self.place()
        if state is not None and self.checksum(place) != state:
            raise DataError(f"{self.model} is not the model that scoring began with: it has changed.")
        return self.load(place)

    def count(self, shard: Shard, opened: Predict) -> dict[str, Floats]:
        """Count the score, and 1; zeros for a segment without references."""
        references = [[""]] * len(shard) if self.without_references else shard.reference_rows
        sources = shard.source if shard.source and "source" in self.needs else [""] * len(shard)
        wanted: dict[str, list[list[Row]]] = {
            system: [
                [Row(source, output, text) for text in row]
                for source, output, row in zip(sources, outputs, references, strict=True)
            ]
            for system, outputs in shard.outputs.items()
        }
        values = self.predict(opened, [row for rows in wanted.values() for several in rows for row in several])
        return {
            system: np.array([self._settle([values[row] for row in several]) for several in rows]).reshape(-1, 2)
            for system, rows in wanted.items()
        }

    def predict(self, opened: Predict, rows: Sequence[Row]) -> dict[Row, float]:
        """Return the scores of rows, each distinct one computed once."""
        from ...text.coding import whole_characters

        distinct = list(dict.fromkeys(rows))
        found = opened([Row(*map(whole_characters, row)) for row in distinct]) if distinct else []
        values = [float(value) for value in found]
        if len(values) != len(distinct):
            raise DataError(f"{self.name}: the model {self.model} did not give a number for every output.")
        check_finite(f"{self.name}: the model {self.model}", values, [row.output for row in distinct])
        return dict(zip(distinct, values, strict=True))

    def _settle(self, values: Sequence[float]) -> tuple[float, float]:
        if not values:
            return 0.0, 0.0
        if self.references != "best":
            return sum(values) / len(values), 1.0
        return (max(values) if self.higher_is_better else min(values)), 1.0

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def explain_segment(self, opened: Predict, output: str, references: Sequence[str], source: str | None) -> Seen:
        texts = [""] if self.without_references else list(references)
        rows = [Row((source or "") if "source" in self.needs else "", output, text) for text in texts]
        values = self.predict(opened, rows)
        scores = [values[row] for row in rows]
        return Seen(self._settle(scores)[0], values={"scores": scores})


@dataclass(frozen=True)
class HubModel(ModelMetric):
    """A model of Hugging Face, in a folder or by its name on the hub, which transformers runs."""

    packages = (("torch", "hf"), ("transformers", "hf"))

    def find(self, name: str, *, weights: bool = True) -> Path:
        from ...language.encoders.huggingface import find_folder

        return find_folder(self.name, name, allow_download=self.allow_download, weights=weights)

    def place(self) -> Path:
        return self.find(self.model or "")

    def checksum(self, place: Path) -> str:
        from ...language.encoders.huggingface import fingerprint

        return fingerprint(place)

    def network(self, kind: str, place: Path) -> Any:
        """Load the weights of a kind of model of transformers onto the device."""
        from ...language.encoders.huggingface import load_weights, torch_device

        model = load_weights(kind, str(self.model), place, trust_pickle=self.trust_pickle)
        return model.to(torch_device(self.device)).eval()

    def predictor(self, encode: Callable[[Sequence[Row]], list[Any]], run: Callable[[list[Any]], Any]) -> Predict:
        """Return a function from rows to scores. `encode` gives tokens of rows, `run` scores a batch."""
        from ...language.encoders.base import batches

        def predict(rows: Sequence[Row]) -> list[float]:
            encoded, found = encode(rows), [0.0] * len(rows)
            for places in batches([len(each.ids) for each in encoded], texts=self.batch, tokens=self.batch * 512):
                for place, value in zip(places, run([encoded[place] for place in places]), strict=True):
                    found[place] = float(value)
            return found

        return predict
