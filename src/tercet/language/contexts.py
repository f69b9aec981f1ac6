"""The syntactic contexts of words: their heads and dependents, and the differences between two contexts.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", sections 4.2 and 4.3.2:
two aligned words may have different syntactic roles. A word is the same in both contexts if it is aligned and has the
same relation or an equivalent one (such as active subject and passive agent). The table of equivalent relations is
from Sultan, Bethard and Sumner (2014), "Back to Basics for Monolingual Alignment", TACL 2; see data/contexts.toml.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations, product
from typing import NamedTuple

from ..text.packaged import packaged
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
    """Pairs of equivalent relations. crossed: of a parent and a child; crossed_back: published in both directions."""

    parents: Pairs
    children: Pairs
    crossed: Pairs
    crossed_back: Pairs


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
    """Return noun (or pronoun, name), verb, adjective, adverb, or "". published: by the Penn tag alone."""
    if published or not token.upos:
        return _INITIALS.get(token.xpos[:1].lower(), "")
    return _UNIVERSAL.get(token.upos, "")


@cache
def equivalences(category: str) -> Equivalences:
    """Return the equivalent relations in the context of a word of a category."""
    table = tables()[category] if category else {}
    parents, children = (
        frozenset(pair for group in table.get(side, ()) for pair in permutations(group.split(), 2))
        for side in ("parents", "children")
    )
    back, forth = (
        frozenset(
            pair
            for above, _, below in (group.partition(":") for group in table.get(kind, ()))
            for pair in product(above.split(), below.split())
        )
        for kind in ("crossed", "crossed_forth")
    )
    return Equivalences(parents, children, back | forth, back)


@lru_cache(maxsize=KEPT)
def word_contexts(sentence: Sentence, *, published: bool = False) -> tuple[Context, ...]:
    """Return the context of each word. A word inside a relation's name has the two related words as its context."""
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
        after, word = (edge for _, edge in absorbing if edge.dependent > number), token.form.lower()
        return next((edge for edge in after if word in edge.relation.split("_")[1:]), None)
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
    aligned = {*links, (0, 0)}
    ours = word_contexts(output, published=published)
    theirs = word_contexts(reference, published=published)
    differences = []
    for first, second in links:
        mine, other = ours[first - 1], theirs[second - 1]
        category = word_category(output.tokens[first - 1], published=published) if equivalence else ""
        table = equivalences(category)
        above = aligned.intersection(alike(mine.parents, other.parents, table.parents))
        below = aligned.intersection(alike(mine.children, other.children, table.children))
        down, up = map(aligned.intersection, crossed(mine, other, table, published=published))
        if published:
            up = down
        differences.append(
            ContextDifference(
                _relations(mine), _relations(mine, [i for i, _ in above | down], [i for i, _ in below | up]),
                _relations(other), _relations(other, [j for _, j in above | up], [j for _, j in below | down]),
            )
        )  # fmt: skip
    return differences


def alike(mine: Sequence[Neighbour], other: Sequence[Neighbour], same: Pairs) -> list[tuple[int, int]]:
    """Return the pairs of neighbours with the same or an equivalent relation."""
    return [
        (word, partner)
        for word, relation in mine
        for partner, label in other
        if relation == label or (relation, label) in same
    ]


def crossed(
    mine: Context, other: Context, table: Equivalences, *, published: bool = False
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return equivalent pairs of our parents and their children, and of our children and their parents."""
    down = [
        (word, partner)
        for word, relation in mine.parents
        for partner, label in other.children
        if (relation, label) in table.crossed
        or (published and (relation == label or (label, relation) in table.crossed_back))
    ]
    up = [
        (word, partner)
        for word, relation in mine.children
        for partner, label in other.parents
        if (label, relation) in table.crossed and not published
    ]
    return down, up


def _relations(context: Context, parents: Collection[int] = (), children: Collection[int] = ()) -> tuple[str, ...]:
    """Return the relations of a context, without those to some parents and children."""
    sides = (context.children, children), (context.parents, parents)
    return tuple(relation for side, left_out in sides for word, relation in side if word not in left_out)


def tables() -> dict[str, dict[str, str]]:
    """Return the tables of data/contexts.toml."""
    return packaged(__package__, "data/contexts.toml")


@cache
def _kinds() -> dict[str, str]:
    kinds: dict[str, str] = tables()["kinds"]
    return {label: kind for kind, labels in kinds.items() for label in labels.split()}
