"""The page of `tercet qe rank`: segments to review, with filters, marks of what is done, and an export."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape

from ..data.testset import checksum
from ..rendering.pages import frame
from ..rendering.tables import to_json

TITLE = "Segments that need review"


@dataclass(frozen=True)
class Why:
    """A reason to review a segment: its kind, by which the page filters, and the text that it shows."""

    kind: str
    text: str


@dataclass(frozen=True)
class Card:
    """A segment on the page. n: its number. value: points, or predicted quality with its interval, low to high."""

    n: int
    id: str
    file: str
    source: str
    output: str
    value: float
    why: Sequence[Why]
    low: float = 0.0
    high: float = 0.0
    decision: str = ""


def review_page(
    cards: Sequence[Card], about: Sequence[str], pair: str | None, scale: tuple[float, float] | None
) -> str:
    """Return the page. about: sentences above the list. scale: the range of predictions; None for points."""
    source, _, target = (pair or "").partition("-")
    # Browsers keep what is done under this name, so it must be the same for the same texts.
    key = checksum([f"{card.n}\t{card.source}\t{card.output}" for card in cards])[:16]
    segments = [asdict(card) for card in cards]
    data = {"segments": segments, "scale": scale, "key": key, "languages": [source, target]}
    packed = gzip.compress(to_json(data, indent=None).encode("utf-8", "surrogatepass"), 6, mtime=0)
    title = f"{TITLE}, {pair}" if pair else TITLE
    body = [
        '<a class="skip" href="#content">To the segments</a>',
        f"<header><h1>{escape(title)}</h1></header>",
        '<main id="content" tabindex="-1">',
        *(f"<p>{escape(sentence)}</p>" for sentence in about),
        "<noscript><p>This page needs JavaScript. The other formats of the command do not.</p></noscript>",
        '<div id="app" aria-busy="true"></div>',
        "</main>",
        f'<script type="application/gzip" id="data">{base64.b64encode(packed).decode("ascii")}</script>',
    ]
    scripts = ["theme.js", "report/data.js", "review/review.js"]
    return frame(title, body, ["page.css", "review/review.css"], scripts, drawings=False)
