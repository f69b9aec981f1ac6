"""Training data of a model: labelled texts, and the corpora from which resources are estimated."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from ..data.model_file import Dataset
from ..data.testset import checksum
from .resources import Resources, estimate_resources
from .tokens import NONE_TAGGED, Tagged

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts with labels, and the group of each example; groups are not split."""

    sources: tuple[str, ...]
    outputs: tuple[str, ...]
    labels: Floats
    groups: tuple[Hashable, ...]

    def checksum(self) -> str:
        """Return the SHA-256 of all examples."""
        digest = sha256("\n".join(map(checksum, (self.sources, self.outputs, [str(g) for g in self.groups]))).encode())
        digest.update(self.labels.tobytes())
        return digest.hexdigest()

    def dataset(self) -> Dataset:
        """Return the examples' entry in the model file."""
        return Dataset("labelled segments", self.checksum(), len(self.labels))


@dataclass(frozen=True, eq=False)
class Corpora:
    """The corpora for resources, besides the training texts: texts of either language, and parallel texts.

    tagged: known tags of texts (`resources.tag_texts`).
    """

    languages: tuple[str, str]
    source_texts: Sequence[str] = ()
    target_texts: Sequence[str] = ()
    parallel: tuple[Sequence[str], Sequence[str]] | None = None
    tags: bool = False
    embeddings: str | None = None
    embedding_axes: Floats | None = None
    tagged: Tagged = NONE_TAGGED

    def without(self, examples: Examples) -> Corpora:
        """Return the corpora without training texts and texts parallel to one; warn how many were left out.

        A language model gives higher probabilities to sentences that it was estimated from, so a model trained on such
        features would not work for new sentences.
        """
        sources, outputs = ({_words(text) for text in side} - {""} for side in (examples.sources, examples.outputs))
        one = [text for text in self.source_texts if _words(text) not in sources]
        other = [text for text in self.target_texts if _words(text) not in outputs]
        left_out = len(self.source_texts) - len(one) + len(self.target_texts) - len(other)
        parallel = self.parallel
        if parallel is not None and len(parallel[0]) == len(parallel[1]):  # otherwise `estimate` raises an error
            pairs = list(zip(*parallel, strict=True))
            kept = [(s, t) for s, t in pairs if _words(s) not in sources and _words(t) not in outputs]
            left_out += len(pairs) - len(kept)
            parallel = ([s for s, _ in kept], [t for _, t in kept]) if kept else None
        if not left_out:
            return self
        log.warning(
            "%d texts of the corpora are training texts, or parallel to one, and are left out: features must come from "
            "models that have not seen the text.", left_out,
        )  # fmt: skip
        return replace(self, source_texts=one, target_texts=other, parallel=parallel)

    def datasets(self) -> list[Dataset]:
        """Return the corpora that there are, for the model file: role, checksum and number of sentences."""
        corpora = {"source texts": self.source_texts, "target texts": self.target_texts}
        if self.parallel is not None:
            corpora |= {"parallel source texts": self.parallel[0], "parallel target texts": self.parallel[1]}
        return [Dataset(name, checksum(texts), len(texts)) for name, texts in corpora.items() if texts]

    def estimate(self, progress: Progress | None = None) -> Resources:
        """Estimate all resources that the corpora allow."""
        return estimate_resources(
            *self.languages,
            source_texts=self.source_texts,
            target_texts=self.target_texts,
            parallel=self.parallel,
            tag=self.tags,
            embeddings=self.embeddings,
            embedding_axes=self.embedding_axes,
            tagged=self.tagged,
            progress=progress,
        )


def _words(text: str) -> str:
    """Normalise case and spaces: texts that are then equal are nearly the same to a language model."""
    return " ".join(text.lower().split())
