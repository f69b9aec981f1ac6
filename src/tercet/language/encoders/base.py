"""The interface of encoders: vectors of the tokens of a text, and of whole texts.

`Encoder` removes duplicates, sorts texts by length and cuts them into batches; a backend encodes one batch. A batch is
cut by the number of tokens, so that memory stays the same for short and long texts. Lone surrogates are replaced by
U+FFFD, which keeps character offsets.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, UsageError
from ...text.coding import whole_characters
from ...types import Floats32

if TYPE_CHECKING:
    from .store import SentenceStore, TokenStore

log = logging.getLogger(__name__)

Ints = NDArray[np.int64]
LAST = -1  # the last layer
OF_SENTENCES = -2  # in place of a layer
BATCH_TEXTS = 16
BATCH_TOKENS = 2048  # of a batch, padding included; small ones stay in the processor's cache


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """The tokens of one text.

    text: with lone surrogates replaced.
    tokens: as the tokenizer writes them, such as "##ing".
    spans: the first character of each token in the text and the one after its last, shape (tokens, 2).
    words: the number of the word that each token is a part of; -1 for marks such as [CLS].
    vectors: one of length 1 per token, shape (tokens, dimensions). A token without a vector has zeros.
    """

    text: str
    tokens: tuple[str, ...]
    spans: Ints
    words: Ints
    vectors: Floats32

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which tokens have a vector."""
        found: NDArray[np.bool_] = np.asarray(self.vectors.any(1))
        return found

    @cached_property
    def inside(self) -> TokenVectors:
        """The tokens that are text, without marks such as [CLS] and [SEP]."""
        kept = np.flatnonzero(self.words >= 0)
        if len(kept) == len(self):
            return self
        rows: Any = kept
        if len(kept) and kept[-1] - kept[0] + 1 == len(kept):
            rows = slice(kept[0], kept[-1] + 1)  # marks are at the ends, and nothing is copied
        tokens = tuple(self.tokens[row] for row in kept)
        return TokenVectors(self.text, tokens, self.spans[rows], self.words[rows], self.vectors[rows])

    @cached_property
    def by_word(self) -> TokenVectors:
        """The words, as they are in the text. A word's vector has the direction of the sum of its tokens'."""
        text = self.inside
        if not len(text):
            return text
        numbers, starts = np.unique(text.words, return_index=True)
        ends = np.append(starts[1:], len(text))
        spans = np.column_stack([text.spans[starts, 0], text.spans[ends - 1, 1]])
        words = tuple(self.text[first:last] for first, last in spans.tolist())
        return TokenVectors(self.text, words, spans, numbers, unit(np.add.reduceat(text.vectors, starts, axis=0)))


