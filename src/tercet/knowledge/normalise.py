"""Normalise the words of texts and names for look-up in a knowledge base.

Names are stored, and texts are searched, by the forms made here. A form is compatibility-composed (NFKC), case-folded,
without the marks of Latin letters that are foreign to the language (data/spelling.toml), without invisible characters,
and with е for the Russian ё. Hyphens, apostrophes and full stops separate words and are dropped ("l'Italie",
"Guinea-Bissau", "St. Louis"). Any other punctuation becomes the token ",", so that no name is found across a comma.
Combining marks stay with their letters (the vowel signs of Gujarati). In scripts without spaces, every character is a
token.
"""

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from ..data.grouping import grouped
from ..text.packaged import packaged

BREAK = ","  # the form of punctuation that no name should be found across
SPACELESS = frozenset("zh ja th".split())  # languages whose words are not separated

_SEPARATORS = frozenset("'’‘ʼʹ`´.·・‧•&_․")  # characters inside names that are not part of the form
# Han, kana, and the scripts of Thai, Lao, Burmese and Khmer: no spaces between words.
_SPACELESS = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FFF), (0x3005, 0x3007),
              (0x3041, 0x30FA), (0x30FC, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),
              (0xFF66, 0xFF9F), (0x20000, 0x3FFFF))  # fmt: skip
_TOKEN = re.compile(r"w[wm]*|cm*|,+")
_SHORTEST_BASE = 3


class _Kinds(dict[int, str]):
    """The kind of each character: w part of a word, m mark, c a token by itself, comma punctuation, blank otherwise."""

    def __missing__(self, code: int) -> str:
        category, kind = unicodedata.category(chr(code)), "w"
        if chr(code) in _SEPARATORS or category in ("Pd", "Zs", "Zl", "Zp", "Cc", "Cs"):  # Cs: half a surrogate pair
            kind = " "
        elif category[0] == "M" or category == "Cf":  # Cf: joiners and soft hyphens within words
            kind = "m"
        elif category[0] == "S" or any(first <= code <= last for first, last in _SPACELESS):
            kind = "c"
        elif category[0] == "P":
            kind = ","
        self[code] = kind
        return kind


_KINDS = _Kinds()


def spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of the tokens of a text, in code points."""
    return [match.span() for match in _TOKEN.finditer(text.translate(_KINDS))]


def token_forms(text: str, places: list[tuple[int, int]], language: str) -> list[str]:
    """Return the forms of the tokens at these places."""
    known = _forms(language)
    return [known[text[start:end]] for start, end in places]


def alias_key(name: str, language: str) -> tuple[str, ...]:
    """Return the forms of a name's tokens; empty for a name without a letter, digit or symbol."""
    key = tuple(filter(None, token_forms(name, spans(name), language)))
    return key if key and (key[0] != BREAK or any(form != BREAK for form in key)) else ()


@lru_cache(maxsize=1 << 18)
def lemma_forms(form: str, language: str) -> tuple[str, ...]:
    """Return the possible base forms of a form, the most likely first, without the form itself.

    They come from simplemma, if it is installed (extra `kobe`) and has the language, and from the endings of
    data/spelling.toml. The latter are guesses, to be used only if the knowledge base has the base form.
    """
    if not any(map(str.isalpha, form)):
        return ()
    found = list(dictionary_forms(form, language))
    for ending, instead in _endings(language).get(form[-1:], ()):
        if form.endswith(ending) and len(form) - len(ending) >= _SHORTEST_BASE:
            found.append(form.removesuffix(ending) + instead)
    for part in compound_parts(form, language):
        found += part, *dictionary_forms(part, language)
    return tuple(base for base in dict.fromkeys(found) if base != form)


@lru_cache(maxsize=1 << 16)
def compound_parts(form: str, language: str) -> tuple[str, ...]:
    """Return what follows a word of a direction or the like in a compound (südfrankreich: frankreich)."""
    heads = _spelling()["modifiers"].get(language, "").split()
    return tuple(
        rest
        for head in heads
        if form.startswith(head) and len(rest := form.removeprefix(head).lstrip("-")) > _SHORTEST_BASE
    )


