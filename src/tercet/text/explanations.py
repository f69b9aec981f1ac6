"""What a metric saw in one segment: alignments, edits, matches, entities and spans.

`Metric.explain_segment` returns a `Seen`. Each of its parts is about the output and the text that it was compared with,
a reference or the source. `explanation.schema.json` describes the JSON form, which `tercet explain -f json` prints and
the page of `tercet report` reads to colour words. Words count from 0, and places in a text are code points.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple

Words = Sequence[str]
Place = tuple[int, int]  # the first character, and the one after the last
Places = Sequence[Place | None]  # of words; None for a word that the tokeniser has changed

SHOWN = 12  # n-grams of one order that the text form lists
REACH = 40  # characters that the tokeniser may have changed or left out between two words


@dataclass(frozen=True)
class Part:
    """The base of the five kinds. Each has `output` and `other`, which are empty if it cannot mark that text."""

    kind: ClassVar[str]
    names_reference: ClassVar[bool] = True  # whether the text form says which reference it is about
    output: Sequence[Any]
    other: Sequence[Any]

    def to_dict(self, output: str, other: str, *, brief: bool = False) -> dict[str, object]:
        """Return the JSON form for two texts. brief: only what marks words."""
        sides = (("output", self.output), ("other", self.other))
        return {"kind": self.kind, **{name: [each._asdict() for each in found] for name, found in sides}}

    def lines(self, other: str = "reference") -> list[str]:
        """Return the text form. other: "reference" or "source"."""
        return []


class Link(NamedTuple):
    """Words of the output, by position, that were matched with words of the other text, with a weight from 0 to 1."""

    output: Sequence[int]
    other: Sequence[int]
    weight: float = 1.0
    label: str = ""
    values: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Alignment(Part):
    """Links between words; a later link of a word replaces an earlier one, and words without a link do not match.

    of: the text whose words are linked, "output" or "other", if the words of the other one have links of their own.
    places: of the words of both texts, where the metric knows them; otherwise they are looked up in the texts.
    """

    kind: ClassVar[str] = "alignment"
    output: Words
    other: Words
    links: Sequence[Link]
    of: str = "both"
    places: tuple[Places, Places] | None = None

    def to_dict(self, output: str, other: str, *, brief: bool = False) -> dict[str, object]:
        links = [
            {"output": list(link.output), "other": list(link.other), "weight": link.weight, "label": link.label}
            | ({} if brief or not link.values else {"values": dict(link.values)})
            for link in self.links
        ]
        return {"kind": self.kind, **_both(self, output, other, self.places), "links": links, "of": self.of}

    def lines(self, other: str = "reference") -> list[str]:
        pairs = [
            f"{self.output[i]}={self.other[j]}@{j + 1}"
            for link in self.links
            for i, j in zip(link.output, link.other, strict=True)
        ]
        alone = alone_in(self.output, [link.output for link in self.links])
        return [f"aligned: {' '.join(pairs) or 'nothing'}", f"not aligned: {' '.join(alone) or 'nothing'}"]


@dataclass(frozen=True)
class ListedAlignment(Alignment):
    """An alignment of single words whose text form lists the links: `columns` name word, partner and weight."""

    columns: tuple[str, str, str] = ("word", "match", "similarity")

    def lines(self, other: str = "reference") -> list[str]:
        word, match, weight = self.columns
        rows = []
        for link in self.links:
            partner = self.other[link.other[0]] if link.other else None
            rows.append({word: self.output[link.output[0]], **link.values, match: partner, weight: link.weight})
        return value_lines("words", rows)


class Edit(NamedTuple):
    """One step of a script: the positions of the words in both texts, None if there is no word."""

    kind: str
    output: int | None
    other: int | None


class Shift(NamedTuple):
    """A shift of words from positions in the original text; begin, end: of the first word before and after it."""

    words: tuple[str, ...]
    positions: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True)
class Edits(Part):
    """The edits that turn an output into a reference.

    edits: with positions in the original texts, in the order of the text that is not moved; None if there are too many.
    shifts: made before the edits, in this order.
    jumps: the positions in the output after each jump (CDER), which costs one edit; the output's length is its end.
    moved: the text whose words are shifted, "output" or "other".
    """

    kind: ClassVar[str] = "edits"
    names_reference: ClassVar[bool] = False
    output: Words
    other: Words
    edits: Sequence[Edit] | None
    shifts: Sequence[Shift] = ()
    jumps: Sequence[int] = ()
    moved: str = "output"
    places: tuple[Places, Places] | None = None

    def of_kind(self, kind: str) -> list[Edit]:
        return [edit for edit in self.edits or () if edit.kind == kind]

    @property
    def cost(self) -> int:
        return sum(edit.kind != "match" for edit in self.edits or ()) + len(self.shifts) + len(self.jumps)

    @property
    def operations(self) -> dict[str, int] | None:
        """Return the number of edits of each kind (a deletion: the output lacks a word); None if not listed."""
        if self.edits is None:
            return None
        found = {f"{kind}s": len(self.of_kind(kind)) for kind in ("insertion", "deletion", "substitution")}
        return {**found, "shifts": len(self.shifts), "jumps": len(self.jumps)}

    def to_dict(self, output: str, other: str, *, brief: bool = False) -> dict[str, object]:
        steps = {
            "edits": None if self.edits is None else [edit._asdict() for edit in self.edits],
            "shifts": [shift._asdict() for shift in self.shifts],
            "jumps": list(self.jumps),
        }
        return {"kind": self.kind, **_both(self, output, other, self.places), **steps, "moved": self.moved}

    def lines(self, other: str = "reference") -> list[str]:
        where = "" if self.moved == "output" else f" in the {other}"
        shown = [f"shift '{' '.join(s.words)}' from {s.begin + 1} to {s.end + 1}{where}" for s in self.shifts]
        shown += [f"jump to {position + 1}" for position in self.jumps]
        for kind, i, j in self.edits or ():
            if kind == "substitution" and i is not None and j is not None:
                shown.append(f"substitution '{self.output[i]}' for '{self.other[j]}'")
            elif kind != "match":
                shown.append(f"{kind} '{self.output[i] if i is not None else self.other[j or 0]}'")
        return shown or ["nothing to edit"]


class Group(NamedTuple):
    """N-grams of one order, or pieces of one size: those that match, the others, and how many occurrences there are."""

    size: int
    matched: Sequence[str]
    unmatched: Sequence[str]
    matches: int
    total: int


@dataclass(frozen=True)
class Matches(Part):
    """N-grams or pieces of trees that the other text has too.

    output, other: words or characters. sizes: of the largest match around each of them. largest: the largest size.
    label: the name of a match of a size.
    """

    kind: ClassVar[str] = "matches"
    names_reference: ClassVar[bool] = False
    output: Words
    other: Words
    sizes: tuple[Sequence[int], Sequence[int]]
    largest: int
    groups: Sequence[Group] = ()
    label: str = "{}-gram"

    def to_dict(self, output: str, other: str, *, brief: bool = False) -> dict[str, object]:
        sizes = {"sizes": {name: list(each) for name, each in zip(("output", "other"), self.sizes, strict=True)}}
        head = {"kind": self.kind, **_both(self, output, other), **sizes, "largest": self.largest, "label": self.label}
        return head if brief else {**head, "groups": [group._asdict() for group in self.groups]}

    def lines(self, other: str = "reference") -> list[str]:
        return [f"words: {' '.join(self.output)}", *self.group_lines()]

    def group_lines(self) -> list[str]:
        """Return how many n-grams or pieces of each size match, and which."""
        shown = []
        for group in self.groups:
            name = self.label.format(group.size) + "s" * self.label.endswith("gram")
            matched, unmatched = len(group.matched), len(group.unmatched)
            shown.append(f"{name}: {matched} of {matched + unmatched} match")
            for kind, grams in (("matched", group.matched), ("unmatched", group.unmatched)):
                more = f" … and {len(grams) - SHOWN} more" if len(grams) > SHOWN else ""
                shown += [f"  {kind}: {' | '.join(grams[:SHOWN])}{more}"] if grams else []
        return shown


class Entity(NamedTuple):
    """A name in a text, the entity that it was linked to, and whether the other text has that entity too."""

    text: str
    begin: int
    end: int
    category: str
    entity: str
    matched: bool


@dataclass(frozen=True)
class Entities(Part):
    """The entities of both texts."""

    kind: ClassVar[str] = "entities"
    output: Sequence[Entity]
    other: Sequence[Entity]

    def lines(self, other: str = "reference") -> list[str]:
        return [
            f"{name}_entities: text {each.text!r}, span {[each.begin, each.end]}, category {each.category!r}, "
            f"entity {each.entity!r}, matched {each.matched!r}"
            for name, found in ((other, self.other), ("output", self.output))
            for each in found
        ]


class Span(NamedTuple):
    """A stretch of a text. weight: 0 to 1 (good). label: of a match or error. partner: its place in the other text."""

    begin: int
    end: int
    weight: float
    label: str = ""
    partner: Place | None = None


@dataclass(frozen=True)
class Spans(Part):
    """Stretches of both texts, such as the errors that a person or a language model marked."""

    kind: ClassVar[str] = "spans"
    output: Sequence[Span]
    other: Sequence[Span] = ()


@dataclass(frozen=True)
class Seen:
    """What a metric saw in one segment.

    score: of the segment, if the metric says it. against: the number of the reference, from 0, that the output was
    compared with; None for the source, or if there are no parts. values: the rest, such as precision and recall.
    """

    score: float | None = None
    parts: Sequence[Part] = ()
    against: int | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self, output: str, references: Sequence[str], source: str | None, **how: bool) -> dict[str, object]:
        """Return the JSON form. brief: only what marks words."""
        other = (source or "") if self.against is None else references[self.against]
        against = "source" if self.parts and self.against is None else self.against
        return {"against": against, "parts": [part.to_dict(output, other, **how) for part in self.parts]}

    def lines(self) -> list[str]:
        shown = []
        if self.against is not None and all(part.names_reference for part in self.parts):
            shown.append(f"reference: number {self.against + 1}")
        shown += [line for name, value in self.values.items() for line in value_lines(name, value)]
        other = "source" if self.against is None else "reference"
        return shown + [line for part in self.parts for line in part.lines(other)]


def value_lines(name: str, value: object) -> list[str]:
    """Return a value as lines; a list of objects has one line for each."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return [f"{name}: " + ", ".join(f"{key} {part!r}" for key, part in item.items()) for item in value]
    return [f"{name}: {value:.4f}" if isinstance(value, float) else f"{name}: {value}"]


