"""`tercet compare`: differences, intervals, tests, clusters, power, deciding segments; a gate for CI pipelines."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from .inputs import input_options
from .options import ManyValues
from .score import chosen_metrics, metric_flags, seed_of, texts_of

if TYPE_CHECKING:
    from ..comparing import Comparison, MetricResult, PairResult, Segment
    from ..metrics import Metric

FORMATS = ("text", "json", "markdown", "latex", "tsv")
TEST_NAMES = {"bootstrap": "paired bootstrap", "randomisation": "approximate randomisation"}
PAIRS_WITH_SEGMENTS = 6  # more would bury the tables; JSON has them all
SENTENCE = re.compile(r"(\S+)\s+(drops|rises|worsens)(\s+significantly)?(?:\s+by\s+(\S+))?", re.IGNORECASE)


@click.command("compare", cls=ManyValues)
@input_options
@click.option(
    "-m",
    "--metrics",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC...",
    help="Metrics, as bleu chrf:word_order=2; 'tercet metrics' lists them. [default: bleu]",
)
@metric_flags
@click.option("--baseline", metavar="SYSTEM", help="Compare all with this system. [default: all pairs]")
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST...",
    help="bootstrap or randomisation; the first decides on clusters. [default: both]",
)
@click.option("-n", "--resamples", type=int, help="Resamples. [default: 1000 for bootstrap, 10000 for randomisation]")
@click.option("--seed", type=int, help="Seed of all that is drawn. [default: $SACREBLEU_SEED or 12345]")
@click.option("--alpha", default=0.05, show_default=True, help="Significance level.")
@click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="WHAT...",
    help="Also score slices: length, document, domain or another label of the test set.",
)
@click.option("--top", default=5, show_default=True, help="Deciding segments to show per pair.")
@click.option(
    "--fail-if",
    "gates",
    multiple=True,
    metavar="SENTENCE",
    help="Exit with 1 if a system is worse than the baseline (or the first): 'bleu drops', "
    "'bleu drops by 0.5', 'any worsens'. Repeat for more.",
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
    tercet compare -t DIR -l en-de -m chrf --baseline online-A --slice length domain
    """  # fmt: skip
    from ..comparing import TESTS, compare, find_no_hope
    from ..errors import UsageError
    from ..metrics import create
    from .console import Progress, hush

    if options["quiet"]:
        hush()
    gates = [read_gate(text) for text in options["gates"]]
    specs = chosen_metrics(options)
    texts = texts_of(options)
    made = [create(spec, language=texts.target_language) for spec in specs]
    tests = options["tests"] or TESTS
    for gate in gates:
        gate.check(specs, made)
        baseline = options["baseline"] is not None
        no_hope = find_no_hope(len(texts.systems), tests[0], options["resamples"], options["alpha"], baseline=baseline)
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
    click.echo(render(result, options["form"], options["width"]))
    failures = [message for gate in gates for message in gate.failures(result)]
    for message in failures:
        click.echo(f"Failed: {message}", err=True)
    if failures:
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
        right = "drops" if metric.higher_is_better else "rises"
        if self.verb not in (right, "worsens"):
            better = "higher" if metric.higher_is_better else "lower"
            raise UsageError(
                f"--fail-if {self.text!r}: {better} {metric.label} is better. "
                f"Write '{self.metric} {right}' or '{self.metric} worsens'."
            )

    def failures(self, result: Comparison) -> Iterator[str]:
        """A message for every system that is worse than the baseline in the sense of this gate."""
        for metric in result.metrics if self.metric == "any" else (result.metric(self.metric),):
            baseline = result.baseline or metric.systems[0].system
            score = {system.system: system.score for system in metric.systems}
            for system in score:
                if system == baseline:
                    continue
                pair = metric.pair(system, baseline)
                p_value = pair.p_holm[result.tests[0]]
                change = score[system] - score[baseline]
                facts = f"{system} against {baseline}: {metric.name} {score[system]:.4g} against {score[baseline]:.4g}"
                if isnan(change) or (self.tests and isnan(p_value)):
                    yield f"{self.text!r} cannot be judged for {facts}, an undefined comparison."
                    continue
                loss = -change if metric.higher_is_better else change
                significant = loss > 0 and p_value < result.alpha
                if (significant or not self.tests) and (self.by is None or loss > self.by):
                    yield f"{self.text!r} holds for {facts} ({change:+.4g}, corrected p = {p_value:.4f})."


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


def render(result: Comparison, form: str = "text", width: int = 2) -> str:
    """The whole output of the command."""
    from ..report.tables import to_json

    if form == "json":
        return to_json(result.to_dict())
    blocks = [block for metric in result.metrics for block in _blocks(result, metric, form, width)]
    return "\n\n".join([*blocks, *_notes(_legend(result, form), form)])


