"""Report which entities (names, places, things) of the source each system keeps, loses and invents, by category.

Gekhman et al. (2020), "KoBE: Knowledge-Based Machine Translation Evaluation", Findings of EMNLP. The report has the
data of Figures 3 and 4 and Tables 5 to 7, and lists the entities counted by the metric `kobe`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ...data.testset import TestSet
from ...errors import UsageError
from ...knowledge.default import CONCEPTS, LANGUAGES, resolve
from ...knowledge.linking import KBLinker
from ...knowledge.name_checks import NameChecks
from ...metrics.bases.entities import Candidates, Languages, kept_in, languages, match, without
from ...metrics.entities.kobe import KoBE

if TYPE_CHECKING:
    from ...knowledge.mentions import Mention
    from ...knowledge.store import KnowledgeBase

    Linked = Sequence[Sequence[Mention]]  # the mentions of each text

Named = Sequence[frozenset[str]]  # the entities of each segment
UNKNOWN = "other"  # the category of entities without a category


@dataclass(frozen=True)
class MentionPlace:
    """A mention of an entity: the line, from 1, and the words that name it."""

    line: int
    text: str


@dataclass(frozen=True)
class NameFinding:
    """A mention that a system lost (its place is in the source) or invented (its place is in the output).

    confidence: the probability that this is right. became: for a lost name, the invented one of the same category in
    the same segment, if there is just one: the name was changed.
    """

    line: int
    system: str
    kind: str
    start: int
    end: int
    text: str
    id: str
    category: str
    confidence: float = 1.0
    became: str = ""


@dataclass(frozen=True)
class EntityCounts:
    """An entity that was lost or invented, with its most frequent name in the text.

    times: how often it was lost or invented. mentions: its mentions in the source (lost) or in the output (invented).
    """

    id: str
    name: str
    category: str
    times: int
    mentions: int
    examples: tuple[MentionPlace, ...]


@dataclass(frozen=True)
class SystemEntities:
    """The entities of one system's output, compared with the source.

    categories: category -> (number kept, number in the source). lost, invented: the most frequent first. doubtful:
    mentions without a partner that are not listed, because the other text has the name in another form, because it is
    an ordinary word, or because the confidence is too low.
    """

    kept: int
    source: int
    output: int
    categories: Mapping[str, tuple[int, int]]
    lost: tuple[EntityCounts, ...]
    invented: tuple[EntityCounts, ...]
    doubtful: int = 0


@dataclass(frozen=True)
class EntityReport:
    """The entities of a test set. statistics and histogram count all linked entities, before `shared` selects.

    histogram: the number of source texts with 0, 1, 2, … entities. most_lost: over all systems. findings: every mention
    that was lost or invented, by line.
    """

    test_set: str
    pair: str | None
    signature: str
    statistics: Mapping[str, int]
    histogram: tuple[int, ...]
    categories: Mapping[str, int]
    systems: Mapping[str, SystemEntities]
    most_lost: tuple[EntityCounts, ...] = field(default=())
    findings: tuple[NameFinding, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dictionary, for JSON."""
        found = asdict(self)
        for system in found["systems"].values():
            system["categories"] = {
                name: {"kept": kept, "source": source, "share": kept / source}
                for name, (kept, source) in system["categories"].items()
            }
        return found


def report_entities(
    testset: TestSet, metric: KoBE, *, most: int = 20, examples: int = 3, confidence: float = 0.5
) -> EntityReport:
    """Report which entities of the source each system keeps, loses and invents.

    metric: says how entities are linked and which of them count. most: the number of lost and invented entities to
    list. examples: the number of places to list for each. confidence: the least with which a mention is listed.
    """
    if not testset.outputs:
        raise UsageError(f"Test set {testset.name!r} has no outputs to report on.")
    ready, both = metric.ready(testset), languages(testset.pair)
    metric = metric.resolved()
    detected = metric.linker().link(testset.source or (), both.source)
    referred = [metric.linker().link(_present(texts), both.target) for texts in testset.references.values()]
    source = _Side.of(metric, testset.source or (), detected, both.target)
    sides = {
        system: _Side.of(metric, outputs, metric.linker(of_outputs=True).link(outputs, both.target), both.source)
        for system, outputs in testset.outputs.items()
    }
    names = _named_by_references(metric, testset, both.target, both.source)
    linker = metric.linker()
    base = linker.kb if isinstance(linker, KBLinker) else None
    concepts = _concepts(base, both)
    of_source = NameChecks(base, both.source, both.target, chain.from_iterable(source.mentions), concepts)
    found = chain.from_iterable(row for side in sides.values() for row in side.mentions)
    of_outputs = NameChecks(base, both.target, both.source, found, concepts)
    tallies = {}
    for system, side in sides.items():
        others = [other.named() for name, other in sides.items() if name != system]
        tallies[system] = _Tally.of(
            source, side, _Doubts(of_source, of_outputs, names, others, confidence, metric.forms and base is not None)
        )
    everywhere = _Listing()
    for tally in tallies.values():
        everywhere.update(tally.lost)
    return EntityReport(
        test_set=testset.name,
        pair=testset.pair,
        signature=ready.signature,
        statistics=count_entities(detected, referred),
        histogram=entity_histogram(detected),
        categories=dict(source.categories().most_common()),
        systems={
            system: SystemEntities(
                kept=tally.kept.total(),
                source=source.total(),
                output=tally.output,
                categories={name: (tally.kept[name], whole) for name, whole in source.categories().most_common()},
                lost=tally.lost.listed(most, examples),
                invented=tally.invented.listed(most, examples),
                doubtful=tally.doubtful.total(),
            )
            for system, tally in tallies.items()
        },
        most_lost=everywhere.listed(most, examples),
        findings=tuple(sorted(_findings(tallies), key=lambda each: each.line)),
    )


