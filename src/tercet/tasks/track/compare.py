"""`tercet track compare`: paired tests between runs of different days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...options import command, shell_option
from ...options.groups import Decimals, DifferenceTests
from . import Database, opened

if TYPE_CHECKING:
    from .history import History


@dataclass(frozen=True, kw_only=True)
class TrackCompareOptions(Decimals, DifferenceTests, Database):
    """Options of `track compare`."""

    runs: Sequence[str] = shell_option((), metavar="RUN...")
    metrics: Sequence[str] = shell_option(
        (), "-m", "--metrics", metavar="METRIC", several=True, help="Only these metrics."
    )
    top: int = shell_option(5, "--top", low=0, help="Deciding segments to show per pair.")


@command(TrackCompareOptions)
def run(options: TrackCompareOptions) -> None:
    """Compare two or more RUNs by paired tests: by number, system, or TAG=VALUE. They must be on the same texts.

    \b
    tercet track compare runs.db 11 12
    tercet track compare runs.db release=1.4 last -f html > report.html
    """
    import click

    from ...cli.console import rendered
    from ..compare.board import comparison_parts

    if len(options.runs) < 2:
        raise UsageError("Name two runs or more, by their numbers in 'tercet track list'.")
    history = opened(options)
    baseline = options.baseline
    tests = options.python(DifferenceTests, baseline=None, top=options.top)
    if baseline is not None:
        from .runs import titles

        known = history.runs()
        chosen = [history.find(name, known) for name in options.runs]
        base = history.find(baseline, known)
        if base.number not in [run.number for run in chosen]:
            raise UsageError(f"`baseline` {baseline} is none of the runs that are compared.")
        tests["baseline"] = titles(*chosen)[[run.number for run in chosen].index(base.number)]
    if options.form == "html" and (page := report_of(history, options.runs, options.metrics)) is not None:
        click.echo(page)
        return
    result = history.compare(*options.runs, metrics=options.metrics, **tests)
    parts = comparison_parts(result, options.form, options.width)
    click.echo(rendered(options.form, parts, lambda: result.to_dict(full=False), "Runs"))


def report_of(history: History, names: Sequence[str], metrics: Sequence[str]) -> str | None:
    """Return the page of `tercet report` on runs whose texts were kept; None if they were not."""
    known = history.runs()
    chosen = [history.find(name, known) for name in names]
    texts = history.texts(*chosen)
    if texts is None:
        return None
    from ..report import report

    return report(texts, (), scores=history.joined(*chosen, metrics=metrics)).html()
