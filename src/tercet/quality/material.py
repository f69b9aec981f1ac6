"""What a model is trained on: labelled texts, and the corpora that resources are estimated from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from ..data.testset import checksum
from .resources import Resources, estimate_resources
from .tokens import NONE_TAGGED, Tagged

Floats = NDArray[np.float64]
Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts with labels; groups are what must not be split."""

    sources: tuple[str, ...]
    outputs: tuple[str, ...]
    labels: Floats
    groups: tuple[Hashable, ...]

    def checksum(self) -> str:
        """A digest of all of them."""
        digest = sha256("\n".join(map(checksum, (self.sources, self.outputs, [str(g) for g in self.groups]))).encode())
        digest.update(self.labels.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Corpora:
    """What resources are estimated from besides the training texts: texts of either language, and parallel ones.

    tagged: tags of texts that are known already (`resources.tag_texts`).
    """

    languages: tuple[str, str]
    source_texts: Sequence[str] = ()
    target_texts: Sequence[str] = ()
    parallel: tuple[Sequence[str], Sequence[str]] | None = None
    tags: bool = False
    embeddings: str | None = None
    embedding_axes: Floats | None = None
    tagged: Tagged = NONE_TAGGED

    def estimate(self, progress: Progress | None = None) -> Resources:
        """All resources that they allow."""
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
