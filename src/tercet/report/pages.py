"""A self-contained HTML page: headings with a table of contents, paragraphs, sortable tables, figures.

Everything is in one file. Its content security policy forbids loading anything else or running other scripts. Without
scripts only sorting is lost. The page follows the system's dark mode, and is light in print.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from ..data.files import writing
from ..errors import UsageError
from .document import MARKS, Notes, Table
from .tables import Bold, is_numeric


@dataclass(frozen=True)
class Picture:
    """An SVG drawing (`Figure.svg()`) with a caption; `text` describes it to readers who do not see it."""

    svg: str
    caption: str = ""
    text: str = ""


@dataclass(frozen=True)
class Pre:
    """Preformatted text: a command, the output of a program."""

    text: str


Part = str | Notes | Table | Picture | Pre  # a string is a paragraph


@dataclass(frozen=True)
class Section:
    """A heading and its content; `level` is 2 to 4, as in HTML, where 1 is the title of the page."""

    title: str
    parts: Sequence[Part] = ()
    level: int = 2

    def __post_init__(self) -> None:
        if self.level not in (2, 3, 4):
            raise UsageError(f"Section {self.title!r} has level {self.level}; it must be 2, 3 or 4.")


def page(title: str, sections: Sequence[Section], *, language: str = "en") -> str:
    """Return the whole page. All text is escaped; only drawings are inserted unchanged."""
    style, script = (files(__package__).joinpath("assets", name).read_text("utf-8") for name in ("page.css", "page.js"))
    allowed = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{allowed}'"
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(language)}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        '<a class="skip" href="#content">To the content</a>',
        f"<header><h1>{escape(title)}</h1></header>",
        *(_contents(sections) if len(sections) > 1 else []),
        '<main id="content" tabindex="-1">',
    ]
    for place, section in enumerate(sections, 1):
        lines.append(f'<section aria-labelledby="s{place}">')
        lines.append(f'<h{section.level} id="s{place}">{escape(section.title)}</h{section.level}>')
        for part in section.parts:
            lines.extend(_part(part))
        lines.append("</section>")
    return "\n".join([*lines, "</main>", f"<script>{script}</script>", "</body>", "</html>", ""])


def write_page(path: str | Path, title: str, sections: Sequence[Section], *, language: str = "en") -> None:
    """Write the page. The file is complete or not written at all."""
    text = page(title, sections, language=language)
    with writing(path) as stream:
        stream.write(text)


def _contents(sections: Sequence[Section]) -> Iterator[str]:
    yield '<nav aria-label="Contents"><ul>'
    for place, section in enumerate(sections, 1):
        yield f'<li class="level{section.level}"><a href="#s{place}">{escape(section.title)}</a></li>'
    yield "</ul></nav>"


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, str | Notes):
        yield from (f"<p>{escape(text)}</p>" for text in ([part] if isinstance(part, str) else part.sentences))
    elif isinstance(part, Pre):
        yield f'<pre tabindex="0">{escape(part.text)}</pre>'  # scrollable by keyboard
    elif isinstance(part, Picture):
        name = f' role="img" aria-label="{escape(part.text)}"' if part.text else ""
        caption = f"<figcaption>{escape(part.caption)}</figcaption>" if part.caption else ""
        yield f"<figure><div{name}>{part.svg}</div>{caption}</figure>"
    else:
        yield from _table(part)


def _table(table: Table) -> Iterator[str]:
    name = escape(table.caption or "Table")
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>'
    if table.caption:
        yield f"<caption>{escape(table.caption)}</caption>"
    numeric = [is_numeric(row[column] for row in table.rows) for column in range(len(table.header))]
    kinds = [' class="number"' if is_number else "" for is_number in numeric]
    heads = "".join(
        f'<th scope="col"{kind}>{escape(cell)}</th>' for cell, kind in zip(table.header, kinds, strict=True)
    )
    yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    plain = [[""] * len(table.header)] * len(table.rows)
    for row, classes in zip(table.rows, table.classes or plain, strict=True):
        yield "<tr>" + "".join(map(_cell, row, classes, numeric)) + "</tr>"
    yield "</tbody></table></div>"


def _cell(text: str, kind: str, is_number: bool) -> str:
    names = " ".join(name for name in ("number" if is_number else "", kind) if name)
    css = f' class="{names}"' if names else ""
    shown = f"<strong>{escape(text)}</strong>" if isinstance(text, Bold) else escape(text)
    if not kind:
        return f"<td{css}>{shown}</td>"
    mark = f'<span class="mark" role="img" aria-label="{kind}">{MARKS[kind]}</span>'
    return f'<td{css}><span class="value">{shown}</span> {mark}</td>'