def _blocks(result: Comparison, metric: MetricResult, form: str, width: int) -> Iterator[str]:
    direction = "higher" if metric.higher_is_better else "lower"
    heading = f"{metric.name}: {len(metric.systems)} systems, {metric.n_segments} segments, {direction} is better"
    if form == "text":
        yield _bold(heading) + f"\n{metric.signature}"
    elif form == "markdown":
        yield f"## {heading}\n\n`{metric.signature}`"
    else:
        yield from _notes([heading, metric.signature], form)
    yield _systems(metric, form, width)
    if len(metric.clusters) == 1:
        yield from _notes(
            ["One cluster: nowhere in this order are all above significantly better than all below."], form
        )
    yield _pairs(result, metric, form, width)
    yield from _notes([metric.mde_sentence], form)
    if metric.slices:
        yield _slices(metric, form, width)
    if form in ("text", "markdown"):
        known = [pair for pair in metric.pairs if pair.segments or pair.deciding]
        for pair in known[:PAIRS_WITH_SEGMENTS]:
            yield _deciding(metric, pair, form, width)
        left = len(known) - PAIRS_WITH_SEGMENTS
        if left > 0:
            yield f"Deciding segments of {left} more pairs: use -f json, or choose a --baseline."


def _bold(text: str) -> str:
    from .console import use_colour

    return click.style(text, bold=True) if use_colour() else text


def _notes(sentences: Sequence[str], form: str) -> list[str]:
    """Sentences around tables; comments in LaTeX, nothing in TSV, which is for programs."""
    if form == "tsv" or not sentences:
        return []
    return ["\n".join(f"% {sentence}" for sentence in sentences) if form == "latex" else "\n".join(sentences)]


def _table(metric: MetricResult, header: Sequence[str], rows: Sequence[Sequence[str]], form: str) -> str:
    """A table; in TSV, where there are no headings, with the metric in the first column."""
    from ..report.tables import table

    if form == "tsv":
        return table(["Metric", *header], [[metric.metric, *row] for row in rows], form)
    return table(header, rows, form)


def _systems(metric: MetricResult, form: str, width: int) -> str:
    from ..report.tables import DASH, number

    worth = 1 if metric.higher_is_better else -1
    ranked = sorted(metric.systems, key=lambda s: (isnan(s.score), 0.0 if isnan(s.score) else -worth * s.score))
    percent = f"{100 * metric.systems[0].confidence:g} %"
    header = ["Rank", "System", metric.name, "±", f"{percent} interval"]
    rows = []
    for s in ranked:
        ranks = (
            DASH if s.rank_low is None else f"{s.rank_low}–{s.rank_high}" if s.rank_low != s.rank_high else s.rank_low
        )
        half = number((s.ci_high - s.ci_low) / 2, width)
        rows.append([str(ranks), s.system, number(s.score, width), half, _interval(s.ci_low, s.ci_high, width)])
    if not metric.clusters:  # nothing to rank by: not all pairs were compared
        return _table(metric, header[1:], [row[1:] for row in rows], form)
    if form != "text":
        clusters = [DASH if s.cluster is None else str(s.cluster) for s in ranked]
        return _table(metric, ["Cluster", *header], [[c, *row] for c, row in zip(clusters, rows, strict=True)], form)
    lines = _table(metric, header, rows, form).split("\n")
    rule = lines[1]
    shown = lines[:2]
    for place, line in enumerate(lines[2:]):
        if place and ranked[place].cluster != ranked[place - 1].cluster:
            shown.append(rule.replace("─", "╌"))
        shown.append(line)
    return "\n".join(shown)


def _interval(low: float, high: float, width: int, *, sign: str = "") -> str:
    from ..report.tables import DASH

    return DASH if isnan(low) or isnan(high) else f"{low:{sign}.{width}f} to {high:{sign}.{width}f}"


def _stars(p_value: float, alpha: float) -> str:
    """One star below alpha, two below a fifth of it, three below a fiftieth: .05, .01, .001."""
    return "*" * sum(p_value < alpha / part for part in (1, 5, 50))


def _pairs(result: Comparison, metric: MetricResult, form: str, width: int) -> str:
    from ..report.tables import DASH, number

    several = len(metric.pairs) > 1
    header = ["A", "B", "A - B", f"{100 * result.confidence:g} % interval"]
    for test in result.tests:
        header += [f"p {test}", "Holm" if form == "text" else f"Holm {test}"] if several else [f"p {test}"]
    header += ["Segments A/tie/B", "Verdict"]
    rows = []
    for pair in metric.pairs:
        change = DASH if isnan(pair.difference) else f"{pair.difference:+.{width}f}"
        row = [pair.a, pair.b, change, _interval(pair.ci_low, pair.ci_high, width, sign="+")]
        for test in result.tests:
            stars = f" {_stars(pair.p_holm[test], result.alpha):3}" if form == "text" else ""
            p_value, corrected = number(pair.p_value[test], 4), number(pair.p_holm[test], 4) + stars
            row += [p_value, corrected] if several else [corrected]
        rates = [number(100 * share, 0) for share in (pair.wins, pair.ties, pair.losses)]
        rows.append([*row, "/".join(rates) + " %", verdict(result, metric, pair)])
    return _table(metric, header, rows, form)


