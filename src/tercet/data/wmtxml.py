"""Read and write WMT's XML files since 2021: `dataset` with documents, each with source, references and outputs.

    <dataset id="newstest2021.en-de">
      <doc id="d1" origlang="en" domain="news">
        <src lang="en"><p><seg id="1">…</seg></p></src>
        <ref lang="de" translator="A"><p><seg id="1">…</seg></p></ref>
        <hyp system="Online-A" language="de"><p><seg id="1">…</seg></p></hyp>
      </doc>
    </dataset>

Documents may be in a `collection`. A document's `domain` and `origlang` become labels. Texts are kept unchanged.
Entity declarations are refused, because a few bytes of them can fill the memory.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler

from ..errors import DataError
from .documents import ATTRIBUTES, Document, Gathered, split
from .field_checks import check_encodable
from .files import writing
from .lines import read_lines
from .testset import TestSet

KINDS = {"src": "source", "ref": "reference", "hyp": "output"}
_PARENTS = {"dataset": (None,), "collection": ("dataset",), "doc": ("dataset", "collection")}
_LANGUAGES = ("lang", "language")
# XML 1.0 has no way to write these, not even as a reference.
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def read_wmtxml(
    path: str | Path, *, pair: str | None = None, name: str | None = None, systems: Iterable[str] | None = None
) -> TestSet:
    """Read the test set of a WMT XML file."""
    reader = _parsed(path)
    stem = Path(path).name.removesuffix(".gz").removesuffix(".xml")
    return reader.gathered.testset(
        str(path), pair=pair or reader.pair(), name=name or reader.set_id or stem or "unnamed", systems=systems
    )


def language_pair(path: str | Path) -> str | None:
    """Return the language pair that a WMT XML file names, or None."""
    return _parsed(path).pair()


def _parsed(path: str | Path) -> "_Reader":
    from defusedxml import DefusedXmlException
    from defusedxml.sax import make_parser

    text = "\n".join(read_lines(path))
    reader = _Reader(str(path))
    parser = make_parser()
    parser.setContentHandler(_Handler(reader))
    try:
        # A str, not bytes: it is already decoded, so the declared encoding is ignored.
        parser.parse(StringIO(text))
    except SAXParseException as error:
        raise DataError(f"{path}, line {error.getLineNumber()}: not XML: {error.getMessage()}.") from None
    except DefusedXmlException as error:
        raise DataError(
            f"{path}: {type(error).__name__}: entity declarations and external references are not allowed."
        ) from None
    except (SAXException, ValueError) as error:
        raise DataError(f"{path}: not XML: {error}.") from None
    return reader


@dataclass
class _Reader:
    """A receiver of the elements of a file, which collects its segments in `gathered`."""

    path: str
    gathered: Gathered = field(default_factory=Gathered)
    set_id: str | None = None
    stack: list[str] = field(default_factory=list)
    document: tuple[str, Mapping[str, str]] | None = None
    text: tuple[str, str] | None = None  # kind, name
    segment: str | None = None
    pieces: list[str] = field(default_factory=list)
    languages: dict[str, set[str]] = field(default_factory=lambda: {"src": set(), "tgt": set()})

    def start(self, tag: str, attributes: Mapping[str, str], place: str) -> None:
        if self.segment is not None:
            raise DataError(f"{place}: <{tag}> within the text of segment {self.segment!r}.")
        parent = self.stack[-1] if self.stack else None
        if (tag in _PARENTS and parent not in _PARENTS[tag]) or (parent is None and tag != "dataset"):
            raise DataError(f"{place}: <{tag}> does not belong here; WMT XML is <dataset> with <doc>.")
        if tag == "dataset":
            self.set_id = attributes.get("id")
        elif tag == "doc":
            self._document(attributes, place)
        elif tag in KINDS:
            self._text(tag, attributes, place)
        elif tag == "seg":
            self._segment(attributes, place)
        self.stack.append(tag)

    def _document(self, attributes: Mapping[str, str], place: str) -> None:
        identifier = attributes.get("id") or attributes.get("docid")
        if not identifier:
            raise DataError(f"{place}: a <doc> without id.")
        if identifier in self.gathered.attributes:
            raise DataError(f"{place}: document {identifier!r} occurs twice.")
        labels = {name: attributes[name] for name in ATTRIBUTES if name in attributes}
        self.document = (identifier, labels)
        self.gathered.describe("source", identifier, labels, place)

    def _text(self, tag: str, attributes: Mapping[str, str], place: str) -> None:
        if self.document is None or self.stack[-1] != "doc":
            raise DataError(f"{place}: <{tag}> outside of a document.")
        if tag == "src":
            name = "source"
        elif tag == "ref":
            name = attributes.get("translator") or "ref"
        else:
            name = attributes.get("system", "")
            if not name:
                raise DataError(f"{place}: a <hyp> without system in document {self.document[0]!r}.")
        language = next((attributes[key] for key in _LANGUAGES if attributes.get(key)), None)
        if language:
            self.languages["src" if tag == "src" else "tgt"].add(language)
        self.text = (KINDS[tag], name)
        # Two elements can begin on one line, so the place does not distinguish them.
        if (*self.text, self.document[0]) in self.gathered.places:
            raise DataError(f"{place}: document {self.document[0]!r} has two texts of {KINDS[tag]} {name!r}.")
        self.gathered.open_document(*self.text, self.document[0], place)

    def _segment(self, attributes: Mapping[str, str], place: str) -> None:
        if self.text is None:
            raise DataError(f"{place}: <seg> outside of <src>, <ref> and <hyp>.")
        self.segment = attributes.get("id")
        if not self.segment:
            raise DataError(f"{place}: a <seg> without id.")
        self.pieces = []

    def characters(self, text: str, place: str) -> None:
        if self.segment is not None:
            self.pieces.append(text)
        elif not text.isspace():
            raise DataError(f"{place}: text outside of a segment: {text.strip()[:40]!r}.")

    def end(self, tag: str, place: str) -> None:
        self.stack.pop()
        if tag == "seg" and self.segment and self.text and self.document:
            self.gathered.add(*self.text, self.document[0], self.segment, "".join(self.pieces), place)
            self.segment = None
        elif tag in KINDS:
            self.text = None
        elif tag == "doc":
            self.document = None

    def pair(self) -> str | None:
        """Return the language pair if the file names one source and one target language, else None."""
        if all(len(found) == 1 for found in self.languages.values()):
            return "-".join(next(iter(self.languages[side])) for side in ("src", "tgt"))
        return None


class _Handler(ContentHandler):
    """A SAX handler that passes events to the reader, with the line."""

    def __init__(self, reader: _Reader) -> None:
        super().__init__()
        self.reader = reader
        self.locator: Any = None

    def setDocumentLocator(self, locator: object) -> None:  # noqa: N802 (the name is SAX's)
        self.locator = locator

    @property
    def place(self) -> str:
        return f"{self.reader.path}, line {self.locator.getLineNumber()}"

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        self.reader.start(name, dict(attrs.items()), self.place)

    def endElement(self, name: str) -> None:  # noqa: N802
        self.reader.end(name, self.place)

    def characters(self, content: str) -> None:
        self.reader.characters(content, self.place)

    def skippedEntity(self, name: str) -> None:  # noqa: N802
        raise DataError(f"{self.place}: the entity {name} is not defined, so its text would be lost.")


def write_wmtxml(testset: TestSet, path: str | Path) -> None:
    """Write a test set as WMT XML. A test set without document ids becomes one document."""
    source, target = _languages(testset, path)
    with writing(path) as stream:
        stream.write("<?xml version='1.0' encoding='utf-8'?>\n")
        stream.write(f"<dataset{_attributes({'id': testset.name})}>\n")
        for document in split(testset, path):
            stream.write(f"  <doc{_attributes({'id': document.id, **document.attributes})}>\n")
            if testset.source is not None or source:
                stream.write(_block("src", source, document, testset.source or [None] * len(testset)))
            for name, lines in testset.references.items():
                stream.write(_block("ref", target | {"translator": name}, document, lines))
            for name, lines in testset.outputs.items():
                stream.write(_block("hyp", {"system": name} | target, document, lines))
            stream.write("  </doc>\n")
        stream.write("</dataset>\n")


def _languages(testset: TestSet, path: str | Path) -> tuple[dict[str, str], dict[str, str]]:
    if testset.pair is None:
        return {}, {}
    source, _, target = testset.pair.partition("-")
    if not (testset.references or testset.outputs):
        raise DataError(
            f"{path} needs a translation to name the target language, but test set {testset.name!r} has none."
        )
    return {"lang": source}, {"lang": target}


def _block(tag: str, attributes: Mapping[str, str], document: Document, lines: Sequence[str | None]) -> str:
    parts = [f"    <{tag}{_attributes(attributes)}>\n      <p>\n"]
    for number, row in enumerate(document.rows, 1):
        line = lines[row]
        if line is not None:
            parts.append(f'        <seg id="{number}">{_escaped(line, f"Segment {row + 1}")}</seg>\n')
    parts.append(f"      </p>\n    </{tag}>\n")
    return "".join(parts)


def _attributes(attributes: Mapping[str, str]) -> str:
    return "".join(f' {name}="{_escaped(value, f"The attribute {name}")}"' for name, value in attributes.items())


def _escaped(text: str, where: str) -> str:
    bad = _FORBIDDEN.search(text)
    if bad:
        raise DataError(f"{where} contains U+{ord(bad[0]):04X}, which XML cannot hold. Write JSONL.")
    check_encodable(text, where)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    # Parsers turn a carriage return into a line feed, and white space in attributes into spaces.
    return text.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")
