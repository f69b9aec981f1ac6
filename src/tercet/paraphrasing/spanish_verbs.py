"""Conjugate Spanish verbs: regular paradigms, changes of stems and spelling, and a table of irregular verbs.

The tables are in data/verbs_es.toml. Tenses are called by their features in Universal Dependencies: Pres, Imp, Past
(pretérito indefinido), Fut, Cnd (conditional) and Sub (present subjunctive).
"""

import re
from functools import cache, lru_cache
from typing import Any

from ..text.packaged import packaged

TENSES = ("Pres", "Imp", "Past", "Fut", "Cnd", "Sub")
_STRESSED = (0, 1, 2, 5)  # persons whose stem is stressed in the present
_THIRD = (2, 5)
_ACCENTED = str.maketrans("aeiou", "áéíóú")
_PLAIN = str.maketrans("áéíóú", "aeiou")
# Spelling before another vowel: buscar, busqué; coger, cojo; distinguir, distingo; averiguar, averigüé.
_BEFORE_E = (("gu", "gü"), ("c", "qu"), ("g", "gu"), ("z", "c"))
_BEFORE_O = (("gu", "g"), ("qu", "c"), ("g", "j"))
_FAMILY_PREFIX = re.compile(
    r"(?:|a|abs|ante|com|con|contra|de|des|de[st]|dis|e|em|entre|equi|ex|i|im|in|inter|intro|man|mante|o|ob|ab|obten|op|"
    r"pre|pro|pos|re|recon|sobre|son|sos|sub|super|su|tra|trans|rein|pres|cir|circun|predis|contrapro|re?com|indis)"
)


def conjugate(infinitive: str, tense: str, person: int) -> str | None:
    """Return the form of a tense (one of TENSES) and person (0 to 5: yo … ellos); None if it cannot be a verb."""
    verb = _verb(infinitive)
    if verb is None:
        return None
    if tense in verb.whole:
        return verb.prefix + str(verb.whole[tense][person])
    return str(getattr(verb, tense.lower())(person))


def gerund(infinitive: str) -> str | None:
    """Return the gerund: hablando."""
    verb = _verb(infinitive)
    return None if verb is None else verb.gerund()


def participle(infinitive: str) -> str | None:
    """Return the participle, masculine singular: hablado."""
    verb = _verb(infinitive)
    return None if verb is None else verb.participle()


