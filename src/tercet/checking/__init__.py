"""The doctor for input files: what in a set of text files spoils an evaluation, where, and what to do about it.

Files are read as bytes and taken as they are, not as the readers of `data` clean them: what they would mend in silence
elsewhere is told here. A finding is an error where it changes or endangers scores, a warning where it may, a note else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..errors import UsageError
from .between import compare
from .files import read, shown_name
from .report import Finding as Finding
from .report import Report as Report
from .report import merge
from .texts import check_lines, settle_between_files

__all__ = ["Finding", "Report", "check"]


def check(
    references: Sequence[str | Path] = (),
    outputs: Sequence[str | Path] = (),
    *,
    source: str | Path | None = None,
    pair: str | None = None,
) -> Report:
    """Examine files with one segment per line. `pair` is the language pair, as "en-de"; without it scripts are compared
    between the files only. Files given as references alone, without outputs, need not be references: any texts will do.
    """
    languages = _languages(pair)
    alone = not outputs and source is None
    given = [(path, "text" if alone else "reference") for path in references]
    given += [(path, "output") for path in outputs]
    if source is not None:
        given.append((source, "source"))
    if not given:
        raise UsageError("There is nothing to check. Give one file or more.")
    findings: list[Finding] = []
    texts = []
    for path, role in given:
        text, found = read(path, role)
        findings += found
        if text is not None:
            texts.append(text)
    for text in texts:
        findings += check_lines(text)
    findings += settle_between_files(findings, texts)
    findings += compare(texts, languages)
    settled = merge(findings)
    segments = Counter(len(text.lines) for text in texts).most_common(1)[0][0] if texts else 0
    return Report(tuple(shown_name(path) for path, _ in given), segments, settled)


def _languages(pair: str | None) -> dict[str, str]:
    """The language of every role."""
    if pair is None:
        return {}
    parts = pair.split("-")
    if len(parts) != 2 or not all(parts):
        raise UsageError(f"{pair!r} is not a language pair. Write it as en-de: source, hyphen, target.")
    return {"source": parts[0], "reference": parts[1], "output": parts[1]}
