"""`tercet check`: check input files."""

from __future__ import annotations

import sys

import click

from .options import ManyValues


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
@click.option("-f", "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--strict", is_flag=True, help="Exit with 1 also on warnings.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings on standard error; the findings are printed.")
def command(
    files: tuple[str, ...],
    references: tuple[str, ...],
    outputs: tuple[str, ...],
    source: str | None,
    test_set: str | None,
    pair: str | None,
    layout: str,
    strict: bool,
    quiet: bool,
) -> None:
    """Check text files, or the texts of a test set, for problems that spoil an evaluation.

    With outputs (-i), FILES are references; otherwise they are any texts with one segment per line. The exit code is 1
    if there is an error: a problem that changes or endangers scores.
    """
    from ..checking import check
    from .console import hush, use_colour

    if quiet:
        hush()
    testset = None
    if test_set is not None:
        from ..data.catalogue import locate
        from ..data.layouts import open_testset

        testset = open_testset(locate(test_set), pair)
    report = check((*files, *references), outputs, source=source, pair=pair, testset=testset)
    if layout == "json":
        import json

        click.echo(json.dumps(report.as_records(), ensure_ascii=False, indent=1))
    else:
        click.echo(report.as_text(colour=use_colour()))
    if not report.ok or (strict and report.count("warning")):
        sys.exit(1)
