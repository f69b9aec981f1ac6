"""A parsed sentence as a tree of words that rules match, and a draft in which several changes are made."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple, Self

from ..data.grouping import places_of
from ..language.sentence import Sentence

Features = Mapping[str, str]
Splits = Mapping[str, Sequence[tuple[str, str, str]]]
NO_FEATURES: Features = MappingProxyType({})
NO_SPLITS: Splits = MappingProxyType({})


class Word(NamedTuple):
    """A word of a tree. head: the number of its head, -1 for a root. gap: the white space before it in the text."""

    form: str
    lemma: str
    upos: str
    features: Features
    head: int
    relation: str
    gap: str | None = None


@dataclass(frozen=True)
class Tree:
    """The words of a sentence, numbered from 0."""

    words: tuple[Word, ...]
    text: str

    @cached_property
    def children(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.words]
        for number, word in enumerate(self.words):
            if word.head >= 0:
                found[word.head].append(number)
        return found

    @cached_property
    def by_tag(self) -> dict[str, list[int]]:
        return places_of(word.upos for word in self.words)

    @cached_property
    def values(self) -> dict[str, set[str]]:
        """The forms and lemmas (also in lower case), tags and relations (also without subtype) in the sentence."""
        found = {name: {getattr(word, name) for word in self.words} for name in ("form", "lemma", "upos", "relation")}
        for name in ("form", "lemma"):
            found[name] |= {value.lower() for value in found[name]}
        found["relation"] |= {value.partition(":")[0] for value in found["relation"]}
        return found

    def phrase(self, number: int) -> list[int]:
        """Return a word with everything that depends on it, in order, without punctuation at its ends."""
        found = [number]
        for one in found:
            found.extend(self.children[one])
        words = [one for one in found if one == number or self.words[one].upos != "PUNCT"]
        first, last = min(words), max(words)
        return sorted(one for one in found if first <= one <= last)


@dataclass
class Draft:
    """A paraphrase in the making: the order of the words, new words by number, and which words were altered."""

    tree: Tree
    order: list[int]
    words: dict[int, Word] = field(default_factory=dict)
    altered: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, tree: Tree) -> Self:
        return cls(tree, list(range(len(tree.words))))

    def __getitem__(self, number: int) -> Word:
        found = self.words.get(number)
        return self.tree.words[number] if found is None else found

    def phrase(self, number: int) -> list[int]:
        inside = set(self.tree.phrase(number)) if number < len(self.tree.words) else {number}
        inside |= {new for new, word in self.words.items() if new >= len(self.tree.words) and word.head in inside}
        return [one for one in self.order if one in inside]

    def put(self, number: int, word: Word) -> None:
        self.words[number] = word
        self.altered.add(number)

    def insert(self, word: Word, at: int) -> None:
        number = max([len(self.tree.words) - 1, *self.words]) + 1
        self.put(number, word)
        self.order.insert(at, number)

    def remove(self, numbers: Sequence[int]) -> None:
        gone = set(numbers)
        self.order = [one for one in self.order if one not in gone]
        self.altered |= gone

    def __iter__(self) -> Iterator[Word]:
        return (self[number] for number in self.order)


def build_tree(
    sentence: Sentence, split: Splits = NO_SPLITS, lemma_of: Callable[[Word], str | None] | None = None
) -> Tree:
    """Return the tree of a sentence. split: words that are two, such as Spanish "del", by their parts."""
    pieces = [split.get(token.form.lower()) if token.upos == "ADP" else None for token in sentence.tokens]
    places = list(accumulate((len(parts or "*") for parts in pieces), initial=0))
    words: list[Word] = []
    end = 0
    for token, parts in zip(sentence.tokens, pieces, strict=True):
        gap = sentence.text[end : token.start] if token.start >= end else ""
        end = max(end, token.end)
        head = -1 if not token.head else places[token.head - 1]
        relation = "root" if head < 0 else token.relation.lower()
        if parts is None:
            word = Word(token.form, token.lemma, token.upos, parse_features(token.features), head, relation, gap)
            better = lemma_of(word) if lemma_of is not None and token.upos in ("VERB", "AUX") else None
            words.append(word._replace(lemma=better) if better else word)
            continue
        (form, lemma, upos), *rest = parts
        form = form.capitalize() if token.form[:1].isupper() else form
        words.append(Word(form, lemma, upos, NO_FEATURES, head, relation, gap))
        words += [Word(form, lemma, upos, NO_FEATURES, head, "det") for form, lemma, upos in rest]
    return Tree(tuple(words), sentence.text)


@lru_cache(maxsize=4096)
def parse_features(text: str) -> Features:
    """Return the features of a word, from 'Number=Sing|Tense=Past'."""
    pairs = (pair.partition("=") for pair in text.split("|") if "=" in pair)
    return MappingProxyType({name: value for name, _, value in pairs})
