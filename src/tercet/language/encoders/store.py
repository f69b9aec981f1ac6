"""Vectors on disk, by text and encoder, each with a digest; what does not fit is encoded again."""

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...types import Floats32
from ..text_cache import TextCache
from .base import TokenVectors

FORMAT = 1  # increased when vectors stored in an earlier format must not be read
DIGEST = 8  # bytes


class _Store(TextCache[Any]):
    kind: ClassVar[str] = "encoding"
    done_again: ClassVar[str] = "Texts are then encoded again."

    def write(self, facts: object, vectors: Floats32) -> bytes:
        data = json.dumps(facts).encode() + b"\n" + np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        return blake2b(data, digest_size=DIGEST).digest() + data

    def read(self, data: object) -> tuple[Any, Floats32] | None:
        """Return the facts and numbers of an entry; None if it is damaged."""
        if not isinstance(data, bytes) or blake2b(data[DIGEST:], digest_size=DIGEST).digest() != data[:DIGEST]:
            return None
        line, _, numbers = data[DIGEST:].partition(b"\n")
        return json.loads(line), np.frombuffer(numbers, dtype="<f4").astype(np.float32)


class TokenStore(_Store):
    """Tokens with the vectors of one layer of an encoder."""

    def __init__(self, folder: str | Path, fingerprint: str, layer: int) -> None:
        super().__init__(folder, f"{FORMAT}\ntokens\n{fingerprint}\n{layer}\n")

    def pack(self, value: TokenVectors) -> bytes:
        facts = [value.tokens, value.spans.tolist(), value.words.tolist(), value.vectors.shape]
        return self.write(facts, value.vectors)

    def unpack(self, text: str, data: bytes) -> TokenVectors | None:
        found = self.read(data)
        if found is None:
            return None
        (tokens, spans, words, shape), numbers = found
        places = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return TokenVectors(text, tuple(tokens), places, np.array(words, dtype=np.int64), numbers.reshape(shape))


class SentenceStore(_Store):
    """Vectors of whole texts."""

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        super().__init__(folder, f"{FORMAT}\nsentences\n{fingerprint}\n")

    def pack(self, value: Floats32) -> bytes:
        return self.write([], value)

    def unpack(self, text: str, data: bytes) -> Floats32 | None:
        found = self.read(data)
        return None if found is None else found[1]
