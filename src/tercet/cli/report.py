"""`tercet report`: one HTML file with the comparison of systems and a browser of all segments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.files import check_writable
from ..errors import UsageError
from .compare import command as compare_command
from .compare import read_thresholds, selected_segments, word_options
from .console import Progress
from .inputs import read_testset
from .options import ManyValues, several, where
from .score import chosen_metrics, external, needs_reference

if TYPE_CHECKING:
    from ..comparison_report import ComparisonReport
    from ..data.testset import TestSet

# Options of `compare` that are for its text, or for what every page has.
OF_TEXT = {"top", "edits", "gates", "junit", "pairs", "buckets", "ngrams", "form", "spreadsheet", "width"}
OF_TEXT |= {"full", "output_file", "style", "intervals"}


@click.command("report", cls=ManyValues)
@several("--judgements", of="FILE", help="Human judgements (DA, ESA, MQM, …), shown beside the metrics.")
@click.option(
    "--marks",
    type=click.IntRange(0),
    metavar="N",
    help="Mark words in the N segments that differ most, by what metrics saw in them. [default: 500 outputs]",
)
@click.option("--title", help="Title of the page. [default: the name of the test set]")
@click.option("-o", "--output", "path", default="report.html", show_default=True, metavar="FILE", help="The page.")
def command(**options: Any) -> None:
    """Write a page that compares systems: ranking, differences, slices, and every segment with its differences.

    The page is one file that opens from disk without a network.

    \b
    tercet report ref.txt -i a.txt b.txt c.txt -s src.txt -m chrf bleu -o report.html
    tercet report -t DIR -l en-de -m chrf --scores comet.json --judgements ratings.tsv
    """  # fmt: skip
    path = Path(options["path"])
    check_writable(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"The report is a page of HTML: write -o {path.with_suffix('.html')}.")
    found = make_report(options, read_testset(options, needs_reference=needs_reference(options)))
    found.write(options["path"])
    click.echo(f"{found.verdict}\nWrote {options['path']}")


command.params[:0] = [option for option in compare_command.params if option.name not in OF_TEXT]


def make_report(options: dict[str, Any], texts: TestSet) -> ComparisonReport:
    """Return the report on these texts that the options of `compare` or `report` ask for."""
    from ..comparing import TESTS
    from ..comparison_report import report

    specs, words = chosen_metrics(options), options["words"] or ("frequency",)
    with Progress("Counting", quiet=options["quiet"]) as progress:
        return report(
            texts,
            specs,
            scores=external(options, texts),
            judgements=options.get("judgements", ()),
            title=options.get("title"),
            marks=options.get("marks"),
            tests=options["tests"] or TESTS,
            slices=options["slices"] or None,
            thresholds=read_thresholds(options["thresholds"]),
            segments=selected_segments(options, texts),
            words=words,
            **word_options(options, words),
            progress=progress,
            **where(options),
            **{name: options[name] for name in ("resamples", "baseline", "alpha", "seed")},
        )