def lemma_key(name: str, language: str) -> tuple[str, ...]:
    """Return the most likely base forms of a name's tokens, to find inflected names of several words."""
    return tuple(base[0] if (base := dictionary_forms(form, language)) else form for form in alias_key(name, language))


@lru_cache(maxsize=1 << 18)
def dictionary_lemmas(form: str, language: str) -> tuple[str, ...]:
    """Return simplemma's lemmas of a form as a name (Prahy: Praha) and as a word (prahy: práh), unnormalised."""
    if not has_dictionary(language):
        return ()
    lemmatise = _lemmatiser()
    return lemmatise(form.capitalize(), language), lemmatise(form, language)


def dictionary_forms(form: str, language: str) -> tuple[str, ...]:
    """Return the forms of the dictionary's lemmas, without the form itself."""
    known = _forms(language)
    lemmas = dict.fromkeys(known[lemma] for lemma in dictionary_lemmas(form, language))
    return tuple(lemma for lemma in lemmas if lemma not in ("", form))


def is_ordinary(form: str, language: str) -> bool:
    """Return whether the dictionary has a form as an inflected word and not as a name (According, not Americans)."""
    known = _forms(language)
    lemmas = [lemma for lemma in dictionary_lemmas(form, language) if known[lemma] != form]
    return bool(lemmas) and all(lemma[:1].islower() for lemma in lemmas)


@lru_cache(maxsize=1 << 16)
def is_known(form: str, language: str) -> bool:
    """Return whether simplemma's dictionary has a form, written in lower case, as a word in lower case."""
    if not has_dictionary(language):
        return False
    from simplemma import is_known as in_dictionary

    return bool(in_dictionary(form, language)) and _lemmatiser()(form, language)[:1].islower()


def has_dictionary(language: str) -> bool:
    """Return whether simplemma is installed and has a dictionary of the language."""
    return _lemmatiser() is not None and language in _lemmatised()


class _Forms(dict[str, str]):
    """A cache of the forms of a language's words, cleared after a million different words."""

    def __init__(self, language: str) -> None:
        spelling = _spelling()
        letters = spelling["letters"].get(language)
        if letters is None and language in spelling["unmarked"]["languages"].split():
            letters = ""
        self.letters: frozenset[str] | None = None if letters is None else frozenset(letters)
        self.dotted = language in ("tr", "az")

    def __missing__(self, word: str) -> str:
        if len(self) > 1_000_000:
            self.clear()
        form = self[word] = self._form(word)
        return form

    def _form(self, word: str) -> str:
        if word and _KINDS[ord(word[0])] == BREAK:
            return BREAK
        if word.isascii() and not self.dotted:
            return word.lower()
        if self.dotted:
            word = word.replace("I", "ı").replace("İ", "i")
        word = unicodedata.normalize("NFKC", word)
        if not word.isascii():
            word = "".join(c for c in word if unicodedata.category(c) != "Cf")
        word = word.casefold()
        return word if word.isascii() else unicodedata.normalize("NFC", "".join(map(self._letter, word)))

    def _letter(self, letter: str) -> str:
        if letter in "\u0300\u0301":
            return ""  # stress
        if letter == "ё":
            return "е"
        if letter < "\u00c0" or self.letters is None or letter in self.letters:
            return letter
        parts = unicodedata.normalize("NFD", letter)
        return parts[0] if parts[0] < "\u0250" else letter


_forms = lru_cache(maxsize=64)(_Forms)


def _spelling() -> dict[str, Any]:
    return packaged(__package__, "data/spelling.toml")


@lru_cache(maxsize=64)
def _endings(language: str) -> dict[str, list[tuple[str, str]]]:
    """Return endings by their last letter, each with its replacement in the base form."""
    rules = (rule.partition(":") for rule in _spelling()["endings"].get(language, "").split())
    return grouped((ending[-1], (ending, instead)) for ending, _, instead in rules)


@cache
def _lemmatiser() -> Any:
    try:
        import simplemma
    except ImportError:
        return None
    return simplemma.lemmatize


@cache
def _lemmatised() -> frozenset[str]:
    """Return the languages that simplemma has a dictionary for."""
    folder = files("simplemma.strategies.dictionaries").joinpath("data")
    return frozenset(entry.name.partition(".")[0] for entry in folder.iterdir())
