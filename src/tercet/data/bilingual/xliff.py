"""Read XLIFF 1.2 and 2.x, and write notes and states into a copy. A segment is a `trans-unit` or a `segment` (2.x).

Units with translate="no" are left out. Notes go behind the target (1.2) or into the unit's `notes` (2.x), where the
schemas allow them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from ..markup import InlineText, Parser, escaped, pair_of
from .segments import NOTHING, OUTPUT, Choice, Edit, Notes, Segment, Written, note_lines, removals
from .states import AMBER, DONE, FLAGGED, GREEN, RED, REVIEW

ENDINGS = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff")
_SPANS = frozenset({"g", "pc"})
_MARKS = frozenset({"mrk"})
_INHERITING = ("file", "group", "unit", "trans-unit")  # elements whose translate="no" holds for what is in them
_TEXTS = ("source", "target")
# States of 1.2 (of a target) and of 2.x (of a segment). What a person approved has one of those that mean DONE.
STATES = {
    "new": "", "translated": "", "initial": "", "needs-translation": FLAGGED, "needs-adaptation": FLAGGED,
    "needs-l10n": FLAGGED, "needs-review-translation": FLAGGED, "needs-review-adaptation": FLAGGED,
    "needs-review-l10n": FLAGGED, "reviewed": DONE, "signed-off": DONE, "final": DONE,
}  # fmt: skip
_WRITTEN = {  # judgement -> state in 1.2, state in 2.x
    RED: ("needs-translation", "initial"), AMBER: ("needs-review-translation", "translated"),
    GREEN: ("translated", "translated"), DONE: ("signed-off", "reviewed"),
}  # fmt: skip
_KEPT = ("needs-adaptation", "needs-l10n", "needs-review-adaptation", "needs-review-l10n")  # nothing of ours says so
_TAG = re.compile(r"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_LONGEST_TAG = 1 << 13
_HOLDER = ""  # stands for the <notes> of a unit, if all notes in it are ours


def read_segments(path: str | Path, choice: Choice) -> Iterator[Segment]:
    """Yield the segments of an XLIFF file."""
    return _Reader(str(path)).read()


def language_pair(path: str | Path) -> str | None:
    """Return the language pair that the file names, or None."""
    reader = _Reader(str(path))
    next(reader.read(), None)
    return reader.pair


def edits(path: str | Path, choice: Choice, notes: Notes) -> Iterator[Edit]:
    """Yield where and how the notes are inserted, and earlier ones removed."""
    reader = _Reader(str(path), with_tags=REVIEW in notes)
    for at, unit in groupby(enumerate(reader.read()), key=lambda each: each[1].at):
        members = list(unit)
        first = members[0][1]
        texts = [reader.note(each, *note) for row, each in members for note in note_lines(notes, row, (GREEN, DONE))]
        found = removals(first.written, [f"{_which(each)}{name}: " for _, each in members for name in notes])
        if texts:
            before, after = first.frame
            found.append((at, at, reader.encoded(before + "".join(texts) + after)))
        elif found and first.written[0].text == _HOLDER and len(found) == len(first.written) - 1:
            found = [(*first.written[0][1:], b"")]  # <notes> may not be empty
        found += [edit for row, each in members for edit in reader.state_edit(each, notes.get(REVIEW, ()), row)]
        yield from sorted(found)


def _which(segment: Segment) -> str:
    """Return what the notes on a segment of several in a unit begin with."""
    return f"{segment.labels['segment']}: " if "segment" in segment.labels else ""


@dataclass
class _Unit:
    """A unit that is being read, with the segments in it (only one in 1.2)."""

    id: str
    line: int
    translated: bool
    segment: str = ""
    segment_line: int = 0
    approved: bool = False
    texts: dict[str, InlineText] = field(default_factory=dict)
    at: int = -1
    has_notes: bool = False
    holder: int = -1  # the byte where <notes> begins; -1 if it has notes of others
    written: list[Written] = field(default_factory=list)
    state: str = ""
    tag: Written | None = None
    done: list[tuple[str, Segment]] = field(default_factory=list)  # ids within the unit, and what is known by then


class _Reader(Parser[Segment]):
    def __init__(self, path: str, *, with_tags: bool = False) -> None:
        super().__init__(path)
        self.pair: str | None = None
        self._with_tags = with_tags
        self._now: str | None = None  # the language pair of the <file> that is read
        self.version = ""
        self._file = ""
        self._unit: _Unit | None = None
        self._inline: InlineText | None = None
        self._note: list[str] | None = None  # the text of a note of ours
        self._note_at = -1
        self._ended = False  # whether the next event is the place behind the target
        self._ignored = 0  # depth within alternative translations and the like
        self._translated = [True]

    def note(self, segment: Segment, name: str, value: str) -> str:
        text = escaped(f"{_which(segment)}{name}: {value}")
        return f'<{self.prefix}note {self._mine}="tercet">{text}</{self.prefix}note>'

    @property
    def _mine(self) -> str:
        """Return the attribute that says who wrote a note."""
        return "from" if self.version.startswith("1") else "category"

    def state_edit(self, segment: Segment, judged: Sequence[str], row: int) -> Iterator[Edit]:
        """Yield the edit that sets the state to what a review says."""
        if not judged or not judged[row] or segment.tag is None:
            return
        judgement, old = judged[row], STATES.get(segment.state, "")
        if (judgement == DONE and old == DONE) or (judgement in (AMBER, GREEN) and segment.state in _KEPT):
            return
        tag, start, stop = segment.tag
        is_old = self.version.startswith("1")
        tag = _with_attribute(tag, "state", _WRITTEN[judgement][0 if is_old else 1])
        if not is_old:
            tag = _with_attribute(tag, "subState", f"tercet:{judgement}")
        yield start, stop, self.encoded(tag)

    def _state_tag(self) -> Written | None:
        """Return the start tag that begins now and its place."""
        if not self._with_tags:
            return None
        rest = (self._parser.GetInputContext() or b"")[:_LONGEST_TAG]
        found = _TAG.match(rest.decode(self.encoding, "ignore"))
        return Written(found[0], self.byte, self.byte + len(self.encoded(found[0]))) if found else None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._mark()
        if not self.stack:
            self._root(name, attributes)
        if self._inline is not None:
            self._inline.start(name, attributes, spans=_SPANS, marks=_MARKS)
            return
        if self._ignored or name in ("alt-trans", "bin-unit") or name.endswith(":matches"):
            self._ignored += 1
            return
        if name in _INHERITING:
            self._translated.append(attributes.get("translate", "yes" if self._translated[-1] else "no") != "no")
        if name == "file":
            self._file = attributes.get("original", "") or attributes.get("id", "")
            if self.version.startswith("1"):
                self._set_pair(attributes, "source-language", "target-language")
        elif name in ("trans-unit", "unit"):
            if self._unit is not None:
                self.refuse(f"<{name}> within another unit")
            if "id" not in attributes:
                self.refuse(f"a <{name}> without id")
            self._unit = _Unit(attributes["id"], self.line, self._translated[-1])
            self._unit.approved = attributes.get("approved") == "yes"
        elif self._unit is not None:
            self._in_unit(self._unit, name, attributes)

    def end(self, name: str) -> None:
        self._mark()
        if self._inline is not None:
            if name != self._inline.name:
                self._inline.end()
                return
            self._inline = None
            self._ended = self.version.startswith("1")
            return
        if self._ignored:
            self._ignored -= 1
            return
        unit = self._unit
        if unit is not None and name == "notes":
            unit.at, unit.has_notes = self.byte, True
            if unit.holder >= 0 and unit.written:
                unit.written.insert(0, Written(_HOLDER, unit.holder, self.behind))
        elif unit is not None and name == "note" and self._note is not None:
            unit.written.append(Written("".join(self._note).strip(), self._note_at, self.behind))
            self._note = None
        elif unit is not None and name == "segment":
            self._end_segment(unit, unit.segment, unit.segment_line, unit.state)
        elif unit is not None and name == "ignorable":
            unit.texts = {}
        elif unit is not None and name == "seg-source":
            self._ended = True
        elif unit is not None and name in ("trans-unit", "unit"):
            if name == "trans-unit":
                state = "final" if unit.approved and not STATES.get(unit.state) else unit.state
                self._end_segment(unit, "", unit.line, state)
            self._finish(unit)
            self._unit = None
        if name in _INHERITING:
            self._translated.pop()

    def text(self, text: str) -> None:
        self._mark()
        if self._inline is not None:
            self._inline.add(text)
        elif self._note is not None:
            self._note.append(text)

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        self.version = attributes.get("version", "")
        if name != "xliff":
            self.refuse(f"this is not XLIFF: the file begins with <{name}>")
        if not self.version.startswith(("1.", "2.")):
            self.refuse(f"XLIFF {self.version or 'without a version'} is not known; 1.2 and 2.x are")
        self._set_pair(attributes, "srcLang", "trgLang")

    def _set_pair(self, attributes: dict[str, str], *languages: str) -> None:
        self._now = pair_of([attributes.get(language, "") for language in languages])
        self.pair = self.pair or self._now

    def _in_unit(self, unit: _Unit, name: str, attributes: dict[str, str]) -> None:
        if name in _TEXTS:
            if name in unit.texts:
                self.refuse(f"unit {unit.id!r} has two texts of <{name}>")
            self._inline = unit.texts[name] = InlineText(name, keeps_space=self.keeps_space)
            if name == "target" and self.version.startswith("1"):
                unit.state, unit.tag = attributes.get("state", ""), self._state_tag()
        elif name in ("segment", "ignorable", "originalData") and unit.at < 0:
            unit.at = self.byte
        elif name == "notes":
            unit.holder = self.byte
        elif name == "note" and attributes.get(self._mine) == "tercet":
            self._note, self._note_at = [], self.byte
        elif name == "note":
            unit.holder = -1
        if name == "segment":
            unit.segment, unit.segment_line = attributes.get("id", str(len(unit.done) + 1)), self.line
            unit.state, unit.tag = attributes.get("state", ""), self._state_tag()

    def _mark(self) -> None:
        """Take the place behind the last source or target of a trans-unit: the start of what follows it."""
        if self._ended and self._unit is not None:
            self._unit.at, self._ended = self.byte, False

    def _end_segment(self, unit: _Unit, id: str, line: int, state: str) -> None:
        source, target = unit.texts.get("source"), unit.texts.get("target")
        if source is None:
            if unit.translated:
                self.refuse(f"unit {unit.id!r} has no source", line)
            return
        outputs, tags = ({OUTPUT: target.text}, tuple(target.tags)) if target else ({OUTPUT: ""}, ())
        segment = Segment(
            unit.id, line, source.text, outputs, file=self._file, source_tags=tuple(source.tags), output_tags=tags,
            state=state, tag=unit.tag, pair=self._now,
        )  # fmt: skip
        unit.done.append((id, segment))
        unit.texts = {}

    def _finish(self, unit: _Unit) -> None:
        framed = not unit.has_notes and not self.version.startswith("1")
        frame = (f"<{self.prefix}notes>", f"</{self.prefix}notes>") if framed else ("", "")
        several = len(unit.done) > 1
        for id, segment in unit.done if unit.translated else ():
            name, labels = (f"{unit.id}/{id}", {"segment": id}) if several else (unit.id, NOTHING)
            written = tuple(unit.written)
            self.found.append(replace(segment, id=name, labels=labels, at=unit.at, frame=frame, written=written))


def _with_attribute(tag: str, name: str, value: str) -> str:
    """Return a start tag whose attribute has this value."""
    if old := re.search(rf"""\s{name}\s*=\s*(?:"[^"]*"|'[^']*')""", tag):
        return f'{tag[: old.start()]} {name}="{value}"{tag[old.end() :]}'
    end = -2 if tag.endswith("/>") else -1
    return f'{tag[:end].rstrip()} {name}="{value}"{tag[end:]}'
