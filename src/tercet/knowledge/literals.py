"""Find numbers and web addresses in texts, which translations must keep although no knowledge base lists them."""

from __future__ import annotations

import re

from .mentions import Mention

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,\u00a0\u202f ’']\d{3})*(?:[.,]\d+)?(?![\w])")
# An e-mail address begins where a word does. To look for one at every letter would take the square of a word's length.
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"“”«»]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)
_DECIMAL_POINT = frozenset("en zh ja ko th gu hi bn mr ta te he ar".split())  # other languages use a comma
_NUMBER_PREFIX, _ADDRESS_PREFIX = "number:", "address:"


def is_literal(entity: str) -> bool:
    """Return whether an entity is a number or an address, which every language can write."""
    return entity.startswith((_NUMBER_PREFIX, _ADDRESS_PREFIX))


def literals(text: str, language: str) -> list[Mention]:
    """Return the numbers and addresses of a text, as mentions of number:1000.5, address:example.org and the like."""
    found = []
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(".,;:!?)]}'’")
        bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", address.lower()).rstrip("/")
        span = match.start(), match.start() + len(address)
        found.append(Mention(*span, address, (_ADDRESS_PREFIX + bare,), "address"))
    for match in _NUMBER.finditer(text):
        if not any(mention.start <= match.start() < mention.end for mention in found):
            entity = _NUMBER_PREFIX + number_value(match[0], language)
            found.append(Mention(*match.span(), match[0], (entity,), "quantity"))
    return sorted(found)


def number_value(written: str, language: str) -> str:
    """Return a number in ASCII digits, with a decimal point and without separators of thousands.

    A sign before exactly three digits separates thousands if it is not the language's decimal sign or occurs twice.
    """
    digits = re.sub(r"[\u00a0\u202f ’']", "", written)
    decimal = "." if language in _DECIMAL_POINT else ","
    other = "," if decimal == "." else "."
    if re.fullmatch(rf"\d+(?:{re.escape(decimal)}\d{{3}}){{2,}}", digits):
        digits = digits.replace(decimal, "")
    elif re.fullmatch(rf"\d{{1,3}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(decimal)}\d+)?", digits):
        digits = digits.replace(other, "")
    digits = digits.replace(",", ".")
    whole, point, fraction = digits.partition(".")
    value = "".join(str(int(digit)) if digit.isdigit() else digit for digit in whole).lstrip("0") or "0"
    fraction = "".join(str(int(digit)) if digit.isdigit() else digit for digit in fraction)
    return value + point + fraction
