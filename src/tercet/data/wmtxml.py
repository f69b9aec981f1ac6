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

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path

from ..errors import DataError
from .documents import ATTRIBUTES, Document, Gathered, split
from .field_checks import check_encodable
from .files import writing
from .lines import read_lines
from .markup import FORBIDDEN, Parser
from .names import bare_name
from .testset import TestSet

KINDS = {"src": "source", "ref": "reference", "hyp": "output"}
_PARENTS = {"dataset": (None,), "collection": ("dataset",), "doc": ("dataset", "collection")}
_LANGUAGES = ("lang", "language")


class _Reader(Parser[object]):
    def __init__(self, path: str, encoding: str) -> None:
        super().__init__(path, encoding)
        self.gathered = Gathered()
        self.set_id: str | None = None
        self._document = ""
        self._text: tuple[str, str] | None = None  # kind, name
        self._segment: str | None = None
        self._pieces: list[str] = []
        self._languages: dict[str, set[str]] = {"src": set(), "tgt": set()}

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}"

    def _declaration(self, *_: object) -> None:
        """Ignore the declared encoding."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self.stack[-1] if self.stack else None
        if self._segment is not None:
            self.refuse(f"<{name}> within the text of segment {self._segment!r}")
        if (name in _PARENTS and parent not in _PARENTS[name]) or (parent is None and name != "dataset"):
            self.refuse(f"<{name}> does not belong here; WMT XML is <dataset> with <doc>")
        if name == "dataset":
            self.set_id = attributes.get("id")
        elif name == "doc":
            self._document = attributes.get("id") or attributes.get("docid") or ""
            if not self._document:
                self.refuse("a <doc> without id")
            if self._document in self.gathered.attributes:
                self.refuse(f"document {self._document!r} occurs twice")
            labels = {label: attributes[label] for label in ATTRIBUTES if label in attributes}
            self.gathered.describe("source", self._document, labels, self.place)
        elif name in KINDS:
            self._start_text(name, attributes)
        elif name == "seg":
            if self._text is None:
                self.refuse("<seg> outside of <src>, <ref> and <hyp>")
            self._segment, self._pieces = attributes.get("id"), []
            if not self._segment:
                self.refuse("a <seg> without id")

    def _start_text(self, tag: str, attributes: Mapping[str, str]) -> None:
        if not self._document or self.stack[-1] != "doc":
            self.refuse(f"<{tag}> outside of a document")
        name = {"src": "source", "ref": attributes.get("translator") or "ref"}.get(tag) or attributes.get("system")
        if not name:
            self.refuse(f"a <hyp> without system in document {self._document!r}")
        if language := next((attributes[key] for key in _LANGUAGES if attributes.get(key)), None):
            self._languages["src" if tag == "src" else "tgt"].add(language)
        self._text = KINDS[tag], name
        # Two elements can begin on one line, so the place does not distinguish them.
        if (*self._text, self._document) in self.gathered.places:
            self.refuse(f"document {self._document!r} has two texts of {KINDS[tag]} {name!r}")
        self.gathered.open_document(*self._text, self._document, self.place)

    def text(self, text: str) -> None:
        if self._segment is not None:
            self._pieces.append(text)
        elif not text.isspace():
            self.refuse(f"text outside of a segment: {text.strip()[:40]!r}")

    def end(self, name: str) -> None:
        if name == "seg" and self._segment and self._text:
            self.gathered.add(*self._text, self._document, self._segment, "".join(self._pieces), self.place)
            self._segment = None
        elif name in KINDS:
            self._text = None
        elif name == "doc":
            self._document = ""

    def pair(self) -> str | None:
        """Return the language pair if the file names one source and one target language, else None."""
        named = all(len(found) == 1 for found in self._languages.values())
        return "-".join(next(iter(found)) for found in self._languages.values()) if named else None


def read_wmtxml(path: str | Path, *, systems: Iterable[str] | None = None) -> TestSet:
    """Read the test set of a WMT XML file."""
    reader = _parsed(path)
    name = reader.set_id or bare_name(path, ".xml") or "unnamed"
    return reader.gathered.testset(str(path), pair=reader.pair(), name=name, systems=systems)


def language_pair(path: str | Path) -> str | None:
    """Return the language pair that a WMT XML file names, or None."""
    return _parsed(path).pair()


def _parsed(path: str | Path) -> _Reader:
    reader = _Reader(str(path), "utf-8")  # the text is decoded already, so the declared encoding is ignored
    for _ in reader.parse(BytesIO("\n".join(read_lines(path)).encode())):
        pass
    return reader


def write_wmtxml(testset: TestSet, path: str | Path) -> None:
    """Write a test set as WMT XML. A test set without document ids becomes one document."""
    source, target = {}, {}
    if testset.pair is not None:
        if not (testset.references or testset.outputs):
            raise DataError(
                f"{path} needs a translation to name the target language, but test set {testset.name!r} has none."
            )
        source, target = ({"lang": language} for language in testset.pair.split("-"))
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
    if bad := FORBIDDEN.search(text):
        raise DataError(f"{where} contains U+{ord(bad[0]):04X}, which XML cannot hold. Write JSONL.")
    check_encodable(text, where)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    # Parsers turn a carriage return into a line feed, and white space in attributes into spaces.
    return text.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")
