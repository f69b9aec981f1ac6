"""Find a name in a text in another form: inflected, derived, in a compound, as an acronym, in other letters, as a word.

The rules' words are in data/name_forms.toml and data/quantities.toml. `Text.has_form` tries the ways one after the
other, and says which one found the name. None of them is certain; together they say when a name is *not* in a text.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import groupby, pairwise
from math import ceil
from typing import Any

from ..text.packaged import packaged
from .literals import has_scale, literals, number_of, numerals, quantities
from .normalise import SPACELESS, spans, token_forms

SHORTEST = 3  # letters by which a word is recognised in another form
WHOLE = 5  # letters by which a name is recognised inside a compound
_ACRONYM = re.compile(r"\b(?:[^\W\d_]\.\s?){1,5}[^\W\d_]\b\.?|\b[^\W\d_]{2,6}\b")
Forms = Sequence[Sequence[str]]  # names, each as the forms of its words


def rules() -> dict[str, Any]:
    """Return the rules of data/name_forms.toml."""
    return packaged(__package__, "data/name_forms.toml")


class Text:
    """A text in which names are looked for, prepared once."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.words = words(text, language)
        self.squeezed = squeeze(text)

    def has_form(self, name: str, language: str, names: Forms, entities: Iterable[str]) -> str:
        """Return the way in which the text has a name; empty if no way finds it.

        name: as it is written in the other text, which is in `language`. names: of the same entities, in the language
        of this text. entities: what it may mean, with countries and languages of the same people.
        """
        own, squeezed = words(name, language), squeeze(name)
        if self._has_squeezed(squeezed) or (own and all(begins(self.words, w, max(4, len(w) - 1)) for w in own)):
            return "as written"
        if any(self.has_name(form) for form in names):
            return "other form"
        if self._has_acronym([*names, own], name):
            return "acronym"
        codes = [re.sub(r"^(?:cldr:territory|iso|cldr:language):", "", entity) for entity in entities]
        if any(map(self._has_people, dict.fromkeys([*codes, *_peoples_of(own, name)]))):
            return "same people"
        if any(self._has_sign(entity, names) for entity in entities):
            return "sign"
        if any(len(form) == 1 and self._is_misspelt(form[0]) for form in names):
            return "misspelt"
        return "sound" if self._has_sound(name, language) else ""

    def _is_misspelt(self, word: str) -> bool:
        """Return whether a word of the text differs from a long one in a letter."""
        near = (other for other in self.words if abs(len(other) - len(word)) < 2 and other[:1] == word[:1])
        return len(word) > WHOLE and any(_distance(word, other) == 1 for other in near)

    def _has_squeezed(self, name: str) -> bool:
        """Return whether the text has a name if blanks and marks are left out: "0 . 02", "South East Asia"."""
        if name.isdigit():
            return bool(re.search(rf"(?<![\d.,]){re.escape(name)}(?![\d])", self.squeezed))
        return len(name) >= WHOLE and name in self.squeezed

    def has_name(self, name: Sequence[str]) -> bool:
        joined = "".join(name)
        if self.language in SPACELESS:
            short = joined[2:] if len(joined) > WHOLE + 1 else joined  # the country before 国家航空航天局
            return len(joined) > 1 and short in self.squeezed
        if len(joined) >= WHOLE + 1 and joined in self.squeezed:
            return True
        # The words that tell a name from others: "rostov" of "rostov on don"; none of a code of two letters.
        telling = [word for word in name if len(word) > SHORTEST] or [word for word in name if len(word) == SHORTEST]
        return bool(telling) and all(
            begins(self.words, word, max(SHORTEST, ceil(0.6 * len(word)))) or self._in_compound(word)
            for word in telling
        )

    def _in_compound(self, word: str) -> bool:
        stem = next((word.removesuffix(end) for end in _endings(self.language) if word.endswith(end)), word)
        if len(stem) < SHORTEST + 1 or (len(stem) < WHOLE and stem == word):
            return False
        return any(
            other.startswith(stem) or (len(stem) >= WHOLE and stem in other) for other in self.words if len(other) > 3
        )

    def _has_acronym(self, names: Iterable[Sequence[str]], written: str) -> bool:
        """Return whether the text has the initials of a name, or words with the initials of an acronym."""
        initials = {"".join(word[0] for word in name if word[:1].isalpha()) for name in names if len(name) > 1}
        initials |= {"".join(w[0] for w in name if len(w) > SHORTEST) for name in names if len(name) > 2}
        bare = re.sub(r"[.\s]", "", written)
        if 2 <= len(bare) <= 5 and bare.isupper():
            initials.add(bare.casefold())
            if len(bare) > 2 and bare.casefold() in "".join(word[0] for word in self.words):
                return True
        return any(len(acronym) > 1 and sorted(acronym) in map(sorted, initials) for acronym in self.acronyms)

    @cached_property
    def acronyms(self) -> set[str]:
        found = (re.sub(r"[.\s]", "", match[0]) for match in _ACRONYM.finditer(self.text))
        return {word.casefold() for word in found if word.isupper()}

    def _has_people(self, code: str) -> bool:
        """Return whether the text has a word for a country, its people or its language."""
        stems = _peoples().get(code, ())
        found = {*self.acronyms, *self.words}
        capitals = {stem.casefold() for stem in stems if stem.isupper()}
        if "us" in capitals and "us" not in self.acronyms:
            capitals.discard("us")  # the pronoun
        return not capitals.isdisjoint(found) or any(_is_stem_of(stem, self.words, self.text) for stem in stems)

    def _has_sign(self, entity: str, names: Forms) -> bool:
        """Return whether the text has the sign or code of a currency, or a number in words, or in another unit."""
        kind, _, rest = entity.partition(":")
        if entity.startswith("cldr:currency:"):
            forms = quantities()["units"].get(entity.rpartition(":")[2], "").split()
            return any(form.rstrip("*").casefold() in self.text.casefold() for form in forms)
        if rest.startswith(("month:", "day:")):
            long = [name[0] for name in names if len(name) == 1 and len(name[0]) > 3]
            if any(short in self.words for name in long for short in (name[:3], name[:4])):
                return True  # Dec.
            month = rest.rpartition(":")[2]
            return rest.startswith("m") and bool(re.search(rf"(?<!\d)0?{month}\s?[./月-]", self.text))
        if (value := number_of(entity)) is not None:
            return self._has_number(value, entity)
        return kind == "time" and self._has_hour(rest)

    def _has_number(self, value: str, entity: str) -> bool:
        others = [entity for each in literals(self.text, self.language) for entity in each.entities]
        others += [f"number:{value}" for value in numerals(self.text)] if self.language in SPACELESS else []
        found: set[str | None] = {number_of(other) or _hour_of(other) for other in others}
        if any(_is_near(each, {value}) for other in others for each in _converted(other, number_of(other) or "")):
            return True
        if value in found or any(_is_near(each, found) for each in _converted(entity, value)):
            return True
        if len(value) > 1 and re.search(rf"(?<![\d.,]){re.escape(value)}(?!\d)", self.squeezed):
            return True
        own = [int(value)] if value.isdigit() else []
        for power in (3, 6, 9, 12):  # five million
            if (
                own
                and own[0] % 10**power == 0
                and own[0] // 10**power < 100
                and has_scale(self.words, power, self.language)
            ):
                own.append(own[0] // 10**power)
        return any(self._has_in_words(each) for each in (*own, *map(round, _converted(entity, value))))

    def _has_in_words(self, value: int) -> bool:
        """Return whether the text has a number from 1 to 99 in words."""
        if not 1 <= value < 100:
            return False
        ten, one = divmod(value, 10)
        if value <= 20:
            return self._has_stem("words", value - 1)
        return self._has_stem("tens", ten - 2) and (not one or self._has_stem("words", one - 1, inside=True))

    def _has_stem(self, table: str, place: int, *, inside: bool = False) -> bool:
        """Return whether the text has a number in words, by its place in a table."""
        written = quantities()[table].get(self.language, "").split(" ")[place : place + 1]
        stems = [stem for each in written for stem in each.replace("\u00a0", " ").split(",") if stem]
        if self.language in SPACELESS:
            return any(stem in self.text for stem in stems)
        return any(word.startswith(stem) or (inside and stem in word) for stem in stems for word in self.words)

    def _has_hour(self, clock: str) -> bool:
        hour, _, minute = clock.partition(":")
        shown = {str(int(hour)), str((int(hour) - 1) % 12 + 1)}
        return minute == "00" and any(re.search(rf"(?<!\d){each}(?!\d)", self.text) for each in shown)

    def _has_sound(self, name: str, language: str) -> bool:
        """Return whether words are spelled or sound like all words of a name, perhaps in other letters."""
        parts = [name] if language in SPACELESS else [w for w in words(name, language) if len(w) >= SHORTEST]
        return bool(parts) and all(self._has_like(part, language) for part in parts)

    def _has_like(self, word: str, language: str) -> bool:
        if self.language not in SPACELESS and language not in SPACELESS:
            plain = romanised(word)
            others = map(romanised, self.words)
            if any(_distance(plain, other) <= len(plain) // 4 for other in others if abs(len(plain) - len(other)) < 3):
                return True
        if script(word) == script(self.text):
            return False
        wanted = _code(romanised(word))
        return len(wanted) > 2 and (wanted in self._sounds or (len(wanted) > 4 and wanted[:-1] in self._sounds))

    @cached_property
    def _sounds(self) -> set[str]:
        if self.language not in SPACELESS:
            return {_code(romanised(word)) for word in (*self.words, *map("".join, pairwise(self.words)))}
        known = _letters()
        codes = "".join(f" {known[c]}" if ord(c) > 0x2E80 and c in known else "|" for c in self.text)
        return {
            _code("".join(run[first:last]))  # runs of two to seven syllables
            for run in map(str.split, codes.split("|"))
            for first in range(len(run))
            for last in range(first + 2, min(first + 8, len(run) + 1))
        }


def _hour_of(entity: str) -> str | None:
    """Return the hour of a full hour: 17 of time:17:00."""
    hour = entity.removeprefix("time:").removesuffix(":00")
    return str(int(hour)) if hour.isdigit() and entity.startswith("time:") else None


def _converted(entity: str, value: str) -> list[float]:
    """Return what an amount may be in other units: 80 degrees Fahrenheit are 27."""
    unit = entity.split(":")[1] if entity.startswith("amount:") else ""
    return [(float(value) - less) * factor for factor, less in quantities()["conversions"].get(unit, [])]


def _is_near(value: float, found: Iterable[str | None]) -> bool:
    return any(each and abs(float(each) - value) <= 0.03 * abs(value) for each in found)


@lru_cache(maxsize=1 << 14)
def words(text: str, language: str) -> tuple[str, ...]:
    """Return the forms of the words of a text, without punctuation."""
    return tuple(form for form in token_forms(text, spans(text), language) if form[:1].isalnum())


def squeeze(text: str) -> str:
    """Return a text in lower case without blanks, full stops, hyphens and the marks of letters."""
    return re.sub(r"[\s.\-‐–·•'’]+", "", strip_marks(text.casefold()))


def strip_marks(text: str) -> str:
    """Return a text without the marks of its letters."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f")


def begins(found: Sequence[str], word: str, letters: int) -> bool:
    """Return whether a word of a text is a word, or begins with so many letters of it.

    Three letters are enough only for words that are hardly longer: Тулу for Тула, and not Venedig for Vena.
    """
    start, short = word[: max(letters, SHORTEST + 1)], word[:letters]
    return word in found or any(
        (len(start) > SHORTEST and other.startswith(start))
        or (len(short) >= letters and other.startswith(short) and len(other) <= len(word) + 1)
        for other in found
    )


@lru_cache(maxsize=64)
def _endings(language: str) -> list[str]:
    return sorted(rules()["endings"].get(language, "").split(), key=len, reverse=True)


def script(text: str) -> str:
    """Return latin, cyrillic, gujarati or chinese: the script of most letters that are not Latin, else latin."""
    for letter in text:
        code = ord(letter)
        if 0x400 <= code < 0x530:
            return "cyrillic"
        if 0xA80 <= code < 0xB00:
            return "gujarati"
        if 0x3400 <= code < 0xA000:
            return "chinese"
    return "latin"


@cache
def _letters() -> dict[str, str]:
    table = rules()["letters"]
    found = dict(pair.split(":") for name in ("cyrillic", "gujarati") for pair in table[name].split())
    for pair in table["chinese"].split():
        syllable, _, characters = pair.partition(":")
        found.update(dict.fromkeys(characters, syllable))
    return found


@lru_cache(maxsize=1 << 16)
def romanised(word: str) -> str:
    """Return a word in plain Latin letters, one for each sound that languages spell in different ways."""
    known = _letters()
    plain = "".join(known.get(letter, letter) for letter in strip_marks(word.casefold()))
    for spelling in rules()["sounds"]["spellings"].split():
        plain = plain.replace(*spelling.split(":"))
    return plain


def _code(letters: str) -> str:
    letters = letters.replace("ng", "n").replace("ph", "f").replace("er", "r")
    known = _sound_classes()
    return "".join(code for code, _ in groupby(known[letter] for letter in letters if letter in known))


@cache
def _sound_classes() -> dict[str, str]:
    return {
        letter: str(code) for code, letters in enumerate(rules()["sounds"]["classes"].split()) for letter in letters
    }


def _distance(a: str, b: str) -> int:
    """Return the edit distance of two words."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != other))
    return row[-1]


@cache
def _peoples() -> dict[str, list[str]]:
    return {code: stems.split() for code, stems in rules()["peoples"].items()}


@lru_cache(maxsize=1 << 12)
def _peoples_of(own: tuple[str, ...], name: str) -> list[str]:
    """Return the countries that a name says something of: "North Korean", "US Open"."""
    return [code for code, stems in _peoples().items() if any(_is_stem_of(stem, own, name) for stem in stems)]


def _is_stem_of(stem: str, found: Sequence[str], text: str) -> bool:
    """Return whether words begin with a stem, or have a long one inside; a stem in capitals is an acronym."""
    if ord(stem[0]) > 0x2E80:
        return stem in text
    if stem.isupper() and len(stem) < WHOLE:
        return re.search(rf"\b{stem}\b", text) is not None
    return any(word.startswith(stem) or (len(stem) >= WHOLE and stem in word) for word in found)


def part_of_longer(text: str, start: int, end: int) -> bool:
    """Return whether a Chinese name goes on with characters that only write the sound of foreign names."""
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    around = text[max(0, start - 3) : start].strip()[-1:] + text[end : end + 3].strip()[:1]
    if text[start : end + 1] in rules()["letters"]["animals"].split():
        return True
    return not {*rules()["letters"]["only_in_names"]}.isdisjoint(beside) or not {*"·•・"}.isdisjoint(around)


def only_sounds(name: str) -> bool:
    """Return whether a Chinese name has two characters that may be part of any foreign name: 阿曼 of 阿曼达."""
    return len(name) == 2 and script(name) == "chinese" and {*name} <= _letters().keys() and name != "日本"


def is_listed(form: str, language: str, table: str) -> bool:
    """Return whether a table has a word: `ordinary` words, or `parts` of names."""
    return form in rules()[table].get(language, "").split()
