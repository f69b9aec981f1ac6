"""VERTa: a weighted mean of F-measures of words, of words with their tags, of dependencies, and of pairs of words.

Comelles and Atserias (2014), "VERTa participation in the WMT14 Metrics Task", WMT. Words are aligned by form, synonym,
relation in WordNet, lemma and beginning of the lemma; dependencies match by the alignment of their words. variant=eq
gives the four modules the same weight, variant=w the weights that Table 4.9 of Fomicheva (2017) implies: scores of its
example equal the printed ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from ...data.grouping import places_of
from ...language.sentence import Sentence, Token
from ...language.synonyms import english_related_words, english_synonyms
from ...text.explanations import Alignment, Link, ListedAlignment, Seen
from .. import MeanPartsMetric, ParsedMetric, param

MODULES = ("lexical", "morphological", "dependency", "ngram")
VARIANTS = {"eq": (0.25, 0.25, 0.25, 0.25), "w": (0.36, 0.05, 0.40, 0.19)}
FORM, SYNONYM, RELATED, LEMMA, BEGINNING = 1.0, 1.0, 0.9, 0.8, 0.7  # as in the program's configuration
LETTERS = 4  # that lemmas begin with in common
MINOR = {"_", "dep", "det"}  # relations that count half; "_" is a word outside the tree


class Word(NamedTuple):
    """What words are compared by."""

    form: str
    lemma: str
    tag: str
    synsets: frozenset[int]
    related: frozenset[str]


class Triple(NamedTuple):
    """A dependency; words are numbered from 0, and the governor of a root is -1."""

    relation: str
    governor: int
    dependent: int

    @property
    def weight(self) -> float:
        return 0.5 if self.relation in MINOR else 1.0


class Share(NamedTuple):
    """Precision and recall of a module."""

    precision: float
    recall: float

    @property
    def f(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True)
class VERTa(MeanPartsMetric, ParsedMetric):
    """VERTa, the mean of segments, 0 to 1; of several references the best.

    variant: the weights of the four modules: w, tuned by the authors, or eq, all equal.
    """

    variant: str = param("w", choices=VARIANTS)

    explains = (Alignment,)
    part_names = MODULES
    paper = "Comelles and Atserias (2014), VERTa participation in the WMT14 Metrics Task"

    def count_pair(self, output: Sentence, reference: Sentence) -> Sequence[float]:
        """Count the score of a segment, 1, and the F-measures of the modules."""
        found = [share.f for share in self.modules(output, reference)]
        return [sum(w * f for w, f in zip(VARIANTS[self.variant], found, strict=True)), 1.0, *found]

    def modules(self, output: Sentence, reference: Sentence) -> tuple[Share, ...]:
        """Return precision and recall of the modules, in the order of MODULES."""
        if not output.tokens or not reference.tokens:
            return (Share(0.0, 0.0),) * len(MODULES)
        english = self.language == "en"
        ours, theirs = ([_word(token, english=english) for token in each.tokens] for each in (output, reference))
        similar = similarities(ours, theirs)
        tagged = {(i, j): value for (i, j), value in similar.items() if ours[i].tag == theirs[j].tag}
        tagged = {pair: value for pair, value in tagged.items() if value > BEGINNING}
        sizes = len(ours), len(theirs)
        links, both = align(similar), (triples(output), triples(reference))
        return (
            _of_words(similar, links, sizes),
            _of_words(tagged, align(tagged), sizes),
            Share(_covered(*both, links), _covered(*both[::-1], {j: i for i, j in links.items()})),
            _of_pairs(similar, sizes),
        )

    def explain_parsed(self, output: Sentence, reference: Sentence) -> Seen:
        english = self.language == "en"
        words = [[_word(token, english=english) for token in each.tokens] for each in (output, reference)]
        similar = similarities(*words)
        shares = zip(MODULES, self.modules(output, reference), strict=True)
        found = ListedAlignment(
            [word.form for word in words[0]],
            [word.form for word in words[1]],
            [Link([i], [j], float(similar[i, j])) for i, j in sorted(align(similar).items())],
            columns=("output", "reference", "similarity"),
        )
        values = {"modules": {name: share._asdict() for name, share in shares}}
        return Seen(self.count_pair(output, reference)[0], [found], values=values)


def _word(token: Token, *, english: bool) -> Word:
    tag = token.xpos[:2] or token.upos  # Penn's NN, NNS and NNP are one
    return _made_word(token.form, (token.lemma or token.form).lower(), tag, english=english)


@lru_cache(maxsize=1 << 16)
def _made_word(form: str, lemma: str, tag: str, *, english: bool) -> Word:
    synsets = frozenset(english_synonyms().of(lemma)) if english else frozenset()
    related = english_related_words().of(lemma) if english else frozenset()
    return Word(form, lemma, tag, synsets, related)


def similarity(first: Word, second: Word) -> float:
    """Return the value of the first kind of match that two words have; 0 if they have none."""
    if first.form == second.form:
        return FORM
    if first.synsets & second.synsets:
        return SYNONYM
    if second.lemma in first.related:
        return RELATED
    if first.lemma == second.lemma:
        return LEMMA
    long_enough = min(len(first.lemma), len(second.lemma)) >= LETTERS
    return BEGINNING if long_enough and first.lemma[:LETTERS] == second.lemma[:LETTERS] else 0.0


def similarities(ours: Sequence[Word], theirs: Sequence[Word]) -> dict[tuple[int, int], float]:
    """Return the similarity of the words that match, by places. Words that occur more than once are compared once."""
    return {
        (i, j): value
        for (one, here), (other, there) in product(places_of(ours).items(), places_of(theirs).items())
        if (value := similarity(one, other))
        for i in here
        for j in there
    }


def align(values: Mapping[tuple[int, int], float]) -> dict[int, int]:
    """Return a one-to-one alignment: the highest values first, of equal ones those at the nearest places."""
    links: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, j in sorted((-value, abs(i - j), i, j) for (i, j), value in values.items()):
        if i not in links and j not in taken:
            links[i] = j
            taken.add(j)
    return links


def triples(sentence: Sentence) -> list[Triple]:
    """Return the collapsed dependencies; a word that has none is a triple of its own, without a governor."""
    found = [Triple(relation, governor - 1, dependent - 1) for governor, relation, dependent in sentence.dependencies]
    inside = {triple.dependent for triple in found}
    found += [Triple("_", -1, place) for place in range(len(sentence.tokens)) if place not in inside]
    return sorted(found, key=lambda triple: (triple.dependent, triple.governor, triple.relation))


def _of_words(values: Mapping[tuple[int, int], float], links: Mapping[int, int], sizes: tuple[int, int]) -> Share:
    found = sum(values[pair] for pair in links.items())
    return Share(found / sizes[0], found / sizes[1])


def _covered(ours: Sequence[Triple], theirs: Sequence[Triple], links: Mapping[int, int]) -> float:
    """Return the share of our triples, by weight, that match one of theirs, each of which matches once."""
    linked = {-1: -1, **links}
    below: dict[int | None, list[int]] = {}
    for j, other in enumerate(theirs):
        below.setdefault(other.governor, []).append(j)
    values = {}
    for i, one in enumerate(ours):
        dependent = links.get(one.dependent)
        for j in below.get(linked.get(one.governor), ()):  # governors match, and the relation or the dependent must
            if theirs[j].relation == one.relation or theirs[j].dependent == dependent:
                values[i, j] = one.weight
    total = sum(triple.weight for triple in ours)
    return sum(ours[i].weight for i in align(values)) / total if total else 0.0


def _of_pairs(values: Mapping[tuple[int, int], float], sizes: tuple[int, int]) -> Share:
    """Return the shares of neighbouring words that match neighbouring words of the other text, one-to-one."""
    both = {(i, j): 1.0 for i, j in values if (i + 1, j + 1) in values}
    found = len(align(both))
    return Share(*(found / (size - 1) if size > 1 else 0.0 for size in sizes))
