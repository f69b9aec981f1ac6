"""Tell whether a name that only one of two texts seems to have is worth reporting, and how sure that is.

A linker finds a name in one text and not in the other for three reasons. The other text lacks it: that is worth
reporting. Or it has the name in a form that the linker does not know (an adjective, a compound, an acronym). Or the
name is an ordinary word (German "Porto", postage). The checks look for the last two. What passes them gets
a confidence, by a logistic regression; docs/commands/entities.md has the figures, on a sample that had no part in it.
"""

import math
import re
from collections.abc import Iterable
from functools import cache, lru_cache

from ..text.scripts import base_code
from . import name_forms, partners
from .linking import OPENING, KBLinker
from .literals import is_literal
from .mentions import Mention
from .name_forms import WHOLE, Text, words
from .normalise import SPACELESS, dictionary_lemmas, is_known, is_ordinary, lemma_forms
from .store import KnowledgeBase

CONCEPT = "concept"  # the category of common nouns
TERM = "term"  # the category of a terminology file: ordinary words, whose translations are prescribed
NOUNS_IN_CAPITALS = frozenset({"de", "lb"})
KNOWN_PLACE = 8.0  # the weight of a region or a large city: such a name is not taken for an ordinary word
SHARE = 0.1  # of the weight of a name that a common noun must have where a capital says nothing
# The logistic regression of what is right in tests/data/judged_alarms.tsv (parts A to D, 153 names that pass the other
# checks; squares of all weights but the first are added to the loss). benchmarks/alarms.py computes it.
WEIGHTS = {
    "": 0.61,
    "known": 0.24,  # a country, month or the like, a region or a large city, or of a collection of the user
    "number": 0.36,  # or an amount, a time, an address
    "digit": -0.85,  # a number of one digit
    "changed": -1.08,  # a number, and the other text has one that this text lacks: rounded or converted
    "partner": -1.34,  # words of the other text mean the same, by their vectors
    "foreign": -1.87,  # a place or person that Chinese may spell in many ways; a small town in other letters
    "gap": 1.01,  # by how much the other text is shorter
}
COLLECTIONS = ("geo:", "wn:", "cedict:", "emoji:")
COUNTRY = "cldr:territory:"
NEIGHBOURS = ("cldr:month:", "cldr:day:")  # whose vectors are near each other
SPELT_ONE_WAY = (COUNTRY, "iso:GB-", "cldr:month:", "cldr:day:", "cldr:currency:", "org:")  # in Chinese
COVERED = 0.6  # of the letters of a name that must belong to words with a translation
SENTENCE_ENDS = ".!?:;…"


