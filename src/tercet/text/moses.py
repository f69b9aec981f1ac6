"""The Moses tokeniser: the words that `tokenizer.perl -q -l LANG` finds, with its escapes, not aggressive.

Koehn et al. (2007), "Moses: Open Source Toolkit for Statistical Machine Translation", ACL demonstrations. The scores
that WMT published for BLEU, TER, WER, PER and CDER were computed on its output, so its oddities are kept: a quote at
the very end of a line stays with its word, and a rule never sees a character that its last match has used.
"""

from __future__ import annotations

import logging
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from unicodedata import category

from .scripts import base_code

log = logging.getLogger(__name__)

# What Perl calls \s; Python's own class also holds U+001C to U+001F, which Moses deletes instead.
_BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_CONTROLS = re.compile("[\0-\x1f]")
_DOTS = re.compile(r"\.\.+(.?)", re.DOTALL)
_COMMAS = re.compile(",+")
_COMMA_BEFORE = re.compile(",(.)", re.DOTALL)
_HIDDEN_DOTS = re.compile("(?:DOT)+MULTI")
_DOT_QUOTE_AT_END = re.compile(r"\.' ?\Z")
_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "|": "&#124;",
        "<": "&lt;",
        ">": "&gt;",
        "'": "&apos;",
        '"': "&quot;",
        "[": "&#91;",
        "]": "&#93;",
    }
)

# Languages whose words may hold a mark inside, if a lower-case letter follows it: USA:n, il·lusió.
_INNER_MARKS = {"fi": ":", "sv": ":", "ca": "·"}

# Apostrophes by language: what stands before and after (A letter, N number, ^ not), and where the spaces go.
# Moses tries the rows in this order, each over the whole line. Other languages get a space on both sides of all.
_RIGHT = (
    ("[^A]", "[^A]", r"\1 ' \2"),
    ("[^AN]", "[A]", r"\1 ' \2"),
    ("[A]", "[^A]", r"\1 ' \2"),
    ("[A]", "[A]", r"\1 '\2"),
    ("[N]", "s", r"\1 '\2"),  # the 1990's
)
_LEFT = (
    ("[^A]", "[^A]", r"\1 ' \2"),
    ("[^A]", "[A]", r"\1 ' \2"),
    ("[A]", "[^A]", r"\1 ' \2"),
    ("[A]", "[A]", r"\1' \2"),
)
_KEPT_INSIDE = _LEFT[:3]  # Somali writes the glottal stop with an apostrophe
_APOSTROPHES = {"en": _RIGHT, "fr": _LEFT, "it": _LEFT, "ga": _LEFT, "ca": _LEFT, "so": _KEPT_INSIDE}


@dataclass(frozen=True)
class _Language:
    """The compiled rules of one language."""

    symbols: re.Pattern[str]
    inner: str
    apostrophes: tuple[tuple[re.Pattern[str], str], ...]
    always: frozenset[str]
    before_number: frozenset[str]


def tokenise(text: str, language: str = "en") -> str:
    """Text with spaces between its tokens and `& | < > ' " [ ]` as entities; a blank text comes back as it is.

    language: its code; a region is left out (pt_BR is pt). Without a list of abbreviations for it the English one is
    used: tokenizer.perl may have one of its own and differ after them (`warn_without_list`).
    """
    words = _CONTROLS.sub("", _BLANKS.sub(" ", text)).split()
    if not words:
        # Moses prints blank lines unchanged; a line of control characters alone becomes empty.
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
    """Two dots or more become one word that no later rule touches: DOT for each, then MULTI."""
    after = run[1]
    dots = len(run[0]) - len(after)
    return f" {'DOT' * dots}MULTI {after}" if after else f" {'DOT' * dots}MULTI"


def _split_commas(text: str) -> str:
    """A comma is a word unless it stands between two numbers."""
    text = _COMMAS.sub(_split_after_others, text)
    text = _COMMA_BEFORE.sub(lambda found: f" , {found[1]}" if category(found[1])[0] != "N" else found[0], text)
    return f"{text[:-1]} ," if text[-1] == "," and category(text[-2:-1] or " ")[0] == "N" else text


def _split_after_others(run: re.Match[str]) -> str:
    """Moses matches a character that is no number and then a comma, so of several commas it sees every second one."""
    before = run.string[run.start() - 1 : run.start()]
    first = 1 if not before or category(before)[0] == "N" else 0
    return "".join(" , " if i >= first and (i - first) % 2 == 0 else "," for i in range(len(run[0])))


def _split_full_stops(words: list[str], rules: _Language) -> list[str]:
    """A full stop is a word of its own unless it ends an abbreviation or a lower-case word follows."""
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
    """The insides of regular-expression sets: A for \\p{IsAlpha}, N for \\p{IsN}."""
    data = tomllib.loads(files(__package__).joinpath("alphabetic.toml").read_text("utf-8"))

    def ranges(field: str) -> str:
        return "".join(
            "-".join(re.escape(chr(int(point, 16))) for point in span.split("-")) for span in data[field].split()
        )

    return {"A": ranges("alphabetic"), "N": r"\d" + ranges("other_numbers")}


@cache
def _alphabetic() -> re.Pattern[str]:
    return re.compile(f"[{_classes()['A']}]")


@cache
def _rules(language: str) -> _Language:
    return _language(base_code(language))


def warn_without_list(language: str) -> None:
    """Say once, to those who want what tokenizer.perl gives, that a language has no list of abbreviations here."""
    _warn_of(base_code(language))


@cache
def _warn_of(code: str) -> None:
    if code not in _abbreviations():
        log.warning(
            "Moses: there is no list of abbreviations for the language %r here. The English one is used, so that full "
            "stops may be split otherwise than by tokenizer.perl -l %s.",
            code,
            code,
        )


@cache
def _language(code: str) -> _Language:
    classes = _classes()
    inner = _INNER_MARKS.get(code, "")
    symbols = re.compile(rf"([^{classes['A']}\d .'`,\-{inner}])")
    rows = _APOSTROPHES.get(code)
    if rows is None:
        apostrophes = [(re.compile("'"), " ' ")]
    else:
        apostrophes = [(re.compile(f"({_set(before)})'({_set(after)})"), to) for before, after, to in rows]
    return _Language(symbols, inner, tuple(apostrophes), *_prefixes(code))


@cache
def _abbreviations() -> dict[str, dict[str, str]]:
    data: dict[str, dict[str, str]] = tomllib.loads(files(__package__).joinpath("nonbreaking.toml").read_text("utf-8"))
    return data


_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")


def _prefixes(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a full stop does not end: always, and before a number. English where there is no list for the language."""
    known = _abbreviations()
    entry = known.get(code, known["en"])
    always = set(entry["always"].split()) | set(entry["letters"])
    always |= {str(number) for number in range(int(entry.get("ordinals", "-1")) + 1)}
    numerals = {"x" * (number // 10) + _ONES[number % 10] for number in range(1, int(entry.get("roman", "0")) + 1)}
    always |= numerals | {numeral.upper() for numeral in numerals}
    always |= {digit + unit for unit in entry.get("after_digit", "").split() for digit in "0123456789"}
    always |= {digit + unit for unit in entry.get("after_numeral", "").split() for digit in "IVXLCM"}
    return frozenset(always), frozenset(entry.get("before_number", "").split())


def _set(written: str) -> str:
    classes = _classes()
    return "".join(classes.get(c, c) for c in written)
