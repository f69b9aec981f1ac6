"""Read TMX 1.1 to 1.4b, and write notes as `prop` elements into a copy. A segment is a `tu`.

The source language is that of `pair`, or else that of the header; the target is the other language of the file.
"""

from collections.abc import Iterator
from pathlib import Path

from ..markup import InlineText, Parser, escaped, pair_of
from .segments import OUTPUT, Choice, Edit, Notes, Segment, Written, note_lines
from .states import AMBER, DONE, GREEN, RED, REVIEW

ENDINGS = (".tmx",)
_SPANS = frozenset({"hi"})
_MINE = "x-tercet-"  # begins the type of our props
STATES = {RED: "", AMBER: "", GREEN: "", DONE: DONE}  # the prop of a review
_TUV_LANGUAGE = ("xml:lang", "lang")


def read_segments(path: str | Path, choice: Choice) -> Iterator[Segment]:
    """Yield the segments of a TMX file. Raises DataError if the languages are not clear."""
    return _Reader(str(path), choice.pair).read()


def language_pair(path: str | Path) -> str | None:
    """Return the language pair of the first segment."""
    reader = _Reader(str(path), None)
    next(reader.read(), None)
    return pair_of(reader.languages)


def edits(path: str | Path, choice: Choice, notes: Notes) -> Iterator[Edit]:
    """Yield where and how the notes are inserted, and earlier ones removed."""
    reader = _Reader(str(path), choice.pair)
    for row, segment in enumerate(reader.read()):
        text = "".join(
            f'<{reader.prefix}prop type="{_MINE}{escaped(name)}">{escaped(value)}</{reader.prefix}prop>'
            for name, value in note_lines(notes, row, (GREEN,))
        )
        yield from ((start, stop, b"") for name, start, stop in segment.written if name in notes)
        if text:
            yield segment.at, segment.at, reader.encoded(text)


class _Reader(Parser[Segment]):
    def __init__(self, path: str, pair: str | None) -> None:
        super().__init__(path)
        self.languages = (pair or "-").split("-", 1)
        self._given = pair is not None
        self._number = 0
        self._unit: dict[str, str] | None = None
        self._line = 0
        self._at = -1
        self._language = ""
        self._inline: InlineText | None = None
        self._texts: dict[str, InlineText] = {}
        self._prop = ("", -1)  # the name and place of the prop that is read, if it is ours
        self._value = ""
        self._state = ""
        self._written: list[Written] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.stack and name != "tmx":
            self.refuse(f"this is not TMX: the file begins with <{name}>")
        if self._inline is not None:
            self._inline.start(name, attributes, spans=_SPANS, marks=frozenset())
        elif name == "header" and not self._given and attributes.get("srclang", "*all*") != "*all*":
            self.languages = [attributes["srclang"], ""]
        elif name == "tu":
            self._number += 1
            self._unit, self._line, self._at, self._texts, self._written = attributes, self.line, -1, {}, []
            self._state = ""
        elif name == "prop" and self._at < 0 and attributes.get("type", "").startswith(_MINE):
            self._prop, self._value = (attributes["type"][len(_MINE) :], self.byte), ""
        elif name == "tuv" and self._unit is not None:
            self._at = self.byte if self._at < 0 else self._at
            self._language = next((attributes[key] for key in _TUV_LANGUAGE if key in attributes), "")
            if not self._language:
                self.refuse("a <tuv> without xml:lang")
        elif name == "seg" and self._unit is not None:
            self._inline = self._texts.setdefault(
                self._language.lower(), InlineText("seg", keeps_space=self.keeps_space)
            )

    def end(self, name: str) -> None:
        if self._inline is not None:
            if name == "seg":
                self._inline = None
            else:
                self._inline.end()
        elif name == "prop" and self._prop[0]:
            self._written.append(Written(*self._prop, self.behind))
            self._state = self._value.strip() if self._prop[0] == REVIEW else self._state
            self._prop = ("", -1)
        elif name == "tu" and self._unit is not None:
            self._finish(self._unit)
            self._unit = None

    def text(self, text: str) -> None:
        if self._inline is not None:
            self._inline.add(text)
        elif self._prop[0]:
            self._value += text

    def _finish(self, unit: dict[str, str]) -> None:
        if not all(self.languages):
            self._settle_languages()
        source, target = (self._of(language) for language in self.languages)
        if source is None:
            known = ", ".join(self._texts) or "none"
            self.refuse(f"no text in {self.languages[0]!r}, the source language; there is: {known}", self._line)
        outputs, tags = ({OUTPUT: target.text}, tuple(target.tags)) if target else ({OUTPUT: ""}, ())
        self.found.append(
            Segment(
                unit.get("tuid", str(self._number)), self._line, source.text, outputs, source_tags=tuple(source.tags),
                output_tags=tags, at=self._at, written=tuple(self._written), state=self._state,
            )
        )  # fmt: skip

    def _settle_languages(self) -> None:
        known = list(self._texts)
        source = self.languages[0] or (known or [""])[0]
        first = self._of(source)
        others = [language for language in known if self._texts[language] is not first]
        if len(others) != 1:
            there = ", ".join(known) or "no text"
            self.refuse(
                f"the target language is not clear, as the segment has {there}. "
                "Choose the languages with `pair`, as en-de",
                self._line,
            )
        self.languages = [source, others[0]]

    def _of(self, language: str) -> InlineText | None:
        """Return the text in a language; without an exact match, the text in a variety of it (en for en-US)."""
        wanted = language.lower().replace("_", "-")
        if wanted in self._texts:
            return self._texts[wanted]
        base = wanted.partition("-")[0]
        near = [text for code, text in self._texts.items() if code.replace("_", "-").partition("-")[0] == base]
        return near[0] if len(near) == 1 else None
