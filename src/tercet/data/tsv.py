"""Read and write test sets as tab-separated tables: one file with a header, or two files per language pair.

There is no quoting: a quotation mark is an ordinary character. A tab or line feed inside a text cannot be written.

One file (`read_tsv`). The header names the columns:

| column | holds |
|---|---|
| `source`, `src` | the source |
| `reference`, `ref`, `ref0`, `refA`, … | a reference of that name |
| `ref:NAME`, `ref_NAME` | the reference NAME |
| `doc`, `document`, `documents` | document ids |
| `seg`, `domain`, `label:NAME` | a label |
| `sys:NAME` | the output of NAME |
| any other | an output if there is no `sys:` column, else a label |

A folder (`read_pair`): `PAIR.segments.tsv[.gz]` with seg, source, reference (or ref_A, ref_B, …), perhaps doc, domain;
and `PAIR.outputs.tsv[.gz]` with seg and one column per system. Segment numbers must agree and become the label "seg".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import DataError, UsageError
from .field_checks import check_distinct, check_lines, check_text, chosen
from .files import writing
from .names import bare_name
from .tables import read_table
from .testset import TestSet

SOURCE = ("source", "src")
DOCUMENTS = ("doc", "document", "documents")
REFERENCE = re.compile(r"(?:ref|reference)(?:\d+|[A-Z])?|(?:ref|reference)[:_](?P<name>.+)", re.DOTALL)
SEGMENTS = ".segments.tsv"
OUTPUTS = ".outputs.tsv"
KINDS = ("source", "documents", "reference", "system", "label")
_FIELD = "\t\n\r\0"
Columns = list[tuple[str, Sequence[str | None]]]


def read_tsv(
    path: str | Path, *, pair: str | None = None, name: str | None = None, systems: Iterable[str] | None = None
) -> TestSet:
    """Read the test set of one table with a header. The module's docstring lists the names of columns."""
    found = _sorted(path, _columns(path))
    return _testset(found, found["system"], systems, pair, name or bare_name(path, ".tsv") or "unnamed")


def knows(header: Iterable[str]) -> bool:
    """Return whether a header has a name that `read_tsv` knows, so that the file is in this format."""
    known = {*SOURCE, *DOCUMENTS, "seg", "domain"}
    return any(name in known or REFERENCE.fullmatch(name) or name.startswith(("sys:", "label:")) for name in header)


def read_pair(folder: str | Path, pair: str, *, systems: Iterable[str] | None = None) -> TestSet:
    """Read the test set of one pair from a folder with PAIR.segments.tsv and PAIR.outputs.tsv, perhaps gzipped."""
    folder = Path(folder)
    texts, translations = (_either(folder, pair, suffix) for suffix in (SEGMENTS, OUTPUTS))
    columns, outputs = _columns(texts), _columns(translations)
    for path, table in ((texts, columns), (translations, outputs)):
        if "seg" not in table:
            raise DataError(f"{path}, line 1: no column 'seg' with the segment numbers. Columns: {', '.join(table)}.")
        check_distinct(table["seg"], path)
    _check_same_segments(columns["seg"], outputs.pop("seg"), texts, translations)
    found = _sorted(texts, columns, others_are_labels=True)
    if found["system"]:
        raise DataError(f"{texts}, line 1: outputs ({', '.join(found['system'])}) belong in {translations.name}.")
    return _testset(found, outputs, systems, pair, folder.resolve().name)


def pairs(folder: str | Path) -> list[str]:
    """Return the language pairs of a folder in the two-file layout."""
    names = {path.name.removesuffix(".gz") for path in Path(folder).iterdir()}
    return sorted(
        name.removesuffix(SEGMENTS)
        for name in names
        if name.endswith(SEGMENTS) and name.removesuffix(SEGMENTS) + OUTPUTS in names
    )


def write_tsv(testset: TestSet, path: str | Path) -> None:
    """Write one table for `read_tsv`: source, ref:NAME, doc, label:NAME, sys:NAME."""
    columns: Columns = [("source", testset.source)] if testset.source is not None else []
    columns += [(f"ref:{name}", lines) for name, lines in testset.references.items()]
    columns += [("doc", testset.documents)] if testset.documents is not None else []
    columns += [(f"label:{name}", lines) for name, lines in testset.labels.items()]
    columns += [(f"sys:{name}", lines) for name, lines in testset.outputs.items()]
    _write(path, columns)


