"""Read and write WMT's and NIST's SGM files: `srcset`, `refset` and `tstset` with documents of numbered segments.

Such files are not always well-formed XML (a bare "&" or "<", attributes without quotes, tags in any case). The known
tags are searched by name and everything else is text. &amp; &lt; &gt; &quot; &apos; and numeric references are decoded;
all other text is kept, also spaces around it. A segment or document that does not end, or whose id occurs twice, raises
DataError: otherwise a truncated file would look like a short one.

A system is named by the `sysid` of the document or of its `tstset`, a reference by the `refid` (of the document or the
set) or else the `sysid`. A document's `genre` becomes the label "domain", its `origlang` the label "origlang".
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from ..errors import DataError, UsageError
from .documents import Gathered, split
from .field_checks import check_text, file_in
from .files import writing
from .lines import read_lines
from .testset import TestSet

SETS = {"srcset": "source", "refset": "reference", "tstset": "output"}
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)(?=[\s>/])([^>]*)>", re.IGNORECASE)
_SEGMENT_END = re.compile(r"</seg\s*>|<seg(?=[\s>])", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([A-Za-z_][\w.-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LABELS = {"genre": "domain", "origlang": "origlang"}


def read_sgm(
    paths: str | Path | Sequence[str | Path], *, pair: str | None = None, systems: Iterable[str] | None = None
) -> TestSet:
    """Read a test set from one or several SGM files. Their tags tell source, references and outputs."""
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    if not paths:
        raise UsageError("No SGM file was given.")
    gathered = Gathered()
    heads = [head for path in paths for head in _Reader(path, gathered).read()]
    where = ", ".join(str(path) for path in paths) if len(paths) < 4 else f"{paths[0]} and {len(paths) - 1} more files"
    name = next((head["setid"] for head in heads if head.get("setid")), "unnamed")
    return gathered.testset(where, pair=pair or _pair(heads), name=name, systems=systems)


def head_tags(text: str) -> list[dict[str, str]]:
    """Return the attributes of the sets in a text: "tag", and setid, srclang, trglang, …"""
    return [
        {**_attributes(match[3]), "tag": match[2].lower()}
        for match in _TAG.finditer(text)
        if not match[1] and match[2].lower() in SETS
    ]


def languages_of(heads: list[dict[str, str]]) -> list[str | None]:
    """Return the source and the target language of sets, None where they name none or several."""
    found = [{head[key] for head in heads if head.get(key, "any").lower() != "any"} for key in ("srclang", "trglang")]
    return [languages.pop() if len(languages) == 1 else None for languages in found]


def _pair(heads: list[dict[str, str]]) -> str | None:
    source, target = languages_of(heads)
    return f"{source}-{target}" if source and target else None


class _Reader:
    def __init__(self, path: str | Path, gathered: Gathered) -> None:
        self.path, self.gathered = path, gathered
        self.text = "\n".join(read_lines(path))
        self.breaks = [match.start() for match in re.finditer("\n", self.text)]  # where the lines end
        self.position = 0
        self.heads: list[dict[str, str]] = []
        self.set: dict[str, str] | None = None
        self.document: tuple[str, str, str] | None = None  # kind, name, id

    @property
    def place(self) -> str:
        """The file and line of the current tag, for messages."""
        return f"{self.path}, line {bisect_left(self.breaks, self.position) + 1}"

    def refuse(self, problem: str) -> NoReturn:
        raise DataError(f"{self.place}: {problem}")

    def read(self) -> list[dict[str, str]]:
        behind = 0
        while match := _TAG.search(self.text, behind):
            self.position, behind = match.start(), match.end()
            closing, tag = bool(match[1]), match[2].lower()
            if tag == "seg":
                behind = self._segment(match, closing=closing)
            elif closing:
                self._close(tag)
            elif tag == "doc":
                self._open_document(_attributes(match[3]))
            else:
                if self.set is not None:
                    self.refuse(f"<{tag}> within <{self.set['tag']}>, which is not closed.")
                self.set = {**_attributes(match[3]), "tag": tag}
                self.heads.append(self.set)
        if self.set is not None:
            raise DataError(f"{self.path} ends within <{self.set['tag']}>. It seems to be truncated.")
        if not self.heads:
            raise DataError(f"{self.path} has no <srcset>, <refset> or <tstset>: it is not a WMT SGM file.")
        return self.heads

    def _open_document(self, attributes: Mapping[str, str]) -> None:
        if self.set is None:
            self.refuse("<doc> outside of <srcset>, <refset> and <tstset>.")
        if self.document is not None:
            self.refuse(f"<doc> within document {self.document[2]!r}, which is not closed.")
        identifier = attributes.get("docid") or attributes.get("id")
        if not identifier:
            self.refuse("a <doc> without docid.")
        kind, name = SETS[self.set["tag"]], "source"
        if kind != "source":
            keys = ("refid", "sysid") if kind == "reference" else ("sysid",)
            name = next((where[key] for key in keys for where in (attributes, self.set) if where.get(key)), "")
            if not name:
                self.refuse(f"this {kind} has no name. Give its <doc> or its set a sysid.")
        self.document = kind, name, identifier
        self.gathered.open_document(*self.document, self.place)
        labels = {label: attributes[key] for key, label in _LABELS.items() if key in attributes}
        self.gathered.describe(kind, identifier, labels, self.place)

    def _close(self, tag: str) -> None:
        opened = self.document is not None if tag == "doc" else self.set is not None and self.set["tag"] == tag
        if not opened:
            self.refuse(f"</{tag}> without <{tag}>.")
        if tag == "doc":
            self.document = None
        elif self.document is not None:
            self.refuse(f"</{tag}> within document {self.document[2]!r}; </doc> is missing.")
        else:
            self.set = None

    def _segment(self, match: re.Match[str], *, closing: bool) -> int:
        if closing:
            self.refuse("</seg> without <seg>.")
        if self.document is None:
            self.refuse("<seg> outside of a document.")
        kind, name, document = self.document
        identifier = _attributes(match[3]).get("id")
        if not identifier:
            self.refuse(f"a <seg> without id in document {document!r}.")
        end = _SEGMENT_END.search(self.text, match.end())
        if match[3].rstrip().endswith("/"):
            text, behind = "", match.end()
        elif end is None or not end[0].startswith("</"):
            self.refuse(f"<seg id={identifier!r}> has no </seg>.")
        else:
            text, behind = decode(self.text[match.end() : end.start()]), end.end()
        self.gathered.add(kind, name, document, identifier, text, self.place)
        return behind


def _attributes(text: str) -> dict[str, str]:
    return {match[1].lower(): decode(match[2] or match[3] or match[4] or "") for match in _ATTRIBUTE.finditer(text)}


def decode(text: str) -> str:
    """Decode the entities and numeric references of a text. A bare & is kept."""
    if "&" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return _NAMED[match[1]]
        code = int(match[2]) if match[2] else int(match[3], 16)
        if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            return match[0]  # not a character
        return chr(code)

    return _REFERENCE.sub(character, text)


def encode(text: str) -> str:
    """Encode the characters with a meaning in SGM, and those that readers change, as references."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text.replace("\r", "&#13;").replace("\n", "&#10;")


