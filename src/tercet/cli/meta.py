"""`tercet meta`: judge metrics against people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import ManyValues

if TYPE_CHECKING:
    from ..metaeval import MetaEvaluation, Verdicts

# Options that say how results are shown. All others are parameters of `judge_pairs`.
SHOWN = {"matrix", "figures", "figure_form", "form", "width", "output", "quiet"}
FORMATS = ("text", "json", "csv", "tsv", "markdown", "latex")


@click.command("meta", cls=ManyValues)
@click.argument("dataset", metavar="DATASET|DIR|FILE")
@click.option(
    "-l",
    "--pair",
    "--language-pair",
    "pairs",
    multiple=True,
    metavar="SRC-TGT...",
    help="Language pairs, as de-en. [default: all that have judgements]",
)
@click.option("--data", metavar="DIR", help="The folder that contains DATASET. [default: that of 'tercet data']")
@click.option(
    "-m", "--metrics", "--metric", "metrics", multiple=True, metavar="METRIC...",
    help="Metrics to compute from the texts, as chrf sentbleu.",
)  # fmt: skip
@click.option(
    "-r", "--reference", "references", multiple=True, metavar="REFERENCE...",
    help="References for -m: names of the test set's, or files. [default: all of the test set]",
)  # fmt: skip
@click.option("--scores", multiple=True, metavar="FILE...", help="Files of metric scores (see the docs).")
@click.option(
    "--published/--no-published", default=None,
    help="Also the metric scores that came with the data. [default: if neither -m nor --scores is given]",
)  # fmt: skip
@click.option(
    "--mean-of-segments", is_flag=True,
    help="At system level, use the mean of its segment scores as the system score of every metric that has them.",
)  # fmt: skip
@click.option(
    "--level", type=click.Choice(["sys", "seg"]), default="sys", show_default=True, help="By system or by segment."
)
@click.option(
    "--stat", "statistic", default=None, metavar="STATISTIC",
    help="pearson, spearman, kendall, kendall-c, accuracy, accuracy-calibrated, soft-accuracy, tau:wmt12|wmt13|wmt14|"
    "hties or a table such as 'tau:1,0,-1;X,X,X;-1,0,1'. [default: pearson; for preferences tau]",
)  # fmt: skip
@click.option("--judgements", "judgements", multiple=True, metavar="FILE...", help="More judgements (see the docs).")
@click.option(
    "--kind", type=click.Choice(["da", "esa", "mqm"]), help="How people judged, for exports of Appraise and Pearmut."
)
@click.option("--system-prefix", default="", help="Taken off the names of systems in such exports, as 'wmt23.'.")
@click.option(
    "--passing-raters",
    is_flag=True,
    help="Of raters who saw damaged outputs, keep those who scored them lower (paired t-test, p <= .05).",
)
@click.option("-g", "--gold", metavar="NAME", help="The human standard, where there are several: da, mqm, darr, …")
@click.option(
    "--systems", multiple=True, metavar="SYSTEM...",
    help="Only these systems. [default: all that were judged and are no references]",
)  # fmt: skip
@click.option("--common", is_flag=True, help="Leave out what any metric lacks, instead of giving that metric no value.")
@click.option("--absolute", is_flag=True, help="Sizes of correlations without their signs, as WMT19 prints them.")
@click.option(
    "--average", "--avg", type=click.Choice(["none", "item", "system"]), default="none", show_default=True,
    help="Correlate segments all at once, or by item (segment) or system and take the mean.",
)  # fmt: skip
@click.option(
    "--margin", type=float, help="Points that make a preference of two scores. [default: 25 for raw DA, else 0]"
)
@click.option("--inclusive", is_flag=True, help="A difference of just the margin is a preference too.")
@click.option(
    "--unit", metavar="UNIT",
    help="What is drawn anew for intervals: systems, segments, judgements, pairs or outputs. [default: as the papers]",
)  # fmt: skip
@click.option("-n", "--resamples", type=click.IntRange(1), default=1000, show_default=True, help="How often to draw.")
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of intervals.")
@click.option(
    "--significance", default="auto", show_default=True, metavar="TEST",
    help="williams, bootstrap, overlap, perm-inputs, perm-systems, perm-both or none. auto: williams for Pearson's r, "
    "bootstrap for the rest.",
)  # fmt: skip
@click.option("--alpha", default=0.05, show_default=True, help="Significance level.")
@click.option("--seed", type=int, help="Seed of all that is drawn. [default: $SACREBLEU_SEED or 12345]")
@click.option("--top-n", "top", is_flag=True, help="Also over the N best systems, N from all down to 4.")
@click.option("--by-quality", is_flag=True, help="Also by quarters of the human scores, from worst to best.")
@click.option("--matrix", is_flag=True, help="Also all metrics head to head: p-values of row against column.")
@click.option("--figures", metavar="DIR", help="Write plots here: scatter, intervals, heat map, top-N, histograms.")
@click.option(
    "--figure-format", "figure_form", type=click.Choice(["svg", "png", "html"]), default="svg", show_default=True
)
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-w", "--width", type=click.IntRange(0, 15), default=3, show_default=True, help="Decimals in tables.")
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to standard output.")
@click.option("-j", "--jobs", default=1, show_default=True, help="Processes; 0 for all cores.")
@click.option("--cache", metavar="DIR", help="Keep finished counts here, so that a killed run goes on.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings, no progress.")
def command(**options: Any) -> None:
    """Judge metrics against people: how well they agree, with intervals, and which of them no other outperforms.

    \b
    tercet meta DIR --pair fr-en --level seg --stat tau:wmt14 -m sentbleu chrf
    tercet meta wmt19 --pair de-en --scores my-metric.sys.score --published
    tercet meta DIR --level sys --matrix --top-n --figures plots
    """  # fmt: skip
    from ..metaeval import sign_flips
    from .console import hush
    from .metaboard import render

    if options["quiet"]:
        hush()
    results = _judged(options).results
    text = render(results, options["form"], options["width"], matrix=options["matrix"])
    if options["output"]:
        from ..data.files import writing

        with writing(options["output"]) as stream:
            stream.write(text + "\n")
    written: list[Path] = []
    try:  # all files first: whoever reads the table or the messages may stop reading
        if options["figures"]:
            written = _save_figures(results, Path(options["figures"]), options["figure_form"])
    finally:
        for label, (positive, negative) in sign_flips(results).items():
            _warn(f"{label} agrees with people for {', '.join(positive)} and disagrees for {', '.join(negative)}.")
        for result in results:
            for note in result.notes:
                _warn(f"{result.pair or result.dataset}: {note}")
        if not options["output"]:
            click.echo(text)
    for path in written:
        click.echo(f"Wrote {path}", err=True)


def _judged(options: dict[str, Any]) -> MetaEvaluation:
    """Return the verdicts for every language pair."""
    from ..metaeval import judge_pairs
    from .console import Progress
    from .score import seed_of

    asked = {name: value for name, value in options.items() if name not in SHOWN} | {"seed": seed_of(options)}
    return judge_pairs(**asked, progress=lambda pair: Progress(f"Counting {pair}", quiet=options["quiet"]))


def _save_figures(results: Sequence[Verdicts], folder: Path, ending: str) -> list[Path]:
    """One file per figure, called PAIR.WHAT.ENDING."""
    from ..errors import UsageError
    from ..metaeval.plots import SCATTERS, draw

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be made: {error.strerror or error}.") from None
    written = []
    for result in results:
        for what, figure in draw(result).items():
            written.append(folder / f"{result.pair or result.dataset}.{what}.{ending}")
            figure.save(written[-1])
    most = max(len(result.items) for result in results)
    if most > SCATTERS and results[0].level == "sys":
        _warn(f"Scatter plots are of the {SCATTERS} best metrics of {most}.")
    return written


def _warn(message: str) -> None:
    import logging

    logging.getLogger("tercet.metaeval").warning(message)
