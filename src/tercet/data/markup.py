"""Parse XML safely and with byte positions: for XLIFF, TMX, TBX, WMT's XML and the parts of XLSX files.

Files are read block by block. Entity declarations and internal subsets are refused, because a few bytes of them can
fill the memory; an external DOCTYPE, as TMX files have it, is accepted and never fetched.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import IO, Generic, NoReturn, TypeVar
from xml.parsers import expat

from ..errors import DataError
from .lines import open_bytes

BLOCK = 1 << 16  # bytes read at once
SPACE = "xml:space"
Found = TypeVar("Found")
FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # XML 1.0 cannot hold them
_INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
_UTF8 = ("utf-8", "utf8")
_BROKEN_LINE = re.compile(r"[ \t]*[\r\n]\s*")


class Parser(Generic[Found]):
    """Base class of readers of XML: subclasses override `start`, `end`, `text` and put results into `found`.

    Names are local: the prefix of the root element is removed, elements of other namespaces keep theirs.
    encoding: of the bytes, where the file's own declaration is wrong.
    """

    def __init__(self, path: str, encoding: str | None = None) -> None:
        self.path = path
        self.found: list[Found] = []
        self.stack: list[str] = []
        self.prefix = ""
        self.encoding = "utf-8"
        self._spaces: list[bool] = [False]
        self._ending = ""
        self._parser = parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.text
        parser.SkippedEntityHandler = self._skipped

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Receive the start of an element; `stack` does not yet have it."""

    def end(self, name: str) -> None:
        """Receive the end of an element; `stack` no longer has it."""

    def text(self, text: str) -> None:
        """Receive characters."""

    def read(self) -> Iterator[Found]:
        """Yield what the subclass finds in the file at `path`."""
        with open_bytes(self.path) as stream:
            yield from self.parse(stream)

    def parse(self, stream: IO[bytes]) -> Iterator[Found]:
        """Yield what the subclass puts into `found`, as soon as it is there."""
        block = stream.read(BLOCK)
        self._sniff(block)
        try:
            while True:
                self._parser.Parse(block, not block)
                yield from self.found
                self.found.clear()
                if not block:
                    return
                block = stream.read(BLOCK)
        except expat.ExpatError as error:
            if error.code == _INVALID_TOKEN and not _is_utf8(block) and self.encoding.lower() in _UTF8:
                reason = "a byte that is not UTF-8. Save the file as UTF-8, or declare its encoding"
            else:
                reason = f"not well-formed XML: {expat.errors.messages.get(error.code, error)}"
            self.refuse(reason, error.lineno)
        except (UnicodeError, LookupError, ValueError) as error:
            raise DataError(
                f"{self.path}: the encoding {self.encoding!r} cannot be read ({error}). Save the file as UTF-8."
            ) from None

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    @property
    def byte(self) -> int:
        """Return the place of the current start tag, end tag or text."""
        return self._parser.CurrentByteIndex

    @property
    def behind(self) -> int:
        """Return the place behind the element that ends now."""
        rest = self._parser.GetInputContext() or b""
        tag, close = self.encoded("</" + self._ending), self.encoded(">")
        end = rest.find(close) + len(close)
        if rest[: len(tag)] != tag or rest[len(tag) : end].strip(b"\0 \t\r\n") != b">":  # <c/> has ended already
            return self.byte
        return self.byte + end

    @property
    def keeps_space(self) -> bool:
        return self._spaces[-1]

    def refuse(self, problem: str, line: int = 0) -> NoReturn:
        """Raise DataError. line: where the problem is, by default here."""
        raise DataError(f"{self.path}, line {line or self.line}: {problem}.")

    def encoded(self, text: str) -> bytes:
        """Return a text in the encoding of the file; characters that it does not have become references."""
        return text.encode(self.encoding, "xmlcharrefreplace")

    def _sniff(self, block: bytes) -> None:
        if block.startswith(codecs.BOM_UTF16_LE) or block.startswith(b"<\0"):
            self.encoding = "utf-16-le"
        elif block.startswith(codecs.BOM_UTF16_BE) or block.startswith(b"\0<"):
            self.encoding = "utf-16-be"
        elif not block:
            raise DataError(f"{self.path} is empty.")

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding and not self.encoding.startswith("utf-16"):
            try:
                codecs.lookup(encoding)
            except LookupError:
                self.refuse(f"the encoding {encoding!r} is not known")
            self.encoding = encoding

    def _doctype(self, name: str, system: str | None, public: str | None, has_internal_subset: int) -> None:
        if has_internal_subset:
            self.refuse("the DOCTYPE has an internal subset, which is not allowed. Remove the part in brackets")

    def _entity(self, name: str, *_: object) -> None:
        self.refuse(f"the entity {name!r} is declared, which is not allowed")

    def _skipped(self, name: str, *_: object) -> None:
        self.refuse(f"the entity {name!r} is not defined, so its text would be lost")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.stack:
            prefix, colon, _ = name.rpartition(":")
            self.prefix = prefix + colon
        keeps = attributes.get(SPACE)
        self._spaces.append(self.keeps_space if keeps is None else keeps == "preserve")
        name = name.removeprefix(self.prefix)
        self.start(name, attributes)
        self.stack.append(name)

    def _end(self, name: str) -> None:
        self.stack.pop()
        self._ending = name
        self.end(name.removeprefix(self.prefix))
        self._spaces.pop()


class InlineText:
    """The text of an element with inline tags. The tags are kept apart: their content is code, not language."""

    def __init__(self, name: str, *, keeps_space: bool) -> None:
        self.name = name
        self.tags: list[str] = []
        self._keeps_space = keeps_space
        self._pieces: list[str] = []
        self._code = 0  # depth within tags whose content is code

    def start(self, name: str, attributes: dict[str, str], *, spans: frozenset[str], marks: frozenset[str]) -> None:
        """Add a tag. spans: tags whose content is text. marks: annotations, which are no tags."""
        if self._code or (name not in spans and name not in marks):
            self._code += 1
        if self._code > 1 or name in marks:
            return
        known = next((attributes[key] for key in ("id", "i", "x", "rid", "startRef") if key in attributes), "")
        self.tags.append(f"{name}:{known}" if known else name)

    def end(self) -> None:
        """End the last tag that began."""
        if self._code:
            self._code -= 1

    def add(self, text: str) -> None:
        if not self._code:
            self._pieces.append(text)

    @property
    def text(self) -> str:
        """Return the text without tags. Unless spaces are kept, a line break with its indent is one space."""
        text = "".join(self._pieces)
        if self._keeps_space or "\n" not in text:
            return text
        return _BROKEN_LINE.sub(" ", text).strip()


def _is_utf8(block: bytes) -> bool:
    """Return whether a block of a file is UTF-8; a character may be cut at either end."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(block.lstrip(bytes(range(0x80, 0xC0))))
    except UnicodeDecodeError:
        return False
    return True


def escaped(text: str) -> str:
    """Return a text for the content or an attribute of an element. Raises DataError for what XML cannot hold."""
    if bad := FORBIDDEN.search(text):
        raise DataError(f"U+{ord(bad[0]):04X} cannot be written in XML.")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text.replace("\r", "&#13;")  # parsers turn a carriage return into a line feed


def pair_of(languages: Sequence[str]) -> str | None:
    """Return the language pair without regions, as en-de for ("en-US", "de_DE"); None if a language is missing."""
    codes = [re.split("[-_]", language)[0].lower() for language in languages]
    return "-".join(codes) if len(codes) == 2 and all(codes) else None
