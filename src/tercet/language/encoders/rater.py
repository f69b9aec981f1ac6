"""The network that rates outputs in many languages: one number for an output beside its reference, source, or both.

Six layers of a transformer (Vaswani et al., 2017) above vectors of pieces of words in 28 languages: trained on
translations, then on people's judgements (training/RUNS.md). Texts are read as one row; each piece has its place in its
text and the kind of its text. The network quantises activations while it runs, so rows are read one by one. Its file
also has the curves that map its numbers to the scale of direct assessment, for `rima`.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from ...data.model_file import ModelFile, has_form, read_model
from ...errors import DataError
from ...text.coding import whole_characters
from ...types import Floats
from .base import check_finite
from .onnx import OnnxModel
from .unigram import UnigramTokenizer, read_scores

KIND = "rater"
LONGEST = 512  # pieces of a text
# The kinds of texts in a row, and which of the network's numbers is meant: output 0, reference 1, source 2.
INPUTS = {"reference": (0, 1), "source": (0, 2), "both": (0, 1, 2)}
FORM = {
    "chrf_weight": float, "longest": int, "level": float, "half_width": {str: float}, "languages": [str],
    "calibrated": [str],
}  # fmt: skip


class Rater:
    """The network in a model file, for one kind of input."""

    def __init__(self, content: ModelFile, inputs: str, *, device: str = "cpu") -> None:
        self.kinds, self.column = INPUTS[inputs], list(INPUTS).index(inputs)
        self.model = OnnxModel(Path(KIND), name=KIND, device=device, content=content.blobs["network"])
        self.tokenizer = UnigramTokenizer(read_scores(content.blobs["vocabulary"].decode()))
        self.vectors, self.scales = content.arrays["pieces"], content.arrays["pieces.scale"]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many pieces each text has."""
        return [len(self.tokenizer.pieces(text)) for text in texts]

    def scores(self, rows: Sequence[tuple[str, ...]]) -> Floats:
        """Return one number for each row of texts: the output, then what is beside it. Distinct rows are read once."""
        clean = [tuple(map(whole_characters, row)) for row in rows]
        found = {row: self._score(row) for row in dict.fromkeys(clean)}
        scores = np.array([found[row] for row in clean])
        check_finite(KIND, scores, [" ||| ".join(row) for row in clean])
        return scores

    def _score(self, row: tuple[str, ...]) -> float:
        texts = [[piece.number for piece in self.tokenizer.pieces(text)[:LONGEST]] for text in row]
        if not sum(map(len, texts)):
            return 0.0
        numbers = np.array([number for text in texts for number in text])
        feed = {
            "vectors": (self.vectors[numbers] * self.scales[numbers, None]).astype(np.float32)[None],
            "places": np.concatenate([np.arange(len(text)) for text in texts])[None],
            "kinds": np.repeat(self.kinds, [len(text) for text in texts])[None],
        }
        feed["mask"] = np.ones_like(feed["places"])
        return float(self.model.feed("numbers", feed)[0, self.column])


@lru_cache(maxsize=2)
def read_rater(path: str | None = None, state: object = None) -> ModelFile:
    """Return the model file of the package, or the one at a path. state: changes with the file."""
    if path is not None:
        content = read_model(path, KIND, made_by="training")
    else:
        with as_file(files("tercet.language").joinpath("data", "rater.model")) as packed:
            content = read_model(packed, KIND, made_by="training")
    curves = {f"{part}.{inputs}" for part in ("knots", "values") for inputs in INPUTS}
    whole = {"pieces", "pieces.scale", *curves} <= content.arrays.keys() and {
        "network",
        "vocabulary",
    } <= content.blobs.keys()
    if not has_form(content.manifest, FORM) or not whole or not INPUTS.keys() <= content.manifest["half_width"].keys():
        raise DataError(f"{path or 'rater.model'} is not a model of the network rater: parts of it are missing.")
    return content
