"""A document as a self-contained HTML page: headings with contents, paragraphs, sortable tables, figures, segments.

Everything is in one file. Its content security policy forbids loading anything else or running other scripts. Without
scripts only sorting is lost. The page follows the system's dark mode, and is light in print.
"""

import base64
import gzip
import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from ..data.files import writing
from ..errors import MissingDependency
from .document import MARKS, Details, Document, Heading, Mark, Notes, Part, Picture, Pre, Segments, SegmentTexts, Table
from .drawings import Histogram
from .tables import Bold, is_numeric, to_json

log = logging.getLogger(__name__)

LARGE = 30_000  # characters of a drawing: larger ones are packed, and drawn when they come into view
LONG = 50  # characters of a cell: a table with sentences, whose cells are below each other on small screens
MANY = 12  # headings; the contents of longer pages are folded


def page(document: Document) -> str:
    """Return the whole page. All text is escaped; only drawings are inserted unchanged."""
    parts = list(document.parts)
    headings = [part for part in parts if isinstance(part, Heading)]
    title = document.title or "Tercet"
    if not document.title and len(headings) == 1:  # the only heading is the title
        [only] = headings
        title, headings = only.text, []
        parts = [Notes([only.code] if only.code else []) if part is only else part for part in parts]
    body = [
        '<a class="skip" href="#content">To the content</a>',
        f"<header><h1>{escape(title)}</h1></header>",
        *(_contents(headings) if len(headings) > 1 else []),
        '<main id="content" tabindex="-1">',
        *sections(parts),
        "</main>",
    ]
    return frame(title, body, ["page.css"], ["theme.js", "page.js"])


def frame(
    title: str, body: Iterable[str], styles: Sequence[str], scripts: Sequence[str], *, drawings: bool = True
) -> str:
    """Return a page with these assets (PACKAGE:NAME of other packages) around its body. drawings: SVG with styles."""
    style = "".join(map(_asset, styles))
    script = "\n".join(['(() => {\n"use strict";', *map(_asset, scripts), "})();"])
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    policy += "; style-src-attr 'unsafe-inline'" if drawings else ""
    head = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>"""
    return "\n".join([head, *body, f"<script>{script}</script>", "</body>", "</html>", ""])


def packed(text: str, level: int = 6) -> str:
    """Return a text for a page, compressed."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "surrogatepass"), level, mtime=0)).decode("ascii")


def data_page(
    title: str,
    facts: str,
    verdict: str,
    data: object,
    *,
    skip: tuple[str, str],
    without: str,
    styles: Sequence[str],
    scripts: Sequence[str],
) -> str:
    """Return a page on which scripts show data; title, facts and verdict are readable without them."""
    body = [
        f'<a class="skip" href="#{skip[0]}">To the {skip[1]}</a>',
        '<header class="top">',
        f'<div><h1>{escape(title)}</h1><p class="facts">{escape(facts)}</p></div>',
        '<div id="tools"></div>',
        "</header>",
        '<main id="content">',
        f'<p id="verdict">{escape(verdict)}</p>',
        f"<noscript><p>{escape(without, quote=False)}</p></noscript>",
        '<div id="app" aria-busy="true"></div>',
        "</main>",
        f'<script type="application/gzip" id="data">{packed(to_json(data, indent=None))}</script>',
    ]
    return frame(title, body, styles, scripts, drawings=False)


def write_page(path: str | Path, document: Document) -> None:
    """Write the page. The file is complete or not written at all."""
    text = page(document)
    with writing(path) as stream:
        stream.write(text)


def _asset(name: str) -> str:
    package, colon, path = name.rpartition(":")
    place = files(package) if colon else files(__package__).joinpath("assets")
    return place.joinpath(*path.split("/")).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _contents(headings: Sequence[Heading]) -> Iterator[str]:
    folded = len(headings) > MANY
    yield '<nav aria-label="Contents">' + ("<details><summary>Contents</summary>" if folded else "") + "<ul>"
    for place, heading in enumerate(headings, 1):
        anchor = escape(heading.anchor or f"s{place}")
        yield f'<li class="level{heading.level}"><a href="#{anchor}">{escape(heading.text)}</a></li>'
    yield "</ul>" + ("</details>" if folded else "") + "</nav>"


