"""The Moses tokeniser: the tokens of `tokenizer.perl -q -l LANG`, with its escapes, not aggressive.

Koehn et al. (2007), "Moses: Open Source Toolkit for Statistical Machine Translation", ACL demonstrations. The scores
that WMT published for BLEU, TER, WER, PER and CDER were computed on its output, so its peculiarities are reproduced: a
quote at the very end of a line is not split off, and the matches of a rule do not overlap. The rules themselves are in
kernels.moses; this module has the tables of characters and abbreviations.
"""

import logging
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from ..kernels import moses as kernel
from .coding import Ints, Words, call, code_points, cut_string, split_words
from .packaged import packaged
from .scripts import base_code

log = logging.getLogger(__name__)
_warned: set[str] = set()  # languages

# Bits of the class table: see kernels.moses.
BLANK, CONTROL, PLAIN, ALPHA, NUMBER, LISTED_NUMBER, LOWER_LETTER, LOWER_CASE = (1 << i for i in range(8))
HIDDEN = 0x110000  # the kernel's own character, which has no class
BLOCK = 256  # characters whose classes are computed together

# Perl's \s; Python's \s also contains U+001C to U+001F, which Moses deletes instead.
_BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_ENTITIES = {
    "&": "&amp;", "|": "&#124;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "[": "&#91;", "]": "&#93;"
}  # fmt: skip

# Languages whose words may contain a mark if a lower-case letter follows it: USA:n, il·lusió.
_INNER_MARKS = {"fi": ":", "sv": ":", "ca": "·"}

# Apostrophes by language: context before and after (A letter, N number, ^ not), and the replacement with spaces.
# Moses applies the rows in this order, each to the whole line. In other languages all apostrophes get spaces.
RIGHT = (
    ("[^A]", "[^A]", r"\1 ' \2"),
    ("[^AN]", "[A]", r"\1 ' \2"),
    ("[A]", "[^A]", r"\1 ' \2"),
    ("[A]", "[A]", r"\1 '\2"),
    ("[N]", "s", r"\1 '\2"),  # the 1990's
)
LEFT = (
    ("[^A]", "[^A]", r"\1 ' \2"),
    ("[^A]", "[A]", r"\1 ' \2"),
    ("[A]", "[^A]", r"\1 ' \2"),
    ("[A]", "[A]", r"\1' \2"),
)
_KEPT_INSIDE = LEFT[:3]  # Somali writes the glottal stop with an apostrophe
_APOSTROPHES = {"en": RIGHT, "fr": LEFT, "it": LEFT, "ga": LEFT, "ca": LEFT, "so": _KEPT_INSIDE}


def tokenise(text: str, language: str = "en") -> str:
    """Return text with spaces between its tokens and `& | < > ' " [ ]` as entities; a blank text is unchanged.

    language: a language code; a region is ignored (pt_BR is pt). If there is no list of abbreviations for the language,
        the English one is used; tokenizer.perl may have its own list and differ (`warn_without_list`).
    """
    return tokenise_all([text], language)[0]


def tokenise_all(texts: Sequence[str], language: str = "en") -> list[str]:
    """Return each text as `tokenise` does. Faster than one call for each."""
    return cut_string(*_tokenised(texts, language))


def words(texts: Sequence[str], language: str = "en") -> Words:
    """Return the words of the tokenised texts."""
    return split_words(*_tokenised(texts, language))


def _tokenised(texts: Sequence[str], language: str) -> tuple[NDArray[np.uint32], Ints]:
    inner, apostrophes, *abbreviations = _rules(language)
    points, offsets = code_points(texts)
    classes = _Classes(apart=not len(apostrophes))
    classes.learn(points)
    longest = int(np.diff(offsets).max(initial=0))
    scratch = [np.empty(9 * longest + 4, dtype=np.uint32) for _ in range(2)]
    result = np.empty(9 * len(points) + 4 * len(texts), dtype=np.uint32)
    ends = np.zeros(len(offsets), dtype=np.int64)
    rules = classes.table, inner, apostrophes, *abbreviations
    call(kernel.tokenise, points, offsets, *rules, _entities(), *scratch, result, ends)
    return result[: ends[-1]], ends


@lru_cache(maxsize=64)
def _rules(language: str) -> tuple[int, NDArray[np.int32], NDArray[np.uint32], Ints, NDArray[np.uint8]]:
    """Return the inner mark, the rules on apostrophes, and the sorted abbreviations with their bounds and kinds."""
    code = base_code(language)
    known = _abbreviations()
    always, before_number = kept_words(known.get(code, known["en"]))
    listed = sorted(always | before_number)
    kinds = np.array([(word in always) + 2 * (word in before_number) for word in listed], dtype=np.uint8)
    rows: list[int] = []  # six numbers for each rule on apostrophes
    for before, after, replacement in _APOSTROPHES.get(code, ()):
        rows += [*_context(before), *_context(after), int(" '" in replacement), int("' " in replacement)]
    inner = ord(_INNER_MARKS.get(code, "\0"))
    return inner, np.array(rows, dtype=np.int32), *code_points(listed), kinds


def _context(written: str) -> tuple[int, int]:
    """Return the bits that a character must have (negative: the character itself), and those that it must not have."""
    bits = ALPHA * ("A" in written) + LISTED_NUMBER * ("N" in written)
    if not bits:
        return -ord(written), 0
    return (0, bits) if "^" in written else (bits, 0)


@cache
class _Classes:
    """The classes of all characters, computed when a text first has one. apart: the apostrophe is a symbol."""

    def __init__(self, *, apart: bool) -> None:
        self.apart = apart
        self.table = np.zeros(HIDDEN + 1, dtype=np.uint8)
        self._known = np.zeros(HIDDEN // BLOCK, dtype=np.uint8)

    def learn(self, points: NDArray[np.uint32]) -> None:
        at = 0
        while (at := call(kernel.first_unknown, points, self._known, at)) < len(points):
            begin = int(points[at]) // BLOCK * BLOCK
            self.table[begin : begin + BLOCK] = [self._class(point) for point in range(begin, begin + BLOCK)]
            self._known[begin // BLOCK] = 1

    def _class(self, point: int) -> int:
        c = chr(point)
        if _BLANKS.match(c):
            return BLANK | PLAIN
        if point < 32:
            return CONTROL
        # Perl's \p{IsAlpha}; numbers that are no decimal digits
        alphabetic, other_number = (bool(_properties(name)[point]) for name in ("alphabetic", "other_numbers"))
        digit = c.isdecimal()
        plain = alphabetic or digit or c in ".`,-" or (c == "'" and not self.apart)
        kind = category(c)
        return (
            PLAIN * plain
            | ALPHA * alphabetic
            | NUMBER * (kind[0] == "N")
            | LISTED_NUMBER * (digit or other_number)
            | LOWER_LETTER * (kind == "Ll" and plain)
            | LOWER_CASE * c.islower()
        )


@cache
def _properties(field: str) -> NDArray[np.bool_]:
    table = np.zeros(HIDDEN, dtype=bool)
    for span in packaged(__package__, "alphabetic.toml")[field].split():
        first, _, last = span.partition("-")
        table[int(first, 16) : int(last or first, 16) + 1] = True
    return table


@cache
def _entities() -> NDArray[np.uint32]:
    """Return six code points for each ASCII character, those of its entity, or zeros."""
    table = np.zeros((128, 6), dtype=np.uint32)
    for c, entity in _ENTITIES.items():
        table[ord(c), : len(entity)] = [ord(part) for part in entity]
    return table.ravel()


def warn_without_list(language: str) -> None:
    """Log a warning, once per language, if there is no list of abbreviations for it."""
    code = base_code(language)
    if code not in _abbreviations() and code not in _warned:
        _warned.add(code)
        log.warning(
            "Moses: there is no list of abbreviations for the language %r. The English one is used, so full stops may "
            "be split differently than by tokenizer.perl -l %s.", code, code,
        )  # fmt: skip


def _abbreviations() -> dict[str, dict[str, str]]:
    return packaged(__package__, "nonbreaking.toml")


def kept_words(entry: dict[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a list that keep their full stop: always, and before a number."""
    always = {*entry["always"].split(), *entry["letters"]}
    first, _, last = entry.get("ordinals", "1-0").partition("-")
    always |= {str(number) for number in range(int(first), int(last) + 1)}
    always |= {case for numeral in entry.get("roman", "").split() for case in (numeral, numeral.upper())}
    always |= {digit + unit for unit in entry.get("after_digit", "").split() for digit in "0123456789"}
    always |= {digit + unit for unit in entry.get("after_numeral", "").split() for digit in "IVXLCM"}
    return frozenset(always), frozenset(entry.get("before_number", "").split())
