"""Find common words of a source that an output leaves as they are, untranslated.

A word in lower case is no name. If the output has it too, it was not translated, unless the other language has the same
word. That is known of languages in other scripts, and of those in the dictionary of simplemma.
"""

from collections.abc import Iterable
from functools import lru_cache

from ..text.scripts import count_scripts, script_names, scripts_of
from .name_forms import SHORTEST
from .normalise import SPACELESS, has_dictionary, is_known, spans

Place = tuple[int, int]  # where a word begins and ends
CYRILLIC = frozenset({"kk", "ky", "mn", "tg"})  # written in several scripts, in the news in this one


def common_words(text: str, language: str, other: str) -> dict[str, Place]:
    """Return the different words of a text that are no names, with the place of the first; numbers are left out.

    Words have three letters, or four in the script of the other language. Characters of Chinese are words.
    """
    least = 1 if language in SPACELESS else SHORTEST
    found: dict[str, Place] = {}
    for start, end in spans(text):
        word = text[start:end]
        if len(word) >= least and word[0].isalpha() and word == word.lower() and not any(map(str.isdigit, word)):
            found.setdefault(word, (start, end))
    return {word: at for word, at in found.items() if len(word) > SHORTEST or _is_foreign(word, other)}


def untranslated(words: Iterable[str], output: str, language: str) -> list[str]:
    """Return those of a source's common words that the output has, and that are no words of its language."""
    lowered = output.lower()
    theirs = {lowered[start:end] for start, end in spans(lowered)}
    return [word for word in words if word in theirs and _is_no_word(word, language)]


@lru_cache(maxsize=1 << 16)
def _is_no_word(word: str, language: str) -> bool:
    return _is_foreign(word, language) or (has_dictionary(language) and not is_known(word, language))


@lru_cache(maxsize=1 << 16)
def _is_foreign(word: str, language: str) -> bool:
    """Return whether a word has letters that the language does not use."""
    [counts] = count_scripts([word]).tolist()
    used = {name for name, count in zip(script_names(), counts, strict=True) if count}
    known = frozenset({"Cyrillic"}) if language in CYRILLIC else scripts_of(language)
    return bool(known) and not used <= known
