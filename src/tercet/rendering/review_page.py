"""Pages of segments to look at, written piece by piece: `tercet review`, `qe rank` and `entities`."""

import base64
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from html import escape

from .pages import frame
from .tables import to_json

SCRIPTS = ("data", "list", "text", "export", "keys")  # what all pages of segments share, the report too
PLACE = "DATA-OF-THE-PAGE"
BLOCK = 1 << 18  # characters that are packed at once
Mark = tuple[int, int, str, str]  # the first and last UTF-16 unit, the kind, and what is said of it


@dataclass(frozen=True)
class Why:
    """A reason to look at a segment; kind: what the page filters by. system, name: of an entity lost or invented."""

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
    """A segment on the page. n: its number. value: points, or predicted quality with its interval, low to high.

    state: "done" if its file says so. details: what the reasons rest on. words: of its source.
    """

    n: int
    id: str
    file: str
    texts: Sequence[CardText]
    value: float
    why: Sequence[Why]
    low: float = 0.0
    high: float = 0.0
    decision: str = ""
    state: str = ""
    details: Sequence[str] = ()
    words: int = 0

    def to_dict(self) -> dict[str, object]:
        """Return what the page needs: fields that differ from what is usual."""
        known = {name: getattr(self, name) for name in ("n", "id", "file", "value", "decision")}
        known |= {"low": self.low, "high": self.high} if self.low or self.high else {}
        known |= {name: value for name in ("state", "details", "words") if (value := getattr(self, name))}
        why = [{key: text for key, text in asdict(each).items() if text} for each in self.why]
        return {**known, "texts": list(map(asdict, self.texts)), "why": why}


@dataclass(frozen=True)
class Overview:
    """What the page of a review has above its segments: counts that filter them.

    colours: what each says, the worst first. kinds: titles of the kinds of reasons. words_per_hour: or None. files: the
    names of the files. limits: the predictions below which segments are red and amber, if there are predictions.
    """

    colours: Mapping[str, str]
    kinds: Mapping[str, str]
    words_per_hour: float | None
    files: str
    limits: tuple[float, float] | None


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
    overview: Overview | None = None


def title(pair: str | None) -> str:
    """Return the title of rankings."""
    return f"Segments that need review, {pair.removeprefix('any-')}" if pair else "Segments that need review"


def both_texts(source: str, output: str, pair: str | None) -> list[CardText]:
    """Return the texts of a segment with one output."""
    language, _, target = (pair or "").partition("-")
    return [CardText("Source", source, language), CardText("Output", output, target)]


def review_page(cards: Iterable[Card], page: ReviewPage) -> str:
    """Return the page. Title and sentences are readable without scripts."""
    return "".join(page_pieces(cards, page))


def page_pieces(cards: Iterable[Card], page: ReviewPage) -> Iterator[str]:
    """Yield the pieces of the page, of which the data are the last."""
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
        f'<script type="application/gzip" id="data">{PLACE}</script>',
    ]
    styles = ["page.css", "browser/browser.css", "review/review.css"]
    own = ["review/overview.js"] if page.overview else []
    scripts = ["theme.js", *(f"browser/{name}.js" for name in SCRIPTS), *own, "review/review.js"]
    whole = frame(page.title, body, styles, scripts, drawings=bool(page.before or page.after))
    before, after = whole.split(PLACE)
    yield before
    yield from _packed(_data(cards, page))
    yield after


def _data(cards: Iterable[Card], page: ReviewPage) -> Iterator[str]:
    """Yield the data as pieces of one JSON object."""
    numbers, digest = array("q"), sha256()
    yield '{"segments":['
    for card in cards:
        yield ("," if numbers else "") + to_json(card.to_dict(), indent=None)
        numbers.append(card.n)
        digest.update("\t".join([str(card.n), *(text.text for text in card.texts)]).encode("utf-8", "surrogatepass"))
    data = {
        "n": len(numbers),
        # Browsers keep what is done under this name: that of the files, or of the texts where these have none.
        "key": page.overview.files if page.overview else digest.hexdigest()[:16],
        "systems": page.systems if len(page.systems) > 1 else [],
        **{name: getattr(page, name) for name in ("scale", "unit", "first", "none", "reasons")},
        "overview": asdict(page.overview) if page.overview else None,
    }
    yield "]," + to_json(data, indent=None)[1:-1] + ',"numbers":' + to_json(numbers.tolist(), indent=None) + "}"


def _packed(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as pieces of base64 of one gzip file."""
    packer, rest, waiting = zlib.compressobj(6, wbits=31), b"", []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size > BLOCK:
            rest += packer.compress("".join(waiting).encode("utf-8", "surrogatepass"))
            waiting, size, whole = [], 0, len(rest) // 3 * 3
            yield base64.b64encode(rest[:whole]).decode("ascii")
            rest = rest[whole:]
    rest += packer.compress("".join(waiting).encode("utf-8", "surrogatepass")) + packer.flush()
    yield base64.b64encode(rest).decode("ascii")


def _unbroken(text: str) -> str:
    """Return a text for the page, with its percent signs on the line of their numbers."""
    return escape(text).replace(" %", "\u00a0%")
