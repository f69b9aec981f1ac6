"""The syntactic contexts of words: their heads and dependents, and the differences between two contexts.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", sections 4.2 and 4.3.2:
two aligned words may have different syntactic roles. A word is the same in both contexts if it is aligned and has the
same relation or an equivalent one (such as active subject and passive agent). The table of equivalent relations is
from Sultan, Bethard and Sumner (2014), "Back to Basics for Monolingual Alignment", TACL 2; see data/contexts.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import permutations, product
from typing import Any, NamedTuple

from .sentence import Dependency, Sentence, Token

KEPT = 2048  # sentences whose contexts are cached: a reference is compared with every system's output
_INITIALS = {"n": "noun", "v": "verb", "j": "adjective", "r": "adverb"}  # first letters of Penn Treebank tags
_UNIVERSAL = {
    "NOUN": "noun", "PROPN": "noun", "PRON": "noun", "VERB": "verb", "AUX": "verb", "ADJ": "adjective", "ADV": "adverb",
}  # fmt: skip

Pairs = frozenset[tuple[str, str]]


class Neighbour(NamedTuple):
    """A word in another word's context, by its number from 1 (0 is the root), and its relation to that word."""

    word: int
    relation: str


class Context(NamedTuple):
    """The heads and the dependents of a word."""

    parents: tuple[Neighbour, ...]
    children: tuple[Neighbour, ...]


class Equivalences(NamedTuple):
    """Pairs of different relations that are equivalent.

    crossed: pairs of a parent's relation and a child's relation.
    crossed_back: those that the author's program uses in both directions.
    """

    parents: Pairs
    children: Pairs
    crossed: Pairs
    crossed_back: Pairs


NOTHING_EQUIVALENT = Equivalences(frozenset(), frozenset(), frozenset(), frozenset())


@dataclass(frozen=True)
class ContextDifference:
    """The relations in the contexts of two aligned words, children first, and those that the other context lacks."""

    output_context: tuple[str, ...]
    output_different: tuple[str, ...]
    reference_context: tuple[str, ...]
    reference_different: tuple[str, ...]


def relation_kind(label: str) -> str:
    """Return the kind of a relation: "argument", "modifier" or "function"; "prep_of" counts as "prep"."""
    return _kinds().get(label.partition("_")[0], "function")


def word_category(token: Token, *, published: bool = False) -> str:
    """Return "noun" (also for pronouns and names), "verb", "adjective" or "adverb"; "" for other words.

    published: decide by the Penn Treebank tag alone, which gives "" for pronouns.
    """
    if published or not token.upos:
        return _INITIALS.get(token.xpos[:1].lower(), "")
    return _UNIVERSAL.get(token.upos, "")


def equivalences(category: str) -> Equivalences:
    """Return the equivalent relations in the context of a word of a category."""
    return _equivalences().get(category, NOTHING_EQUIVALENT)


@lru_cache(maxsize=KEPT)
def word_contexts(sentence: Sentence, *, published: bool = False) -> tuple[Context, ...]:
    """Return the context of each word of a sentence.

    A preposition or conjunction that is collapsed into a relation has the two related words as its context.
    published: such a word is found in the relation's name as a substring (even "a" in prep_after), and the root
        relation is first, as in the text output of Stanford CoreNLP.
    """
    edges: list[Dependency] = [
        edge if edge.relation != "xsubj" else edge._replace(relation="nsubj") for edge in sentence.dependencies
    ]
    if published:
        edges.sort(key=lambda edge: edge.governor > 0)
    parents: list[list[Neighbour]] = [[] for _ in sentence.tokens]
    children: list[list[Neighbour]] = [[] for _ in sentence.tokens]
    for governor, relation, dependent in edges:
        parents[dependent - 1].append(Neighbour(governor, relation))
        if governor:
            children[governor - 1].append(Neighbour(dependent, relation))
    attached = {edge.dependent for edge in edges}
    absorbing = [(place, edge) for place, edge in enumerate(edges) if "_" in edge.relation]
    for number, token in enumerate(sentence.tokens, 1):
        if number in attached or (children[number - 1] and not published):
            continue
        children[number - 1] = []
        if absorbing and (found := _relation_with(token, number, edges, absorbing, published)):
            parents[number - 1] = [Neighbour(found.governor, found.relation)]
            children[number - 1] = [Neighbour(found.dependent, found.relation)]
    return tuple(Context(tuple(above), tuple(below)) for above, below in zip(parents, children, strict=True))


def _relation_with(
    token: Token, number: int, edges: Sequence[Dependency], absorbing: Iterable[tuple[int, Dependency]], published: bool
) -> Dependency | None:
    """Return the first relation with the word in its name, among those whose dependent follows the word."""
    if not published:
        word = token.form.lower()
        return next(
            (edge for _, edge in absorbing if edge.dependent > number and word in edge.relation.split("_")[1:]), None
        )
    following = min((edge.dependent for edge in edges if edge.dependent > number), default=0)
    start = next((place for place, edge in enumerate(edges) if edge.dependent == following), len(edges))
    return next((edge for place, edge in absorbing if place >= start and token.form in edge.relation), None)


