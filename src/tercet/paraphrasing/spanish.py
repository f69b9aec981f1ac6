"""Spanish morphology: forms of verbs, participles, adverbs in -mente, pronouns at the ends of verbs, "del" and "al".

Forms come from the paradigms of `spanish_verbs`. Every form must be in the list of Spanish words of simplemma
(https://github.com/adbar/simplemma), so that an irregular verb that our tables lack is not made regular.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import ClassVar

from ..errors import optional
from .spanish_verbs import TENSES, conjugate, gerund, participle
from .tree import Splits, Word

_PERSON = {("1", "Sing"): 0, ("2", "Sing"): 1, ("3", "Sing"): 2, ("1", "Plur"): 3, ("2", "Plur"): 4, ("3", "Plur"): 5}
_ENDINGS = {("Masc", "Sing"): "o", ("Fem", "Sing"): "a", ("Masc", "Plur"): "os", ("Fem", "Plur"): "as"}
_ACCENTS = str.maketrans("aeiou", "áéíóú")
_PLAIN = str.maketrans("áéíóú", "aeiou")
_VOWELS = re.compile(r"[aeiouáéíóúü]")
_WENT = frozenset(("fui", "fuiste", "fue", "fuimos", "fueron"))  # of ser and of ir
_FULL = {"buen": "bueno", "mal": "malo", "gran": "grande", "algún": "alguno", "ningún": "ninguno"}


class Spanish:
    """The morphology of Spanish."""

    split: ClassVar[Splits] = {
        "del": (("de", "de", "ADP"), ("el", "el", "DET")),
        "al": (("a", "a", "ADP"), ("el", "el", "DET")),
    }

    def __init__(self) -> None:
        simplemma = optional("simplemma", "Paraphrasing Spanish", "paraphrase")
        self._is_known: Callable[[str], bool] = lru_cache(maxsize=1 << 14)(partial(simplemma.is_known, lang="es"))
        self._lemma: Callable[[str], str] = lru_cache(maxsize=1 << 14)(partial(simplemma.lemmatize, lang="es"))

    def inflect(self, lemma: str, upos: str, features: Mapping[str, str]) -> str | None:
        lemma = lemma.lower()
        form = None
        if upos in ("VERB", "AUX"):
            form = self._verb(lemma, features)
        elif upos == "ADV":
            form = adverb(lemma)
        elif upos == "ADJ":
            form = _FULL.get(lemma, lemma)
        return form if form and (lemma in ("ser", "haber", "ir", "estar") or self._is_known(_singular(form))) else None

    def _verb(self, lemma: str, features: Mapping[str, str]) -> str | None:
        kind = features.get("VerbForm", "Fin")
        if kind == "Inf":
            return lemma
        if kind == "Ger":
            return gerund(lemma)
        if kind == "Part":
            return _agreeing(participle(lemma), features)
        person = _PERSON.get((features.get("Person", ""), features.get("Number", "")))
        if person is None:
            return None
        tense = "Cnd" if features.get("Mood") == "Cnd" else features.get("Tense", "")
        if features.get("Mood") == "Sub":
            tense = "Sub" if tense == "Pres" else ""
        return conjugate(lemma, tense, person) if tense in TENSES else None

    def lemma(self, word: Word) -> str | None:
        if word.upos not in ("VERB", "AUX"):
            return _FULL.get(word.form.lower(), word.lemma.lower())
        form = word.form.lower()
        if form in _WENT:
            return "ser" if word.upos == "AUX" else "ir"
        for lemma in dict.fromkeys((word.lemma.lower(), self._lemma(form))):
            if lemma and self._verb(lemma, word.features) == form and self._is_known(lemma):
                return lemma
        return None

    def attach(self, verb: str, clitic: str) -> str | None:
        return with_pronoun(verb, clitic)

    def join(self, first: Word, second: Word) -> tuple[str, str, bool]:
        one, two = first.form, second.form
        if two == "el" and second.upos == "DET" and one.lower() in ("de", "a"):
            return (one + "l", "", True)
        if first.upos == "CCONJ" and one.lower() in ("y", "e"):
            # "y" becomes "e" before the sound i, but not before ia, ie, io ("y hielo").
            vowel = re.match(r"h?[ií](?![aeouáéóú])", two.lower())
            return (_as("e" if vowel else "y", one), two, False)
        if first.upos == "CCONJ" and one.lower() in ("o", "u"):
            return (_as("u" if re.match(r"h?[oó]", two.lower()) else "o", one), two, False)
        return one, two, False


def adverb(adjective: str) -> str | None:
    """Return the adverb in -mente of an adjective: claro, claramente."""
    adjective = _FULL.get(adjective, adjective)
    if adjective.endswith("o"):
        return adjective[:-1] + "amente"
    return adjective + "mente" if adjective[-1:] in "aelrzn" else None


def with_pronoun(verb: str, pronoun: str) -> str | None:
    """Return an infinitive or gerund with a pronoun at its end, and the accent that keeps its stress.

    >>> with_pronoun("decir", "lo"), with_pronoun("decirte", "lo"), with_pronoun("leyendo", "lo")
    ('decirlo', 'decírtelo', 'leyéndolo')
    """
    found = re.fullmatch(r"(.*(?:[aeií]r|ndo))|(.+(?:[aeií]r|ndo))(?:me|te|se|le|nos|os|les)", verb)
    if found is None:
        return None
    base = found[1] or found[2]
    at = _stress(base)
    if at is None or not (base != verb or base.endswith("ndo")):
        return verb + pronoun  # verlo keeps the accent of the infinitive without a mark
    accented = base.translate(_PLAIN)
    accented = accented[:at] + accented[at].translate(_ACCENTS) + accented[at + 1 :]
    return accented + verb[len(base) :] + pronoun


def _stress(form: str) -> int | None:
    """Return the place of the stressed vowel of an infinitive (the last) or gerund (the one before the last)."""
    vowels = [found.start() for found in _VOWELS.finditer(form)]
    wanted = -1 if form.endswith("r") else -2
    return vowels[wanted] if len(vowels) >= -wanted else None


def _agreeing(form: str | None, features: Mapping[str, str]) -> str | None:
    if form is None or not form.endswith("o"):
        return None
    return form[:-1] + _ENDINGS[features.get("Gender", "Masc"), features.get("Number", "Sing")]


def _singular(form: str) -> str:
    """Return a participle in its base form, which word lists have."""
    found = re.fullmatch(
        r"(.*(?:[aií]d|hech|dich|puest|vist|escrit|abiert|cubiert|vuelt|suelt|rot|muert|impres))[oa]s?", form
    )
    return f"{found[1]}o" if found else form


def _as(form: str, like: str) -> str:
    return form.capitalize() if like[:1].isupper() else form
