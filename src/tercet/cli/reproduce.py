"""`tercet reproduce`: tables of papers, recomputed and held against print."""

from __future__ import annotations

import sys
from typing import Any

import click

FORMATS = ("text", "json", "csv", "markdown", "latex")


@click.command("reproduce")
@click.argument("paper", required=False)
@click.option("--paper", "named", metavar="PAPER", help="The same as PAPER.")
@click.option("--table", metavar="N", help="Only this table, as 3 or A.1.")
@click.option("--figure", metavar="N", help="Only this figure.")
@click.option(
    "--data", metavar="DIR",
    help="The folder that contains the data sets, one folder each. [default: that of 'tercet data']",
)  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--html", metavar="FILE", help="Also write one page with all tables, marks and figures.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings, no progress.")
def command(**options: Any) -> None:
    """Recompute the tables of PAPER (wmt14, wmt19, kobe, thesis, specia or all) and compare them with print.

    \b
    tercet reproduce                                  what there is, and which data it needs
    tercet reproduce wmt19 --table 3 --data DIR
    tercet reproduce all --data DIR --html papers.html

    The exit code is 1 if a number that is known to reproduce does not.
    """  # fmt: skip
    from ..reproduction import reproduce
    from .console import hush
    from .reproduceboard import render, render_list, write_html

    if options["quiet"]:
        hush()
    paper = _paper(options)
    if paper is None:
        click.echo(render_list(options["form"]))
        return
    progress = _Progress(quiet=options["quiet"])
    found = reproduce(paper, table=options["table"], figure=options["figure"], data=options["data"], progress=progress)
    progress.clear()
    click.echo(render(found, options["form"]))
    if options["html"]:
        write_html(options["html"], found)
        click.echo(f"Wrote {options['html']}", err=True)
    failed = [f"Differs: {one.title}: {what}" for one in found for what in one.failed]
    for line in failed:
        click.echo(line, err=True)
    if failed:
        sys.exit(1)


def _paper(options: dict[str, Any]) -> str | None:
    """Return the paper that the options name, or None to list all of them."""
    from ..errors import UsageError

    paper: str | None = options["paper"]
    named: str | None = options["named"]
    if paper is not None and named is not None and paper != named:
        raise UsageError(f"Two papers are given, {paper} and {named}. Give one, or all.")
    paper = paper or named
    if paper is None and (options["table"] is not None or options["figure"] is not None):
        raise UsageError("--table and --figure need a paper: tercet reproduce PAPER --table N.")
    if paper is None and options["html"]:
        raise UsageError("--html needs a paper: tercet reproduce PAPER --html FILE, or all.")
    return paper


class _Progress:
    """A line on stderr that names what is being recomputed; silent where stderr is not a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self.shown = sys.stderr.isatty() and not quiet

    def __call__(self, name: str) -> None:
        self._say(f"Recomputing {name}")

    def clear(self) -> None:
        self._say("")

    def _say(self, text: str) -> None:
        if self.shown:
            click.echo(f"\r\033[K{text}", err=True, nl=False)
