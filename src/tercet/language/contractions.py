"""Contractions and their full forms by language, so that "n't" and "not" can match. The table is in data/."""

from ..text.packaged import packaged

_APOSTROPHES = str.maketrans("’‘ʼ`´", "'''''")


def expansions(word: str, language: str) -> tuple[str, ...]:
    """Return the full forms of a contraction in lower case; none if the word is not a contraction."""
    table: dict[str, str] = packaged(__package__, "data/contractions.toml").get(language, {})
    return tuple(table.get(word.lower().translate(_APOSTROPHES), "").split())
