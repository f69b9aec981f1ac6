"""Sentence embeddings: one vector per text. Texts of similar meaning in any language have similar vectors.

`use` is the Universal Sentence Encoder for many languages (Yang et al., 2020, "Multilingual Universal Sentence Encoder
for Semantic Retrieval", ACL demonstrations; Google's version 3); `use.py` runs it. It supports 16 languages: Arabic,
Chinese (two scripts), Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish,
Thai and Turkish. Vectors of texts in other languages are not meaningful.

Each distinct text is encoded once, in batches of fixed size: the same list of texts gives bit-identical vectors with
any number of processes. In a different list the last digits of single precision may differ, because they depend on the
number of rows of a matrix.
"""

import logging
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from ..errors import UnknownName, UsageError
from ..text.coding import whole_characters
from ..types import Floats32
from ..workers import results_in_order
from . import use

log = logging.getLogger(__name__)

NAMES = ("use",)
BATCH = 256  # texts per unit of work; fixed, so that vectors do not depend on where the work runs
LONGEST = 10_000  # characters, about 1,500 words; the encoder has no limit, but memory grows with the length


@dataclass(frozen=True)
class UniversalEncoder:
    """The multilingual Universal Sentence Encoder, version 3. Texts over LONGEST characters are cut, with a warning."""

    version: str
    dimensions: int = 512

    def encode(self, texts: Sequence[str], *, executor: Executor | None = None) -> Floats32:
        """Return the unit vectors of texts, shape (texts, dimensions). executor: processes to encode in."""
        if isinstance(texts, str):
            raise UsageError("encode needs a list of texts, not a string.")
        if cut := sum(len(text) > LONGEST for text in texts):
            log.warning("%d texts are too long; only their first %d characters are encoded.", cut, LONGEST)
        rows: dict[str, int] = {}
        places = [rows.setdefault(whole_characters(text[:LONGEST]), len(rows)) for text in texts]
        distinct = list(rows)
        batches = [distinct[first : first + BATCH] for first in range(0, len(distinct), BATCH)]
        if executor is None:
            made: Iterable[Floats32] = map(encode_batch, batches)
        else:
            made = results_in_order(executor, encode_batch, zip(batches, strict=True), doing="encoding")
        return np.concatenate([np.empty((0, self.dimensions), dtype=np.float32), *made])[places]


def encode_batch(texts: Sequence[str]) -> Floats32:
    """Encode one batch. This is a unit of work that any process can run; it loads the weights once per process."""
    return use.open_model().encode(texts)


def open_encoder(name: str) -> UniversalEncoder:
    """Return the encoder of that name, one of NAMES. Its weights are loaded on first use."""
    if name not in NAMES:
        raise UnknownName("sentence encoder", name, NAMES)
    return UniversalEncoder(str(use.package().__version__))
