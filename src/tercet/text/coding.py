"""Texts as arrays of numbers, for whole systems at once: the bridge between strings and the kernels.

`Units` are numbered characters or words; equal numbers mean equal units. Output words that no reference holds get -1:
they cannot match, and the vocabulary of the references stays as it was built, shared by all systems.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import ngrams, tokens

Ints = NDArray[np.int64]
_NO_PUNCTUATION = np.zeros(128, dtype=np.uint8)
_PUNCTUATION = np.zeros(128, dtype=np.uint8)
_PUNCTUATION[[ord(c) for c in string.punctuation]] = 1
_DROPPED = {"unicode": 0, "space": 2, "none": 3}  # as kernels.tokens.drop_blanks numbers them


def view(array: NDArray[Any]) -> memoryview:
    """A view whose items are plain integers also where the kernels run uncompiled."""
    return array.data


@dataclass(frozen=True, eq=False, repr=False)
class Units:
    """Numbered units of many texts laid end to end; text t is ids[offsets[t]:offsets[t + 1]]."""

    ids: NDArray[np.int32]
    offsets: Ints

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False, repr=False)
class Words:
    """Words of many texts: where each begins and ends among the code points, and where each text ends (in words).

    keys: by which `Vocabulary` looks words up (see kernels.tokens).
    """

    points: NDArray[np.uint32]
    places: Ints  # (words, 2)
    keys: NDArray[np.uint64]
    offsets: Ints

    def strings(self) -> list[list[str]]:
        """The words as strings, one list per text."""
        text = self.points.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")
        words = [text[begin:end] for begin, end in self.places.tolist()]
        return [words[begin:end] for begin, end in pairwise(self.offsets.tolist())]


_HALVES = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    """The text with U+FFFD for halves of characters (surrogates), which other programs' libraries cannot take.

    No file that we read holds one, but a string of Python's may.
    """
    return _HALVES.sub("\ufffd", text)


def code_points(texts: Sequence[str]) -> tuple[NDArray[np.uint32], Ints]:
    """The code points of all texts end to end, and the offsets of the texts."""
    text = "".join(texts)
    # NumPy keeps strings as code points, which is faster to make than UTF-32; of an empty string it keeps one.
    return np.array([text]).view(np.uint32)[: len(text)], _offsets([len(text) for text in texts])


def utf8_bytes(texts: Sequence[str]) -> tuple[NDArray[np.uint32], Ints]:
    """The UTF-8 bytes of all texts end to end, as Python 2 programs saw them."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    coded = np.frombuffer(b"".join(encoded), dtype=np.uint8).astype(np.uint32)
    return coded, _offsets([len(text) for text in encoded])


def _offsets(lengths: Sequence[int]) -> Ints:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def characters(points: NDArray[np.uint32], offsets: Ints, *, drop: str = "unicode") -> Units:
    """Characters as units, without blanks: drop is 'unicode' (all blanks), 'space' (U+0020 only) or 'none'."""
    ids = np.empty(len(points), dtype=np.int32)
    ends = np.zeros(len(offsets), dtype=np.int64)
    tokens.drop_blanks(view(points), view(offsets), _DROPPED[drop], view(ids), view(ends[1:]))
    return Units(ids[: ends[-1]], ends)


def split_words(
    points: NDArray[np.uint32], offsets: Ints, *, punctuation: bool = False, ascii_blanks: bool = False
) -> Words:
    """Words between blanks; with `punctuation`, one punctuation mark at an end of a word is a word, as in chrF++."""
    marks = _PUNCTUATION if punctuation else _NO_PUNCTUATION
    return _split(tokens.split_words, points, offsets, marks, int(ascii_blanks))


def split_13a(points: NDArray[np.uint32], offsets: Ints, classes: NDArray[np.uint8], *, pad: bool) -> Words:
    """Words by the rules of 13a for these character classes (see kernels.tokens.split_13a)."""
    return _split(tokens.split_13a, points, offsets, classes, int(pad))


def _split(
    kernel: Callable[..., int], points: NDArray[np.uint32], offsets: Ints, table: NDArray[np.uint8], option: int
) -> Words:
    places = np.empty((len(points), 2), dtype=np.int64)
    keys = np.empty(len(points), dtype=np.uint64)
    text_ends = np.zeros(len(offsets), dtype=np.int64)
    count = kernel(view(points), view(offsets), view(table), option, view(places), view(keys), view(text_ends[1:]))
    return Words(points, places[:count], keys[:count], text_ends)


