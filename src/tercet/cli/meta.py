"""`tercet meta`: evaluate metrics against human judgements."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .console import Progress
from .options import (
    CACHE,
    EXPORTS,
    INTERVALS,
    JOBS,
    QUIET,
    RESULTS,
    ManyValues,
    metrics_option,
    save_figures,
    several,
)

if TYPE_CHECKING:
    from ..metaeval import MetaEvaluation, Verdicts

log = logging.getLogger(__name__)

TITLE = "Metrics against people"
# Options that say how results are shown. All others are parameters of `judge_pairs`.
SHOWN = {"matrix", "figures", "figure_form", "form", "width", "output_file", "quiet"}


@click.command("meta", cls=ManyValues)
@click.argument("dataset", metavar="DATASET|DIR|FILE")
@several(
    "-l",
    "--pair",
    "--language-pair",
    "pairs",
    of="SRC-TGT",
    help="Language pairs, such as de-en. [default: all that have judgements]",
)
@click.option("--data", metavar="DIR", help="The folder that contains DATASET. [default: that of 'tercet data']")
@metrics_option("Metrics to compute from the texts, such as chrf sentbleu.")
@several(
    "-r",
    "--reference",
    "references",
    of="REFERENCE",
    help="References for -m: names in the test set, or files. [default: all of the test set]",
)
@several("--scores", of="FILE", help="Files of metric scores (see the docs).")
@click.option(
    "--published/--no-published", default=None,
    help="Include the metric scores that come with the data. [default: if neither -m nor --scores is given]",
)  # fmt: skip
@click.option(
    "--mean-of-segments", is_flag=True,
    help="At system level, use the mean of its segment scores as the system score of every metric that has them.",
)  # fmt: skip
@click.option(
    "--level",
    type=click.Choice(["sys", "seg", "system", "segment"]),
    metavar="sys|seg",
    default="sys",
    show_default=True,
    help="Systems or segments.",
)
@click.option(
    "--stat", "statistic", default=None, metavar="STATISTIC",
    help="pearson, spearman, kendall, kendall-c, accuracy, accuracy-calibrated, soft-accuracy, tau:wmt12|wmt13|wmt14|"
    "hties or a table such as 'tau:1,0,-1;X,X,X;-1,0,1'. [default: pearson; tau for preferences]",
)  # fmt: skip
@several("--judgements", of="FILE", help="More files of judgements (see the docs).")
@EXPORTS
@click.option(
    "--passing-raters", is_flag=True,
    help="Leave out raters who did not score damaged outputs lower (paired t-test, p <= .05).",
)  # fmt: skip
@click.option("-g", "--gold", metavar="NAME", help="The gold standard, if there are several: da, mqm, darr, …")
@several("--systems", of="SYSTEM", help="Only these systems. [default: all judged systems that are not references]")
@click.option("--common", is_flag=True, help="Leave out for all what one metric lacks, instead of giving it no value.")
@click.option("--absolute", is_flag=True, help="Use absolute values of correlations, as WMT19 does.")
@click.option(
    "--average", "--avg", type=click.Choice(["none", "item", "system"]), default="none", show_default=True,
    help="Correlate all segments at once, or take the mean of correlations by item (segment) or system.",
)  # fmt: skip
@click.option(
    "--margin", type=float, help="Two scores that differ by more are a preference. [default: 25 for raw DA, else 0]"
)
@click.option("--inclusive", is_flag=True, help="A difference equal to the margin is a preference too.")
@click.option(
    "--unit", metavar="UNIT",
    help="What is resampled for intervals: systems, segments, judgements, pairs or outputs. [default: as in papers]",
)  # fmt: skip
@INTERVALS
@click.option(
    "--significance", default="auto", show_default=True, metavar="TEST",
    help="williams, bootstrap, overlap, perm-inputs, perm-systems, perm-both or none. auto: williams for Pearson's r, "
    "bootstrap otherwise.",
)  # fmt: skip
@click.option("--alpha", default=0.05, show_default=True, help="Significance level.")
@click.option("--top-n", "top", is_flag=True, help="Also show values over the N best systems, for every N down to 4.")
@click.option("--by-quality", is_flag=True, help="Also show values by quarters of the human scores, worst to best.")
@click.option("--matrix", is_flag=True, help="Also show the p-values of all pairs of metrics.")
@RESULTS
@JOBS
@CACHE
@QUIET
def command(**options: Any) -> None:
    """Measure how well metrics agree with people, with intervals, and find those that no other outperforms.

    \b
    tercet meta DIR --pair fr-en --level seg --stat tau:wmt14 -m sentbleu chrf
    tercet meta wmt19 --pair de-en --scores my-metric.sys.score --published
    tercet meta DIR --level sys --matrix --top-n --figures plots
    """  # fmt: skip
    from ..metaeval import sign_flips
    from ..metaeval.results import COLUMNS
    from .console import rendered
    from .metaboard import verdict_parts

    found = _judged(options)
    results = found.results
    parts = verdict_parts(results, options["width"], matrix=options["matrix"])
    text = rendered(options["form"], parts, found.rows, TITLE, found.rows, COLUMNS)
    try:  # files first, because the reader of the output may stop reading
        if options["figures"]:
            _save_figures(results, options["figures"], options["figure_form"])
    finally:
        for label, (positive, negative) in sign_flips(results).items():
            agree, disagree = ", ".join(positive), ", ".join(negative)
            log.warning("%s agrees with people for %s and disagrees for %s.", label, agree, disagree)
        for result in results:
            for note in result.notes:
                log.warning("%s: %s", result.pair or result.dataset, note)
        click.echo(text)


def _judged(options: dict[str, Any]) -> MetaEvaluation:
    """Return the verdicts for every language pair."""
    from ..metaeval import judge_pairs

    asked = {name: value for name, value in options.items() if name not in SHOWN}
    return judge_pairs(**asked, progress=lambda pair: Progress(f"Counting {pair}", quiet=options["quiet"]))


def _save_figures(results: Sequence[Verdicts], folder: str, ending: str) -> None:
    """Write one file per figure, called PAIR.WHAT.ENDING."""
    from ..metaeval.plots import SCATTERS, draw

    figures = {
        f"{result.pair or result.dataset}.{what}": figure for result in results for what, figure in draw(result).items()
    }
    save_figures(figures, folder, ending)
    most = max(len(result.items) for result in results)
    if most > SCATTERS and results[0].level == "sys":
        log.warning("Only the %d best of %d metrics have scatter plots.", SCATTERS, most)
