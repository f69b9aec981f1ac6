"""`tercet check`: examine text files for what spoils an evaluation."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..options import again, command, shell_option
from ..options.checking import Checking
from ..options.groups import Form, Quiet, TestSetChoice, TextChoice

if TYPE_CHECKING:
    from ..checking import CheckReport
    from ..data.testset import TestSet
    from ..rendering.document import Part


@dataclass(frozen=True, kw_only=True)
class CheckOptions(Quiet, Form, Checking, TestSetChoice):
    """Options of `check`."""

    more_references: Sequence[str] = again(TextChoice, "more_references", (), help="A reference; the same as FILE.")
    strict: bool = shell_option(False, "--strict", help="Exit with 1 also on warnings.")
    quiet: bool = again(Quiet, "quiet", False, help="No warnings on standard error; the findings are printed.")


@command(CheckOptions)
def run(options: CheckOptions) -> None:
    """Check text files, or the texts of a test set, for problems that spoil an evaluation.

    With outputs (-i), FILES are references; otherwise they are any texts with one segment per line, and the report says
    what each file was recognised as. The exit code is 1 if there is an error: a problem that changes or endangers
    scores.
    """
    import click

    from ..checking import check
    from ..cli.console import rendered
    from .shared.texts import open_named, read_columns

    files = (*options.references, *options.more_references)
    testset = _bilingual(options, files)
    if testset is not None:
        report = check(pair=options.pair, testset=testset)
    else:
        if options.test_set is not None:
            testset = open_named(options.test_set, options.pair, read_columns(options.columns))
        report = check(**options.python(Checking, references=files, testset=testset))
    click.echo(rendered(options.form, _parts(report, options.form), report.as_records, "Findings of check"))
    if not report.ok or (options.strict and report.count("warning")):
        sys.exit(1)


def _bilingual(options: CheckOptions, files: Sequence[str | Path]) -> TestSet | None:
    """Return the texts of bilingual files, or None if there is no such file. One such file is a whole test set."""
    from ..data.formats import is_bilingual
    from ..options.groups import Texts
    from .shared.texts import read_testset

    given = (*files, *options.outputs, *([options.source] if options.source else []))
    if options.test_set is not None or not any(map(is_bilingual, given)):
        return None
    if not options.outputs and not options.source:
        from ..data.formats.registry import kind_of_file

        if not any(kind_of_file(Path(path))[1] for path in files if Path(path).is_file()):
            return None  # judgements or scores
    outputs, references = (options.outputs, files) if options.outputs else (files[:1], files[1:])
    texts = Texts.of(options, outputs=outputs, references=references, more_references=())
    return read_testset(texts, needs_reference=False)


def _parts(report: CheckReport, form: str) -> Iterator[Part]:
    from ..cli.console import use_colour
    from ..rendering.document import Table

    text = report.as_text(colour=use_colour())
    if form == "text":
        yield text
        return
    yield from report.recognised
    columns = ["severity", "file", "lines", "count", "message", "advice", "kind"]
    records = [{**each, "lines": " ".join(map(str, each["lines"]))} for each in report.as_records()]
    yield Table(columns, [[str(each[name]) for name in columns] for each in records])
    yield text.rpartition("\n")[2]
