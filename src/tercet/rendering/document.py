"""A document: headings, notes, tables, figures and segments in reading order, rendered in one of several forms.

A command builds one document and asks for a form. Text, Markdown, LaTeX and HTML show everything that the form can
hold; in LaTeX all but tables are comments. TSV and CSV are for programs: they have the records behind the document, in
full, if the command has given them, else its tables. JSON has the data behind the document, or else its parts.

`listing` and `grid` make a table out of results and a declaration of its columns.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypedDict, Unpack

from ..errors import UnknownName, UsageError
from .tables import DASH, full, interval, markdown_text, number, shown_width, table, to_json, to_json_lines
from .tables import FORMS as TABLE_FORMS

FORMS = (*TABLE_FORMS, "json", "html")

# In addition to the colour of a cell, for readers who do not see it.
MARKS = {"good": "✓", "inside": "±", "near": "≈", "bad": "✗", "unchecked": "?"}


@dataclass(frozen=True)
class Heading:
    """A title; `code` is a line below it. Pages show levels 2 to 4. anchor: its fixed address within a page."""

    text: str
    code: str = ""
    level: int = 2
    anchor: str = ""

    def __post_init__(self) -> None:
        if self.level not in (2, 3, 4):
            raise UsageError(f"Heading {self.text!r} has level {self.level}; it must be 2, 3 or 4.")


@dataclass(frozen=True)
class Notes:
    """Sentences around tables, one per line."""

    sentences: Sequence[str]


class TableFields(TypedDict, total=False):
    """The fields of `Table` that functions which fill one take as they are."""

    caption: str
    classes: Sequence[Sequence[str]] | None
    groups: tuple[str, Sequence[str]] | None
    key: tuple[str, str] | None
    heat: Sequence[Sequence[float]] | None


@dataclass(frozen=True)
class Table:
    """A table of rounded text cells; `tables.Bold` cells are bold.

    groups: the name and the cells of a first column; in text, dashed lines between the groups replace it.
    key: the name and the cell of a first column that tells tables apart in forms without headings.
    classes: "" or one of MARKS for each cell. heat: from 0 to 1 for each cell; NaN for those without. Only pages show
    these two.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    classes: Sequence[Sequence[str]] | None = None
    groups: tuple[str, Sequence[str]] | None = None
    key: tuple[str, str] | None = None
    heat: Sequence[Sequence[float]] | None = None

    def __post_init__(self) -> None:
        for place, row in enumerate(self.rows, 1):
            if len(row) != len(self.header):
                raise UsageError(f"Row {place} of a table has {len(row)} cells, but its header {len(self.header)}.")
        if self.classes is None:
            return
        if [len(row) for row in self.classes] != [len(row) for row in self.rows]:
            raise UsageError("The classes of a table must have the shape of its rows: one for each cell.")
        for name in {name for row in self.classes for name in row} - {"", *MARKS}:
            raise UnknownName("class of a cell", name, MARKS)

    def columns(self, form: str) -> tuple[list[str], list[list[str]]]:
        """Return header and rows with groups and key where the form shows them in columns."""
        first = [(self.key[0], [self.key[1]] * len(self.rows))] if self.key and form in ("tsv", "csv", "json") else []
        first += [(self.groups[0], list(self.groups[1]))] if self.groups and form != "text" else []
        header = [*(name for name, _ in first), *self.header]
        return header, [[*(cells[place] for _, cells in first), *row] for place, row in enumerate(self.rows)]

    def render(self, form: str, *, columns: int | None = None, spreadsheet: bool = False) -> str:
        """Return the table in one of `tables.FORMS`; `columns` and `spreadsheet` as in `tables.table`."""
        header, rows = self.columns(form)
        if form != "text" or self.groups is None:
            return table(header, rows, form, columns=columns, spreadsheet=spreadsheet)
        lines, groups = table(header, rows).split("\n"), self.groups[1]
        for place in range(len(groups) - 1, 0, -1):
            if groups[place] != groups[place - 1]:
                lines.insert(place + 2, lines[1].replace("─", "╌"))
        return "\n".join(lines)


class Mark(NamedTuple):
    """A stretch of a text: its first character and the one after it, how grave (0 to 2), and what is said of it."""

    start: int
    end: int
    level: int
    note: str


