"""A document: headings, notes, tables and segments in reading order, rendered in one of several forms.

A command builds one document and asks for a form. Text, Markdown and LaTeX show everything that the form can hold; in
LaTeX all but tables are comments. TSV and CSV are for programs and have only the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..errors import UnknownName, UsageError
from .tables import shown_width, table

MARKS = {"good": "✓", "bad": "✗", "unchecked": "?"}  # in addition to the colour, for readers who do not see it


@dataclass(frozen=True)
class Heading:
    """The title of what follows; `code` is a line below it, such as a signature."""

    text: str
    code: str = ""


@dataclass(frozen=True)
class Notes:
    """Sentences around tables, one per line."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table of rounded text cells; `tables.Bold` cells are bold.

    groups: the name and the cells of a first column; in text, dashed lines between the groups replace it.
    key: the name and the cell of a first column that tells tables apart in forms without headings.
    classes: "" or one of MARKS for each cell. Only pages show them.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    classes: Sequence[Sequence[str]] | None = None
    groups: tuple[str, Sequence[str]] | None = None
    key: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.header):
                raise UsageError(f"Row {number} of a table has {len(row)} cells, but its header {len(self.header)}.")
        if self.classes is None:
            return
        if [len(row) for row in self.classes] != [len(row) for row in self.rows]:
            raise UsageError("The classes of a table must have the shape of its rows: one for each cell.")
        for name in {name for row in self.classes for name in row} - {"", *MARKS}:
            raise UnknownName("class of a cell", name, MARKS)

    def render(self, form: str, columns: int | None = None) -> str:
        """Return the table in one form, with groups and key where the form shows them in columns.

        columns: the width of the terminal, see `tables.table`.
        """
        first = [(self.key[0], [self.key[1]] * len(self.rows))] if self.key and form in ("tsv", "csv") else []
        first += [(self.groups[0], list(self.groups[1]))] if self.groups and form != "text" else []
        header = [*(name for name, _ in first), *self.header]
        rows = [[*(cells[place] for _, cells in first), *row] for place, row in enumerate(self.rows)]
        if form != "text" or self.groups is None:
            return table(header, rows, form, columns=columns)
        lines, groups = table(header, rows).split("\n"), self.groups[1]
        for place in range(len(groups) - 1, 0, -1):
            if groups[place] != groups[place - 1]:
                lines.insert(place + 2, lines[1].replace("─", "╌"))
        return "\n".join(lines)


@dataclass(frozen=True)
class SegmentTexts:
    """A segment: a line about it, its texts by name, and lists of lines, such as edit scripts, by title."""

    head: str
    texts: Sequence[tuple[str, str]]
    lists: Sequence[tuple[str, Sequence[str]]] = ()

    def text(self) -> Iterator[str]:
        """Yield lines of text, broken at the right margin of the terminal."""
        import shutil  # slow to import

        yield f"  {self.head}"
        columns = min(max(shutil.get_terminal_size((100, 24)).columns, 40), 160)
        names = [clip(name, 20) for name, _ in self.texts]
        margin = max(map(shown_width, names), default=0)
        for name, (_, text) in zip(names, self.texts, strict=True):
            for line in wrap(_printable(text), columns - margin - 6):
                yield f"    {name}{' ' * (margin - shown_width(name))}  {line}".rstrip()
                name = ""
        for title, lines in self.lists:
            yield from (f"    {title}:", *(f"      {_printable(line)}" for line in lines))

    def markdown(self) -> Iterator[str]:
        """Yield the lines of a nested list."""
        yield f"- {self.head}"
        yield from (f"    - {name}: {clip(text, 200)}" for name, text in self.texts)
        for title, lines in self.lists:
            yield from (f"    - {title}:", *(f"        - {_printable(line)}" for line in lines))


@dataclass(frozen=True)
class Segments:
    """Segments below a title. Only text and Markdown show them."""

    title: str
    segments: Sequence[SegmentTexts]


Part = str | Heading | Notes | Table | Segments  # a string is shown unchanged in every form


@dataclass(frozen=True)
class Document:
    """Parts in reading order."""

    parts: Iterable[Part]

    def render(self, form: str = "text", *, colour: bool = False, columns: int | None = None) -> str:
        """Return the document in one of `tables.FORMS`; `colour` makes the titles in text bold.

        columns: the width of the terminal, which tables in text then fit.
        """
        if form == "text":
            blocks = [_text(part, colour, columns) for part in self.parts]
        elif form == "markdown":
            blocks = [_markdown(part) for part in self.parts]
        else:
            blocks = [_latex_or_rows(part, form) for part in self.parts]
        return "\n\n".join(block for block in blocks if block)


def _text(part: Part, colour: bool, columns: int | None = None) -> str:
    start, end = ("\033[1m", "\033[0m") if colour else ("", "")
    if isinstance(part, Heading):
        return f"{start}{part.text}{end}" + (f"\n{part.code}" if part.code else "")
    if isinstance(part, Segments):
        lines = [line for segment in part.segments for line in segment.text()]
        return "\n".join([f"{start}{part.title}{end}", *lines])
    if isinstance(part, Table):
        return _caption(part) + part.render("text", columns)
    return part if isinstance(part, str) else "\n".join(part.sentences)


def _markdown(part: Part) -> str:
    if isinstance(part, Heading):
        return f"## {part.text}" + (f"\n\n`{part.code}`" if part.code else "")
    if isinstance(part, Segments):
        lines = [line for segment in part.segments for line in segment.markdown()]
        return "\n".join([f"### {part.title}\n", *lines])
    return _caption(part) + part.render("markdown") if isinstance(part, Table) else _text(part, False)


def _caption(part: Table, comment: str = "") -> str:
    return f"{comment}{part.caption}:\n\n" if part.caption else ""


def _latex_or_rows(part: Part, form: str) -> str:
    if isinstance(part, Table):
        return (_caption(part, "% ") if form == "latex" else "") + part.render(form)
    if isinstance(part, str):
        return part
    if form != "latex" or isinstance(part, Segments):
        return ""
    lines = part.sentences if isinstance(part, Notes) else filter(None, (part.text, part.code))
    return "\n".join(f"% {line}" for line in lines)


def _printable(text: str) -> str:
    """Return the text without characters that would disturb a terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def wrap(text: str, columns: int) -> Iterator[str]:
    """Yield the lines of a text that is broken at blanks to fit into `columns`; longer words are cut in two."""
    line = ""
    for word in text.split(" "):
        while shown_width(f"{line} {word}" if line else word) > columns:
            if line:
                yield line
                line = ""
            if shown_width(word) > columns:
                size = columns
                while shown_width(word[:size]) > columns:
                    size -= 1
                yield word[:size]
                word = word[size:]
        line = f"{line} {word}" if line else word
    yield line


def clip(text: str, columns: int) -> str:
    """Return the beginning of a text that fits into `columns`, without characters that would disturb a terminal."""
    start = _printable(text[: 3 * columns])
    if len(start) == len(text) and shown_width(start) <= columns:
        return start
    while shown_width(start) > columns - 1:
        start = start[:-1]
    return start.rstrip() + "…"
