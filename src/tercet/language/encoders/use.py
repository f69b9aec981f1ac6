"""The multilingual Universal Sentence Encoder as an encoder; see `tercet.language.embeddings`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import UsageError
from ..embeddings import BATCH, UniversalEncoder
from ..embeddings import open_encoder as open_universal
from .base import Encoder, Floats, TokenVectors

LANGUAGES = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())


class UseEncoder(Encoder):
    """Vectors of sentences in 16 languages. The weights are known by the version of their package."""

    name = "use"
    languages = LANGUAGES
    has_tokens = False

    def __init__(self, model: UniversalEncoder) -> None:
        self.model, self.dimensions, self.fingerprint = model, model.dimensions, f"use-{model.version}"

    def token_batches(self, texts: Sequence[str], layer: int) -> Iterator[tuple[Sequence[int], Sequence[TokenVectors]]]:
        raise UsageError("The encoder use gives vectors of sentences, and none of their tokens.")

    def sentence_batches(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Floats]]:
        for first in range(0, len(texts), BATCH):
            batch = texts[first : first + BATCH]
            yield range(first, first + len(batch)), self.model.encode(batch)


def open_use() -> UseEncoder:
    """Return the encoder `use`."""
    return UseEncoder(open_universal("use"))
