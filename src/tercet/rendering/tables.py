"""Tables of rounded cells as aligned text, Markdown, LaTeX (booktabs), TSV and CSV; and valid JSON."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..data.display import json_able
from ..errors import UnknownName

DASH = "–"  # for an undefined number
_NUMBER = re.compile(r"[ +\-−–<>≤≥]*(\.?[0-9]|$)")
LONGEST_NUMBER = 40  # characters of a number with its interval or unit
_WHOLE_NUMBER = re.compile(r"[+-]?(\d[\d,]*\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_MARKUP = re.compile(r"[<>]|&(?=#|\w+;)")


class Bold(str):
    """A bold cell; in plain text it has a star after it."""

    __slots__ = ()


def number(value: float | None, width: int, sign: str = "") -> str:
    """Return a number with `width` decimals, with the sign "+" always signed; or a dash if it is undefined."""
    return DASH if value is None or math.isnan(value) else f"{value:{sign}.{width}f}"


def interval(low: float, high: float, width: int, sign: str = "") -> str:
    """Return "LOW to HIGH", or a dash if one of the two is undefined."""
    return DASH if math.isnan(low + high) else f"{number(low, width, sign)} to {number(high, width, sign)}"


def full(value: object) -> str:
    """Return a cell for programs: the value in full, empty if it is undefined; true or false."""
    return "" if value is None or value != value else str(value).lower() if isinstance(value, bool) else str(value)


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    form: str = "text",
    *,
    columns: int | None = None,
    spreadsheet: bool = False,
) -> str:
    """Return the table in one of FORMS, without a final line feed.

    columns: the width of the terminal. A wider table in text is cut into tables that fit, each with the first column
    of words.
    spreadsheet: in TSV and CSV, put a ' before text that a spreadsheet would take for a formula. Numbers stay.
    """
    if form not in FORMS:
        raise UnknownName("table format", form, FORMS)
    if form in ("tsv", "csv"):
        if spreadsheet:
            header, *rows = ([_harmless(cell) for cell in row] for row in (header, *rows))
    else:  # a name may contain a line feed, a cell may not
        rows = [[type(cell)(" ".join(cell.split("\n"))) for cell in row] for row in rows]
    if form == "text" and columns is not None:
        return "\n\n".join(_text(*part) for part in _fitting(header, rows, columns))
    return FORMS[form](header, rows)


def _fitting(
    header: Sequence[str], rows: Sequence[Sequence[str]], columns: int
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield the table in parts that are not wider than `columns`, as far as their cells allow."""
    widths = [max(map(shown_width, column)) for column in zip(header, *_starred(rows), strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) <= columns or len(header) < 3:
        yield list(header), [list(row) for row in rows]
        return
    text = [not is_numeric(row[place] for row in rows) for place in range(len(header))]
    keys = list(range(text.index(True) + 1)) if True in text else [0]
    while text[len(keys) : len(keys) + 1] == [True] and len(keys) < 2:  # two names tell a pair apart
        keys.append(len(keys))
    parts = [list(keys)]
    for place in range(len(keys), len(header)):
        if len(parts[-1]) > len(keys) and sum(widths[i] + 2 for i in [*parts[-1], place]) - 2 > columns:
            parts.append(list(keys))
        parts[-1].append(place)
    for part in parts:
        yield [header[i] for i in part], [[row[i] for i in part] for row in rows]


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.lstrip().startswith(("=", "+", "-", "@")) and not _WHOLE_NUMBER.fullmatch(cell) else cell


def to_json(value: object, indent: int | None = 1) -> str:
    """Return JSON with undefined numbers as null, because NaN is not valid JSON."""
    import json

    return json.dumps(json_able(value), ensure_ascii=False, indent=indent, allow_nan=False)


def to_json_lines(values: Iterable[object]) -> str:
    """Return one line of JSON for each value."""
    return "\n".join(to_json(value, indent=None) for value in values)


def shown_width(text: str) -> int:
    """Return the number of terminal columns of a text: wide characters take two, combining marks none."""
    import unicodedata

    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + wide - marks


def is_numeric(cells: Iterable[str]) -> bool:
    """Return whether every cell begins with a number (.301, −2, < 0.001), or is a dash or empty, and none is long."""
    return all(_NUMBER.match(cell) and len(cell) <= LONGEST_NUMBER for cell in cells)


def _starred(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows with a star after bold cells, and a blank after the other cells of their columns."""
    bold = {column for row in rows for column, cell in enumerate(row) if isinstance(cell, Bold)}

    def starred(column: int, cell: str) -> str:
        return f"{cell}{'*' if isinstance(cell, Bold) else ' '}" if column in bold else cell

    return [[starred(*each) for each in enumerate(row)] for row in rows]


def _text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rows = _starred(rows)
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(shown_width, column)) for column in columns]
    right = [is_numeric(column[1:]) for column in columns]

    def line(cells: Sequence[str]) -> str:
        padded = [
            (" " * (width - shown_width(cell)) + cell) if at_right else (cell + " " * (width - shown_width(cell)))
            for cell, width, at_right in zip(cells, widths, right, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), line(["─" * width for width in widths]), *map(line, rows)])


def _strong(text: str, cell: str, begin: str, end: str) -> str:
    return f"{begin}{text}{end}" if isinstance(cell, Bold) else text


def markdown_text(text: str) -> str:
    """Return text for Markdown, in which HTML would work: as it is, but for < and > and entities."""
    return _MARKUP.sub(lambda found: {"<": "&lt;", ">": "&gt;", "&": "&amp;"}[found[0]], text)


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    right = [is_numeric(column) for column in zip(*rows, strict=True)] if rows else [False] * len(header)

    def line(cells: Sequence[str]) -> str:
        escaped = (markdown_text(cell).replace("|", "\\|") for cell in cells)
        strong = (_strong(text, cell, "**", "**") for text, cell in zip(escaped, cells, strict=True))
        return f"| {' | '.join(strong)} |"

    marks = "|" + "|".join("---:" if at_right else "---" for at_right in right) + "|"
    return "\n".join([line(header), marks, *map(line, rows)])


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "±": r"$\pm$"}
_LATEX |= {c: f"\\{c}" for c in "&%$#_{}"} | {"<": "$<$", ">": "$>$", "↑": r"$\uparrow$", "↓": r"$\downarrow$"}
_LATEX |= {"−": "$-$", "≥": r"$\geq$", "≤": r"$\leq$", "≈": r"$\approx$", "×": r"$\times$", "Δ": r"$\Delta$"}
_LATEX |= {"✓": r"$\surd$", "✗": r"$\times$", "∞": r"$\infty$", "\u00a0": "~", "\u200b": r"\allowbreak{}"}
_LATEX |= {raised: f"$^{{{plain}}}$" for raised, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True)}


def latex_text(text: str) -> str:
    """Return text for LaTeX, with its special characters escaped."""
    return "".join(_LATEX.get(c, c) for c in text).replace("}$$^{", "")  # digits of one superscript


def _latex(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    right = [is_numeric(column) for column in zip(*rows, strict=True)] if rows else [False] * len(header)

    def line(cells: Sequence[str]) -> str:
        escaped = (latex_text(cell) for cell in cells)
        strong = (_strong(text, cell, r"\textbf{", "}") for text, cell in zip(escaped, cells, strict=True))
        return " & ".join(strong) + r" \\"

    begin = r"\begin{tabular}{" + "".join("r" if at_right else "l" for at_right in right) + "}"
    head = [begin, r"\toprule", line(header), r"\midrule"]
    return "\n".join([*head, *map(line, rows), r"\bottomrule", r"\end{tabular}"])


def _separated(delimiter: str) -> Callable[[Sequence[str], Sequence[Sequence[str]]], str]:
    def render(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        import csv
        import io

        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
        return out.getvalue().removesuffix("\n")

    return render


FORMS: dict[str, Callable[[Sequence[str], Sequence[Sequence[str]]], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
    "tsv": _separated("\t"),
    "csv": _separated(","),
}
