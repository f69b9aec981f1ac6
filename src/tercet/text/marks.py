"""Marks on the texts of a segment: stretches of characters, how well a metric found them in the other text, and where.

A metric returns them from `Metric.marks`. `explain` has them in its JSON form, and the report colours words by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

Place = tuple[int, int]  # the first character, and the one after the last


class Mark(NamedTuple):
    """A stretch of a text.

    begin, end: its characters, as code points from 0; the end is excluded.
    weight: how well it was found in the other text, from 0 (not at all) to 1.
    label: the kind of match or error, such as "synonym".
    partner: the place in the other text that it was matched with.
    """

    begin: int
    end: int
    weight: float
    label: str = ""
    partner: Place | None = None


@dataclass(frozen=True)
class Marks:
    """The marks on an output and on the text that it was compared with.

    against: the number of the reference, from 0; None for the source.
    """

    output: tuple[Mark, ...]
    other: tuple[Mark, ...] = ()
    against: int | None = 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON; `against` is "source" or the number of the reference, from 0."""
        both = {"output": self.output, "other": self.other}
        marks = {name: [mark._asdict() for mark in found] for name, found in both.items()}
        return {**marks, "against": "source" if self.against is None else self.against}


class WordLink(NamedTuple):
    """Words of the output, by their positions, that were matched with words of the other text."""

    output: Sequence[int]
    other: Sequence[int]
    weight: float
    label: str = ""


def mark_links(
    output: tuple[str, Sequence[str]],
    other: tuple[str, Sequence[str]],
    links: Iterable[WordLink],
    against: int | None = 0,
) -> Marks:
    """Return marks on two texts, each given with its words, for links between words. Words without a link weigh 0."""
    places = locate(output[1], output[0]), locate(other[1], other[0])
    marks: tuple[dict[Place, Mark], dict[Place, Mark]] = {}, {}
    for link in links:
        for side, (own, partners) in enumerate(((link.output, link.other), (link.other, link.output))):
            partner = _around([places[1 - side][position] for position in partners])
            for place in filter(None, (places[side][position] for position in own)):
                marks[side][place] = Mark(*place, link.weight, link.label, partner)
    for side in (0, 1):
        for place in filter(None, places[side]):
            marks[side].setdefault(place, Mark(*place, 0.0))
    output_marks, other_marks = (merged(found[place] for place in sorted(found)) for found in marks)
    return Marks(output_marks, other_marks, against)


def aligned_marks(seen: Mapping[str, Any], output: str, references: Sequence[str]) -> Marks:
    """Return marks for an explanation with `alignment`, the position of each word in `reference_words`, or None."""
    links = [
        WordLink([position], [link["at"]], 1.0, "match")
        for position, link in enumerate(seen["alignment"])
        if link["at"] is not None
    ]
    words, row = [link["word"] for link in seen["alignment"]], seen["reference"]
    return mark_links((output, words), (references[row], seen["reference_words"]), links, row)


def ngram_marks(
    units: Sequence[str], text: str, longest: Iterable[int], most: int, label: str = "{}-gram"
) -> tuple[Mark, ...]:
    """Return marks on words or characters of a text, given the size of the longest match around each, up to `most`."""
    places = zip(locate(units, text), longest, strict=True)
    return merged(Mark(*at, size / most, label.format(size)) for at, size in places if at is not None)


def merged(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Return marks in which neighbours of the same weight and label, whose partners are neighbours too, are one."""
    found: list[Mark] = []
    for mark in marks:
        last = found[-1] if found else None
        if last is None or last.end != mark.begin or last[2:4] != mark[2:4]:
            found.append(mark)
        elif last.partner is None and mark.partner is None:
            found[-1] = last._replace(end=mark.end)
        elif last.partner and mark.partner and last.partner[1] == mark.partner[0]:
            found[-1] = last._replace(end=mark.end, partner=(last.partner[0], mark.partner[1]))
        else:
            found.append(mark)
    return tuple(found)


def _around(places: Sequence[Place | None]) -> Place | None:
    known = [place for place in places if place is not None]
    return (min(begin for begin, _ in known), max(end for _, end in known)) if known else None


def locate(words: Sequence[str], text: str) -> list[Place | None]:
    """Return the place of each word in a text, in which the words have the same order.

    Letters may differ in case. A word that the tokeniser has changed otherwise has no place (None), nor has a blank.
    """
    lowered, origins = _lowered(text)
    found: list[Place | None] = []
    position = 0
    for word in words:
        key = _lowered(word)[0]
        at = lowered.find(key, position) if key.strip() else -1
        # A word that was changed might be found far behind, which would hide all words up to there.
        if at < 0 or at - position > REACH:
            found.append(None)
            continue
        position = at + len(key)
        found.append((origins[at], origins[position - 1] + 1))
    return found


REACH = 40  # characters that the tokeniser may have changed or left out between two words


def _lowered(text: str) -> tuple[str, list[int]]:
    """Return a text in lower case, and the position in the text of each of its characters."""
    parts = [character.lower() for character in text]
    return "".join(parts), [at for at, part in enumerate(parts) for _ in part]


def utf16_places(text: str) -> Callable[[int], int]:
    """Return a function from the position of a code point in a text to that of its UTF-16 unit, for JavaScript."""
    if text.isascii() or max(text) <= "\uffff":
        return lambda position: position
    starts = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    return lambda position: starts[position]
