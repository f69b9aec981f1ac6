"""What the engine must know of a language: forms of words, and how words are written together."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import ClassVar, Protocol

from ..errors import UsageError
from ..text.scripts import base_code
from .tree import Splits, Word


class Morphology(Protocol):
    """The morphology of a language. split: words that are two (Spanish "del") -> their (form, lemma, upos)."""

    split: ClassVar[Splits]

    def inflect(self, lemma: str, upos: str, features: Mapping[str, str]) -> str | None: ...

    def lemma(self, word: Word) -> str | None:
        """Return the lemma from which `inflect` makes the word's own form, since parsers' are often wrong, or None."""
        ...

    def attach(self, verb: str, clitic: str) -> str | None:
        """Return a verb with a pronoun at its end, as in Spanish "verlo"."""
        ...

    def join(self, first: Word, second: Word) -> tuple[str, str, bool]:
        """Return how two words are written side by side, and whether they become one; the second is then empty."""
        ...


@cache
def morphology(language: str) -> Morphology:
    """Return the morphology of a language."""
    name = {"es": "Spanish", "en": "English"}.get(base_code(language))
    if name is None:
        raise UsageError(f"Tercet can form words of Spanish (es) and English (en), not of {language!r}.")
    made: Morphology = getattr(import_module(f".{name.lower()}", __package__), name)()
    return made
