"""`tercet check`: check input files."""

from __future__ import annotations

import sys
from typing import Any

import click

from .console import use_colour
from .inputs import TEST_SET, open_named
from .options import ManyValues, format_option, print_as, quiet_option, several


@click.command("check", cls=ManyValues)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@several("-r", "--reference", "references", of="REFERENCE", help="A reference; the same as FILE.")
@several("-i", "--input", "outputs", of="OUTPUT", help="Outputs, one file per system.")
@click.option("-s", "--source", metavar="SRC", help="The source text.")
@TEST_SET
@click.option(
    "-l", "--language-pair", "pair", metavar="SRC-TGT", help="The language pair, as en-de; also checks the scripts."
)
@format_option()
@click.option("--strict", is_flag=True, help="Exit with 1 also on warnings.")
@quiet_option("No warnings on standard error; the findings are printed.")
def command(**options: Any) -> None:
    """Check text files, or the texts of a test set, for problems that spoil an evaluation.

    With outputs (-i), FILES are references; otherwise they are any texts with one segment per line. The exit code is 1
    if there is an error: a problem that changes or endangers scores.
    """
    from ..checking import check

    testset, pair = None, options["pair"]
    if options["test_set"] is not None:
        testset = open_named(options["test_set"], pair)
    files = (*options["files"], *options["references"])
    report = check(files, options["outputs"], source=options["source"], pair=pair, testset=testset)
    print_as(options["form"], report.as_records(), report.as_text(colour=use_colour()))
    if not report.ok or (options["strict"] and report.count("warning")):
        sys.exit(1)
