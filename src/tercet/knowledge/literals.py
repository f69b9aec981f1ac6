"""Find what translations must keep although no knowledge base lists it: numbers, amounts, times, dates, web addresses.

An amount has its unit in its first entity and the bare number in the second: "30 Prozent" is percent:30 or number:30.
The words are in data/quantities.toml.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any

from ..text.packaged import packaged
from .mentions import Mention
from .normalise import SPACELESS

_NUMBER = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:[.,\u00a0\u202f ’'٬]\d{3})+|\d+)(?:[.,·]\d+)?(?!\d)"
    r"(?=(?:st|nd|rd|th|s|er|ème|e|k|bn|mn|º|ª|million|billion|trillion)?(?![\w]))"
)
_SPACELESS_NUMBER = re.compile(r"(?<![A-Za-z\d.,])\d+(?:,\d{3})*(?:\.\d+)?(?![A-Za-z\d])")
_CLOCK = re.compile(r"(?<![\w.,:])([01]?\d|2[0-4])[:.h]([0-5]\d)(?=\s?[ap]\.?m|(?![\w:]|[.,]\d))")
_DATE = re.compile(
    r"(?<![\w.,/-])(\d{1,2})[./](\d{1,2})[./](\d{4})(?![\w/-])|(?<![\w.,/-])(\d{4})-(\d\d)-(\d\d)(?![\w/-])"
)
_MONTH = re.compile(r"(?<![\d])(1[0-2]|[1-9])\s?(月)")
_HOUR = re.compile(r"(上午|下午|晚上)\s?(1[0-2]|[1-9])\s?点")
_DECADE = re.compile(r"(?<!\d)(\d{1,2})\s?世纪\s?(\d0)\s?年代")
# An e-mail address begins where a word does. To look for one at every letter would take the square of a word's length.
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"“”«»]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)
_DECIMAL_POINT = frozenset("en zh ja ko th gu hi bn mr ta te he ar".split())  # other languages use a comma
_AFTER = re.compile(r"[.\s\u00a0\u202f-]{0,2}")
_NUMERAL = re.compile("[一二三四五六七八九两十百千万亿][一二三四五六七八九两零十百千万亿]*")
_LONGEST_WORD = 12
NUMBER = "number:"
_PREFIXES = (NUMBER, "address:", "percent:", "amount:", "time:")


def is_literal(entity: str) -> bool:
    """Return whether an entity is a number, an amount, a time or an address, which every language can write."""
    return entity.startswith(_PREFIXES)


def literals(text: str, language: str) -> list[Mention]:
    """Return the literals of a text as mentions: number:1000.5, percent:30, amount:km:5, time:15:00, address:a.org.

    The month of a date is the month of the knowledge base (cldr:month:8), so that 25.08.2018 can match 25 August 2018.
    """
    found: list[Mention] = []
    taken = bytearray(len(text))
    for mention in _in_order(text, language):
        if 1 not in taken[mention.start : mention.end]:
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            found.append(mention)
    return sorted(found)


def number_of(entity: str) -> str | None:
    """Return the number in a literal's entity; None if it has none."""
    return entity.rpartition(":")[2] if entity.startswith((NUMBER, "percent:", "amount:")) else None


def _in_order(text: str, language: str) -> Iterator[Mention]:
    """Yield mentions that may overlap; the first counts."""
    if not any(map(str.isdigit, text)) and "@" not in text and "ww" not in text.lower() and "http" not in text.lower():
        return
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(".,;:!?)]}'’")
        bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", address.lower()).rstrip("/")
        yield Mention(match.start(), match.start() + len(address), address, (f"address:{bare}",), "address")
    for match in _DATE.finditer(text):
        for group in filter(match.group, range(1, 7)):
            value = int(match[group])
            is_month = group in (2, 5) and 1 <= value <= 12
            entity, category = (f"cldr:month:{value}", "month") if is_month else (f"{NUMBER}{value}", "quantity")
            yield Mention(*match.span(group), match[group], (entity,), category)
    for match in _CLOCK.finditer(text):
        if "." not in match[0] or _half(text, match.end(), language):
            yield _time(text, match.start(), match.end(), int(match[1]), int(match[2]), language)
    if language in SPACELESS:
        for match in _DECADE.finditer(text):
            year = 100 * (int(match[1]) - 1) + int(match[2])
            yield Mention(*match.span(), match[0], (f"{NUMBER}{year}",), "quantity")
        for match in _HOUR.finditer(text):
            hour = int(match[2]) % 12 + (12 if match[1] in "下午 晚上" else 0)
            yield Mention(*match.span(), match[0], (f"time:{hour:02}:00",), "time")
        for match in _MONTH.finditer(text):
            yield Mention(*match.span(), match[0], (f"cldr:month:{int(match[1])}",), "month")
    for match in (_SPACELESS_NUMBER if language in SPACELESS else _NUMBER).finditer(text):
        yield _quantity(text, match, language)


