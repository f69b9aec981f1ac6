"""Find the names of months in texts, with the names of Babel (extra `kobe`); without Babel none is found."""

import re
from functools import lru_cache

from ..text.scripts import base_code


def months_of(text: str, language: str) -> dict[int, str]:
    """Return the months named beside a number, by their number."""
    names = _names(base_code(language))
    if not names:
        return {}
    found = {}
    for match in re.finditer(r"\d[.,]?\s*(?:de\s+)?([^\W\d_]{3,})|([^\W\d_]{3,})\.?\s+\d", text):
        word = (match[1] or match[2]).lower()
        if word in names:
            found[names[word]] = match[1] or match[2]
    return found


@lru_cache(maxsize=32)
def _names(language: str) -> dict[str, int]:
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