def write_sgm(testset: TestSet, folder: str | Path) -> list[Path]:
    """Write source, references and outputs as WMT does, one file per text, and return the paths."""
    folder = Path(folder)
    stem = f"{testset.name}-{testset.pair.replace('-', '')}" if testset.pair else testset.name
    texts: list[tuple[str, str, Sequence[str | None], Path]] = []
    if testset.source is not None:
        texts.append(("srcset", "source", testset.source, file_in(folder, f"{stem}-src.sgm")))
    for name, lines in testset.references.items():
        texts.append(("refset", name, lines, file_in(folder, f"{stem}-ref.{name}.sgm")))
    for name, lines in testset.outputs.items():
        texts.append(("tstset", name, lines, file_in(folder, f"{stem}.{name}.sgm")))
    for tag, name, lines, path in texts:
        _write(testset, tag, name, lines, path)
    return [path for *_, path in texts]


def _write(testset: TestSet, tag: str, name: str, lines: Sequence[str | None], path: Path) -> None:
    languages = dict(zip(("srclang", "trglang"), (testset.pair or "any-any").split("-", 1), strict=False))
    if _pair([languages]) != testset.pair:
        raise DataError(f"{path} must name the language pair, but {testset.pair!r} is not a pair like 'ru-en'.")
    head = {"setid": testset.name, **languages}
    if tag != "srcset":
        head["refid" if tag == "refset" else "sysid"] = name
    with writing(path) as stream:
        stream.write(f"<{tag}{_written(head)}>\n")
        for document in split(testset, path):
            attributes = {"docid": document.id, **({} if tag == "srcset" else {"sysid": name})}
            attributes |= {
                key: document.attributes[label] for key, label in _LABELS.items() if label in document.attributes
            }
            stream.write(f"<doc{_written(attributes)}>\n")
            for number, row in enumerate(document.rows, 1):
                line = lines[row]
                if line is not None:
                    check_text(line, f"{name!r}, segment {row + 1}", forbidden="\0")
                    stream.write(f'<seg id="{number}">{encode(line)}</seg>\n')
            stream.write("</doc>\n")
        stream.write(f"</{tag}>\n")


def _written(attributes: Mapping[str, str]) -> str:
    for key, value in attributes.items():
        check_text(value, f"The attribute {key}", forbidden="\0")
    return "".join(f' {key}="{encode(value)}"' for key, value in attributes.items())