class _Side(NamedTuple):
    """Texts with their counted mentions and the candidates of these."""

    texts: Sequence[str]
    mentions: list[list[Mention]]
    candidates: list[list[Candidates]]

    @classmethod
    def of(cls, metric: KoBE, texts: Sequence[str], found: Linked, named_in: str) -> _Side:
        counted = metric.chooser(named_in)
        kept = [[(m, c) for m in mentions if (c := counted(m))] for mentions in found]
        return cls(texts, [[m for m, _ in row] for row in kept], [[c for _, c in row] for row in kept])

    def total(self) -> int:
        return sum(map(len, self.mentions))

    def named(self) -> Named:
        """Return all entities that the mentions of each text may mean."""
        return [frozenset(entity for names in row for entity in names) for row in self.candidates]

    def categories(self) -> Counter[str]:
        return Counter(mention.category or UNKNOWN for row in self.mentions for mention in row)


class _Listing:
    """Entities that were lost or invented, with their places."""

    def __init__(self) -> None:
        self.times: Counter[str] = Counter()
        self.mentions: Counter[str] = Counter()
        self.names: dict[str, Counter[str]] = {}
        self.category: dict[str, str] = {}
        self.places: dict[str, list[MentionPlace]] = {}
        self.found: list[tuple[int, Mention, str, float]] = []

    def add(self, line: int, mention: Mention, entity: str, confidence: float | None) -> None:
        """Add a mention; with a confidence it was lost or invented."""
        self.mentions[entity] += 1
        self.names.setdefault(entity, Counter())[mention.text] += 1
        self.category.setdefault(entity, mention.category or UNKNOWN)
        if confidence is not None:
            self.times[entity] += 1
            self.places.setdefault(entity, []).append(MentionPlace(line, mention.text))
            self.found.append((line, mention, entity, confidence))

    def update(self, other: _Listing) -> None:
        self.times.update(other.times)
        self.mentions.update(other.mentions)
        for entity, names in other.names.items():
            self.names.setdefault(entity, Counter()).update(names)
        self.category = {**other.category, **self.category}
        for entity, places in other.places.items():
            self.places.setdefault(entity, []).extend(places)

    def listed(self, most: int, examples: int) -> tuple[EntityCounts, ...]:
        ranked = sorted(self.times.items(), key=lambda item: (-item[1], item[0]))[:most]
        return tuple(
            EntityCounts(
                id=entity,
                name=self.names[entity].most_common(1)[0][0],
                category=self.category[entity],
                times=times,
                mentions=self.mentions[entity],
                examples=tuple(dict.fromkeys(self.places[entity]))[:examples],
            )
            for entity, times in ranked
        )


class _Doubts(NamedTuple):
    """What tells names that were lost or invented from those that only seem so.

    references, others: the entities of the references, and of the other systems' outputs, by segment. least: the
    confidence from which a name is listed. forms: names in another form are kept, as in the metric.
    """

    of_source: NameChecks
    of_outputs: NameChecks
    references: Sequence[Named]
    others: Sequence[Named]
    least: float
    forms: bool

    def confidence(self, checks: NameChecks, mention: Mention, text: str, other_text: str) -> float | None:
        """Return the confidence that a name is lost or invented; None if it is too low."""
        sure = checks.confidence(mention)
        return sure if sure >= self.least and not checks.is_doubtful(mention, text, other_text) else None

    def are_shared(self, names: Candidates, line: int) -> bool:
        """Return whether a reference or half of the other systems have a name of an output in the same segment.

        Then it is the translation of an ordinary word that is also a name, as German "gießen" (to pour) and Gießen.
        """
        return _share_with(names, self.references, line) > 0 or _share_with(names, self.others, line) >= 0.5


