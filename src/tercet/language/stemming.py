"""Snowball stemmers through PyStemmer.

Its rules change between releases, and with them scores. PyStemmer 2 has those of METEOR 1.5 for English and Spanish,
and for other languages with `original`. Version 3 is rejected.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from ..errors import UnknownName, UsageError
from ..text.coding import whole_characters

LANGUAGES = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
# Letters that the newer rules handle and the old ones did not: replaced by a character that no rule handles.
_UNKNOWN = {"fr": "ï", "ru": "ё"}
_HIDDEN = "\ue000"
_NISS = re.compile("niss(e|em|en|er|ern|es)$")

Stem = Callable[[Sequence[str]], list[str]]


@cache
def stemmer(language: str, *, original: bool = False) -> Stem:
    """Return a function that maps words in lower case to their stems. original: by the rules of METEOR 1.5."""
    if language not in LANGUAGES:
        raise UnknownName("language with a stemmer", language, LANGUAGES)
    try:
        make = import_module("Stemmer").Stemmer
    except ImportError:
        raise UsageError(
            "Stemming needs PyStemmer, which is not installed. Install it: pip install 'PyStemmer>=2.2,<3'"
        ) from None
    if make("english").stemWord("added") != "ad":
        raise UsageError(
            "The installed PyStemmer has newer rules than METEOR, so scores would not be comparable. "
            "Install a compatible version: pip install 'PyStemmer>=2.2,<3'"
        )
    made = make(LANGUAGES[language]).stemWords

    def stems(words: Sequence[str]) -> list[str]:
        found: list[str] = made([whole_characters(word) for word in words])
        return found

    if original and language in _UNKNOWN:
        letter = _UNKNOWN[language]
        return lambda words: [
            stem.replace(_HIDDEN, letter) for stem in stems([word.replace(letter, _HIDDEN) for word in words])
        ]
    if original and language == "de":
        # The stem of Ereignisse is now ereignis; it was ereigniss.
        return lambda words: [
            f"{stem}s" if stem.endswith("nis") and _NISS.search(word) else stem
            for word, stem in zip(words, stems(words), strict=True)
        ]
    return stems
