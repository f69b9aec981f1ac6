"""The multilingual Universal Sentence Encoder as an encoder of texts and of pieces of words."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...text.coding import whole_characters
from ...types import Floats32
from ..embeddings import BATCH, LONGEST, UniversalEncoder
from ..embeddings import open_encoder as open_universal
from ..use import UniversalModel, open_model
from . import USE_LANGUAGES
from .base import Encoder, TokenVectors

SPACE = "\u2581"  # how the tokenizer writes it


class UseEncoder(Encoder):
    """Vectors of sentences and of pieces of words in 16 languages. The weights are known by their package's version."""

    name = "use"
    languages = USE_LANGUAGES

    def __init__(self, model: UniversalEncoder) -> None:
        self.model, self.dimensions, self.fingerprint = model, model.dimensions, f"use-{model.version}"

    def split(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        model = open_model()
        pieces = (
            [piece for word in model.pieces(whole_characters(text[:LONGEST])) for piece in word] for text in texts
        )
        return [tuple(model.piece_texts(each)) for each in pieces]

    def token_batches(self, texts: Sequence[str], layer: int) -> Iterator[tuple[Sequence[int], Sequence[TokenVectors]]]:
        model = open_model()
        for first in range(0, len(texts), BATCH):
            batch = [text[:LONGEST] for text in texts[first : first + BATCH]]
            words = [model.pieces(text) for text in batch]
            made = zip(batch, words, model.piece_vectors(words), strict=True)
            yield range(first, first + len(batch)), [_tokens(model, *each) for each in made]

    def sentence_batches(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Floats32]]:
        for first in range(0, len(texts), BATCH):
            batch = texts[first : first + BATCH]
            yield range(first, first + len(batch)), self.model.encode(batch)


def _tokens(model: UniversalModel, text: str, words: Sequence[Sequence[int]], vectors: Floats32) -> TokenVectors:
    """Return the pieces of a text. Where normalising changes a word's length, its pieces have the span of the word."""
    names: list[str] = []
    spans: list[tuple[int, int]] = []
    numbers: list[int] = []
    start = 0
    parts = text.split(" ") if len(words) != 1 else [text]
    for number, (part, pieces) in enumerate(zip(parts, words, strict=True)):
        made = model.piece_texts(pieces)
        names += made
        numbers += [number] * len(made)
        spans += _spans(part, made, start)
        start += len(part) + 1
    return TokenVectors(
        text,
        tuple(names),
        np.array(spans, dtype=np.int64).reshape(-1, 2),
        np.array(numbers, dtype=np.int64),
        vectors,
    )


def _spans(word: str, pieces: Sequence[str], start: int) -> list[tuple[int, int]]:
    lengths = [len(piece.removeprefix(SPACE)) for piece in pieces]
    if sum(lengths) != len(word):
        return [(start, start + len(word))] * len(pieces)
    ends = start + np.cumsum(lengths)
    return [(int(end) - length, int(end)) for end, length in zip(ends, lengths, strict=True)]


def open_use() -> UseEncoder:
    """Return the encoder `use`."""
    return UseEncoder(open_universal("use"))
