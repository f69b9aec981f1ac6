"""METEOR's aligner: align two texts of one language by equal words, stems, synonyms and paraphrases.

Denkowski and Lavie (2011), "Meteor 1.3: Automatic Metric for Reliable Optimization and Evaluation of Machine
Translation Systems", WMT. The search is in kernels.beam; this module maps words to numbers, stems and synsets for it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data.grouping import grouped
from ..errors import DataError
from ..kernels import beam as kernel
from ..text.coding import Ints, Units, call, offsets_of
from ..types import Floats
from .function_words import function_words
from .paraphrases import GAP, ParaphrasePairs, paraphrases, with_gaps
from .stemming import stemmer
from .synonyms import english_synonyms
from .vectors import WordVectors, open_vectors

MATCHERS = ("exact", "stem", "synonym", "paraphrase")
CONTENT, FUNCTION, COPIED = 0, 1, 2
MOST_MATCHES = 1 << 23  # maximum of possible matches between two texts; more would take a minute and a gigabyte

Words = Sequence[str]
PhraseRow = tuple[int, int, int, int]  # first word and length in the reference, the same in the output


@dataclass(frozen=True)
class Link:
    """One match: the positions of its words in output and reference, its matcher, and the number of its chunk."""

    output: tuple[int, ...]
    reference: tuple[int, ...]
    matcher: str
    chunk: int


@dataclass(frozen=True)
class Alignment:
    """The links of an output with a reference, in its order. chunks: runs of links that are contiguous in both."""

    output: tuple[str, ...]
    reference: tuple[str, ...]
    links: tuple[Link, ...]
    chunks: int


@dataclass(frozen=True, eq=False, repr=False)
class MatcherLexicon:
    """The numbers of each word's name, stem (-1: none) and sorted synsets; words that share one match."""

    numbers: dict[str, int] = field(default_factory=dict)
    known: dict[str | int, int] = field(default_factory=dict)  # numbers of names and of stems
    names: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    stems: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    synsets: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    offsets: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))


@dataclass(frozen=True, eq=False, repr=False)
class Texts:
    """Texts as words, with the words' numbers in a lexicon and their kinds (content, function, copied)."""

    words: Sequence[Words]
    units: Units
    kinds: NDArray[np.uint8]
    lexicon: MatcherLexicon


