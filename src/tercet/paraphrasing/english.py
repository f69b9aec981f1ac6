"""English morphology: forms of verbs. Irregular verbs are in data/verbs_en.toml."""

import re
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from ..text.packaged import packaged
from .tree import Splits, Word

_BE_PRESENT = {("1", "Sing"): "am", ("3", "Sing"): "is"}
_DOUBLED = re.compile(r"[^aeiou]?[^aeiou]?[^aeiou][aeiou][bdgklmnprt]|[aeiou][bdgklmnprt]")


class English:
    """The morphology of English."""

    split: ClassVar[Splits] = {}

    def inflect(self, lemma: str, upos: str, features: Mapping[str, str]) -> str | None:
        lemma = lemma.lower()
        if upos not in ("VERB", "AUX") or not lemma.isalpha():
            return None
        kind = features.get("VerbForm", "Fin")
        if kind == "Inf":
            return lemma
        past, participle = _forms(lemma)
        if kind == "Part":
            return participle if features.get("Tense", "Past") == "Past" else _with_ing(lemma)
        if features.get("Tense") == "Past":
            return "were" if lemma == "be" and features.get("Number") == "Plur" else past
        if features.get("Tense") != "Pres":
            return None
        person = (features.get("Person", "3"), features.get("Number", "Sing"))
        if lemma == "be":
            return _BE_PRESENT.get(person, "are")
        return _with_s(lemma) if person == ("3", "Sing") else lemma

    def lemma(self, word: Word) -> str | None:
        if word.upos not in ("VERB", "AUX"):
            return word.lemma.lower()
        lemma = word.lemma.lower()
        made = {self.inflect(lemma, word.upos, word.features), lemma}
        return lemma if word.form.lower() in made or lemma == "be" else None

    def attach(self, verb: str, clitic: str) -> str | None:
        return None

    def join(self, first: Word, second: Word) -> tuple[str, str, bool]:
        if first.form.lower() == "can" and second.form == "not":
            return f"{first.form}not", "", True
        return first.form, second.form, False


def _forms(lemma: str) -> tuple[str, str]:
    form = lemma + (lemma[-1] if _doubles(lemma) else "") + "ed"
    if lemma.endswith("e"):
        form = lemma + "d"
    elif re.search(r"[^aeiou]y$", lemma):
        form = lemma[:-1] + "ied"
    return _irregular().get(lemma, (form, form))


def _with_ing(lemma: str) -> str:
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")) and lemma != "be":
        return lemma[:-1] + "ing"
    return lemma + (lemma[-1] if _doubles(lemma) else "") + "ing"


def _with_s(lemma: str) -> str:
    if lemma == "have":
        return "has"
    if re.search(r"(?:s|x|z|ch|sh|[^aeiou]o)$", lemma):
        return lemma + "es"
    return lemma[:-1] + "ies" if re.search(r"[^aeiou]y$", lemma) else lemma + "s"


def _doubles(lemma: str) -> bool:
    """Return whether a verb doubles its last consonant before -ed: stopped, admitted."""
    return lemma in _tables()["doubling"].split() or _DOUBLED.fullmatch(lemma) is not None


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    rows = (entry.split() for entry in _tables()["forms"].split(";"))
    return {lemma: (past, participle) for lemma, past, participle in rows}


def _tables() -> dict[str, str]:
    tables: dict[str, str] = packaged(__package__, "data/verbs_en.toml")["verbs"]
    return tables
