"""A network that reads an English output alone and gives a number for how good it looks.

It is the student of the network behind Rima's teachers (training/RUNS.md): MiniLM, six layers, weights of eight bits,
trained to give the score that an output has beside its reference, without seeing the reference, and on direct
assessments. It notices broken and unnatural English. It cannot notice what is missing or mistranslated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from ..data.model_file import ModelFile, has_form, read_model
from ..errors import DataError, UnknownName
from .encoders import OnnxPairScorer

KIND = "output-network"
NAMES = ("english",)


@dataclass(frozen=True, eq=False)
class OutputNetwork:
    """The network; its weights are loaded on first use. version: the start of the checksum of its file."""

    name: str
    version: str

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return a number for each text; higher is better. Long texts are read in pieces."""
        from .encoders.pieces import piecewise_scores

        network, longest = _opened(self.name)
        return piecewise_scores(network, [("", text) for text in texts], longest)


def open_output_network(name: str) -> OutputNetwork:
    """Return the network of that name, one of NAMES."""
    if name not in NAMES:
        raise UnknownName("output network", name, NAMES)
    return OutputNetwork(name, _content(name).checksum[:16])


@lru_cache(maxsize=1)
def _content(name: str) -> ModelFile:
    with as_file(files("tercet.language").joinpath("data", f"{name}-output.model")) as path:
        content = read_model(path, KIND, made_by="training")
    if not has_form(content.manifest, {"longest": int}) or "network" not in content.blobs:
        raise DataError(f"{name}-output.model is damaged: parts of it are missing. Install Tercet again.")
    return content


@lru_cache(maxsize=1)
def _opened(name: str) -> tuple[OnnxPairScorer, int]:
    from .encoders.onnx import open_pair_network

    content, title = _content(name), f"the output network {name}"
    network = open_pair_network(content.blobs["network"], content.needs.get("tokenizer", ""), title, device="cpu")
    return network, int(content.manifest["longest"])