def verdict(result: Comparison, metric: MetricResult, pair: PairResult) -> str:
    """What the first test's corrected p-value allows to say. Not finding a difference is not finding equality."""
    p_value = pair.p_holm[result.tests[0]]
    if isnan(p_value):
        return "undefined"
    better = pair.better(metric.higher_is_better)
    if p_value >= result.alpha or better is None:
        return "not significantly different"
    return "A is better" if better == pair.a else "B is better"


def _slices(metric: MetricResult, form: str, width: int) -> str:
    from ..report.tables import number

    systems = [system.system for system in metric.systems]
    rows = [
        [part.by, part.slice, str(part.n_segments), *(number(part.scores[system], width) for system in systems)]
        for part in metric.slices
    ]
    return _table(metric, ["By", "Slice", "Segments", *systems], rows, form)


def _deciding(metric: MetricResult, pair: PairResult, form: str, width: int) -> str:
    """The segments that contribute most to a difference, with their texts."""
    title = f"What decides {pair.a} - {pair.b} = {pair.difference:+.{width}f} {metric.name}"
    if pair.deciding is not None:
        rest = f"{pair.deciding.difference_without:+.{width}f}"
        title += (
            f": {pair.deciding.segments} of {metric.n_segments} segments make {100 * pair.deciding.share:g} % of it "
            f"(without them it is {rest})"
        )
    lines = [_bold(title) if form == "text" else f"### {title}\n"]
    for segment in pair.segments:
        lines.extend(_segment(pair, segment, form, width))
    return "\n".join(lines)


def _segment(pair: PairResult, segment: Segment, form: str, width: int) -> Iterator[str]:
    from ..report.tables import number, shown_width

    scores = f"{pair.a} {number(segment.a_score, width)}, {pair.b} {number(segment.b_score, width)}"
    head = f"segment {segment.segment}: {segment.contribution:+.{width + 2}f} ({scores})"
    texts = [("source", segment.source), *(segment.references or {}).items()]
    texts += [(pair.a, segment.a_output), (pair.b, segment.b_output)]
    present = [(name, text) for name, text in texts if text is not None]
    if form == "markdown":
        yield f"- {head}"
        yield from (f"    - {name}: {_clip(text, 200)}" for name, text in present)
        return
    yield f"  {head}"
    columns = min(max(shutil.get_terminal_size((100, 24)).columns, 40), 160)
    names = [_clip(name, 20) for name, _ in present]
    margin = max(map(shown_width, names), default=0)
    for name, (_, text) in zip(names, present, strict=True):
        yield f"    {name}{' ' * (margin - shown_width(name))}  {_clip(text, columns - margin - 6)}"


def _clip(text: str, columns: int) -> str:
    """The beginning of a text, as much as fits; characters that would disturb a terminal are replaced."""
    from ..report.tables import shown_width

    start = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text[: 3 * columns])
    if len(start) == len(text) and shown_width(start) <= columns:
        return start
    while shown_width(start) > columns - 1:
        start = start[:-1]
    return start.rstrip() + "…"


def _legend(result: Comparison, form: str) -> list[str]:
    tests = ", ".join(f"{TEST_NAMES[test]} ({result.resamples[test]} resamples)" for test in result.tests)
    several = any(len(metric.pairs) > 1 for metric in result.metrics)
    legend = [
        f"p: two-sided, {tests}, seed {result.seed}.",
        "Segments: shares in which A is better, both tie, B is better.",
    ]
    if several:
        legend.append("Holm: corrected for the number of comparisons by this metric and test.")
    if form == "text":
        levels = ((1, 1), (2, 5), (3, 50))
        legend.append(", ".join(f"{'*' * stars} below {result.alpha / part:g}" for stars, part in levels) + ".")
    clusters = " and clusters" if any(metric.clusters for metric in result.metrics) else ""
    corrected = " (Holm)" if several else ""
    legend.append(f"Verdicts{clusters} go by {TEST_NAMES[result.tests[0]]}{corrected} at {result.alpha:g}.")
    if any(len(metric.clusters) > 1 for metric in result.metrics):
        legend.append("Clusters: every system of one is significantly better than every system of those below.")
    return legend
