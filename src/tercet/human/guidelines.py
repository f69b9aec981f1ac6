"""Guidelines for raters: short ones for each protocol, or the organiser's own; and their Markdown as HTML."""

import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import groupby

from .campaign import Campaign
from .protocols import PROTOCOLS

_INLINE = (  # in escaped text
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]]+)\]\((https?://[^\s()]+)\)"), r'<a href="\2" rel="noreferrer" target="_blank">\1</a>'),
)
_KINDS = {"#": "heading", "-": "list", "*": "list", ">": "quote"}
_NAMED = re.compile(r"[-*] \*\*([^*]+)\*\*")


def guidelines(protocol: str) -> str:
    """Return the guidelines of a protocol, as Markdown."""
    return files(__package__).joinpath("guidelines", f"{protocol}.md").read_text("utf-8")


def guidelines_of(campaign: Campaign) -> str:
    """Return what raters read first, as HTML, without severities and categories the campaign does not have."""
    if campaign.instructions:
        return as_html(campaign.instructions)
    usual, kept = PROTOCOLS[campaign.protocol], {*campaign.severities, *campaign.categories}
    unused = {*usual.severities, *usual.categories, "Critical"} - kept
    lines = guidelines(campaign.protocol).split("\n")
    return as_html("\n".join(line for line in lines if not ((name := _NAMED.match(line)) and name[1] in unused)))


def as_html(markdown: str) -> str:
    """Return a text in Markdown as HTML. A heading of level 2 becomes one of 3; markup in the text is escaped."""
    return "\n".join(_blocks(markdown.split("\n")))


def _blocks(lines: list[str]) -> Iterator[str]:
    for kind, group in groupby(lines, _kind):
        own = list(group)
        if kind == "heading":
            for line in own:
                level = len(line) - len(line.lstrip("#"))
                yield f"<h{min(level + 1, 4)}>{_inline(line.strip('# '))}</h{min(level + 1, 4)}>"
        elif kind == "list":
            yield f"<ul>{''.join(f'<li>{_inline(line[2:])}</li>' for line in own)}</ul>"
        elif kind == "quote":
            yield "<blockquote>" + "".join(_blocks([line[1:].removeprefix(" ") for line in own])) + "</blockquote>"
        elif kind == "text":
            yield f"<p>{'<br>'.join(map(_inline, own))}</p>"


def _kind(line: str) -> str:
    if not line.strip():
        return ""
    first = _KINDS.get(line[0], "text")
    return first if first != "list" or line[1:2] == " " else "text"


def _inline(text: str) -> str:
    shown = escape(text)
    for form, html in _INLINE:
        shown = form.sub(html, shown)
    return shown
