"""All tokenisers by name. Rule-based ones process whole systems at once; the others map one string to another.

sacreBLEU's names are kept: none, 13a, intl, zh, char, ja-mecab, ko-mecab. moses-LANG is tokenizer.perl -l LANG.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from ..errors import UnknownName
from .coding import Words, code_points, split_words
from .rules import RULES

# Tokenisers in other modules: name -> (module, function from string to string).
FUNCTIONS = {
    "moses": ("moses", "tokenise"),
    "tercom": ("tercom", "tokenise"),
    "ja-mecab": ("mecab", "tokenise_japanese"),
    "ko-mecab": ("mecab", "tokenise_korean"),
}


def names() -> tuple[str, ...]:
    """Return the values that `tokenize` may have; in addition there is moses-LANG for any language code."""
    return (*(name for name in RULES if not name.startswith("mteval")), *FUNCTIONS)


def check_tokeniser(name: str) -> None:
    """Raise UnknownName if there is no such tokeniser."""
    if name not in names() and not name.startswith("moses-"):
        raise UnknownName("tokeniser", name, names())


def tokenise(texts: Sequence[str], name: str) -> Words:
    """Return the words of every text."""
    if name in RULES:
        return RULES[name].words(texts)
    if name.startswith("moses"):
        from . import moses  # its tables are slow to import

        check_tokeniser(name)
        return moses.words([text.rstrip() for text in texts], _moses_language(name))
    function = tokeniser(name)
    return split_words(*code_points([function(text.rstrip()) for text in texts]))


def tokeniser(name: str) -> Callable[[str], str]:
    """Return a function that puts spaces between the tokens of a text."""
    if name in RULES:
        rules = RULES[name]
        return lambda text: " ".join(rules.words([text]).strings()[0])
    check_tokeniser(name)
    if name.startswith("moses"):
        from . import moses

        return partial(moses.tokenise, language=_moses_language(name))
    module, function = FUNCTIONS[name]
    found = getattr(import_module(f".{module}", __package__), function)
    return lambda text: str(found(text))


def _moses_language(name: str) -> str:
    """Return the language in the name of a Moses tokeniser; warns if it has no list of abbreviations."""
    from . import moses

    language = name.partition("-")[2] or "en"
    moses.warn_without_list(language)
    return language


def lower(texts: Sequence[str]) -> list[str]:
    """Return texts in lower case."""
    return [text.lower() for text in texts]
