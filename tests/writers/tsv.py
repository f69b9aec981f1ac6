"""Write a test set as tab-separated tables."""

from collections.abc import Sequence
from pathlib import Path

from tercet.data.field_checks import check_distinct, check_text
from tercet.data.files import writing
from tercet.data.testset import TestSet
from tercet.data.tsv import OUTPUTS, SEGMENTS
from tercet.errors import DataError, UsageError

from .checks import check_lines

_FIELD = "\t\n\r\0"


def write_tsv(testset: TestSet, path: str | Path) -> None:
    """Write one table for `read_tsv`: source, ref:NAME, doc, label:NAME, sys:NAME."""
    columns: list[tuple[str, Sequence[str | None]]] = []
    if testset.source is not None:
        columns.append(("source", testset.source))
    columns += [(f"ref:{name}", lines) for name, lines in testset.references.items()]
    if testset.documents is not None:
        columns.append(("doc", testset.documents))
    columns += [(f"label:{name}", lines) for name, lines in testset.labels.items()]
    columns += [(f"sys:{name}", lines) for name, lines in testset.outputs.items()]
    _write(path, columns)


def write_pair(testset: TestSet, folder: str | Path) -> None:
    """Write PAIR.segments.tsv.gz and PAIR.outputs.tsv.gz into a folder. Segments without numbers get 1, 2, 3, …"""
    if not testset.pair:
        raise UsageError(f"Test set {testset.name!r} has no language pair, which this layout needs for file names.")
    segments = testset.labels.get("seg") or [str(number) for number in range(1, len(testset) + 1)]
    columns: list[tuple[str, Sequence[str | None]]] = [("seg", segments)]
    for name, lines in testset.labels.items():
        if name != "seg":
            columns.append((name if name == "domain" else f"label:{name}", lines))
    if testset.documents is not None:
        columns.append(("doc", testset.documents))
    if testset.source is not None:
        columns.append(("source", testset.source))
    columns += [(f"ref_{name}", lines) for name, lines in testset.references.items()]
    outputs = {"seg": segments, **testset.outputs}
    if "seg" in testset.outputs:
        raise DataError(f"Test set {testset.name!r}: this layout cannot hold a system called 'seg'.")
    place = Path(folder)
    check_distinct(segments, place / f"{testset.pair}{SEGMENTS}.gz")
    _write(place / f"{testset.pair}{SEGMENTS}.gz", columns)
    _write(place / f"{testset.pair}{OUTPUTS}.gz", list(outputs.items()))


def _write(path: str | Path, columns: Sequence[tuple[str, Sequence[str | None]]]) -> None:
    for position, (column, _) in enumerate(columns):
        check_text(column, f"The name {column!r}", forbidden=_FIELD)
        if position == 0 and column.startswith("\ufeff"):
            raise DataError(f"The name {column!r} begins with U+FEFF, which readers take for a byte order mark.")
    texts = [check_lines(values, f"Column {column!r}", forbidden=_FIELD) for column, values in columns]
    with writing(path) as stream:
        stream.write("\t".join(column for column, _ in columns) + "\n")
        stream.writelines("\t".join(row) + "\n" for row in zip(*texts, strict=True))
