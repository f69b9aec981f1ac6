"""Tokenisers defined by rules over character classes: 13a, intl, zh, char, none, and mteval's variants.

13a and intl are those of mteval-v13a/v14 (NIST) as sacreBLEU 2.6 applies them. zh is sacreBLEU's: every Chinese
character is a word, and the rules of 13a apply to the rest. 13a, zh and char are split in one pass by character class
(kernels.tokens.split_13a); intl is a list of passes, one for each substitution of the original.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..kernels import tokens
from .coding import Words, call, code_points, split_13a, split_words

# Bits of the class tables.
SYMBOL, STOP, DIGIT, DASH, NUMBER, PUNCTUATION, MARK, BLANK = (1 << i for i in range(8))

# a, b, negated (1: first is not a, 2: second is not b), space before, space after: see kernels.tokens.insert_spaces
ISOLATE = 0
INTL = (
    (NUMBER, PUNCTUATION, 1, 0, 1),  # (\P{N})(\p{P})
    (PUNCTUATION, NUMBER, 2, 1, 0),  # (\p{P})(\P{N})
    (MARK, ISOLATE, 0, 0, 0),  # (\p{S})
)

# sacreBLEU's list compares strings, and two of its ranges were written with five digits after \u: they cover
# U+2001-2A6D and U+2F81-2FA1 instead of the supplementary planes. Scores depend on it, so the error is reproduced.
CHINESE_RANGES = (
    (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0x2001, 0x2A6D),
    (0x2F81, 0x2FA1), (0xFF00, 0xFFEF), (0x2E80, 0x2EFF), (0x3000, 0x303F), (0x31C0, 0x31EF), (0x2F00, 0x2FDF),
    (0x2FF0, 0x2FFF), (0x3100, 0x312F), (0x31A0, 0x31BF), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0x2600, 0x26FF),
    (0x2700, 0x27BF), (0x3200, 0x33FF),
)  # fmt: skip

# Large blocks of only letters and unassigned code points, which are skipped for speed.
LETTERS = (
    (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xD800, 0xF900), (0x17000, 0x18D00), (0x20000, 0xE0000),
)  # fmt: skip


@cache
def ascii_classes() -> NDArray[np.uint8]:
    """Return the classes of 13a, in which only ASCII is punctuation."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for first, last in ("{~", "[`", " &", "(+", ":@", "//"):
        table[ord(first) : ord(last) + 1] |= SYMBOL
    table[[ord("."), ord(",")]] |= STOP
    table[ord("0") : ord("9") + 1] |= DIGIT
    table[ord("-")] |= DASH
    return _with_blanks(table)


@cache
def _chinese_classes() -> NDArray[np.uint8]:
    table = ascii_classes().copy()
    for begin, end in CHINESE_RANGES:
        table[begin : end + 1] = SYMBOL
    return _with_blanks(table)


def _with_blanks(table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Give all blanks of str.split() the class BLANK and no other."""
    table[[point for point in range(0x3001) if chr(point).isspace()]] = BLANK  # U+3000 is the last one
    return table


@cache
def _unicode_classes() -> NDArray[np.uint8]:
    """Return classes by Python's Unicode data; sacreBLEU uses the `regex` package, whose data may be newer."""
    table = np.zeros(0x110000, dtype=np.uint8)
    bits = {"N": NUMBER, "P": PUNCTUATION, "S": MARK}
    start = 0
    for begin, end in (*LETTERS, (0xF0000, 0x110000)):
        for point in range(start, begin):
            table[point] = bits.get(unicodedata.category(chr(point))[0], 0)
        start = end
    return table


@cache
def _classes_of_136() -> NDArray[np.uint8]:
    r"""Return the classes of sacreBLEU 1.3.6: \d for numbers (so not ½), and no backslash (an escaping error)."""
    table = _unicode_classes().copy()
    for point in np.flatnonzero(table & NUMBER):
        if unicodedata.category(chr(point)) != "Nd":
            table[point] = 0
    table[ord("\\")] = 0
    return table


@cache
def _every() -> NDArray[np.uint8]:
    return _with_blanks(np.full(0x110000, SYMBOL, dtype=np.uint8))


def _unescape(text: str) -> str:
    """Remove <skipped> and line ends and undo four entities, as mteval does before 13a (`&amp;` before `&lt;`)."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return text


def _from_sgm(text: str) -> str:
    """Return a text as mteval reads it from SGM, where & < > are escaped, so that `&quot;` in a text is unchanged."""
    return _unescape(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _from_sgm_international(text: str) -> str:
    return _from_sgm(text).replace("&apos;", "'")


_CASE, _NOTHING = np.uint32(ord("a") - ord("A")), np.uint32(0)
_UNCLEAN = re.compile("[&<\n]")  # what `clean` changes


@dataclass(frozen=True, eq=False, repr=False)
class Rules:
    """A tokeniser: changes to the string, then rules to split it: 13a's without passes, blanks without classes."""

    classes: Callable[[], NDArray[np.uint8]] | None = None
    passes: tuple[tuple[int, int, int, int, int], ...] = ()
    pad: bool = False
    clean: Callable[[str], str] | None = None
    strip: Callable[[str], str] = str.rstrip
    fold: Callable[[str], str] | None = None
    fold_ascii: bool = False

    def words(self, texts: Sequence[str]) -> Words:
        strip, clean = self.strip, self.clean
        if not self.pad:  # padded texts have blanks at their ends anyway
            texts = [strip(text) for text in texts]
        if clean is not None and _UNCLEAN.search("".join(texts)):  # most texts need no cleaning
            texts = [clean(strip(text)) if _UNCLEAN.search(text) else text for text in texts]
        if self.fold is not None:
            texts = [self.fold(text) for text in texts]
        points, offsets = code_points(texts)
        if self.fold_ascii:
            points += np.where(points - ord("A") < 26, _CASE, _NOTHING)  # unsigned, so that what is below A is large
        if self.classes is None:
            return split_words(points, offsets)
        if not self.passes:
            return split_13a(points, offsets, self.classes(), pad=self.pad)
        longest = int(np.diff(offsets).max()) if texts else 0
        spaced = np.empty(9 * len(points), dtype=np.uint32)
        spaced_offsets = np.zeros(len(offsets), dtype=np.int64)
        passes, scratch = np.array(self.passes, dtype=np.int32).ravel(), np.empty(9 * longest, dtype=np.uint32)
        call(tokens.insert_spaces, points, offsets, self.classes(), passes, scratch, spaced, spaced_offsets)
        return split_words(spaced[: spaced_offsets[-1]], spaced_offsets)


RULES = {
    "none": Rules(),
    "13a": Rules(ascii_classes, pad=True, clean=_unescape),
    "intl": Rules(_unicode_classes, INTL),
    "zh": Rules(_chinese_classes, strip=str.strip),
    "char": Rules(_every),
    "mteval-13a": Rules(ascii_classes, pad=True, clean=_from_sgm),
    "mteval-13a-lc": Rules(ascii_classes, pad=True, clean=_from_sgm, fold_ascii=True),
    "mteval-intl": Rules(_unicode_classes, INTL, clean=_from_sgm_international),
    "mteval-intl-lc": Rules(  # Perl's lc has no final sigma
        _unicode_classes, INTL, clean=_from_sgm_international, fold=lambda text: text.replace("Σ", "σ").lower()
    ),
}

# Not available by name: used only to reproduce the scores of the WMT19 metrics task.
INTL_136 = Rules(_classes_of_136, INTL)
