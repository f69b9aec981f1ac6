"""Contractions and their full forms by language, so that "n't" and "not" can match. The table is in data/."""

import tomllib
from functools import cache
from importlib.resources import files

_APOSTROPHES = str.maketrans("’‘ʼ`´", "'''''")


def expansions(word: str, language: str) -> tuple[str, ...]:
    """Return the full forms of a contraction in lower case; none if the word is not a contraction."""
    return _table().get(language, {}).get(word.lower().translate(_APOSTROPHES), ())


@cache
def _table() -> dict[str, dict[str, tuple[str, ...]]]:
    table = tomllib.loads(files(__package__).joinpath("data", "contractions.toml").read_text("utf-8"))
    return {
        language: {short: tuple(full.split()) for short, full in pairs.items()} for language, pairs in table.items()
    }
