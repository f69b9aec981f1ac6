"""Function words by language, which METEOR weights less than content words. For the lists and sources see data/."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language in lower case; an empty set if there is no list."""
    return _lists().get(language, frozenset())


@cache
def _lists() -> dict[str, frozenset[str]]:
    lists = tomllib.loads(files(__package__).joinpath("data", "function_words.toml").read_text("utf-8"))
    return {language: frozenset(words.split()) for language, words in lists.items()}
