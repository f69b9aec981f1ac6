"""Convert the texts of a whole system to arrays of numbers for the kernels.

`Units` are numbered characters or words; equal numbers mean equal units. Output words that are in no reference get -1:
they cannot match, and the vocabulary of the references does not change and is shared by all systems.
"""

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import ngrams, tokens, vocabulary

Ints = NDArray[np.int64]
Result = TypeVar("Result")
_PUNCTUATION = np.zeros(128, dtype=np.uint8)
_PUNCTUATION[[ord(c) for c in string.punctuation]] = 1
_DROPPED = {"unicode": 0, "space": 2, "none": 3}  # as kernels.tokens.drop_blanks numbers them


def view(array: NDArray[Any]) -> memoryview:
    """Return a memoryview, whose items are plain Python numbers if the kernels run uncompiled."""
    return array.data


def call(kernel: Callable[..., Result], *arguments: object) -> Result:
    """Call a kernel; arrays are passed as views."""
    return kernel(*(each.data if isinstance(each, np.ndarray) else each for each in arguments))


@dataclass(frozen=True, eq=False, repr=False)
class Units:
    """The concatenated numbered units of many texts; text t is ids[offsets[t]:offsets[t + 1]]."""

    ids: NDArray[np.int32]
    offsets: Ints

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False, repr=False)
class Words:
    """The words of many texts: the begin and end of each word, hash keys for `Vocabulary`, and offsets of texts."""

    points: NDArray[np.uint32]
    places: Ints  # (words, 2)
    keys: NDArray[np.uint64]
    offsets: Ints

    def strings(self) -> list[list[str]]:
        text = string_of(self.points)
        words = [text[begin:end] for begin, end in self.places.tolist()]
        return [words[begin:end] for begin, end in pairwise(self.offsets.tolist())]

    def joined(self, separator: str = " ") -> list[str]:
        """Return each text as a string, with this character between its words."""
        points = np.empty(len(self.points) + len(self.places), dtype=np.uint32)
        ends = np.zeros(len(self.offsets), dtype=np.int64)
        call(tokens.join_words, self.points, self.places, self.offsets[1:], ord(separator), points, ends[1:])
        return cut_string(points, ends)


def string_of(points: NDArray[np.uint32]) -> str:
    """Return code points as a string."""
    return points.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def cut_string(points: NDArray[np.uint32], offsets: Ints) -> list[str]:
    """Return the texts of concatenated code points; text t is points[offsets[t]:offsets[t + 1]]."""
    text = string_of(points[: offsets[-1]])
    return [text[begin:end] for begin, end in pairwise(offsets.tolist())]


_HALVES = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    """Replace lone surrogates, which Python strings may have, by U+FFFD: other libraries cannot handle them."""
    return _HALVES.sub("\ufffd", text)


def code_points(texts: Sequence[str]) -> tuple[NDArray[np.uint32], Ints]:
    """Return the concatenated code points of all texts, and the offsets of the texts."""
    text = "".join(texts)
    # NumPy stores strings as code points, which is faster than encoding to UTF-32; it stores one for an empty string.
    return np.array([text]).view(np.uint32)[: len(text)], offsets_of(list(map(len, texts)))


def utf8_bytes(texts: Sequence[str]) -> tuple[NDArray[np.uint32], Ints]:
    """Return the concatenated UTF-8 bytes of all texts, which were the characters of Python 2 programs."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    coded = np.frombuffer(b"".join(encoded), dtype=np.uint8).astype(np.uint32)
    return coded, offsets_of([len(text) for text in encoded])


def offsets_of(lengths: ArrayLike) -> Ints:
    """Return the offsets of pieces of these lengths, and the end of the last one: shape (pieces + 1,)."""
    numbers = np.asarray(lengths)
    offsets = np.zeros(len(numbers) + 1, dtype=np.int64)
    np.cumsum(numbers, out=offsets[1:])
    return offsets


def characters(points: NDArray[np.uint32], offsets: Ints, *, drop: str = "unicode") -> Units:
    """Return characters as units. drop: the blanks to remove: 'unicode' (all), 'space' (U+0020 only) or 'none'."""
    ids = np.empty(len(points), dtype=np.int32)
    ends = np.zeros(len(offsets), dtype=np.int64)
    call(tokens.drop_blanks, points, offsets, _DROPPED[drop], ids, ends[1:])
    return Units(ids[: ends[-1]], ends)


def split_words(
    points: NDArray[np.uint32], offsets: Ints, *, punctuation: bool = False, ascii_blanks: bool = False
) -> Words:
    """Split at blanks. punctuation: split off one punctuation mark at an end of a word, as in chrF++."""
    return _split(tokens.split_words, points, offsets, _PUNCTUATION * punctuation, int(ascii_blanks))


def split_13a(points: NDArray[np.uint32], offsets: Ints, classes: NDArray[np.uint8], *, pad: bool) -> Words:
    """Split by the rules of 13a for these character classes (see kernels.tokens.split_13a)."""
    return _split(tokens.split_13a, points, offsets, classes, int(pad))


def _split(
    kernel: Callable[..., int], points: NDArray[np.uint32], offsets: Ints, table: NDArray[np.uint8], option: int
) -> Words:
    places = np.empty((len(points), 2), dtype=np.int64)
    keys = np.empty(len(points), dtype=np.uint64)
    text_ends = np.zeros(len(offsets), dtype=np.int64)
    count = call(kernel, points, offsets, table, option, places, keys, text_ends[1:])
    return Words(points, places[:count], keys[:count], text_ends)


SLOTS = 1 << 14  # of the first hash table of words; it grows with the distinct words


class Vocabulary:
    """An immutable vocabulary: the numbers of the references' words."""

    def __init__(self, words: Words) -> None:
        ids, firsts, self._slots = _number(words)
        self.units = Units(ids, words.offsets)
        # Without repetitions the data that `find` reads is smaller and stays in the processor's cache.
        self._known = replace(words, places=words.places[firsts], keys=words.keys[firsts])

    def __len__(self) -> int:
        return len(self._known.keys)

    def strings(self) -> list[str]:
        return replace(self._known, offsets=np.array([0, len(self)])).strings()[0]

    def find(self, words: Words) -> Units:
        """Return the numbers of other words; -1 for a word that is not in the vocabulary."""
        ids = np.empty(len(words.keys), dtype=np.int32)
        known = self._known
        call(
            vocabulary.find_words, words.points, words.places, words.keys, known.points, known.places, known.keys,
            self._slots, ids,
        )  # fmt: skip
        return Units(ids, words.offsets)


