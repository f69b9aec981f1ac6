"""Lexical similarity: the levels at which two words of one language may be aligned.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", section 4.3.1: the same
form; the same stem or lemma (or one is the contraction of the other); a common synset of WordNet; a pair in a table of
paraphrases (or, our addition, a pair that WordNet relates); and similar word vectors. Word types are looked up once per
test set. Words that share a stem or a synset are found through an index, without comparing all pairs.
"""

import math
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.files import file_state
from ..data.grouping import grouped
from ..errors import UsageError
from .contexts import tables
from .contractions import expansions
from .function_words import function_words
from .paraphrases import find_table, paraphrases
from .sentence import Token
from .stemming import LANGUAGES as STEMMED
from .stemming import stemmer
from .synonyms import english_related_words, english_synonyms
from .vectors import is_model, open_vectors

LEVELS = ("exact", "stem", "synonym", "paraphrase", "distributional", "entity")
KEPT = 50_000  # maximum number of word types in a cache
MOST = 100  # maximum number of positions with a common key that one word is compared with
_SIGNS = frozenset("%&#@§")  # symbols that count as words
_DROPPED = str.maketrans("", "", ".-,")

Levels = dict[tuple[int, int], str]


@lru_cache(maxsize=64)
def stop_words(language: str, *, published: bool = False) -> frozenset[str]:
    """Return a language's stop words in lower case, if there is a list. published: the author's list of English."""
    if language != "en":
        return function_words(language)
    lists: dict[str, str] = tables()["stop_words"]
    return frozenset(lists["en"].split() + ([] if published else lists["forgotten"].split()))


@lru_cache(maxsize=KEPT)
def is_function_word(form: str, language: str, *, tag: str = "", published: bool = False) -> bool:
    """Return whether a word is a stop word, a contraction of one, or punctuation; published: by the author's lists."""
    if published:
        word = form.lower()
        return word in stop_words(language, published=True) or word in published_marks()
    return _is_stop_word(form, tag, language) or _is_mark(form, tag)


def _is_stop_word(form: str, tag: str, language: str) -> bool:
    if tag == "PROPN" and len(form) > 1 and form.isupper():
        return False  # "US" is not "us"
    stops, word = stop_words(language), form.lower()
    return word in stops or any(full in stops for full in expansions(word, language))


def _is_mark(form: str, tag: str) -> bool:
    """Return whether a word is punctuation, by its characters, or by its tag if it has no letters or digits ("``")."""
    if all(unicodedata.category(character)[0] == "P" and character not in _SIGNS for character in form):
        return True
    return tag == "PUNCT" and not any(map(str.isalnum, form))


@dataclass(frozen=True)
class Similarity:
    """The resources with which words are compared.

    synonyms: use WordNet (English). paraphrases: a table as for METEOR (a file or data set), of which single words are
    used. vectors: word vectors (see `vectors.open_vectors`). threshold: the cosine that they must exceed. published:
    compare as the author's program does (see `_PublishedLexicon`). related: treat words that WordNet relates as
    paraphrases (English).
    """

    language: str = "en"
    synonyms: bool = True
    paraphrases: str | None = None
    vectors: str | None = None
    threshold: float = 0.25
    published: bool = False
    related: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.threshold) and -1 <= self.threshold <= 1):
            raise UsageError(f"The threshold of word vectors must be a cosine, from -1 to 1, not {self.threshold}.")
        if self.published and self.language != "en":
            raise UsageError(f"published=True is available for English only; the language is {self.language!r}.")

    def lexicon(self) -> "SimilarityLexicon":
        """Return the lexicon that compares words. It is created again if the paraphrase or vector file changes."""
        files = (
            file_state(find_table(self.paraphrases)) if self.paraphrases else None,
            file_state(self.vectors) if self.vectors and not is_model(self.vectors) else None,
        )
        return _lexicon(self, files)


class Word(NamedTuple):
    """A word type. `keys` are (level, key) pairs, best level first: words match at a level if they share a key."""

    form: str
    phrases: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
    is_function: bool
    is_punctuation: bool
    has_digits_only: bool
    is_number: bool
    category: str
    vector: NDArray[np.float32] | None


