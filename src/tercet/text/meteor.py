"""METEOR's tokeniser: the tokens of its option -norm, before lower-casing.

Denkowski and Lavie (2014), "Meteor Universal: Language Specific Translation Evaluation for Any Target Language", WMT.
The papers do not give the rules. They were inferred from the output of METEOR 1.5 and give the same tokens on all texts
of WMT19. They are the rules of an early Moses tokeniser and three more: a hyphen between letters separates words, dots
inside abbreviations are removed (U.S. becomes US), and typographic quotation marks and dashes become plain ones.
Letters are Latin and Cyrillic; any other character is a separate word, so Chinese is split into characters.
"""

import re
from collections.abc import Callable
from functools import cache, partial

from ..errors import UnknownName
from .moses import LEFT, RIGHT, kept_words
from .packaged import packaged

LANGUAGES = ("cs", "de", "en", "es", "fr", "ru")  # those that METEOR normalises

_LETTERS = "A-Za-zÀ-ÖØ-öø-\u017e\u0400-\u0527\u1d00-\u1d7f\ua640-\ua66e\ua67e-\ua697"
_PLAIN = str.maketrans({"‘": "'", "’": "'", "`": "'", "“": '"', "”": '"', "–": " - "})
_SYMBOL = re.compile(rf"([^{_LETTERS}0-9 \t-\r.',\-])")
_DOTS = re.compile(r"\.\.+")
_HYPHEN = re.compile(f"([{_LETTERS}0-9.])-([{_LETTERS}0-9])")
_LETTER = re.compile(f"[{_LETTERS}]")
_NO_WORD = re.compile(f"[^{_LETTERS}0-9]+")
_BLANKS = " \t\n\r\f"
_BLANK = re.compile(f"[{_BLANKS}]+")
_OTHER_BLANK = re.compile("[\xa0\u2000-\u200a\u202f\u205f\u3000]")
_EDGES = "".join(map(chr, range(33)))  # the characters that Java's trim removes

# Context before and after a mark, and the replacement with spaces: see RIGHT and LEFT of `moses`, which METEOR shares.
_COMMAS = (("[^N]", "[^N]", r"\1 , \2"), ("[N]", "[^N]", r"\1 , \2"), ("[^N]", "[N]", r"\1 , \2"))
_APART = (("", "", r"\1 ' \2"),)
_APOSTROPHES = {"en": RIGHT, "fr": LEFT}

Row = Callable[[str], str]


def normalise(text: str, language: str = "en", *, punctuation: bool = True) -> str:
    """Return text with single spaces between its tokens; punctuation=False keeps only letters and digits (-noPunct)."""
    commas, apostrophes, *abbreviations = _language(language)
    text = text.translate(_PLAIN).replace("''", ' " ')
    text = _SYMBOL.sub(r" \1 ", f" {text} ")
    if ".." in text:
        text = _DOTS.sub(r" \g<0> ", text)
    if "," in text:
        for row in commas:
            text = row(text)
    text = text.replace("--", "-")
    if "'" in text:
        for row in apostrophes:
            text = row(text)
    if "-" in text:
        text = _HYPHEN.sub(r"\1 \2", text)
    words = _BLANK.split(text.strip(_BLANKS))
    if "." in text:
        words = _split_full_stops(words, *abbreviations)
    text = " ".join(words)
    if not text.isascii() and _OTHER_BLANK.search(text):
        # Up to here they are symbols: after a full stop, a word that follows such a blank starts a new sentence.
        text = " ".join(filter(None, _BLANK.split(_OTHER_BLANK.sub(" ", text))))
    text = text.strip(_EDGES)
    if not punctuation:
        text = _NO_WORD.sub(" ", text).strip()
    return text


def _split_full_stops(words: list[str], always: frozenset[str], before_number: frozenset[str]) -> list[str]:
    """Split off full stops, unless they end an abbreviation or a lower-case word follows."""
    split = []
    for i, word in enumerate(words):
        stem, first = word[:-1], words[i + 1][:1] if i + 1 < len(words) else ""
        if not stem.strip(".") or word[-1] != ".":
            split.append(word)
        elif "." in stem and _LETTER.search(stem):
            split.append(word.replace(".", ""))
        elif stem in always or "a" <= first <= "z" or (stem in before_number and "0" <= first <= "9"):
            split.append(word)
        else:
            split += (stem, ".")
    return split


@cache
def _language(code: str) -> tuple[tuple[Row, ...], tuple[Row, ...], frozenset[str], frozenset[str]]:
    """Return the compiled rules of one language on commas and apostrophes, and the words that keep their full stop."""
    if code not in LANGUAGES:
        raise UnknownName("language with METEOR's normaliser", code, LANGUAGES)
    rows = _rows(",", _COMMAS), _rows("'", _APOSTROPHES.get(code, _APART))
    return *rows, *kept_words(packaged(__package__, "meteor.toml")[code])


def _rows(mark: str, rules: tuple[tuple[str, str, str], ...]) -> tuple[Row, ...]:
    """Compile rules, which are applied in this order; matches of a rule do not overlap, which matters in a,,b."""
    compiled = []
    for *contexts, replacement in rules:
        before, after = (context.replace("A", _LETTERS).replace("N", "0-9") for context in contexts)
        compiled.append(partial(re.compile(f"({before}){mark}({after})").sub, replacement))
    return tuple(compiled)
