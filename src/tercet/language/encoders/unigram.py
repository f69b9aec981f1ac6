"""Words in pieces by a unigram model (Kudo, 2018, "Subword Regularization"): the likeliest pieces of each word.

Texts are compared in NFKC and lower case. A word is a run of letters and marks, or of Chinese characters and kana;
every other character is one by itself. The first piece of a word of letters begins with "▁".
"""

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

START = "\u2581"
UNKNOWN = 0  # the number of the piece for what no piece covers
KEPT = 200_000  # words between spaces whose pieces are kept
_LETTERS, _IDEOGRAMS = 1, 2
_RANGES = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3134F))


class Piece(NamedTuple):
    """A piece: its number, its text, where it begins and ends, and whether a word begins with it."""

    number: int
    text: str
    start: int
    end: int
    begins: bool


class UnigramTokenizer:
    """Cuts texts into pieces. scores: the logarithm of the probability of each piece, in the order of their numbers."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._pieces = {piece: (number, score) for number, (piece, score) in enumerate(scores.items())}
        self._longest = max(map(len, scores))
        self._unknown = min(scores.values()) - 10.0
        self._known: dict[str, list[Piece]] = {}

    def pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text, with their places in it."""
        found: list[Piece] = []
        at = 0
        for chunk in text.split():
            at = text.index(chunk, at)
            found += [piece._replace(start=piece.start + at, end=piece.end + at) for piece in self._chunk(chunk)]
            at += len(chunk)
        return found

    def _chunk(self, chunk: str) -> list[Piece]:
        found = self._known.get(chunk)
        if found is None:
            found = self._cut_chunk(chunk)
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[chunk] = found
        return found

    def _cut_chunk(self, chunk: str) -> list[Piece]:
        text, places = _normal(chunk)
        found, at = [], 0
        for word, mark, letters in split_words(text):
            start = at
            for number, size in self.likeliest(mark + word):
                end = at + size - len(mark)
                if end > at and not word.isspace():
                    begins = not letters or at == start
                    found.append(Piece(number, mark + text[at:end], places[at][0], places[end - 1][1], begins))
                at, mark = end, ""
        return found

    def likeliest(self, word: str) -> list[tuple[int, int]]:
        """Return the numbers and lengths of the likeliest pieces of a word; neighbours without a piece are one."""
        best, back = [0.0], [(0, UNKNOWN)]
        for end in range(1, len(word) + 1):
            score, step = best[end - 1] + self._unknown, (end - 1, UNKNOWN)
            for start in range(max(0, end - self._longest), end):
                known = self._pieces.get(word[start:end])
                if known is not None and best[start] + known[1] > score:
                    score, step = best[start] + known[1], (start, known[0])
            best.append(score)
            back.append(step)
        found: list[tuple[int, int]] = []
        end = len(word)
        while end:
            start, number = back[end]
            if number == UNKNOWN and found and found[-1][0] == UNKNOWN:
                found[-1] = (UNKNOWN, found[-1][1] + end - start)
            else:
                found.append((number, end - start))
            end = start
        return found[::-1]


def split_words(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the words of a text that is normalised, what their first piece begins with, and if they are of letters."""
    for kind, run in groupby(text, _kind):
        characters = "".join(run)
        for word in [characters] if kind else characters:
            yield word, START if kind == _LETTERS and word[0].isalpha() else "", kind == _LETTERS


def _kind(character: str) -> int:
    """Return whether a character is a letter or mark (1), a Chinese character or kana (2), or neither (0)."""
    point = ord(character)
    if point >= _RANGES[0][0] and any(first <= point <= last for first, last in _RANGES):
        return _IDEOGRAMS
    return _LETTERS if unicodedata.category(character)[0] in "LM" else 0


def _normal(chunk: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return a word between spaces in NFKC and lower case, and the place in the word of each of its characters."""
    text = unicodedata.normalize("NFKC", chunk).lower()
    single = [unicodedata.normalize("NFKC", character).lower() for character in chunk]
    if "".join(single) == text:
        return text, [(place, place + 1) for place, made in enumerate(single) for _ in made]
    return text, [(0, len(chunk))] * len(text)


def read_scores(table: str) -> dict[str, float]:
    """Return pieces and scores from lines of a piece, a tab and a number; ValueError if it is no such table."""
    found = {}
    for line in table.splitlines():
        piece, _, score = line.rpartition("\t")
        found[piece] = float(score)
        if not piece or not math.isfinite(found[piece]):
            raise ValueError(line)
    return found
