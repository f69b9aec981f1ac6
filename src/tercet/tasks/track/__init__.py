"""Keep scores over time: add runs to a history, list, compare and plot them, and get a warning when quality drops.

\b
tercet score ref.txt -i out.txt -m chrf --track runs.db --system nmt --tag commit=1a2b3c
tercet track gate runs.db
tercet track page runs.db -o history.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...options import REQUIRED, Options, option, shell_option
from ...options.groups import Decimals

if TYPE_CHECKING:
    from .history import History
    from .runs import Run

COMMANDS = {
    "list": "List the runs.",
    "show": "Show a run: scores, tags, checksums of its texts.",
    "compare": "Test runs on the same test set against each other.",
    "page": "Write a page with all scores over time.",
    "gate": "Fail if the newest run scores worse than earlier ones.",
    "add": "Add a run from files of scores.",
    "import": "Add runs from a table of another tool.",
    "export": "Write runs for other tools.",
}


@dataclass(frozen=True, kw_only=True)
class Database(Options):
    """Where runs are."""

    database: str = shell_option(REQUIRED, metavar="DATABASE", recorded=False)


@dataclass(frozen=True, kw_only=True)
class Chosen(Database, Decimals):
    """Which runs."""

    system: str | None = option(None, "--system", help="Only runs of this system.")
    test_set: str | None = option(None, "--test-set", "-t", metavar="NAME", help="Only runs on this test set.")
    tags: Sequence[str] = option((), "--tag", metavar="NAME=VALUE", help="Only runs with this tag. Repeat for more.")
    metrics: Sequence[str] = option((), "-m", "--metrics", metavar="METRIC", several=True, help="Only these metrics.")

    def runs(self, history: History) -> list[Run]:
        """Return the chosen runs, with the chosen metrics alone."""
        from dataclasses import replace

        known = history.runs(system=self.system, test_set=self.test_set, tags=read_tags(self.tags))
        if not self.metrics:
            return known
        wanted = {name.lower() for name in self.metrics}
        chosen = [
            replace(
                run, scores=tuple(each for each in run.scores if {each.label.lower(), each.signature.lower()} & wanted)
            )
            for run in known
        ]
        return [run for run in chosen if run.scores]


@dataclass(frozen=True, kw_only=True)
class About(Options):
    """What is kept with a run."""

    tags: Sequence[str] = shell_option(
        (), "--tag", metavar="NAME=VALUE", help="A fact about the run, as commit=1a2b3c. Repeat for more."
    )
    time: str | None = shell_option(None, "--time", help="When it was: ISO 8601, as 2026-11-19T03:00. [default: now]")


def read_tags(tags: Sequence[str]) -> dict[str, str]:
    """Return tags by name, from NAME=VALUE."""
    found: dict[str, str] = {}
    for text in tags:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"`tags` {text}: write NAME=VALUE, as commit=1a2b3c.")
        found[name] = value
    return found


def opened(options: Database, *, create: bool = False) -> History:
    """Open the history that a command names."""
    from .history import History

    return History.open(options.database, create=create)


def cells(run: Run) -> dict[str, Any]:
    """Return a run as a row of a table: number, time, system, test set, tags, scores."""
    row: dict[str, Any] = {"run": run.number, "time": run.time, "system": run.system, "test_set": run.test_set}
    return (
        row
        | {f"tag.{name}": value for name, value in run.tags.items()}
        | {each.label: each.score for each in run.scores}
    )


def tag_words(tags: Mapping[str, str]) -> str:
    """Return tags as words."""
    return " ".join(f"{name}={value}" for name, value in tags.items())
