# ruff: noqa: N999  the module has the command's name
"""`tercet track import`: runs from tables of MLflow, Weights & Biases, or `track export`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import click

from ...data.lines import csv_reader, read_lines
from ...errors import DataError, UsageError
from ...metrics._external import is_lower_better
from ...options import REQUIRED, command, shell_option
from . import Database
from .runs import Run, RunScore

TIME = ("time", "start_time", "start time", "created", "created at", "timestamp", "date")
SYSTEM = ("system", "run name", "run_name", "tags.mlflow.runname", "name", "model", "run id", "run_id", "id")
TEST_SET = ("test_set", "test set", "testset", "dataset")
METRIC, TAG = "metrics.", ("tag.", "tags.", "params.")
IGNORED = ("run", "pair", "segments")


@dataclass(frozen=True, kw_only=True)
class ImportOptions(Database):
    """Options of `track import`."""

    files: Sequence[str] = shell_option(REQUIRED, metavar="FILE...")
    system: str | None = shell_option(None, "--system", help="Name of the system of all runs. [default: a column]")
    test_set: str | None = shell_option(
        None, "--test-set", "-t", metavar="NAME", help="Name of the test set. [default: a column]"
    )
    metrics: Sequence[str] = shell_option(
        (), "-m", "--metrics", metavar="COLUMN", several=True,
        help="Columns with scores. [default: 'metrics.…', or those in which all is a number]",
    )  # fmt: skip


@command(ImportOptions)
def run(options: ImportOptions) -> None:
    """Add runs from CSV tables with a row per run, as MLflow and Weights & Biases export them; all rows or none.

    Columns metrics.NAME are scores, or columns of numbers if there are none of these; the others are tags.

    \b
    tercet track import runs.db mlflow.csv -t newstest2019
    tercet track import runs.db wandb.csv -m eval/bleu eval/chrf
    """
    history = options.opened(create=True)
    runs = [run for file in options.files for run in read_table(file, options)]
    made = history.add_runs(runs)
    click.echo(f"Added {len(made)} runs to {history.name}.", err=True)


def read_table(file: str, options: ImportOptions) -> list[Run]:
    """Return the runs of a table."""
    header, *fields = [row for row in csv_reader(read_lines(file)) if row] or [[]]
    if not fields:
        raise DataError(f"{file} has no rows. A table with a header and a row per run is needed.")
    for line, row in enumerate(fields, 2):
        if len(row) != len(header):
            raise DataError(f"{file}, line {line}: {len(row)} fields, but the header has {len(header)}.")
    columns = [name for name in header if name]
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise DataError(f"{file}: two columns are called {twice[0]!r}.")
    rows = [dict(zip(header, row, strict=True)) for row in fields]
    plain = {name.lower(): name for name in columns}
    time, system, test_set = (
        next((plain[name] for name in names if name in plain), None) for names in (TIME, SYSTEM, TEST_SET)
    )
    metrics = list(options.metrics) or [name for name in columns if name.startswith(METRIC)]
    if missing := [name for name in metrics if name not in columns]:
        raise UsageError(f"{file} has no column {missing[0]}. It has: {', '.join(columns)}.")
    own = {time, system, test_set, *(plain.get(name) for name in IGNORED)}
    rest = [name for name in columns if name not in own and name not in metrics]
    if not metrics:
        metrics = [name for name in rest if not name.startswith(TAG) and all(_number(row[name]) for row in rows)]
        rest = [name for name in rest if name not in metrics]
    if not metrics:
        raise DataError(f"{file} has no column with a number in every row. Name the scores' columns: -m COLUMN.")
    if system is None and options.system is None:
        raise UsageError(f"{file} has no column with the system's name ({', '.join(SYSTEM[:3])}, …): give --system.")
    found = []
    for line, row in enumerate(rows, 2):
        scores = []
        for name in metrics:
            if not row[name]:
                continue  # the run has no such score
            if not _number(row[name]):
                raise DataError(f"{file}, line {line}: {name} is no number: {row[name]!r}.")
            label = name.removeprefix(METRIC)
            scores.append(RunScore(label, label, not is_lower_better(label.rpartition("/")[2]), float(row[name])))
        if scores:
            tags = {_tag(name): row[name] for name in rest if row[name]}
            when, texts = _time(row[time]) if time else "", options.test_set or (row[test_set] if test_set else "")
            found.append(Run(options.system or row[str(system)], tuple(scores), when, texts, tags=tags))
    return found


def _number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return not text
    return True


def _tag(name: str) -> str:
    return next((name.removeprefix(start) for start in TAG if name.startswith(start)), name)


def _time(text: str) -> str:
    """Return a time in ISO 8601: milliseconds since 1970 as MLflow has them become one."""
    try:
        value = float(text)
        return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):  # no number, or one that is no time
        return text
