"""N-gram language models: the probability of each word (or tag) of a sentence given the previous ones.

A model is estimated by `kneser_ney.estimate` or opened by `open_model`: from an ARPA file of any program, or through
kenlm (Heafield, 2011, "KenLM: Faster and Smaller Language Model Queries", WMT) from an ARPA or binary file. Our kernel
and kenlm agree up to kenlm's single precision. ARPA files are scored by our kernel unless kenlm is requested, so that
results do not depend on what is installed.

A sentence is a string of words separated by ASCII blanks, as in kenlm. The marks of its beginning and end are not part
of the text: <s> and </s> in a text are unknown words.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.lines import open_bytes
from ..errors import DataError, UnknownName, optional
from ..kernels import ngram_lm, warn_if_slow
from ..text.coding import call, offsets_of
from ..types import Floats

Ints = NDArray[np.int64]

UNKNOWN, BEGIN, END = range(3)  # the numbers of these words in every model
MARKS = ("<unk>", "<s>", "</s>")
BACKENDS = ("own", "kenlm")
_KENLM_BINARY = b"mmap lm http://kheafield.com/code"
# Raybaud, Langlois and Smaïli (2011), given as equation 5.5 of Fomicheva (2017). Rows: length of the longest n-gram of
# the model that ends with this word (0: unknown, 3: three or more); columns: the same for the previous word.
_LEVELS = np.array([[1, 1, 1], [2, 3, 4], [5, 5, 6], [7, 7, 7]], dtype=np.int8)


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of sentences: a value for each word and, at the end of each sentence, for </s>.

    Sentence t has the positions offsets[t] to offsets[t + 1] - 1; the last of them is its end.
    log10: the logarithm of the probability given the previous words.
    matched: the length of the n-gram that was found in the model.
    unknown: whether the word is not in the model's vocabulary.
    """

    log10: Floats
    matched: NDArray[np.int32]
    unknown: NDArray[np.bool_]
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def is_word(self) -> NDArray[np.bool_]:
        words = np.ones(len(self.log10), dtype=np.bool_)
        words[self.offsets[1:] - 1] = False
        return words

    @property
    def words(self) -> Ints:
        return np.diff(self.offsets) - 1

    @property
    def unknown_words(self) -> Ints:
        return self._sums(self.unknown).astype(np.int64)

    def totals(self, *, end: bool = True) -> Floats:
        """Return the log10 probability of each sentence, with or without that of its end."""
        return self._sums(self.log10 if end else self.log10 * self.is_word)

    def perplexities(self, *, end: bool = True) -> Floats:
        """Return the per-word perplexity of each sentence. end: count its end as a word, unlike SRILM's ppl1."""
        words = (self.words + end).astype(np.float64)
        means = np.divide(self.totals(end=end), words, out=np.full(len(self), np.nan), where=words > 0)
        perplexities: Floats = 10.0**-means
        return perplexities

    @cached_property
    def backoff_levels(self) -> NDArray[np.int8]:
        """Return the back-off level at each position, 1 to 7 (Raybaud et al., 2011).

        7: the trigram ending with this word is in the model. 6: this bigram, and the bigram ending with the previous
        word. 5: only this bigram. 4: this word, and the bigram ending with the previous word. 3: this word and the
        previous word, separately. 2: only this word. 1: the word is unknown.
        The beginning of a sentence is a known word with no word before it, so a first word has at most level 5. An
        n-gram of the model that contains <unk> does not match an unknown word of the text.
        """
        places = np.arange(len(self.unknown))
        last_unknown = np.maximum.accumulate(np.where(self.unknown, places, -(len(places) + 9)))
        known = np.minimum(self.matched, np.minimum(places - last_unknown, 3))
        before = np.ones_like(known)
        before[1:] = np.minimum(known[:-1], 2)
        before[self.offsets[:-1]] = 1
        return _LEVELS[known, before]

    def _sums(self, values: NDArray[Any]) -> Floats:
        # Every sentence has a position for its end, so none is empty: np.add.reduceat would be wrong for empty ones.
        return np.add.reduceat(values, self.offsets[:-1], dtype=np.float64) if len(self) else np.zeros(0)


