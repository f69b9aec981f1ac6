"""Pages of segments to look at, on the report's segment browser: `tercet qe rank` and `tercet entities`."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape

from ..data.testset import checksum
from .pages import frame
from .tables import to_json

SCRIPTS = ("data", "list", "text", "export", "keys")  # what is shared with the report
Mark = tuple[int, int, str, str]  # the first and last UTF-16 unit, the kind, and what is said of it


@dataclass(frozen=True)
class Why:
    """A reason to look at a segment: its kind, by which the page filters, and the text that it shows.

    system, name: of an entity that a system lost or invented.
    """

    kind: str
    text: str
    system: str = ""
    name: str = ""


@dataclass(frozen=True)
class CardText:
    """A text of a segment. system: of an output, if there are several. marks: without overlaps, in order."""

    name: str
    text: str
    language: str
    system: str = ""
    marks: Sequence[Mark] = ()


@dataclass(frozen=True)
class Card:
    """A segment on the page. n: its number. value: points, or predicted quality with its interval, low to high."""

    n: int
    id: str
    file: str
    texts: Sequence[CardText]
    value: float
    why: Sequence[Why]
    low: float = 0.0
    high: float = 0.0
    decision: str = ""


@dataclass(frozen=True)
class ReviewPage:
    """What the page says around its segments.

    verdict: the first sentence. about: further ones. scale: the range of predictions. unit: what values count, if they
    are no predictions. first: the name of the order of the cards. none: what is said if there are none. reasons: what
    the reasons are called in exports. before, after: HTML above and below the segments.
    """

    title: str
    verdict: str
    about: Sequence[str] = ()
    scale: tuple[float, float] | None = None
    unit: str = ""
    first: str = "need of review"
    none: str = "There is nothing to review."
    reasons: str = "reasons"
    systems: Sequence[str] = ()
    before: Sequence[str] = ()
    after: Sequence[str] = ()


def title(pair: str | None) -> str:
    """Return the title of rankings."""
    return f"Segments that need review, {pair.removeprefix('any-')}" if pair else "Segments that need review"


def both_texts(source: str, output: str, pair: str | None) -> list[CardText]:
    """Return the texts of a segment with one output."""
    language, _, target = (pair or "").partition("-")
    return [CardText("Source", source, language), CardText("Output", output, target)]


def review_page(cards: Sequence[Card], page: ReviewPage) -> str:
    """Return the page. Title and sentences are readable without scripts."""
    # Browsers keep what is done under this name, so it must be the same for the same texts.
    key = checksum(["\t".join([str(card.n), *(text.text for text in card.texts)]) for card in cards])[:16]
    data = {
        "n": len(cards),
        "numbers": [card.n for card in cards],
        "segments": [asdict(card) for card in cards],
        "key": key,
        "systems": page.systems if len(page.systems) > 1 else [],
        **{name: getattr(page, name) for name in ("scale", "unit", "first", "none", "reasons")},
    }
    packed = gzip.compress(to_json(data, indent=None).encode("utf-8", "surrogatepass"), 6, mtime=0)
    body = [
        '<a class="skip" href="#segments">To the segments</a>',
        f'<header class="top"><h1>{escape(page.title)}</h1><div id="tools"></div></header>',
        '<main id="content">',
        f'<p id="verdict">{_unbroken(page.verdict)}</p>',
        *(f'<p class="about">{_unbroken(sentence)}</p>' for sentence in page.about),
        "<noscript><p>This page needs JavaScript. The other formats of the command do not.</p></noscript>",
        *page.before,
        '<div id="app" aria-busy="true"></div>',
        *page.after,
        "</main>",
        f'<script type="application/gzip" id="data">{base64.b64encode(packed).decode("ascii")}</script>',
    ]
    styles = ["page.css", "report/browser.css", "review/review.css"]
    scripts = ["theme.js", *(f"report/{name}.js" for name in SCRIPTS), "review/review.js"]
    return frame(page.title, body, styles, scripts, drawings=bool(page.before or page.after))


def _unbroken(text: str) -> str:
    """Return a text for the page, with its percent signs on the line of their numbers."""
    return escape(text).replace(" %", "\u00a0%")
