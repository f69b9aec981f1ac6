"""Predicates and their role fillers, from dependencies: what stands in for semantic roles in YiSi's structure.

This is an approximation: no semantic role labeller is used. A predicate is a verb; the subtree of each of its
dependents fills a role that the relation names. The subject of a passive verb is an object, and its agent a subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...language.encoders import TokenVectors
from ...language.sentence import Sentence
from ...language.tiger import from_tiger
from ...text.coding import Ints

# Relations of Universal Dependencies and of ClearNLP (spaCy's English models).
ROLES = {
    "nsubj": "subject", "csubj": "subject", "agent": "subject", "obl:agent": "subject",
    "nsubj:pass": "object", "nsubjpass": "object", "csubj:pass": "object", "csubjpass": "object",
    "obj": "object", "dobj": "object",
    "iobj": "recipient", "dative": "recipient",
    "ccomp": "complement", "xcomp": "complement", "acomp": "complement", "attr": "complement", "oprd": "complement",
    "obl": "circumstance", "prep": "circumstance", "npadvmod": "circumstance", "advcl": "circumstance",
    "advmod": "manner", "neg": "negation",
}  # fmt: skip
HELPERS = ("aux", "cop")  # verbs that are no predicates


class Frame(NamedTuple):
    """A predicate and its role fillers: numbers of the encoder's tokens."""

    predicate: Ints
    roles: Mapping[str, Ints]

    @property
    def size(self) -> int:
        """The number of tokens in it."""
        return len(self.predicate) + sum(map(len, self.roles.values()))


def find_frames(sentence: Sentence, tokens: TokenVectors) -> list[Frame]:
    """Return the frames of a parsed text; tokens are without marks."""
    if sentence.scheme == "tiger":  # spaCy's German models have no UD relations
        sentence = from_tiger(sentence)
    owner = _owners(sentence, tokens)
    below = _subtrees(sentence)
    frames = []
    for number, word in enumerate(sentence.tokens, 1):
        if word.upos not in ("VERB", "AUX") or word.relation.startswith(HELPERS):
            continue
        roles: dict[str, set[int]] = {}
        for other, each in enumerate(sentence.tokens, 1):
            role = ROLES.get(each.relation) or ROLES.get(each.relation.partition(":")[0])
            if each.head == number and role:
                roles.setdefault(role, set()).update(below[other])
        predicate = _places(owner, {number})
        fillers = {role: _places(owner, words) for role, words in roles.items()}
        if len(predicate):
            frames.append(Frame(predicate, {role: places for role, places in fillers.items() if len(places)}))
    return frames


def pair_frames(
    frames: Sequence[Frame], others: Sequence[Frame], similarities: np.ndarray
) -> Iterator[tuple[Frame, Frame]]:
    """Yield each frame with the one whose predicate is most similar; similarities have shape (tokens, other tokens)."""
    for frame in frames:
        yield frame, max(others, key=lambda other: similarities[np.ix_(frame.predicate, other.predicate)].mean())


def _owners(sentence: Sentence, tokens: TokenVectors) -> Ints:
    """Return for each token of the encoder the number of the word, from 1, that it begins in; 0 if in none."""
    owner = np.zeros(len(tokens), dtype=np.int64)
    for number, word in enumerate(sentence.tokens, 1):
        owner[(tokens.spans[:, 0] >= word.start) & (tokens.spans[:, 0] < word.end)] = number
    return owner


def _places(owner: Ints, words: set[int]) -> Ints:
    return np.flatnonzero(np.isin(owner, list(words)))


def _subtrees(sentence: Sentence) -> list[set[int]]:
    """Return for each word, from 1, the words below it and itself."""
    below = [{number} for number in range(len(sentence.tokens) + 1)]
    for number in range(1, len(sentence.tokens) + 1):
        at = sentence.tokens[number - 1].head
        while at:
            below[at].add(number)
            at = sentence.tokens[at - 1].head
    return below
