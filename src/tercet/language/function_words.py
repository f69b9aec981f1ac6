"""Function words by language: what METEOR weighs less than content words. The lists and their origin are in data/."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def function_words(language: str) -> frozenset[str]:
    """The function words of a language, in lower case; none where there is no list."""
    return frozenset(_lists().get(language, "").split())


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(files(__package__).joinpath("data", "function_words.toml").read_text("utf-8"))