def _number(words: Words) -> tuple[NDArray[np.int32], Ints, NDArray[np.int32]]:
    """Return the number of each word, the first word of each number, and the hash table of the numbers."""
    total = len(words.keys)
    ids, firsts = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int64)
    size, numbered, distinct = min(_power_of_two(2 * total), SLOTS), 0, 0
    while True:
        slots = np.full(size, -1, dtype=np.int32)
        given = words.points, words.places, words.keys, slots, ids, firsts
        numbered, distinct = call(vocabulary.number_words, *given, numbered, distinct)
        if numbered == total:
            return ids, firsts[:distinct], slots
        size *= 4


TABLE = 1 << 20  # maximum size of the kernel's direct look-up table; larger groups use a hash table


class NgramIndex:
    """An immutable index of the distinct n-grams of groups of references, which is used for every system.

    Group g has the texts groups[g] to groups[g + 1] - 1. In a group an n-gram may match as often as its maximum count
    in one of the texts.
    """

    def __init__(self, units: Units, groups: Ints, max_order: int) -> None:
        self.units, self.max_order = units, max_order
        sizes = units.offsets[groups[1:]] - units.offsets[groups[:-1]]
        largest = int(sizes.max()) if len(sizes) else 0
        capacity = max_order * int(sizes.sum())
        grams = np.empty((3, capacity), dtype=np.int32)
        self._bounds = np.zeros(max_order * len(sizes) + 1, dtype=np.int64)
        hashed = _power_of_two(2 * largest)
        call(
            ngrams.index_grams, units.ids, units.offsets, groups, max_order, *grams, self._bounds,
            np.empty(hashed, np.uint64), np.empty(hashed, np.int32), np.empty(4 * largest + 1, np.int32),
        )  # fmt: skip
        self._grams = grams[:, : int(self._bounds[-1])]

    def count_matches(self, outputs: Units, texts: Ints) -> Ints:
        """Return the clipped matches of output texts[g] with group g, shape (groups, max_order)."""
        matches = np.zeros((len(texts), self.max_order), dtype=np.int64)
        if not len(texts) or not self.max_order:
            return matches
        most = int(np.diff(self._bounds).max())
        largest_id = max(int(self.units.ids.max(initial=0)), int(outputs.ids.max(initial=0)))
        places = (most + 1) ** 2
        hashed = _power_of_two(2 * most) if places > TABLE else 4
        call(
            ngrams.count_matches, outputs.ids, outputs.offsets, np.ascontiguousarray(texts, np.int64), self.max_order,
            *self._grams, self._bounds, matches.reshape(-1), np.zeros(largest_id + 2, np.int32),
            np.zeros(min(places, TABLE), np.int32), np.empty(hashed, np.uint64), np.empty(hashed, np.int32),
            np.empty(most + 1, np.int32), np.empty(2 * int(outputs.lengths.max()) + 1, np.int32),
        )  # fmt: skip
        return matches


def _power_of_two(least: int) -> int:
    return 1 << max(2, (least - 1).bit_length())


def ngram_totals(lengths: Ints, max_order: int) -> Ints:
    """Return the number of n-grams of each order in texts of these lengths, shape (texts, max_order)."""
    totals: Ints = np.maximum(lengths[:, None] - np.arange(max_order), 0)
    return totals


def closest_lengths(lengths: Ints, reference_lengths: Ints, groups: Ints) -> Ints:
    """Return for every segment the reference length nearest to the output's; of two equally near, the shorter."""
    counts = np.diff(groups)
    if (counts == 1).all():
        return reference_lengths
    segments = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((reference_lengths, np.abs(lengths[segments] - reference_lengths), segments))
    return reference_lengths[order[groups[:-1]]]
