"""`tercet rate results`: show the results so far."""

from __future__ import annotations

from dataclasses import dataclass

from ...options import command, shell_option
from ...options.groups import Form
from . import CampaignFile


@dataclass(frozen=True, kw_only=True)
class ResultsOptions(Form, CampaignFile):
    """Options of `rate results`."""

    no_names: bool = shell_option(
        False, "--no-names", help="Leave out the names of raters, to give the results to others."
    )


@command(ResultsOptions)
def run(options: ResultsOptions) -> None:
    """Show the results so far: means, ranking, marked errors, agreement, raters, worst and most disputed outputs."""
    import click

    from ...cli.console import rendered
    from ...rating_report import results

    found = results(options.campaign, database=options.database).document(options.form, names=not options.no_names)
    click.echo(rendered(options.form, found.parts, found.data, found.title, found.rows, found.columns))
