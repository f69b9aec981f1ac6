"""Read GeoNames' places (cities15000.txt, allCountries.txt) and their names by language (alternateNamesV2.txt).

The columns are those of the readme at download.geonames.org/export/dump. With a table of names, a place has the names
that are tagged with a chosen language, and Wikidata's id if the table has it. Without one, the untagged names in the
table of places are used for every chosen language of their script.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import sqrt
from pathlib import Path

from ...errors import DataError, UsageError
from ...text.scripts import dominant, scripts_of
from ..spill import NameRecord
from .categories import codes_of
from .tables import numbered_lines

CATEGORY = "place"
Places = dict[str, tuple[str, float]]  # the id and the weight of a place by its number
_PLACE_COLUMNS, _NAME_COLUMNS = (19,), (8, 10)
_UNTAGGED = 0.5  # weight of a name whose language is not known, relative to a tagged one


def read_geonames(paths: Sequence[str | Path], languages: Sequence[str]) -> Iterator[NameRecord]:
    """Yield the names of places, from at least one table of places and any number of tables of names."""
    kinds = {path: next(numbered_lines(path), ("", ""))[1].count("\t") + 1 for path in paths}
    for path, columns in kinds.items():
        if columns not in (*_PLACE_COLUMNS, *_NAME_COLUMNS):
            raise DataError(
                f"{path}, line 1: {columns} columns. GeoNames' tables of places have 19 columns, those of names 10."
            )
    tables = [path for path, columns in kinds.items() if columns in _PLACE_COLUMNS]
    names = [path for path, columns in kinds.items() if columns in _NAME_COLUMNS]
    if not tables:
        raise UsageError(
            "GeoNames needs a table of places, such as cities15000.txt, in addition to the table of names."
        )
    known = {row[1]: row[3] for path in names for _, row in _rows(path, _NAME_COLUMNS) if row[2] == "wkdt"}
    places: Places = {}
    for path in tables:
        yield from _read_places(path, languages, places, known, tagged=bool(names))
    for path in names:
        yield from _read_names(path, languages, places)


def _rows(path: str | Path, columns: tuple[int, ...]) -> Iterator[tuple[str, list[str]]]:
    for where, line in numbered_lines(path):
        fields = line.split("\t")
        if len(fields) not in columns:
            raise DataError(f"{where}: {len(fields)} columns, but this table of GeoNames has {columns[-1]}.")
        yield where, fields


def _read_places(
    path: str | Path, languages: Sequence[str], places: Places, known: dict[str, str], *, tagged: bool
) -> Iterator[NameRecord]:
    latin = codes_of(tuple(languages)).latin
    for where, row in _rows(path, _PLACE_COLUMNS):
        try:
            population = int(row[14] or 0)
        except ValueError:
            raise DataError(f"{where}: the population {row[14]!r} is not a number.") from None
        # On the scale of Wikidata's sitelinks: 15,000 people give 5, one million 33, ten million 101.
        place, weight = known.get(row[0], f"geonames:{row[0]}"), 1 + sqrt(max(0, population) / 1000)
        places[row[0]] = place, weight
        for number in latin:
            yield NameRecord(place, languages[number], row[1], CATEGORY, weight * _UNTAGGED if tagged else weight)
        for name in () if tagged else filter(_is_name, row[3].split(",")):
            script = _script(next(filter(str.isalpha, name), ""))
            for number in _written_in(script, tuple(languages)):
                yield NameRecord(place, languages[number], name, CATEGORY, weight * _UNTAGGED)


def _read_names(path: str | Path, languages: Sequence[str], places: Places) -> Iterator[NameRecord]:
    codes = codes_of(tuple(languages))
    for _, row in _rows(path, _NAME_COLUMNS):
        # Colloquial (The Big Apple) and historic names often mean something else than today's place.
        if row[1] not in places or not row[2] or not row[3] or "1" in (row[6], row[7]):
            continue
        place, weight = places[row[1]]
        for number in codes[row[2]]:
            yield NameRecord(place, languages[number], row[3], CATEGORY, weight * (1.0 if row[4] == "1" else 0.9))


def _is_name(name: str) -> bool:
    """Return whether an untagged name is a name, and not an airport code or an address."""
    return len(name) > 1 and not (name.isascii() and name.isupper() and len(name) <= 4) and "/" not in name


@lru_cache(maxsize=10_000)
def _script(letter: str) -> str | None:
    return dominant([letter])


@lru_cache(maxsize=1000)
def _written_in(script: str | None, languages: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(number for number, language in enumerate(languages) if script in scripts_of(language))