class _Verb:
    """One verb: its stem, its class of endings, and what the table says of it."""

    def __init__(self, infinitive: str) -> None:
        self.infinitive = infinitive
        self.kind = infinitive[-2:].translate(_PLAIN)
        self.stem = infinitive[:-2]
        self.prefix, self.whole = _irregular(infinitive)
        self.change = str(self.whole.get("change", _changes().get(infinitive, "")))
        self.endings: dict[str, Any] = _tables()["endings"][self.kind]

    def pres(self, person: int) -> str:
        if person == 0 and "first" in self.whole:
            return self.prefix + str(self.whole["first"])
        stem = self._stressed() if person in _STRESSED else self.stem
        if stem.endswith("u") and self.kind == "ir" and not stem.endswith(("gu", "qu")) and person in _STRESSED:
            stem += "y"  # construyo
        ending = self.endings["Pres"][person]
        if person == 0:
            stem = self._first_stem(stem)
        if self.infinitive.endswith("ír") and person == 3:
            ending = "ímos"
        return stem + str(ending)

    def imp(self, person: int) -> str:
        return self.stem + str(self.endings["Imp"][person])

    def past(self, person: int) -> str:
        every = _tables()["endings"]["all"]
        if "strong" in self.whole:
            stem = self.prefix + str(self.whole["strong"])
            if stem.endswith("ic") and person == 2:
                stem = stem[:-1] + "z"  # hizo
            ending = str(every["Strong"][person])
            return stem + (ending[1:] if stem.endswith("j") and person == 5 else ending)  # dijeron
        ending = str(self.endings["Past"][person])
        stem = self.stem
        if self.kind == "ar":
            return (_respelt(stem, _BEFORE_E) if person == 0 else stem) + ending
        if person in _THIRD:
            stem = self._raised()
            return stem + (ending if self._glide(stem) else "y" + ending[1:])
        return stem + (ending.replace("i", "í", 1) if _is_strong(stem) and person else ending)

    def fut(self, person: int) -> str:
        return self._future_stem() + str(_tables()["endings"]["all"]["Fut"][person])

    def cnd(self, person: int) -> str:
        return self._future_stem() + str(_tables()["endings"]["all"]["Cnd"][person])

    def sub(self, person: int) -> str:
        ending = str(self.endings["Sub"][person])
        if "first" in self.whole and str(self.whole["first"]).endswith("o"):
            return self.prefix + str(self.whole["first"])[:-1] + ending  # tenga
        stem = self._stressed() if person in _STRESSED or self.change == "e:i" else self.stem
        if self.change in ("e:ie,i", "o:ue,u") and person not in _STRESSED:
            stem = self._raised()  # sintamos
        if self.kind == "ar":
            return _respelt(stem, _BEFORE_E) + ending
        if stem.endswith("u") and self.kind == "ir" and not stem.endswith(("gu", "qu")):
            stem += "y"
        return self._first_stem(stem) + ending

    def gerund(self) -> str:
        if "Ger" in self.whole:
            return self.prefix + str(self.whole["Ger"])
        ending = str(self.endings["Ger"])
        if self.kind == "ar":
            return self.stem + ending
        stem = self._raised()
        return stem + (ending if self._glide(stem) else "y" + ending[1:])

    def participle(self) -> str:
        if "Part" in self.whole:
            return self.prefix + str(self.whole["Part"])
        ending = str(self.endings["Part"])
        return self.stem + ("ído" if self.kind != "ar" and _is_strong(self.stem) else ending)

    def _future_stem(self) -> str:
        if "future" in self.whole:
            return self.prefix + str(self.whole["future"])
        return self.stem + self.kind

    def _stressed(self) -> str:
        """Return the stem of forms with a stressed stem: piens-, constru-, enví-."""
        if self.infinitive in _accented():
            at = max(self.stem.rfind(vowel) for vowel in "iu")
            return self.stem[:at] + self.stem[at].translate(_ACCENTED) + self.stem[at + 1 :]
        old, _, new = self.change.partition(":")
        return _replaced(self.stem, old, new.partition(",")[0]) if old else self.stem

    def _raised(self) -> str:
        """Return the stem of sintió, durmió, pidió."""
        old, _, new = self.change.partition(":")
        raised = new.partition(",")[2] or (new if new == "i" else "")
        return _replaced(self.stem, old, raised) if self.kind == "ir" and raised else self.stem

    def _first_stem(self, stem: str) -> str:
        """Return the stem before -o and -a of an -er or -ir verb: conozc-, venz-, coj-."""
        if self.kind == "ar":
            return stem
        if stem.endswith("c"):
            return stem[:-1] + ("zc" if stem[-2:-1] in "aeiouáéíóú" else "z")
        return _respelt(stem, _BEFORE_O)

    def _glide(self, stem: str) -> bool:
        """Return whether -ió keeps its i: not after a vowel (leyó, construyó), but after gu and qu (siguió)."""
        return stem[-1:] not in "aeiouü" or stem.endswith(("gu", "qu"))


@lru_cache(maxsize=2048)
def _verb(infinitive: str) -> _Verb | None:
    return _Verb(infinitive) if re.fullmatch(r"\w*(?:[aei]r|ír)", infinitive) else None


def _irregular(infinitive: str) -> tuple[str, dict[str, Any]]:
    """Return what the table says of a verb, with the prefix before the forms in the table: man- of mantener."""
    verbs = _tables()["verbs"]
    if infinitive in verbs:
        return "", verbs[infinitive]
    for name, forms in verbs.items():
        if name.startswith("-") and infinitive.endswith(name[1:]):
            prefix = infinitive[: len(infinitive) - len(name) + 1]
            if _FAMILY_PREFIX.fullmatch(prefix) or name in ("-ducir", "-scribir", "-volver", "-solver"):
                return prefix, forms
    return "", {}


def _replaced(stem: str, old: str, new: str) -> str:
    at = stem.rfind(old)
    if at > 0 and stem[at - 1] == "g" and new == "ue":
        new = "üe"  # avergüenzo
    return stem if at < 0 else stem[:at] + new + stem[at + len(old) :]


def _respelt(stem: str, spellings: tuple[tuple[str, str], ...]) -> str:
    for end, spelling in spellings:
        if stem.endswith(end):
            return stem.removesuffix(end) + spelling
    return stem


def _is_strong(stem: str) -> bool:
    return stem[-1:] in "aeoáéó"


def _tables() -> dict[str, Any]:
    return packaged(__package__, "data/verbs_es.toml")


@cache
def _changes() -> dict[str, str]:
    return {verb: change for change, verbs in _tables()["stems"].items() for verb in verbs.split()}


@cache
def _accented() -> frozenset[str]:
    return frozenset(_tables()["accents"]["verbs"].split())
