"""Keep scores over time: add runs to a history, list, compare and plot them, and get a warning when quality drops.

\b
tercet score ref.txt -i out.txt -m chrf --track runs.db --system nmt --tag commit=1a2b3c
tercet track gate runs.db
tercet track page runs.db -o history.html
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ...cli.console import rendered
from ...errors import UsageError
from ...options import REQUIRED, Command, Options, command, option, shell_option
from ...options.groups import Decimals, DifferenceTests
from ...rendering.document import Column, Heading, Notes, Part, Table, listing
from ...rendering.tables import DASH, number

if TYPE_CHECKING:
    from .history import History
    from .runs import Run

AGAINST, ALPHA, LOOKS, KEPT = "earlier", 0.05, 365, 28  # of a gate
FAILED = 3  # the exit code of a gate, as of `compare --fail-if`


@dataclass(frozen=True, kw_only=True)
class Database(Options):
    """Where runs are."""

    database: str = shell_option(REQUIRED, metavar="DATABASE", recorded=False)

    def opened(self, *, create: bool = False) -> History:
        """Open the history."""
        from .history import History

        return History.open(self.database, create=create)


@dataclass(frozen=True, kw_only=True)
class Chosen(Database, Decimals):
    """Which runs."""

    system: str | None = option(None, "--system", help="Only runs of this system.")
    test_set: str | None = option(None, "--test-set", "-t", metavar="NAME", help="Only runs on this test set.")
    tags: Sequence[str] = option((), "--tag", metavar="NAME=VALUE", help="Only runs with this tag. Repeat for more.")
    metrics: Sequence[str] = option((), "-m", "--metrics", metavar="METRIC", several=True, help="Only these metrics.")

    def runs(self, history: History) -> list[Run]:
        """Return the chosen runs, with the chosen metrics alone."""
        known = history.runs(system=self.system, test_set=self.test_set, tags=read_tags(self.tags))
        if not self.metrics:
            return known
        chosen = [replace(run, scores=tuple(each for each in run.scores if each.is_in(self.metrics))) for run in known]
        return [run for run in chosen if run.scores]


@dataclass(frozen=True, kw_only=True)
class ListOptions(Chosen):
    """Options of `track list`."""

    last: int | None = option(None, "-n", "--last", low=1, help="Only the last N runs.")


@dataclass(frozen=True, kw_only=True)
class ShowOptions(Database, Decimals):
    """Options of `track show`."""

    run: str = shell_option("last", "--run", metavar="RUN", help="Its number, its system, TAG=VALUE, or last.")


@dataclass(frozen=True, kw_only=True)
class TrackCompareOptions(Decimals, DifferenceTests, Database):
    """Options of `track compare`."""

    runs: Sequence[str] = shell_option((), metavar="RUN...")
    metrics: Sequence[str] = shell_option(
        (), "-m", "--metrics", metavar="METRIC", several=True, help="Only these metrics."
    )
    top: int = shell_option(5, "--top", low=0, help="Deciding segments to show per pair.")


@dataclass(frozen=True, kw_only=True)
class Gating(Options):
    """How a gate tests."""

    against: int | str = option(
        AGAINST, "--against", metavar="RUN",
        help="earlier (those before, together), last, best, or a run by number, system or TAG=VALUE.",
    )  # fmt: skip
    metrics: Sequence[str] = option((), "-m", "--metrics", metavar="METRIC", several=True, help="Only these metrics.")
    alpha: float = option(ALPHA, "--alpha", help="Probability of any false alarm among --looks runs in a row.")
    looks: int = option(LOOKS, "--looks", low=1, help="Runs among which false alarms are counted: a year of nights.")
    margin: float = option(0.0, "--margin", low=0, help="A drop up to this size is no alarm.")
    kept: int = option(KEPT, "--kept", low=1, help="Earlier runs to compare with.")
    any_system: bool = option(False, "--any-system", help="Compare with runs of other systems too.")


@dataclass(frozen=True, kw_only=True)
class GateOptions(Gating, Database, Decimals):
    """Options of `track gate`."""

    run: str = shell_option(
        "last", "--run", metavar="RUN", help="The run to judge: number, system, TAG=VALUE, or last."
    )
    tags: Sequence[str] = shell_option(
        (), "--tag", metavar="NAME=VALUE", help="Only runs with this tag count. Repeat for more."
    )


def read_tags(tags: Sequence[str]) -> dict[str, str]:
    """Return tags by name, from NAME=VALUE."""
    found: dict[str, str] = {}
    for text in tags:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"`tags` {text}: write NAME=VALUE, as commit=1a2b3c.")
        found[name] = value
    return found


@command(ListOptions)
def _list(options: ListOptions) -> None:
    """List the runs in order of time: number, system, scores, tags. A star: significantly different from the run before
    of the same system (p < 0.05, not corrected).

    \b
    tercet track list runs.db -m chrF2 --last 10
    """
    runs = options.runs(options.opened())[-(options.last or 0) :]
    width = 2 if options.width is None else options.width
    labels = list(dict.fromkeys(each.label for run in runs for each in run.scores))
    rows = []
    for run in runs:
        known = {each.label: number(each.score, width) + "*" * ((each.p_value or 1) < 0.05) for each in run.scores}
        about = [str(run.number), run.time[:16].replace("T", " "), run.system, run.test_set]
        rows.append([*about, *(known.get(label, "") for label in labels), run.tag_words])
    table = Table(["Run", "Time", "System", "Test set", *labels, "Tags"], rows)
    cells = [run.row() for run in runs]
    columns = list(dict.fromkeys(name for row in cells for name in row))
    listed = [{name: row.get(name) for name in columns} for row in cells]
    click.echo(rendered(options.form, [table], lambda: [run.to_dict() for run in runs], "Runs", lambda: listed))


@command(ShowOptions)
def _show(options: ShowOptions) -> None:
    """Show a run: scores with their signatures, tags, checksums of its texts.

    \b
    tercet track show runs.db --run 12
    tercet track show runs.db --run commit=1a2b3c -f json
    """
    run = options.opened().find(options.run)
    columns: dict[str, Column] = {
        "Metric": "label",
        "Score": "score",
        "95 % interval": lambda s: DASH if s.error is None else (s.score - 1.96 * s.error, s.score + 1.96 * s.error),
        "p": lambda s: DASH if s.p_value is None else number(s.p_value, 4),
        "Against run": lambda s: DASH if s.before is None else str(s.before),
        "Signature": "signature",
    }
    facts = [f"Test set {run.test_set or 'unnamed'} {run.pair}, {run.segments} segments, Tercet {run.version}".strip()]
    facts += [f"Tags: {run.tag_words}"] if run.tags else []
    facts += [f"SHA-256 of {name}: {value[:16]}" for name, value in run.texts.items()]
    table = listing(run.scores, columns, 2 if options.width is None else options.width)
    parts: list[Part] = [Heading(f"Run {run.number}: {run.system}, {run.time}"), table, Notes(facts)]
    click.echo(rendered(options.form, parts, run.to_dict))


@command(TrackCompareOptions)
def _compare(options: TrackCompareOptions) -> None:
    """Compare two or more RUNs by paired tests: by number, system, or TAG=VALUE. They must be on the same texts.

    \b
    tercet track compare runs.db 11 12
    tercet track compare runs.db release=1.4 last -f html > report.html
    """

    from ..compare.board import comparison_parts
    from .runs import titles

    if len(options.runs) < 2:
        raise UsageError("Name two runs or more, by their numbers in 'tercet track list'.")
    history = options.opened()
    tests = options.python(DifferenceTests, baseline=None, top=options.top)
    if options.baseline is not None:
        known = history.runs()
        chosen = [history.find(name, known) for name in options.runs]
        base, numbers = history.find(options.baseline, known).number, [run.number for run in chosen]
        if base not in numbers:
            raise UsageError(f"`baseline` {options.baseline} is none of the runs that are compared.")
        tests["baseline"] = titles(*chosen)[numbers.index(base)]
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


@command(GateOptions)
def _gate(options: GateOptions) -> None:
    """Exit with 3 if a run scores significantly worse than earlier runs on the same test set.

    The probability of any false alarm in a year of nightly runs (--looks) is at most --alpha.

    \b
    tercet track gate runs.db
    tercet track gate runs.db --against release=1.4 --margin 0.5 -m chrF2
    """
    found = options.opened().gate(options.run, tags=read_tags(options.tags), **options.python(Gating))
    width = 2 if options.width is None else options.width
    columns: dict[str, Column] = {
        "Verdict": lambda test: "failed" if test.failed else "passed",
        "Metric": "metric",
        "Runs": "window",
        "Against": "against",
        "Score": "score",
        "Before": "old",
        "Change": lambda test: number(test.score - test.old, width, "+"),
        "p": lambda test: f"{test.p_value:.2g}",
        "Level": lambda test: f"{test.level:.2g}",
        "Finds drops from": "detectable",
    }
    note = (
        f"Fails if p is below the level: a false alarm in {found.looks} runs in a row has a probability of at most "
        f"{100 * found.alpha:g} %. The last column: true drops that are found with 80 % power."
    )
    parts: list[Part] = [listing(found.tests, columns, width), Notes([note])]
    if not found.tests:
        parts = [Notes([f"Run {found.run} is the first on its test set: nothing to compare with."])]
    click.echo(rendered(options.form, parts, found.to_dict))
    for test in found.tests:
        if test.failed:
            click.echo(f"Failed: {test.message}", err=True)
    if found.failed:
        sys.exit(FAILED)


COMMANDS: dict[str, Command | str] = {
    "list": _list,
    "show": _show,
    "compare": _compare,
    "page": "Write a page with all scores over time.",
    "gate": _gate,
    "add": "Add a run from files of scores.",
    "import": "Add runs from a table of another tool.",
    "export": "Write runs for other tools.",
}
