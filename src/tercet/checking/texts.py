"""What is odd in the text of one file, and what of that matters because the other files differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..text.anomalies import ERROR, WARNING, find_anomalies
from .report import Finding, Text, finding

LONG = 2000  # characters, where that is also ten times the usual length of the file
TOO_LONG = 20_000  # whatever is usual
_SPACED_STOP = re.compile(r"\w [.。]\s*\Z")
_SPACED_MARK = re.compile(r"\w [.,](?:\s|\Z)|\( \w|\w \)")


def check_lines(text: Text) -> Iterator[Finding]:
    """What is odd in one text."""
    for odd in find_anomalies(text.lines):
        yield finding(odd.kind, odd.severity, text.name, odd.lines, odd.message, odd.advice)
    usual = sorted(len(line) for line in text.lines)[(len(text.lines) - 1) // 2] if text.lines else 0
    limit = min(TOO_LONG, max(LONG, 10 * usual))
    long = [number for number, line in enumerate(text.lines, 1) if len(line) > limit]
    if long:
        longest = max(len(text.lines[number - 1]) for number in long)
        message = f"Very long lines, up to {longest} characters; the usual line here has {usual}."
        advice = "Look whether line ends were lost: one line must be one segment."
        yield finding("long-lines", WARNING, text.name, long, message, advice)
    yield from _check_tokenised(text)


def _check_tokenised(text: Text) -> Iterator[Finding]:
    marked = [number for number, line in enumerate(text.lines, 1) if _SPACED_MARK.search(line)]
    stops = [number for number, line in enumerate(text.lines, 1) if _SPACED_STOP.search(line[-8:])]
    if len(marked) > 0.3 * len(text.lines):
        message = "The text looks tokenised: spaces before commas and full stops."
        advice = "Score the text as people read it: detokenise it (for Moses: detokenizer.perl)."
        yield finding("tokenised", WARNING, text.name, marked, message, advice)
    elif stops:
        message = "Lines end in a space and a full stop, as in tokenised text."
        advice = "Remove the space if it is left over from tokenising."
        yield finding("spaced-full-stop", WARNING, text.name, stops, message, advice)


# Kinds that are errors where the files differ in them, and in how many of the files at most they are. Text that only
# some files have tokenised or escaped can match nothing in the others. Odd blanks and invisible characters stand in
# texts of many systems; a single file that has them is set apart by them.
_UNEQUAL = {"tokenised": None, "html-entities": None, "odd-blanks": 1, "invisible-characters": 1}


def settle_between_files(findings: Sequence[Finding], texts: Sequence[Text]) -> list[Finding]:
    """Findings that are harmless where all files share them and errors where they do not."""
    names = {text.name for text in texts if text.role != "source"}

    def found(kind: str) -> list[Finding]:
        return list({item.file: item for item in findings if item.kind == kind and item.file in names}.values())

    raised = []
    for kind, most in _UNEQUAL.items():
        odd = found(kind)
        if odd and len(odd) < len(names) and len(odd) <= (most or len(odd)):
            others = " The other files are not like this." if most is None else " No other text has any."
            raised += [replace(item, severity=ERROR, message=item.message + others) for item in odd]
    # Composed and separate accents side by side: equal words count as different.
    if any(_has_composed(text.lines) for text in texts if text.name in names):
        raised += [replace(item, severity=ERROR) for item in found("normalisation")]
    return raised


def _has_composed(lines: Sequence[str]) -> bool:
    """Whether the text holds characters that NFD would take apart."""
    return any(not unicodedata.is_normalized("NFD", line) for line in lines)
