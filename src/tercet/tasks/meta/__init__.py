"""`tercet meta`: evaluate metrics against human judgements."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...options import REQUIRED, again, command, option, shell_option, takes
from ...options.groups import Decimals, Figures, Quiet
from ...options.judging import Judging, JudgingSources

if TYPE_CHECKING:
    from ...data.testset import TestSet
    from ...metaeval import MetaEvaluation, Verdicts

log = logging.getLogger(__name__)

TITLE = "Metrics against people"


@dataclass(frozen=True, kw_only=True)
class MetaOptions(Quiet, Figures, Decimals, Judging, JudgingSources):
    """Options of `meta`."""

    dataset: str | Path | TestSet = option(
        REQUIRED, metavar="DATASET|DIR|FILE", positional=True,
        about="A test set, a folder, a file, the name of a folder in `data`, or the name of a data set of `tercet "
        "data`.",
    )  # fmt: skip
    more_references: Sequence[str] = shell_option((), metavar="[REFERENCE]...")
    outputs: Sequence[str] = shell_option(
        (), "-i", "--input", metavar="OUTPUT", several=True,
        help="Outputs, one file a system; the arguments before it are reference files then.",
    )  # fmt: skip
    source: str | None = shell_option(None, "-s", "--source", help="The source text, with -i.")
    pairs: Sequence[str] = option(
        (), "-l", "--pair", "--language-pair", metavar="SRC-TGT", several=True, positional=True,
        help="Language pairs, such as de-en. [default: all that have judgements]",
        about='Language pairs, such as "de-en". Default: all pairs that have judgements. A pair that was not '
        "requested and cannot be evaluated is left out with a warning.",
    )  # fmt: skip
    data: str | Path | None = option(
        None, "--data", metavar="DIR", help="The folder that contains DATASET. [default: that of 'tercet data']",
        about="The folder that contains `dataset`.",
    )  # fmt: skip
    matrix: bool = shell_option(False, "--matrix", help="Also show the p-values of all pairs of metrics.")
    width: int = again(Decimals, "width", 3, help="Decimals in tables.")

    def check(self) -> None:
        super().check()
        if (self.more_references or self.source) and not self.outputs:
            raise UsageError("Give one data set, or references before outputs: meta ref.txt -i a.txt b.txt.")


@takes(MetaOptions)
def meta(*, options: MetaOptions) -> MetaEvaluation:
    """Evaluate metrics against human judgements, for each language pair of a data set.

    All options are checked before the first metric is computed.

    Parameters
    ----------

    Returns
    -------
    MetaEvaluation
        One `Verdicts` per language pair. It has `to_dict()` and `to_pandas()`.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import tercet
    >>> from tercet import examples
    >>> folder = mkdtemp()
    >>> files = examples.write("en-de", folder)
    >>> found = tercet.meta(folder, metrics=["bleu", "ter"], level="seg")
    >>> for item in found["en-de"].items:
    ...     print(f"{item.label}: {item.value:.3f}, from {item.ci_low:.3f} to {item.ci_high:.3f}")
    BLEU: 0.819, from 0.747 to 0.877
    TER: 0.837, from 0.773 to 0.891
    """
    from ...metaeval import judge_pairs
    from ...metaeval.gathering import Sources
    from ...metaeval.judging import Request

    return judge_pairs(options.dataset, options.pairs, options.data, Sources.of(options), Request.of(options))


@command(MetaOptions)
def run(options: MetaOptions) -> None:
    """Measure how well metrics agree with people, with intervals, and find those that no other outperforms.

    \b
    tercet meta ref.txt -i a.txt b.txt --judgements ratings.csv --level seg
    tercet meta DIR --pair fr-en --level seg --stat tau:wmt14 -m sentbleu chrf
    tercet meta wmt19 --pair de-en --scores my-metric.sys.score --published
    tercet meta DIR --level sys --matrix --top-n --figures plots
    """
    import click

    from ...cli.console import Progress, rendered, save_figures
    from ...metaeval import sign_flips
    from ...metaeval.results import COLUMNS
    from .board import verdict_parts

    def counting(pair: str) -> Progress:
        return Progress(f"Counting {pair}", quiet=options.quiet)

    found = meta(**options.python(progress=counting, **_own_texts(options)))
    results = found.results
    parts = verdict_parts(results, options.width, matrix=options.matrix)
    text = rendered(options.form, parts, found.rows, TITLE, found.rows, COLUMNS)
    try:  # files first, because the reader of the output may stop reading
        if options.figures:
            save_figures(_figures(results), options.figures, options.figure_form)
    finally:
        for label, (positive, negative) in sign_flips(results).items():
            agree, disagree = ", ".join(positive), ", ".join(negative)
            log.warning("%s agrees with people for %s and disagrees for %s.", label, agree, disagree)
        for result in results:
            for note in result.notes:
                log.warning("%s: %s", result.pair or result.dataset, note)
        click.echo(text)


def _own_texts(options: MetaOptions) -> dict[str, Any]:
    """Return the texts that are given as files, and no references to choose among them; nothing for a data set."""
    if not options.outputs:
        return {}
    from ...options.groups import Texts
    from ..shared.texts import read_testset

    references = (str(options.dataset), *options.more_references, *options.references)
    pair = options.pairs[0] if options.pairs else None
    texts = Texts(references=references, outputs=options.outputs, source=options.source, pair=pair)
    return {"dataset": read_testset(texts), "references": ()}


def _figures(results: Sequence[Verdicts]) -> dict[str, Any]:
    from ...metaeval.plots import SCATTERS, draw

    most = max(len(result.items) for result in results)
    if most > SCATTERS and results[0].level == "sys":
        log.warning("Only the %d best of %d metrics have scatter plots.", SCATTERS, most)
    return {
        f"{result.pair or result.dataset}.{what}": figure for result in results for what, figure in draw(result).items()
    }