@dataclass(frozen=True)
class Aligner:
    """METEOR's aligner.

    language: the language of the stems and function words.
    matchers: those of MATCHERS that are used; `exact` is always among them.
    table: a file of paraphrases.
    gaps: the maximum number of words in the gap of a paraphrase; 0 to use no paraphrases with gaps.
    vectors: a file of word vectors; words whose cosine is above `cosine` match as paraphrases do.
    beam: the number of partial alignments that the search keeps.
    original: reproduce METEOR 1.5 exactly: English function words for every language, coverage that ignores most
        matches of unequal words, distances added to the wrong alignments, and words that match because Java gives them
        the same hash (je and l').
    """

    language: str = "en"
    matchers: tuple[str, ...] = MATCHERS[:3]
    table: str | None = None
    gaps: int = 0
    vectors: str | None = None
    cosine: float = 1.0
    beam: int = 40
    original: bool = False

    def read(
        self, words: Sequence[Words], copied: Sequence[Sequence[bool]] | None = None, base: MatcherLexicon | None = None
    ) -> Texts:
        """Prepare texts for alignment, with the lexicon of `base` extended. copied: words that translations copy."""
        lexicon = self._extended(base or MatcherLexicon(), words)
        every = list(chain.from_iterable(words))
        ids = np.array([lexicon.numbers[word] for word in every], dtype=np.int32)
        functions = function_words("en" if self.original else self.language)
        kinds = np.array([FUNCTION if word in functions else CONTENT for word in every], dtype=np.uint8)
        if copied is not None:
            flags = np.fromiter(chain.from_iterable(copied), dtype=bool, count=len(every))
            kinds[flags & (kinds == CONTENT)] = COPIED
        return Texts(words, Units(ids, offsets_of(list(map(len, words)))), kinds, lexicon)

    def _extended(self, base: MatcherLexicon, texts: Sequence[Words]) -> MatcherLexicon:
        numbers = dict(base.numbers)
        for word in chain.from_iterable(texts):
            numbers.setdefault(word, len(numbers))
        words = list(numbers)[len(base.numbers) :]
        known = dict(base.known)
        key: Callable[[str], str | int] = java_hash if self.original else str
        names = np.array([known.setdefault(key(word), len(known)) for word in words], dtype=np.int32)
        stems = np.full(len(words), -1, dtype=np.int32)
        if "stem" in self.matchers and words:
            found = stemmer(self.language, original=self.original)(words)
            stems[:] = [known.setdefault(key(stem), len(known)) for stem in found]
        synsets: list[tuple[int, ...]] = [()] * len(words)
        if "synonym" in self.matchers and words:
            synsets = list(map(english_synonyms(original=self.original).of, words))
        ends = base.offsets[-1] + np.cumsum([len(numbers) for numbers in synsets], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(synsets), dtype=np.int32)
        names, stems = np.append(base.names, names), np.append(base.stems, stems)
        synset_numbers, offsets = np.append(base.synsets, flat), np.append(base.offsets, ends)
        return MatcherLexicon(numbers, known, names, stems, synset_numbers, offsets)

    def align(self, output: Words, reference: Words) -> Alignment:
        references = self.read([reference])
        outputs = self.read([output], base=references.lexicon)
        _, links = self.align_pairs(outputs, references, np.zeros(1, dtype=np.int64))
        return describe(output, reference, links.tolist())

    def align_pairs(self, outputs: Texts, references: Texts, texts: Ints) -> tuple[Floats, NDArray[np.int32]]:
        """Align every reference with output texts[reference]. Returns counts and links as in kernels.beam."""
        lexicon, beam = outputs.lexicon, self.beam
        n = int(references.units.lengths.max(initial=0))
        m = int(outputs.units.lengths.max(initial=0))
        counts = np.zeros((len(texts), kernel.COLUMNS))
        links = np.empty((len(references.units.ids), kernel.WIDTH), dtype=np.int32)
        arrays = (
            outputs.units.ids, outputs.units.offsets, outputs.kinds, np.ascontiguousarray(texts, dtype=np.int64),
            references.units.ids, references.units.offsets, references.kinds, lexicon.names, lexicon.stems,
            lexicon.synsets, lexicon.offsets, *self._phrases(outputs, references, texts),
        )  # fmt: skip
        scratch = (
            np.empty(n + 1, np.int32), np.empty(n + m + 1, np.int32), np.empty(5 * beam, np.int64),
            np.empty(10 * beam, np.int64), np.empty(2 * beam * (m // 64 + 1), np.uint64),
            np.empty(2 * beam * n + 1, np.int32),
        )  # fmt: skip
        done, capacity = 0, 1 << 14
        while done < len(texts):
            results = counts.reshape(-1), links.reshape(-1), np.empty(kernel.WIDTH * capacity, dtype=np.int32)
            done = call(kernel.align_pairs, done, *arrays, beam, self.original, *results, *scratch)
            if capacity == MOST_MATCHES and done < len(texts):
                begin = " ".join(outputs.words[int(texts[done])])[:40]
                raise DataError(
                    f"The output that begins {begin!r} and its reference have more than {MOST_MATCHES:,} pairs of "
                    "words that could be aligned. Texts must have one sentence per line. Split this one or remove it."
                )
            capacity *= 2
        return counts, links

    def _phrases(self, outputs: Texts, references: Texts, texts: Ints) -> tuple[NDArray[np.int32], Ints]:
        """Return the paraphrases between each reference and its output as rows for the kernel, and their offsets."""
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        if "paraphrase" not in self.matchers or (self.table is None and self.vectors is None):
            return np.empty(0, dtype=np.int32), offsets
        listed = self._listed(outputs.words, references.words)
        vectors = None if self.vectors is None else open_vectors(self.vectors)
        rows: list[PhraseRow] = []
        for t, text in enumerate(texts.tolist()):
            found = listed(t, text)
            if vectors is not None:
                near = near_words(references.words[t], outputs.words[text], vectors, self.cosine)
                found = [*found, *(row for row in near if row not in set(found))]
            rows += sorted(found, key=lambda row: row[0])
            offsets[t + 1] = len(rows)
        return np.array(rows, dtype=np.int32).reshape(-1), offsets

    def _listed(self, outputs: Sequence[Words], references: Sequence[Words]) -> Callable[[int, int], list[PhraseRow]]:
        """Return a function that lists the table's paraphrases between a reference and an output, by their numbers."""
        if self.table is None:
            return lambda reference, output: []
        table = with_gaps(self.table) if self.gaps else paraphrases(self.table)
        plain = _PhrasePairs(table.plain, _plain_phrases, table.longest, outputs, references)
        gapped = None
        if self.gaps and len(table.gapped):
            limits = table.longest_part, self.gaps
            gapped = _PhrasePairs(table.gapped, _gapped_phrases, limits, outputs, references)

        def rows(t: int, text: int) -> list[PhraseRow]:
            found = [(i[0], i[1], j[0], j[1]) for i, j in plain.pairs(t, text)]
            if gapped is None:
                return found
            known = dict.fromkeys(found)
            output, reference = outputs[text], references[t]
            for i, j in gapped.pairs(t, text):
                for a, b in ((0, 1), (2, 3)):  # the parts before and after the gap
                    if reference[i[a] : i[a] + i[b]] != output[j[a] : j[a] + j[b]]:
                        known[i[a], i[b], j[a], j[b]] = None
            return [*found, *list(known)[len(set(found)) :]]

        return rows


def near_words(reference: Words, output: Words, vectors: WordVectors, cosine: float) -> list[PhraseRow]:
    """Return the different words of two texts whose vectors have a higher cosine than this, as rows of phrases."""
    theirs, ours = (
        {place: unit for place, word in enumerate(words) if (unit := vectors.unit(word)) is not None}
        for words in (reference, output)
    )
    if not theirs or not ours:
        return []
    near = np.argwhere(np.array([*theirs.values()]) @ np.array([*ours.values()]).T > cosine).tolist()
    at_reference, at_output = [*theirs], [*ours]
    pairs = ((at_reference[i], at_output[j]) for i, j in near)
    return [(i, 1, j, 1) for i, j in pairs if reference[i] != output[j]]


def java_hash(word: str) -> int:
    """Return Java's String.hashCode of a word, by which METEOR 1.5 compares words."""
    number = 0
    for unit in memoryview(word.encode("utf-16", "surrogatepass")).cast("H")[1:]:
        number = (31 * number + unit) & 0xFFFFFFFF
    return number


Place = tuple[int, ...]
Limit = TypeVar("Limit")  # of the length of phrases


def _plain_phrases(words: Words, longest: int) -> list[tuple[str, Place]]:
    """Return all phrases of a text with (first word, length), sorted by first word and length."""
    return [
        (" ".join(words[i : i + length]), (i, length))
        for i in range(len(words))
        for length in range(1, min(longest, len(words) - i) + 1)
    ]


def _gapped_phrases(words: Words, limits: tuple[int, int]) -> list[tuple[str, Place]]:
    """Return all pairs of phrases of a text with a gap of limited size, and their places (i, length, i, length)."""
    longest, gaps = limits
    parts = _plain_phrases(words, longest)
    after = grouped((part[1][0], part) for part in parts)
    return [
        (f"{first}{GAP}{second}", (*place, *second_place))
        for first, place in parts
        for gap in range(1, gaps + 1)
        for second, second_place in after.get(sum(place) + gap, ())
    ]


class _PhrasePairs:
    """The phrases of outputs and references that are paraphrases in a table."""

    def __init__(
        self,
        table: ParaphrasePairs,
        phrases: Callable[[Words, Limit], list[tuple[str, Place]]],
        limits: Limit,
        outputs: Sequence[Words],
        references: Sequence[Words],
    ) -> None:
        self._sides = [[phrases(words, limits) for words in side] for side in (references, outputs)]
        every = {phrase for side in self._sides for text in side for phrase, _ in text}
        self._table = table.between(list(every))
        needed = {*self._table, *chain.from_iterable(self._table.values())}
        self._sides = [[[item for item in text if item[0] in needed] for text in side] for side in self._sides]

    def pairs(self, reference: int, output: int) -> list[tuple[Place, Place]]:
        """Return the places of paraphrases in reference and output, in the order of METEOR 1.5."""
        found: list[tuple[Place, Place]] = []
        texts = self._sides[0][reference], self._sides[1][output]
        for here, there in (texts, texts[::-1]):
            places = grouped(there)
            for phrase, place in here:
                for paraphrase in self._table.get(phrase, ()):
                    for other in places.get(paraphrase, ()):
                        found.append((place, other) if here is texts[0] else (other, place))
        return found


def describe(output: Words, reference: Words, links: list[list[int]]) -> Alignment:
    """Convert the links of one reference, as returned by `Aligner.align_pairs`, to an Alignment."""
    found: list[Link] = []
    chunk, end, end_output = -1, -1, -1
    for i, (at, length, width, matcher) in enumerate(links):
        if at < 0:
            continue
        chunk += (i, at) != (end, end_output)
        end, end_output = i + length, at + width
        found.append(Link(tuple(range(at, end_output)), tuple(range(i, end)), MATCHERS[matcher], chunk))
    return Alignment(tuple(output), tuple(reference), tuple(found), chunk + 1)
