"""Features from networks: similarity of sentence embeddings, their principal axes, and the output read alone."""

import numpy as np

from ...errors import UsageError
from ...types import Floats
from ..resources import AXES
from .defining import Feature, feature
from .pairs import SentencePairs


def _difference(pairs: SentencePairs) -> Floats:
    return np.abs(np.subtract(*pairs.embedded))


def _places(pairs: SentencePairs) -> Floats:
    """Return the coordinates of the mean of both embeddings on the principal axes, shape (pairs, axes)."""
    mean, *_ = axes = pairs.resources.given("embedding_axes", np.ndarray)
    source, target = pairs.embedded
    if axes.shape != (1 + AXES, source.shape[1]):
        raise UsageError(
            f"The embedding axes have the shape {axes.shape}, not {(1 + AXES, source.shape[1])}: use those that "
            f"principal_axes returns for the encoder {pairs.resources.embeddings}."
        )
    # einsum adds in the same order for any number of pairs; a matrix product may not.
    places: Floats = np.einsum("nd,kd->nk", (source + target) / 2 - mean, axes[1:])
    return places


def _read(pairs: SentencePairs) -> Floats:
    from ...language.output_network import open_output_network

    return open_output_network(pairs.resources.given("network", str)).scores(pairs.source.texts, pairs.target.texts)


def _axis(number: int) -> Feature:
    return feature(
        "more", f"embedding_axis_{number:02}",
        f"what source and target are about (their place on the {number}. principal axis of sentence embeddings)",
        lambda p: p.kept("axes", lambda: _places(p))[:, number - 1], needs="embeddings embedding_axes",
    )  # fmt: skip


FEATURES = (
    feature("more", "embedding_cosine", "how near source and target are in meaning (cosine of sentence embeddings)",
            lambda p: np.multiply(*p.embedded).sum(axis=1), needs="embeddings"),
    feature("more", "embedding_difference",
            "how far apart source and target are in meaning (sum of the differences of sentence embeddings)",
            lambda p: _difference(p).sum(axis=1), needs="embeddings"),
    feature("more", "embedding_largest_difference",
            "how far apart source and target are in one part of meaning (largest difference of sentence embeddings)",
            lambda p: _difference(p).max(axis=1), needs="embeddings"),
    *(_axis(number) for number in range(1, AXES + 1)),
    feature("more", "target_network",
            "how good the target looks to the network for its language", _read,
            needs="network"),
)  # fmt: skip
