"""Evidence for aligning two words: similar words in their syntactic contexts and among their neighbours.

Sultan, Bethard and Sumner (2014), "Back to Basics for Monolingual Alignment: Exploiting Word Similarity and Contextual
Evidence", TACL 2. `prepare` computes what is needed of a single sentence, once for all comparisons with it. A `Pairing`
compares two sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, product
from typing import NamedTuple

from .contexts import Context, alike, crossed, equivalences, word_category, word_contexts
from .lexical_similarity import Lexis, SimilarityLexicon, published_marks, stop_words
from .sentence import Sentence

WINDOW = 3  # words on each side that are neighbours
KEPT = 1024  # prepared sentences in the cache: more than the references and outputs of a unit of work

Link = tuple[int, int]


class ContextEvidence(NamedTuple):
    """Evidence from two contexts: the number of matching words, and the sum of their similarities."""

    pieces: int = 0
    sum: float = 0.0


NONE = ContextEvidence()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sentence with what the aligner needs. Tuples have an entry for each word; words are numbered from 1.

    kinds: "content", "stop" or "mark". windows: the content words near each word. before, after: the nearest content
    word on either side, 0 if there is none. lemmas: compared instead of `lexis` in windows, if published.
    """

    sentence: Sentence
    lexis: Lexis
    contexts: tuple[Context, ...]
    categories: tuple[str, ...]
    kinds: tuple[str, ...]
    windows: tuple[tuple[int, ...], ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    lower: tuple[str, ...]
    lemmas: Lexis | None

    def __len__(self) -> int:
        return len(self.lower)


@lru_cache(maxsize=KEPT)
def prepare(sentence: Sentence, lexicon: SimilarityLexicon) -> Prepared:
    """Prepare a sentence for the aligner."""
    published = lexicon.published
    lexis = lexicon.lexis(sentence.tokens)
    lemmas = None
    if published:
        lemmas = lexicon.lexis([token._replace(form=token.lemma or token.form) for token in sentence.tokens])
        kinds, near = _published_kinds(sentence)
    else:
        kinds = tuple(
            "mark" if word.is_punctuation else "stop" if word.is_function else "content" for word in lexis.words
        )
        near = tuple(kind == "content" for kind in kinds)
    size = len(sentence)
    windows = tuple(
        tuple(
            other for other in range(max(1, number - WINDOW), min(size, number + WINDOW) + 1)
            if other != number and near[other - 1]
        )
        for number in range(1, size + 1)
    )  # fmt: skip
    before, after = (_published_nearest if published else _nearest)(kinds)
    return Prepared(
        sentence, lexis, word_contexts(sentence, published=published),
        tuple(word_category(token, published=published) for token in sentence.tokens),
        kinds, windows, before, after, tuple(token.form.lower() for token in sentence.tokens), lemmas,
    )  # fmt: skip


def _published_kinds(sentence: Sentence) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Return the kinds by unnormalised lemmas ("I" is not a stop word), and which words count as neighbours."""
    stops, marks = stop_words("en", published=True), published_marks()
    lemmas = [token.lemma for token in sentence.tokens]
    kinds = tuple(
        "stop" if lemma in stops else "mark" if lemma in marks or lemma in ("'s", "'d", "'ll") else "content"
        for lemma in lemmas
    )
    return kinds, tuple(lemma not in stops and lemma not in marks for lemma in lemmas)


def _nearest(kinds: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the nearest content words before and after each word, at any distance; 0 if there is none."""
    content = [number if kind == "content" else 0 for number, kind in enumerate(kinds, 1)]
    before = accumulate(content[:-1], max, initial=0)
    after = accumulate(content[:0:-1], lambda later, here: here or later, initial=0)
    return tuple(before), tuple(after)[::-1]


def _published_nearest(kinds: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the same as `_nearest`, but to the right stop at the last word but one, as the author's program does."""
    before, after = _nearest(kinds)
    limit = len(kinds) - 1
    return before, tuple(place if 0 < place <= limit else max(number, limit) for number, place in enumerate(after, 1))


class Pairing:
    """Two sentences during alignment: the similarities of their words, and the links made so far."""

    def __init__(
        self, output: Prepared, reference: Prepared, lexicon: SimilarityLexicon, weights: Mapping[str, float]
    ) -> None:
        self.output, self.reference, self.published = output, reference, lexicon.published
        self.levels = lexicon.levels(output.lexis, reference.lexis)
        self.weights = {pair: weights[level] for pair, level in self.levels.items() if level in weights}
        self.near = self.weights
        if output.lemmas is not None and reference.lemmas is not None:
            levels = lexicon.levels(output.lemmas, reference.lemmas)
            self.near = {pair: weights[level] for pair, level in levels.items() if level in weights}
        self.links: dict[Link, tuple[str, ContextEvidence, ContextEvidence]] = {}
        self.used_output: set[int] = set()
        self.used_reference: set[int] = set()

    def link(
        self, first: int, second: int, stage: str, syntax: ContextEvidence = NONE, near: ContextEvidence = NONE
    ) -> None:
        self.links.setdefault((first, second), (stage, syntax, near))
        self.used_output.add(first)
        self.used_reference.add(second)

    def is_free(self, first: int, second: int) -> bool:
        return first not in self.used_output and second not in self.used_reference

    def candidates(self, *kinds: str, mixed: bool = False) -> Iterator[tuple[int, int, float]]:
        """Yield similar pairs of free words of these kinds, with their similarity. mixed: one of the two suffices."""
        output, reference = self.output.kinds, self.reference.kinds
        for (first, second), weight in self.weights.items():
            found = (output[first - 1] in kinds) + (reference[second - 1] in kinds)
            if (found == 2 or (found and mixed)) and self.is_free(first, second):
                yield first, second, weight

    def by_dependencies(self, first: int, second: int) -> ContextEvidence:
        """Return the evidence of similar parents and children in equal or equivalent relations; a word counts once."""
        table = equivalences(self.output.categories[first - 1])
        mine, other = self.output.contexts[first - 1], self.reference.contexts[second - 1]
        pairs = alike(mine.parents, other.parents, table.parents) + alike(mine.children, other.children, table.children)
        down, up = crossed(mine, other, table, published=self.published)
        found = [p for p in (*pairs, *down, *up) if p in self.weights or p in self.links or p == (0, 0)]
        if len(found) < 2:
            return ContextEvidence(1, self.weight(*found[0])) if found else NONE
        total, pieces = 0.0, 0
        ours: set[int] = set()
        theirs: set[int] = set()
        for weight, one, two in sorted((-self.weight(*pair), *pair) for pair in found):
            if one not in ours and two not in theirs:
                total, pieces = total - weight, pieces + 1
                ours.add(one)
                theirs.add(two)
        return ContextEvidence(pieces, total)

    def weight(self, first: int, second: int) -> float:
        """Return the similarity of two words: 1 for two roots, 0.5 for dissimilar words that are linked."""
        if not first:
            return 1.0 if not second else 0.0
        found = self.weights.get((first, second), 0.0)
        return 0.5 if not found and not self.published and (first, second) in self.links else found

    def by_neighbours(self, first: int, second: int) -> ContextEvidence:
        """Return the evidence of all pairs of similar content words near both words."""
        pairs = product(self.output.windows[first - 1], self.reference.windows[second - 1])
        found = [self.near[pair] for pair in pairs if pair in self.near]
        return ContextEvidence(len(found), sum(found)) if found else NONE

    def has_exact_context(self, first: int, second: int) -> bool:
        """Return whether both words have a content word of the same form as a parent, child or neighbour."""
        mine, other = self.output.contexts[first - 1], self.reference.contexts[second - 1]
        ours = {*self.output.windows[first - 1], *(word for word, _ in (*mine.parents, *mine.children))}
        theirs = {*self.reference.windows[second - 1], *(word for word, _ in (*other.parents, *other.children))}
        content = [word for word in ours if word and self.output.kinds[word - 1] == "content"]
        return any(self.levels.get(pair) == "exact" for pair in product(content, theirs))

    def by_linked_dependencies(self, first: int, second: int) -> ContextEvidence:
        """Return the evidence of linked parents and linked children, which is used for function words."""
        sides = zip(self.output.contexts[first - 1], self.reference.contexts[second - 1], strict=True)
        pieces = sum((one, two) in self.links for ours, theirs in sides for one, _ in ours for two, _ in theirs)
        return ContextEvidence(pieces, float(pieces))

    def by_linked_neighbours(self, first: int, second: int) -> ContextEvidence:
        """Return the evidence of the nearest content words before and after, if they are linked."""
        output, reference, links = self.output, self.reference, self.links
        pieces = int((output.before[first - 1], reference.before[second - 1]) in links)
        pieces += (output.after[first - 1], reference.after[second - 1]) in links
        return ContextEvidence(pieces, float(pieces))
