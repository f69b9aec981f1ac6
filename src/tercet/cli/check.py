"""`tercet check`: check input files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..rendering.document import Part, Table
from .console import rendered, use_colour
from .inputs import COLUMNS, TEST_SET, open_named, read_columns, read_testset
from .options import ManyValues, format_option, quiet_option, several

if TYPE_CHECKING:
    from ..checking import CheckReport
    from ..data.testset import TestSet


@click.command("check", cls=ManyValues)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@several("-r", "--reference", "references", of="REFERENCE", help="A reference; the same as FILE.")
@several("-i", "--input", "outputs", of="OUTPUT", help="Outputs, one file per system.")
@click.option("-s", "--source", metavar="SRC", help="The source text.")
@TEST_SET
@COLUMNS
@click.option(
    "-l", "--language-pair", "pair", metavar="SRC-TGT", help="The language pair, as en-de; also checks the scripts."
)
@format_option()
@click.option("--strict", is_flag=True, help="Exit with 1 also on warnings.")
@quiet_option("No warnings on standard error; the findings are printed.")
def command(**options: Any) -> None:
    """Check text files, or the texts of a test set, for problems that spoil an evaluation.

    With outputs (-i), FILES are references; otherwise they are any texts with one segment per line, and the report says
    what each file was recognised as. The exit code is 1 if there is an error: a problem that changes or endangers
    scores.
    """
    from ..checking import check

    pair, files = options["pair"], (*options["files"], *options["references"])
    testset = _bilingual(options, files)
    if testset is not None:
        report = check(pair=pair, testset=testset)
    else:
        if options["test_set"] is not None:
            testset = open_named(options["test_set"], pair, read_columns(options))
        report = check(files, options["outputs"], source=options["source"], pair=pair, testset=testset)
    click.echo(rendered(options["form"], _parts(report, options["form"]), report.as_records, "Findings of check"))
    if not report.ok or (options["strict"] and report.count("warning")):
        sys.exit(1)


def _bilingual(options: dict[str, Any], files: tuple[str, ...]) -> TestSet | None:
    """Return the texts of bilingual files, or None if there is no such file. One such file is a whole test set."""
    from ..data.formats import is_bilingual

    given = (*files, *options["outputs"], *([options["source"]] if options["source"] else []))
    if options["test_set"] is not None or not any(map(is_bilingual, given)):
        return None
    if not options["outputs"] and not options["source"]:
        from ..data.formats.registry import kind_of_file

        if not any(kind_of_file(Path(path))[1] for path in files if Path(path).is_file()):
            return None  # judgements or scores
    outputs, references = options["outputs"], files
    if not outputs:
        outputs, references = references[:1], references[1:]
    asked = {"outputs": outputs, "references": references, "more_references": (), "num_refs": 1, "docs": None}
    return read_testset({**options, **asked}, needs_reference=False)


def _parts(report: CheckReport, form: str) -> Iterator[Part]:
    text = report.as_text(colour=use_colour()).split("\n")
    if form == "text":
        yield "\n".join(text)
        return
    yield from report.recognised
    columns = ["severity", "file", "lines", "count", "message", "advice", "kind"]
    records = [{**each, "lines": " ".join(map(str, each["lines"]))} for each in report.as_records()]
    yield Table(columns, [[str(each[name]) for name in columns] for each in records])
    yield text[-1]
