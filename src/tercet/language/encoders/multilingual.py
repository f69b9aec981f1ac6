"""The encoder `multilingual`: vectors of pieces of words in 28 languages, in one space for all of them.

It was trained on translations (`training/`, docs/encoders.md). Layer 0 has the vectors of the pieces alone: a piece has
the same one in every text, and translations are near each other. Layer 1 is for texts of one language: it puts the
spelling of the whole word beside each piece, as hashed n-grams of characters, and adds part of the neighbours. Files
may have any number of layers of a transformer too (Vaswani et al., 2017; normalised after each sum, as in BERT), which
start from layer 0. NumPy runs it; nothing else is needed. The vector of a text is the sum of its pieces', whose
lengths are learnt weights; with a transformer it is the mean of the last layer.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from ...data.model_file import ModelFile, has_form, read_model
from ...errors import DataError
from ...text.coding import whole_characters
from ...types import Floats32
from .base import Encoder, Ints, TokenVectors, batches, unit, warn_of_truncation
from .unigram import Piece, UnigramTokenizer, read_scores

KIND = "multilingual-encoder"
FORM = {
    "layers": int, "heads": int, "longest": int, "languages": [str], "spelling": float, "neighbours": float,
}  # fmt: skip
SPELLING = 128  # dimensions of a word's spelling
GRAMS = (2, 3, 4)  # lengths of the n-grams of characters in it
GELU = math.sqrt(2 / math.pi)  # of its approximation
_DAMAGED = "multilingual.model is damaged: {}. Install Tercet again."


class MultilingualEncoder(Encoder):
    """The encoder in a model file."""

    name = "multilingual"

    def __init__(self, content: ModelFile) -> None:
        manifest, arrays = content.manifest, content.arrays
        if not has_form(manifest, FORM) or not {"pieces", "pieces.scale"} <= set(arrays):
            raise DataError(_DAMAGED.format("parts of it are missing"))
        self.arrays, self.heads, self.depth = arrays, manifest["heads"], manifest["layers"]
        self.tokenizer = UnigramTokenizer(read_scores(content.blobs["vocabulary"].decode()))
        self.fingerprint, self.longest = content.checksum[:16], manifest["longest"]
        self.languages = frozenset(manifest["languages"])
        self.dimensions = arrays["positions" if self.depth else "pieces"].shape[1]
        self.layers, self.slow = self.depth + 2, self.depth > 0
        self.spelling, self.neighbours = manifest["spelling"], manifest["neighbours"]
        self._weights = {name: self._rows(name) for name in arrays if name.startswith("layer")}

    def split(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(piece.text for piece in self._pieces(whole_characters(text))[0]) for text in texts]

    def token_batches(self, texts: Sequence[str], layer: int) -> Iterator[tuple[Sequence[int], Sequence[TokenVectors]]]:
        found = self._all_pieces(texts)
        for batch in batches([len(pieces) for pieces in found]):
            hidden = self._hidden([found[place] for place in batch], layer)
            made = zip(batch, hidden, strict=True)
            yield batch, [_tokens(texts[place], found[place], rows) for place, rows in made]

    def sentence_batches(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Floats32]]:
        found = self._all_pieces(texts)
        for batch in batches([len(pieces) for pieces in found]):
            hidden = self._hidden([found[place] for place in batch], self.depth and self.depth + 1)
            yield batch, unit(np.stack([rows.sum(0) for rows in hidden]))

    def _pieces(self, text: str) -> tuple[list[Piece], bool]:
        pieces = self.tokenizer.pieces(text)
        return pieces[: self.longest], len(pieces) > (self.longest or 0)

    def _all_pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        found = [self._pieces(text) for text in texts]
        warn_of_truncation(self.name, sum(long for _, long in found), self.longest or 0)
        return [pieces for pieces, _ in found]

    def _hidden(self, texts: Sequence[Sequence[Piece]], layer: int) -> list[Floats32]:
        """Return the vectors of the pieces of texts in a layer, of any length."""
        found = [self._rows("pieces", np.array([piece.number for piece in text], np.int64)) for text in texts]
        if layer == 1:
            return [self._spelled(rows, text) for rows, text in zip(found, texts, strict=True)]
        return [self._transformed(rows, layer - 1) if layer and len(rows) else rows for rows in found]

    def _spelled(self, rows: Floats32, text: Sequence[Piece]) -> Floats32:
        """Return vectors with the spelling of each piece's word beside them and part of their neighbours in them."""
        if not len(rows):
            return np.empty((0, rows.shape[1] + SPELLING), dtype=np.float32)
        words = np.cumsum([piece.begins for piece in text]) - 1
        spelt = [""] * (int(words[-1]) + 1)
        for word, piece in zip(words.tolist(), text, strict=True):
            spelt[word] += piece.text
        spellings = np.stack([_spelling(word) for word in spelt])[words]
        parts = [unit(rows) * math.sqrt(1 - self.spelling), spellings * math.sqrt(self.spelling)]
        both: Floats32 = np.hstack(parts).astype(np.float32)
        mixed = both.copy()
        mixed[1:] += self.neighbours * both[:-1]
        mixed[:-1] += self.neighbours * both[1:]
        return mixed

    def _rows(self, name: str, rows: Ints | slice = slice(None)) -> Floats32:
        """Return rows of an array in single precision; those in eight bits have a scale each."""
        array, scale = self.arrays[name][rows], self.arrays.get(f"{name}.scale")
        made: Floats32 = array.astype(np.float32)
        return made if scale is None else made * scale[rows].astype(np.float32)[..., None]

    def _transformed(self, rows: Floats32, layers: int) -> Floats32:
        """Return the vectors of a text after some layers. Matrices have a row for each output."""
        weights = self._weights
        if "projection" in self.arrays:
            rows = rows @ self._rows("projection").T
        hidden = _normalised(rows + self._rows("positions", slice(len(rows))), self._rows("first"))
        for number in range(layers):

            def linear(values: Floats32, name: str, number: int = number) -> Floats32:
                made: Floats32 = values @ weights[f"layer{number}.{name}"].T + weights[f"layer{number}.{name}.bias"]
                return made

            parts = linear(hidden, "attention").reshape(len(rows), 3, self.heads, -1)
            query, key, value = parts.transpose(1, 2, 0, 3)
            scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(key.shape[-1]))
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True)) @ value
            mixed = linear(mixed.transpose(1, 0, 2).reshape(len(rows), -1), "mixed")
            hidden = _normalised(hidden + mixed, weights[f"layer{number}.norm1"])
            inner = linear(hidden, "inner")
            inner *= 0.5 * (1 + np.tanh(GELU * (inner + 0.044715 * inner**3)))
            hidden = _normalised(hidden + linear(inner, "outer"), weights[f"layer{number}.norm2"])
        return hidden


