"""Find problems of single translations by comparing source and output, without a model or a reference.

Each finding is a reason to look at a segment. The checks are meant to be quiet on good translations: they report what
can be seen without knowing the languages, and allow for what translation changes (decimal marks, inflected terms).
"""

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial

from ..data.display import listed
from ..text import scripts

# What a finding of each kind adds to a segment's points: how likely it is a real and serious error.
POINTS: Mapping[str, int] = {
    "untranslated": 10, "copied": 8, "language": 8, "tags": 6, "placeholders": 6, "numbers": 5, "terms": 5, "dates": 4,
    "length": 4, "repetition": 4, "units": 3, "addresses": 3, "names": 2, "brackets": 2, "end-mark": 1,
}  # fmt: skip
WORDS_IN_FULL = 12  # numbers up to this one may be written as words
SHOWN = 3  # words that a message lists
_listed = partial(listed, most=SHOWN)
_NUMBER = re.compile(r"\d(?:[\d.,:'’\u00a0\u202f٫٬]*\d)?")
_PLACEHOLDER = re.compile(r"%(?:\d+\$)?[sdifuxc@](?![a-zA-Z])|\{\{?[\w.-]*\}?\}|\$\{[\w.]+\}|%[A-Z_]{2,}%|&[a-z]+;")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+|www\.[^\s<>\"]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{2,}\b|\b[A-Z]{2,}\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b")
_REPEATED = re.compile(r"\b([^\W\d_]{2,})(?:\s+\1\b)+", re.IGNORECASE)
_UNIT = re.compile(
    r"(?:(?<=\d)|(?<=\d[ \u00a0\u202f]))"
    r"(km/h|mph|km|cm|mm|kg|mg|ml|kWh|MWh|kW|MW|GHz|MHz|kHz|GB|MB|TB|kB|°C|°F|°|dB|fps|psi|ft|lbs?|oz)(?![A-Za-z])"
    r"|([€$£¥₽₹])|(?<![A-Za-z])(USD|EUR|GBP|JPY|CHF|RUB|CNY)(?![A-Za-z])"
)
_CURRENCIES = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "RUB": "₽"}
_BRACKETS = {"(": ")", "[": "]", "{": "}", "（": "）", "【": "】", "「": "」", "《": "》", "«": "»"}
_CLOSING = {closing: opening for opening, closing in _BRACKETS.items()}
_ROUND = str.maketrans("（）", "()")
_QUESTION = "?？؟"
_TOGETHER = frozenset({"Han", "Hiragana", "Katakana"})  # scripts of one text
Found = str | tuple[str, Sequence[str]]  # a message, and the words concerned
_AFTERNOON = re.compile(r"\b(?:[ap]\.?m\b|[ap]\.m\.)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SegmentFinding:
    """A reason to look at a segment: the kind (`POINTS`), what was found in plain words, and the words concerned."""

    kind: str
    message: str
    words: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        return POINTS[self.kind]


@dataclass(frozen=True)
class Sides:
    """A source and its output, with their inline tags."""

    source: str
    output: str
    source_tags: Sequence[str] = ()
    output_tags: Sequence[str] = ()

    @cached_property
    def source_words(self) -> list[str]:
        return _WORD.findall(self.source)

    @cached_property
    def output_words(self) -> list[str]:
        return _WORD.findall(self.output)


@dataclass(frozen=True)
class Context:
    """What the checks know beside the two texts.

    languages: source and target, or None where unknown. terms: source term -> its translations. script: the script of
    most outputs. ratio, spread: median and spread of the logarithm of output length by source length.
    """

    languages: tuple[str | None, str | None] = (None, None)
    terms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    script: str | None = None
    source_script: str | None = None
    ratio: float = 0.0
    spread: float = 0.0

    @property
    def same_language(self) -> bool:
        source, target = self.languages
        return bool(source and target) and scripts.base_code(str(source)) == scripts.base_code(str(target))


def find(sides: Sides, context: Context) -> list[SegmentFinding]:
    """Return the findings on one segment, the most serious first."""
    if not sides.output.strip():
        return [SegmentFinding("untranslated", "there is no translation")] if sides.source.strip() else []
    findings = []
    for kind, check in CHECKS.items():
        for found in check(sides, context):
            message, words = (found, ()) if isinstance(found, str) else found
            findings.append(SegmentFinding(kind, message, tuple(dict.fromkeys(words))))
    return sorted(findings, key=lambda each: -each.points)


def _number_of(what: str, words: Sequence[str], happened: str) -> Found:
    """Return a message on words that are missing or added, in the singular or plural."""
    one = f"{'an' if what[0] == 'a' else 'a'} {what} is"
    several = f"{what}{'es' if what.endswith('s') else 's'} are"
    return f"{one if len(words) == 1 else several} {happened}: {_listed(words)}", words


def _copied(sides: Sides, context: Context) -> Iterator[Found]:
    words = [word for word in sides.source_words if len(word) > 1]
    if context.same_language or not any(word.islower() for word in words):
        return
    if sides.source.split() == sides.output.split():
        if len(words) > 1:
            yield "copied from the source"
        return
    lower = [word for word in sides.output_words if word.islower() and len(word) > 3]
    kept = [word for word in lower if word in set(sides.source_words)]
    if len(lower) >= 4 and len(kept) > 0.6 * len(lower):
        yield f"{len(kept)} of {len(lower)} words are copied from the source: {_listed(kept)}", kept


def _language(sides: Sides, context: Context) -> Iterator[Found]:
    letters = scripts.count_scripts([sides.output])[0]
    if context.script and letters.sum() >= 5:
        names = scripts.script_names()
        main = names[int(letters.argmax())]
        expected = _TOGETHER if context.script in _TOGETHER else {context.script}
        if main not in expected and letters.max() > 0.7 * letters.sum():
            yield f"most letters are {main}, not {context.script}"
            return
    source, target = context.languages
    if source and target and not context.same_language and sides.source.split() != sides.output.split():
        words = [word.lower() for word in sides.output_words]
        as_source, as_target = (scripts.count_frequent(words, language) for language in (source, target))
        if as_source >= 3 and as_source > 0.2 * len(words) and as_source > 3 * as_target:
            yield f"looks like the source language ({source})"


def _tags(sides: Sides, context: Context) -> Iterator[Found]:
    return _changes("tag", sides.source_tags, sides.output_tags)


def _placeholders(sides: Sides, context: Context) -> Iterator[Found]:
    return _changes("placeholder", *(_PLACEHOLDER.findall(text) for text in (sides.source, sides.output)))


def _changes(what: str, source: Iterable[str], output: Iterable[str]) -> Iterator[Found]:
    for words, happened in zip(_differences(source, output), ("missing", "added"), strict=True):
        if words:
            yield _number_of(what, words, happened)


def _numbers(sides: Sides, context: Context) -> Iterator[Found]:
    # The digits of each number, without marks and leading zeros: 1,000.50 and 1.000,50 are the same.
    texts = (_ADDRESS.sub(" ", _PLACEHOLDER.sub(" ", text)) for text in (sides.source, sides.output))
    lost, added = _differences(*(map(_digits, _NUMBER.findall(text)) for text in texts))
    if _AFTERNOON.search(sides.source) or _AFTERNOON.search(sides.output):
        lost, added = [], []  # 5:30 p.m. is 17:30
    spelled = [number for number in lost if len(number) <= 2 and int(number) <= WORDS_IN_FULL]
    clear = [number for number in lost if number not in spelled]
    if clear or (spelled and added):
        yield _number_of("number", _as_written(clear or spelled, sides.source), "missing")
    if new := [number for number in added if len(number) > 2 or int(number) > WORDS_IN_FULL]:
        yield _number_of("number", _as_written(new, sides.output), "added")


def _digits(number: str) -> str:
    digits = "".join(str(unicodedata.digit(character)) for character in number if character.isdigit())
    return digits.lstrip("0") or "0"


def _as_written(numbers: Iterable[str], text: str) -> list[str]:
    written = {_digits(found): found for found in _NUMBER.findall(text)}
    return [written.get(number, number) for number in numbers]


def _units(sides: Sides, context: Context) -> Iterator[Found]:
    # A unit may be written as a word in the other language; only another symbol in its place is an error.
    lost, added = _differences(*(_units_of(text) for text in (sides.source, sides.output)))
    if lost and added:
        yield f"{_listed(lost)} became {_listed(added)}", [*lost, *added]


def _units_of(text: str) -> list[str]:
    text = re.sub(r"°\s+(?=[CF]\b)", "°", re.sub(r"\s*/\s*", "/", text))
    found = (next(filter(None, match.groups())) for match in _UNIT.finditer(text))
    return [_CURRENCIES.get(unit, unit) for unit in found]


def _addresses(sides: Sides, context: Context) -> Iterator[Found]:
    lost, _ = _differences(*([found.rstrip(".,;:!?)") for found in _ADDRESS.findall(text)]
                             for text in (sides.source, sides.output)))  # fmt: skip
    if lost:
        yield _number_of("address", lost, "missing")


def _names(sides: Sides, context: Context) -> Iterator[Found]:
    """Report codes and names such as USB-C, iPhone and NATO that the output does not have."""
    if context.script != context.source_script or sides.source.isupper():
        return
    source, output = _ADDRESS.sub(" ", sides.source), sides.output
    codes = [code for code in _CODE.findall(source) if any(map(str.isalpha, code)) and len(code) > 1]
    mixed = [code for code in codes if not code.isalpha() or not code.isupper()]
    if lost := [code for code in dict.fromkeys(mixed) if code.lower() not in output.lower()]:
        yield _number_of("name", lost, "missing")


def _brackets(sides: Sides, context: Context) -> Iterator[Found]:
    source, output = (_unbalanced(text.translate(_ROUND)) for text in (sides.source, sides.output))
    if output and not source:
        yield f"brackets do not match: {_listed(output)}", output
        return
    counts = [sum(text.translate(_ROUND).count(mark) for mark in "()[]{}") for text in (sides.source, sides.output)]
    if counts[0] and not counts[1]:
        yield "the brackets of the source are lost"


def _unbalanced(text: str) -> list[str]:
    text = re.sub(r"[:;=8]-?[()]|(?<!\w)\w{1,2}\)", "", text)  # smileys and numbers of lists
    open_marks: list[str] = []
    for mark in text:
        if mark in _BRACKETS and mark != "«":
            open_marks.append(mark)
        elif mark in _CLOSING and mark != "»" and (not open_marks or open_marks.pop() != _CLOSING[mark]):
            return [mark]
    return open_marks


def _length(sides: Sides, context: Context) -> Iterator[Found]:
    ratio = length_ratio(sides.source, sides.output)
    if ratio is None or context.spread <= 0:
        return
    away = ratio - context.ratio
    limit = max(3 * context.spread, 0.6)
    # Short texts vary by chance: the limit grows as the texts become shorter.
    if abs(away) > limit * (1 + 12 / max(len(sides.source), len(sides.output))):
        yield f"{math.e ** abs(away):.1f} times as {'long' if away > 0 else 'short'} as usual for its source"


def length_ratio(source: str, output: str) -> float | None:
    """Return the logarithm of the output's length divided by the source's, in characters; None if one is empty."""
    lengths = [len("".join(text.split())) for text in (source, output)]
    return math.log(lengths[1] / lengths[0]) if all(lengths) else None


def _repetition(sides: Sides, context: Context) -> Iterator[Found]:
    known = {found.group(1).lower() for found in _REPEATED.finditer(sides.source)}
    doubled = [found.group(1) for found in _REPEATED.finditer(sides.output)]
    # Function words may follow each other, as in German "die die"; a word may also be doubled in the source.
    doubled = [word for word in doubled if not scripts.count_frequent([word.lower()], context.languages[1] or "")]
    if doubled and not known:
        yield f"a word is doubled: {_listed(doubled)}", [f"{word} {word}" for word in doubled]
        return
    words = [word.lower() for word in sides.output_words]
    triples = Counter(zip(words, words[1:], words[2:], strict=False))
    often = [triple for triple, count in triples.items() if count > 2 and count > len(words) / 20]
    of_source = [word.lower() for word in sides.source_words]
    if often and max(Counter(itertools.pairwise(of_source)).values(), default=0) < 3:
        yield f"words are repeated: “{' '.join(often[0])}”", [" ".join(often[0])]


def _end_mark(sides: Sides, context: Context) -> Iterator[Found]:
    asks = [text.rstrip("\"'”’»)] ").endswith(tuple(_QUESTION)) for text in (sides.source, sides.output)]
    if asks[0] and not asks[1] and context.languages[1] != "el":
        yield "the source is a question, the output is not"


def _terms(sides: Sides, context: Context) -> Iterator[Found]:
    lower = sides.source.lower()
    for term, translations in context.terms.items():
        if (
            term.lower() in lower
            and _has_term(sides.source, term)
            and not any(_has_term(sides.output, each, inflected=True) for each in translations)
        ):
            yield f"the term “{term}” is not translated as “{'” or “'.join(translations[:SHOWN])}”", [term]


def _has_term(text: str, term: str, *, inflected: bool = False) -> bool:
    """Return whether a text has a term. inflected: words may have other endings, or be parts of compounds."""
    if not inflected:
        return re.search(rf"(?<!\w){re.escape(term)}(?:e?s)?(?!\w)", text, re.IGNORECASE) is not None
    words = term.lower().split()
    stems = [word[: max(4, len(word) - 2)] if len(word) > 4 else word for word in words]
    return all(stem in text.lower() for stem in stems)


def _dates(sides: Sides, context: Context) -> Iterator[Found]:
    """Compare the names of months, which Babel has (extra `kobe`); without it none is found."""
    source, target = context.languages
    first, second = _months_of(sides.source, source or ""), _months_of(sides.output, target or "")
    if first and second and set(first) != set(second):
        months = [*first.values()], [*second.values()]
        yield f"months differ: {_listed(months[0])} and {_listed(months[1])}", [*months[0], *months[1]]


def _months_of(text: str, language: str) -> dict[int, str]:
    """Return the months named beside a number, by their number."""
    names, found = _months(scripts.base_code(language)), {}
    for match in re.finditer(r"\d[.,]?\s*(?:de\s+)?([^\W\d_]{3,})|([^\W\d_]{3,})\.?\s+\d", text) if names else ():
        word = match[1] or match[2]
        if word.lower() in names:
            found[names[word.lower()]] = word
    return found


@lru_cache(maxsize=32)
def _months(language: str) -> dict[str, int]:
    try:
        from babel.core import Locale, UnknownLocaleError
    except ImportError:
        return {}
    try:
        months = Locale.parse(language).months
    except (UnknownLocaleError, ValueError):
        return {}
    wide = [months[context]["wide"] for context in ("format", "stand-alone")]
    return {name.lower(): number for table in wide for number, name in table.items()}


def _differences(source: Iterable[str], output: Iterable[str]) -> tuple[list[str], list[str]]:
    first, second = Counter(source), Counter(output)
    return list((first - second).elements()), list((second - first).elements())


Check = Callable[[Sides, Context], Iterator[Found]]
CHECKS: Mapping[str, Check] = {
    "copied": _copied, "language": _language, "tags": _tags, "placeholders": _placeholders, "numbers": _numbers,
    "terms": _terms, "dates": _dates, "length": _length, "repetition": _repetition, "units": _units,
    "addresses": _addresses, "names": _names, "brackets": _brackets, "end-mark": _end_mark,
}  # fmt: skip
