"""The Moses tokeniser: the tokens of `tokenizer.perl -q -l LANG`, with its escapes, not aggressive.

Koehn et al. (2007), "Moses: Open Source Toolkit for Statistical Machine Translation", ACL demonstrations. The scores
that WMT published for BLEU, TER, WER, PER and CDER were computed on its output, so its peculiarities are reproduced: a
quote at the very end of a line is not split off, and the matches of a rule do not overlap.
"""

from __future__ import annotations

import logging
import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from unicodedata import category

from .scripts import base_code

log = logging.getLogger(__name__)
_warned: set[str] = set()  # languages

# Perl's \s; Python's \s also contains U+001C to U+001F, which Moses deletes instead.
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

# Languages whose words may contain a mark if a lower-case letter follows it: USA:n, il·lusió.
_INNER_MARKS = {"fi": ":", "sv": ":", "ca": "·"}

# Apostrophes by language: context before and after (A letter, N number, ^ not), and the replacement with spaces.
# Moses applies the rows in this order, each to the whole line. In other languages all apostrophes get spaces.
RIGHT = (
    ("[^A]", "[^A]", r"\1 ' \2"),
    ("[^AN]", "[A]", r"\1 ' \2"),
    ("[A]", "[^A]", r"\1 ' \2"),
    ("[A]", "[A]", r"\1 '\2"),
    ("[N]", "s", r"\1 '\2"),  # the 1990's
)
LEFT = (
    ("[^A]", "[^A]", r"\1 ' \2"),
    ("[^A]", "[A]", r"\1 ' \2"),
    ("[A]", "[^A]", r"\1 ' \2"),
    ("[A]", "[A]", r"\1' \2"),
)
_KEPT_INSIDE = LEFT[:3]  # Somali writes the glottal stop with an apostrophe
_APOSTROPHES = {"en": RIGHT, "fr": LEFT, "it": LEFT, "ga": LEFT, "ca": LEFT, "so": _KEPT_INSIDE}


@dataclass(frozen=True)
class _Language:
    """The compiled rules of one language."""

    symbols: re.Pattern[str]
    inner: str
    apostrophes: tuple[tuple[re.Pattern[str], str], ...]
    always: frozenset[str]
    before_number: frozenset[str]


def tokenise(text: str, language: str = "en") -> str:
    """Return text with spaces between its tokens and `& | < > ' " [ ]` as entities; a blank text is unchanged.

    language: a language code; a region is ignored (pt_BR is pt). If there is no list of abbreviations for the language,
        the English one is used; tokenizer.perl may have its own list and differ (`warn_without_list`).
    """
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
    data = tomllib.loads(files(__package__).joinpath("alphabetic.toml").read_text("utf-8"))

    def ranges(field: str) -> str:
        return "".join(
            "-".join(re.escape(chr(int(point, 16))) for point in span.split("-")) for span in data[field].split()
        )

    return {"A": ranges("alphabetic"), "N": r"\d" + ranges("other_numbers")}


@cache
def _alphabetic() -> re.Pattern[str]:
    return re.compile(f"[{_classes()['A']}]")


def warn_without_list(language: str) -> None:
    """Log a warning, once per language, if there is no list of abbreviations for it."""
    code = base_code(language)
    if code not in _abbreviations() and code not in _warned:
        _warned.add(code)
        log.warning(
            "Moses: there is no list of abbreviations for the language %r. The English one is used, so full stops may "
            "be split differently than by tokenizer.perl -l %s.",
            code,
            code,
        )


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


@cache
def _abbreviations() -> dict[str, dict[str, str]]:
    data: dict[str, dict[str, str]] = tomllib.loads(files(__package__).joinpath("nonbreaking.toml").read_text("utf-8"))
    return data


def kept_words(entry: dict[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a list that keep their full stop: always, and before a number."""
    always = {*entry["always"].split(), *entry["letters"]}
    first, _, last = entry.get("ordinals", "1-0").partition("-")
    always |= {str(number) for number in range(int(first), int(last) + 1)}
    always |= {case for numeral in entry.get("roman", "").split() for case in (numeral, numeral.upper())}
    always |= {digit + unit for unit in entry.get("after_digit", "").split() for digit in "0123456789"}
    always |= {digit + unit for unit in entry.get("after_numeral", "").split() for digit in "IVXLCM"}
    return frozenset(always), frozenset(entry.get("before_number", "").split())


def _set(written: str) -> str:
    classes = _classes()
    return "".join(classes.get(c, c) for c in written)
