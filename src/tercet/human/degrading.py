"""Degrade outputs for quality control: replace a phrase by a phrase of the same length from another output.

Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone", section 3.2: the longer the
output, the longer the phrase (`PHRASE`). The first and the last word are kept if the output is long enough, so that the
damage is not obvious. Words are separated by spaces; in scripts without spaces (Chinese, Japanese, Thai, …) every
character, with its combining marks, is a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

DAMAGED = " (damaged)"  # follows the name of a system whose damaged copy is ranked beside its output
TRIES = 20  # attempts per output; only outputs that are almost equal need more than one
PHRASE = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # (words in the output up to, words replaced); above 20: a quarter

_JOINED = (
    r"[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u200d"
    r"\ufe00-\ufe0f\u3099\u309a\U000e0100-\U000e01ef]"
)
_UNSPACED = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORD = re.compile(rf"{_UNSPACED}{_JOINED}*|(?:(?!{_UNSPACED})\S)+")


def degraded(text: str, others: Sequence[str], random: Random) -> str | None:
    """Return the text with one phrase replaced by a phrase of one of `others`, or None if no change is possible."""
    places = _places(text)
    if not places or not others:
        return None
    length = phrase_length(len(places))
    for _ in range(TRIES):
        other = random.choice(others)
        if other == text:
            continue
        phrase = _phrase(other, length, random)
        keep_ends = len(places) - length >= 2
        start = random.randrange(1, len(places) - length) if keep_ends else random.randrange(len(places) - length + 1)
        before, after = text[: places[start][0]], text[places[start + length - 1][1] :]
        changed = before + phrase + after
        if phrase and changed != text:
            return changed
    return None


def phrase_length(words: int) -> int:
    """Return how many words are replaced in an output of `words` words."""
    for limit, length in PHRASE:
        if words <= limit:
            return min(length, words)
    return words // 4


def _places(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _WORD.finditer(text)]


def _phrase(text: str, length: int, random: Random) -> str:
    """Draw a phrase of `length` words, or the whole text if it has fewer."""
    places = _places(text)
    if not places:
        return ""
    start = random.randrange(max(len(places) - length, 0) + 1)
    return text[places[start][0] : places[min(start + length, len(places)) - 1][1]]
