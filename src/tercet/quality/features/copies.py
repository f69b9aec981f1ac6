"""More on what source and target have in common as strings: copied words, numbers, names, addresses, capitals, ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from .constructions import is_mark, is_number
from .defining import Compute, Floats, feature, ratio
from .pairs import Pairs
from .surface import target_word_length

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\S+")
_DIGITS = re.compile(r"\d+")
_OPENINGS = "¿¡"


def _numbers(tokens: Iterable[str]) -> list[str]:
    """The digits of each number: 1,000.50 and 1.000,50 are the same."""
    return ["".join(_DIGITS.findall(token)) for token in tokens if is_number(token)]


def _names(tokens: Sequence[str]) -> list[str]:
    """Tokens in capitals that do not begin the sentence or stand after a mark."""
    return [
        token for before, token in pairwise(tokens) if token[0].isupper() and len(token) > 1 and not is_mark(before)
    ]


def _found(items: Sequence[str], others: Iterable[str]) -> float:
    """The share of items that are among others, each as often; 1 where there are none."""
    return (Counter(items) & Counter(others)).total() / len(items) if items else 1.0


def _shared(find: Callable[[Sequence[str]], list[str]]) -> Compute:
    """Of what is found on both sides: F1 of the two multisets, 1 where neither has any."""

    def compute(pairs: Pairs) -> Floats:
        scores = []
        for source, target in zip(pairs.source.tokens, pairs.target.tokens, strict=True):
            first, second = find(source), find(target)
            total = len(first) + len(second)
            scores.append(2 * (Counter(first) & Counter(second)).total() / total if total else 1.0)
        return np.array(scores, dtype=np.float64)

    return compute


def _kept_names(pairs: Pairs) -> Floats:
    rows = zip(pairs.source.tokens, pairs.target.tokens, strict=True)
    return np.array([_found(_names(source), target) for source, target in rows], dtype=np.float64)


def _kept_addresses(pairs: Pairs) -> Floats:
    rows = zip(pairs.source.texts, pairs.target.texts, strict=True)
    return np.array([_found(_ADDRESS.findall(s), _ADDRESS.findall(t)) for s, t in rows], dtype=np.float64)


def _copied(*, lower: bool) -> Compute:
    """The share of target tokens with letters that the source has too, as they are written or in lower case only."""

    def share(source: Sequence[str], target: Sequence[str]) -> float:
        known = set(source)
        words = [token for token in target if token.isalpha() and (not lower or token.islower())]
        return sum(token in known for token in words) / len(words) if words else 0.0

    def compute(pairs: Pairs) -> Floats:
        rows = zip(pairs.source.tokens, pairs.target.tokens, strict=True)
        return np.array([share(source, target) for source, target in rows], dtype=np.float64)

    return compute


def _is_capitalised(token: str) -> bool:
    return token[0].isupper()


def _is_capitals(token: str) -> bool:
    return len(token) > 1 and token.isupper()


def _same(first: Callable[[Sequence[str]], object]) -> Compute:
    """1 where a function of both sides' tokens is the same, 0 elsewhere."""

    def compute(pairs: Pairs) -> Floats:
        rows = zip(pairs.source.tokens, pairs.target.tokens, strict=True)
        return np.array([first(source) == first(target) for source, target in rows], dtype=np.float64)

    return compute


def _last_mark(tokens: Sequence[str]) -> str:
    return tokens[-1] if tokens and is_mark(tokens[-1]) else ""


def _begins_with_capital(tokens: Sequence[str]) -> bool:
    return next((token[0].isupper() for token in tokens if token not in _OPENINGS), False)


COPIES = (
    feature("more", "target_word_length", "average length of target tokens in characters", target_word_length),
    feature("more", "word_length_ratio", "average length of target tokens over that of source tokens",
            lambda p: ratio(target_word_length(p), ratio(p.source.characters, p.source.lengths)), neutral=1.0),
    feature("more", "copied_words", "share of target tokens of letters that the source has too", _copied(lower=False)),
    feature("more", "copied_lower_words", "the same of those in lower case alone, which are no names",
            _copied(lower=True)),
    feature("more", "shared_numbers", "F1 of the numbers of source and target by their digits, 1 where there are none",
            _shared(_numbers)),
    feature("more", "kept_names", "share of capitalised source tokens inside the sentence that the target has",
            _kept_names),
    feature("more", "kept_addresses", "share of the source's web and mail addresses that the target has",
            _kept_addresses),
    feature("more", "source_capitalised", "share of source tokens with a capital first",
            lambda p: p.source.shares(_is_capitalised)),
    feature("more", "target_capitalised", "share of target tokens with a capital first",
            lambda p: p.target.shares(_is_capitalised)),
    feature("more", "capitals_difference", "difference in the shares of tokens all in capitals, without its sign",
            lambda p: np.abs(p.source.shares(_is_capitals) - p.target.shares(_is_capitals))),
    feature("more", "same_first_case", "1 where both sentences begin with a capital or neither does",
            _same(_begins_with_capital)),
    feature("more", "same_last_mark", "1 where both sentences end with the same mark, or with none",
            _same(_last_mark)),
    feature("more", "target_is_source", "1 where the target is the source", _same(tuple)),
)  # fmt: skip