def write_pair(testset: TestSet, folder: str | Path) -> None:
    """Write PAIR.segments.tsv.gz and PAIR.outputs.tsv.gz into a folder. Segments without numbers get 1, 2, 3, …"""
    if not testset.pair:
        raise UsageError(f"Test set {testset.name!r} has no language pair, which this layout needs for file names.")
    if "seg" in testset.outputs:
        raise DataError(f"Test set {testset.name!r}: this layout cannot hold a system called 'seg'.")
    segments = testset.labels.get("seg") or [str(number) for number in range(1, len(testset) + 1)]
    labels = {name: lines for name, lines in testset.labels.items() if name != "seg"}
    columns: Columns = [("seg", segments)]
    columns += [(name if name == "domain" else f"label:{name}", lines) for name, lines in labels.items()]
    columns += [("doc", testset.documents)] if testset.documents is not None else []
    columns += [("source", testset.source)] if testset.source is not None else []
    columns += [(f"ref_{name}", lines) for name, lines in testset.references.items()]
    place = Path(folder)
    check_distinct(segments, place / f"{testset.pair}{SEGMENTS}.gz")
    _write(place / f"{testset.pair}{SEGMENTS}.gz", columns)
    _write(place / f"{testset.pair}{OUTPUTS}.gz", [("seg", segments), *testset.outputs.items()])


def _sorted(
    path: str | Path, columns: Mapping[str, list[str]], *, others_are_labels: bool = False
) -> dict[str, dict[str, list[str]]]:
    """Return the columns of a table by what they hold, and by name ("" for the source and the documents)."""
    found: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
    others_are_labels = others_are_labels or any(column.startswith("sys:") for column in columns)
    for column, values in columns.items():
        kind, name = _meaning(column, path, others_are_labels=others_are_labels)
        if name in found[kind]:
            known = {"source": f"source: {' and '.join(SOURCE)}", "documents": "documents"}
            raise DataError(f"{path}, line 1: two columns hold the {known.get(kind, f'{kind} {name!r}')}.")
        found[kind][name] = values
    return found


def _meaning(column: str, path: str | Path, *, others_are_labels: bool) -> tuple[str, str]:
    kind, _, rest = column.partition(":")
    if column in SOURCE or column in DOCUMENTS:
        return ("source" if column in SOURCE else "documents"), ""
    if match := REFERENCE.fullmatch(column):
        return "reference", match["name"] or column
    if rest and kind in ("sys", "label"):
        return ("system" if kind == "sys" else "label"), rest
    if column in ("seg", "domain") or others_are_labels:
        return "label", column
    if column.lower().startswith("ref"):
        raise DataError(
            f"{path}, line 1: is column {column!r} a reference or a system? Call it 'ref:{column}' or 'sys:{column}'."
        )
    return "system", column


def _testset(
    found: Mapping[str, dict[str, list[str]]], outputs: Mapping[str, list[str]], systems: Iterable[str] | None,
    pair: str | None, name: str,
) -> TestSet:  # fmt: skip
    wanted = {system: outputs[system] for system in chosen(outputs, systems)}
    source, documents = (found[kind].get("") for kind in ("source", "documents"))
    return TestSet(wanted, found["reference"], source, documents, found["label"], pair, name)


def _columns(path: str | Path) -> dict[str, list[str]]:
    table = read_table(path, separator="\t")
    return {name: table.column(name) for name in table.header}


def _either(folder: Path, pair: str, suffix: str) -> Path:
    found = [folder / f"{pair}{suffix}{ending}" for ending in ("", ".gz")]
    found = [path for path in found if path.is_file()]
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(f"{folder} has both {found[0].name} and {found[1].name}. Remove one.")
    raise UsageError(f"{folder} has no {pair}{suffix}.gz.")


def _check_same_segments(first: list[str], second: list[str], path: Path, other: Path) -> None:
    for line, (a, b) in enumerate(zip(first, second, strict=False), 2):
        if a != b:
            raise DataError(f"{path} and {other} are not parallel: line {line} is segment {a!r} and segment {b!r}.")
    if len(first) != len(second):
        raise DataError(f"{path} and {other} are not parallel: {len(first)} segments and {len(second)} segments.")


def _write(path: str | Path, columns: Columns) -> None:
    for position, (column, _) in enumerate(columns):
        check_text(column, f"The name {column!r}", forbidden=_FIELD)
        if position == 0 and column.startswith("\ufeff"):
            raise DataError(f"The name {column!r} begins with U+FEFF, which readers take for a byte order mark.")
    texts = [check_lines(values, f"Column {column!r}", forbidden=_FIELD) for column, values in columns]
    with writing(path) as stream:
        stream.write("\t".join(column for column, _ in columns) + "\n")
        stream.writelines("\t".join(row) + "\n" for row in zip(*texts, strict=True))