def sections(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the lines of parts of a document; each heading begins a section."""
    place = 0
    for part in parts:
        if not isinstance(part, Heading):
            yield from _part(part)
            continue
        place += 1
        if place > 1:
            yield "</section>"
        anchor = escape(part.anchor or f"s{place}")
        yield f'<section aria-labelledby="{anchor}">'
        yield f'<h{part.level} id="{anchor}">{escape(part.text)}</h{part.level}>'
        if part.code:
            yield f"<p><code>{escape(part.code)}</code></p>"
    if place:
        yield "</section>"


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Table):
        yield from _table(part)
    elif isinstance(part, Pre):
        yield f'<pre tabindex="0">{escape(part.text)}</pre>'  # scrollable by keyboard
    elif isinstance(part, Picture):
        yield from _picture(part)
    elif isinstance(part, Details):
        yield f"<details><summary>{escape(part.summary)}</summary>"
        for one in part.parts:
            yield from _part(one)
        yield "</details>"
    elif isinstance(part, Segments):
        yield f"<h3>{escape(part.title)}</h3>"
        yield from map(_card, part.segments)
    elif isinstance(part, str | Notes):
        yield from (f"<p>{escape(text)}</p>" for text in ([part] if isinstance(part, str) else part.sentences))


def _picture(part: Picture) -> Iterator[str]:
    try:
        drawing = part.figure.svg()
    except MissingDependency as missing:
        log.warning("The figure %r is left out. %s", part.figure.title, missing)
        return
    caption = f"<figcaption>{escape(part.caption)}</figcaption>" if part.caption else ""
    kind = "plain" if drawing.startswith('<svg class="plain"') else "paper"
    title = escape(part.figure.title)
    if len(drawing) <= LARGE:
        yield f'<figure><div class="{kind}" role="img" aria-label="{title}">{drawing}</div>{caption}</figure>'
        return
    size = re.search(r'\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"', drawing)
    place = f' style="width: {size[1]}px; height: {size[2]}px"' if size else ""
    empty = f'<div class="{kind}" role="img" aria-label="{title}" data-drawing="{packed(drawing, 9)}"{place}></div>'
    yield f"<figure>{empty}{caption}<noscript>This figure is drawn by a script.</noscript></figure>"


def _card(segment: SegmentTexts) -> str:
    texts = "".join(
        f'<dt>{escape(name)}</dt><dd dir="auto">{_marked(text, segment.marks.get(name, ()))}</dd>'
        for name, text in segment.texts
    )
    lists = "".join(
        f"<p>{escape(title)}</p><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
        for title, lines in segment.lists
    )
    return f'<article class="card"><h4>{escape(segment.head)}</h4><dl>{texts}</dl>{lists}</article>'


def _marked(text: str, marks: Sequence[Mark]) -> str:
    """Return the text with its marks; where some overlap, the gravest shows."""
    edges = sorted({0, len(text), *(place for mark in marks for place in (mark.start, mark.end))})
    parts = []
    for start, end in pairwise(edges):
        over = [mark for mark in marks if mark.start <= start and mark.end >= end]
        part = escape(text[start:end])
        if over:
            said = escape("; ".join(mark.note for mark in over))
            part = f'<mark class="level{max(mark.level for mark in over)}" title="{said}">{part}</mark>'
        parts.append(part)
    return "".join(parts)


def _table(table: Table) -> Iterator[str]:
    header, rows = table.columns("html")
    name = escape(table.caption or "Table")
    kind = ' class="prose"' if any(len(cell) > LONG for row in rows for cell in row[1:]) else ""
    yield f'<div class="scroll" tabindex="0" role="group" aria-label="{name}"><table{kind}>'
    if table.caption:
        yield f"<caption>{escape(table.caption)}</caption>"
    numeric = [is_numeric(row[column] for row in rows) for column in range(len(header))]
    kinds = [' class="number"' if is_number else "" for is_number in numeric]
    heads = "".join(
        f'<th scope="col"{kind}>{escape(cell)}</th>' if cell else "<td></td>"
        for cell, kind in zip(header, kinds, strict=True)
    )
    yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    first = [""] * (len(header) - len(table.header))
    for place, row in enumerate(rows):
        classes = table.classes[place] if table.classes else [""] * len(table.header)
        if table.heat:
            classes = ["" if heat != heat else f"heat{round(9 * heat)}" for heat in table.heat[place]]
        yield "<tr>" + "".join(map(_cell, row, [*first, *classes], numeric)) + "</tr>"
    yield "</tbody></table></div>"


def _cell(text: str, kind: str, is_number: bool) -> str:
    names = " ".join(filter(None, ("number" * is_number, kind)))
    css = f' class="{names}"' if names else ""
    shown = text.svg() if isinstance(text, Histogram) else escape(text)
    if isinstance(text, Bold):
        shown = f"<strong>{shown}</strong>"
    if kind not in MARKS:
        return f"<td{css}>{shown}</td>"
    mark = f'<span class="mark" role="img" aria-label="{kind}">{MARKS[kind]}</span>'
    return f'<td{css}><span class="value">{shown}</span> {mark}</td>'
