"""Word vectors as an encoder: a word has the same vector in every text. See `tercet.language.vectors`.

Words are runs of letters and digits, also with hyphens and apostrophes inside; other characters are words of their
own. A word without a vector is looked up in lower case; if it is unknown too it has zeros.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ...data.files import file_checksum
from ...text.coding import whole_characters
from ...types import Floats32
from ..vectors import WordVectors, is_model, open_vectors
from .base import Encoder, TokenVectors, unit

_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


class StaticEncoder(Encoder):
    """Word vectors. The vector of a text is the mean of its known words' vectors."""

    tolerance = 1e-6
    slow = False

    def __init__(self, name: str, vectors: WordVectors, fingerprint: str) -> None:
        self.name, self.vectors, self.fingerprint = f"vectors:{name}", vectors, fingerprint
        self.dimensions = vectors.dimensions

    def split(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(_WORD.findall(whole_characters(text))) for text in texts]

    def token_batches(self, texts: Sequence[str], layer: int) -> Iterator[tuple[Sequence[int], Sequence[TokenVectors]]]:
        for place, text in enumerate(texts):
            yield [place], [self._tokens(text)]

    def sentence_batches(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Floats32]]:
        for place, text in enumerate(texts):
            yield [place], unit(self._tokens(text).vectors.sum(0, keepdims=True))

    def _tokens(self, text: str) -> TokenVectors:
        found = list(_WORD.finditer(text))
        words = tuple(match[0] for match in found)
        vectors = np.zeros((len(words), self.dimensions), dtype=np.float32)
        for row, word in enumerate(words):
            known = self.vectors.unit(word)
            if known is not None:
                vectors[row] = known
        spans = np.array([match.span() for match in found], dtype=np.int64).reshape(-1, 2)
        return TokenVectors(text, words, spans, np.arange(len(words), dtype=np.int64), vectors)


def open_static(name: str) -> StaticEncoder:
    """Return the word vectors of a file or of a model (spacy:MODEL, natasha) as an encoder."""
    vectors = open_vectors(name)
    version = f"{name}-{vectors.version}" if is_model(name) else file_checksum(Path(name))
    return StaticEncoder(name, vectors, version)
