"""Contractions by language: what a short word stands for, so that "n't" and "not" can match. The table is in data/."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

_APOSTROPHES = str.maketrans("’‘ʼ`´", "'''''")


def expansions(word: str, language: str) -> tuple[str, ...]:
    """The full forms that a word can be short for, in lower case; none for a word that is no contraction."""
    return _table().get(language, {}).get(word.lower().translate(_APOSTROPHES), ())


def same_in_full(first: str, second: str, language: str) -> bool:
    """Whether one of two different words is a contraction of the other, or both of the same word."""
    one, other = (word.lower().translate(_APOSTROPHES) for word in (first, second))
    if one == other:
        return False
    return not {one, *expansions(one, language)}.isdisjoint({other, *expansions(other, language)})


@cache
def _table() -> dict[str, dict[str, tuple[str, ...]]]:
    table = tomllib.loads(files(__package__).joinpath("data", "contractions.toml").read_text("utf-8"))
    return {
        language: {short: tuple(full.split()) for short, full in pairs.items()} for language, pairs in table.items()
    }
