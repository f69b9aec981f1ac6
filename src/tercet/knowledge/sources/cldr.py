"""Read names of countries, languages, scripts, currencies, cities, units, months and days from CLDR.

The Unicode Common Locale Data Repository has them in nearly all languages. Babel (an extra) contains its data.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import optional
from ..spill import NameRecord

log = logging.getLogger(__name__)

# Babel's name of the table, our category, weight on the scale of Wikidata's sitelinks.
TABLES = (
    ("territories", "place", 200.0),
    ("languages", "language", 50.0),
    ("scripts", "concept", 20.0),
    ("currencies", "quantity", 50.0),
)
_CITY, _UNIT, _TIME = 30.0, 20.0, 100.0
_INVENTED = {"ZZ", "XA", "XB", "root", "und", "mul", "zxx", "mis", "Zzzz", "Zxxx", "Zyyy", "XXX", "XTS"}


def read_cldr(languages: Sequence[str]) -> Iterator[NameRecord]:
    """Yield the names in the chosen languages. Warns of languages that CLDR does not have."""
    babel = optional("babel", "Reading CLDR", "kobe")
    for language in languages:
        try:
            locale = babel.Locale.parse(language, sep="-")
        except (babel.UnknownLocaleError, ValueError):
            log.warning("CLDR has no names in %s.", language)
            continue
        for entity, name, category, weight in _names(locale):
            if name and name != entity.rpartition("/")[2]:  # CLDR gives the code if it has no name
                yield NameRecord(f"cldr:{entity}", language, name, category, weight)


def _names(locale: Any) -> Iterator[tuple[str, str, str, float]]:
    for table, category, weight in TABLES:
        for code, name in getattr(locale, table).items():
            if code not in _INVENTED:
                yield f"{table}/{code}", name, category, weight
    for zone, names in locale.time_zones.items():
        if "city" in names and not zone.startswith("Etc/"):
            yield f"cities/{zone}", names["city"], "place", _CITY
    for unit, names in locale.unit_display_names.items():
        if isinstance(names, Mapping) and "long" in names:
            yield f"units/{unit}", names["long"], "quantity", _UNIT
    # As a heading and within a date: many languages inflect the latter.
    for kind, table in (("months", locale.months), ("days", locale.days)):
        for context, share in (("stand-alone", 1.0), ("format", 0.9)):
            for number, name in table[context]["wide"].items():
                yield f"{kind}/{number}", name, "time", _TIME * share
