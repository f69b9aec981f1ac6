"""`tercet agree`: report how well raters agree, and whether what they were shown affects their judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import ManyValues

if TYPE_CHECKING:
    from ..data.scores import Scores
    from ..data.testset import TestSet
    from ..human.agreement import Agreement

FORMATS = ("text", "json", "csv", "tsv", "markdown", "latex")
OPTIONS = ("complete", "identical", "slices", "resamples", "confidence")


@click.command("agree", cls=ManyValues)
@click.argument("paths", metavar="FILE|CAMPAIGN...", nargs=-1, required=True)
@click.option("-l", "--pair", "--language-pair", "pair", metavar="SRC-TGT", help="Read only this language pair.")
@click.option(
    "--kind", type=click.Choice(["da", "esa", "mqm"]), help="How people judged, for exports of Appraise and Pearmut."
)
@click.option(
    "--system-prefix", default="", help="Prefix to remove from system names in such exports, such as 'wmt23.'."
)
@click.option("--database", metavar="URL", help="Database of a campaign's answers. [default: beside the campaign]")
@click.option(
    "--source", "sources", multiple=True, metavar="NAME...",
    help="Names of references in the file that are really the source. [default: references without a name]",
)  # fmt: skip
@click.option("--complete", is_flag=True, help="Use only raters who judged every output.")
@click.option(
    "--identical", type=click.Choice(["once", "each"]), default="once", show_default=True,
    help="In rankings, count outputs with the same text once, or each (as WMT did in 2015 and 2016).",
)  # fmt: skip
@click.option("--weights", metavar="TEXT", help="Weights of errors (MQM): 'Major:5 Minor:1'. [default: Google's]")
@click.option(
    "-m", "--metrics", "--metric", "metrics", multiple=True, metavar="METRIC...",
    help="Metrics to correlate with judgements, for each reference of the metric and of the raters.",
)  # fmt: skip
@click.option("--texts", metavar="DATASET|DIR|FILE", help="Texts for -m. [default: those of the judgements]")
@click.option("--slices", type=click.IntRange(1), default=5, show_default=True, help="Parts of the work to compare.")
@click.option("-n", "--resamples", type=click.IntRange(1), default=1000, show_default=True, help="Resamples of raters.")
@click.option("--confidence", default=0.95, show_default=True, help="Confidence of intervals.")
@click.option("--seed", type=int, help="Random seed. [default: $SACREBLEU_SEED or 12345]")
@click.option("--figures", metavar="DIR", help="Write plots to this folder.")
@click.option(
    "--figure-format", "figure_form", type=click.Choice(["svg", "png", "html"]), default="svg", show_default=True
)
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as -f json.")
@click.option("-w", "--width", type=click.IntRange(0, 15), default=3, show_default=True, help="Decimals in tables.")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings.")
def command(**options: Any) -> None:
    """Report how well raters agree, with confidence intervals, and the effect of what they were shown.

    \b
    tercet agree ratings.tsv
    tercet agree campaign.json --figures plots
    tercet agree ratings.tsv --source 5 -m bleu:variant=mteval -f json
    """  # fmt: skip
    from .agreeboard import render
    from .console import hush

    if options["quiet"]:
        hush()
    results = _agreements(options)
    text = render(results, "json" if options["as_json"] else options["form"], options["width"])
    if options["output"]:
        from ..data.files import writing

        with writing(options["output"]) as stream:
            stream.write(text + "\n")
    else:
        click.echo(text)
    if options["figures"]:
        _save_figures(results, Path(options["figures"]), options["figure_form"])


def _agreements(options: dict[str, Any]) -> list[Agreement]:
    from ..human import mqm
    from ..human.agreement import agree
    from ..human.agreement_files import load
    from .score import seed_of

    weights = mqm.parse_weights(options["weights"]) if options["weights"] else mqm.GOOGLE
    names = ("pair", "kind", "system_prefix", "database")
    results = []
    for judgements, testset, source in load(options["paths"], **{name: options[name] for name in names}):
        scores, segments = _scored(options, testset, judgements.pair) if options["metrics"] else ({}, {})
        results.append(
            agree(
                judgements,
                source=_sources(options["sources"], judgements, source),
                weights=weights,
                scores=scores,
                segments=segments,
                seed=seed_of(options),
                **{name: options[name] for name in OPTIONS},
            )
        )
    return results


def _sources(named: Sequence[str], judgements: Any, found: frozenset[str]) -> frozenset[str]:
    from ..errors import UnknownName

    shown = {row.reference for row in judgements.rows}
    for name in named:
        if name not in shown:
            raise UnknownName("reference that raters were shown", name, sorted(filter(None, shown)))
    return frozenset({"", *named}) if named else found


def _scored(
    options: dict[str, Any], testset: TestSet | None, pair: str | None
) -> tuple[Mapping[str, Sequence[Scores]], Mapping[str, Sequence[str]]]:
    """Return segment scores with each reference alone, and the names of the segments that have the reference."""
    from ..data.assessments import segment_names
    from ..data.catalogue import locate
    from ..data.layouts import open_testset
    from ..errors import UsageError
    from ..scoring import score, score_each_reference

    if options["texts"]:
        testset = open_testset(locate(options["texts"]), options["pair"] or pair)
    if testset is None:
        raise UsageError("Metrics need texts, and these judgements have none. Give them with --texts.")
    if len(testset.references) > 1:
        scores = score_each_reference(testset, options["metrics"])
    else:
        name = next(iter(testset.references), "no reference")
        scores = {name: score(testset, options["metrics"])}
    names = segment_names(testset)
    segments = {
        given: [
            name for name, text in zip(names, testset.references.get(given, names), strict=True) if text is not None
        ]
        for given in scores
    }

    def labelled(found: Sequence[Scores]) -> list[Scores]:
        """Use the user's name of a metric as its label if two metrics have the same label."""
        labels = [item.label for item in found]
        return [
            item if labels.count(item.label) == 1 else item.relabelled(asked)
            for item, asked in zip(found, options["metrics"], strict=True)
        ]

    return {given: labelled(found) for given, found in scores.items()}, segments


def _save_figures(results: Sequence[Agreement], folder: Path, ending: str) -> None:
    """Write one file per figure, named NAME.WHAT.ENDING."""
    from ..errors import UsageError
    from .agreefigures import draw

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be created: {error.strerror or error}.") from None
    for result in results:
        parts = [part for part in (result.name.replace("/", "-"), result.pair, result.kind) if part]
        for what, figure in draw(result).items():
            path = folder / f"{'.'.join(parts)}.{what}.{ending}"
            figure.save(path)
            click.echo(f"Wrote {path}", err=True)
