"""`tercet agree`: report how well raters agree, and whether what they were shown affects their judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ...cli.console import rendered, save_figures
from ...errors import UnknownName, UsageError
from ...options import REQUIRED, again, command, shell_option
from ...options.groups import Decimals, Exports, Figures, Form, Quiet
from ...options.judging import Agreeing

if TYPE_CHECKING:
    from ...data.judgements import Judgements
    from ...data.scores import Scores
    from ...data.testset import TestSet
    from ...human.agreement import Agreement


@dataclass(frozen=True, kw_only=True)
class AgreeOptions(Quiet, Figures, Decimals, Agreeing, Exports):
    """Options of `agree`."""

    paths: Sequence[str] = shell_option(
        REQUIRED, metavar="FILE|CAMPAIGN...", help="Files of judgements, or campaigns of 'tercet rate'."
    )
    pair: str | None = shell_option(
        None, "-l", "--pair", "--language-pair", metavar="SRC-TGT", help="Read only this language pair."
    )
    database: str | None = shell_option(
        None, "--database", metavar="URL", help="Database of a campaign's answers. [default: beside the campaign]"
    )
    sources: Sequence[str] = shell_option(
        (), "--source", metavar="NAME", several=True,
        help="Names of references in the file that are really the source. [default: references without a name]",
    )  # fmt: skip
    metrics: Sequence[str] = shell_option(
        (), "-m", "--metrics", "--metric", metavar="METRIC", several=True,
        help="Metrics to correlate with judgements, for each reference of the metric and of the raters.",
    )  # fmt: skip
    texts: str | None = shell_option(
        None, "--texts", metavar="DATASET|DIR|FILE", help="Texts for -m. [default: those of the judgements]"
    )
    form: str = again(Form, "form", "text", also={"--json": ("json", "The same as -f json.")})
    width: int = again(Decimals, "width", 3, help="Decimals in tables.")


@command(AgreeOptions)
def run(options: AgreeOptions) -> None:
    """Report how well raters agree, with confidence intervals, and the effect of what they were shown.

    \b
    tercet agree ratings.tsv
    tercet agree campaign.json --figures plots
    tercet agree ratings.tsv --source 5 -m bleu:variant=mteval -f json
    """

    from ...human.agreement import COLUMNS
    from .board import agreement_parts, draw

    results = list(_agreements(options))
    parts = [part for result in results for part in agreement_parts(result, options.width)]
    data, rows = [result.to_dict() for result in results], [row for result in results for row in result.rows()]
    click.echo(rendered(options.form, parts, lambda: data, "Agreement of raters", lambda: rows, COLUMNS))
    if options.figures:
        figures = {
            ".".join(filter(None, (result.name.replace("/", "-"), result.pair, result.kind, what))): figure
            for result in results
            for what, figure in draw(result).items()
        }
        save_figures(figures, options.figures, options.figure_form)


def _agreements(options: AgreeOptions) -> Iterator[Agreement]:
    from ...human.agreement import agree
    from ...human.agreement_files import load
    from ...human.mqm import parse_weights

    how = options.python(Agreeing)
    how["weights"] = parse_weights(options.weights) if isinstance(options.weights, str) else options.weights
    read = {name: getattr(options, name) for name in ("pair", "kind", "system_prefix", "database", "columns")}
    for judgements, testset, source, about in load(options.paths, **read):
        scores, segments = _scored(options, testset, judgements.pair) if options.metrics else ({}, {})
        source = _sources(options.sources, judgements, source)
        result = agree(judgements, source=source, scores=scores, segments=segments, **how)
        yield replace(result, notes=(*about, *result.notes))


def _sources(named: Sequence[str], judgements: Judgements, found: frozenset[str]) -> frozenset[str]:
    shown = {row.reference for row in judgements.rows}
    for name in named:
        if name not in shown:
            raise UnknownName("reference that raters were shown", name, sorted(filter(None, shown)))
    return frozenset({"", *named}) if named else found


def _scored(
    options: AgreeOptions, testset: TestSet | None, pair: str | None
) -> tuple[Mapping[str, Sequence[Scores]], Mapping[str, Sequence[str]]]:
    """Return segment scores with each reference alone, and the names of the segments that have the reference."""
    from ...data.assessments import segment_names
    from ...scoring import score, score_each_reference
    from ..shared.texts import open_named

    if options.texts:
        testset = open_named(options.texts, options.pair or pair)
    if testset is None:
        raise UsageError("Metrics need texts, and these judgements have none. Give them with `texts`.")
    if len(testset.references) > 1:
        scores = score_each_reference(testset, options.metrics)
    else:
        name = next(iter(testset.references), "no reference")
        scores = {name: score(testset, options.metrics)}
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
            for item, asked in zip(found, options.metrics, strict=True)
        ]

    return {given: labelled(found) for given, found in scores.items()}, segments
