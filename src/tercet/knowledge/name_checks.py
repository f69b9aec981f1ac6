"""Tell whether a name that only one of two texts seems to have is worth reporting.

A linker finds a name in one text and not in the other for three reasons. The other text lacks it: that is worth
reporting. Or it has the name in a form that the linker does not know (an adjective, a compound, a family name). Or the
name is an ordinary word (German "Porto", postage). The checks look for the last two. They were made on one half of a
hand-checked sample and measured on other texts; docs/commands/entities.md has the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil

from ..text.scripts import base_code
from .mentions import Mention
from .normalise import is_known, is_ordinary, lemma_forms, spans, token_forms
from .store import KnowledgeBase

CONCEPT = "concept"  # the category of common nouns
TERM = "term"  # the category of a terminology file: ordinary words, whose translations are prescribed
NOUNS_IN_CAPITALS = frozenset({"de", "lb"})
KNOWN_PLACE = 8.0  # the weight of a region or a large city: such a name is not taken for an ordinary word
SHARE = 0.1  # of the weight of a name that a common noun must have where a capital says nothing
# A text may say "Russian" where the other says "of Russia": languages and the countries called after the same people.
COUNTRIES = """
    ar:SA az:AZ be:BY bg:BG cs:CZ da:DK de:DE el:GR en:GB es:ES et:EE fa:IR fi:FI fr:FR ga:IE he:IL hi:IN hr:HR hu:HU
    hy:AM id:ID is:IS it:IT ja:JP ka:GE kk:KZ ko:KR ky:KG lt:LT lv:LV mk:MK mn:MN ms:MY mt:MT nb:NO nl:NL no:NO pl:PL
    pt:PT ro:RO ru:RU sk:SK sl:SI so:SO sq:AL sr:RS sv:SE tg:TJ th:TH tk:TM tr:TR uk:UA uz:UZ vi:VN zh:CN
"""
SAME_PEOPLE = {
    f"cldr:language:{language}": f"cldr:territory:{country}"
    for language, country in (pair.split(":") for pair in COUNTRIES.split())
}
SAME_PEOPLE |= {country: language for language, country in SAME_PEOPLE.items()}
SHORTEST = 3  # letters by which a word is recognised in another form
OPENING = " \"'«»„“”‘’([-–—¿¡"
SENTENCE_ENDS = ".!?:;…"


class NameChecks:
    """The checks of mentions in texts of one language, against texts in the other.

    kb: None if mentions come from another program; then a mention is looked for only as it is written.
    mentions: all that will be checked.
    """

    def __init__(self, kb: KnowledgeBase | None, language: str, other: str, mentions: Iterable[Mention]) -> None:
        self.kb = kb
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
        return self.is_in(mention, other_text) or self.is_word(mention, text)

    def is_in(self, mention: Mention, other_text: str) -> bool:
        """Return whether the words of the name, or of a name of it in the other language, begin words of the text."""
        words = _forms(other_text, self.other)
        own = _forms(mention.text, self.other)
        if mention.category != TERM and own and all(_begins(words, word, max(4, len(word) - 1)) for word in own):
            return True
        names = (
            name for entity in _with_related(mention) for name in self._names.get(self._numbers.get(entity, -1), ())
        )
        return any(self._is_among(words, _telling(name)) for name in names)

    def _is_among(self, words: Sequence[str], name: Sequence[str]) -> bool:
        return bool(name) and all(_begins(words, word, max(SHORTEST, ceil(0.6 * len(word)))) for word in name)

    def is_word(self, mention: Mention, text: str) -> bool:
        """Return whether the mention is an ordinary word, by its capital, its place in the sentence, and its meanings.

        A word without its capital, at the start of a sentence, or in a language that writes all nouns with a capital
        may be a name or not. Elsewhere a capital means a name, unless the common noun is more usual than the name.
        """
        if self.kb is None or mention.category == TERM:
            return False
        name, concept = self._weights(mention, mention.text, self.language)
        has_case = mention.text.lower() != mention.text.upper()
        if has_case and len(_forms(mention.text, self.language)) != 1:
            return mention.text.islower() and name < KNOWN_PLACE
        unclear = (
            not has_case
            or mention.text[:1].islower()
            or self.language in NOUNS_IN_CAPITALS
            or _starts_sentence(text, mention.start)
        )
        pairs = [(name, concept)]
        if "en" in self.kb.languages:
            numbers = [self._numbers[entity] for entity in mention.entities if entity in self._numbers]
            labels = {self.kb.label(number, "en") for number in numbers if self.kb.category(number) != CONCEPT}
            pairs += [self._weights(mention, label, "en") for label in labels if label]
        if any(concept and concept >= name * (SHARE if unclear else 1.0) for name, concept in pairs):
            return True
        form = _forms(mention.text, self.language)[0]
        return unclear and name < KNOWN_PLACE and (is_ordinary(form, self.language) or is_known(form, self.language))

    def _weights(self, mention: Mention, text: str, language: str) -> tuple[float, float]:
        """Return the largest weight of a word as a name, and as a common noun (with an English label in lower case)."""
        kb = self.kb
        own = _forms(text, language)
        if kb is None or not own:
            return 0.0, 0.0
        bases = [[form] for form in lemma_forms(own[0], language)] if len(own) == 1 else []
        found = kb.find([list(own), *bases], language)
        name = concept = 0.0
        for alias, first, last in zip(found.alias.tolist(), found.first.tolist(), found.last.tolist(), strict=True):
            if last - first + 1 < len(own):
                continue
            for entity, weight in zip(*(column.tolist() for column in kb.candidates(alias)), strict=True):
                if kb.entity_id(entity) in mention.entities and kb.category(entity) != CONCEPT:
                    name = max(name, weight)
                elif kb.category(entity) == CONCEPT and (kb.label(entity, "en") or "A")[0].islower():
                    concept = max(concept, weight)
        return name, concept


def _with_related(mention: Mention) -> list[str]:
    """Return the candidates of a mention, and the countries or languages of the same people."""
    return [*mention.entities, *(SAME_PEOPLE[entity] for entity in mention.entities if entity in SAME_PEOPLE)]


@lru_cache(maxsize=4096)
def _forms(text: str, language: str) -> tuple[str, ...]:
    """Return the forms of the words of a text, without punctuation."""
    return tuple(form for form in token_forms(text, spans(text), language) if form[:1].isalnum())


def _telling(name: Sequence[str]) -> Sequence[str]:
    """Return the words that tell a name from others: "rostov" of "rostov on don"; none of a code of two letters."""
    words = [word for word in name if len(word) > SHORTEST]
    return words or [word for word in name if len(word) == SHORTEST]


def _begins(words: Sequence[str], word: str, letters: int) -> bool:
    """Return whether a word of a text is a word, or begins with so many letters of it.

    Three letters are enough only for words that are hardly longer: Тулу for Тула, and not Venedig for Vena.
    """
    start, short = word[: max(letters, SHORTEST + 1)], word[:letters]
    return word in words or any(
        (len(start) > SHORTEST and other.startswith(start))
        or (len(short) >= letters and other.startswith(short) and len(other) <= len(word) + 1)
        for other in words
    )


def _starts_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(OPENING)
    return not before or before[-1] in SENTENCE_ENDS
