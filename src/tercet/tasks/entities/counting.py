"""Report which entities (names, places, things) of the source each system keeps, loses and invents, by category.

Gekhman et al. (2020), "KoBE: Knowledge-Based Machine Translation Evaluation", Findings of EMNLP. The report has the
data of Figures 3 and 4 and Tables 5 to 7, and lists the entities counted by the metric `kobe`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any, NamedTuple, Self

from ...data.grouping import grouped
from ...data.testset import TestSet
from ...errors import UsageError
from ...knowledge.default import CONCEPTS, LANGUAGES, resolve
from ...knowledge.linking import KBLinker
from ...knowledge.mentions import Mention
from ...knowledge.name_checks import NameChecks
from ...metrics.bases.entities import Candidates, Languages, kept_in, languages, match, without
from ...metrics.entities.kobe import KoBE

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

    categories: the number kept and in the source. lost, invented: the most frequent first. doubtful: mentions not
    listed, because the other text has another form of the name, it is an ordinary word, or confidence is too low.
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
        found = asdict(self)
        for system in found["systems"].values():
            system["categories"] = {
                name: {"kept": kept, "source": source, "share": kept / source}
                for name, (kept, source) in system["categories"].items()
            }
        return found


def report_entities(
    testset: TestSet, metric: KoBE, *, most: int = 20, examples: int = 3, confidence: float = 0.6
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
    columns = ([text for text in texts if text is not None] for texts in testset.references.values())
    referred = [metric.linker().link(texts, both.target) for texts in columns]
    source = _Side.of(metric, testset.source or (), detected, both.target)
    tallies = _tallies(metric, testset, both, source, confidence)
    categories = source.categories().most_common()
    return EntityReport(
        test_set=testset.name,
        pair=testset.pair,
        signature=ready.signature,
        statistics=count_entities(detected, referred),
        histogram=entity_histogram(detected),
        categories=dict(categories),
        systems={
            system: SystemEntities(
                kept=tally.kept.total(),
                source=source.total(),
                output=tally.output,
                categories={name: (tally.kept[name], whole) for name, whole in categories},
                lost=_listed(tally.lost, most, examples),
                invented=_listed(tally.invented, most, examples),
                doubtful=tally.doubtful.total(),
            )
            for system, tally in tallies.items()
        },
        most_lost=_listed([row for tally in tallies.values() for row in tally.lost], most, examples),
        findings=tuple(sorted(_findings(tallies), key=lambda each: each.line)),
    )


class _Side(NamedTuple):
    """Texts with their counted mentions and the candidates of these."""

    texts: Sequence[str]
    mentions: list[list[Mention]]
    candidates: list[list[Candidates]]

    @classmethod
    def of(cls, metric: KoBE, texts: Sequence[str], found: Linked, named_in: str) -> Self:
        counted = metric.chooser(named_in)
        kept = [[(m, c) for m in mentions if (c := counted(m))] for mentions in found]
        return cls(texts, [[m for m, _ in row] for row in kept], [[c for _, c in row] for row in kept])

    def total(self) -> int:
        return sum(map(len, self.mentions))

    def named(self) -> Named:
        return [frozenset(entity for names in row for entity in names) for row in self.candidates]

    def categories(self) -> Counter[str]:
        return Counter(mention.category or UNKNOWN for row in self.mentions for mention in row)


class _Row(NamedTuple):
    """A mention in a line that names an entity. confidence: that it was lost or invented; None if it was not."""

    line: int
    mention: Mention
    entity: str
    confidence: float | None


def _listed(rows: Iterable[_Row], most: int, examples: int) -> tuple[EntityCounts, ...]:
    """Return the entities that were lost or invented, the most frequent first."""
    found = []
    for entity, mentions in grouped((row.entity, row) for row in rows).items():
        if sure := [row for row in mentions if row.confidence is not None]:
            [(name, _)] = Counter(row.mention.text for row in mentions).most_common(1)
            places = dict.fromkeys(MentionPlace(row.line, row.mention.text) for row in sure)
            category = mentions[0].mention.category or UNKNOWN
            shown = tuple(places)[:examples]
            found.append(EntityCounts(entity, name, category, len(sure), len(mentions), shown))
    return tuple(sorted(found, key=lambda each: (-each.times, each.id))[:most])


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

    def confidence(
        self, checks: NameChecks, mention: Mention, text: str, other_text: str, others: Iterable[Mention]
    ) -> float | None:
        """Return the confidence that a name is lost or invented; None if it is too low.

        others: the mentions of the other text that this one lacks.
        """
        if checks.is_doubtful(mention, text, other_text):
            return None
        changed = any(other.category == mention.category for other in others)
        sure = checks.confidence(mention, text, other_text, changed=changed)
        return sure if sure >= self.least else None

    def are_shared(self, names: Candidates, line: int) -> bool:
        """Return whether a reference or half of the other systems have a name of an output in the same segment.

        Then it is the translation of an ordinary word that is also a name, as German "gießen" (to pour) and Gießen.
        """
        having = sum(not text[line - 1].isdisjoint(names) for text in self.others)
        in_reference = any(not text[line - 1].isdisjoint(names) for text in self.references)
        return in_reference or (having > 0 and having >= 0.5 * len(self.others))


class _Tally(NamedTuple):
    kept: Counter[str]
    output: int
    lost: list[_Row]
    invented: list[_Row]
    doubtful: Counter[str]

    @classmethod
    def of(cls, source: _Side, output: _Side, doubts: _Doubts) -> Self:
        tally = cls(Counter(), output.total(), [], [], Counter())
        rows = zip(*source, *output, strict=True)
        for line, (text, mentions, candidates, translation, found, found_candidates) in enumerate(rows, 1):
            linked, known = match(candidates, found_candidates), match(found_candidates, candidates)
            expected = list(zip(mentions, candidates, strict=True))
            theirs_found = list(zip(found, found_candidates, strict=True))
            kept = kept_in(expected, theirs_found, translation, doubts.of_source if doubts.forms else None)
            # A word that names another entity of the other text is no form of this one.
            text_left, translation_left = without(text, mentions, linked), without(translation, found, known)
            missing = [mention for mention, is_linked in zip(mentions, linked, strict=True) if not is_linked]
            added = [mention for mention, is_known in zip(found, known, strict=True) if not is_known]
            theirs, ours = frozenset(chain.from_iterable(found_candidates)), frozenset(chain.from_iterable(candidates))
            for mention, names, is_kept in zip(mentions, candidates, kept, strict=True):
                tally.kept[mention.category or UNKNOWN] += is_kept
                looked_for = not is_kept and theirs.isdisjoint(names)
                both = doubts.of_source, mention, text, translation_left, added
                sure = doubts.confidence(*both) if looked_for else None
                tally.doubtful["lost"] += not is_kept and sure is None
                tally.lost.append(_Row(line, mention, names[0], sure))
            for mention, names, is_known in zip(found, found_candidates, known, strict=True):
                new = not is_known and not doubts.are_shared(names, line)
                looked_for = new and ours.isdisjoint(names)  # a name that is there once is not looked for again
                both = doubts.of_outputs, mention, translation, text_left, missing
                sure = doubts.confidence(*both) if looked_for else None
                tally.doubtful["invented"] += new and sure is None
                tally.invented.append(_Row(line, mention, names[0], sure))
        return tally


def _tallies(metric: KoBE, testset: TestSet, both: Languages, source: _Side, confidence: float) -> dict[str, _Tally]:
    filtered, linker = metric.linker(of_outputs=True), metric.linker()
    sides = {
        system: _Side.of(metric, outputs, filtered.link(outputs, both.target), both.source)
        for system, outputs in testset.outputs.items()
    }
    references = []
    for texts in testset.references.values():
        present = [text or "" for text in texts]
        references.append(_Side.of(metric, present, filtered.link(present, both.target), both.source).named())
    base = linker.kb if isinstance(linker, KBLinker) else None
    has_concepts = base is not None and set(both) <= set(LANGUAGES)
    concepts = KBLinker(resolve(CONCEPTS), senses="all", capitals=False) if has_concepts else None
    of_source = NameChecks(base, both.source, both.target, chain.from_iterable(source.mentions), concepts)
    found = chain.from_iterable(row for side in sides.values() for row in side.mentions)
    of_outputs = NameChecks(base, both.target, both.source, found, concepts)
    named = {system: side.named() for system, side in sides.items()}
    tallies = {}
    for system, side in sides.items():
        others = [entities for name, entities in named.items() if name != system]
        forms = metric.forms and base is not None
        doubts = _Doubts(of_source, of_outputs, references, others, confidence, forms)
        tallies[system] = _Tally.of(source, side, doubts)
    return tallies


def _findings(tallies: Mapping[str, _Tally]) -> Iterator[NameFinding]:
    for system, tally in tallies.items():
        sure_ones = (row for row in tally.invented if row.confidence is not None)
        new = grouped(((row.line, row.mention.category), row.mention.text) for row in sure_ones)
        for kind, rows in (("lost", tally.lost), ("invented", tally.invented)):
            for line, mention, entity, sure in rows:
                start, end, text, _, category, _ = mention
                instead = new.get((line, category), []) if kind == "lost" else []
                became = instead[0] if len(instead) == 1 else ""
                if sure is not None:
                    yield NameFinding(line, system, kind, start, end, text, entity, category or UNKNOWN, sure, became)


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
