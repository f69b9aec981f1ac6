"""`tercet compare`: differences, intervals, tests, clusters, power, deciding segments; a gate for CI pipelines."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError, UsageError
from .console import Progress
from .gates import gate_options
from .inputs import input_options, read_inputs
from .options import SEED, STYLE, ManyValues, check_style, format_option, run_options, where, width_option
from .score import chosen_metrics, external, metric_options, needs_reference, score_file_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..comparing import NgramComparison, WordComparison
    from ..data.testset import TestSet
    from ..rendering.document import Part


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
@click.option(
    "-n",
    "--resamples",
    type=int,
    help="Resamples. [default: 1000 for bootstrap, 10000 for randomisation; more where many systems need them]",
)
@SEED
@click.option("--alpha", default=0.05, show_default=True, help="Significance level.")
@click.option(
    "--slice",
    "--by",
    "slices",
    multiple=True,
    metavar="WHAT",
    help="Also score slices: length, document, domain or another label of the test set, numbers, duplicates, "
    "terms:FILE, entities[:PARSER].",
)
@click.option(
    "--only",
    multiple=True,
    metavar="WHAT",
    help="Compare on these segments alone: numbers, entities[:PARSER], terms:FILE, duplicates, the opposite as "
    "no-duplicates, or a slice as domain=news. All of several must hold.",
)
@click.option(
    "--buckets", multiple=True, metavar="WHAT", help="Segments of each system by length-difference, score or quality."
)
@click.option(
    "--thresholds",
    multiple=True,
    metavar="METRIC=LOW,HIGH",
    help="Of --buckets quality: below LOW is poor, from HIGH good. [default: quartiles of all systems' segments]",
)
@click.option(
    "--words",
    multiple=True,
    metavar="GROUPING",
    help="F-measure of words by frequency, pos (part of speech) or label.",
)
@click.option(
    "--training", metavar="FILE", help="For --words frequency: the text to count in. [default: the references]"
)
@click.option("--parser", help="For --words pos: spacy:MODEL, conllu:FILE and others. [default: the installed one]")
@click.option(
    "--word-labels",
    multiple=True,
    metavar="NAME=FILE",
    help="For --words label: labels of the words of a reference or system, one line per segment.",
)
@click.option("--ngrams", is_flag=True, help="Words and n-grams that one system gets right more often, with a test.")
@click.option("--pairs", is_flag=True, help="List all pairs of systems; above six systems the default is a matrix.")
@click.option("--top", default=5, show_default=True, help="Deciding segments to show per pair.")
@click.option(
    "--full", is_flag=True, help="JSON: add the deciding segments of all pairs, and the segments of slices and buckets."
)
@click.option(
    "--edits",
    is_flag=True,
    help="Show edit scripts of deciding segments and sums of edits, for metrics that have them, as ter and wer.",
)
@gate_options
@format_option()
@STYLE
@click.option("--intervals", is_flag=True, help="Add intervals to the table of --style paper.")
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
    from ..comparing import TESTS, compare
    from ..explaining import check_edits, compare_edits
    from ..scoring import make_ready
    from .compare_findings import ngram_parts, word_parts
    from .compareboard import comparison_parts
    from .console import rendered
    from .gates import check_gates, read_gates, report_verdicts

    paper = check_style(options)
    if options["intervals"] and not paper:
        raise UsageError("--intervals goes with --style paper; the other tables have intervals.")
    if options["full"] and options["form"] != "json":
        raise UsageError("--full goes with -f json.")
    gates = read_gates(options)
    specs = chosen_metrics(options)
    texts = _texts(options, kept=bool(gates) or options["form"] == "html")
    if options["edits"]:
        check_edits(specs)
    others = external(options, texts)
    segments = selected_segments(options, texts)
    if gates:
        compared = [*make_ready(texts, specs), *(item.metric for item in others)]
        check_gates(gates, texts, len(texts if segments is None else segments), compared, options)
    if options["form"] == "html":
        from .report import make_report

        found = make_report(options, texts)
        click.echo(found.html())
        verdicts = [verdict for gate in gates for verdict in gate.verdicts(found.comparison)]
        if code := report_verdicts(verdicts, found.comparison, options):
            sys.exit(code)
        return
    with Progress("Counting", quiet=options["quiet"]) as progress:
        result = compare(
            texts,
            specs,
            scores=others,
            tests=options["tests"] or TESTS,
            progress=progress,
            **where(options),
            segments=segments,
            thresholds=read_thresholds(options["thresholds"]),
            **{name: options[name] for name in ("resamples", "baseline", "alpha", "slices", "top", "seed", "buckets")},
        )
    edits = None
    if options["edits"]:
        with Progress("Listing edits", quiet=options["quiet"]) as progress:
            edits = compare_edits(result, texts, segments=segments, progress=progress)
    words, ngrams = _words(options, texts, segments), _ngrams(options, texts, segments)
    parts = chain(
        _selection_parts(options, segments, texts),
        comparison_parts(result, options["form"], options["width"], edits, pairs=options["pairs"]),
        *map(word_parts, words),
        *map(ngram_parts, ngrams),
    )
    verdicts = [verdict for gate in gates for verdict in gate.verdicts(result)]
    extra = {
        "words": [each.to_dict() for each in words],
        "ngrams": [each.to_dict() for each in ngrams],
        "gates": [asdict(verdict) for verdict in verdicts],
    }
    if paper:
        from .paperboard import comparison_table

        click.echo(comparison_table(result, options, len(texts.references)).render(options["form"]))
    else:
        click.echo(rendered(options["form"], parts, lambda: (edits or result).to_dict(full=options["full"]) | extra))
    if code := report_verdicts(verdicts, result, options):
        sys.exit(code)


def _texts(options: dict[str, Any], *, kept: bool) -> Any:
    """Return the texts; in memory if they are used for more than scores and for the segments that are shown."""
    from ..data.stream import TextFiles

    given = read_inputs(options, needs_reference=needs_reference(options))
    kept = kept or any(options[name] for name in ("edits", "scores", "only", "words", "ngrams", "slices", "buckets"))
    return given.read() if kept and isinstance(given, TextFiles) else given


def selected_segments(options: dict[str, Any], texts: TestSet) -> list[int] | None:
    """Return the numbers of the segments that fulfil all conditions of --only; None without conditions."""
    if not options["only"]:
        return None
    from ..slicing import select_segments

    kept = set.intersection(*(set(select_segments(condition, texts)) for condition in options["only"]))
    if not kept:
        raise DataError(f"No segment fulfils --only {' and --only '.join(options['only'])}.")
    return sorted(kept)


def _selection_parts(options: dict[str, Any], segments: list[int] | None, texts: TestSet) -> Iterator[Part]:
    from ..rendering.document import Notes

    if segments is not None:
        yield Notes([f"Only {', '.join(options['only'])}: {len(segments)} of {len(texts)} segments."])


def read_thresholds(given: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return thresholds by metric from METRIC=LOW,HIGH."""
    found = {}
    for text in given:
        metric, _, values = text.rpartition("=")
        try:
            low, high = map(float, values.split(","))
        except ValueError:
            metric = ""
        if not metric:
            raise UsageError(f"--thresholds {text}: write METRIC=LOW,HIGH, as chrf=40,60.")
        found[metric] = (low, high)
    return found