@dataclass(frozen=True)
class SegmentTexts:
    """A segment: a line about it, texts by name, lists of lines by title. marks: of texts; only pages have them."""

    head: str
    texts: Sequence[tuple[str, str]]
    lists: Sequence[tuple[str, Sequence[str]]] = ()
    marks: Mapping[str, Sequence[Mark]] = field(default_factory=dict)

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
        yield f"- {markdown_text(self.head)}"
        yield from (f"    - {markdown_text(name)}: {markdown_text(clip(text, 200))}" for name, text in self.texts)
        for title, lines in self.lists:
            yield from (f"    - {title}:", *(f"        - {markdown_text(_printable(line))}" for line in lines))


@dataclass(frozen=True)
class Segments:
    """Segments below a title. Tables of TSV and CSV, and LaTeX, leave them out."""

    title: str
    segments: Sequence[SegmentTexts]


@dataclass(frozen=True)
class Pre:
    """Preformatted text: a command, the output of a program."""

    text: str


class Drawable(Protocol):
    """A figure: `figures.Figure`, or anything else that can draw itself as one <svg> element."""

    @property
    def title(self) -> str: ...
    @property
    def rows(self) -> Sequence[Mapping[str, object]]: ...
    def svg(self) -> str: ...


@dataclass(frozen=True)
class Picture:
    """A figure with a caption. Pages draw it, JSON has its numbers; other forms leave it out."""

    figure: Drawable
    caption: str = ""


@dataclass(frozen=True)
class Details:
    """Parts that a page shows when the reader opens them. Other forms show them at once."""

    summary: str
    parts: Sequence[str | Notes | Table | Pre | Picture]


Part = str | Heading | Notes | Table | Segments | Pre | Picture | Details  # a string is a paragraph


@dataclass(frozen=True)
class Document:
    """Parts in reading order. title: of the page. data: returns what JSON has instead of the parts.

    rows: returns the records that TSV, CSV and JSON lines have instead, one row each, with the same keys in all.
    columns: these keys, for TSV and CSV where there may be no rows.
    """

    parts: Iterable[Part]
    title: str = ""
    data: Callable[[], Any] | None = None
    rows: Callable[[], Sequence[Mapping[str, Any]]] | None = None
    columns: Sequence[str] = ()

    def render(
        self, form: str = "text", *, colour: bool = False, columns: int | None = None, spreadsheet: bool = False
    ) -> str:
        """Return the document in one of FORMS or "jsonl". colour: bold titles. spreadsheet: see `tables.table`."""
        if form == "json":
            return to_json(self.data() if self.data else [_record(part) for part in self.parts])
        if form == "jsonl" and (lines := self.rows or self.data):
            return to_json_lines(lines())
        if form == "html":
            from .pages import page

            return page(self)
        if form not in TABLE_FORMS:
            raise UnknownName("format", form, FORMS)
        parts = self.parts
        if self.rows and form in ("tsv", "csv"):
            rows = self.rows()
            names = self.columns or [*rows[0]]
            parts = [Table(names, [[full(row[name]) for name in names] for row in rows])]
        return "\n\n".join(filter(None, (_block(part, form, colour, columns, spreadsheet) for part in parts)))


# The field or key of an item, the path to it, or a function that returns what to show of the item.
Column = str | tuple[str, ...] | Callable[[Any], Any]


def listing(
    items: Iterable[Any],
    columns: Mapping[str, Column],
    width: int = 3,
    *,
    optional: Collection[str] = (),
    **more: Unpack[TableFields],
) -> Table:
    """Return a table with a row for each item. optional: headers to leave out without a value. more: of `Table`."""
    items = list(items)
    filled = {title: [cell(_value(item, column), width) for item in items] for title, column in columns.items()}
    kept = {title: cells for title, cells in filled.items() if title not in optional or {*cells} - {"", DASH}}
    return Table(list(kept), list(zip(*kept.values(), strict=True)), **more)


def grid(
    rows: Mapping[Any, str] | Iterable[str],
    columns: Mapping[Any, str] | Iterable[str],
    value: Callable[[Any, Any], Any],
    width: int = 3,
    *,
    corner: str = "",
    **more: Unpack[TableFields],
) -> Table:
    """Return a table of value(row, column); rows and columns are names, or names by what they stand for."""
    down, across = (
        names if isinstance(names, Mapping) else {name: name for name in names} for names in (rows, columns)
    )
    cells = [[name, *(cell(value(row, column), width) for column in across)] for row, name in down.items()]
    return Table([corner, *across.values()], cells, **more)


