"""Fit the projection with which layers begin: from the vectors of pieces to MiniLM's vectors of the same words.

    python -m training.encoder.begin WORK --weights WEIGHTS --tokenizer TOKENIZER.json

Vectors of pieces have translations near each other, so that a map that is fitted on English words gives words of other
languages something like MiniLM's vector of their translation. WORK/static.npz gets `projection`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tercet.language.encoders.unigram import START, read_scores
from training.network import read_weights, unpack

from .parts import read_arguments

PENALTY = 1e-2  # of the ridge regression, beside the mean square of the vectors
SIZE = 0.05  # root mean square of the vectors of pieces, as of MiniLM's


def fit(vectors: np.ndarray, vocabulary: str, weights: Path, tokenizer: Path) -> tuple[np.ndarray, float]:
    """Return the projection, shape (wide, narrow), and the share of the variance that it explains."""
    words = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    theirs = read_weights(weights / "minilm.npz")["embeddings.word_embeddings.weight"]
    rows = []
    for number, piece in enumerate(read_scores(vocabulary)):
        known = words.get(piece.removeprefix(START) if piece.startswith(START) or not piece.isalpha() else f"##{piece}")
        if known is not None and len(piece) > 1:
            rows.append((number, known))
    own, other = np.array(rows).T
    x, y = vectors[own], theirs[other]
    centred = y - y.mean(0)
    solved = np.linalg.solve(x.T @ x + PENALTY * len(x) * np.eye(x.shape[1]) * (x**2).mean(), x.T @ centred)
    return solved.T, 1 - float(((centred - x @ solved) ** 2).sum() / (centred**2).sum())


def main() -> None:
    """Write static.npz again."""
    given = read_arguments(__doc__)
    with np.load(given.work / "static.npz") as stored:
        vectors = unpack({name: stored[name] for name in stored.files})["pieces"].astype(np.float32)
    vectors *= SIZE / np.sqrt((vectors**2).mean())
    vocabulary = (given.work / "vocabulary.tsv").read_text("utf-8")
    projection, explained = fit(vectors, vocabulary, given.weights, given.tokenizer)
    np.savez(given.work / "static.npz", pieces=vectors.astype(np.float16), projection=projection.astype(np.float32))
    print(f"{explained:.3f} of the variance is explained")


if __name__ == "__main__":
    main()
