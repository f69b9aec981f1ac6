"""What a format is: `Format`; what it sees of a file to recognise it: `Head`; what is asked and what is found."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import UsageError
from ..lines import csv_reader, open_bytes, read_lines
from ..names import bare_name

if TYPE_CHECKING:
    from ..judgements import Judgements
    from ..scores import Scores
    from ..tables import Published
    from ..testset import TestSet

CERTAIN, LIKELY, POSSIBLE = 1.0, 0.8, 0.4
_ROOT = re.compile(r"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")


class Guess(NamedTuple):
    """How sure a format is of a file, from 0 to 1, and why: a clause for messages."""

    sureness: float
    why: str


@dataclass(frozen=True)
class Request:
    """What the caller knows and wants of a file. Formats ignore what does not apply to them.

    pair: the language pair to read. systems: the systems to read, None for all. columns: the columns of a table, by
    role. segments: the position of each segment of the test set by its name. system: the system whose scores these are.
    kind, system_prefix: the kind of judgement in exports of campaigns, and what begins the names of their systems.
    outputs: the systems of the test set, which the columns of a table may be called after.
    """

    pair: str | None = None
    systems: Sequence[str] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    segments: Mapping[str, int] | None = None
    system: str | None = None
    kind: str | None = None
    system_prefix: str = ""
    outputs: Sequence[str] = ()


class Contents(NamedTuple):
    """What was read from a file. about: what was understood of a file whose form is not fixed, as a sentence."""

    judgements: Sequence[Judgements] = ()
    published: Sequence[Published] = ()
    testset: TestSet | None = None
    scores: Sequence[Scores] = ()
    about: str = ""


class Head:
    """The beginning of a file. Everything is read when it is first asked for."""

    def __init__(self, path: Path, request: Request | None = None) -> None:
        self.path, self.request = path, request or Request()
        self.name = bare_name(path)

    def ends(self, *endings: str) -> bool:
        """Return whether the name, in lower case and without .gz, has one of these endings."""
        return self.name.lower().endswith(endings)

    @cached_property
    def lines(self) -> list[str]:
        """Return the first two lines, without bytes that are not UTF-8."""
        return first_lines(self.path)

    @property
    def first(self) -> str:
        return self.lines[0] if self.lines else ""

    @cached_property
    def separator(self) -> str:
        return separator_of(self.first)

    @cached_property
    def header(self) -> list[str]:
        return fields_of(self.first, self.separator)

    @cached_property
    def row(self) -> dict[str, str]:
        """Return the fields of the second line, by the fields of the first."""
        return dict(zip(self.header, fields_of(self.lines[-1] if self.lines else "", self.separator), strict=False))

    @cached_property
    def item(self) -> Mapping[str, Any]:
        """Return the JSON object in the first line, empty if there is none."""
        item = _parsed(self.first) if self.first.lstrip().startswith("{") else None
        return item if isinstance(item, dict) else {}

    @cached_property
    def json(self) -> object:
        return _parsed("\n".join(read_lines(self.path)))

    @cached_property
    def root(self) -> str:
        """Return the name of an XML file's first element, "" if there is none."""
        found = _ROOT.search("\n".join(first_lines(self.path, 40)))
        return found[1] if found else ""


@dataclass(frozen=True)
class Format:
    """A format of files.

    holds: texts, scores, judgements or a campaign. about: one line for the documentation and messages. sniff: returns
    how sure the format is of a file, or None. read: returns the contents. pairs: returns the language pairs that the
    contents name, None if they cannot. write: writes a test set. in_folders: whether such a file is read as part of a
    folder that is given, and not only if it is named itself.
    """

    name: str
    holds: tuple[str, ...]
    about: str
    sniff: Callable[[Head], Guess | None]
    read: Callable[[Path, Request], Contents]
    pairs: Callable[[Head], Sequence[str] | None] = lambda head: None
    write: Callable[[TestSet, Path], None] | None = None
    in_folders: bool = False


class Recognised(NamedTuple):
    """A file and its format. pair, testset: what the file's name says of them, if anything."""

    path: Path
    format: Format
    sureness: float
    why: str
    head: Head
    pair: str | None
    testset: str = ""

    def pairs(self) -> Sequence[str]:
        """Return the pair of the name, or else those of the contents; JSON lines say theirs better than their name."""
        stated = self.format.pairs(self.head) if self.pair is None or self.head.ends(".jsonl") else None
        return stated or ([self.pair] if self.pair else [])

    def read(self, request: Request | None = None) -> Contents:
        return self.format.read(self.path, request or self.head.request)


def has_names(path: Path, request: Request) -> None:
    """Raise UsageError if the caller names the system of a file that names its systems itself."""
    if request.system is not None:
        raise UsageError(f"{path} names its systems itself; no other name can be given.")


def by_ending(*endings: str) -> Callable[[Head], Guess | None]:
    """Return a `sniff` that is certain of files with these endings."""

    def sniff(head: Head) -> Guess | None:
        ending = next((each for each in endings if head.ends(each)), None)
        return Guess(CERTAIN, f"its name ends in {ending}") if ending else None

    return sniff


def by_columns(*names: str) -> Callable[[Head], Guess | None]:
    """Return a `sniff` for tables (.tsv, .csv) with these columns."""
    found = Guess(CERTAIN, f"it has the columns {', '.join(names)}")
    return lambda head: found if head.ends(".tsv", ".csv") and set(names) <= set(head.header) else None


def by_item(head: Head) -> Sequence[str]:
    """Return the language pair in the first object of JSON lines, as a list; empty if it names none."""
    return [str(head.item["pair"])] if head.item.get("pair") else []


def separator_of(header: str) -> str:
    """Return the separator of a table's columns, judged by its header: a tab, a comma or a blank."""
    if "\t" in header:
        return "\t"
    # In CSV, column names may hold blanks; between blanks, they may hold commas. The one that comes first separates.
    return "," if "," in header.partition(" ")[0] else " "


def fields_of(line: str, separator: str) -> list[str]:
    """Return the fields of one line, an empty list if it is not valid CSV."""
    if separator != ",":
        return line.replace("\t", separator).split(separator)
    try:
        return next(csv_reader([line]), [])
    except csv.Error:
        return []


def first_lines(path: str | Path, count: int = 2) -> list[str]:
    """Return the first lines of a file, to recognise its format. Bytes that are not UTF-8 become U+FFFD."""
    with open_bytes(path) as stream:
        read = [stream.readline().decode("utf-8", "replace") for _ in range(count)]
    return [line.removeprefix("\ufeff").rstrip("\r\n") for line in read if line]


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
