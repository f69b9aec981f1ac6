"""The normalisation of TER: text as tercom changes it before counting edits.

Snover et al. (2006), "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA. The four parameters are
those of tercom 0.7 and 0.10 (-N, -P, -A, -s) and of sacreBLEU's TER; the strings equal those of sacreBLEU 2.6.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .coding import Words, code_points, offsets_of, split_13a, split_words
from .rules import ascii_classes

IDEOGRAPH, APOSTROPHE = 16, 32  # bits of the class table: see kernels.tokens.split_13a
PUNCTUATION = '.,?:;!"()'
ASIAN_PUNCTUATION = (
    (0x3001, 0x3002), (0x3008, 0x3011), (0x3014, 0x301F), (0xFF61, 0xFF65), (0x30FB, 0x30FB), (0xFF0E, 0xFF0E),
    (0xFF0C, 0xFF0C), (0xFF1F, 0xFF1F), (0xFF1A, 0xFF1A), (0xFF1B, 0xFF1B), (0xFF01, 0xFF02), (0xFF08, 0xFF09),
)  # fmt: skip
# The range from U+3200 ends at U+3F22 in sacreBLEU (an error for U+32FF), which overlaps the ideographs from U+3400.
# tercom's rules for kana need a line that begins with kana; lines are padded with blanks, so they never apply.
IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x31C0, 0x31EF), (0x2E80, 0x2EFF), (0x3300, 0x33FF), (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F), (0x3200, 0x3F22),
)  # fmt: skip


def tokenise(text: str) -> str:
    """Return text with tercom's spaces around punctuation (normalised, with case)."""
    return normalise([text], normalised=True, case_sensitive=True)[0]


def normalise(texts: Sequence[str], **options: bool) -> list[str]:
    """Return texts as TER compares them, with words separated by one space. options: see `words`."""
    return words(texts, **options).joined()


def words(
    texts: Sequence[str],
    *,
    normalised: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Words:
    """Return the words of texts as TER compares them, by the four parameters of tercom."""
    if not case_sensitive:
        texts = [text.lower() for text in texts]
    if normalised:
        texts = [_unescape(text) if "&" in text or "\n" in text else text for text in texts]
        found = split_13a(*code_points(texts), _classes(asian_support), pad=True)
    else:
        found = split_words(*code_points(texts))
    if no_punct:
        points, offsets = code_points(found.joined())
        kept = ~_punctuation(asian_support)[points]
        return split_words(points[kept], offsets_of(kept)[offsets])
    return found


def _unescape(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    return text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")


@cache
def _classes(asian_support: bool) -> NDArray[np.uint8]:
    table = ascii_classes().copy()
    table[ord("'")] |= APOSTROPHE
    for begin, end in (*IDEOGRAPHS, *ASIAN_PUNCTUATION) if asian_support else ():
        table[begin : end + 1] |= IDEOGRAPH
    return table


@cache
def _punctuation(asian_support: bool) -> NDArray[np.bool_]:
    table = np.zeros(0x110000, dtype=bool)
    table[[ord(mark) for mark in PUNCTUATION]] = True
    for begin, end in ASIAN_PUNCTUATION if asian_support else ():
        table[begin : end + 1] = True
    return table