def word_links(positions: Sequence[int]) -> list[Link]:
    """Return the links of words of the output, given the position of each in the other text, -1 for none."""
    return [Link([i], [j], label="match") for i, j in enumerate(positions) if j >= 0]


def alone_in(words: Words, linked: Sequence[Sequence[int]]) -> list[str]:
    """Return the words that have no link."""
    known = {position for positions in linked for position in positions}
    return [word for position, word in enumerate(words) if position not in known]


def _both(part: Part, output: str, other: str, places: tuple[Places, Places] | None = None) -> dict[str, object]:
    texts = ("output", part.output, output), ("other", part.other, other)
    found = places or tuple(locate(words, text) for _, words, text in texts)
    return {
        name: [[word, *(at or (None, None))] for word, at in zip(words, each, strict=True)]
        for (name, words, _), each in zip(texts, found, strict=True)
    }


def locate(words: Words, text: str) -> list[Place | None]:
    """Return the place of each word in a text, in order and in any case; None for words that are changed otherwise."""
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


def _lowered(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in lower case, and the position in the text of each of its characters."""
    lowered = text.lower()
    if len(lowered) == len(text) and "Σ" not in text:  # whose lower case depends on its neighbours
        return lowered, range(len(text))
    parts = [character.lower() for character in text]
    return "".join(parts), [at for at, part in enumerate(parts) for _ in part]


def utf16_places(text: str) -> Callable[[int], int]:
    """Return a function from the position of a code point in a text to that of its UTF-16 unit, for JavaScript."""
    if text.isascii() or max(text) <= "\uffff":
        return lambda position: position
    starts = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    return lambda position: starts[position]