class _Tally(NamedTuple):
    """The entities that one system kept, lost and invented."""

    kept: Counter[str]
    output: int
    lost: _Listing
    invented: _Listing
    doubtful: Counter[str]

    @classmethod
    def of(cls, source: _Side, output: _Side, doubts: _Doubts) -> _Tally:
        """Compare an output with the source."""
        tally = cls(Counter(), output.total(), _Listing(), _Listing(), Counter())
        rows = zip(*source, *output, strict=True)
        for line, (text, mentions, candidates, translation, found, found_candidates) in enumerate(rows, 1):
            linked, known = match(candidates, found_candidates), match(found_candidates, candidates)
            expected = list(zip(mentions, candidates, strict=True))
            theirs_found = list(zip(found, found_candidates, strict=True))
            kept = kept_in(expected, theirs_found, translation, doubts.of_source if doubts.forms else None)
            # A word that names another entity of the other text is no form of this one.
            text_left, translation_left = without(text, mentions, linked), without(translation, found, known)
            theirs, ours = frozenset(chain.from_iterable(found_candidates)), frozenset(chain.from_iterable(candidates))
            for mention, names, is_kept in zip(mentions, candidates, kept, strict=True):
                tally.kept[mention.category or UNKNOWN] += is_kept
                sure = (
                    None
                    if is_kept or not theirs.isdisjoint(names)
                    else doubts.confidence(doubts.of_source, mention, text, translation_left)
                )
                tally.doubtful["lost"] += not is_kept and sure is None
                tally.lost.add(line, mention, names[0], sure)
            for mention, names, is_known in zip(found, found_candidates, known, strict=True):
                new = not is_known and not doubts.are_shared(names, line)
                looked_for = new and ours.isdisjoint(names)  # a name that is there once is not looked for again
                sure = doubts.confidence(doubts.of_outputs, mention, translation, text_left) if looked_for else None
                tally.doubtful["invented"] += new and sure is None
                tally.invented.add(line, mention, names[0], sure)
        return tally


def _findings(tallies: Mapping[str, _Tally]) -> Iterator[NameFinding]:
    for system, tally in tallies.items():
        new: dict[tuple[int, str], list[str]] = {}
        for line, mention, _, _ in tally.invented.found:
            new.setdefault((line, mention.category), []).append(mention.text)
        for kind, listing in (("lost", tally.lost), ("invented", tally.invented)):
            for line, mention, entity, sure in listing.found:
                start, end, text, _, category, _ = mention
                instead = new.get((line, category), []) if kind == "lost" else []
                became = instead[0] if len(instead) == 1 else ""
                yield NameFinding(line, system, kind, start, end, text, entity, category or UNKNOWN, sure, became)


def _share_with(entities: Iterable[str], texts: Sequence[Named], line: int) -> float:
    """Return the share of texts that have one of these entities in this line."""
    found = sum(not text[line - 1].isdisjoint(entities) for text in texts)
    return found / len(texts) if texts else 0.0


def _concepts(kb: KnowledgeBase | None, both: Languages) -> KBLinker | None:
    """Return the finder of common words that comes with the package, if it has both languages."""
    if kb is None or not set(both) <= set(LANGUAGES):
        return None
    return KBLinker(resolve(CONCEPTS), senses="all", capitals=False)


def _named_by_references(metric: KoBE, testset: TestSet, language: str, named_in: str) -> list[Named]:
    """Return the entities of each segment of each reference; none where a segment has no such reference."""
    found = []
    for texts in testset.references.values():
        present = [text or "" for text in texts]
        linked = metric.linker(of_outputs=True).link(present, language)
        found.append(_Side.of(metric, present, linked, named_in).named())
    return found


def _present(texts: Sequence[str | None]) -> list[str]:
    return [text for text in texts if text is not None]


def count_entities(source: Linked, references: Sequence[Linked]) -> dict[str, int]:
    """Return the rows of the paper's Tables 5 to 7. Rows of references count all references together."""

    def distinct(texts: Iterable[Sequence[Mention]]) -> set[str]:
        return {mention.entities[0] for mentions in texts for mention in mentions}

    of_source = distinct(source)
    found = {
        "sentence count": len(source),
        "source sentences with entities": sum(map(bool, source)),
        "source entities count": sum(map(len, source)),
        "source distinct entities count": len(of_source),
    }
    if references:
        of_references = distinct(mentions for texts in references for mentions in texts)
        found |= {
            "reference entities count": sum(len(mentions) for texts in references for mentions in texts),
            "reference distinct entities count": len(of_references),
            "common distinct entities count": len(of_source & of_references),
        }
    return found


def entity_histogram(found: Linked) -> tuple[int, ...]:
    """Return the number of texts with 0, 1, 2, … entities."""
    numbers = Counter(map(len, found))
    return tuple(numbers[number] for number in range(max(numbers) + 1))
