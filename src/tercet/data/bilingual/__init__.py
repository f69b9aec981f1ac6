"""Files with sources and translations: XLIFF, TMX, PO, CSV, TSV, XLSX. One interface, one module per format.

`open_bitext` reads a file; the result is a test set with ids and file names, and writes notes (scores, ranks, findings)
into a copy of the file. A format module has `ENDINGS`, `STATES`, `read_segments`, and `edits` (or `write`).
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copy2
from types import ModuleType
from typing import BinaryIO

from ...errors import DataError, UsageError
from ..field_checks import chosen
from ..files import content_checksum, writing_bytes
from ..formats.columns import NAMES
from ..formats.text_columns import parse_columns as parse_columns
from ..lines import open_bytes
from ..names import bare_name
from ..testset import TestSet
from . import po, table, tmx, xliff, xlsx
from .segments import OUTPUT, Choice, Notes, Segment, splice

FORMATS: Mapping[str, ModuleType] = {
    ending: module for module in (xliff, tmx, po, table, xlsx) for ending in module.ENDINGS
}
ENDINGS = tuple(FORMATS)
BACKUP = ".bak"
MOST_BACKUPS = 1000
ID = "id"  # the label with the ids of segments


def format_of(path: str | Path) -> ModuleType | None:
    """Return the module that reads a file, by its ending, or None."""
    name = bare_name(path).lower()
    return next((module for ending, module in FORMATS.items() if name.endswith(ending)), None)


def language_pair(path: str | Path) -> str | None:
    """Return the language pair that a file names; only XML files do."""
    named = getattr(format_of(path), "language_pair", None)
    return named(path) if named else None


@dataclass(frozen=True, repr=False)
class BilingualFile:
    """A bilingual file, which is read segment by segment. checksum: of its bytes when it was opened."""

    path: Path
    format: ModuleType
    choice: Choice
    pair: str | None = None
    checksum: str = ""

    def read(self) -> Iterator[Segment]:
        segment = None
        for segment in self.format.read_segments(self.path, self.choice):
            yield segment
        if segment is None:
            raise DataError(f"{self.path} has no segments.")

    def meaning_of(self, state: str) -> str | None:
        """Return what a state of the format means: DONE, FLAGGED or nothing; None for one that is not known."""
        return "" if not state or state.startswith("x-") else self.format.STATES.get(state)

    def _check_notes(self, notes: Notes) -> None:
        size = sum(1 for _ in self.read())
        for name, values in notes.items():
            if len(values) != size:
                raise UsageError(f"{self.path} has {size} segments, but there are {len(values)} values of {name}.")
        if self.path.name.endswith(".gz"):
            raise UsageError(f"{self.path} is compressed. Unpack it, so that notes can be written.")

    def annotate(self, notes: Notes, to: str | Path) -> None:
        """Write a copy with notes, by name one per segment; they replace our earlier ones, all else stays."""
        self._check_notes(notes)
        with writing_bytes(to, like=self.path) as out:
            self._write(notes, out)

    def _write(self, notes: Notes, out: BinaryIO) -> None:
        if self.format is xlsx:
            xlsx.write(self.path, self.choice, notes, out)
        else:
            with open_bytes(self.path) as stream:
                splice(stream, self.format.edits(self.path, self.choice, notes), out)
        self.check_unchanged(self.checksum)

    def check_unchanged(self, checksum: str) -> None:
        if content_checksum(self.path) != checksum:
            raise DataError(f"{self.path} has changed since its texts were read. Nothing was written; run it again.")

    def annotate_in_place(self, notes: Notes) -> Path:
        """Write notes into the file itself, atomically. Returns the old file: FILE.bak, FILE.bak2, …"""
        self._check_notes(notes)
        names = (f"{self.path.name}{BACKUP}{number}" for number in ("", *range(2, MOST_BACKUPS)))
        backup = next((path for path in map(self.path.with_name, names) if not path.exists()), None)
        if backup is None:
            raise UsageError(f"{self.path} has {MOST_BACKUPS} backups already. Move them away.")
        try:
            with writing_bytes(self.path) as out:
                self._write(notes, out)
                path = os.path.realpath(self.path)
                try:
                    os.link(path, backup)
                except OSError:  # files have only one name there
                    copy2(path, backup)
        except BaseException:
            backup.unlink(missing_ok=True)
            raise
        object.__setattr__(self, "checksum", content_checksum(self.path))  # what we changed may be changed again
        return backup


@dataclass(frozen=True, repr=False)
class Bitext(BilingualFile):
    """The segments of a bilingual file."""

    segments: Sequence[Segment] = ()

    def __len__(self) -> int:
        return len(self.segments)

    def read(self) -> Iterator[Segment]:
        return iter(self.segments)

    def __repr__(self) -> str:
        return f"Bitext({str(self.path)!r}: {len(self)} segments)"

    @property
    def ids(self) -> list[str]:
        """Return the ids of the segments. Ids that occur several times get the file, or else a number, to be unique."""
        ids = [segment.id for segment in self.segments]
        if len(set(ids)) < len(ids):
            ids = [f"{each.file}:{each.id}" if each.file else each.id for each in self.segments]
        if len(set(ids)) < len(ids):
            seen: Counter[str] = Counter()
            for row, id in enumerate(ids):
                seen[id] += 1
                ids[row] = f"{id}#{seen[id]}" if seen[id] > 1 else id
        return ids

    @property
    def source(self) -> list[str]:
        texts = [segment.source for segment in self.segments if segment.source is not None]
        if len(texts) < len(self):
            raise self._without("the source", "source")
        return texts

    def output(self, name: str | None = None) -> list[str]:
        """Return the texts of an output, by default the only one. Raises DataError if there is not one."""
        names = list(self.segments[0].outputs)
        if not names:
            raise self._without("translations", "output")
        if name is None and len(names) > 1:
            known = ", ".join(names)
            raise UsageError(f"{self.path} has several outputs: {known}. Choose one: `columns` output=COLUMN.")
        return [segment.outputs[name or names[0]] for segment in self.segments]

    def _without(self, what: str, role: str) -> DataError:
        known = ", ".join(NAMES[role])
        return DataError(
            f"{self.path} has no column with {what}. Name it: `columns` {role}=COLUMN. Known without that: {known}."
        )

    def reference(self) -> list[str | None]:
        """Return the texts of the only reference, or of the only output if there is no reference."""
        names = list(self.segments[0].references)
        if len(names) > 1:
            raise UsageError(f"{self.path} has several references: {', '.join(names)}. Use `test_set`, or `columns`.")
        return [segment.references[names[0]] for segment in self.segments] if names else [*self.output()]

    def side(self, role: str) -> Sequence[str | None]:
        """Return the texts for a role: "source", "reference" or "output"."""
        if role == "source":
            return self.source
        return self.reference() if role == "reference" else self.output()

    def testset(self, *, systems: Sequence[str] | None = None, name: str | None = None) -> TestSet:
        """Return the texts as a test set. File names are its documents; ids and further columns are its labels."""
        first, every = self.segments[0], self.segments
        called = {self.path.name if system == OUTPUT else system: system for system in first.outputs}
        labels = [key for key in first.labels if key != ID and all(key in each.labels for each in every)]
        files = [segment.file for segment in every]
        return TestSet(
            {name: [each.outputs[called[name]] for each in every] for name in chosen(called, systems)},
            {key: [each.references[key] for each in every] for key in first.references},
            None if first.source is None else self.source,
            files if any(files) else None,
            {ID: self.ids} | {key: [each.labels[key] for each in every] for key in labels},
            pair=self.pair,
            name=name or self.path.name,
        )


def open_bilingual(
    path: str | Path, *, columns: Mapping[str, str] | None = None, pair: str | None = None
) -> BilingualFile:
    """Open a bilingual file without reading its segments; arguments as for `open_bitext`."""
    module, file = format_of(path), Path(path)
    if module is None:
        raise UsageError(f"{path} has an unknown ending. Known: {', '.join(ENDINGS)}.")
    if columns and module not in (table, xlsx):
        raise UsageError(f"{path} has no columns; `columns` is for .csv, .tsv and .xlsx files.")
    if file.exists() and not file.is_file():
        raise UsageError(f"{path} is a pipe, a device or a folder. Files of this kind must be files on a disk.")
    checksum = content_checksum(file) if file.exists() else ""  # reading reports a missing file
    return BilingualFile(file, module, Choice(columns or {}, pair), pair, checksum)


def open_bitext(path: str | Path, *, columns: Mapping[str, str] | None = None, pair: str | None = None) -> Bitext:
    """Read a bilingual file. columns: those of a table by role, as {"source": "EN"}. pair: by default the file's."""
    file = open_bilingual(path, columns=columns, pair=pair)
    # Earlier notes are found again when the file is annotated; here they would only take memory.
    segments = [replace(segment, written=()) if segment.written else segment for segment in file.read()]
    return Bitext(file.path, file.format, file.choice, pair or language_pair(path), file.checksum, segments)
