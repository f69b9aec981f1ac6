"""LASIM: the similarity of the sentence vectors of source and output, with or without a trained regression.

Yankovskaya, Tättar and Fishel (2019), "Quality Estimation and Translation Metrics via Pre-trained Word and Sentence
Embeddings", WMT. They train a network on BERT's and LASER's embeddings. Here the vectors are those of any cross-lingual
encoder. Without a model the score is their cosine; a model that `train` made is a ridge regression on what the two
vectors have in common and where they differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.model_file import Dataset, ModelFile, read_model, write_model
from ...errors import DataError, UsageError
from ...language.encoders import Encoder, open_encoder
from ...text.explanations import Seen
from .. import Corpus, Floats, Learnt, Shard, mean_score, param
from ..bases.encoded import AcrossLanguages

KIND = "lasim"
# Of the ridge regression; the best in cross-validation is used. Labels that the vectors hardly predict need large ones.
PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5)
FOLDS = 5


class Regression(NamedTuple):
    """A linear model on standardised features: (features - mean) / scale @ weights + bias."""

    mean: Floats
    scale: Floats
    weights: Floats
    bias: float

    def predict(self, features: Floats) -> Floats:
        return np.asarray((features - self.mean) / self.scale @ self.weights + self.bias)


class Opened(NamedTuple):
    """The encoder, and the regression if there is one."""

    encoder: Encoder
    regression: Regression | None


@dataclass(frozen=True)
class LASIM(AcrossLanguages):
    """The cosine of source and output, -1 to 1; with a model, the prediction on the scale of its labels.

    encoder: a cross-lingual encoder; by default `use` where it knows both languages, otherwise `multilingual`.
    model: a file that `tercet.metrics.embeddings.lasim.train` wrote.
    """

    model: str | None = param(file=True, checksum="checksum")

    paper = (
        "Yankovskaya, Tättar and Fishel (2019), Quality Estimation and Translation Metrics via Pre-trained Word and "
        "Sentence Embeddings"
    )

    def learn(self, testset: Corpus) -> Learnt:
        fingerprint = self.find_encoder(testset).fingerprint
        return Learnt(fingerprint, {"encoded": fingerprint})

    def open(self, state: str | None) -> Opened:
        encoder = self.open_encoder(state)
        return Opened(encoder, None if self.model is None else _read(Path(self.model), encoder))

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        """Count the similarity or prediction, and 1."""
        sources = shard.source or ()
        texts = [*sources, *(text for lines in shard.outputs.values() for text in lines)]
        known = self.encode_sentences(shard, opened.encoder, texts)
        first = _stacked(known, sources, opened.encoder)
        found = {}
        for system, outputs in shard.outputs.items():
            second = _stacked(known, outputs, opened.encoder)
            values = self._values(first, second, opened)
            found[system] = np.column_stack([values, np.ones(len(values))])
        return found

    def _values(self, sources: Floats, outputs: Floats, opened: Opened) -> Floats:
        if opened.regression is not None:
            return opened.regression.predict(features(sources, outputs))
        return np.asarray(np.einsum("ij,ij->i", sources, outputs))

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        first, second = opened.encoder.sentences([source or "", output]).astype(np.float64)[:, None]
        found = {"cosine": float(first[0] @ second[0])}
        return Seen(float(self._values(first, second, opened)[0]), values=found)


def features(sources: Floats, outputs: Floats) -> Floats:
    """Return what the regression reads: products and differences of the vectors, and the cosine."""
    product = sources * outputs
    return np.hstack([product, np.abs(sources - outputs), product.sum(1, keepdims=True)])


def train(
    sources: Sequence[str],
    outputs: Sequence[str],
    labels: Sequence[float],
    path: str | Path,
    *,
    encoder: str = "use",
    name: str = "training data",
) -> Mapping[str, float]:
    """Train the regression on judged outputs and write it to a model file, without code in it.

    Parameters
    ----------
    sources, outputs, labels : one of each per output; higher labels are better.
    path : the model file, for `lasim:model=PATH`.
    encoder : a cross-lingual encoder by name.
    name : of the data, for the file.

    Returns
    -------
    dict : the penalty that was chosen, and Pearson's r in cross-validation.
    """
    from ...data.testset import checksum

    if not len(sources) == len(outputs) == len(labels) or len(labels) < 10 * FOLDS:
        raise UsageError(f"Training needs as many sources as outputs and labels, and {10 * FOLDS} or more.")
    opened = open_encoder(encoder)
    x = features(*(opened.sentences(texts).astype(np.float64) for texts in (list(sources), list(outputs))))
    y = np.asarray(labels, dtype=np.float64)
    if not np.isfinite(y).all() or y.std() == 0:
        raise UsageError("Labels must be finite numbers, and not all the same.")
    places = np.random.default_rng(12345).permutation(len(y)) % FOLDS
    guesses = {penalty: np.empty(len(y)) for penalty in PENALTIES}
    for fold in range(FOLDS):
        inside = places != fold
        for penalty, fitted in zip(PENALTIES, _ridge(x[inside], y[inside], PENALTIES), strict=True):
            guesses[penalty][~inside] = fitted.predict(x[~inside])
    reached = {penalty: float(np.corrcoef(guess, y)[0, 1]) for penalty, guess in guesses.items()}
    best = max(reached, key=lambda penalty: reached[penalty])
    (made,) = _ridge(x, y, [best])
    figures = {"penalty": best, "pearson": reached[best]}
    data = Dataset(name, checksum([f"{a}\t{b}\t{c}" for a, b, c in zip(sources, outputs, y, strict=True)]), len(y))
    model = ModelFile(
        KIND,
        {"bias": made.bias, "encoder": encoder},
        {"mean": made.mean, "scale": made.scale, "weights": made.weights},
        trained_on=(data,),
        figures={"cross-validation": figures},
        needs={"encoder": opened.fingerprint},
    )
    write_model(model, path)
    return figures


def _ridge(x: Floats, y: Floats, penalties: Sequence[float]) -> list[Regression]:
    """Fit a ridge regression for each penalty; one decomposition, of the smaller product, serves all."""
    mean, scale = x.mean(0), x.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    z, centred = (x - mean) / scale, y - y.mean()
    wide = z.shape[0] < z.shape[1]
    values, vectors = np.linalg.eigh(z @ z.T if wide else z.T @ z)
    turned = vectors.T @ (centred if wide else z.T @ centred)
    found = []
    for penalty in penalties:
        solved = vectors @ (turned / (np.maximum(values, 0) + penalty))
        found.append(Regression(mean, scale, z.T @ solved if wide else solved, float(y.mean())))
    return found


def _read(path: Path, encoder: Encoder) -> Regression:
    """Read a regression, and check that it was trained on the vectors of this encoder."""
    found = read_model(path, KIND, made_by="tercet.metrics.embeddings.lasim.train")
    if found.needs.get("encoder") != encoder.fingerprint:
        raise DataError(
            f"{path} was trained on vectors of {found.needs.get('encoder')}, and the encoder here is "
            f"{encoder.fingerprint}. Use that encoder, or train again."
        )
    width, bias = 2 * encoder.dimensions + 1, found.manifest.get("bias")
    parts = [found.arrays.get(name) for name in ("mean", "scale", "weights")]
    if not isinstance(bias, float) or any(part is None or part.shape != (width,) for part in parts):
        raise DataError(f"{path} is no model of lasim for the encoder {encoder.name}.")
    mean, scale, weights = (np.asarray(part, dtype=np.float64) for part in parts)
    return Regression(mean, scale, weights, bias)


def _stacked(known: Mapping[str, Any], texts: Sequence[str], encoder: Encoder) -> Floats:
    if not texts:
        return np.zeros((0, encoder.dimensions))
    return np.stack([known[text] for text in texts]).astype(np.float64)
