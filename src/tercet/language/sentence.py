"""One sentence as a parser sees it: words with their places, base forms, tags, heads, relations and entities.

Everything that reads syntax (the aligner, UPF-Cobalt, HWCM, STM) reads this and nothing else, whatever made it: a
parser, a CoNLL-U file, or the output of Stanford CoreNLP. A `Sentence` is one segment of a test set; where a segment
holds several grammatical sentences, it has several roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..errors import DataError

SCHEMES = ("ud", "clearnlp", "stanford", "other")  # whose relations label the tree: see relations.toml


class Token(NamedTuple):
    """A word. What is not known is empty; `start` and `end` are code points of the sentence's text.

    Words that a parser splits off one written word (French "du" is "de" and "le") have the same place. `head` counts
    words from 1, 0 is the root and None a word outside the tree. `entity` is B-TYPE for the first word of a named
    entity, I-TYPE for the others.
    """

    form: str
    start: int
    end: int
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    features: str = ""
    head: int | None = None
    relation: str = ""
    entity: str = ""


class Dependency(NamedTuple):
    """A relation between two words, which count from 1; the governor of a root is 0."""

    governor: int
    relation: str
    dependent: int


class Entity(NamedTuple):
    """A named entity: the words `first` to `last`, which count from 1."""

    first: int
    last: int
    type: str


@dataclass(frozen=True)
class Sentence:
    """A parsed segment.

    tokens: its words; none for an empty segment.
    scheme: whose labels `Token.relation` has, one of `SCHEMES`; of "other" ones we know nothing.
    dependencies: the graph of Stanford's collapsed dependencies, in which a word may have several governors and words
        that only mark a relation (prepositions, conjunctions, punctuation) have none; sorted by dependent.
        `tercet.language.relations.with_dependencies` makes it from the tree.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    scheme: str = "ud"
    dependencies: tuple[Dependency, ...] = ()

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise DataError(f"The scheme of relations is one of {', '.join(SCHEMES)}, not {self.scheme!r}.")
        size = len(self.tokens)
        for number, token in enumerate(self.tokens, 1):
            if not token.form or not 0 <= token.start <= token.end <= len(self.text):
                raise DataError(
                    f"Word {number} ({token.form!r}) of {shown(self.text)} has no form, or its place "
                    f"{token.start}-{token.end} is outside the text."
                )
            if token.head is not None and (not 0 <= token.head <= size or token.head == number):
                raise DataError(
                    f"Word {number} ({token.form!r}) of {shown(self.text)} has head {token.head}; heads are 0 for a "
                    f"root and 1 to {size} for another word."
                )
        if word := circle([token.head for token in self.tokens]):
            raise DataError(
                f"Word {word} ({self.tokens[word - 1].form!r}) of {shown(self.text)} depends on itself: its heads lead "
                "back to it."
            )
        for governor, relation, dependent in self.dependencies:
            if not (0 <= governor <= size and 1 <= dependent <= size and governor != dependent and relation):
                raise DataError(f"{relation}({governor}, {dependent}) is no dependency of the words 1 to {size}.")

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The named entities in their order, with their types as the parser names them."""
        found: list[Entity] = []
        for number, token in enumerate(self.tokens, 1):
            mark, _, kind = token.entity.partition("-")
            if not kind:
                continue
            if mark == "I" and found and found[-1].last == number - 1 and found[-1].type == kind:
                found[-1] = Entity(found[-1].first, number, kind)
            else:
                found.append(Entity(number, number, kind))
        return tuple(found)

    def over(self, text: str) -> Sentence | None:
        """This parse for a text that differs in white space alone; None for any other text."""
        if text == self.text:
            return self
        if "".join(text.split()) != "".join(self.text.split()):
            return None
        there = [place for place, character in enumerate(text) if not character.isspace()]
        before = [0]  # how many characters that are not white space lie before each place of our text
        for character in self.text:
            before.append(before[-1] + (not character.isspace()))
        tokens = []
        for token in self.tokens:
            first, past = before[token.start], before[token.end]
            start = there[first] if first < len(there) else len(text)
            tokens.append(token._replace(start=start, end=there[past - 1] + 1 if past > first else start))
        return replace(self, text=text, tokens=tuple(tokens))


def shown(text: str) -> str:
    """A text in a message: its beginning, in quotes."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def circle(heads: Sequence[int | None]) -> int | None:
    """A word, counted from 1, whose heads lead back to it; None in a tree."""
    reached = [0] * (len(heads) + 1)  # from which word each was reached first
    for start in range(1, len(heads) + 1):
        at = start
        while at and not reached[at]:
            reached[at] = start
            at = heads[at - 1] or 0
        if at and reached[at] == start:
            return at
    return None


def iob(types: Iterable[str]) -> list[str]:
    """Entity marks of words from their types, as CoreNLP gives them: neighbours of one type are one entity."""
    marks, before = [], ""
    for kind in types:
        marks.append(f"{'I' if kind == before else 'B'}-{kind}" if kind else "")
        before = kind
    return marks
