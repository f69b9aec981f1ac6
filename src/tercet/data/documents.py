"""Build a `TestSet` from documents with numbered segments, as in WMT's SGM and XML files."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..errors import DataError
from .display import listed
from .field_checks import chosen, further_labels
from .grouping import grouped
from .testset import TestSet

KINDS = ("source", "reference", "output")
PRECEDENCE = ("source", "output", "reference")  # whose order is used
ATTRIBUTES = ("domain", "origlang")  # labels that belong to whole documents

Key = tuple[str, str]  # document, segment id


@dataclass
class Gathered:
    """The texts read so far, by kind and name, with their segments by document and segment id."""

    texts: dict[str, dict[str, dict[Key, str]]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    places: dict[tuple[str, str, str], str] = field(default_factory=dict)  # kind, name, document -> file and line
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)  # document -> its domain, original language
    claimed: dict[str, dict[str, str]] = field(default_factory=dict)  # the same according to the outputs' files

    def open_document(self, kind: str, name: str, document: str, place: str) -> None:
        before = self.places.setdefault((kind, name, document), place)
        if before != place:
            raise DataError(f"{place}: document {document!r} of {kind} {name!r} occurs already in {before}.")
        self.texts[kind].setdefault(name, {})

    def describe(self, kind: str, document: str, attributes: Mapping[str, str], place: str) -> None:
        """Store a document's attributes. Source and references must agree; outputs often have wrong ones."""
        known = (self.claimed if kind == "output" else self.attributes).setdefault(document, {})
        for key, value in attributes.items():
            before = known.setdefault(key, value)
            if before != value and kind != "output":
                raise DataError(f"{place}: the {key} of document {document!r} is {value!r}, but {before!r} before.")

    def add(self, kind: str, name: str, document: str, segment: str, text: str, place: str) -> None:
        texts = self.texts[kind][name]
        if (document, segment) in texts:
            raise DataError(f"{place}: document {document!r} of {kind} {name!r} has two segments {segment!r}.")
        texts[document, segment] = text

    def testset(self, where: str, *, pair: str | None, name: str, systems: Iterable[str] | None) -> TestSet:
        """Return the test set. Raises DataError that names the documents in which segments are missing."""
        order = self._order()
        if not order:
            raise DataError(f"{where}: no segments.")
        outputs = {system: self.texts["output"][system] for system in chosen(self.texts["output"], systems)}
        references, source = self.texts["reference"], None
        for segments in filter(None, self.texts["source"].values()):  # an empty one only names a language
            self._check_complete("The source", segments, order, where)
            source = [segments[key] for key in order]
        for system, segments in outputs.items():
            self._check_complete(f"The output {system!r}", segments, order, where)
        if references:
            any_reference = {key for segments in references.values() for key in segments}
            self._check_complete("Every reference", any_reference, order, where)
        facts = {document: self.claimed.get(document, {}) | self.attributes.get(document, {}) for document, _ in order}
        labels = {
            attribute: [facts[document].get(attribute, "") for document, _ in order]
            for attribute in ATTRIBUTES
            if any(attribute in known for known in facts.values())
        }
        return TestSet(
            {system: [segments[key] for key in order] for system, segments in outputs.items()},
            {text: [segments.get(key) for key in order] for text, segments in references.items()},
            source,
            [document for document, _ in order],
            labels,
            pair=pair,
            name=name,
        )

    def _order(self) -> list[Key]:
        """Return documents and segments in the order of the text with most documents; the source wins ties."""
        documents = grouped(((kind, name), document) for kind, name, document in self.places)
        ranked = sorted(documents, key=lambda text: (-len(documents[text]), PRECEDENCE.index(text[0])))
        order = dict.fromkeys(document for text in ranked for document in documents[text])
        segments: dict[str, list[list[str]]] = {document: [] for document in order}
        for kind in PRECEDENCE:
            for text in self.texts[kind].values():
                for document, ids in grouped(text).items():
                    segments[document].append(ids)
        return [(document, segment) for document in order for segment in _merged(segments[document])]

    def _check_complete(self, text: str, found: Container[Key], order: list[Key], where: str) -> None:
        if missing := grouped(key for key in order if key not in found):
            some = [
                f"{document!r} (segments {', '.join(ids if len(ids) <= 4 else [*ids[:3], f'… {ids[-1]}'])})"
                for document, ids in missing.items()
            ]
            raise DataError(f"{where}: {text} lacks segments of {len(missing)} documents: {listed(some)}.")


def _merged(lists: list[list[str]]) -> list[str]:
    """Return the segment ids of a document in the order of the longest list, or by number if none is complete."""
    ranked = sorted(lists, key=len, reverse=True)
    merged = list(dict.fromkeys(segment for ids in ranked for segment in ids))
    if ranked and len(ranked[0]) < len(merged) and all(re.fullmatch("[0-9]{1,9}", segment) for segment in merged):
        merged.sort(key=int)
    return merged


@dataclass(frozen=True)
class Document:
    """A document of a test set: its id, its attributes, its rows in the test set."""

    id: str
    attributes: Mapping[str, str]
    rows: range


def split(testset: TestSet, path: object) -> Iterator[Document]:
    """Yield the documents, for writing. Raises DataError for labels of segments, and documents in several pieces."""
    further_labels(testset, ATTRIBUTES, str(path))
    ids = testset.documents if testset.documents is not None else [testset.name or "unnamed"] * len(testset)
    ends = [row for row in range(1, len(ids)) if ids[row] != ids[row - 1]]
    where, cannot, seen = f"Test set {testset.name!r}", f", which {path} cannot hold.", set[str]()
    for start, stop in zip([0, *ends], [*ends, len(ids)], strict=True):
        document = ids[start]
        if not document:
            raise DataError(f"{where}, segment {start + 1}: {path} needs a document id.")
        if document in seen:
            raise DataError(f"{where}, segment {start + 1}: document {document!r} is in several pieces{cannot}")
        seen.add(document)
        attributes = {name: testset.labels[name][start] for name in ATTRIBUTES if name in testset.labels}
        for name, value in attributes.items():
            if any(other != value for other in testset.labels[name][start:stop]):
                raise DataError(f"{where}: the {name} changes within document {document!r}{cannot}")
        yield Document(document, attributes, range(start, stop))
