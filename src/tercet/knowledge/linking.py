"""Link mentions in texts to a knowledge base: the longest name wins, and the sentence decides between entities.

Gekhman et al. (2020), "KoBE: Knowledge-Based Machine Translation Evaluation", Findings of EMNLP, used a linker that is
not public; this one needs only a knowledge base. Names are looked up as written and by their base forms. Of overlapping
names the longer wins, then the one with the larger weight. A name that its source writes with a capital is not found if
the text writes it without (may, May). Stop words (`guards`), single letters and single characters of scripts without
spaces are not mentions. Among the candidates of a name, the largest weight wins. It is raised for entities that the
sentence names elsewhere without ambiguity, and for categories of its other mentions.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ..errors import UnknownName, UsageError
from ..text.scripts import base_code
from .foreign import needs_identifier, stop_words, without_foreign
from .literals import is_literal, literals
from .mentions import Mention, without_overlaps
from .normalise import BREAK, compound_parts, dictionary_forms, is_ordinary, lemma_forms, spans, token_forms
from .store import CAPITALISED, LOWERCASE, Hits, KnowledgeBase

NAMED_ELSEWHERE = 1.0  # relative gain of weight if the sentence names the entity elsewhere without ambiguity
SAME_CATEGORY = 0.5  # gain if all other unambiguous mentions have the same category; in proportion if only some have

OPENING = " \"'«»„“”‘’([-–—¿¡"  # marks before the first word of a sentence
_MANY_WORDS = 1_000_000  # largest number of base forms that are cached

Place = tuple[int, int]


class _Candidate(NamedTuple):
    entity: int
    id: str
    category: str
    weight: float
    flags: int


class _Found(NamedTuple):
    start: int
    end: int
    weight: float
    candidates: list[_Candidate]


@dataclass(frozen=True)
class KBLinker:
    """A linker that uses a knowledge base.

    lemmas: also look up base forms. senses: how many entities of an ambiguous name are kept: "best", "all" or a number.
    categories: keep only mentions of these, separated by "+"; empty for all. language_filter: ignore mentions that are
    not in the language of the texts (needs py3langid, extra `kobe`). numbers: also link numbers and web addresses.
    capitals: use capitals as evidence. guards: ignore stop words, most words of two letters and inflected ordinary
    words, even if they are names of something ("in" of inch).
    """

    kb: KnowledgeBase
    lemmas: bool = True
    senses: str | int = "best"
    categories: str = ""
    language_filter: bool = False
    numbers: bool = False
    capitals: bool = True
    guards: bool = True
    # Caches of the candidates of names and the base forms of words: a knowledge base never changes.
    _seen: dict[int, list[_Candidate]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _bases: dict[str, dict[str, str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.senses not in ("best", "all") and not (str(self.senses).isdigit() and int(self.senses) > 0):
            raise UsageError(f"senses must be best, all or a number from 1, not {self.senses!r}.")
        for category in self._wanted:
            if category not in self.kb.categories:
                raise UnknownName(f"category in the knowledge base {self.kb.name!r}", category, self.kb.categories)
        if self.language_filter:
            needs_identifier()

    @property
    def name(self) -> str:
        return self.kb.name

    @property
    def checksum(self) -> str:
        return self.kb.checksum

    @property
    def _wanted(self) -> frozenset[str]:
        return frozenset(filter(None, self.categories.split("+")))

    @property
    def _kept(self) -> int | None:
        return None if self.senses == "all" else 1 if self.senses == "best" else int(self.senses)

    def nameable(self, language: str) -> Callable[[str], bool]:
        named = self.kb.named_in(base_code(language))

        def can_name(entity: str) -> bool:
            number = self.kb.number_of(entity)
            return bool(named[number]) if number is not None else is_literal(entity)

        return can_name

    def explain(self, mention: Mention, language: str) -> str:
        """Return how a mention was found: as written, by the base forms of its words, as part of a compound."""
        if is_literal(mention.entities[0]) or mention.text.isdigit():
            return f"number, date, amount or address: {mention.entities[0]}"
        language = base_code(language)
        forms = token_forms(mention.text, spans(mention.text), language)
        if any(last - first + 1 == len(forms) for _, first, last, _, _ in _rows(self.kb.find([forms], language), 0)):
            return "as written"
        [based] = _base_forms([forms], language, self.kb, {}) or [forms]
        return "; ".join(_way(*pair, language) for pair in zip(forms, based, strict=True) if len({*pair}) > 1)

    def link(self, texts: Sequence[str], language: str) -> list[list[Mention]]:
        """Return the mentions of each text, in order, without overlaps."""
        language = base_code(language)
        places = [spans(text) for text in texts]
        forms = [token_forms(text, at, language) for text, at in zip(texts, places, strict=True)]
        linked: list[list[Mention]] = [[] for _ in texts]
        kept, wanted = self._kept, self._wanted
        for sentence, names in _BySentence(self, texts, places, forms, language):
            linked[sentence] = _chosen(texts[sentence], names, kept, wanted)
        if self.numbers:
            linked = [without_overlaps([*m, *literals(t, language)]) for t, m in zip(texts, linked, strict=True)]
        if self.language_filter:
            linked = without_foreign(texts, linked, language, among=self.kb.languages)
        return linked


class _BySentence:
    """The names found in sentences, without overlaps, with the candidates that fit the evidence."""

    def __init__(
        self, linker: KBLinker, texts: Sequence[str], places: list[list[Place]], forms: list[list[str]], language: str
    ) -> None:
        self.kb, self.capitals, self.guards = linker.kb, linker.capitals, linker.guards
        self.texts, self.places, self.forms = texts, places, forms
        self.stop_words = stop_words(language)
        self.is_ordinary = cache(partial(is_ordinary, language=language))
        self.names = linker._seen
        self.rows = _rows(self.kb.find(forms, language), 0)
        if linker.lemmas:
            based = _base_forms(forms, language, self.kb, linker._bases.setdefault(language, {}))
            if based is not None:
                self.rows = sorted({*self.rows, *_rows(self.kb.find(based, language), 1)})

    def __iter__(self) -> Iterator[tuple[int, list[_Found]]]:
        for sentence, rows in groupby(self.rows, key=itemgetter(0)):
            yield sentence, self._sentence(self.texts[sentence], self.places[sentence], self.forms[sentence], rows)

    def _sentence(
        self, text: str, places: list[Place], forms: list[str], rows: Iterator[tuple[int, int, int, int, int]]
    ) -> list[_Found]:
        ranked = []
        for _, first, last, alias, based in rows:
            start, end = places[first][0], places[last][1]
            form = forms[first] if first == last else text[start:end]
            if self._is_guarded(form, text[start:end], text):
                continue
            names = self.names.get(alias)
            if names is None:
                names = self.names[alias] = self._candidates(alias)
            if self.guards and based and first == last and self.is_ordinary(form):
                names = [name for name in names if name.flags & LOWERCASE]
            if names:
                ranked.append((start - end, -names[0].weight, based, start, end, names))
        ranked.sort(key=itemgetter(0, 1, 2, 3))  # longer names, larger weights, names as written, earlier ones
        taken: list[_Found] = []
        covered = bytearray(len(text))  # characters of names that were taken
        shouted = text.isupper()
        for _, weight, _, start, end, names in ranked:
            kept = names if shouted or not self.capitals else _by_capitals(names, text, start)
            if kept and 1 not in covered[start:end]:
                taken.append(_Found(start, end, -weight, kept))
                covered[start:end] = b"\1" * (end - start)
        taken.sort()
        return taken

    def _is_guarded(self, form: str, span: str, text: str) -> bool:
        """Return whether a form cannot be a mention: a letter, a number; with guards a stop word or two letters.

        Stop words and two letters can be mentions as acronyms: in capitals in a text that is not all capitals.
        """
        if len(form) == 1:
            return form.isalnum() or form == BREAK
        if self.guards and (form in self.stop_words or (len(form) == 2 and span.upper() != span.lower())):
            return not (span.isupper() and not text.isupper())
        return form.isdigit()

    def _candidates(self, alias: int) -> list[_Candidate]:
        entities, weights = self.kb.candidates(alias)
        rows = zip(entities.tolist(), weights.tolist(), self.kb.flags(alias).tolist(), strict=True)
        return [
            _Candidate(entity, self.kb.entity_id(entity), self.kb.category(entity), weight, flags)
            for entity, weight, flags in rows
        ]


def _rows(hits: Hits, based: int) -> list[tuple[int, int, int, int, int]]:
    columns = hits.sentence.tolist(), hits.first.tolist(), hits.last.tolist(), hits.alias.tolist()
    return list(zip(*columns, [based] * len(hits), strict=True))


def _way(form: str, base: str, language: str) -> str:
    """Return how a form becomes its base form."""
    if base in dictionary_forms(form, language):
        return f"{form} is a form of {base} (dictionary)"
    if form.endswith(base) and compound_parts(form, language):
        return f"{form} has {base} after {form.removesuffix(base).rstrip('-')} (compound)"
    return f"{form} without its ending is {base} (rule)"


def _base_forms(
    forms: list[list[str]], language: str, kb: KnowledgeBase, known: dict[str, str]
) -> list[list[str]] | None:
    """Return the sentences with base forms instead of inflected ones, None if no word has one. Updates `known`.

    Of the possible base forms of a word, the first one that is a name in the knowledge base is used. If there is none,
    the dictionary's base form is used, as it may be part of a longer name; guesses from endings are not.
    """
    if len(known) > _MANY_WORDS:
        known.clear()
    new = {form for sentence in forms for form in sentence if form not in known}
    options = [(form, lemma_forms(form, language)) for form in sorted(new)]
    tried = sorted({base for _, bases in options for base in bases})
    names = {tried[row] for row in kb.find([[base] for base in tried], language).sentence.tolist()}
    for form, bases in options:
        base = next((base for base in bases if base in names), None)
        known[form] = base or next(iter(dictionary_forms(form, language)), form)
    based = [[known[form] for form in sentence] for sentence in forms]
    return based if based != forms else None


def _by_capitals(names: list[_Candidate], text: str, start: int) -> list[_Candidate]:
    """Return the candidates that fit the case of the name's first letter in the text."""
    letter = text[start]
    if letter.islower():
        return [name for name in names if name.flags & (CAPITALISED | LOWERCASE) != CAPITALISED]
    if len(names) > 1 and letter.isupper() and text[:start].strip(OPENING):
        return [name for name in names if name.flags & CAPITALISED] or names
    return names


def _chosen(text: str, found: list[_Found], kept: int | None, wanted: frozenset[str]) -> list[Mention]:
    """Return mentions with their most likely entities first. Keeps only mentions whose first has a wanted category."""
    sure = [names.candidates[0] for names in found if len(names.candidates) == 1]
    entities = {name.entity for name in sure}
    categories = Counter(name.category for name in sure)
    mentions = []
    for start, end, _, names in found:
        if len(names) == 1:
            if not wanted or names[0].category in wanted:
                mentions.append(Mention(start, end, text[start:end], (names[0].id,), names[0].category, 1.0))
            continue
        scored = []
        for name in names:
            same = SAME_CATEGORY * categories[name.category] / len(sure) if sure else 0.0
            score = name.weight * (1 + NAMED_ELSEWHERE * (name.entity in entities) + same)
            scored.append((-score, name.id, name.category))
        scored.sort()
        if wanted and scored[0][2] not in wanted:
            continue
        total = sum(score for score, _, _ in scored) or 1.0
        ids = [entity for _, entity, category in scored if not wanted or category in wanted]
        mentions.append(Mention(start, end, text[start:end], tuple(ids[:kept]), scored[0][2], scored[0][0] / total))
    return mentions