@dataclass(frozen=True)
class Grams:
    """The n-grams of one order, sorted by the index of their first n-1 words in order n-1, then by last word."""

    parents: Ints
    words: Ints
    logs: Floats
    backoffs: Floats


class NgramModel:
    """An immutable back-off model as a tree of n-grams (see kernels.ngram_lm), whose words begin with the marks."""

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
        call(ngram_lm.link_suffixes, self.last, self.parents, self._children, len(self.words), self._suffixes)
        numbers = {word.encode("utf-8", "surrogatepass"): number for number, word in enumerate(self.words)}
        self._numbers = numbers | {mark.encode(): UNKNOWN for mark in MARKS}  # in a text they are unknown words

    @property
    def order(self) -> int:
        return len(self.bounds) - 1

    @property
    def counts(self) -> list[int]:
        return [int(count) for count in np.diff(self.bounds)]

    @property
    def checksum(self) -> str:
        """Return a SHA-256 of the model's contents. It is the same after writing and reading an ARPA file."""
        digest = hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass"))
        for array in (self.bounds, self.parents, self.last, self.logs, self.backoffs):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def score(self, sentences: Sequence[str]) -> Scored:
        warn_if_slow()
        numbers = self._numbers.get
        coded = [[*(numbers(word, UNKNOWN) for word in split(sentence)), END] for sentence in sentences]
        offsets = offsets_of([len(line) for line in coded])
        ids = np.fromiter(chain.from_iterable(coded), dtype=np.int32, count=int(offsets[-1]))
        log10, matched = np.empty(len(ids)), np.empty(len(ids), dtype=np.int32)
        model = self.last, self._children, self._suffixes, self.logs, self.backoffs, self.bounds
        call(ngram_lm.score_sentences, ids, offsets, BEGIN, *model, log10, matched)
        return Scored(log10, matched, ids == UNKNOWN, offsets)


def split(sentence: str) -> list[bytes]:
    """Return the words of a sentence in UTF-8, split only at ASCII blanks, as in kenlm."""
    return sentence.encode("utf-8", "surrogatepass").split()


class KenlmModel:
    """A model loaded by kenlm from an ARPA file or one of kenlm's binary files."""

    def __init__(self, path: str | Path) -> None:
        with open_bytes(path):
            pass  # raises a clearer error than kenlm if the file cannot be read
        kenlm = optional("kenlm", "Scoring with kenlm", "kenlm")
        settings = kenlm.Config()
        settings.show_progress = False
        settings.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(str(path), settings)
        except OSError as error:
            raise DataError(f"kenlm cannot read {path}: {error}.") from None

    @property
    def order(self) -> int:
        return int(self._model.order)

    def score(self, sentences: Sequence[str]) -> Scored:
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
        return Scored(np.array(log10, float), np.array(matched, np.int32), np.array(oov, bool), np.array(offsets))


def open_model(path: str | Path, *, backend: str | None = None) -> NgramModel | KenlmModel:
    """Open an ARPA file (or gzipped) with backend 'own', by default, or 'kenlm'; kenlm's binary format with it."""
    from .arpa import read_arpa  # imports this module

    if backend is None:
        backend = "kenlm" if _is_kenlms(path) else "own"
    if backend not in BACKENDS:
        raise UnknownName("language model backend", backend, BACKENDS)
    return KenlmModel(path) if backend == "kenlm" else read_arpa(path)


def _is_kenlms(path: str | Path) -> bool:
    if str(path) == "-":
        return False  # standard input can be read only once
    with open_bytes(path) as stream:
        return stream.read(len(_KENLM_BINARY)) == _KENLM_BINARY
