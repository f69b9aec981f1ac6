"""How alike two words are: the levels at which words of one language may be aligned.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", section 4.3.1: the same
form, the same stem or lemma (or one the contraction of the other), a common synset of WordNet, a pair in a table of
paraphrases (or, an addition of ours, one that WordNet relates), and word vectors that point the same way. Words are
compared by type, so that what is known of a word is found once per test set, and words that share a stem or a synset
are found without comparing all with all.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.files import file_state
from ..errors import UsageError
from .contexts import tables
from .contractions import expansions
from .function_words import function_words
from .paraphrases import ParaphrasePairs, find_table, paraphrases
from .related_words import RelatedWords, english_related_words
from .sentence import Token
from .stemming import LANGUAGES as STEMMED
from .stemming import Stem, stemmer
from .synonyms import Synonyms, english_synonyms
from .vectors import WordVectors, is_model, open_vectors

LEVELS = ("exact", "stem", "synonym", "paraphrase", "distributional", "entity")
KEPT = 50_000  # word types that are known at a time
MOST = 100  # places of a sentence that one word is compared with for having something in common
_SIGNS = frozenset("%&#@§")  # marks that are read as words
_DROPPED = str.maketrans("", "", ".-,")

Levels = dict[tuple[int, int], str]


@cache
def stop_words(language: str, *, published: bool = False) -> frozenset[str]:
    """Words that say little by themselves, in lower case; none where there is no list.

    published: the author's list, for English.
    """
    if language != "en":
        return function_words(language)
    lists: dict[str, str] = tables()["stop_words"]
    return frozenset(lists["en"].split() + ([] if published else lists["forgotten"].split()))


@lru_cache(maxsize=KEPT)
def is_function_word(form: str, language: str, *, tag: str = "", published: bool = False) -> bool:
    """Whether a word is a stop word, a contraction of one, or punctuation.

    tag: its universal part of speech, where it is known.
    published: by the author's lists, which know neither contractions nor tags.
    """
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
    """Punctuation by its characters, or by its tag where it has neither letters nor digits ("``", "<")."""
    if all(unicodedata.category(character)[0] == "P" and character not in _SIGNS for character in form):
        return True
    return tag == "PUNCT" and not any(character.isalnum() for character in form)


@dataclass(frozen=True)
class Similarity:
    """Which levels there are, and with what resources.

    synonyms: use WordNet, which knows English only.
    paraphrases: a table of paraphrases, as METEOR takes it (a file or data set), or None. Single words count.
    vectors: word vectors (`tercet.language.vectors.open_vectors`), or None.
    threshold: the cosine that vectors must exceed.
    published: as the author's program compares; `_PublishedLexicon` says how.
    related: words that WordNet relates, as a word and one of wider meaning, count as paraphrases (English).
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
            raise UsageError(f"The threshold of word vectors is a cosine, from -1 to 1, not {self.threshold}.")
        if self.published and self.language != "en":
            raise UsageError(f"The author's program compares English words, and the language is {self.language!r}.")

    def level(self, first: Token, second: Token) -> str | None:
        """The first of LEVELS at which two words are alike, the last ("entity") apart; None if they are not."""
        known = self.lexicon()
        return known.levels(known.lexis((first,)), known.lexis((second,))).get((1, 1))

    def lexicon(self) -> SimilarityLexicon:
        """What compares words: one for as long as the files of paraphrases and vectors stay as they are."""
        files = (
            file_state(find_table(self.paraphrases)) if self.paraphrases else None,
            file_state(self.vectors) if self.vectors and not is_model(self.vectors) else None,
        )
        return _lexicon(self, files)


