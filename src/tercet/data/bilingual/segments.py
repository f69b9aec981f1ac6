"""`Segment`, what readers of bilingual files yield, and splicing of notes into a copy of a file.

A bilingual file has sources and translations with ids, inline tags and notes: XLIFF, TMX, PO, and tables (CSV, TSV,
XLSX). A reader yields segments with the place where notes belong. Notes are inserted there, so all other bytes of the
file stay as they are. A note that Tercet wrote earlier is replaced by one of the same name, also by an empty one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from shutil import copyfileobj
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from ...errors import DataError
from .states import FLAGGED_BEFORE, REVIEW

BLOCK = 1 << 16
NOTHING: Mapping[str, str] = MappingProxyType({})  # one for all segments, to save memory
OUTPUT = "output"  # the name of the only output of a file
REFERENCE = "reference"


class Written(NamedTuple):
    """A note that Tercet wrote earlier: its name, or its text where notes have no names; its first and last byte."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of a bilingual file.

    id: its id in the file, or its number. line: the line (of a sheet: the row) where it begins, for messages.
    source: None if the file has none. outputs, references: by name; an output that was not translated is "".
    file: the original file or document that it comes from. source_tags, output_tags: the inline tags, in order; texts
    are without them. at: the byte where notes are inserted. frame: what goes before and after the notes. written: the
    notes that Tercet wrote earlier. state: the state of the translation in the format's own words; the format's STATES
    say what it means. tag: the part of the file that holds the state, for formats that have one. pair: the languages
    that the file names for this segment.
    """

    id: str
    line: int
    source: str | None
    outputs: Mapping[str, str]
    references: Mapping[str, str | None] = field(default_factory=lambda: NOTHING)
    file: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    source_tags: tuple[str, ...] = ()
    output_tags: tuple[str, ...] = ()
    at: int = -1
    frame: tuple[str, str] = ("", "")
    written: Sequence[Written] = ()
    state: str = ""
    tag: Written | None = None
    pair: str | None = None


@dataclass(frozen=True)
class Choice:
    """What to read of several: columns of a table by role ("sheet" names a sheet), and the language pair."""

    columns: Mapping[str, str] = field(default_factory=dict)
    pair: str | None = None


Notes = Mapping[str, Sequence[str]]  # by name, one text per segment; an empty text is not written
Edit = tuple[int, int, bytes]  # replace the bytes from the first place to the second
HEADER = "tercet: "  # before the name of a note, in the header of a table's column


def note_lines(notes: Notes, row: int, silent: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return names and texts of the notes on one segment. silent: judgements of a review that need no note."""
    return [
        (name, values[row])
        for name, values in notes.items()
        if values[row] and not (name == REVIEW and values[row] in silent)
    ]


def reviewed(written: Iterable[Written], beginning: str = f"{REVIEW}: ") -> str:
    """Return the judgement in an earlier note of a review, or nothing."""
    texts = (text for text, _, _ in written)
    return next((text.removeprefix(beginning) for text in texts if text.startswith(beginning)), "")


def new_columns(header: Sequence[str], notes: Notes) -> list[str]:
    """Return the names of notes for which a table needs a new column: those that have a text and are not there yet."""
    return [name for name, values in notes.items() if HEADER + name not in header and any(values)]


def flagged_by_review(written: Iterable[Written]) -> bool:
    """Return whether a state that asks for a look was written by a review, and not by somebody before it."""
    texts = [text for text, _, _ in written]
    return any(f"{REVIEW}: " in text for text in texts) and not any(FLAGGED_BEFORE in text for text in texts)


def removals(written: Iterable[Written], beginnings: Sequence[str]) -> list[Edit]:
    """Return the edits that remove earlier notes whose text begins in one of these ways."""
    return [(start, stop, b"") for text, start, stop in written if text.startswith(tuple(beginnings))]


def splice(stream: BinaryIO, edits: Iterable[Edit], out: BinaryIO) -> None:
    """Copy a stream, with edits in the order of their places."""
    done = 0
    for start, stop, new in edits:
        if start < done:
            raise DataError("Two notes overlap, so the file cannot be written.")
        while done < start and (block := stream.read(min(start - done, BLOCK))):
            out.write(block)
            done += len(block)
        out.write(new)
        stream.read(stop - start)
        done = stop
    copyfileobj(stream, out)
