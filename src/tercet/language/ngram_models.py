"""N-gram language models: how probable a sentence of words or tags is, word by word.

A model is estimated by `kneser_ney.estimate` or read by `open_model`: from an ARPA file, whatever program wrote it, or
through kenlm (Heafield, 2011, "KenLM: Faster and Smaller Language Model Queries", WMT) from a file of either kind. Our
own kernel and kenlm agree up to kenlm's single precision; ARPA files are scored by our kernel unless kenlm is asked
for, so that numbers do not depend on what is installed.

A sentence is a string of words between ASCII blanks, as kenlm splits it. Marks of the beginning and the end of a
sentence are not part of its text: where <s> or </s> occur in it, they are unknown words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data.lines import open_bytes
from ..errors import DataError, MissingDependency, UnknownName
from ..kernels import ngram_lm, warn_if_slow

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNKNOWN, BEGIN, END = range(3)  # the numbers of these words in every model
MARKS = ("<unk>", "<s>", "</s>")
BACKENDS = ("own", "kenlm")
_KENLM_BINARY = b"mmap lm http://kheafield.com/code"
# Raybaud, Langlois and Smaïli (2011), as equation 5.5 of Fomicheva (2017). Rows: words of the longest n-gram of the
# model that ends with this word (0: it is unknown, 3: three or more); columns: the same for the word before.
_LEVELS = np.array([[1, 1, 1], [2, 3, 4], [5, 5, 6], [7, 7, 7]], dtype=np.int8)


@dataclass(frozen=True, eq=False)
class Scored:
    """What a model says about sentences: a number for each word and, after those of each sentence, for its end.

    Sentence t has the places offsets[t] to offsets[t + 1] - 1; the last of them is its end.
    log10: logarithm of the probability after the words before; matched: words of the n-gram that it was found in;
    unknown: whether the model does not know the word.
    """

    log10: Floats
    matched: NDArray[np.int32]
    unknown: NDArray[np.bool_]
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def is_word(self) -> NDArray[np.bool_]:
        """Which places are words, not ends of sentences."""
        words = np.ones(len(self.log10), dtype=np.bool_)
        words[self.offsets[1:] - 1] = False
        return words

    @property
    def words(self) -> Ints:
        """Words of each sentence."""
        return np.diff(self.offsets) - 1

    @property
    def unknown_words(self) -> Ints:
        """Unknown words of each sentence."""
        return self._sums(self.unknown).astype(np.int64)

    def totals(self, *, end: bool = True) -> Floats:
        """The log10 probability of each sentence, with or without that of its end."""
        return self._sums(self.log10 if end else self.log10 * self.is_word)

    def perplexities(self, *, end: bool = True, unknown: bool = True) -> Floats:
        """The perplexity of each sentence per word; NaN where no word is left to count.

        end: whether the sentence's end counts as a word; without it, neither it nor its probability does. (SRILM's
        ppl1 leaves out the word, and keeps the probability.) unknown: whether unknown words count; SRILM's do not.
        """
        counted = self._counted(end=end, unknown=unknown)
        return _perplexity(self._sums(np.where(counted, self.log10, 0)), self._sums(counted))

    def perplexity(self, *, end: bool = True, unknown: bool = True) -> float:
        """The perplexity of all sentences together per word."""
        counted = self._counted(end=end, unknown=unknown)
        return float(_perplexity(np.array(self.log10[counted].sum()), np.array(counted.sum())))

    @cached_property
    def backoff_levels(self) -> NDArray[np.int8]:
        """How far the model had to back off at each place, 1 to 7 (Raybaud et al., 2011).

        7: the last three words are in the model; 6: the last two, and the two before this one; 5: only the last two;
        4: this word, and the two before it; 3: this word and the one before, apart; 2: only this word; 1: not even it.
        The sentence's beginning is a word that every model knows, and has none before it, so that a first word
        reaches 5 at most. An n-gram that was counted with <unk> is no n-gram of the unknown word that stands there.
        """
        places = np.arange(len(self.unknown))
        last_unknown = np.maximum.accumulate(np.where(self.unknown, places, -(len(places) + 9)))
        known = np.minimum(self.matched, np.minimum(places - last_unknown, 3))
        before = np.ones_like(known)
        before[1:] = np.minimum(known[:-1], 2)
        before[self.offsets[:-1]] = 1
        return _LEVELS[known, before]

    def _counted(self, *, end: bool, unknown: bool) -> NDArray[np.bool_]:
        counted = np.ones_like(self.is_word) if end else self.is_word
        return counted if unknown else counted & ~self.unknown

    def _sums(self, values: NDArray[Any]) -> Floats:
        # Every sentence has a place for its end, so that none is empty, which reduceat would get wrong.
        return np.add.reduceat(values, self.offsets[:-1], dtype=np.float64) if len(self) else np.zeros(0)


def _perplexity(log10: Floats, words: NDArray[Any]) -> Floats:
    means = np.divide(log10, words, out=np.full(log10.shape, np.nan), where=words > 0)
    perplexities: Floats = 10.0**-means
    return perplexities


class LanguageModel(Protocol):
    """What every n-gram model can do."""

    @property
    def order(self) -> int:
        """Words of the longest n-gram."""

    def score(self, sentences: Sequence[str]) -> Scored:
        """What the model says about each word and the end of sentences."""


@dataclass(frozen=True)
class Grams:
    """The n-grams of one order, sorted by the number of their first n-1 words in the order before, then last word."""

    parents: Ints
    words: Ints
    logs: Floats
    backoffs: Floats


class NgramModel:
    """A back-off model as a tree of n-grams (see kernels.ngram_lm); never changes.

    words: the vocabulary; a word's number is its place there, and the first three are <unk>, <s> and </s>.
    levels: the n-grams of each order, of single words one for each word of the vocabulary.
    """

    def __init__(self, words: Sequence[str], levels: Sequence[Grams]) -> None:
        self.words = tuple(words)
        self.bounds: Ints = np.cumsum([0, *(len(level.logs) for level in levels)], dtype=np.int64)
        self.last: NDArray[np.int32] = np.concatenate([level.words for level in levels]).astype(np.int32)
        self.logs: Floats = np.concatenate([level.logs for level in levels])
        self.backoffs: Floats = np.concatenate([level.backoffs for level in levels])
        shifted = [level.parents + bound for level, bound in zip(levels[1:], self.bounds, strict=False)]
        self.parents: Ints = np.concatenate([np.full(len(self.words), -1), *shifted]).astype(np.int64)
        nodes = len(self.logs)
        self._children = np.searchsorted(self.parents, np.arange(nodes + 1)).astype(np.int64)
        self._suffixes = np.empty(nodes, dtype=np.int64)
        ngram_lm.link_suffixes(
            self.last.data, self.parents.data, self._children.data, len(self.words), self._suffixes.data
        )
        self._numbers = {word.encode("utf-8", "surrogatepass"): number for number, word in enumerate(self.words)}
        for mark in MARKS:
            self._numbers[mark.encode()] = UNKNOWN  # in a text they are not the marks

    @property
    def order(self) -> int:
        """Words of the longest n-gram."""
        return len(self.bounds) - 1

    @property
    def counts(self) -> list[int]:
        """How many n-grams of each order the model has."""
        return [int(count) for count in np.diff(self.bounds)]

    @property
    def checksum(self) -> str:
        """A SHA-256 of all that scores depend on: the same for a model and for what is read from its ARPA file."""
        digest = hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass"))
        for array in (self.bounds, self.parents, self.last, self.logs, self.backoffs):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def score(self, sentences: Sequence[str]) -> Scored:
        """What the model says about each word and the end of sentences."""
        warn_if_slow()
        numbers = self._numbers.get
        coded = [[numbers(word, UNKNOWN) for word in split(sentence)] for sentence in sentences]
        for line in coded:
            line.append(END)
        offsets = np.zeros(len(coded) + 1, dtype=np.int64)
        np.cumsum([len(line) for line in coded], out=offsets[1:])
        ids = np.fromiter(chain.from_iterable(coded), dtype=np.int32, count=int(offsets[-1]))
        log10 = np.empty(len(ids))
        matched = np.empty(len(ids), dtype=np.int32)
        ngram_lm.score_sentences(
            ids.data,
            offsets.data,
            BEGIN,
            self.last.data,
            self._children.data,
            self._suffixes.data,
            self.logs.data,
            self.backoffs.data,
            self.bounds.data,
            log10.data,
            matched.data,
        )
        return Scored(log10, matched, ids == UNKNOWN, offsets)


def split(sentence: str) -> list[bytes]:
    """The words of a sentence, in UTF-8: only ASCII blanks divide them, as in kenlm."""
    return sentence.encode("utf-8", "surrogatepass").split()


class KenlmModel:
    """A model that kenlm holds: an ARPA file or one of kenlm's own binary files."""

    def __init__(self, path: str | Path) -> None:
        with open_bytes(path):
            pass  # says what is wrong with a name better than kenlm does
        try:
            kenlm = import_module("kenlm")
        except ImportError:
            raise MissingDependency("Scoring with kenlm", "kenlm") from None
        settings = kenlm.Config()
        settings.show_progress = False
        settings.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(str(path), settings)
        except OSError as error:
            raise DataError(f"kenlm cannot read {path}: {error}.") from None

    @property
    def order(self) -> int:
        """Words of the longest n-gram."""
        return int(self._model.order)

    def score(self, sentences: Sequence[str]) -> Scored:
        """What the model says about each word and the end of sentences."""
        unknown = MARKS[UNKNOWN].encode()
        marks = {mark.encode() for mark in MARKS}
        rows: list[tuple[float, int, bool]] = []
        offsets = [0]
        for sentence in sentences:
            words = split(sentence)
            text = b" ".join(unknown if word in marks or b"\0" in word else word for word in words)
            rows.extend(self._model.full_scores(text))
            offsets.append(len(rows))
        log10, matched, oov = zip(*rows, strict=True) if rows else ((), (), ())
        return Scored(
            np.array(log10, dtype=np.float64),
            np.array(matched, dtype=np.int32),
            np.array(oov, dtype=np.bool_),
            np.array(offsets, dtype=np.int64),
        )


def open_model(path: str | Path, *, backend: str | None = None) -> LanguageModel:
    """The model in a file: ARPA, gzipped or not, or kenlm's binary form.

    backend: 'own' or 'kenlm'; by default our own kernel scores, and kenlm what only kenlm can read.
    """
    from .arpa import read_arpa  # which builds the class above

    if backend is None:
        backend = "kenlm" if _is_kenlms(path) else "own"
    if backend not in BACKENDS:
        raise UnknownName("backend of language models", backend, BACKENDS)
    return KenlmModel(path) if backend == "kenlm" else read_arpa(path)


def _is_kenlms(path: str | Path) -> bool:
    if str(path) == "-":
        return False  # standard input can be read once only
    with open_bytes(path) as stream:
        return stream.read(len(_KENLM_BINARY)) == _KENLM_BINARY
