"""`tercet report`: one HTML file with the comparison of systems and a browser of all segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...data.files import check_writable
from ...errors import UsageError
from ...options import again, command, option, python_option, shell_option, takes
from ...options.groups import (
    DifferenceTests,
    MetricChoice,
    OtherScores,
    SegmentChoice,
    SegmentGroups,
    Texts,
    Where,
    WordChoice,
)

if TYPE_CHECKING:
    from ...comparison_report import ComparisonReport
    from ...comparison_report.layers import Layer
    from ...data.stream import TextFiles
    from ...data.testset import TestSet
    from ...metrics import Metric


@dataclass(frozen=True, kw_only=True)
class ReportOptions(Where, WordChoice, SegmentChoice, DifferenceTests, OtherScores, MetricChoice, Texts):
    """Options of `report`."""

    judgements: Sequence[str | Path] = option(
        (), "--judgements", metavar="FILE", several=True,
        help="Human judgements (DA, ESA, MQM, …), shown beside the metrics.",
        about="Files of human judgements (DA, ESA, MQM, …), shown beside the metrics as means of segments. Errors "
        "that people marked (ESA, MQM) are marked in the texts.",
    )  # fmt: skip
    baseline: str | None = again(
        DifferenceTests, "baseline", metavar="SYSTEM|OLD.html",
        help="Compare all with this system, or with an earlier report: what changed since. [default: all pairs]",
        about="Compare all systems with this one, or with the page of an earlier report; by default all pairs.",
    )  # fmt: skip
    slices: Sequence[str] | None = again(
        SegmentGroups, "slices",
        about='Groups of segments: "length", "document", labels such as "domain". By default all that the test set '
        "has.",
    )  # fmt: skip
    words: Sequence[str] = again(WordChoice, "words", ("frequency",), scope="both")
    training: Sequence[str] | None = python_option(None, "Texts to count words in, as for `compare_words`.")
    parser: str | None = again(WordChoice, "parser", scope="both")
    labels: Mapping[str, Sequence[str]] | None = python_option(None, "Labels of words, as for `compare_words`.")
    tokenize: str | None = again(
        MetricChoice, "tokenize", scope="both",
        about="Tokeniser of words and n-grams, as for `compare_words`; metrics have their own.",
    )  # fmt: skip
    lowercase: bool | None = again(
        MetricChoice, "lowercase", scope="both", about="Ignore case of words and n-grams; metrics have their own."
    )
    marks: int | None = option(
        None, "--marks", metavar="N", low=0,
        help="Mark words in the N segments that differ most, by what metrics saw. [default: all; fewer of large ones]",
        about="The number of segments whose words are marked by what metrics saw in them (alignments, entities): "
        "those that differ most. By default all of 2,000 segments of three systems, and of larger reports fewer. BLEU "
        "and chrF mark all segments of any report.",
    )  # fmt: skip
    title: str | None = option(
        None, "--title", help="Title of the page. [default: the name of the test set]",
        about="Title of the page; by default the name of the test set, or the names of the systems if it has none.",
    )  # fmt: skip
    path: str = shell_option("report.html", "-o", "--output", metavar="FILE", recorded=False, help="The page.")


@takes(ReportOptions)
def report(
    testset: TestSet | TextFiles, metrics: Sequence[str | Metric] | str | Metric = ("bleu",), *, options: ReportOptions
) -> ComparisonReport:
    """Compare systems and make a page of the result: ranking, differences, slices, and a browser of all segments.

    Parameters
    ----------
    testset : TestSet or TextFiles
        The texts, of one or more systems. On one system the report has findings of checks and names, too.
    metrics : sequence of str or Metric
        One or more metrics, as for `score`; the first gives the verdict.

    Returns
    -------
    ComparisonReport : `write(path)` writes the page; `comparison` has all numbers; `verdict` is the first sentence.

    Examples
    --------
    >>> import tercet
    >>> found = tercet.report(tercet.demo("en-de"), ["chrf", "bleu"])
    >>> found.write("report.html")  # doctest: +SKIP
    >>> found.comparison
    Comparison(chrF2, BLEU: 3 systems, 3 pairs)
    """
    from ...data.stream import TextFiles
    from .earlier import is_page, with_earlier
    from .making import make_report

    layers: Sequence[Layer] = ()
    before: Mapping[str, str] = {}
    texts = testset.read() if isinstance(testset, TextFiles) else testset
    if is_page(options.baseline):
        texts, before = with_earlier(texts, str(options.baseline))
        options = replace(options, baseline=None)
    elif len(texts.systems) == 1:
        from .single import examined

        texts, layers = examined(texts)
    return make_report(texts, metrics, options, layers, before)


@command(ReportOptions)
def run(options: ReportOptions) -> None:
    """Write a page that compares systems: ranking, differences, slices, and every segment with its differences.

    The page is one file that opens from disk without a network.

    \b
    tercet report ref.txt -i a.txt b.txt c.txt -s src.txt -m chrf bleu -o report.html
    tercet report -t DIR -l en-de -m chrf --scores comet.json --judgements ratings.tsv
    """
    import click

    from ..shared.metrics import needs_reference
    from ..shared.texts import read_testset

    path = Path(options.path)
    check_writable(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"The report is a page of HTML: write -o {path.with_suffix('.html')}.")
    found = report_of(options, read_testset(options, needs_reference=needs_reference(options)))
    found.write(options.path)
    click.echo(f"{found.verdict}\nWrote {options.path}")


def report_of(options: ReportOptions, texts: TestSet) -> ComparisonReport:
    """Return the report on these texts that the options of a command ask for."""
    from ...cli.console import Progress
    from ..compare import word_arguments
    from ..shared.metrics import chosen_metrics, other_scores
    from ..shared.texts import selected_segments

    specs, words = chosen_metrics(options), options.words or ("frequency",)
    given = word_arguments(options, options, words)
    with Progress("Counting", quiet=options.quiet) as progress:
        return report(
            texts,
            specs,
            **options.python(
                **given,
                words=words,
                slices=options.slices or None,
                scores=other_scores(options, texts),
                segments=selected_segments(options.only, texts),
                progress=progress,
            ),
        )
