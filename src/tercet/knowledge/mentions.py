"""Mentions of entities in texts, and the protocol of linkers, which find them.

Gekhman et al. (2020), "KoBE: Knowledge-Based Machine Translation Evaluation", Findings of EMNLP, compares the entities
of two texts. Any linker can provide them: `KBLinker` (linking.py) uses a knowledge base, `AnnotationLinker` the
annotations of another program.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, Protocol

from ..errors import DataError

__all__ = ["AnnotationLinker", "Linker", "Mention"]

_START = attrgetter("start")


class Mention(NamedTuple):
    """A span of a text that names an entity.

    start, end: in code points. entities: the entities it may name, the most likely first. category: of the first of
    them; empty if unknown. weight: how well the first candidate fits relative to the others; 1 if it is the only one.
    """

    start: int
    end: int
    text: str
    entities: tuple[str, ...]
    category: str = ""
    weight: float = 1.0


class Linker(Protocol):
    """A finder of mentions. `name` and `checksum` identify the linker and its data in a metric's signature."""

    @property
    def name(self) -> str: ...

    @property
    def checksum(self) -> str: ...

    def link(self, texts: Sequence[str], language: str) -> list[list[Mention]]:
        """Return the mentions of each text, in order, without overlaps."""
        ...

    def nameable(self, language: str) -> Callable[[str], bool] | None:
        """Return a function that tells whether the language can name an entity id; None if that is not known."""
        ...


@dataclass(frozen=True, eq=False)
class AnnotationLinker:
    """A linker that returns given mentions by text, whatever the language.

    annotations: mentions by text. A text that is missing raises DataError, because it was not annotated; a text without
    entities has an empty list. `tercet.knowledge.annotations.read` makes a linker from a file.
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
        for number, text in enumerate(texts, 1):
            if text not in self.annotations:
                raise DataError(
                    f"{self.name} has no annotation of text {number} of {len(texts)} ({text[:60]!r}). "
                    "Every text needs one; a text without entities has an empty list."
                )
        return [list(self.annotations[text]) for text in texts]

    def nameable(self, language: str) -> Callable[[str], bool] | None:
        return None


def without_overlaps(mentions: Iterable[Mention]) -> list[Mention]:
    """Return mentions without overlaps, in order. The longer wins, then the larger weight, then the earlier."""
    kept: list[Mention] = []  # in order
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, -m.weight, m.start)):
        place = bisect_left(kept, mention.start, key=_START)
        free_before = not place or kept[place - 1].end <= mention.start
        if free_before and (place == len(kept) or mention.end <= kept[place].start):
            kept.insert(place, mention)
    return sorted(kept)
