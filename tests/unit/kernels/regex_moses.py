"""The Moses tokeniser as regular expressions, one for each substitution: what `tercet.text.moses` must equal."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from unicodedata import category

from tercet import text as tercet_text
from tercet.text.moses import _APOSTROPHES, _ENTITIES, _INNER_MARKS, _abbreviations, kept_words
from tercet.text.scripts import base_code

# Perl's \s; Python's \s also contains U+001C to U+001F, which Moses deletes instead.
_BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_CONTROLS = re.compile("[\0-\x1f]")
_DOTS = re.compile(r"\.\.+(.?)", re.DOTALL)
_COMMAS = re.compile(",+")
_COMMA_BEFORE = re.compile(",(.)", re.DOTALL)
_HIDDEN_DOTS = re.compile("(?:DOT)+MULTI")
_DOT_QUOTE_AT_END = re.compile(r"\.' ?\Z")
_ESCAPES = str.maketrans(_ENTITIES)


@dataclass(frozen=True)
class _Language:
    """The compiled rules of one language."""

    symbols: re.Pattern[str]
    inner: str
    apostrophes: tuple[tuple[re.Pattern[str], str], ...]
    always: frozenset[str]
    before_number: frozenset[str]


def tokenise(text: str, language: str = "en") -> str:
    """Return what `tercet.text.moses.tokenise` returns."""
    words = _CONTROLS.sub("", _BLANKS.sub(" ", text)).split()
    if not words:
        # Moses prints blank lines unchanged; a line of only control characters becomes empty.
        return text if not _BLANKS.sub("", text) else ""
    rules = _rules(language)
    text = rules.symbols.sub(r" \1 ", " ".join(words))
    if rules.inner and rules.inner in text:
        text = _split_inner_marks(text, rules.inner)
    if ".." in text:
        text = _DOTS.sub(_hide_dots, text)
    if "," in text:
        text = _split_commas(text)
    if "'" in text:
        for pattern, replacement in rules.apostrophes:
            text = pattern.sub(replacement, text)
    words = text.split()
    if "." in text:
        words = _split_full_stops(words, rules)
    text = _DOT_QUOTE_AT_END.sub(" . ' ", " ".join(words))
    if "MULTI" in text:
        text = _HIDDEN_DOTS.sub(lambda run: "." * (len(run[0]) // 3 - 1), text)
    return text.translate(_ESCAPES)


def _split_inner_marks(text: str, mark: str) -> str:
    first, *rest = text.split(mark)
    kept = [mark if part and category(part[0]) == "Ll" else f" {mark} " for part in rest]
    return first + "".join(joint + part for joint, part in zip(kept, rest, strict=True))


def _hide_dots(run: re.Match[str]) -> str:
    """Replace several dots by one word that no later rule changes: DOT for each, then MULTI."""
    after = run[1]
    dots = len(run[0]) - len(after)
    return f" {'DOT' * dots}MULTI {after}" if after else f" {'DOT' * dots}MULTI"


def _split_commas(text: str) -> str:
    """Split off commas, except between two numbers."""
    text = _COMMAS.sub(_split_after_others, text)
    text = _COMMA_BEFORE.sub(lambda found: f" , {found[1]}" if category(found[1])[0] != "N" else found[0], text)
    return f"{text[:-1]} ," if text[-1] == "," and category(text[-2:-1] or " ")[0] == "N" else text


def _split_after_others(run: re.Match[str]) -> str:
    """Split every second comma: Moses' rule matches a non-number and a comma, so it skips the comma after a match."""
    before = run.string[run.start() - 1 : run.start()]
    first = 1 if not before or category(before)[0] == "N" else 0
    return "".join(" , " if i >= first and (i - first) % 2 == 0 else "," for i in range(len(run[0])))


def _split_full_stops(words: list[str], rules: _Language) -> list[str]:
    """Split off full stops, unless they end an abbreviation or a lower-case word follows."""
    last = len(words) - 1
    split = []
    for i, word in enumerate(words):
        stem = word[:-1]
        if word[-1] != "." or not stem or (i < last and _keeps_dot(stem, words[i + 1], rules)):
            split.append(word)
        else:
            split += (stem, ".")
    return split


def _keeps_dot(stem: str, following: str, rules: _Language) -> bool:
    if stem in rules.always or following[0].islower():
        return True
    if "." in stem and _alphabetic().search(stem):
        return True
    return stem in rules.before_number and following[0] in "0123456789"


@cache
def _classes() -> dict[str, str]:
    """Return the contents of regular-expression sets: A for \\p{IsAlpha}, N for \\p{IsN}."""
    data = tomllib.loads(files(tercet_text).joinpath("alphabetic.toml").read_text("utf-8"))

    def ranges(field: str) -> str:
        return "".join(
            "-".join(re.escape(chr(int(point, 16))) for point in span.split("-")) for span in data[field].split()
        )

    return {"A": ranges("alphabetic"), "N": r"\d" + ranges("other_numbers")}


@cache
def _alphabetic() -> re.Pattern[str]:
    return re.compile(f"[{_classes()['A']}]")


@lru_cache(maxsize=64)
def _rules(language: str) -> _Language:
    code, classes = base_code(language), _classes()
    inner = _INNER_MARKS.get(code, "")
    symbols = re.compile(rf"([^{classes['A']}\d .'`,\-{inner}])")
    rows = _APOSTROPHES.get(code)
    if rows is None:
        apostrophes = [(re.compile("'"), " ' ")]
    else:
        apostrophes = [(re.compile(f"({_set(before)})'({_set(after)})"), to) for before, after, to in rows]
    known = _abbreviations()
    return _Language(symbols, inner, tuple(apostrophes), *kept_words(known.get(code, known["en"])))


def _set(written: str) -> str:
    classes = _classes()
    return "".join(classes.get(c, c) for c in written)
