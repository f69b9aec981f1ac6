"""Read tables of names: the user's own, as JSON lines or tab-separated values, terminology, WordNet, and maps of ids.

A JSON line is one name, {"id", "language", "name", "category", "weight"}, or an entity with all its names, {"id",
"names" or "labels": {language: name or list of names}, "aliases": {language: list}, "category" or "types", "weight"}.
A tab-separated line is id, language, name, and optionally category and weight.
"""

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ...data.lines import read_blocks
from ...data.terminology import read_terms
from ...errors import DataError, UsageError
from ...text.packaged import packaged
from ..spill import NameRecord
from .categories import codes_of

ALIAS_WEIGHT = 0.5  # weight of an alias relative to the label
_COLUMNS = ("id", "language", "name", "category", "weight")


def read_jsonl(path: str | Path, languages: Sequence[str]) -> Iterator[NameRecord]:
    """Yield the names of a file of JSON lines (also gzipped) in the chosen languages."""
    codes = codes_of(tuple(languages))
    for where, item in json_lines(path):
        entity = _text(item, "id", where)
        category = _category(item, where)
        weight = _weight(item.get("weight", 1.0), where)
        for code, name, share in _names(item, where):
            for number in codes[code]:
                yield NameRecord(entity, languages[number], name, category, weight * share)


def read_tsv(path: str | Path, languages: Sequence[str]) -> Iterator[NameRecord]:
    """Yield the names of a tab-separated file (also gzipped) in the chosen languages. A header line is skipped."""
    codes = codes_of(tuple(languages))
    for number, (where, line) in enumerate(numbered_lines(path)):
        fields = line.split("\t")
        if number == 0 and tuple(fields) == _COLUMNS[: len(fields)]:
            continue
        if not 3 <= len(fields) <= 5:
            raise DataError(f"{where}: {len(fields)} tab-separated fields; 3 to 5 are needed: {', '.join(_COLUMNS)}.")
        entity, code, name, category, weight = (*fields, "", "")[:5]
        if not entity or not name:
            raise DataError(f"{where}: the {'name' if entity else 'id'} is empty.")
        for language in codes[code]:
            yield NameRecord(entity, languages[language], name, category, _weight(weight or 1.0, where))


def read_ids(path: str | Path) -> dict[str, str]:
    """Read a mapping of ids: JSON lines with "mid" and "wikidata_id" or "from" and "to", or tab-separated pairs."""
    found = {}
    if next(numbered_lines(path), ("", ""))[1].lstrip().startswith("{"):
        for where, item in json_lines(path):
            old, new = ("mid", "wikidata_id") if "mid" in item else ("from", "to")
            found[_text(item, old, where)] = _text(item, new, where)
        return found
    for where, line in numbered_lines(path):
        fields = line.split("\t")
        if len(fields) != 2 or not all(fields):
            raise DataError(f"{where}: an id, a tab and the id that replaces it are needed.")
        found[fields[0]] = fields[1]
    return found


def read_wordnet(path: str | Path, languages: Sequence[str], *, parts_of_speech: str = "n") -> Iterator[NameRecord]:
    """Yield the names of WordNet's synsets in the chosen languages, by default of nouns.

    Bond and Foster (2013), "Linking and Extending an Open Multilingual Wordnet", ACL. A line is {"id": "02084071-n",
    "names": {"en": ["dog"], ...}}; the id is WordNet 3.0's offset and part of speech.

    The weight of a synset is the number of languages that name it, chosen or not: what many wordnets have is common.
    The first name in each language is the label and has the full weight; the others have less.
    """
    codes = codes_of(tuple(languages))
    for where, item in json_lines(path):
        synset, named = item.get("id"), item.get("names")
        if not isinstance(synset, str) or not isinstance(named, dict):
            raise DataError(f"{where}: a synset needs an 'id' and 'names' by language.")
        if synset.rpartition("-")[2] not in parts_of_speech:
            continue
        for code, names in named.items():
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise DataError(f"{where}: the names in {code!r} are not a list of texts.")
            for place, written in enumerate(names):
                # The Chinese wordnet marks an optional particle with a plus sign; others write blanks as _.
                name = written.partition("+")[0].replace("_", " ").strip()
                for number in codes[code] if name else ():
                    weight = len(named) * (1.0 if place == 0 else 0.9)
                    yield NameRecord(f"wn:{synset}", languages[number], name, "concept", weight)


def read_terminology(path: str | Path, languages: Sequence[str]) -> Iterator[NameRecord]:
    """Yield the terms of a terminology file, such as TBX. An entity is a source term; there are two languages."""
    if len(languages) != 2:
        raise UsageError(f"--terms needs two languages, those of source and target, not {len(languages)}.")
    source, target = languages
    name = Path(path).name
    for number, (term, translations) in enumerate(read_terms(path, f"{source}-{target}").items(), 1):
        entity = f"{name}:{number}"
        yield NameRecord(entity, source, term, "term", 1.0)
        for translation in translations:
            yield NameRecord(entity, target, translation, "term", 1.0)


def numbered_lines(path: str | Path) -> Iterator[tuple[str, str]]:
    """Yield the place ("FILE, line N") and the text of each line that is not blank."""
    for number, line in enumerate((line for block in read_blocks(path) for line in block), 1):
        if line.strip():
            yield f"{path}, line {number}", line


def json_lines(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place ("FILE, line N") and the object of each line of a file of JSON lines."""
    for where, line in numbered_lines(path):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{where}: not JSON ({error}).") from None
        if not isinstance(item, dict):
            raise DataError(f'{where}: a JSON object is needed, as {{"id": …, "language": …, "name": …}}.')
        yield where, item


def _names(item: dict[str, Any], where: str) -> Iterator[tuple[str, str, float]]:
    """Yield language, name, and relative weight: 1 for a label, ALIAS_WEIGHT for an alias."""
    if "name" in item or "language" in item:
        yield _text(item, "language", where), _text(item, "name", where), 1.0
        return
    if not {"names", "labels", "aliases"} & set(item):
        raise DataError(f"{where}: it has neither 'name' and 'language' nor 'names' or 'labels'.")
    for key, value in item.items():
        if key.startswith("aliases_"):
            value = {key.removeprefix("aliases_"): value}
        elif key not in ("names", "labels", "aliases"):
            continue
        if not isinstance(value, dict):
            raise DataError(f"{where}: {key!r} must be an object with the names of each language.")
        for code, names in value.items():
            for place, name in enumerate(names if isinstance(names, list) else [names]):
                if not isinstance(name, str) or not name:
                    raise DataError(f"{where}: a name in {code!r} is not a text.")
                yield code, name, 1.0 if key in ("names", "labels") and place == 0 else ALIAS_WEIGHT


def _text(item: dict[str, Any], key: str, where: str) -> str:
    value = item.get(key)
    if not isinstance(value, str) or not value:
        raise DataError(f"{where}: {key!r} is missing or not a text.")
    return value


def _weight(value: str | float, where: str) -> float:
    try:
        weight = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError):
        weight = math.nan
    if not 0 <= weight < math.inf:
        raise DataError(f"{where}: the weight {value!r} must be a number of 0 or more.")
    return weight


def _category(item: dict[str, Any], where: str) -> str:
    given = item.get("category", item.get("types", ""))
    if isinstance(given, list):
        given = given[0] if given else ""
    if not isinstance(given, str):
        raise DataError(f"{where}: the category is not a text.")
    return _categories().get(given, given)


@cache
def _categories() -> dict[str, str]:
    table = packaged(__package__, "tables.toml")["categories"]
    return {word: category for category, words in table.items() for word in words.split()}
