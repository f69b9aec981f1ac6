"""`tercet reproduce`: tables of papers, recomputed and held against print."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..reproduction import DataSets, Reproduction

FORMATS = ("text", "json", "csv", "markdown", "latex")
ALL = "all"


@click.command("reproduce")
@click.argument("paper", required=False)
@click.option("--paper", "named", metavar="PAPER", help="The same as PAPER.")
@click.option("--table", metavar="N", help="Only this table, as 3 or A.1.")
@click.option("--figure", metavar="N", help="Only this figure.")
@click.option(
    "--data", "root", metavar="DIR",
    help="The folder that holds the data sets, one folder for each. [default: what 'tercet data' holds]",
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
    from ..reproduction import PAPERS, reproduce, tables
    from .console import hush
    from .reproduceboard import render, render_list, write_html

    if options["quiet"]:
        hush()
    paper, table = _asked(options)
    if paper is None:
        click.echo(render_list(options["form"]))
        return
    if paper != ALL:
        tables(paper)  # an unknown paper is refused before data are looked for
    data = _data(options["root"])
    progress = _Progress(quiet=options["quiet"])
    results: dict[str, list[Reproduction]] = {
        name: reproduce(name, table=table, data=data, progress=progress)
        for name in (PAPERS if paper == ALL else (paper,))
    }
    progress.clear()
    click.echo(render(results, options["form"], whole=table is None))
    if options["html"]:
        write_html(options["html"], results)
        click.echo(f"Wrote {options['html']}", err=True)
    failed = [(one.title, what) for found in results.values() for one in found for what in one.failed]
    for title, what in failed:
        click.echo(f"Differs: {title}: {what}", err=True)
    if failed:
        sys.exit(1)


def _asked(options: dict[str, Any]) -> tuple[str | None, str | None]:
    """The paper, and the table or figure by its name in `tables`; None for all."""
    from ..errors import UsageError

    paper, named = options["paper"], options["named"]
    if paper is not None and named is not None and paper != named:
        raise UsageError(f"Two papers are given, {paper} and {named}. Give one, or all.")
    paper = paper or named
    table, figure = options["table"], options["figure"]
    if table is not None and figure is not None:
        raise UsageError("Give --table or --figure, not both.")
    if figure is not None:
        table = f"figure {figure}"
    if table is not None and paper in (None, ALL):
        raise UsageError("Say of which paper: tercet reproduce PAPER --table N.")
    if paper is None and options["html"]:
        raise UsageError("Say what the page shall show: tercet reproduce PAPER --html FILE, or all.")
    return paper, table


def _data(root: str | None) -> DataSets:
    from ..data.catalogue import data_folder
    from ..reproduction import DataSets

    return DataSets.under(root) if root is not None else DataSets.installed(data_folder())


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
