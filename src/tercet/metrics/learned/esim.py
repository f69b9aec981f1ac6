"""ESIM: a small trained network on the vectors of tokens, which an encoder gives and nobody changed.

Mathur, Baldwin and Cohn (2019), "Putting Evaluation in Context: Contextual Embeddings Improve Machine Translation
Evaluation", ACL; the network is that of Chen et al. (2017), "Enhanced LSTM for Natural Language Inference". Both texts
are read by one bidirectional LSTM, each attends to the other, and a second LSTM reads what they have in common and
where they differ. The paper has tokens of BERT and trains on direct assessments; the network here has tokens of minilm,
and was trained on the rankings of WMT12 and WMT14 too (training/RUNS.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...data.model_file import Dataset, ModelFile, read_model
from ...errors import DataError
from ...language.encoders import DEFAULT, TokenVectors
from ...language.encoders.onnx import open_session
from ...text.explanations import Seen
from .. import Corpus, EncodedMetric, Learnt
from ..bases.encoded import Known, Opened

KIND = "esim"


@dataclass(frozen=True)
class ESIM(EncodedMetric):
    """ESIM, the mean of segments, higher is better; about -3 to 6.

    With several references the highest score counts.
    """

    paper = "Mathur, Baldwin and Cohn (2019), Putting Evaluation in Context"
    tolerance = 1e-3
    languages = ("en",)

    def defaults(self, language: str | None) -> Mapping[str, str]:
        return {"encoder": DEFAULT}

    def learn(self, testset: Corpus) -> Learnt:
        learnt = super().learn(testset)
        return Learnt(learnt.state, {**learnt.items, "checksum": _network().checksum[:16]})

    def trained_on(self) -> Sequence[Dataset]:
        return _network().trained_on

    def open(self, state: Known | None) -> Opened:
        encoder, _, _ = super().open(state)
        network = _network()
        if network.needs["encoder"] != encoder.fingerprint:
            raise DataError(f"esim was trained with encoder=minilm, and {encoder.name} has other vectors.")
        return Opened(encoder, None, Network(network.blobs["network"]))

    def count_tokens(self, output: TokenVectors, references: Sequence[TokenVectors], opened: Opened) -> Sequence[float]:
        """Count the score, and 1; zeros for a segment without references."""
        if not references:
            return 0.0, 0.0
        return max(opened.more.score(reference, output) for reference in references), 1.0

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        tokens, *others = opened.encoder.tokens([output, *references], self.layer)
        scores = [opened.more.score(reference, tokens) for reference in others]
        return Seen(max(scores), values={"scores": scores})


class Network:
    """The trained network: vectors of the tokens of a reference and an output in, one number out."""

    def __init__(self, content: bytes) -> None:
        self.session = open_session(content, "esim")

    def score(self, reference: TokenVectors, output: TokenVectors) -> float:
        given = {"reference": _vectors(reference), "output": _vectors(output)}
        return float(self.session.run(["score"], given)[0][0])


def _vectors(text: TokenVectors) -> NDArray[np.float32]:
    """Return the vectors of a text, shape (1, tokens, dimensions); an empty text is one token of zeros."""
    vectors = text.inside.vectors
    return (vectors if len(vectors) else np.zeros((1, text.vectors.shape[1]), np.float32))[None]


@lru_cache(maxsize=1)
def _network() -> ModelFile:
    return read_model(Path(__file__).parents[1] / "data" / "esim.model", KIND, made_by="training")
