"""`tercet reproduce`: recompute tables of papers and compare them with the printed numbers, cell by cell.

`tables.toml` lists the data sets, and the tables and figures of each paper with the data that they need; the functions
that recompute them are in `papers`; `expected/` has the printed numbers as CSV. Numbers that cannot be recomputed are
listed with the reason, or with the files that would make it possible.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...options import again, command, option, python_option, shell_option, takes
from ...options.groups import Cache, Cluster, Form, Jobs, Quiet

if TYPE_CHECKING:
    from .results import Reproductions
    from .sources import DataSets


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(Quiet, Cache, Jobs, Form):
    """Options of `reproduce`."""

    paper: str | None = option(
        None, metavar="[PAPER]", positional=True,
        help="wmt14, wmt19, kobe, thesis, specia or all. Without it all tables are listed.",
        about='"wmt14", "wmt19", "kobe", "thesis", "specia" or "all".',
    )  # fmt: skip
    named: str | None = shell_option(None, "--paper", metavar="PAPER", help="The same as PAPER.")
    table: str | None = option(
        None, "--table", metavar="N", help="Only this table, such as 3 or A.1.",
        about='The number of one table, such as "3" or "A.1". Default: all. Of a whole paper, tables whose data are '
        "missing are returned with all their numbers unchecked; for a table that is requested alone, missing data "
        "raise UsageError.",
    )  # fmt: skip
    figure: str | None = option(None, "--figure", metavar="N", help="Only this figure.")
    data: str | Path | Sequence[str | Path] | DataSets = option(
        (), "--data", metavar="DIR",
        help="A folder that contains data sets; repeat for more. Data sets of 'tercet data' are found too.",
        about="The folders that contain the data sets. Data sets of `tercet data` are found too.",
    )  # fmt: skip
    rows: Sequence[str] | None = option(
        None, "--rows", metavar="ROW", several=True,
        help="Which rows with Tercet's own metrics to compute, by name; none, or all. [default: all but slow ones, "
        "which need a parser or a network]",
        about='Which rows with Tercet\'s own metrics to compute, by name; an empty list for none, ["all"] for all. '
        "Default: all but those that need a parser or a network, which take minutes to hours for all texts of a "
        "paper.",
    )  # fmt: skip
    html: str | None = shell_option(
        None, "--html", metavar="FILE", help="Also write one page with all tables, marks and figures."
    )
    cluster: str | None = again(Cluster, "cluster")
    progress: Callable[[str], None] | None = python_option(
        None, "Called with the name of the next table, and with what is done of it."
    )

    def check(self) -> None:
        super().check()
        if None not in (self.paper, self.named) and self.paper != self.named:
            raise UsageError(f"Two papers are given, {self.paper} and {self.named}. Give one, or all.")
        object.__setattr__(self, "paper", self.paper or self.named)
        single = self.table is not None or self.figure is not None
        if single and self.paper in (None, "all"):
            raise UsageError("`table` and `figure` need a paper: tercet reproduce PAPER --table N.")
        if self.paper is None and self.html:
            raise UsageError("--html needs a paper: tercet reproduce PAPER --html FILE, or all.")
        if self.table is not None and self.figure is not None:
            raise UsageError("Give `table` or `figure`, not both.")


@takes(ReproduceOptions)
def reproduce(*, options: ReproduceOptions) -> Reproductions:
    """Recompute the tables and figures of a paper and compare them with the printed numbers.

    Returns
    -------
    Reproductions
        One `Reproduction` per table. It has `to_dict()` and `to_pandas()`.

    Examples
    --------
    Tables for which there are no data are returned too, with the reason:

    >>> import tercet
    >>> found = tercet.reproduce("thesis", figure="A.10")
    >>> found[0].title
    'thesis, Figure A.10: MPEDA and direct assessment of segments'
    >>> found[0].notes
    ('Not recomputed. Neither the metric nor its scores are available.',)
    """
    from contextlib import nullcontext
    from tempfile import TemporaryDirectory

    from ...data.catalogue import data_folder
    from ...engine import open_executor
    from .recomputing import rare_collection, recompute
    from .sources import DataSets
    from .tables import ALL, PAPERS, SLOW, tables

    if options.paper is None:
        raise UsageError(f"Name a paper: {', '.join(PAPERS)} or {ALL}.")
    table = options.table if options.figure is None else f"figure {options.figure}"
    known = {name: tables(name) for name in (PAPERS if options.paper == ALL else (options.paper,))}
    if isinstance(options.data, DataSets):
        return recompute(known, table, options.data, options.progress)
    rows = () if options.rows == ("none",) else options.rows
    # Tables share processes and counts: without a cache of the user's, counts are kept until the end of the run.
    kept = TemporaryDirectory(prefix="tercet-") if options.cache is None else nullcontext(options.cache)
    with rare_collection(), kept as folder, open_executor(options.jobs, options.cluster) as executor:
        how: dict[str, Any] = {"progress": options.progress, "rows": rows, "slow": SLOW}
        folders: Any = options.data
        data = DataSets.under(*folders, also=data_folder(), cache=folder, executor=executor, **how)
        return recompute(known, table, data, options.progress)


@command(ReproduceOptions)
def run(options: ReproduceOptions) -> None:
    """Recompute the tables of PAPER (wmt14, wmt19, kobe, thesis, specia or all) and compare them with the paper.

    \b
    tercet reproduce                                  list all tables and the data they need
    tercet reproduce wmt19 --table 3 --data DIR --rows chrf rima
    tercet reproduce all --data DIR --html papers.html

    The exit code is 1 if a number that should reproduce does not.
    """
    import click

    from ...cli.console import rendered
    from .board import TITLE, render_list, reproduction_parts
    from .results import COLUMNS

    if options.paper is None:
        click.echo(render_list(options.form))
        return
    from .page import page_parts

    progress = (lambda name: None) if options.quiet else _show_progress
    found = reproduce(**options.python(rows=options.rows or None, progress=progress))
    progress("")
    parts = page_parts if options.form == "html" else reproduction_parts
    click.echo(rendered(options.form, parts(found), found.to_dict, TITLE, found.rows, COLUMNS))
    if options.html:
        from ...rendering.document import Document
        from ...rendering.pages import write_page

        write_page(options.html, Document(page_parts(found), TITLE))
        click.echo(f"Wrote {options.html}", err=True)
    failed = [f"Differs: {one.title}: {what}" for one in found for what in one.failed]
    for line in failed:
        click.echo(line, err=True)
    if failed:
        sys.exit(1)


def _show_progress(name: str) -> None:
    """Show on stderr, if it is a terminal, which table is being recomputed; an empty name clears the line."""
    import click

    if sys.stderr.isatty():
        click.echo("\r\033[K" + (f"Recomputing {name}" if name else ""), err=True, nl=False)
