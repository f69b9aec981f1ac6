"""Read files as bytes and check their encoding and line ends."""

import os
import re
import shlex
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..data.lines import BOM, COMPRESSED, open_bytes
from ..errors import DataError
from ..text.anomalies import ERROR
from .report import Finding, Text

_NO_MARK, _TO_LINE_FEEDS, _NO_RETURNS = r"'1s/^\xEF\xBB\xBF//'", r"'s/\r/\n/g'", r"'s/\r$//'"  # scripts of sed
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # what Python decodes such bytes to, with "surrogateescape"


def shown_name(path: str | Path) -> str:
    """Return a file's name in printable form, whatever bytes it has."""
    return "standard input" if str(path) == "-" else os.fsencode(path).decode("utf-8", "replace")


def _command(program: str, path: str | Path, *, in_place: str = "") -> str:
    """Return a shell command that runs a filter on a file. `in_place`: the command for a file that is not gzipped."""
    if str(path) == "-":
        return program
    name, begin = shown_name(path), b""
    if Path(path).is_file():  # a pipe cannot be read twice
        with Path(path).open("rb") as stream:
            begin = stream.read(6)
    quoted = shlex.quote(f"./{name}" if name.startswith("-") else name)
    if packer := next((program for magic, program in COMPRESSED.items() if begin.startswith(magic)), ""):
        return f"{packer} -dc {quoted} | {program}"
    return f"{in_place or program} {quoted}"


def _sed(script: str, path: str | Path) -> str:
    return _command(f"sed {script}", path, in_place=f"sed -i {script}")


def read(path: str | Path, role: str) -> tuple[Text, bool, list[Finding]]:
    """Return the text of a file as far as it can be decoded, whether it can be at all, and findings."""
    here = Text(shown_name(path), role, [])
    try:
        with open_bytes(path) as stream:
            data = stream.read()
    except (DataError, zlib.error, OSError) as error:
        advice = "Get the file again; if it is compressed, unpack it with gzip -d to see what is left."
        return here, False, [here.finding("unreadable", ERROR, [], f"The file cannot be read: {error}", advice, 1)]
    if not data:
        advice = "Look at the program that should have written it."
        return here, False, [here.finding("empty-file", ERROR, [], "The file is empty.", advice, 1)]
    text, findings = _decode(data, path, here)
    if "\r" in text and "\n" not in text:
        message = "Carriage returns are the only line ends. Current programs, also Tercet, read the file as one line."
        advice = f"Make them line feeds: {_sed(_TO_LINE_FEEDS, path)}"
        findings.append(here.finding("lone-cr", ERROR, [1], message, advice))
        text = text.replace("\r", "\n")  # so that the rest can be checked
    lines = text.split("\n")
    # A file that must be converted first is not edited in place: advise a filter, as for standard input.
    findings += _check_line_ends(lines, here, "-" if _wide_encoding(data) else path)
    ended = [line.removesuffix("\r") for line in lines[:-1]]
    return replace(here, lines=[*ended, lines[-1]] if lines[-1] else ended), True, findings


def _decode(data: bytes, path: str | Path, here: Text) -> tuple[str, list[Finding]]:
    if wide := _wide_encoding(data):
        known_to_iconv = wide.upper().replace("-LE", "LE").replace("-BE", "BE")
        advice = f"Convert it: {_command(f'iconv -f {known_to_iconv} -t UTF-8', path)}"
        text = data.decode(wide, "replace").removeprefix("\ufeff")
        return text, [here.finding(wide[:6], ERROR, [1], f"The file is {known_to_iconv}, not UTF-8.", advice)]
    findings = []
    if data.startswith(BOM):
        message = (
            "The file begins with a byte order mark. Tercet removes it with a warning; "
            "other programs keep it as part of the first word."
        )
        findings.append(here.finding("byte-order-mark", ERROR, [1], message, f"Remove it: {_sed(_NO_MARK, path)}"))
    text = data.removeprefix(BOM).decode("utf-8", "surrogateescape")
    if lines := [number for number, line in enumerate(text.split("\n"), 1) if "\0" in line]:
        message = "NUL bytes: this is not plain text, or it is damaged."
        findings.append(here.finding("nul-bytes", ERROR, lines, message, "Write the file again as UTF-8 text."))
    if lines := [number for number, line in enumerate(text.split("\n"), 1) if _NOT_UTF8.search(line)]:
        example = _command("iconv -f ISO-8859-1 -t UTF-8", path)
        advice = f"Find out the file's encoding and convert it, for example: {example}"
        findings.append(here.finding("invalid-utf-8", ERROR, lines, "Bytes that are not UTF-8.", advice))
    # A space, not U+FFFD: that character is reported only if the file itself contains it.
    return _NOT_UTF8.sub(" ", text.replace("\0", "")), findings


def _wide_encoding(data: bytes) -> str | None:
    """Detect UTF-16 or UTF-32 by its mark, or UTF-16 without one: every second byte of Western text is zero."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = data[:2000]
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(start) >= 4 and start[first::2].count(0) > 0.7 * len(start[first::2]) > start[1 - first :: 2].count(0):
            return encoding
    return None


def _check_line_ends(lines: Sequence[str], here: Text, path: str | Path) -> Iterator[Finding]:
    """Yield findings on line ends. `lines` are split at line feeds, so the last one has none after it."""
    if windows := [number for number, line in enumerate(lines[:-1], 1) if line.endswith("\r")]:
        message = (
            "The lines end in CR LF, as on Windows. Tercet removes the carriage returns with a warning; "
            "other programs keep them as part of the text."
        )
        advice = f"Remove them: {_sed(_NO_RETURNS, path)}"
        yield here.finding("crlf", ERROR, windows, message, advice)
    within = [*(line[:-1] for line in lines[:-1]), lines[-1]]
    if lone := [number for number, line in enumerate(within, 1) if "\r" in line]:
        message = "Carriage returns within lines: some programs end a line there and shift all later segments."
        advice = "Replace them by spaces, or by line feeds if they end lines."
        yield here.finding("lone-cr", ERROR, lone, message, advice)
