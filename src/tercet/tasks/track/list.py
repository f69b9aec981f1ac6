"""`tercet track list`: the runs of a history."""

from __future__ import annotations

from dataclasses import dataclass

from ...options import command, option
from . import Chosen, cells, opened, tag_words


@dataclass(frozen=True, kw_only=True)
class ListOptions(Chosen):
    """Options of `track list`."""

    last: int | None = option(None, "-n", "--last", low=1, help="Only the last N runs.")


@command(ListOptions)
def run(options: ListOptions) -> None:
    """List the runs in order of time: number, system, scores, tags. A star: significantly different from the run before
    of the same system (p < 0.05, not corrected).

    \b
    tercet track list runs.db -m chrF2 --last 10
    """
    import click

    from ...cli.console import rendered
    from ...rendering.document import Table
    from ...rendering.tables import number

    runs = options.runs(opened(options))
    runs = runs[-options.last :] if options.last else runs
    labels = list(dict.fromkeys(each.label for run in runs for each in run.scores))
    rows = []
    for run in runs:
        scores = {each.label: each for each in run.scores}
        shown = [
            number(scores[label].score, 2 if options.width is None else options.width)
            + ("*" if (scores[label].p_value or 1) < 0.05 else "")
            if label in scores
            else ""
            for label in labels
        ]
        rows.append(
            [str(run.number), run.time[:16].replace("T", " "), run.system, run.test_set, *shown, tag_words(run.tags)]
        )
    table = Table(["Run", "Time", "System", "Test set", *labels, "Tags"], rows)
    columns = list(dict.fromkeys(name for run in runs for name in cells(run)))
    listed = [{name: row.get(name) for name in columns} for row in map(cells, runs)]
    click.echo(rendered(options.form, [table], lambda: [run.to_dict() for run in runs], "Runs", lambda: listed))