def _quantity(text: str, match: re.Match[str], language: str) -> Mention:
    """Return a number with its scale and unit: 1.5 million, 30 %, $750, 3 pm."""
    start, end = match.span()
    value = number_value(match[0], language)
    if value.isdigit() and int(value) <= 24 and _half(text, end, language):
        return _time(text, start, end, int(value), 0, language)
    if (scale := _word_at(text, end, language, scales=True)) is not None:
        power, end = scale
        value = f"{Decimal(value) * 10 ** int(power):f}"
        value = value.rstrip("0").rstrip(".") if "." in value else value
    unit = _word_at(text, end, language)
    before = re.search(r"(?:US)?([$€£¥₽₹])\s?$", text[max(0, start - 4) : start])
    if unit is None and before:
        unit, start = (_signs()[before[1]], end), start - len(before[0])
    elif unit is None and language == "zh" and text[max(0, start - 4) : start].rstrip().endswith("百分之"):
        unit = "percent", end
    entities = [f"{NUMBER}{value}"]
    if unit is not None:
        name, end = unit
        entities.insert(0, f"percent:{value}" if name == "percent" else f"amount:{name}:{value}")
    return Mention(start, end, text[start:end], tuple(entities), "quantity")


def _time(text: str, start: int, end: int, hour: int, minute: int, language: str) -> Mention:
    if half := _half(text, end, language):
        later, end = half
        hour = hour % 12 + 12 * later
    return Mention(start, end, text[start:end], (f"time:{hour % 24:02}:{minute:02}",), "time")


def _half(text: str, end: int, language: str) -> tuple[bool, int] | None:
    """Return whether a.m. or p.m. (True) follows, and where it ends."""
    match = re.match(r"\s?([ap])\.?\s?m\b\.?", text[end : end + 6], re.IGNORECASE)
    if language not in ("en", "es", "gu", "kk") or match is None:
        return None
    return match[1].lower() == "p", end + len(match[0].rstrip("."))


def _word_at(text: str, place: int, language: str, *, scales: bool = False) -> tuple[str, int] | None:
    """Return what the word at a place means, a scale or a unit, and where it ends."""
    space = _AFTER.match(text, place)
    first = space.end() if space else place
    ahead = text[first : first + _LONGEST_WORD + 3]
    for form, meaning in _forms(language if scales else "").get(ahead[:1].casefold(), ()):
        bare = form.rstrip("*")
        if ahead.casefold().startswith(bare.casefold()):
            end = first + len(bare)
            if form.endswith("*") and language not in SPACELESS:
                while end < len(text) and text[end].isalpha():
                    end += 1
            elif bare[-1:].isalpha() and text[end : end + 1].isalpha() and bare.isascii():
                continue
            return meaning, end
    return None


def numerals(text: str) -> list[int]:
    """Return the numbers that a text has in Chinese characters: 10000 for 一万, 3000000000 for 三十亿."""
    return [_numeral(run) for run in _NUMERAL.findall(text)]


def _numeral(run: str) -> int:
    whole = part = digit = 0
    for sign in run:
        if sign in "一二三四五六七八九":
            digit = "一二三四五六七八九".index(sign) + 1
        elif sign in "两零":
            digit = 2 * (sign == "两")
        elif (power := "个十百千".find(sign)) > 0:
            part, digit = part + (digit or 1) * 10**power, 0
        else:
            whole, part, digit = (whole + (part + digit or 1)) * 10 ** {"万": 4, "亿": 8}[sign], 0, 0
    return whole + part + digit


def has_scale(words: Iterable[str], power: int, language: str) -> bool:
    """Return whether words have one for ten to a power: million, of 6."""
    scales = [form for forms in _forms(language).values() for form, meaning in forms if meaning == str(power)]
    stems = tuple(form.rstrip("*").casefold() for form in scales if len(form) > 2)
    return bool(stems) and any(word.startswith(stems) for word in words)


@lru_cache(maxsize=64)
def _forms(language: str) -> dict[str, list[tuple[str, str]]]:
    """Return the scales of a language, or the units of all for "", by first letter, the longest first."""
    if language:
        rules = [tuple(rule.rsplit(":", 1)) for rule in quantities()["scales"].get(language, "").split(" ") if rule]
    else:
        rules = [(form, unit) for unit, forms in quantities()["units"].items() for form in forms.split(" ")]
    table: dict[str, list[tuple[str, str]]] = {}
    for form, meaning in sorted(rules, key=lambda rule: -len(rule[0])):
        table.setdefault(form[:1].casefold(), []).append((form.replace("\u00a0", " "), meaning))
    return table


@cache
def _signs() -> dict[str, str]:
    """Return the currency of each sign."""
    return {form: unit for unit, forms in quantities()["units"].items() for form in forms.split() if len(form) == 1}


def quantities() -> dict[str, Any]:
    """Return the words beside numbers (data/quantities.toml)."""
    return packaged(__package__, "data/quantities.toml")


def number_value(written: str, language: str) -> str:
    """Return a number in ASCII digits, with a decimal point and without separators of thousands.

    A sign before exactly three digits separates thousands if it is not the language's decimal sign or occurs twice.
    """
    digits = re.sub(r"[\u00a0\u202f ’'٬]", "", written).replace("·", ".")
    decimal = "." if language in _DECIMAL_POINT or "·" in written else ","
    other = "," if decimal == "." else "."
    if re.fullmatch(rf"\d+(?:{re.escape(decimal)}\d{{3}}){{2,}}", digits):
        digits = digits.replace(decimal, "")
    elif re.fullmatch(rf"\d{{1,3}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(decimal)}\d+)?", digits):
        digits = digits.replace(other, "")
    plain = "".join(str(int(digit)) if digit.isdigit() else digit for digit in digits.replace(",", "."))
    whole, point, fraction = plain.rpartition(".") if "." in plain else (plain, "", "")
    whole = whole.replace(".", "")  # 1,234.5 where 1.234,5 is usual
    return (whole.lstrip("0") or "0") + point + fraction
