"""The page of `tercet review`, written piece by piece: of a long text, no more than one segment is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ...data.bilingual.segments import Segment
from ...data.bilingual.states import DONE
from ...rendering.review_page import Card, CardText, Mark, Overview, ReviewPage, Why, page_pieces
from ...text.explanations import utf16_places
from .board import SAYS, TITLES, caveats, saved, title, verdict
from .judging import COLOURS, Judged, Review, count_words, file_of


def pieces(found: Review) -> Iterator[str]:
    """Yield the pieces of the page."""
    options = found.options
    overview = Overview(
        {name: SAYS[name] for name in COLOURS}, TITLES, options.words_per_hour, found.name,
        (options.red, options.amber) if found.model else None,
    )  # fmt: skip
    page = ReviewPage(
        title(found), verdict(found), [saved(found), *caveats(found)], first="worst first",
        none="There are no segments.", overview=overview,
    )  # fmt: skip
    return page_pieces(_cards(found), page)


def _cards(found: Review) -> Iterator[Card]:
    source, _, target = (found.pair or "").partition("-")
    files = chain.from_iterable([file] * size for file, size in zip(found.files, found.sizes, strict=True))
    for n, ((segment, judged), file) in enumerate(zip(found.segments(), files, strict=True), 1):
        yield _card(n, segment, judged, file_of(found, file, segment), (source, target))


def _card(n: int, segment: Segment, judged: Judged, file: str, languages: tuple[str, str]) -> Card:
    texts = (segment.source or "", next(iter(segment.outputs.values())))
    names = ("Source", "Translation")
    words = [(word, each.message) for each in judged.reasons for word in each.words]
    return Card(
        n,
        segment.id,
        file,
        [
            CardText(name, text, language, marks=_marks(text, words, kind))
            for name, text, language, kind in zip(names, texts, languages, ("lost", "invented"), strict=True)
        ],
        0.0 if judged.quality != judged.quality else round(judged.quality, 1),
        [Why(each.kind, each.message) for each in judged.reasons],
        decision=judged.colour,
        state=DONE if judged.done else "",
        details=judged.details,
        words=count_words(texts[0]),
    )


def _marks(text: str, words: list[tuple[str, str]], kind: str) -> list[Mark]:
    """Return the marks on the words that a reason names."""
    if not words:
        return []
    place, found, last = utf16_places(text), [], 0
    pattern = re.compile("|".join(re.escape(word) for word, _ in sorted(words, key=lambda each: -len(each[0]))))
    said = dict(words)
    for match in pattern.finditer(text):
        if match.start() >= last and match[0]:
            found.append((place(match.start()), place(match.end()), kind, said[match[0]]))
            last = match.end()
    return found
