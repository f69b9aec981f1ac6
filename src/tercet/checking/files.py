"""Read files as bytes and check their encoding and line ends."""

import os
import shlex
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..data.lines import COMPRESSED, open_bytes
from ..errors import DataError
from ..text.anomalies import ERROR
from .report import Finding, Text, finding

_NO_MARK, _TO_LINE_FEEDS, _NO_RETURNS = r"'1s/^\xEF\xBB\xBF//'", r"'s/\r/\n/g'", r"'s/\r$//'"  # scripts of sed
_NO_SURROGATES = dict.fromkeys(range(0xDC80, 0xDD00), " ")


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


def read(path: str | Path, role: str) -> tuple[str, Text | None, list[Finding]]:
    """Return the name of a file, its text as far as it can be decoded (None if not at all), and findings."""
    name = shown_name(path)
    try:
        with open_bytes(path) as stream:
            data = stream.read()
    except (DataError, zlib.error, OSError) as error:
        advice = "Get the file again; if it is compressed, unpack it with gzip -d to see what is left."
        return name, None, [finding("unreadable", ERROR, name, [], f"The file cannot be read: {error}", advice, 1)]
    if not data:
        advice = "Look at the program that should have written it."
        return name, None, [finding("empty-file", ERROR, name, [], "The file is empty.", advice, 1)]
    text, findings = _decode(data, path)
    if "\r" in text and "\n" not in text:
        message = "Carriage returns are the only line ends. Current programs, also Tercet, read the file as one line."
        advice = f"Make them line feeds: {_sed(_TO_LINE_FEEDS, path)}"
        findings.append(finding("lone-cr", ERROR, name, [1], message, advice))
        text = text.replace("\r", "\n")  # so that the rest can be checked
    lines = text.split("\n")
    # A file that must be converted first is not edited in place: advise a filter, as for standard input.
    findings += _check_line_ends(lines, name, "-" if _wide_encoding(data) else path)
    ended = [line.removesuffix("\r") for line in lines[:-1]]
    return name, Text(name, role, [*ended, lines[-1]] if lines[-1] else ended), findings


def _decode(data: bytes, path: str | Path) -> tuple[str, list[Finding]]:
    name = shown_name(path)
    if wide := _wide_encoding(data):
        known_to_iconv = wide.upper().replace("-LE", "LE").replace("-BE", "BE")
        advice = f"Convert it: {_command(f'iconv -f {known_to_iconv} -t UTF-8', path)}"
        text = data.decode(wide, "replace").removeprefix("\ufeff")
        return text, [finding(wide[:6], ERROR, name, [1], f"The file is {known_to_iconv}, not UTF-8.", advice)]
    findings = []
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        message = (
            "The file begins with a byte order mark. Tercet removes it with a warning; "
            "other programs keep it as part of the first word."
        )
        advice = f"Remove it: {_sed(_NO_MARK, path)}"
        findings.append(finding("byte-order-mark", ERROR, name, [1], message, advice))
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
        example = _command("iconv -f ISO-8859-1 -t UTF-8", path)
        advice = f"Find out the file's encoding and convert it, for example: {example}"
        findings.append(finding("invalid-utf-8", ERROR, name, lines, message, advice))
        # A space, not U+FFFD: that character is reported only if the file itself contains it.
        return data.decode("utf-8", "surrogateescape").translate(_NO_SURROGATES), findings


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


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


def _check_line_ends(lines: Sequence[str], name: str, path: str | Path) -> Iterator[Finding]:
    """Yield findings on line ends. `lines` are split at line feeds, so the last one has none after it."""
    if windows := [number for number, line in enumerate(lines[:-1], 1) if line.endswith("\r")]:
        message = (
            "The lines end in CR LF, as on Windows. Tercet removes the carriage returns with a warning; "
            "other programs keep them as part of the text."
        )
        advice = f"Remove them: {_sed(_NO_RETURNS, path)}"
        yield finding("crlf", ERROR, name, windows, message, advice)
    within = [*(line[:-1] for line in lines[:-1]), lines[-1]]
    if lone := [number for number, line in enumerate(within, 1) if "\r" in line]:
        message = "Carriage returns within lines: some programs end a line there and shift all later segments."
        advice = "Replace them by spaces, or by line feeds if they end lines."
        yield finding("lone-cr", ERROR, name, lone, message, advice)
