"""Files with sources and translations: XLIFF, TMX, PO, CSV, TSV, XLSX. One interface, one module per format.

`open_bitext` reads a file; the result is a test set with ids and file names, and writes notes (scores, ranks, findings)
into a copy of the file. A format module has `ENDINGS`, `read_segments`, `language_pair`, and `edits` (or `write`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfileobj
from types import ModuleType
from typing import Any

from ...errors import DataError, UsageError
from ..field_checks import chosen
from ..files import bare_name, writing_bytes
from ..formats import is_bilingual
from ..lines import open_bytes, read_lines
from ..testset import TestSet
from . import po, table, tmx, xliff, xlsx
from .columns import NAMES
from .columns import has_known_names as has_known_names
from .columns import parse_columns as parse_columns
from .segments import OUTPUT, Choice, Notes, Segment, check_notes, numbered, splice

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


@dataclass(frozen=True, repr=False)
class Bitext:
    """The segments of a bilingual file."""

    path: Path
    segments: Sequence[Segment]
    choice: Choice
    pair: str | None = None

    def __len__(self) -> int:
        return len(self.segments)

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
        """Return the source texts. Raises DataError if the file has none."""
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
            listed = ", ".join(names)
            raise UsageError(f"{self.path} has several outputs: {listed}. Choose one: --columns output=COLUMN.")
        return [segment.outputs[name or names[0]] for segment in self.segments]

    def _without(self, what: str, role: str) -> DataError:
        known = ", ".join(NAMES[role])
        return DataError(
            f"{self.path} has no column with {what}. Name it: --columns {role}=COLUMN. Known without that: {known}."
        )

    def reference(self) -> list[str | None]:
        """Return the texts of the only reference, or of the only output if there is no reference."""
        names = list(self.segments[0].references)
        if len(names) > 1:
            raise UsageError(f"{self.path} has several references: {', '.join(names)}. Use -t, or --columns.")
        if not names:
            return [*self.output()]
        return [segment.references[names[0]] for segment in self.segments]

    def side(self, role: str) -> Sequence[str | None]:
        """Return the texts for a role: "source", "reference" or "output"."""
        if role == "source":
            return self.source
        return self.reference() if role == "reference" else self.output()

    def testset(self, *, systems: Sequence[str] | None = None, name: str | None = None) -> TestSet:
        """Return the texts as a test set. File names are its documents; ids and further columns are its labels."""
        first = self.segments[0]
        called = {system: self.path.name if system == OUTPUT else system for system in first.outputs}
        outputs = {called[system]: [each.outputs[system] for each in self.segments] for system in first.outputs}
        files = [segment.file for segment in self.segments]
        labels = [key for key in first.labels if key != ID and all(key in each.labels for each in self.segments)]
        return TestSet(
            {system: outputs[system] for system in chosen(outputs, systems)},
            {key: [each.references[key] for each in self.segments] for key in first.references},
            None if first.source is None else self.source,
            files if any(files) else None,
            {ID: self.ids} | {key: [each.labels[key] for each in self.segments] for key in labels},
            pair=self.pair,
            name=name or self.path.name,
        )

    def annotate(self, notes: Notes, to: str | Path) -> None:
        """Write a copy of the file with notes, by name with one text per segment. All other bytes are the same.

        A note of the same name that Tercet wrote earlier is replaced, also by an empty text.
        """
        check_notes(notes, len(self), self.path)
        if self.path.name.endswith(".gz"):
            raise UsageError(f"{self.path} is compressed. Unpack it, so that notes can be written.")
        module: Any = format_of(self.path)
        with writing_bytes(to) as out:
            if module is xlsx:
                xlsx.write(self.path, self.choice, notes, out)
            else:
                with open_bytes(self.path) as stream:
                    splice(stream, module.edits(self.path, self.choice, notes), out)

    def annotate_in_place(self, notes: Notes) -> Path:
        """Write notes into the file itself, atomically, and return the copy of the old file: FILE.bak, FILE.bak2, …"""
        names = (f"{self.path.name}{BACKUP}{number}" for number in ("", *range(2, MOST_BACKUPS)))
        backup = next((path for path in map(self.path.with_name, names) if not path.exists()), None)
        if backup is None:
            raise UsageError(f"{self.path} has {MOST_BACKUPS} backups already. Move them away.")
        with self.path.open("rb") as stream, writing_bytes(backup) as copy:
            copyfileobj(stream, copy)
        self.annotate(notes, self.path)
        return backup


def open_bitext(path: str | Path, *, columns: Mapping[str, str] | None = None, pair: str | None = None) -> Bitext:
    """Read a bilingual file.

    columns: for tables, the column of each role, such as {"source": "EN", "output": "DE"}. pair: the language pair, by
    default that of the file.
    """
    module = format_of(path)
    if module is None:
        raise UsageError(f"{path} has an unknown ending. Known: {', '.join(ENDINGS)}.")
    if columns and module not in (table, xlsx):
        raise UsageError(f"{path} has no columns; --columns is for .csv, .tsv and .xlsx files.")
    choice = Choice(columns or {}, pair)
    # Earlier notes are found again when the file is annotated; here they would only take memory.
    read = numbered(module.read_segments(path, choice), path)
    segments = [replace(segment, written=()) if segment.written else segment for segment in read]
    found = Bitext(Path(path), segments, choice, pair)
    return found if pair else replace(found, pair=module.language_pair(path))


def read_text(path: str | Path, role: str) -> Sequence[str | None]:
    """Return the lines of a text file, or of a bilingual file the texts for a role: source, reference or output."""
    return open_bitext(path).side(role) if is_bilingual(path) else read_lines(path)