def cell(value: object, width: int = 3) -> str:
    """Return a value for people: a float with `width` decimals, (value, low, high) or (low, high) as an interval."""
    if isinstance(value, tuple) and len(value) == 2:
        return interval(*value, width)
    if isinstance(value, tuple):
        found, low, high = (number(each, width) for each in value)
        return found if DASH in (low, high) else f"{found} ({low} to {high})"
    if isinstance(value, str):
        return value
    return number(value, width) if value is None or isinstance(value, float) else str(value)


def _value(item: object, column: Column) -> object:
    if callable(column):
        return column(item)
    for name in (column,) if isinstance(column, str) else column:
        item = item[name] if isinstance(item, Mapping) else getattr(item, name)
    return item


def records(values: Any) -> Table:
    """Return a table of records (one row each), or of one record (one row for each of its fields)."""
    if isinstance(values, Mapping):
        return Table(["what", "value"], [[str(name), _cell(value)] for name, value in values.items()])
    rows = [value if isinstance(value, Mapping) else {"": value} for value in values]
    header = list(dict.fromkeys(name for row in rows for name in row))
    return Table(header, [[_cell(row.get(name)) for name in header] for row in rows])


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else value if isinstance(value, str) else to_json(value, indent=None)


def _block(part: Part, form: str, colour: bool, columns: int | None, spreadsheet: bool) -> str:
    """Return a part in one of the forms for tables; empty if the form leaves it out."""
    if isinstance(part, Details):
        blocks = (_block(one, form, colour, columns, spreadsheet) for one in part.parts)
        return "\n\n".join(filter(None, blocks))
    if isinstance(part, Table):
        captioned = part.caption and form not in ("tsv", "csv")
        caption = f"{'% ' * (form == 'latex')}{part.caption}:\n\n" if captioned else ""
        return caption + part.render(form, columns=columns, spreadsheet=spreadsheet)
    if form == "text":
        return _text(part, colour)
    if form == "markdown":
        return _markdown(part)
    if form == "latex" and not isinstance(part, Segments):
        return "\n".join(f"% {line}" for line in _text(part, False).splitlines())
    return ""


def _text(part: Part, colour: bool) -> str:
    start, end = ("\033[1m", "\033[0m") if colour else ("", "")
    if isinstance(part, Heading):
        return f"{start}{part.text}{end}" + (f"\n{part.code}" if part.code else "")
    if isinstance(part, Segments):
        lines = [line for segment in part.segments for line in segment.text()]
        return "\n".join([f"{start}{part.title}{end}", *lines])
    if isinstance(part, Notes):
        return "\n".join(part.sentences)
    return part if isinstance(part, str) else part.text if isinstance(part, Pre) else ""


def _markdown(part: Part) -> str:
    if isinstance(part, Heading):
        return f"{'#' * part.level} {markdown_text(part.text)}" + (f"\n\n`{part.code}`" if part.code else "")
    if isinstance(part, Segments):
        lines = [line for segment in part.segments for line in segment.markdown()]
        return "\n".join([f"### {markdown_text(part.title)}\n", *lines])
    if isinstance(part, Pre):
        fence = max((found for found in re.findall("`+", part.text)), default="``") + "`"
        return f"{fence}\n{part.text}\n{fence}"
    return markdown_text(_text(part, False))


def _record(part: Part) -> dict[str, object]:
    if isinstance(part, Table):
        header, rows = part.columns("json")
        return {"table": part.caption, "header": header, "rows": rows}
    if isinstance(part, Heading):
        return {"heading": part.text, "level": part.level} | ({"code": part.code} if part.code else {})
    if isinstance(part, Notes):
        return {"notes": list(part.sentences)}
    if isinstance(part, Segments):
        shown = [{"head": each.head, "texts": dict(each.texts), "lists": dict(each.lists)} for each in part.segments]
        return {"segments": shown, "title": part.title}
    if isinstance(part, Picture):
        return {"figure": part.figure.title, "caption": part.caption, "data": list(part.figure.rows)}
    if isinstance(part, Details):
        return {"details": part.summary, "parts": [_record(one) for one in part.parts]}
    return {"text": part if isinstance(part, str) else part.text}


def _printable(text: str) -> str:
    """Return the text without characters that would disturb a terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def clip(text: str, columns: int) -> str:
    """Return the beginning of a text that fits into `columns`, without characters that would disturb a terminal."""
    start = _printable(text[: 3 * columns])
    if len(start) == len(text) and shown_width(start) <= columns:
        return start
    while shown_width(start) > columns - 1:
        start = start[:-1]
    return start.rstrip() + "…"


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
