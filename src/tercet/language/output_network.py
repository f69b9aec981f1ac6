"""Networks that give an output a number for how good it looks, for quality estimation without references.

`english` reads an English output alone. It is the student of the network behind Rima's teachers (training/RUNS.md):
MiniLM, six layers, weights of eight bits, trained to give the score that an output has beside its reference, without
seeing the reference, and on direct assessments. It notices broken and unnatural English. It cannot notice what is
missing or mistranslated. `multilingual` reads source and output, in the languages of the encoder `multilingual`: it is
the network of `rima:inputs=source`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files

from ..data.model_file import ModelFile, has_form, read_model
from ..errors import DataError, UnknownName, UsageError
from ..text.scripts import base_code
from ..types import Floats
from .encoders.pieces import Network
from .encoders.rater import Rater, read_rater

KIND = "output-network"
NAMES = ("english", "multilingual")


@dataclass(frozen=True, eq=False)
class OutputNetwork:
    """A network; its weights are loaded on first use. version: the start of the checksum of its file."""

    name: str
    version: str

    def scores(self, sources: Sequence[str], outputs: Sequence[str]) -> Floats:
        """Return a number for each output; higher is better. Long texts are read in pieces."""
        from .encoders.pieces import piecewise_scores

        network, longest = _opened(self.name)
        rows = zip(outputs, sources, strict=True) if self.name == "multilingual" else (("", text) for text in outputs)
        return piecewise_scores(network, list(rows), longest)


def open_output_network(name: str) -> OutputNetwork:
    """Return the network of that name, one of NAMES."""
    if name not in NAMES:
        raise UnknownName("output network", name, NAMES)
    return OutputNetwork(name, (read_rater() if name == "multilingual" else _content(name)).checksum[:16])


def network_for(source: str, target: str) -> str:
    """Return the name of the network for outputs of a language pair. Raises UsageError if there is none."""
    known = read_rater().manifest["languages"]
    if base_code(target) == "en":
        return "english"
    for language in (source, target):
        if base_code(language) not in known:
            raise UsageError(f"No network reads {language!r}. Languages: {', '.join(sorted(known))}.")
    return "multilingual"


@lru_cache(maxsize=1)
def _content(name: str) -> ModelFile:
    with as_file(files("tercet.language").joinpath("data", f"{name}-output.model")) as path:
        content = read_model(path, KIND, made_by="training")
    if not has_form(content.manifest, {"longest": int}) or "network" not in content.blobs:
        raise DataError(f"{name}-output.model is damaged: parts of it are missing. Install Tercet again.")
    return content


@lru_cache(maxsize=2)
def _opened(name: str) -> tuple[Network, int]:
    from .encoders.onnx import open_pair_network

    if name == "multilingual":
        return Rater(read_rater(), "source"), int(read_rater().manifest["longest"])
    content, title = _content(name), f"the output network {name}"
    network = open_pair_network(content.blobs["network"], content.needs.get("tokenizer", ""), title, device="cpu")
    return network, int(content.manifest["longest"])
