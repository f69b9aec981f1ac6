"""`tercet track export`: runs for other tools."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

from ...errors import UsageError
from ...options import command, shell_option
from ...rendering.tables import to_json
from . import Chosen
from .runs import titles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .history import History
    from .runs import Run

TARGETS = ("csv", "sacrebleu", "wmt", "comet")


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Chosen):
    """Options of `track export`."""

    target: str = shell_option(
        "csv", "--as", choices=TARGETS,
        help="csv: a row per run, for MLflow, W&B, 'track import'; sacrebleu: its JSON; wmt: a file of system "
        "scores; comet: JSON with the scores of segments.",
    )  # fmt: skip


@command(ExportOptions)
def run(options: ExportOptions) -> None:
    """Write runs in a form that other tools read.

    \b
    tercet track export runs.db -o runs.csv
    tercet track export runs.db --as wmt --system nmt
    """
    history = options.opened()
    runs = options.runs(history)
    if not runs:
        raise UsageError(f"{history.name} has no such runs.")
    kinds: dict[str, Callable[[Sequence[Run]], str]]
    kinds = {"csv": _csv, "sacrebleu": _sacrebleu, "wmt": _wmt, "comet": partial(_comet, history)}
    click.echo(kinds[options.target](runs), nl=False)


def _csv(runs: Sequence[Run]) -> str:
    rows = [
        {"run": run.number, **{name: getattr(run, name) for name in ("time", "system", "test_set", "pair", "segments")}}
        | {f"tags.{name}": value for name, value in run.tags.items()}
        | {f"metrics.{each.label}": repr(each.score) for each in run.scores}
        for run in runs
    ]
    columns = sorted(dict.fromkeys(name for row in rows for name in row), key=lambda name: name.startswith("metrics."))
    stream = StringIO()
    writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _sacrebleu(runs: Sequence[Run]) -> str:
    found = []
    for run in runs:
        for each in run.scores:
            name, _, signature = each.signature.partition("|")
            entry: dict[str, Any] = {"system": run.system, "run": run.number, "time": run.time}
            entry |= {"name": name, "score": each.score, "signature": signature}
            found.append(entry | ({} if each.error is None else {"confidence_var": 1.96 * each.error}))
    return to_json(found) + "\n"


def _wmt(runs: Sequence[Run]) -> str:
    """Return lines METRIC, PAIR, TEST SET, SYSTEM, SCORE. Systems with several runs have the run's number."""
    return "".join(
        f"{each.label}\t{run.pair or '-'}\t{run.test_set or '-'}\t{title.replace(' ', '-')}\t{each.score!r}\n"
        for run, title in zip(runs, titles(*runs), strict=True)
        for each in run.scores
    )


def _comet(history: History, runs: Sequence[Run]) -> str:
    def rows(run: Run) -> Iterator[dict[str, float]]:
        items = [item for item in history.load(run) if item.label in {each.label for each in run.scores}]
        if not items:
            raise UsageError(f"Run {run.number} ({run.tag_words or run.system}) has no scores of segments.")
        for place in range(run.segments):
            yield {item.label: float(next(iter(item.segment.values()))[place]) for item in items}

    return to_json({name: list(rows(run)) for name, run in zip(titles(*runs), runs, strict=True)}) + "\n"
