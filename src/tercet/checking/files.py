"""From bytes to lines: what is wrong with a file before its text is looked at."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..data.lines import open_bytes
from ..errors import DataError
from ..text.anomalies import ERROR
from .report import Finding, Text, finding


def shown_name(path: str | Path) -> str:
    """A file's name as it can be printed, whatever bytes it has."""
    return "standard input" if str(path) == "-" else os.fsencode(path).decode("utf-8", "replace")


def read(path: str | Path, role: str) -> tuple[Text | None, list[Finding]]:
    """The lines of a file as well as they can be had, and what is wrong with its bytes."""
    name = shown_name(path)
    try:
        with open_bytes(path) as stream:
            data = stream.read()
    except (DataError, zlib.error, OSError) as error:
        advice = "Get the file again; if it is compressed, unpack it with gzip -d to see what is left."
        return None, [finding("unreadable", ERROR, name, [], f"The file cannot be read: {error}", advice, 1)]
    if not data:
        advice = "Look at the program that should have written it."
        return None, [finding("empty-file", ERROR, name, [], "The file is empty.", advice, 1)]
    text, findings = _decode(data, name)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    findings += _check_line_ends(lines, name)
    return Text(name, role, [line.removesuffix("\r") for line in lines]), findings


def _decode(data: bytes, name: str) -> tuple[str, list[Finding]]:
    wide = _wide_encoding(data)
    if wide:
        message = f"The file is {wide.upper()}, not UTF-8."
        advice = f"Convert it: iconv -f {wide.upper()} -t UTF-8 {name}"
        text = data.decode(wide, "replace").removeprefix("\ufeff")
        return text, [finding(wide[:6], ERROR, name, [1], message, advice)]
    findings = []
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        message = "The file begins with a byte order mark, which becomes part of the first word."
        findings.append(
            finding("byte-order-mark", ERROR, name, [1], message, f"Remove it: sed -i '1s/^\\xEF\\xBB\\xBF//' {name}")
        )
    if b"\0" in data:
        lines = [number for number, line in enumerate(data.split(b"\n"), 1) if b"\0" in line]
        message = "NUL bytes: this is not plain text, or it is damaged."
        findings.append(finding("nul-bytes", ERROR, name, lines, message, "Write the file again as UTF-8 text."))
        data = data.replace(b"\0", b"")
    try:
        return data.decode("utf-8"), findings
    except UnicodeDecodeError:
        lines = [number for number, line in enumerate(data.split(b"\n"), 1) if not _is_utf8(line)]
        message = "Bytes that are not UTF-8."
        advice = f"Find out the file's encoding and convert it, for example: iconv -f ISO-8859-1 -t UTF-8 {name}"
        findings.append(finding("invalid-utf-8", ERROR, name, lines, message, advice))
        # A space, not U+FFFD: that character is reported only where the file itself holds it.
        return data.decode("utf-8", "surrogateescape").translate(_NO_SURROGATES), findings


_NO_SURROGATES = dict.fromkeys(range(0xDC80, 0xDD00), " ")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 by its mark, or UTF-16 without one: every other byte of Western text is zero."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = data[:2000]
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(start) >= 4 and start[first::2].count(0) > 0.7 * len(start[first::2]) > start[1 - first :: 2].count(0):
            return encoding
    return None


def _check_line_ends(lines: Sequence[str], name: str) -> Iterator[Finding]:
    windows = [number for number, line in enumerate(lines, 1) if line.endswith("\r")]
    if windows:
        message = "The lines end in CR LF, as on Windows; the carriage return becomes part of the text."
        yield finding("crlf", ERROR, name, windows, message, f"Remove them: sed -i 's/\\r$//' {name}")
    lone = [number for number, line in enumerate(lines, 1) if "\r" in line[:-1]]
    if lone:
        message = "Carriage returns within lines: some programs end a line there and shift all later segments."
        yield finding(
            "lone-cr", ERROR, name, lone, message, "Replace them by spaces, or by line feeds if they end lines."
        )
