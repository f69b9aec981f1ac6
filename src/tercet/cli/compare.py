"""`tercet compare`: differences, intervals, tests, clusters, power, deciding segments; a gate for CI pipelines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .console import Progress
from .inputs import input_options, read_testset
from .options import SEED, ManyValues, format_option, run_options, where, width_option
from .score import chosen_metrics, external, metric_options, needs_reference, score_file_options

if TYPE_CHECKING:
    from ..data.scores import MetricRecord


@click.command("compare", cls=ManyValues)
@input_options
@score_file_options
@metric_options
@click.option("--baseline", metavar="SYSTEM", help="Compare all with this system. [default: all pairs]")
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="bootstrap or randomisation; the one with most resamples decides. [default: both]",
)
@click.option("-n", "--resamples", type=int, help="Resamples. [default: 1000 for bootstrap, 10000 for randomisation]")
@SEED
@click.option("--alpha", default=0.05, show_default=True, help="Significance level.")
@click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="WHAT",
    help="Also score slices: length, document, domain or another label of the test set.",
)
@click.option("--top", default=5, show_default=True, help="Deciding segments to show per pair.")
@click.option(
    "--edits",
    is_flag=True,
    help="Show edit scripts of deciding segments and sums of edits, for metrics that have them, as ter and wer.",
)
@click.option(
    "--fail-if",
    "gates",
    multiple=True,
    metavar="SENTENCE",
    help="Exit with 1 if a system is significantly worse than the baseline (or the first): 'bleu drops', "
    "'any worsens'; or worse by more than a number, significant or not: 'bleu drops by 0.5'. Repeat for more.",
)
@format_option()
@width_option("Decimals in tables and text; JSON has them all. [default: 2, more for scores from 0 to 1]")
@run_options()
def command(**options: Any) -> None:
    """Compare systems: differences with intervals, paired tests corrected for their number, clusters, power, and the
    segments that make the difference.

    \b
    tercet compare ref.txt -i a.txt b.txt c.txt -m bleu chrf
    tercet compare ref.txt -i old.txt new.txt --fail-if "bleu drops"
    tercet compare -t DIR -l en-de -m chrf --baseline online-A --slice length --slice domain
    tercet compare ref.txt -i old.txt new.txt -m ter --edits
    """  # fmt: skip
    from ..comparing import TESTS, compare, find_no_hope, read_gate
    from ..explaining import check_edits, compare_edits
    from ..scoring import make_ready
    from ..stats.paired import RESAMPLES
    from .compareboard import comparison_parts
    from .console import rendered

    gates = [read_gate(text) for text in options["gates"]]
    specs = chosen_metrics(options)
    texts = read_testset(options, needs_reference=needs_reference(options))
    if options["edits"]:
        check_edits(specs)
    others = external(options, texts)
    compared: list[MetricRecord] = []
    if gates:
        compared = [*make_ready(texts, specs), *(item.metric for item in others)]
    tests = options["tests"] or TESTS
    decisive = max(tests, key=lambda test: options["resamples"] or RESAMPLES.get(test, 0))
    for gate in gates:
        gate.check(compared)
        no_hope = find_no_hope(len(texts.systems), decisive, options["resamples"], options["alpha"], baseline=True)
        if gate.tests and len(texts.systems) > 1 and no_hope:
            raise UsageError(f"--fail-if {gate.text!r} could never hold. {no_hope}")
    with Progress("Counting", quiet=options["quiet"]) as progress:
        result = compare(
            texts,
            specs,
            scores=others,
            tests=tests,
            progress=progress,
            **where(options),
            **{name: options[name] for name in ("resamples", "baseline", "alpha", "slices", "top", "seed")},
        )
    edits = None
    if options["edits"]:
        with Progress("Listing edits", quiet=options["quiet"]) as progress:
            edits = compare_edits(result, texts, progress=progress)
    parts = comparison_parts(result, options["form"], options["width"], edits)
    click.echo(rendered(options["form"], parts, (edits or result).to_dict))
    failed = False
    for gate in gates:
        for verdict in gate.verdicts(result):
            failed = failed or verdict.failed
            click.echo(f"{'Failed' if verdict.failed else 'Passed'}: {verdict.message}", err=True)
    if failed:
        sys.exit(1)
