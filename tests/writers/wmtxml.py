"""Write a test set as a WMT XML file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tercet.data.field_checks import check_encodable
from tercet.data.files import writing
from tercet.data.testset import TestSet
from tercet.errors import DataError

from .documents import Document, split

# XML 1.0 has no way to write these, not even as a reference.
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


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
