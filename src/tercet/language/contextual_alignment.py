"""Align the words of two texts of one language by their meaning and their context.

Sultan, Bethard and Sumner (2014), "Back to Basics for Monolingual Alignment", TACL 2, with the levels of similarity of
Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", sections 4.1 and 4.3.1.
There are four stages: identical sequences of words, named entities, content words, function words. Each stage keeps
the links of the previous ones. In the last two stages the value of a pair is THETA times the similarity of its words
plus 1 - THETA times the evidence from its context, and the best pairs are linked first. Content words need no
evidence unless they are similar by their vectors alone. Function words need some evidence, so that "the" is not
aligned with any other "the". Sentences with the same words are one sequence, whatever the words are.

`published` follows the author's program (UPF-Cobalt); its recorded alignments are reproduced exactly:

- a sequence may consist of stop words alone; a word that several sequences contain goes to the longest;
- names and words with hyphens are linked several times (`name_matching`);
- content words are first aligned within their category by dependencies alone, then by their neighbours alone, and
  function words in the same way; words that are similar by vectors alone need evidence above .5 at that step;
- an output's parents are compared with a reference's children twice, its children with a reference's parents never
  (`contexts.crossed`); neighbours are compared by lemmas, not forms;
- words are classified by their lemma and tag without normalisation (`contextual_evidence`, `lexical_similarity`).
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ..data.grouping import places_of
from ..errors import UsageError
from .contextual_evidence import NONE, ContextEvidence, Pairing, prepare
from .lexical_similarity import LEVELS, Similarity, nearest
from .name_matching import name_links, published_name_links
from .sentence import Sentence

WEIGHTS = {"exact": 1.0, "stem": 0.9, "synonym": 0.8, "paraphrase": 0.6, "distributional": 0.5}  # of pairs of words
THETA = 0.9  # the weight of the words' similarity in a pair's value
ENDINGS = frozenset(".!")
_CATEGORIES = ("verb", "noun", "adjective", "adverb")

Weigh = Callable[[int, int], ContextEvidence]
Candidates = Iterable[tuple[int, int, float]]  # two words and their similarity


@dataclass(frozen=True)
class ContextLink:
    """Two aligned words, numbered from 1, with the reason for the alignment.

    level: their similarity, one of `LEVELS`. stage: that aligned them, "sequence", "entity", "content" or "function"
    ("meteor": METEOR's aligner). dependencies, neighbours: pieces of evidence from syntax and neighbouring words.
    evidence: its weighted sum, in which less similar words count less. Sequences and names need none.
    """

    output: int
    reference: int
    level: str
    stage: str
    dependencies: int = 0
    neighbours: int = 0
    evidence: float = 0.0


@dataclass(frozen=True)
class ContextAlignment:
    """An output and a reference with the links between their words, sorted by the output's words."""

    output: Sentence
    reference: Sentence
    links: tuple[ContextLink, ...]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return [(link.output, link.reference) for link in self.links]

    def __str__(self) -> str:
        """Return a line for each link (words, level, stage, evidence), then the words that are not aligned."""
        lines = []
        shown = [
            {i: f"{token.form}[{i}]" for i, token in enumerate(sentence.tokens, 1)}
            for sentence in (self.output, self.reference)
        ]
        for link in self.links:
            line = f"{shown[0][link.output]} = {shown[1][link.reference]}: {link.level}, {link.stage}"
            if link.dependencies or link.neighbours:
                line += f" ({link.dependencies} by syntax, {link.neighbours} near)"
            lines.append(line)
        for name, words in zip(("output", "reference"), shown, strict=True):
            linked = {getattr(link, name) for link in self.links}
            if rest := [word for number, word in words.items() if number not in linked]:
                lines.append(f"only in the {name}: {' '.join(rest)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class ContextAligner:
    """An aligner of parsed sentences, at these levels of similarity. published: as the author's program does."""

    similarity: Similarity = field(default_factory=Similarity)
    levels: tuple[str, ...] = LEVELS[:5]
    published: bool = False

    def __post_init__(self) -> None:
        if not set(self.levels) <= set(LEVELS[:5]):
            raise UsageError(f"The aligner's levels must be among {', '.join(LEVELS[:5])}, not {self.levels}.")
        if self.published != self.similarity.published:
            raise UsageError("The aligner and its similarity must have the same value of published.")

    def align(self, output: Sentence, reference: Sentence) -> ContextAlignment:
        if not output.tokens or not reference.tokens:
            return ContextAlignment(output, reference, ())
        lexicon = self.similarity.lexicon()
        weights = {level: WEIGHTS[level] for level in self.levels}
        pairing = Pairing(prepare(output, lexicon), prepare(reference, lexicon), lexicon, weights)
        (self._align_published if self.published else self._align)(pairing)
        return ContextAlignment(output, reference, tuple(_links(pairing)))

    def _align(self, pairing: Pairing) -> None:
        if pairing.output.lower == pairing.reference.lower:  # even if there is no content word: "it is"
            for number in range(1, len(pairing.output) + 1):
                pairing.link(number, number, "sequence")
            return
        _link_endings(pairing)
        _link_sequences(pairing)
        _link_hyphenated(pairing)
        for first, second in name_links(pairing.output.sentence, pairing.reference.sentence):
            if pairing.is_free(first, second):
                pairing.link(first, second, "entity")
        found = pairing.candidates("content")
        self._link_best(pairing, "content", found, pairing.by_dependencies, pairing.by_neighbours)
        # Vectors may relate a pronoun and a noun, which is a content word (section 4.3.1).
        found, by = pairing.candidates("stop", "mark", mixed=True), pairing.by_linked_dependencies
        self._link_best(pairing, "function", found, by, pairing.by_linked_neighbours, least=1)

    def _link_best(
        self, pairing: Pairing, stage: str, found: Candidates, dependencies: Weigh, neighbours: Weigh, least: int = 0
    ) -> None:
        """Link the best candidates first; of equal ones, the nearest. least: pieces of evidence of a pair."""
        sizes = len(pairing.output), len(pairing.reference)
        ranked = []
        for first, second, weight in found:
            syntax, text = dependencies(first, second), neighbours(first, second)
            supported = syntax.pieces + text.pieces >= least
            if supported and pairing.levels[first, second] == "distributional":  # by vectors alone (section 4.3.1)
                published = syntax.sum + text.sum > 0.5
                supported = published if self.published else pairing.has_exact_context(first, second)
            if not supported:
                continue
            value = THETA * weight + (1 - THETA) * (syntax.sum + text.sum)
            distance = 0.0 if self.published else abs(first / sizes[0] - second / sizes[1])
            ranked.append((-value, distance, first, second, syntax, text))
        ranked.sort()
        for *_, first, second, syntax, text in ranked:
            if pairing.is_free(first, second):
                pairing.link(first, second, stage, syntax, text)

    def _align_published(self, pairing: Pairing) -> None:
        _link_published_endings(pairing)
        for length, first, second in sorted(_runs(pairing.output.lower, pairing.reference.lower)):
            for k in range(-length if length < -1 else 0):
                if pairing.is_free(first + k, second + k):
                    pairing.link(first + k, second + k, "sequence")
        _link_published_hyphenated(pairing, groups=True)
        used = frozenset(pairing.used_output), frozenset(pairing.used_reference)
        for first, second in published_name_links(pairing.output.sentence, pairing.reference.sentence, *used):
            pairing.link(first, second, "entity")
        ours, theirs = pairing.output, pairing.reference
        for category in _CATEGORIES:
            found = (
                candidate for candidate in pairing.candidates("content", "mark")
                if ours.categories[candidate[0] - 1] == category == theirs.categories[candidate[1] - 1]
            )  # fmt: skip
            self._link_best(pairing, "content", found, pairing.by_dependencies, _nothing)
        self._link_best(pairing, "content", pairing.candidates("content"), _nothing, pairing.by_neighbours)
        _link_published_hyphenated(pairing, groups=False)
        for kinds, syntax, text in (
            (("stop",), pairing.by_linked_dependencies, _nothing),
            (("stop", "mark"), _nothing, pairing.by_linked_neighbours),
        ):
            self._link_best(pairing, "function", pairing.candidates(*kinds), syntax, text, least=1)


def _nothing(first: int, second: int) -> ContextEvidence:
    return NONE


def _links(pairing: Pairing) -> Iterator[ContextLink]:
    for (first, second), (stage, syntax, text) in sorted(pairing.links.items(), key=lambda item: item[0][0]):
        level = pairing.levels.get((first, second))
        if level is None:  # part of a name or of a word with a hyphen, or "." and "!"
            level = "entity" if stage == "entity" else "distributional" if pairing.published else "stem"
        yield ContextLink(first, second, level, stage, syntax.pieces, text.pieces, syntax.sum + text.sum)


def _link_endings(pairing: Pairing) -> None:
    """Link the final punctuation of both sentences, which has no context."""
    last = len(pairing.output), len(pairing.reference)
    one, two = pairing.output.lower[-1], pairing.reference.lower[-1]
    if (one in ENDINGS and two in ENDINGS) or (one == two and pairing.output.kinds[-1] == "mark"):
        pairing.link(*last, "sequence")


def _link_published_endings(pairing: Pairing) -> None:
    """Link the last words if they are equal; otherwise "." or "!" among the last two words."""
    first, second = len(pairing.output), len(pairing.reference)
    ours = [token.form for token in pairing.output.sentence.tokens[-2:]]
    theirs = [token.form for token in pairing.reference.sentence.tokens[-2:]]
    if ours[-1] == theirs[-1]:
        pairing.link(first, second, "sequence")
        return
    for i, j in ((0, 0), (1, 0), (0, 1), (1, 1)):
        if i < len(ours) and j < len(theirs) and ours[-1 - i] in ENDINGS and theirs[-1 - j] in ENDINGS:
            pairing.link(first - i, second - j, "sequence")
            return


def _runs(output: Sequence[str], reference: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the maximal common sequences: their negative length, so that the longest sort first, and first words."""
    places = places_of(reference)
    for i, word in enumerate(output):
        for j in nearest(places.get(word, ()), i):
            if i and j and output[i - 1] == reference[j - 1]:
                continue
            length = 1
            while (
                i + length < len(output) and j + length < len(reference) and output[i + length] == reference[j + length]
            ):
                length += 1
            yield -length, i + 1, j + 1


def _link_sequences(pairing: Pairing) -> None:
    """Link common sequences of at least two words with a content word, longest first; linked words split others."""
    kinds = pairing.output.kinds
    waiting = [run for run in _runs(pairing.output.lower, pairing.reference.lower) if run[0] < -1]
    heapq.heapify(waiting)
    while waiting:
        run = heapq.heappop(waiting)
        length, first, second = -run[0], *run[1:]
        free = [k for k in range(length) if pairing.is_free(first + k, second + k)]
        if len(free) == length:
            if "content" in kinds[first - 1 : first - 1 + length]:
                for k in free:
                    pairing.link(first + k, second + k, "sequence")
            continue
        for _, group in groupby(enumerate(free), key=lambda item: item[1] - item[0]):  # stretches without a gap
            stretch = [k for _, k in group]
            if len(stretch) > 1:
                heapq.heappush(waiting, (-len(stretch), first + stretch[0], second + stretch[0]))


def _link_hyphenated(pairing: Pairing) -> None:
    """Link a hyphenated word with the last of its parts if the other text has them as words: long-term, long term."""
    for flipped, own, other in ((False, pairing.output, pairing.reference), (True, pairing.reference, pairing.output)):
        for number, word in enumerate(own.lower, 1):
            parts = word.split("-") if "-" in word[1:-1] else []
            for length, place, start in _runs(parts, other.lower) if parts else ():
                pair = (start - length - 1, number) if flipped else (number, start - length - 1)
                if place == 1 and -length == len(parts) and pairing.is_free(*pair):
                    pairing.link(*pair, "sequence")


def _link_published_hyphenated(pairing: Pairing, *, groups: bool) -> None:
    """Link hyphenated words with sequences of their parts (groups=True) or with single parts, if content words."""
    stage = "sequence" if groups else "content"
    for flipped, own, other in ((False, pairing.output, pairing.reference), (True, pairing.reference, pairing.output)):
        used = pairing.used_reference if flipped else pairing.used_output
        for number, word in enumerate(own.lower, 1):
            if number in used or "-" not in word or word == "-":
                continue
            for length, _, start in sorted(_runs(word.split("-"), other.lower)):
                single = length == -1 and other.kinds[start - 1] != "stop"
                taken = pairing.used_reference
                if length < -1 if groups else single and (number if flipped else start) not in taken:
                    for k in range(start, start - length):
                        pairing.link(*((k, number) if flipped else (number, k)), stage)
