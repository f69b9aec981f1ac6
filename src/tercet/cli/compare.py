"""`tercet compare`: differences, intervals, tests, clusters, power, deciding segments; a gate for CI pipelines."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from .inputs import input_options
from .options import ManyValues
from .score import chosen_metrics, metric_options, seed_of, texts_of

if TYPE_CHECKING:
    from ..comparing import Comparison
    from ..metrics import Metric

FORMATS = ("text", "json", "markdown", "latex", "tsv")
SENTENCE = re.compile(r"(\S+)\s+(drops|rises|worsens)(\s+significantly)?(?:\s+by\s+(\S+))?", re.IGNORECASE)


@click.command("compare", cls=ManyValues)
@input_options
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
@click.option("--seed", type=int, help="Seed of all that is drawn. [default: $SACREBLEU_SEED or 12345]")
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
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "-w",
    "--width",
    type=click.IntRange(0, 15),
    default=2,
    show_default=True,
    help="Decimals in tables and text; JSON has them all.",
)
@click.option("-j", "--jobs", default=1, show_default=True, help="Processes; 0 for all cores.")
@click.option("--cluster", metavar="ADDRESS", help="Count on a Dask cluster, as tcp://scheduler:8786.")
@click.option("--cache", metavar="DIR", help="Keep finished counts here, so that a killed run goes on.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings, no progress.")
def command(**options: Any) -> None:
    """Compare systems: differences with intervals, paired tests corrected for their number, clusters, power, and the
    segments that make the difference.

    \b
    tercet compare ref.txt -i a.txt b.txt c.txt -m bleu chrf
    tercet compare ref.txt -i old.txt new.txt --fail-if "bleu drops"
    tercet compare -t DIR -l en-de -m chrf --baseline online-A --slice length --slice domain
    tercet compare ref.txt -i old.txt new.txt -m ter --edits
    """  # fmt: skip
    from ..comparing import TESTS, compare, find_no_hope
    from ..data.stream import TextFiles
    from ..errors import UsageError
    from ..explaining import check_edits, compare_edits
    from ..metrics import create
    from ..stats.paired import RESAMPLES
    from .compareboard import render
    from .console import Progress, hush

    if options["quiet"]:
        hush()
    gates = [read_gate(text) for text in options["gates"]]
    specs = chosen_metrics(options)
    texts = texts_of(options)
    made = [create(spec, language=texts.target_language) for spec in specs]
    if options["edits"]:
        check_edits(made)
        texts = texts.read() if isinstance(texts, TextFiles) else texts
    tests = options["tests"] or TESTS
    decisive = max(tests, key=lambda test: options["resamples"] or RESAMPLES.get(test, 0))
    for gate in gates:
        gate.check(specs, made)
        no_hope = find_no_hope(len(texts.systems), decisive, options["resamples"], options["alpha"], baseline=True)
        if gate.tests and len(texts.systems) > 1 and no_hope:
            raise UsageError(f"--fail-if {gate.text!r} could never hold. {no_hope}")
    with Progress("Counting", quiet=options["quiet"]) as progress:
        result = compare(
            texts,
            specs,
            tests=tests,
            seed=seed_of(options),
            progress=progress,
            **{
                name: options[name]
                for name in ("resamples", "baseline", "alpha", "slices", "top", "jobs", "cluster", "cache")
            },
        )
    edits = None
    if options["edits"]:
        with Progress("Listing edits", quiet=options["quiet"]) as progress:
            edits = compare_edits(result, texts, progress=progress)
    click.echo(render(result, options["form"], options["width"], edits))
    failed = False
    for gate in gates:
        for holds, message in gate.verdicts(result):
            failed = failed or holds
            click.echo(f"{'Failed' if holds else 'Passed'}: {message}", err=True)
    if failed:
        sys.exit(1)


@dataclass(frozen=True)
class Gate:
    """A condition under which the command fails. `metric` may be any; `by` is the tolerated difference, if given."""

    text: str
    metric: str
    verb: str
    significantly: bool
    by: float | None

    @property
    def tests(self) -> bool:
        """Whether it asks for a significant difference."""
        return self.significantly or self.by is None

    def check(self, specs: Sequence[str], metrics: Sequence[Metric]) -> None:
        """Refuse what cannot be meant: a metric that is not compared, or the verb of an improvement."""
        from ..comparing import find_metric, metric_names
        from ..errors import UsageError

        if self.metric == "any":
            if self.verb == "rises":
                raise UsageError(f"--fail-if {self.text!r}: write 'any worsens', whichever direction is worse.")
            return
        named = [metric_names(spec, metric) for spec, metric in zip(specs, metrics, strict=True)]
        metric = metrics[find_metric(self.metric, named)]
        if metric.higher_is_better is None:
            raise UsageError(f"--fail-if {self.text!r}: no direction of {metric.label} is better.")
        right = "drops" if metric.higher_is_better else "rises"
        if self.verb not in (right, "worsens"):
            better = "higher" if metric.higher_is_better else "lower"
            raise UsageError(
                f"--fail-if {self.text!r}: {better} {metric.label} is better. "
                f"Write '{self.metric} {right}' or '{self.metric} worsens'."
            )

    def verdicts(self, result: Comparison) -> Iterator[tuple[bool, str]]:
        """Whether the gate fails, with the reason, for every system against the baseline.

        The p-values are corrected for the comparisons with the baseline, as only these matter here.
        """
        from ..stats import holm

        directed = [metric for metric in result.metrics if metric.higher_is_better is not None]
        for metric in directed if self.metric == "any" else (result.metric(self.metric),):
            baseline = result.baseline or metric.systems[0].system
            score = {system.system: system.score for system in metric.systems}
            others = [system for system in score if system != baseline]
            raw = [metric.pair(system, baseline).p_value[result.decisive] for system in others]
            for system, p_value in zip(others, holm(raw).tolist(), strict=True):
                change = score[system] - score[baseline]
                facts = f"{system} against {baseline}: {metric.name} {score[system]:.4g} against {score[baseline]:.4g}"
                if isnan(change) or (self.tests and isnan(p_value)):
                    yield True, f"{self.text!r} cannot be judged for {facts}, an undefined comparison."
                    continue
                loss = -change if metric.higher_is_better else change
                significant = loss > 0 and p_value < result.alpha
                holds = (significant or not self.tests) and (loss > self.by if self.by is not None else True)
                says = "holds" if holds else "does not hold"
                yield holds, f"{self.text!r} {says} for {facts} ({change:+.4g}, corrected p = {p_value:.4f})."


def read_gate(text: str) -> Gate:
    """A gate from words such as 'bleu drops significantly' or 'ter rises by 0.5'."""
    from ..errors import UsageError

    found = SENTENCE.fullmatch(text.strip())
    if not found:
        raise UsageError(
            f"--fail-if {text!r} is not understood. "
            "Write METRIC (or any) drops|rises|worsens [significantly] [by NUMBER]."
        )
    metric, verb, significantly, by = found.groups()
    tolerated = None
    if by is not None:
        try:
            tolerated = float(by)
        except ValueError:
            tolerated = -1.0
        if not 0 <= tolerated < float("inf"):
            raise UsageError(f"--fail-if {text!r}: a number from 0 is needed after 'by', not {by!r}.")
    metric = "any" if metric.lower() == "any" else metric
    return Gate(text, metric, verb.lower(), bool(significantly), tolerated)
