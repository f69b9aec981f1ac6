"""`tercet reproduce`: recompute tables of papers and compare them with the printed numbers."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..errors import UsageError
from .options import QUIET, ManyValues, format_option, several


@click.command("reproduce", cls=ManyValues)
@click.argument("paper", required=False)
@click.option("--paper", "named", metavar="PAPER", help="The same as PAPER.")
@click.option("--table", metavar="N", help="Only this table, such as 3 or A.1.")
@click.option("--figure", metavar="N", help="Only this figure.")
@click.option(
    "--data", multiple=True, metavar="DIR",
    help="A folder that contains data sets; repeat for more. Data sets of 'tercet data' are found too.",
)  # fmt: skip
@several(
    "--rows", of="ROW",
    help="Which rows with Tercet's own metrics to compute, by name; none, or all. [default: all but slow ones, which "
    "need a parser or a network]",
)  # fmt: skip
@click.option("--cache", metavar="DIR", help="Keep finished counts in this folder; a second run is faster.")
@click.option("-j", "--jobs", default=1, show_default=True, help="Number of processes; 0 for all cores.")
@format_option()
@click.option("--html", metavar="FILE", help="Also write one page with all tables, marks and figures.")
@QUIET
def command(**options: Any) -> None:
    """Recompute the tables of PAPER (wmt14, wmt19, kobe, thesis, specia or all) and compare them with the paper.

    \b
    tercet reproduce                                  list all tables and the data they need
    tercet reproduce wmt19 --table 3 --data DIR --rows chrf rima
    tercet reproduce all --data DIR --html papers.html

    The exit code is 1 if a number that should reproduce does not.
    """  # fmt: skip
    from ..reproduction import reproduce
    from ..reproduction.results import COLUMNS
    from .console import rendered
    from .reproduceboard import TITLE, render_list, reproduction_parts
    from .reproducepage import page_parts

    paper = _paper(options)
    if paper is None:
        click.echo(render_list(options["form"]))
        return
    progress = (lambda name: None) if options["quiet"] else _show_progress
    asked = {name: options[name] for name in ("table", "figure", "data", "cache", "jobs")}
    rows = [] if options["rows"] == ("none",) else list(options["rows"]) or None
    found = reproduce(paper, **asked, rows=rows, progress=progress)
    progress("")
    parts = page_parts if options["form"] == "html" else reproduction_parts
    click.echo(rendered(options["form"], parts(found), found.to_dict, TITLE, found.rows, COLUMNS))
    if options["html"]:
        from ..rendering.document import Document
        from ..rendering.pages import write_page

        write_page(options["html"], Document(page_parts(found), TITLE))
        click.echo(f"Wrote {options['html']}", err=True)
    failed = [f"Differs: {one.title}: {what}" for one in found for what in one.failed]
    for line in failed:
        click.echo(line, err=True)
    if failed:
        sys.exit(1)


def _paper(options: dict[str, Any]) -> str | None:
    """Return the paper that the options name, or None to list all of them."""
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


def _show_progress(name: str) -> None:
    """Show on stderr, if it is a terminal, which table is being recomputed; an empty name clears the line."""
    if sys.stderr.isatty():
        click.echo("\r\033[K" + (f"Recomputing {name}" if name else ""), err=True, nl=False)
