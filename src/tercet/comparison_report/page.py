"""The page around the data: they are compressed in the file, and scripts of ours show them."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from html import escape
from typing import Any

from ..rendering.pages import frame
from ..rendering.tables import to_json

SCRIPTS = (
    "data", "list", "state", "text", "seen", "layers", "overview", "pair", "analyses", "segments", "export", "keys",
    "main",
)  # fmt: skip


def report_page(data: Mapping[str, Any]) -> str:
    """Return the page. Title and verdict are readable without scripts."""
    packed = gzip.compress(to_json(data, indent=None).encode("utf-8", "surrogatepass"), 6, mtime=0)
    body = [
        '<a class="skip" href="#segments">To the segments</a>',
        '<header class="top">',
        f'<div><h1>{escape(data["title"])}</h1><p class="facts">{escape(_facts(data))}</p></div>',
        '<div id="tools"></div>',
        "</header>",
        '<main id="content">',
        f'<p id="verdict">{escape(data["metrics"][0]["verdict"])}</p>',
        "<noscript><p>This page needs JavaScript to show more.</p></noscript>",
        '<div id="app" aria-busy="true"></div>',
        "</main>",
        f'<script type="application/gzip" id="data">{base64.b64encode(packed).decode("ascii")}</script>',
    ]
    scripts = ["theme.js", *(f"report/{name}.js" for name in SCRIPTS)]
    styles = ["page.css", "report/browser.css", "report/report.css"]
    return frame(str(data["title"]), body, styles, scripts, drawings=False)


def _facts(data: Mapping[str, Any]) -> str:
    counts = [(data["n"], "segment"), (len(data["systems"]), "system"), (len(data["references"]), "reference")]
    shown = [f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts if count]
    return " · ".join(filter(None, [data["pair"], *shown]))
