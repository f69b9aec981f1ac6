"""Checks of the text of one file, and of differences between files that turn an oddity into an error."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..text.anomalies import ERROR, WARNING, find_anomalies
from .report import Finding, Text

LONG = 2000  # characters, if that is also ten times the median length of the file's lines
TOO_LONG = 20_000  # whatever the median
_SPACED_STOP = re.compile(r"\w [.。]\s*\Z")
_SPACED_MARK = re.compile(r"\w [.,](?:\s|\Z)|\( \w|\w \)")
# Kinds of findings that become errors if only some files have them, and the largest number of such files (None: any).
# Tokenised or escaped text cannot match text that is not. Many systems write odd blanks and invisible characters, so
# these are errors only if a single file has them.
_UNEQUAL = {"tokenised": None, "html-entities": None, "odd-blanks": 1, "invisible-characters": 1}


def check_lines(text: Text) -> Iterator[Finding]:
    """Yield the findings of one text."""
    for odd in find_anomalies(text.lines):
        yield text.finding(odd.kind, odd.severity, odd.lines, odd.message, odd.advice)
    usual = sorted(map(len, text.lines))[(len(text.lines) - 1) // 2] if text.lines else 0
    limit = min(TOO_LONG, max(LONG, 10 * usual))
    if long := text.numbers(lambda line: len(line) > limit):
        longest = max(map(len, text.lines))
        message = f"Very long lines, up to {longest} characters; the usual line here has {usual}."
        advice = "Look whether line ends were lost: one line must be one segment."
        yield text.finding("long-lines", WARNING, long, message, advice)
    marked = text.numbers(_SPACED_MARK.search)
    if len(marked) > 0.3 * len(text.lines):
        message = "The text looks tokenised: spaces before commas and full stops."
        advice = "Score the text as people read it: detokenise it (for Moses: detokenizer.perl)."
        yield text.finding("tokenised", WARNING, marked, message, advice)
    elif stops := text.numbers(lambda line: _SPACED_STOP.search(line[-8:])):
        message = "Lines end in a space and a full stop, as in tokenised text."
        advice = "Remove the space if it is left over from tokenising."
        yield text.finding("spaced-full-stop", WARNING, stops, message, advice)


def settle_between_files(findings: Sequence[Finding], texts: Sequence[Text]) -> list[Finding]:
    """Return as errors the findings that are harmless only if all files share them."""
    names = {text.name for text in texts if text.role != "source"}

    def found(kind: str) -> list[Finding]:
        return list({item.file: item for item in findings if item.kind == kind and item.file in names}.values())

    raised = []
    for kind, most in _UNEQUAL.items():
        odd = found(kind)
        if odd and len(odd) < len(names) and len(odd) <= (most or len(odd)):
            others = " The other files are not like this." if most is None else " No other text has any."
            raised += [replace(item, severity=ERROR, message=item.message + others) for item in odd]
    # If some texts compose accents (NFD would decompose them) and others do not, equal words count as different.
    if any(not unicodedata.is_normalized("NFD", line) for text in texts if text.name in names for line in text.lines):
        raised += [replace(item, severity=ERROR) for item in found("normalisation")]
    return raised
