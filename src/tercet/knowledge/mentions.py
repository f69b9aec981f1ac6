"""Mentions of entities in texts, and what a linker is: anything that finds them.

Gekhman et al. (2020), "KoBE: Knowledge-Based Machine Translation Evaluation", Findings of EMNLP, compares the entities
of two texts and does not care who linked them: `KBLinker` (linking.py) does it with a knowledge base,
`AnnotationLinker` hands out what another program found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ..errors import DataError

__all__ = ["AnnotationLinker", "Linker", "Mention"]


class Mention(NamedTuple):
    """A stretch of a text that names an entity.

    start, end: in code points. entities: what it may name, the likeliest first. category: of the first of them; empty
    if unknown. weight: how well the first candidate fits, relative to the others; 1 where there is no other.
    """

    start: int
    end: int
    text: str
    entities: tuple[str, ...]
    category: str = ""
    weight: float = 1.0


class Linker(Protocol):
    """Finds mentions. `name` and `checksum` say which linker and data it was: both are part of a metric's signature."""

    @property
    def name(self) -> str: ...

    @property
    def checksum(self) -> str: ...

    def link(self, texts: Sequence[str], language: str) -> list[list[Mention]]:
        """The mentions of each text, in order, none overlapping another."""
        ...

    def nameable(self, language: str) -> Callable[[str], bool] | None:
        """Whether the language has a name for an entity, by its id; None where that is not known."""
        ...


@dataclass(frozen=True, eq=False)
class AnnotationLinker:
    """Hands out mentions that were found elsewhere: by text, whatever the language.

    annotations: mentions by text. A text that is not among them is an error: not annotated is not the same as without
    entities. `tercet.knowledge.annotations.read` makes one from a file.
    """

    annotations: Mapping[str, Sequence[Mention]]
    name: str = "annotations"
    checksum: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256()
        for text in sorted(self.annotations):
            digest.update(repr((text, list(map(tuple, self.annotations[text])))).encode())
        object.__setattr__(self, "checksum", digest.hexdigest())

    def link(self, texts: Sequence[str], language: str) -> list[list[Mention]]:
        found = []
        for number, text in enumerate(texts, 1):
            mentions = self.annotations.get(text)
            if mentions is None:
                raise DataError(
                    f"{self.name} has no annotation of text {number} of {len(texts)} ({text[:60]!r}). "
                    "Every text needs one; a text without entities has an empty list."
                )
            found.append(list(mentions))
        return found

    def nameable(self, language: str) -> Callable[[str], bool] | None:
        return None


def without_overlaps(mentions: Iterable[Mention]) -> list[Mention]:
    """The mentions that win where some overlap: the longer, then the weightier, then the earlier; in order of place."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, -m.weight, m.start)):
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
    return sorted(kept)