def compare_contexts(
    output: Sentence,
    reference: Sentence,
    links: Sequence[tuple[int, int]],
    *,
    equivalence: bool = True,
    published: bool = False,
) -> list[ContextDifference]:
    """Return the difference between the contexts of each pair of aligned words.

    links: all aligned pairs (output word, reference word), numbered from 1. Words that are not aligned are different.
    equivalence: treat the table's equivalent relations as the same; otherwise only relations of the same name.
    published: compare as the author's program does. Crossed relations are looked for only between the output's parents
        and the reference's children, in both directions of the table. Relations of the same name match although they
        are reversed. A word that matches in this way matches everywhere in the two contexts.
    """
    partners: dict[int, list[int]] = {0: [0]}
    for first, second in links:
        partners.setdefault(first, []).append(second)
    ours = word_contexts(output, published=published)
    theirs = word_contexts(reference, published=published)
    cross = _cross_published if published else _cross
    differences = []
    for first, second in links:
        mine, other = ours[first - 1], theirs[second - 1]
        category = word_category(output.tokens[first - 1], published=published) if equivalence else ""
        table = equivalences(category)
        above = _matches(mine.parents, other.parents, partners, table.parents)
        below = _matches(mine.children, other.children, partners, table.children)
        same = _Same(
            {word for word, _ in above}, {word for word, _ in below}, {word for _, word in above},
            {word for _, word in below},
        )  # fmt: skip
        cross(mine, other, partners, table, same)
        differences.append(
            ContextDifference(
                _relations(mine), _rest(mine, same.output_parents, same.output_children),
                _relations(other), _rest(other, same.reference_parents, same.reference_children),
            )
        )  # fmt: skip
    return differences


class _Same(NamedTuple):
    """The words that two contexts have in common."""

    output_parents: set[int]
    output_children: set[int]
    reference_parents: set[int]
    reference_children: set[int]


def _matches(
    mine: Sequence[Neighbour], other: Sequence[Neighbour], partners: Mapping[int, list[int]], same: Pairs
) -> list[tuple[int, int]]:
    """Return the pairs of neighbours that are aligned and have the same or an equivalent relation."""
    found = []
    if mine and other:
        for word, relation in mine:
            aligned = partners.get(word)
            if aligned is not None:
                for partner, label in other:
                    if partner in aligned and (relation == label or (relation, label) in same):
                        found.append((word, partner))
    return found


def _cross(mine: Context, other: Context, partners: Mapping[int, list[int]], table: Equivalences, same: _Same) -> None:
    """Add the words that are a parent in one context and a child in the other."""
    if not table.crossed:
        return
    for word, relation in mine.parents:
        for partner, label in other.children:
            if (relation, label) in table.crossed and partner in partners.get(word, ()):
                same.output_parents.add(word)
                same.reference_children.add(partner)
    for word, relation in mine.children:
        for partner, label in other.parents:
            if (label, relation) in table.crossed and partner in partners.get(word, ()):
                same.output_children.add(word)
                same.reference_parents.add(partner)


def _cross_published(
    mine: Context, other: Context, partners: Mapping[int, list[int]], table: Equivalences, same: _Same
) -> None:
    for word, partner in crossed_published(mine, other, table):
        if partner in partners.get(word, ()):
            same.output_parents.add(word)
            same.output_children.add(word)
            same.reference_parents.add(partner)
            same.reference_children.add(partner)


def crossed_published(mine: Context, other: Context, table: Equivalences) -> list[tuple[int, int]]:
    """Return the output's parents and reference's children with relations that the author's program matches."""
    return [
        (word, partner)
        for word, relation in mine.parents
        for partner, label in other.children
        if relation == label or (relation, label) in table.crossed or (label, relation) in table.crossed_back
    ]


def _relations(context: Context) -> tuple[str, ...]:
    return tuple(relation for side in (context.children, context.parents) for _, relation in side)


def _rest(context: Context, parents: set[int], children: set[int]) -> tuple[str, ...]:
    return tuple(
        [relation for word, relation in context.children if word not in children]
        + [relation for word, relation in context.parents if word not in parents]
    )


@cache
def tables() -> dict[str, Any]:
    """Return the tables of data/contexts.toml."""
    return tomllib.loads(files(__package__).joinpath("data", "contexts.toml").read_text("utf-8"))


@cache
def _kinds() -> dict[str, str]:
    kinds: dict[str, str] = tables()["kinds"]
    return {label: kind for kind, labels in kinds.items() for label in labels.split()}


@cache
def _equivalences() -> dict[str, Equivalences]:
    found = {}
    for category in _INITIALS.values():
        table = tables()[category]
        crossed = _between(table["crossed"])
        forth = _between(table.get("crossed_forth", ()))
        found[category] = Equivalences(_within(table["parents"]), _within(table["children"]), crossed | forth, crossed)
    return found


def _within(groups: Iterable[str]) -> Pairs:
    return frozenset(pair for group in groups for pair in permutations(group.split(), 2))


def _between(groups: Iterable[str]) -> Pairs:
    sides = (group.partition(":") for group in groups)
    return frozenset(pair for above, _, below in sides for pair in product(above.split(), below.split()))