class Vocabulary:
    """Numbers the words of the references; never changes afterwards."""

    def __init__(self, words: Words) -> None:
        ids, firsts, _ = _number(words)
        self.units = Units(ids, words.offsets)
        # What `find` reads is smaller without repetitions: it stays in the processor's cache.
        self._known = replace(words, places=words.places[firsts], keys=words.keys[firsts])
        _, _, self._slots = _number(self._known)

    def find(self, words: Words) -> Units:
        """Other words by the same numbers; -1 for a word that is not in the vocabulary."""
        ids = np.empty(len(words.keys), dtype=np.int32)
        tokens.find_words(*_views(words), *_views(self._known), view(self._slots), view(ids))
        return Units(ids, words.offsets)


def _number(words: Words) -> tuple[NDArray[np.int32], Ints, NDArray[np.int32]]:
    """The number of each word, the first word of each number, and the index of the numbers."""
    count = len(words.keys)
    ids, firsts = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int64)
    slots = np.full(_power_of_two(2 * count), -1, dtype=np.int32)
    distinct = tokens.number_words(*_views(words), view(slots), view(ids), view(firsts))
    return ids, firsts[:distinct], slots


def _views(words: Words) -> tuple[memoryview, memoryview, memoryview]:
    return view(words.points), view(words.places), view(words.keys)


TABLE = 1 << 20  # places of the table that the kernel looks n-grams up in; larger groups go through a hash table


class NgramIndex:
    """The distinct n-grams of groups of references, listed once and met by every system; never changes.

    Group g holds the texts groups[g] to groups[g + 1] - 1; in a group, an n-gram may match as often as it occurs in
    the text that has it most often.
    """

    def __init__(self, units: Units, groups: Ints, max_order: int) -> None:
        self.units, self.max_order = units, max_order
        sizes = units.offsets[groups[1:]] - units.offsets[groups[:-1]]
        largest = int(sizes.max()) if len(sizes) else 0
        capacity = max_order * int(sizes.sum())
        grams = np.empty((3, capacity), dtype=np.int32)
        self._bounds = np.zeros(max_order * len(sizes) + 1, dtype=np.int64)
        hashed = _power_of_two(2 * largest)
        ngrams.index_grams(
            view(units.ids),
            view(units.offsets),
            view(groups),
            max_order,
            view(grams[0]),
            view(grams[1]),
            view(grams[2]),
            view(self._bounds),
            view(np.empty(hashed, dtype=np.uint64)),
            view(np.empty(hashed, dtype=np.int32)),
            view(np.empty(4 * largest + 1, dtype=np.int32)),
        )
        used = int(self._bounds[-1])
        self._grams = np.ascontiguousarray(grams[:, :used])

    def count_matches(self, outputs: Units, texts: Ints) -> Ints:
        """Clipped matches of output texts[g] with group g, shape (groups, max_order)."""
        matches = np.zeros((len(texts), self.max_order), dtype=np.int64)
        if not len(texts) or not self.max_order:
            return matches
        most = int(np.diff(self._bounds).max())
        largest_id = max(int(self.units.ids.max(initial=0)), int(outputs.ids.max(initial=0)))
        places = (most + 1) ** 2
        hashed = _power_of_two(2 * most) if places > TABLE else 4
        ngrams.count_matches(
            view(outputs.ids),
            view(outputs.offsets),
            view(np.ascontiguousarray(texts, dtype=np.int64)),
            self.max_order,
            view(self._grams[0]),
            view(self._grams[1]),
            view(self._grams[2]),
            view(self._bounds),
            view(matches.reshape(-1)),
            view(np.zeros(largest_id + 2, dtype=np.int32)),
            view(np.zeros(min(places, TABLE), dtype=np.int32)),
            view(np.empty(hashed, dtype=np.uint64)),
            view(np.empty(hashed, dtype=np.int32)),
            view(np.empty(most + 1, dtype=np.int32)),
            view(np.empty(2 * int(outputs.lengths.max()) + 1, dtype=np.int32)),
        )
        return matches


def _power_of_two(least: int) -> int:
    size = 4
    while size < least:
        size *= 2
    return size


def ngram_totals(lengths: Ints, max_order: int) -> Ints:
    """How many n-grams of each order texts of these lengths have, shape (texts, max_order)."""
    totals: Ints = np.maximum(lengths[:, None] - np.arange(max_order), 0)
    return totals


def closest_lengths(lengths: Ints, reference_lengths: Ints, groups: Ints) -> Ints:
    """For every segment the reference length nearest to the output's; of two equally near, the shorter."""
    counts = np.diff(groups)
    if (counts == 1).all():
        return reference_lengths
    segments = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((reference_lengths, np.abs(lengths[segments] - reference_lengths), segments))
    return reference_lengths[order[groups[:-1]]]
