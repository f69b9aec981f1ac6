"""`tercet track show`: one run."""

from __future__ import annotations

from dataclasses import dataclass

from ...options import command, shell_option
from ...options.groups import Decimals
from . import Database, opened, tag_words


@dataclass(frozen=True, kw_only=True)
class ShowOptions(Database, Decimals):
    """Options of `track show`."""

    run: str = shell_option("last", "--run", metavar="RUN", help="Its number, its system, TAG=VALUE, or last.")


@command(ShowOptions)
def run(options: ShowOptions) -> None:
    """Show a run: scores with their signatures, tags, checksums of its texts.

    \b
    tercet track show runs.db --run 12
    tercet track show runs.db --run commit=1a2b3c -f json
    """
    import click

    from ...cli.console import rendered
    from ...rendering.document import Heading, Notes, Part, Table
    from ...rendering.tables import DASH, interval, number

    run = opened(options).find(options.run)
    width = 2 if options.width is None else options.width
    rows = [
        [
            each.label,
            number(each.score, width),
            DASH
            if each.error is None
            else interval(each.score - 1.96 * each.error, each.score + 1.96 * each.error, width),
            DASH if each.p_value is None else number(each.p_value, 4),
            DASH if each.before is None else str(each.before),
            each.signature,
        ]
        for each in run.scores
    ]
    facts = [f"Test set {run.test_set or 'unnamed'} {run.pair}, {run.segments} segments, Tercet {run.version}".strip()]
    facts += [f"Tags: {tag_words(run.tags)}"] if run.tags else []
    facts += [f"SHA-256 of {name}: {value[:16]}" for name, value in run.texts.items()]
    parts: list[Part] = [
        Heading(f"Run {run.number}: {run.system}, {run.time}"),
        Table(["Metric", "Score", "95 % interval", "p", "Against run", "Signature"], rows),
        Notes(facts),
    ]
    click.echo(rendered(options.form, parts, run.to_dict))