class Lexis:
    """The words of a sentence. `places` and `phrases` map a key or phrase to the words that have it, from 1."""

    def __init__(self, words: tuple[Word, ...], vectors: NDArray[np.float32] | None) -> None:
        self.words, self.vectors = words, vectors

    @cached_property
    def places(self) -> dict[tuple[str, str], list[int]]:
        return grouped((key, number) for number, word in enumerate(self.words, 1) for key in word.keys)

    @cached_property
    def phrases(self) -> dict[str, list[int]]:
        return grouped((phrase, number) for number, word in enumerate(self.words, 1) for phrase in word.phrases)


def nearest(places: Sequence[int], place: int) -> Sequence[int]:
    """Return the MOST positions nearest to `place`, so that a text that repeats one word takes linear time."""
    if len(places) <= MOST:
        return places
    at = min(max(bisect(places, place) - MOST // 2, 0), len(places) - MOST)
    return places[at : at + MOST]


class SimilarityLexicon:
    """The resources of a `Similarity` and the word types seen so far; one per process."""

    def __init__(self, similarity: Similarity) -> None:
        self.language, self.published = similarity.language, similarity.published
        self.threshold = np.float32(similarity.threshold)
        english = self.language == "en"
        self.stem = stemmer(self.language) if self.language in STEMMED else None
        self.synonyms = english_synonyms(original=self.published) if similarity.synonyms and english else None
        self.related = english_related_words() if similarity.related and english else None
        self.paraphrases = paraphrases(similarity.paraphrases).plain if similarity.paraphrases else None
        self.vectors = open_vectors(similarity.vectors) if similarity.vectors else None
        self.known = lru_cache(maxsize=KEPT)(self.make)

    def lexis(self, tokens: Sequence[Token]) -> Lexis:
        words = tuple(self.known(token.form, token.lemma, token.upos, token.xpos) for token in tokens)
        matrix = None
        if self.vectors is not None and words:
            blank = np.zeros(self.vectors.dimensions, dtype=np.float32)
            matrix = np.stack([blank if word.vector is None else word.vector for word in words])
        return Lexis(words, matrix)

    def make(self, written: str, lemma: str, upos: str, xpos: str) -> Word:
        form = self.canonical(written)
        punctuation = _is_mark(written, upos)
        lemma = lemma.lower() or form
        keys = [("exact", form)]
        phrases: list[str] = []
        if not punctuation:
            keys += [("stem", f"lemma {lemma}"), ("stem", f"stem {self.stemmed(form)}")]
            keys += [("stem", f"full {full}") for full in (form, *expansions(form, self.language))]
            keys += [("synonym", str(synset)) for synset in (self.synonyms.of(lemma) if self.synonyms else ())]
            phrases = list(dict.fromkeys((form, lemma)))
        return Word(
            form, tuple(phrases), tuple(keys), _is_stop_word(written, upos, self.language), punctuation, form.isdigit(),
            upos == "NUM" or xpos == "CD", upos or xpos[:1],
            self.vectors.unit(written) if self.vectors and not punctuation else None,
        )  # fmt: skip

    def stemmed(self, form: str) -> str:
        return self.stem([form])[0] if self.stem else form

    def canonical(self, form: str) -> str:
        """Return a form in lower case without marks that spelling variants differ in ("U.S.", "e-mail", "1,000")."""
        word = form.lower()
        if any(map(str.isdigit, word)):
            return word.replace(",", "")  # 3.5 is not 35
        return word.translate(_DROPPED) or word

    def levels(self, first: Lexis, second: Lexis) -> Levels:
        """Return the level of each pair of matching words, by their numbers from 1."""
        found: Levels = {}
        others, places = second.words, second.places
        for i, word in enumerate(first.words, 1):
            for key in word.keys:
                for j in nearest(places.get(key, ()), i):
                    if (i, j) not in found and self.may_match(word, others[j - 1]):
                        found[i, j] = key[0]
        for i, j in chain(self.paraphrased(first, second), self.related_pairs(first, second)):
            if (i, j) not in found and self.may_match(first.words[i - 1], others[j - 1]):
                found[i, j] = "paraphrase"
        if first.vectors is not None and second.vectors is not None:
            near = np.argwhere(first.vectors @ second.vectors.T > self.threshold) + 1
            for i, j in near.tolist():
                if (i, j) not in found and self.may_be_near(first.words[i - 1], others[j - 1]):
                    found[i, j] = "distributional"
        return found

    def paraphrased(self, first: Lexis, second: Lexis) -> Iterator[tuple[int, int]]:
        """Yield the pairs of words that the table contains, in either direction."""
        known = {} if self.paraphrases is None else self.paraphrases.between(list({**first.phrases, **second.phrases}))
        for phrase, targets in known.items():
            for target in targets:
                yield from _places_of(phrase, target, first, second)
                yield from _places_of(target, phrase, first, second)

    def related_pairs(self, first: Lexis, second: Lexis) -> Iterator[tuple[int, int]]:
        """Yield the pairs of words that WordNet relates, by their forms or lemmas."""
        if self.related is None:
            return
        for phrase in first.phrases:
            for other in second.phrases.keys() & self.related.of(phrase):
                yield from _places_of(phrase, other, first, second)

    def may_match(self, first: Word, second: Word) -> bool:
        """Return whether two words may match: not different numbers, or a stop word or punctuation with others."""
        if first.is_function != second.is_function:
            return False
        if first.form == second.form or first.is_punctuation or second.is_punctuation:
            return first.form == second.form
        if first.has_digits_only or second.has_digits_only:
            return first.has_digits_only != second.has_digits_only
        return not (first.is_number and second.is_number)

    def may_be_near(self, first: Word, second: Word) -> bool:
        """Return whether words may match by vectors (section 4.3.1): function words only within their category."""
        if first.is_function or second.is_function:
            categories = {first.category, second.category}
            if len(categories) > 1 and not ("PRON" in categories and categories <= {"PRON", "NOUN", "PROPN"}):
                return False
        if first.is_punctuation or second.is_punctuation or (first.is_number and second.is_number):
            return False
        return first.form != second.form and not (first.has_digits_only and second.has_digits_only)


class _PublishedLexicon(SimilarityLexicon):
    """A lexicon that compares words as the author's program does (UPF-Cobalt, github.com/mfomicheva/upf-cobalt).

    Marks are also removed from numbers. Contractions are its own and match as the same form. Lemmas keep their case.
    Only forms are looked up among paraphrases. The list of punctuation is short ("``" is a word).
    """

    def make(self, written: str, lemma: str, upos: str, xpos: str) -> Word:
        form, lemma = self.canonical(written), lemma or written
        keys = [("exact", form)]
        if form in _published_contractions():
            keys.append(("exact", f"short {_published_contractions()[form]}"))
        keys += [("stem", f"stem {self.stemmed(form)}"), ("stem", f"lemma {lemma}")]
        keys += [("synonym", str(synset)) for synset in (self.synonyms.of(lemma) if self.synonyms else ())]
        return Word(
            form, (form,), tuple(keys), form in stop_words("en", published=True), form in published_marks(),
            form.isdigit(), xpos == "CD", xpos[:1], self.vectors.unit(written) if self.vectors else None,
        )  # fmt: skip

    def canonical(self, form: str) -> str:
        return form.translate(_DROPPED).lower() if len(form) > 1 else form.lower()

    def may_match(self, first: Word, second: Word) -> bool:
        full = _published_contractions().get(first.form)
        same = full is not None and full == _published_contractions().get(second.form)
        return same or super().may_match(first, second)

    def may_be_near(self, first: Word, second: Word) -> bool:
        function = first.is_function or first.is_punctuation or second.is_function or second.is_punctuation
        return self.may_match(first, second) and (not function or first.category == second.category)


def _places_of(one: str, other: str, first: Lexis, second: Lexis) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in first.phrases.get(one, ()) for j in nearest(second.phrases.get(other, ()), i))


@lru_cache(maxsize=8)
def _lexicon(similarity: Similarity, files: object) -> SimilarityLexicon:
    return (_PublishedLexicon if similarity.published else SimilarityLexicon)(similarity)


@cache
def published_marks() -> frozenset[str]:
    """Return the words that the author's program treats as punctuation."""
    return frozenset(tables()["published"]["punctuation"].split())


@cache
def _published_contractions() -> dict[str, str]:
    """Return the full form of both words of each pair."""
    words = tables()["published"]["contractions"].split()
    return {word: full for full, short in zip(words[::2], words[1::2], strict=True) for word in (full, short)}