class Word(NamedTuple):
    """A type of word. `keys` are what words that are alike have in common, each with its level, best first."""

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
    """The words of a sentence; `places` and `phrases` say where, from 1, a key or phrase is found among them."""

    def __init__(self, words: tuple[Word, ...], vectors: NDArray[np.float32] | None) -> None:
        self.words, self.vectors = words, vectors

    @cached_property
    def places(self) -> dict[tuple[str, str], list[int]]:
        found: dict[tuple[str, str], list[int]] = {}
        for number, word in enumerate(self.words, 1):
            for key in word.keys:
                found.setdefault(key, []).append(number)
        return found

    @cached_property
    def phrases(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, word in enumerate(self.words, 1):
            for phrase in word.phrases:
                found.setdefault(phrase, []).append(number)
        return found


def nearest(places: Sequence[int], place: int) -> Sequence[int]:
    """Rising places, of very many those about `place`: a text of one word alone costs time by its length, not more."""
    if len(places) <= MOST:
        return places
    at = min(max(bisect(places, place) - MOST // 2, 0), len(places) - MOST)
    return places[at : at + MOST]


@lru_cache(maxsize=8)
def _lexicon(similarity: Similarity, files: object) -> SimilarityLexicon:
    return (_PublishedLexicon if similarity.published else SimilarityLexicon)(similarity)


class SimilarityLexicon:
    """Words that are known for the parameters of a `Similarity`, with its resources; one per process."""

    def __init__(self, similarity: Similarity) -> None:
        self.language, self.published = similarity.language, similarity.published
        self.threshold = np.float32(similarity.threshold)
        self.stem: Stem | None = stemmer(self.language) if self.language in STEMMED else None
        self.synonyms: Synonyms | None = None
        if similarity.synonyms and self.language == "en":
            self.synonyms = english_synonyms(original=similarity.published)
        self.paraphrases: ParaphrasePairs | None = (
            paraphrases(similarity.paraphrases).plain if similarity.paraphrases else None
        )
        self.related: RelatedWords | None = None
        if similarity.related and self.language == "en":
            self.related = english_related_words()
        self.vectors: WordVectors | None = open_vectors(similarity.vectors) if similarity.vectors else None
        self.known: dict[tuple[str, str, str, str], Word] = {}

    def lexis(self, tokens: Sequence[Token]) -> Lexis:
        """What is to be known of a sentence's words to compare them with others."""
        words = tuple(map(self.word, tokens))
        matrix = None
        if self.vectors is not None and words:
            blank = np.zeros(self.vectors.dimensions, dtype=np.float32)
            matrix = np.stack([blank if word.vector is None else word.vector for word in words])
        return Lexis(words, matrix)

    def word(self, token: Token) -> Word:
        key = (token.form, token.lemma, token.upos, token.xpos)
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= KEPT:
                self.known.clear()
            found = self.known[key] = self.make(token)
        return found

    def make(self, token: Token) -> Word:
        form = self.canonical(token.form)
        punctuation = _is_mark(token.form, token.upos)
        lemma = token.lemma.lower() or form
        keys = [("exact", form)]
        phrases: list[str] = []
        if not punctuation:
            keys += [("stem", f"lemma {lemma}"), ("stem", f"stem {self.stemmed(form)}")]
            keys += [("stem", f"full {full}") for full in (form, *expansions(form, self.language))]
            keys += [("synonym", str(synset)) for synset in (self.synonyms.of(lemma) if self.synonyms else ())]
            phrases = list(dict.fromkeys((form, lemma)))
        return Word(
            form, tuple(phrases), tuple(keys), _is_stop_word(token.form, token.upos, self.language),
            punctuation, form.isdigit(), token.upos == "NUM" or token.xpos == "CD", token.upos or token.xpos[:1],
            None if punctuation else self.vector(token.form),
        )  # fmt: skip

    def stemmed(self, form: str) -> str:
        return self.stem([form])[0] if self.stem else form

    def canonical(self, form: str) -> str:
        """A form in lower case, without the marks that writers differ in ("U.S.", "e-mail", "1,000")."""
        word = form.lower()
        if any(character.isdigit() for character in word):
            return word.replace(",", "")  # 3.5 is not 35
        return word.translate(_DROPPED) or word

    def vector(self, form: str) -> NDArray[np.float32] | None:
        return None if self.vectors is None else self.vectors.unit(form)

    def levels(self, first: Lexis, second: Lexis) -> Levels:
        """The level of each pair of words that are alike, by their numbers from 1."""
        found: Levels = {}
        others, places = second.words, second.places
        for i, word in enumerate(first.words, 1):
            for key in word.keys:
                for j in nearest(places.get(key, ()), i):
                    if (i, j) not in found and self.may_match(word, others[j - 1]):
                        found[i, j] = key[0]
        for pairs in (
            self.paraphrased(self.paraphrases, first, second) if self.paraphrases is not None else (),
            self.related_pairs(self.related, first, second) if self.related is not None else (),
        ):
            for i, j in pairs:
                if (i, j) not in found and self.may_match(first.words[i - 1], others[j - 1]):
                    found[i, j] = "paraphrase"
        if first.vectors is not None and second.vectors is not None:
            near = np.argwhere(first.vectors @ second.vectors.T > self.threshold) + 1
            for i, j in near.tolist():
                if (i, j) not in found and self.may_be_near(first.words[i - 1], others[j - 1]):
                    found[i, j] = "distributional"
        return found

    def paraphrased(self, table: ParaphrasePairs, first: Lexis, second: Lexis) -> Iterator[tuple[int, int]]:
        """The pairs of words that the table has, in either direction."""
        pairs = table.between(list({**first.phrases, **second.phrases}))
        for phrase, targets in pairs.items():
            for target in targets:
                for one, other in ((phrase, target), (target, phrase)):
                    for i in first.phrases.get(one, ()):
                        for j in nearest(second.phrases.get(other, ()), i):
                            yield i, j

    def related_pairs(self, table: RelatedWords, first: Lexis, second: Lexis) -> Iterator[tuple[int, int]]:
        """The pairs of words that WordNet relates, by their forms or lemmas."""
        for phrase, places in first.phrases.items():
            for other in second.phrases.keys() & table.of(phrase):
                for i in places:
                    for j in nearest(second.phrases[other], i):
                        yield i, j

    def may_match(self, first: Word, second: Word) -> bool:
        """Different numbers are never alike; stop words are like stop words, punctuation only like itself."""
        if first.is_function != second.is_function:
            return False
        if first.form == second.form:
            return True
        if first.is_punctuation or second.is_punctuation:
            return False
        if first.has_digits_only or second.has_digits_only:
            return first.has_digits_only != second.has_digits_only
        return not (first.is_number and second.is_number)

    def may_be_near(self, first: Word, second: Word) -> bool:
        """Vectors relate function words only to words of their category, and nouns with pronouns (section 4.3.1)."""
        if first.is_function or second.is_function:
            categories = {first.category, second.category}
            if len(categories) > 1 and not ("PRON" in categories and categories <= {"PRON", "NOUN", "PROPN"}):
                return False
        if first.is_punctuation or second.is_punctuation or (first.is_number and second.is_number):
            return False
        return first.form != second.form and not (first.has_digits_only and second.has_digits_only)


class _PublishedLexicon(SimilarityLexicon):
    """Words as the author's program (UPF-Cobalt, github.com/mfomicheva/upf-cobalt) compares them.

    Marks are dropped from numbers too; contractions are those of its own list, and count as the same form; lemmas are
    compared and looked up as they are written; only forms are looked up among paraphrases; its list of punctuation is
    short ("``" is a word).
    """

    def make(self, token: Token) -> Word:
        form, lemma = self.canonical(token.form), token.lemma or token.form
        keys = [("exact", form)]
        if form in _published_contractions():
            keys.append(("exact", f"short {_published_contractions()[form]}"))
        keys += [("stem", f"stem {self.stemmed(form)}"), ("stem", f"lemma {lemma}")]
        keys += [("synonym", str(synset)) for synset in (self.synonyms.of(lemma) if self.synonyms else ())]
        return Word(
            form, (form,), tuple(keys), form in stop_words("en", published=True), form in published_marks(),
            form.isdigit(), token.xpos == "CD", token.xpos[:1], self.vector(token.form),
        )  # fmt: skip

    def canonical(self, form: str) -> str:
        return form.translate(_DROPPED).lower() if len(form) > 1 else form.lower()

    def may_match(self, first: Word, second: Word) -> bool:
        full = _published_contractions().get(first.form)
        if full is not None and full == _published_contractions().get(second.form):
            return True
        return super().may_match(first, second)

    def may_be_near(self, first: Word, second: Word) -> bool:
        function = first.is_function or first.is_punctuation or second.is_function or second.is_punctuation
        return self.may_match(first, second) and (not function or first.category == second.category)


@cache
def published_marks() -> frozenset[str]:
    """What the author's program takes for punctuation."""
    return frozenset(tables()["published"]["punctuation"].split())


@cache
def _published_contractions() -> dict[str, str]:
    """The full form of both words of each pair."""
    words = tables()["published"]["contractions"].split()
    return {word: full for full, short in zip(words[::2], words[1::2], strict=True) for word in (full, short)}
