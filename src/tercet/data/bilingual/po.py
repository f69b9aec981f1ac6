"""Read PO files (gettext), and write notes as translator's comments and the flag `fuzzy` into a copy.

A segment is a message; a message with plural forms has one for each form. Obsolete messages (#~) and the header are
left out. The file of a segment is that of its first reference (#:).
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NoReturn

from ...errors import DataError
from ..lines import open_bytes
from .segments import OUTPUT, Choice, Edit, Notes, Segment, Written, flagged_by_review, note_lines, removals, reviewed
from .states import AMBER, DONE, FLAGGED, GREEN, RED, REVIEW

ENDINGS = (".po", ".pot")
_LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d{1,3})\])?\s*)?"((?:[^"\\]|\\.)*)"\s*')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{2}|.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_CHARSET = re.compile(rb"charset=([A-Za-z0-9._-]+)")
_MINE = "# tercet"  # begins our comments
FUZZY = "fuzzy"
STATES = {FUZZY: FLAGGED, DONE: DONE}  # done: a comment of ours, or a flag of ours that a person removed
_LANGUAGE = re.compile(r"^Language:[ \t]*([A-Za-z@_-]+)", re.MULTILINE)


@dataclass
class _Message:
    """A message that is being read: the texts by keyword, and where it begins."""

    at: int
    line: int
    fields: dict[str, str] = field(default_factory=dict)
    reference: str = ""
    written: list[Written] = field(default_factory=list)
    flags: Written | None = None  # the line with flags
    body: int = -1  # the byte behind the comments


def read_segments(path: str | Path, choice: Choice) -> Iterator[Segment]:
    """Yield the segments of a PO file."""
    messages = (message for row, message in enumerate(_all_messages(path)) if row or message.fields.get("msgid") != "")
    for number, message in enumerate(messages, 1):
        yield from _segments(message, number, path)


def target_language(path: str | Path) -> str | None:
    """Return the language in the header, or None."""
    header = next(_all_messages(path), None)
    is_header = header is not None and not header.fields.get("msgid")
    found = _LANGUAGE.search(header.fields.get("msgstr", "")) if header is not None and is_header else None
    return found[1] if found else None


def edits(path: str | Path, choice: Choice, notes: Notes) -> Iterator[Edit]:
    """Yield where and how the notes are inserted, and earlier ones removed."""
    charset = _charset(path)
    with open_bytes(path) as stream:
        ending = "\r\n" if stream.readline().endswith(b"\r\n") else "\n"
    for at, members in groupby(enumerate(read_segments(path, choice)), key=lambda each: each[1].at):
        lines, found, judged = [], [], set[str]()
        for row, segment in members:
            which = _beginning(segment.labels.get("form"))
            judged |= {notes[REVIEW][row]} if REVIEW in notes else set()
            shown = note_lines(notes, row, (GREEN,))
            lines += [f"{which}{name}: {' '.join(value.split())}{ending}" for name, value in shown]
            found += removals(segment.written, [f"{which}{name}: " for name in notes])
        if lines:
            found.append((at, at, "".join(lines).encode(charset, "replace")))
        found += _flag_edits(segment, judged, ending, charset)
        yield from sorted(found)


def _beginning(form: str | None) -> str:
    """Return what our comments on a message, or on one of its plural forms, begin with."""
    return f"{_MINE} (plural form {form}): " if form else f"{_MINE}: "


def _flags(line: str) -> list[str]:
    return [flag.strip() for flag in line.removeprefix("#,").split(",") if flag.strip()]


def _flag_edits(segment: Segment, judged: set[str], ending: str, charset: str) -> Iterator[Edit]:
    """Yield the edit that makes a message fuzzy if a form of it is red or amber; a flag of ours goes if none is."""
    if not judged or segment.tag is None:
        return
    line, start, stop = segment.tag
    flags, ours = _flags(line), flagged_by_review(segment.written)
    kept = [flag for flag in flags if flag != FUZZY]
    wanted = flags
    if judged & {RED, AMBER}:
        wanted = [FUZZY, *kept]
    elif ours or judged == {DONE}:
        wanted = kept
    if wanted != flags:
        yield start, stop, f"#, {', '.join(wanted)}{ending}".encode(charset) if wanted else b""


def _segments(message: _Message, number: int, path: str | Path) -> Iterator[Segment]:
    context = message.fields.get("msgctxt", "")
    plural = "msgid_plural" in message.fields
    forms = {name: text for name, text in message.fields.items() if name.startswith("msgstr")}
    if "msgid" not in message.fields or not forms:
        _refuse(path, message.line, "a message needs msgid and msgstr")
    for name, text in forms.items():
        form = name[len("msgstr") :].strip("[]")
        if bool(form) != plural:
            _refuse(path, message.line, f"{name} does not go with {'plural forms' if plural else 'a single form'}")
        source = message.fields["msgid_plural" if plural and form != "0" else "msgid"]
        labels = {"form": form} if form else {}
        before = reviewed(message.written, f"{_beginning(form)}{REVIEW}: ")
        is_fuzzy = message.flags is not None and FUZZY in _flags(message.flags.text)
        state = FUZZY if is_fuzzy else DONE if before in (DONE, RED, AMBER) else ""
        yield Segment(
            f"{number}/{form}" if form else str(number), message.line, source, {OUTPUT: text}, file=message.reference,
            labels=labels | ({"context": context} if context else {}), at=message.at, written=message.written,
            state=state, tag=message.flags or Written("", message.body, message.body),
        )  # fmt: skip


def _all_messages(path: str | Path) -> Iterator[_Message]:
    """Yield the messages with the header, which is the first message and has an empty msgid."""
    charset = _charset(path)
    at, current, keyword = 0, None, ""
    with open_bytes(path) as stream:
        for line, raw in enumerate(stream, 1):
            if line == 1 and raw.startswith(b"\xef\xbb\xbf"):
                at, raw = 3, raw[3:]
            if b"\0" in raw:
                _refuse(path, line, "a NUL character. This is not a PO file, or it is damaged")
            try:
                text = raw.decode(charset).strip()
            except UnicodeDecodeError:
                _refuse(path, line, f"a byte that is not {charset}, the charset of the file")
            starts = text.startswith(("#", "msgctxt", "msgid "))
            if text.startswith("#~") or not text:
                if current is not None and current.fields:
                    yield current
                current = None
            else:
                if current is not None and starts and any(name.startswith("msgstr") for name in current.fields):
                    yield current
                    current = None
                current = current or _Message(at, line)
                if text.startswith(_MINE):
                    current.written.append(Written(text, at, at + len(raw)))
                elif text.startswith("#,") and current.flags is None:
                    current.flags = Written(text, at, at + len(raw))
                elif not text.startswith("#") and current.body < 0:
                    current.body = at
                keyword = _add(current, keyword, text, path, line)
            at += len(raw)
    if current is not None and current.fields:
        yield current


def _add(message: _Message, keyword: str, text: str, path: str | Path, line: int) -> str:
    """Add a line to a message, and return the keyword to which strings on later lines belong."""
    if text.startswith("#"):
        if text.startswith("#:") and not message.reference and text[2:].split():
            message.reference = re.sub(r":\d+$", "", text[2:].split()[0])
        return keyword
    found = _LINE.fullmatch(text)
    if found is None:
        _refuse(path, line, f'not a line of a PO file: {text[:40]!r}. A keyword with a text in quotes ("…") is needed')
    if found[1]:
        keyword = found[1] + (f"[{found[2]}]" if found[2] else "")
        if keyword in message.fields:
            _refuse(path, line, f"{keyword} occurs twice in one message. Messages are separated by an empty line")
        message.fields[keyword] = ""
    elif keyword not in message.fields:
        _refuse(path, line, "a text without a keyword such as msgid")
    message.fields[keyword] += _ESCAPE.sub(_unescaped, found[3])
    return keyword


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "x" and len(code) == 3:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)


def _charset(path: str | Path) -> str:
    with open_bytes(path) as stream:
        head = stream.read(1 << 14)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{path} is UTF-16. Save it as UTF-8.")
    found = _CHARSET.search(head)
    charset = found[1].decode() if found else "utf-8"
    if charset == "CHARSET":  # the placeholder of templates
        return "utf-8"
    try:
        "".encode(charset)
    except LookupError:
        raise DataError(f"{path}: the charset {charset!r} is not known.") from None
    return charset


def _refuse(path: str | Path, line: int, problem: str) -> NoReturn:
    raise DataError(f"{path}, line {line}: {problem}.")