class _Together:
    """Texts that are encoded along with others, and what was made of them: see `together`."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = [whole_characters(text) for text in texts]
        self.made: dict[tuple[str, int], dict[str, Any]] = {}

    def take(self, key: tuple[str, int], texts: Iterable[str]) -> dict[str, Any]:
        made = self.made.get(key, {})
        return {text: made[text] for text in texts if text in made}

    def add(self, key: tuple[str, int], texts: list[str]) -> list[str]:
        """Return texts to encode: these, and, with the first of them, all others."""
        if not texts or not self.texts or key in self.made:
            return texts
        return list(dict.fromkeys([*texts, *self.texts]))

    def keep(self, key: tuple[str, int], made: dict[str, Any]) -> None:
        if self.texts:
            self.made.setdefault(key, {}).update(made)


_along = _Together()


@contextmanager
def together(texts: Iterable[str]) -> Iterator[None]:
    """Encode texts that will be needed soon along with the first that are encoded, and keep the vectors meanwhile."""
    global _along
    before, _along = _along, _Together(texts)
    try:
        yield
    finally:
        _along = before


class Encoder(ABC):
    """A model that turns texts into vectors.

    name: as given to `open_encoder`; metrics have it in their signature.
    fingerprint: a checksum of weights and tokenizer. Encoders with the same one give the same vectors.
    dimensions: of the vector of a text.
    layers: the number of layers whose vectors can be asked for: 0 is the input of the first layer, and -1 the last.
        1 where there is only the last one.
    languages: codes of the languages that it knows; None if that is not known.
    longest: the number of tokens after which a text is truncated; None if there is no limit.
    tolerance: how far a cosine may differ with the batch, the processor or the device.
    has_tokens, has_sentences: what it can encode.
    slow: whether vectors are worth keeping on disk.
    """

    name: str
    fingerprint: str
    dimensions: int
    layers: int = 1
    languages: frozenset[str] | None = None
    longest: int | None = None
    tolerance: float = 1e-5
    has_tokens: bool = True
    has_sentences: bool = True
    slow: bool = True

    @abstractmethod
    def token_batches(self, texts: Sequence[str], layer: int) -> Iterator[tuple[Sequence[int], Sequence[TokenVectors]]]:
        """Yield the places of some texts and their tokens, batch by batch. Texts are distinct."""

    @abstractmethod
    def sentence_batches(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Floats32]]:
        """Yield the places of some texts and their vectors, batch by batch. Texts are distinct."""

    def split(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens of each text without their vectors, and without marks such as [CLS]."""
        raise UsageError(f"The encoder {self.name} has no tokens.")

    def tokens(self, texts: Sequence[str], layer: int = LAST, *, cache: str | Path | None = None) -> list[TokenVectors]:
        """Return the tokens of each text; equal texts share one object. cache: a folder that keeps vectors."""
        if not self.has_tokens:
            raise UsageError(f"The encoder {self.name} gives vectors of sentences, and none of their tokens.")
        layer = self.layer_number(layer)
        return self._encoded(texts, layer, cache, partial(self.token_batches, layer=layer))

    def sentences(self, texts: Sequence[str], *, cache: str | Path | None = None) -> Floats32:
        """Return a vector of length 1 for each text, shape (texts, dimensions). cache: a folder that keeps vectors."""
        if not self.has_sentences:
            raise UsageError(f"The encoder {self.name} gives vectors of words, and none of sentences.")
        rows: list[Floats32] = self._encoded(texts, OF_SENTENCES, cache, self.sentence_batches)
        return np.stack(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32)

    def _encoded(
        self, texts: Sequence[str], layer: int, cache: str | Path | None,
        encode: Callable[[Sequence[str]], Iterator[tuple[Sequence[int], Sequence[Any] | Floats32]]],
    ) -> list[Any]:  # fmt: skip
        """Return the tokens or, with OF_SENTENCES as layer, the vector of each text, each encoded once."""
        distinct, places = _distinct(texts)
        key = self.fingerprint, layer
        found = _along.take(key, distinct)
        store: TokenStore | SentenceStore | None = None
        if cache is not None and self.slow:
            from .store import SentenceStore, TokenStore

            whole = layer == OF_SENTENCES
            store = SentenceStore(cache, self.fingerprint) if whole else TokenStore(cache, self.fingerprint, layer)
            found |= store.load([text for text in distinct if text not in found])
        missing = _along.add(key, [text for text in distinct if text not in found])
        for batch, made in encode(missing):
            found |= {missing[place]: each for place, each in zip(batch, made, strict=True)}
        _along.keep(key, found)
        vectors = (found[text] if layer == OF_SENTENCES else found[text].vectors for text in distinct)
        check_finite(self.name, vectors, distinct)
        if store is not None and missing:
            store.keep({text: found[text] for text in missing})
        return [found[distinct[place]] for place in places]

    def layer_number(self, layer: int) -> int:
        """Return the number of a layer, counted from 0; negative ones count from the last."""
        number = layer + self.layers if layer < 0 else layer
        if not 0 <= number < self.layers:
            limits = f"0 to {self.layers - 1}" if self.layers > 1 else "only -1, the last"
            raise UsageError(f"The encoder {self.name} has no layer {layer}; it has {limits}.")
        return number


def _distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the distinct texts and for each text the place of its equal."""
    if isinstance(texts, str):
        raise UsageError("An encoder needs a list of texts, not a string.")
    places: dict[str, int] = {}
    rows = [places.setdefault(whole_characters(text), len(places)) for text in texts]
    return list(places), rows


def batches(lengths: Sequence[int], *, texts: int = BATCH_TEXTS, tokens: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Cut texts of these lengths into batches of similar length: yields their places, short texts first."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda each: (lengths[each], each)):
        if batch and (len(batch) >= texts or (len(batch) + 1) * lengths[place] > tokens):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def unit(vectors: Floats32) -> Floats32:
    """Return vectors scaled to length 1; zeros stay zeros. A vector that is not finite becomes NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    lengths[~np.isfinite(lengths)] = np.nan  # so that `check_finite` finds it
    scaled: Floats32 = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths != 0)
    return scaled


def check_finite(name: str, numbers: Iterable[Any], texts: Sequence[str]) -> None:
    """Raise DataError, with the text's number, if a model did not return a finite number or vector for a text."""
    for place, (each, text) in enumerate(zip(numbers, texts, strict=True), 1):
        if not np.isfinite(each).all():
            raise DataError(
                f"{name} returned numbers that are not finite (NaN or infinity) for text {place} of {len(texts)}: "
                f"{text[:60]!r}. Its weights are damaged or too large."
            )


def warn_of_truncation(name: str, number: int, longest: int) -> None:
    """Log how many texts were too long for a model."""
    if number:
        log.warning(
            "%s: %d %s too long; only the first %d tokens are encoded.",
            name, number, "text is" if number == 1 else "texts are", longest,
        )  # fmt: skip
