"""Check input files for problems that spoil an evaluation. Each finding says what is wrong, where, and what to do.

Files are read as bytes, without the corrections that the readers of `data` make. A finding is an error if it changes
or endangers scores, a warning if it may do so, otherwise a note.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..data.formats.registry import PLAIN, kind_of_file
from ..data.testset import TestSet, one_hyphen
from ..errors import UsageError
from ..options import takes
from ..options.checking import Checking
from ..text.anomalies import ERROR
from .cross_file_checks import compare
from .files import read
from .report import CheckReport as CheckReport
from .report import Finding as Finding
from .report import Text, merge
from .texts import Languages, check_languages, check_lines, settle_between_files

__all__ = ["CheckReport", "Finding", "check"]

_BREAK = re.compile("[\r\n]")


@takes(Checking)
def check(*, options: Checking) -> CheckReport:
    """Check files with one segment per line, or the texts of a test set, for what spoils an evaluation.

    Parameters
    ----------

    Returns
    -------
    CheckReport : the findings, each with its severity, place and advice.

    Examples
    --------
    >>> import tercet
    >>> report = tercet.check(testset=tercet.demo("en-de"))
    >>> report.segments
    32
    """
    references, outputs, source, testset = options.references, options.outputs, options.source, options.testset
    if isinstance(references, TestSet) or isinstance(outputs, TestSet):
        raise UsageError("Pass a test set by keyword: check(testset=...).")
    if [*map(str, (*references, *outputs)), str(source)].count("-") > 1:
        raise UsageError("Standard input (-) can be read only once.")
    if testset is not None and (references or source is not None):
        raise UsageError("Give references and source, or a test set, not both.")
    recognised: list[str] = []
    if testset is None and not outputs and source is None:
        known = [(path, *kind_of_file(Path(path))) for path in references if Path(path).is_file()]
        recognised = [line for _, line, _ in known if len(known) == 1 or PLAIN not in line]
        others = [path for path, _, is_text in known if not is_text]  # judgements or scores, which have no segments
        references = [path for path in references if path not in others]
        if others and not references:
            return CheckReport(tuple(map(str, others)), 0, (), recognised=tuple(recognised))
    plain = "text" if not outputs and source is None else "reference"
    files = [*((path, plain) for path in references), *((path, "output") for path in outputs)]
    files += [(source, "source")] if source is not None else []
    if not files and testset is None:
        raise UsageError("There is nothing to check. Give one file or more.")
    languages = _languages(options.pair or (testset.pair if testset else None))
    texts, findings, names = [], [], []
    if testset is not None:
        texts = list(_texts(testset, with_outputs=not outputs))
        names = [text.name for text in texts]
        findings += [found for text in texts for found in _line_breaks(text)]
    for path, role in files:
        text, is_readable, found = read(path, role)
        names.append(text.name)
        findings += found
        texts += [text] if is_readable else []
    for text in texts:
        findings += check_lines(text)
    findings += settle_between_files(findings, texts)
    findings += compare(texts)
    findings += check_languages(texts, languages)
    segments = Counter(len(text.lines) for text in texts).most_common(1)[0][0] if texts else 0
    return CheckReport(
        tuple(names), segments, merge(findings), "file" if testset is None else "text", tuple(recognised)
    )


def _texts(testset: TestSet, *, with_outputs: bool) -> Iterator[Text]:
    for name, lines in testset.references.items():
        missing = frozenset(row for row, line in enumerate(lines) if line is None)
        yield Text(f"reference {name}", "reference", [line or "" for line in lines], missing)
    for name, output in testset.outputs.items() if with_outputs else ():
        yield Text(f"output {name}", "output", list(output))
    if testset.source is not None:
        yield Text("source", "source", list(testset.source))


def _line_breaks(text: Text) -> Iterator[Finding]:
    """Report line ends inside segments, which are possible in test sets that are not plain text."""
    if lines := text.numbers(_BREAK.search):
        message = "Line feeds or carriage returns inside segments: written one per line, they shift all later ones."
        yield text.finding("line-breaks", ERROR, lines, message, "Replace them by spaces.")


def _languages(pair: str | None) -> Languages:
    """Return for each role of a text the languages that it may have."""
    if pair is None:
        return {}
    source, target = one_hyphen(pair).split("-")
    return {"source": (source,), "reference": (target,), "output": (target,), "text": (source, target)}
