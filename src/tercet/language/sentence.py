"""The parse of one segment: words with their positions, base forms, tags, heads, relations and entities.

All code that uses syntax (the aligner, UPF-Cobalt, HWCM, STM) uses this class, whatever produced the parse: a parser, a
CoNLL-U file, or the output of Stanford CoreNLP. A `Sentence` is one segment of a test set; if a segment contains
several grammatical sentences, it has several roots.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from ..errors import DataError

SCHEMES = ("ud", "clearnlp", "stanford", "tiger", "other")  # schemes of the tree's labels: see relations.toml


class Token(NamedTuple):
    """A word. Unknown fields are empty; `start` and `end` are positions in the sentence's text, in code points.

    Words of a multiword token (French "du" is "de" and "le") have the same position. head: the number of the head from
    1, 0 for the root, None outside the tree. entity: B-TYPE for the first word of an entity, then I-TYPE.
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
    """A relation between two words, numbered from 1; the governor of a root is 0."""

    governor: int
    relation: str
    dependent: int


class Entity(NamedTuple):
    """A named entity: the words `first` to `last`, numbered from 1."""

    first: int
    last: int
    type: str


@dataclass(frozen=True)
class Sentence:
    """A parsed segment.

    tokens: its words; none for an empty segment.
    scheme: the scheme of `Token.relation`, one of `SCHEMES`; "other" is a scheme without a table.
    dependencies: the graph of collapsed Stanford dependencies, sorted by dependent. A word may have several governors;
        words that only mark a relation (prepositions, conjunctions, punctuation) have none.
        `tercet.language.relations.with_dependencies` computes it from the tree.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    scheme: str = "ud"
    dependencies: tuple[Dependency, ...] = ()

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise DataError(f"The scheme of relations must be one of {', '.join(SCHEMES)}, not {self.scheme!r}.")
        size = len(self.tokens)
        for number, token in enumerate(self.tokens, 1):
            if not token.form or not 0 <= token.start <= token.end <= len(self.text):
                raise DataError(
                    f"Word {number} ({token.form!r}) of {shown(self.text)} has no form, or its position "
                    f"{token.start}-{token.end} is outside the text."
                )
            if token.head is not None and (not 0 <= token.head <= size or token.head == number):
                raise DataError(
                    f"Word {number} ({token.form!r}) of {shown(self.text)} has head {token.head}; a head must be 0 "
                    f"(for a root) or another word, 1 to {size}."
                )
        if word := find_cycle([token.head for token in self.tokens]):
            raise DataError(
                f"Word {word} ({self.tokens[word - 1].form!r}) of {shown(self.text)} is part of a cycle of heads."
            )
        for governor, relation, dependent in self.dependencies:
            if not (0 <= governor <= size and 1 <= dependent <= size and governor != dependent and relation):
                raise DataError(f"{relation}({governor}, {dependent}) is not a dependency of the words 1 to {size}.")

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Return the named entities in order, with the parser's type names."""
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

    def over(self, text: str) -> Self | None:
        """Return this parse with the positions of a text that differs only in white space; None for other texts."""
        if text == self.text:
            return self
        if "".join(text.split()) != "".join(self.text.split()):
            return None
        there = [place for place, character in enumerate(text) if not character.isspace()]
        before = [0]  # number of non-white-space characters before each position of our text
        for character in self.text:
            before.append(before[-1] + (not character.isspace()))
        tokens = []
        for token in self.tokens:
            first, past = before[token.start], before[token.end]
            start = there[first] if first < len(there) else len(text)
            tokens.append(token._replace(start=start, end=there[past - 1] + 1 if past > first else start))
        return replace(self, text=text, tokens=tuple(tokens))


def shown(text: str) -> str:
    """Return the beginning of a text in quotes, for error messages."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def find_cycle(heads: Sequence[int | None]) -> int | None:
    """Return the number, from 1, of a word whose heads lead back to it; None if all lead to a root."""
    reached = [0] * (len(heads) + 1)  # the start from which each word was reached first
    for start in range(1, len(heads) + 1):
        at = start
        while at and not reached[at]:
            reached[at] = start
            at = heads[at - 1] or 0
        if at and reached[at] == start:
            return at
    return None


def iob(types: Iterable[str]) -> list[str]:
    """Return the IOB marks of words with these entity types; adjacent words of one type are one entity."""
    marks, before = [], ""
    for kind in types:
        marks.append(f"{'I' if kind == before else 'B'}-{kind}" if kind else "")
        before = kind
    return marks