def _words(options: dict[str, Any], texts: TestSet, segments: list[int] | None) -> list[WordComparison]:
    given = word_options(options, options["words"])
    if not options["words"]:
        return []
    from ..comparing import compare_words

    return [
        compare_words(
            texts,
            by,
            **given,
            segments=segments,
            **{name: options[name] for name in ("baseline", "alpha", "seed")},
        )
        for by in dict.fromkeys(options["words"])
    ]


def word_options(options: dict[str, Any], groupings: Sequence[str]) -> dict[str, Any]:
    """Return how words are found and grouped: the training text, the parser, the labels, the tokeniser."""
    from ..data.lines import read_lines
    from ..data.stream import split_name

    for option, grouping in (("training", "frequency"), ("parser", "pos"), ("word_labels", "label")):
        if options[option] and grouping not in groupings:
            raise UsageError(f"--{option.replace('_', '-')} goes with --words {grouping}.")
    labels: dict[str, list[str]] = {}
    for text in options["word_labels"]:
        name, path = split_name(text)
        if name is None:
            raise UsageError(f"--word-labels {text}: write NAME=FILE with the name of a reference or system.")
        labels[name] = read_lines(path)
    training = read_lines(options["training"]) if options["training"] else None
    how = {"tokenize": options["tokenize"], "lowercase": bool(options["lowercase"])}
    return {"training": training, "parser": options["parser"], "labels": labels, **how}


def _ngrams(options: dict[str, Any], texts: TestSet, segments: list[int] | None) -> list[NgramComparison]:
    if not options["ngrams"]:
        return []
    from ..comparing import compare_ngrams

    return compare_ngrams(
        texts,
        baseline=options["baseline"],
        segments=segments,
        tokenize=options["tokenize"],
        lowercase=bool(options["lowercase"]),
        alpha=options["alpha"],
    )
