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
from pathlib import Path

from ..data.files import writing
from ..errors import UnknownName, UsageError
from .tables import Bold, is_numeric

MARKS = {"good": "✓", "bad": "✗", "unchecked": "?"}  # in addition to the colour, for readers who do not see it


@dataclass(frozen=True)
class PageTable:
    """A table of rounded text cells; `tables.Bold` cells are bold. `classes` has "" or one of MARKS for each cell."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    classes: Sequence[Sequence[str]] | None = None

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


Part = str | PageTable | Picture | Pre  # a string is a paragraph


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
    allowed = base64.b64encode(hashlib.sha256(SCRIPT.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{allowed}'"
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(language)}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
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
    return "\n".join([*lines, "</main>", f"<script>{SCRIPT}</script>", "</body>", "</html>", ""])


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
    if isinstance(part, str):
        yield f"<p>{escape(part)}</p>"
    elif isinstance(part, Pre):
        yield f'<pre tabindex="0">{escape(part.text)}</pre>'  # scrollable by keyboard
    elif isinstance(part, Picture):
        name = f' role="img" aria-label="{escape(part.text)}"' if part.text else ""
        caption = f"<figcaption>{escape(part.caption)}</figcaption>" if part.caption else ""
        yield f"<figure><div{name}>{part.svg}</div>{caption}</figure>"
    else:
        yield from _table(part)


def _table(table: PageTable) -> Iterator[str]:
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


STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --page: #ffffff; --line: #c8c8c8; --soft: #f3f3f3; --link: #00558a;
  --good: #dcefe8; --bad: #fbe0d0; --unchecked: #ececec; }
@media screen and (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --page: #16181b; --line: #4a4e54; --soft: #23262a; --link: #7cc4f0;
    --good: #0d4434; --bad: #6a2f0b; --unchecked: #3a3d42; }
}
body { margin: 0 auto; max-width: 72rem; padding: 1rem; color: var(--text); background: var(--page);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.2; break-after: avoid; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
p { max-width: 45rem; white-space: pre-line; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; background: var(--page); padding: .5rem; }
nav ul { list-style: none; padding: .5rem 1rem; background: var(--soft); columns: 20rem; }
nav .level3 { padding-left: 1.5rem; }
nav .level4 { padding-left: 3rem; }
.scroll, pre { overflow-x: auto; max-width: 100%; }
pre { background: var(--soft); padding: .75rem; font: .875rem/1.4 monospace; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .25rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); vertical-align: bottom; white-space: nowrap; }
td:first-child { min-width: 7ch; } /* a language pair is not broken at its hyphen */
.number { text-align: right; white-space: nowrap; }
th button { all: unset; box-sizing: border-box; width: 100%; cursor: pointer; }
th button:focus-visible { outline: 3px solid var(--link); }
th button::after { content: " \\2195"; content: " \\2195" / ""; opacity: .45; }
th[aria-sort=ascending] button::after { content: " \\2191"; content: " \\2191" / ""; opacity: 1; }
th[aria-sort=descending] button::after { content: " \\2193"; content: " \\2193" / ""; opacity: 1; }
.good { background: var(--good); } .bad { background: var(--bad); } .unchecked { background: var(--unchecked); }
figure { margin: 1rem 0; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; }
figcaption { font-size: .9rem; max-width: 45rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; } tr { break-inside: avoid; }
  .skip, th button::after { display: none; content: none; } .scroll, pre { overflow: visible; }
  pre { white-space: pre-wrap; } td, th { print-color-adjust: exact; }
}
"""

# The arrows of STYLE have an empty alternative text, because aria-sort says the same.
# The button of a header sorts up, then down, then restores the original order, which may be that of a paper. Numbers
# are compared as numbers; other cells (a dash) are always last.
SCRIPT = """
"use strict";
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], original = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const text = (row, at) => (row.cells[at].querySelector(".value") ?? row.cells[at]).textContent.trim();
  const value = (row, at) => parseFloat(
    text(row, at).replace(/\\u2212/g, "-").replace(/(\\d),(?=\\d{3})/g, "$1").replace(/^[<>\\u2264\\u2265+ ]+/, ""));
  const compare = (a, b, at, sign) => {
    if (!heads[at].classList.contains("number"))
      return sign * text(a, at).localeCompare(text(b, at), undefined, {numeric: true});
    const x = value(a, at), y = value(b, at);
    return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
  };
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = {none: "ascending", ascending: "descending", descending: "none"}[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", next);
      const sign = next === "descending" ? -1 : 1;
      body.append(...(next === "none" ? original : [...original].sort((a, b) => compare(a, b, at, sign))));
    });
  });
}
"""
