"""Function words by language, which METEOR weights less than content words. For the lists and sources see data/."""

from functools import cache

from ..text.packaged import packaged


@cache
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language in lower case; an empty set if there is no list."""
    return frozenset(packaged(__package__, "data/function_words.toml").get(language, "").split())
