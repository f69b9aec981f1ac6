"""`tercet check`: check input files."""

from __future__ import annotations

import sys
from typing import Any

import click

from .options import ManyValues, format_option, print_as, quiet_option


@click.command("check", cls=ManyValues)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "-r", "--reference", "references", multiple=True, metavar="REFERENCE...", help="A reference; the same as FILE."
)
@click.option("-i", "--input", "outputs", multiple=True, metavar="OUTPUT...", help="Outputs, one file per system.")
@click.option("-s", "--source", metavar="SRC", help="The source text.")
@click.option(
    "-t", "--test-set", help="A test set: a folder or file of a known layout, or a name from 'tercet data list'."
)
@click.option(
    "-l", "--language-pair", "pair", metavar="SRC-TGT", help="The language pair, as en-de; also checks the scripts."
)
@format_option("text", "json")
@click.option("--strict", is_flag=True, help="Exit with 1 also on warnings.")
@quiet_option("No warnings on standard error; the findings are printed.")
def command(**options: Any) -> None:
    """Check text files, or the texts of a test set, for problems that spoil an evaluation.

    With outputs (-i), FILES are references; otherwise they are any texts with one segment per line. The exit code is 1
    if there is an error: a problem that changes or endangers scores.
    """
    from ..checking import check
    from .console import use_colour

    testset, pair = None, options["pair"]
    if options["test_set"] is not None:
        from ..data.layouts import open_testset
        from .inputs import located

        testset = open_testset(located(options["test_set"]), pair)
    files = (*options["files"], *options["references"])
    report = check(files, options["outputs"], source=options["source"], pair=pair, testset=testset)
    print_as(options["form"], report.as_records(), report.as_text(colour=use_colour()))
    if not report.ok or (options["strict"] and report.count("warning")):
        sys.exit(1)
