"""`--fail-if` of `tercet compare`: conditions, and the verdicts for people, JUnit readers and GitHub."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import UsageError

if TYPE_CHECKING:
    from ...comparing import Comparison, Gate, GateVerdict
    from ...data.scores import MetricRecord
    from ...data.testset import TestSet
    from . import CompareOptions

FAILED = 3  # the exit code of a failed gate; 1 is bad data, 2 misuse


def read_gates(options: CompareOptions) -> list[Gate]:
    """Return the conditions, and refuse a file that could not be written in the end."""
    from ...comparing import read_gate

    if options.junit is not None:
        if not options.gates:
            raise UsageError("`junit` reports on conditions: give one with `gates`.")
        folder = Path(options.junit).parent
        if not folder.is_dir():
            raise UsageError(f"`junit` {options.junit}: there is no folder {folder}.")
    return [read_gate(text) for text in options.gates]


def check_gates(
    gates: Sequence[Gate], texts: TestSet, segments: int, metrics: Sequence[MetricRecord], options: CompareOptions
) -> None:
    """Refuse conditions that make no sense or could never hold. segments: how many are compared."""
    from ...comparing import find_no_hope

    for gate in gates:
        gate.check(metrics)
        if not gate.significantly or len(texts.systems) < 2:
            continue
        no_hope = find_no_hope(
            len(texts.systems), segments, options.tests, options.resamples, options.alpha, baseline=True
        )
        if no_hope:
            raise UsageError(f"`gates` {gate.text!r} could never hold. {no_hope}")


def report_verdicts(verdicts: Sequence[GateVerdict], result: Comparison, junit: str | None) -> int:
    """Tell the verdicts on stderr, in the JUnit file and in GitHub's summary; return the exit code."""
    from ...comparing import junit_xml
    from ...data.files import writing
    from . import github

    for verdict in verdicts:
        click.echo(f"{'Failed' if verdict.failed else 'Passed'}: {verdict.message}", err=True)
    if junit is not None:
        with writing(junit) as stream:
            stream.write(junit_xml(verdicts))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and verdicts:
        try:
            with Path(summary).open("a", encoding="utf-8") as stream:
                stream.write(github.summary(verdicts, result) + "\n")
        except OSError as error:
            click.echo(f"Warning: {summary} cannot be written: {error.strerror}.", err=True)
    return FAILED if any(verdict.failed for verdict in verdicts) else 0