@lru_cache(maxsize=200_000)
def _spelling(word: str) -> Floats32:
    """Return a unit vector of the spelling of a word: the sum of its n-grams', each of which is -1 or 1 by its hash."""
    marked = f"<{word}>"
    grams = [marked[at : at + n].encode() for n in GRAMS for at in range(len(marked) - n + 1)]
    hashes = b"".join(blake2b(gram, digest_size=SPELLING // 8).digest() for gram in grams)
    signs = np.unpackbits(np.frombuffer(hashes, np.uint8)).reshape(-1, SPELLING)
    found: Floats32 = unit(signs.sum(0, dtype=np.float32) * 2 - len(grams))
    return found


def _normalised(values: Floats32, scale_and_shift: Floats32) -> Floats32:
    """Return rows with mean 0 and variance 1, then scaled and shifted."""
    centred = values - values.mean(-1, keepdims=True)
    scale, shift = scale_and_shift
    made: Floats32 = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * scale + shift
    return made


def _tokens(text: str, pieces: Sequence[Piece], vectors: Floats32) -> TokenVectors:
    return TokenVectors(
        text,
        tuple(piece.text for piece in pieces),
        np.array([(piece.start, piece.end) for piece in pieces], dtype=np.int64).reshape(-1, 2),
        np.cumsum([piece.begins for piece in pieces], dtype=np.int64) - 1,
        unit(vectors),
    )


def open_multilingual(path: Path | None = None) -> MultilingualEncoder:
    """Return the encoder of the package, or of a file that `training/` made."""
    if path is not None:
        return _read(path)
    with as_file(files("tercet.language").joinpath("data", "multilingual.model")) as packed:
        return _read(packed)


def _read(path: Path) -> MultilingualEncoder:
    content: Any = read_model(path, KIND, made_by="training")
    try:
        return MultilingualEncoder(content)
    except (KeyError, ValueError):
        raise DataError(_DAMAGED.format("what is in it does not fit together")) from None