class NameChecks:
    """The checks of mentions in texts of one language, against texts in the other.

    kb: None if mentions come from another program; then a mention is looked for only as it is written.
    mentions: all that will be checked. concepts: finds common words of both languages, to see a name translated.
    """

    def __init__(
        self, kb: KnowledgeBase | None, language: str, other: str, mentions: Iterable[Mention],
        concepts: KBLinker | None = None,
    ) -> None:  # fmt: skip
        self.kb, self.concepts = kb, concepts
        self._link = cache(lambda text, language: concepts.link([text], language)[0] if concepts else [])
        self.language, self.other = base_code(language), base_code(other)
        self._numbers: dict[str, int] = {}
        self._names: dict[int, list[tuple[str, ...]]] = {}
        if kb is not None:
            ids = {entity for mention in mentions for entity in _with_related(mention)}
            numbers = {entity: kb.number_of(entity) for entity in ids}
            self._numbers = {entity: number for entity, number in numbers.items() if number is not None}
            self._names = kb.names(self._numbers.values(), self.other)

    def is_doubtful(self, mention: Mention, text: str, other_text: str) -> bool:
        """Return whether the other text has the name in another form, or it is an ordinary word."""
        return (
            bool(self.form_in(mention, other_text))
            or self.is_word(mention, text)
            or self.is_translated(mention, text, other_text)
        )

    def form_in(self, mention: Mention, other_text: str) -> str:
        """Return how the text has the name (`name_forms.Text.has_form`), empty if it does not seem to have it."""
        entities = _with_related(mention)
        names = [name for entity in entities for name in self._names.get(self._numbers.get(entity, -1), ())]
        text = _text(other_text, self.other)
        if mention.category == TERM:
            return "other form" if any(map(text.has_name, names)) else ""
        return text.has_form(mention.text, self.language, names, entities)

    def is_translated(self, mention: Mention, text: str, other_text: str) -> bool:
        """Return whether the text has a translation of each word of a name: "Holy Land", "Heiliges Land"."""
        if self.concepts is None or is_literal(mention.entities[0]):
            return False
        inside = [m for m in self._link(text, self.language) if mention.start <= m.start and m.end <= mention.end]
        theirs = {entity for found in self._link(other_text, self.other) for entity in found.entities}
        is_covered = sum(m.end - m.start for m in inside) >= COVERED * (mention.end - mention.start)
        return is_covered and not any(theirs.isdisjoint(found.entities) for found in inside)

    def confidence(self, mention: Mention, text: str, other_text: str, *, changed: bool) -> float:
        """Return the probability that a name without a form in the other text is really lost or invented.

        changed: the other text has something of the same category that this text lacks.
        """
        evidence = self.evidence(mention, text, other_text, changed=changed)
        return 1 / (1 + math.exp(-sum(WEIGHTS[name] * value for name, value in evidence.items())))

    def evidence(self, mention: Mention, text: str, other_text: str, *, changed: bool) -> dict[str, float]:
        """Return the values of `WEIGHTS`."""
        number = is_literal(mention.entities[0])
        weight = 0.0 if number else self._weights(mention, mention.text, self.language)[0]
        known = not number and (weight >= KNOWN_PLACE or not mention.entities[0].startswith(COLLECTIONS))
        alone = number or mention.category == TERM or mention.entities[0].startswith(NEIGHBOURS)
        least = 0.6 if mention.entities[0].startswith(COUNTRY) else 0.5
        partner = not alone and partners.has_partner(mention.text, self.language, other_text, self.other, least=least)
        foreign = not known and name_forms.script(text) != name_forms.script(other_text)
        if not SPACELESS.isdisjoint((self.language, self.other)):
            foreign = not mention.entities[0].startswith(SPELT_ONE_WAY) or name_forms.only_sounds(mention.text)
        gap = max(0.0, 1 - partners.length_ratio(other_text, text))
        return {
            "": 1, "known": known, "number": number, "digit": number and len(mention.text) == 1,
            "changed": number and changed, "partner": partner, "foreign": foreign and not number,
            "gap": gap,
        }  # fmt: skip

    def is_word(self, mention: Mention, text: str) -> bool:
        """Return whether the mention is an ordinary word, by its capital, its place in the sentence, and its meanings.

        A word without its capital, at the start of a sentence, or in a language that writes all nouns with a capital
        may be a name or not. Elsewhere a capital means a name, unless the common noun is more usual than the name.
        """
        if self.kb is None or mention.category == TERM or is_literal(mention.entities[0]):
            return False
        name, concept = self._weights(mention, mention.text, self.language)
        forms = words(mention.text, self.language)
        has_case = mention.text.lower() != mention.text.upper()
        if not forms or (not has_case and name_forms.part_of_longer(text, mention.start, mention.end)):
            return True
        if mention.text.isupper() and (text[mention.end :].startswith("$") or _is_shouted(text, mention)):
            return True  # US$, LET US BE CLEAR
        if has_case and len(forms) != 1:
            return any(part.islower() for part in mention.text.split()) and name < KNOWN_PLACE
        has_capital = has_case and not mention.text[:1].islower() and self.language not in NOUNS_IN_CAPITALS
        unclear = not has_capital or _starts_sentence(text, mention.start)
        is_plural = mention.text.rstrip("s").isupper() > mention.text.isupper()
        form = "".join(forms) if self.language in SPACELESS else forms[0]
        if name_forms.is_listed(form, self.language, "parts") or is_plural:
            return True  # North, CIs
        named = re.search(r"[^\W\d_]\w* $", text[: mention.start])  # Theresa May
        follows = named is not None and named[0][0].isupper() and not _starts_sentence(text, named.start())
        if (unclear or follows or mention.text.isupper()) and name_forms.is_listed(form, self.language, "ordinary"):
            return True
        if len(mention.text) > WHOLE and mention.text.isupper() and is_known(form, self.language):
            return True  # a war of INDEPENDENCE
        if len(mention.text) == 2 and mention.text.isupper() and name < 2 * KNOWN_PLACE:
            return True  # codes of states: OK, ME
        pairs = [(name, concept)]
        if "en" in self.kb.languages:
            numbers = [self._numbers[entity] for entity in mention.entities if entity in self._numbers]
            labels = {self.kb.label(number, "en") for number in numbers if self.kb.category(number) != CONCEPT}
            pairs += [self._weights(mention, label, "en") for label in labels if label]
        if any(concept and concept >= name * (SHARE if unclear else 1.0) for name, concept in pairs):
            return True
        if not unclear or name >= KNOWN_PLACE:
            return False
        noun = dictionary_lemmas(forms[0], self.language)[:1] if self.language in NOUNS_IN_CAPITALS else ()
        inflected = any(lemma.casefold() != forms[0] for lemma in noun)
        return inflected or is_ordinary(forms[0], self.language) or is_known(forms[0], self.language)

    def _weights(self, mention: Mention, text: str, language: str) -> tuple[float, float]:
        """Return the largest weight of a word as a name, and as a common noun (with an English label in lower case)."""
        kb, own = self.kb, words(text, language)
        if kb is None or not own:
            return 0.0, 0.0
        bases = [[form] for form in lemma_forms(own[0], language)] if len(own) == 1 else []
        found = kb.find([list(own), *bases], language)
        name = concept = 0.0
        for alias, first, last in zip(found.alias.tolist(), found.first.tolist(), found.last.tolist(), strict=True):
            if last - first + 1 < len(own):
                continue
            for entity, weight in zip(*(column.tolist() for column in kb.candidates(alias)), strict=True):
                is_concept = kb.category(entity) == CONCEPT
                if not is_concept and kb.entity_id(entity) in mention.entities:
                    name = max(name, weight)
                elif is_concept and (kb.label(entity, "en") or "A")[0].islower():
                    concept = max(concept, weight)
        return name, concept


def _with_related(mention: Mention) -> list[str]:
    """Return the candidates of a mention, and the countries or languages of the same people."""
    related = _same_people()
    return [*mention.entities, *(related[entity] for entity in mention.entities if entity in related)]


@cache
def _same_people() -> dict[str, str]:
    pairs = [pair.split(":") for pair in name_forms.rules()["same_people"]["countries"].split()]
    named = {f"cldr:language:{language}": f"cldr:territory:{country}" for language, country in pairs}
    return named | {country: language for language, country in named.items()}


_text = lru_cache(maxsize=4096)(Text)


def _is_shouted(text: str, mention: Mention) -> bool:
    """Return whether the words on both sides of a mention are in capitals too."""
    before, after = text[: mention.start].split()[-1:], text[mention.end :].split()[:1]
    return all(len(word) > 1 and word.isupper() for word in (*before, *after)) and bool(before and after)


def _starts_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(OPENING)
    return not before or before[-1] in SENTENCE_ENDS
