"""`tercet track gate`: an exit code for the nightly run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from ...options import command, option, shell_option
from ...options.groups import Decimals
from . import Database, opened, read_tags
from .drops import AGAINST, ALPHA, KEPT, LOOKS

FAILED = 3  # the exit code, as of `compare --fail-if`


@dataclass(frozen=True, kw_only=True)
class GateOptions(Database, Decimals):
    """Options of `track gate`."""

    run: str = shell_option(
        "last", "--run", metavar="RUN", help="The run to judge: number, system, TAG=VALUE, or last."
    )
    against: str = option(
        AGAINST, "--against", metavar="RUN",
        help="earlier (those before, together), last, best, or a run by number, system or TAG=VALUE.",
    )  # fmt: skip
    metrics: Sequence[str] = option((), "-m", "--metrics", metavar="METRIC", several=True, help="Only these metrics.")
    alpha: float = option(ALPHA, "--alpha", help="Probability of any false alarm among --looks runs in a row.")
    looks: int = option(LOOKS, "--looks", low=1, help="Runs among which false alarms are counted: a year of nights.")
    margin: float = option(0.0, "--margin", low=0, help="A drop up to this size is no alarm.")
    kept: int = option(KEPT, "--kept", low=1, help="Earlier runs to compare with.")
    tags: Sequence[str] = shell_option(
        (), "--tag", metavar="NAME=VALUE", help="Only runs with this tag count. Repeat for more."
    )
    any_system: bool = option(False, "--any-system", help="Compare with runs of other systems too.")


@command(GateOptions)
def run(options: GateOptions) -> None:
    """Exit with 3 if a run scores significantly worse than earlier runs on the same test set.

    The probability of any false alarm in a year of nightly runs (--looks) is at most --alpha.

    \b
    tercet track gate runs.db
    tercet track gate runs.db --against release=1.4 --margin 0.5 -m chrF2
    """
    import click

    from ...cli.console import rendered
    from ...rendering.document import Notes, Part, Table
    from ...rendering.tables import number

    found = opened(options).gate(
        options.run,
        **{
            name: getattr(options, name)
            for name in ("against", "metrics", "alpha", "looks", "margin", "kept", "any_system")
        },
        tags=read_tags(options.tags),
    )
    width = 2 if options.width is None else options.width
    rows = []
    for test in found.tests:
        scores = [number(test.score, width), number(test.old, width), number(test.score - test.old, width, "+")]
        tested = [f"{test.p_value:.2g}", f"{test.level:.2g}", number(test.detectable, width)]
        verdict = "failed" if test.failed else "passed"
        rows.append([verdict, test.metric, str(test.window), test.against, *scores, *tested])
    header = ["Verdict", "Metric", "Runs", "Against", "Score", "Before", "Change", "p", "Level", "Finds drops from"]
    notes = [
        f"Fails if p is below the level: a false alarm in {found.looks} runs in a row has a probability of at most "
        f"{100 * found.alpha:g} %. The last column: true drops that are found with 80 % power."
        if found.tests
        else f"Run {found.run} is the first on its test set: nothing to compare with."
    ]
    parts: list[Part] = [Table(header, rows), Notes(notes)] if rows else [Notes(notes)]
    click.echo(rendered(options.form, parts, found.to_dict))
    for test in found.tests:
        if test.failed:
            click.echo(f"Failed: {test.message}", err=True)
    if found.failed:
        sys.exit(FAILED)
