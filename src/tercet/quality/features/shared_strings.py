"""Features of strings that source and target share: copied words, numbers, names, addresses, capitals, final marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from .constructions import MARK_KINDS, is_mark, is_number
from .defining import Compute, feature, ratio
from .surface import word_length

_WEB_ADDRESS = re.compile(r"(?:https?://|www\.).+")
_DIGITS = re.compile(r"\d+")
_OPENINGS = "¿¡"


def _numbers(tokens: Iterable[str]) -> list[str]:
    """Return the digits of each number: 1,000.50 and 1.000,50 are the same."""
    return ["".join(_DIGITS.findall(token)) for token in tokens if is_number(token)]


def _names(tokens: Sequence[str]) -> list[str]:
    """Return capitalised tokens that are not at the beginning of the sentence or after a mark."""
    return [
        token for before, token in pairwise(tokens) if token[0].isupper() and len(token) > 1 and not is_mark(before)
    ]


def _found(items: Sequence[str], others: Iterable[str]) -> float:
    """Return the share of items that are among others (as multisets); NaN for no items."""
    return (Counter(items) & Counter(others)).total() / len(items) if items else np.nan


def _f1(items: Sequence[str], others: Sequence[str]) -> float:
    """Return the F1 of the items of both sides, as multisets; NaN if neither side has any."""
    total = len(items) + len(others)
    return 2 * (Counter(items) & Counter(others)).total() / total if total else np.nan


def _of_tokens(function: Callable[[list[str], list[str]], float]) -> Compute:
    """Return a function that computes a value from the tokens of each source and target."""
    return lambda p: np.array([*map(function, p.source.tokens, p.target.tokens)], dtype=np.float64)


def _of_texts(function: Callable[[str, str], float]) -> Compute:
    """Return a function that computes a value from the text of each source and target."""
    return lambda p: np.array([*map(function, p.source.texts, p.target.texts)], dtype=np.float64)


def _addresses(text: str) -> list[str]:
    """Return web addresses up to the end of the word, and words such as a@b.c.

    One regular expression for both would take minutes for a word of 20,000 characters.
    """
    found = []
    for word in text.split():
        is_mail = 0 <= word.find("@", 1) < word.rfind(".", 0, -1) - 1
        web = _WEB_ADDRESS.search(word)
        if is_mail and not (web and web.start() == 0):
            found.append(word)
        elif web:
            found.append(web.group())
    return found


def _copied(source: Sequence[str], target: Sequence[str], *, lower: bool) -> float:
    """Return the share of target words that the source has, too. lower: of words in lower case only."""
    known = set(source)
    words = [token for token in target if token.isalpha() and (not lower or token.islower())]
    return sum(token in known for token in words) / len(words) if words else 0.0


def _is_capitalised(token: str) -> bool:
    return token[0].isupper()


def _is_capitals(token: str) -> bool:
    return len(token) > 1 and token.isupper()


def _last_mark(tokens: Sequence[str]) -> str:
    """Return the kind of the final mark, in any script: 。 is a period; an empty string if there is none."""
    return MARK_KINDS.get(tokens[-1], tokens[-1]) if tokens and is_mark(tokens[-1]) else ""


def _begins_with_capital(tokens: Sequence[str]) -> bool:
    return next((token[0].isupper() for token in tokens if token not in _OPENINGS), False)


COPIES = (
    feature("more", "target_word_length", "average length of target words in characters",
            lambda p: word_length(p.target)),
    feature("more", "word_length_ratio", "average length of target words divided by that of source words",
            lambda p: ratio(word_length(p.target), word_length(p.source)), neutral=1.0),
    feature("more", "copied_words", "share of target words that the source has too, as they are written",
            _of_tokens(partial(_copied, lower=False))),
    feature("more", "copied_lower_words",
            "share of target words in lower case, which are not names, that the source has too",
            _of_tokens(partial(_copied, lower=True))),
    feature("more", "shared_numbers",
            "how far source and target have the same numbers: 1 for all, or where there are none (F1 by digits)",
            _of_tokens(lambda s, t: _f1(_numbers(s), _numbers(t))), neutral=1.0),
    feature("more", "kept_names",
            "share of the source's names (words with a capital inside the sentence, not after a mark) that the target "
            "has",
            _of_tokens(lambda s, t: _found(_names(s), t)), neutral=1.0),
    feature("more", "kept_addresses", "share of the source's web and mail addresses that the target has",
            _of_texts(lambda s, t: _found(_addresses(s), _addresses(t))), neutral=1.0),
    feature("more", "source_capitalised", "share of source words that begin with a capital",
            lambda p: p.source.shares(_is_capitalised)),
    feature("more", "target_capitalised", "share of target words that begin with a capital",
            lambda p: p.target.shares(_is_capitalised)),
    feature("more", "capitals_difference",
            "difference between source and target in the share of words all in capitals",
            lambda p: np.abs(p.source.shares(_is_capitals) - p.target.shares(_is_capitals))),
    feature("more", "same_first_case", "whether source and target both begin with a capital or neither does (1 or 0)",
            _of_tokens(lambda s, t: _begins_with_capital(s) == _begins_with_capital(t))),
    feature("more", "same_last_mark", "whether source and target end with the same mark, or both with none (1 or 0)",
            _of_tokens(lambda s, t: _last_mark(s) == _last_mark(t))),
    feature("more", "target_is_source", "whether the target is the source unchanged (1 or 0)",
            _of_texts(lambda s, t: s.split() == t.split())),  # words between spaces: tokens may differ, by language
)  # fmt: skip
