"""`tercet check`: the doctor for input files."""

from __future__ import annotations

import sys

import click

from .options import ManyValues


@click.command("check", cls=ManyValues)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("-i", "--input", "outputs", multiple=True, metavar="OUT...", help="System outputs, one file or more.")
@click.option("-s", "--source", metavar="SRC", help="The source text.")
@click.option(
    "-l", "--language-pair", "pair", metavar="PAIR", help="The language pair, as en-de; checks the scripts too."
)
@click.option("-f", "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
def command(
    files: tuple[str, ...], outputs: tuple[str, ...], source: str | None, pair: str | None, layout: str, strict: bool
) -> None:
    """Examine text files for what spoils an evaluation.

    FILES are references where outputs (-i) are given, and otherwise any texts with one segment per line. Exits with 1
    if there is an error: something that changes or endangers scores.
    """
    from ..checking import check

    report = check(files, outputs, source=source, pair=pair)
    if layout == "json":
        import json

        click.echo(json.dumps(report.as_records(), ensure_ascii=False, indent=1))
    else:
        from .console import use_colour

        click.echo(report.as_text(colour=use_colour()))
    if not report.ok or (strict and report.count("warning")):
        sys.exit(1)
