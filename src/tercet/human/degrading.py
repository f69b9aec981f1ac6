"""Degraded copies of outputs, for quality control: a phrase is replaced by one of the same length from another output.

Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone", section 3.2: the longer the
output, the longer the phrase (`PHRASE`); the first and last word stay where the output is long enough, so that the
damage does not show at a glance. Words are what stands between blanks; in scripts that write none (Chinese, Japanese,
Thai, …) every character counts as a word, together with the marks that belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

TRIES = 20  # draws per output before giving up; only texts that say almost the same need more than one
PHRASE = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # up to so many words: so many are replaced; beyond: a quarter

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
    """The text with a phrase from one of the others in place of one of its own; None where that changes nothing."""
    places = _places(text)
    if not places or not others:
        return None
    length = phrase_length(len(places))
    for _ in range(TRIES):
        other = random.choice(others)
        if other == text:
            continue
        phrase = _phrase(other, length, random)
        # The first and the last word stay if there are enough words between them.
        inner = len(places) - length >= 2
        start = random.randrange(1, len(places) - length) if inner else random.randrange(len(places) - length + 1)
        before, after = text[: places[start][0]], text[places[start + length - 1][1] :]
        changed = before + phrase + after
        if phrase and changed != text:
            return changed
    return None


def phrase_length(words: int) -> int:
    """How many words are replaced in an output of so many."""
    for limit, length in PHRASE:
        if words <= limit:
            return min(length, words)
    return words // 4


def _places(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _WORD.finditer(text)]


def _phrase(text: str, length: int, random: Random) -> str:
    """A phrase of so many words, or the whole text where it has fewer."""
    places = _places(text)
    if not places:
        return ""
    start = random.randrange(max(len(places) - length, 0) + 1)
    return text[places[start][0] : places[min(start + length, len(places)) - 1][1]]
