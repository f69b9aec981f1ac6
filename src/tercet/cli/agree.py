"""`tercet agree`: report how well raters agree, and whether what they were shown affects their judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import UnknownName, UsageError
from .inputs import open_named
from .options import EXPORTS, INTERVALS, QUIET, RESULTS, ManyValues, metrics_option, save_figures, several

if TYPE_CHECKING:
    from ..data.scores import Scores
    from ..data.testset import TestSet
    from ..human.agreement import Agreement

OPTIONS = ("complete", "identical", "level", "slices", "resamples", "confidence", "seed")


@click.command("agree", cls=ManyValues)
@click.argument("paths", metavar="FILE|CAMPAIGN...", nargs=-1, required=True)
@click.option("-l", "--pair", "--language-pair", "pair", metavar="SRC-TGT", help="Read only this language pair.")
@EXPORTS
@click.option("--database", metavar="URL", help="Database of a campaign's answers. [default: beside the campaign]")
@several(
    "--source",
    "sources",
    of="NAME",
    help="Names of references in the file that are really the source. [default: references without a name]",
)
@click.option("--complete", is_flag=True, help="Use only raters who judged every output.")
@click.option(
    "--identical", type=click.Choice(["once", "each"]), default="once", show_default=True,
    help="In rankings, count outputs with the same text once, or each (as in WMT's files of comparisons).",
)  # fmt: skip
@click.option(
    "--level", multiple=True, type=click.Choice(["nominal", "ordinal", "interval", "ratio"]),
    help="Level of measurement of Krippendorff's alpha; repeat for more. [default: those that fit]",
)  # fmt: skip
@click.option("--weights", metavar="TEXT", help="Weights of errors (MQM): 'Major:5 Minor:1'. [default: Google's]")
@metrics_option("Metrics to correlate with judgements, for each reference of the metric and of the raters.")
@click.option("--texts", metavar="DATASET|DIR|FILE", help="Texts for -m. [default: those of the judgements]")
@click.option("--slices", type=int, default=5, show_default=True, help="Parts of the work to compare.")
@INTERVALS
@RESULTS
@click.option("--json", "as_json", is_flag=True, help="The same as -f json.")
@QUIET
def command(**options: Any) -> None:
    """Report how well raters agree, with confidence intervals, and the effect of what they were shown.

    \b
    tercet agree ratings.tsv
    tercet agree campaign.json --figures plots
    tercet agree ratings.tsv --source 5 -m bleu:variant=mteval -f json
    """  # fmt: skip
    from ..human.agreement import COLUMNS
    from .agreeboard import agreement_parts
    from .console import rendered

    results = _agreements(options)
    form = "json" if options["as_json"] else options["form"]
    parts = [part for result in results for part in agreement_parts(result, options["width"])]
    data, rows = [result.to_dict() for result in results], [row for result in results for row in result.rows()]
    click.echo(rendered(form, parts, lambda: data, "Agreement of raters", lambda: rows, COLUMNS))
    if options["figures"]:
        from .agreefigures import draw

        figures = {
            ".".join(filter(None, (result.name.replace("/", "-"), result.pair, result.kind, what))): figure
            for result in results
            for what, figure in draw(result).items()
        }
        save_figures(figures, options["figures"], options["figure_form"])


def _agreements(options: dict[str, Any]) -> list[Agreement]:
    from ..human import mqm
    from ..human.agreement import agree
    from ..human.agreement_files import load

    weights = mqm.parse_weights(options["weights"]) if options["weights"] else mqm.GOOGLE
    names = ("pair", "kind", "system_prefix", "database", "columns")
    results = []
    for judgements, testset, source, about in load(options["paths"], **{name: options[name] for name in names}):
        scores, segments = _scored(options, testset, judgements.pair) if options["metrics"] else ({}, {})
        result = agree(
            judgements,
            source=_sources(options["sources"], judgements, source),
            weights=weights,
            scores=scores,
            segments=segments,
            **{name: options[name] for name in OPTIONS},
        )
        results.append(replace(result, notes=(*about, *result.notes)))
    return results


def _sources(named: Sequence[str], judgements: Any, found: frozenset[str]) -> frozenset[str]:
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
    from ..scoring import score, score_each_reference

    if options["texts"]:
        testset = open_named(options["texts"], options["pair"] or pair)
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
