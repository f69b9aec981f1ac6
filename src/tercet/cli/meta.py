"""`tercet meta`: judge metrics against people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import ManyValues

if TYPE_CHECKING:
    from ..data.evidence import Evidence
    from ..data.judgements import Judgements
    from ..data.scores import Scores
    from ..meta import Verdicts

FORMATS = ("text", "json", "csv", "tsv", "markdown", "latex")


@click.command("meta", cls=ManyValues)
@click.argument("data", metavar="DATASET|DIR|FILE")
@click.option(
    "-l",
    "--pair",
    "--language-pair",
    "pairs",
    multiple=True,
    metavar="SRC-TGT...",
    help="Language pairs, as de-en. [default: all that have judgements]",
)
@click.option(
    "--data", "root", metavar="DIR", help="The folder that holds DATASET. [default: what 'tercet data' holds]"
)
@click.option(
    "-m", "--metrics", "--metric", "metrics", multiple=True, metavar="METRIC...",
    help="Metrics to compute from the texts, as chrf sentbleu.",
)  # fmt: skip
@click.option("--scores", "files", multiple=True, metavar="FILE...", help="Files of metric scores (see the docs).")
@click.option(
    "--published/--no-published", default=None,
    help="Also the metric scores that came with the data. [default: if neither -m nor --scores is given]",
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
@click.option("--systems", multiple=True, metavar="SYSTEM...", help="Only these systems.")
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
    from ..meta import sign_flips
    from .console import hush
    from .metaboard import render

    if options["quiet"]:
        hush()
    results = _judged(dataset_path(options["data"], options["root"]), options)
    for label, (positive, negative) in sign_flips(results).items():
        _warn(f"{label} agrees with people for {', '.join(positive)} and disagrees for {', '.join(negative)}.")
    for result in results:
        for note in result.notes:
            _warn(f"{result.pair or result.dataset}: {note}")
    text = render(results, options["form"], options["width"], matrix=options["matrix"])
    if options["output"]:
        from ..data.files import writing

        with writing(options["output"]) as stream:
            stream.write(text + "\n")
    else:
        click.echo(text)
    if options["figures"]:
        _save_figures(results, Path(options["figures"]), options["figure_form"])


def _judged(place: Path, options: dict[str, Any]) -> list[Verdicts]:
    """The verdicts for every pair. Pairs that nobody asked for and that cannot be judged so are named and left out."""
    from ..errors import DataError, UnknownName, UsageError
    from ..meta import judge
    from ..meta.judging import parse_question
    from .score import seed_of

    if options["statistic"] or options["level"] == "sys":  # refused before anything is read or counted
        asked = {name: options[name] for name in ("unit", "average", "significance")}
        parse_question(options["statistic"] or "pearson", options["level"], **asked)
    if (options["kind"] or options["system_prefix"]) and not options["judgements"]:
        raise UsageError("--kind and --system-prefix are for the files of --judgements.")
    names = ("level", "statistic", "gold", "systems", "common", "absolute", "average", "margin", "inclusive", "unit",
             "resamples", "confidence", "significance", "alpha", "top", "by_quality")  # fmt: skip
    results: list[Verdicts] = []
    problems: dict[str, DataError | UnknownName] = {}
    for evidence in _evidence(place, options):
        try:
            scores = gather(evidence, options)
            results.append(judge(evidence, scores, seed=seed_of(options), **{name: options[name] for name in names}))
        except (DataError, UnknownName) as error:
            if options["pairs"]:
                raise
            problems[evidence.pair] = error
    if not results:
        for problem in problems.values():
            raise problem
        raise UsageError(f"{options['data']} has no language pair with judgements.")
    for pair, problem in problems.items():
        _warn(f"Left out {pair}: {problem}")
    return results


def _save_figures(results: Sequence[Verdicts], folder: Path, ending: str) -> None:
    """One file per figure, called PAIR.WHAT.ENDING."""
    from ..errors import UsageError
    from ..meta.drawing import draw

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be made: {error.strerror or error}.") from None
    for result in results:
        for what, figure in draw(result).items():
            path = folder / f"{result.pair or result.dataset}.{what}.{ending}"
            figure.save(path)
            click.echo(f"Wrote {path}", err=True)


def _warn(message: str) -> None:
    import logging

    logging.getLogger("tercet.meta").warning(message)


def dataset_path(name: str, root: str | None) -> Path:
    """The folder or file of a data set: a path, a name inside --data, or a name that `tercet data` knows."""
    from ..errors import UsageError
    from .inputs import located

    if root is None:
        return located(name)
    for path in (Path(root) / name, Path(root)):
        if path.exists() and (path.name == name or path != Path(root)):
            return path
    raise UsageError(f"There is no {name} in {root}.")


def _evidence(place: Path, options: dict[str, Any]) -> Iterator[Evidence]:
    """What there is for each pair; without named pairs, for those that people judged."""
    from dataclasses import replace

    from ..data.evidence import evidence_pairs, open_evidence
    from ..data.judgement_files import read_judgement_file

    for pair in options["pairs"] or evidence_pairs(place) or [None]:
        found = open_evidence(place, pair)
        more = [
            table
            for path in options["judgements"]
            for table in read_judgement_file(
                path, pair=found.pair or None, kind=options["kind"], system_prefix=options["system_prefix"]
            )
        ]
        judgements = [*found.judgements, *more]
        if options["passing_raters"]:
            judgements = [_passing(table) for table in judgements]
        found = replace(found, judgements=judgements)
        if options["pairs"] or found.gold or found.judgements:
            yield found


def _passing(judgements: Judgements) -> Judgements:
    """Without the raters who fail on damaged outputs; they are named."""
    from ..human.control import passing_bad_items

    if not any(row.check == "bad" for row in judgements.rows):
        return judgements
    kept, report = passing_bad_items(judgements)
    for rater, why in report.dropped.items():
        _warn(f"Judgements {judgements.name!r}: left out rater {rater}: {why}")
    return kept


def gather(evidence: Evidence, options: dict[str, Any]) -> list[Scores]:
    """The scores to judge: computed from the texts, read from files, published with the data."""
    from dataclasses import replace

    from ..data.scorefiles import read_scores
    from ..errors import UsageError
    from ..scoring import score
    from .console import Progress

    found: list[Scores] = []
    if options["metrics"]:
        if evidence.testset is None:
            raise UsageError(
                f"{evidence.name} has no texts for {evidence.pair}, so that metrics cannot be computed. Give --scores."
            )
        with Progress(f"Counting {evidence.pair}", quiet=options["quiet"]) as progress:
            found += score(
                evidence.testset, options["metrics"], jobs=options["jobs"], cache=options["cache"], progress=progress
            )
        # Called as the user calls it; the signature has the parameters that depend on the language.
        asked = zip(found, options["metrics"], strict=True)
        found = [replace(item, label=_label(item, found), metric=name) for item, name in asked]
    for path in options["files"]:
        found += read_scores(path, pair=evidence.pair, segments=evidence.segments)
    published = options["published"]
    if published or (published is None and not options["metrics"] and not options["files"]):
        taken = {item.label for item in found}
        by_segment = (
            options["level"] == "seg"
            or options["statistic"] == "soft-accuracy"
            or options["unit"] == "segments"
            or options["significance"].startswith("perm-")
        )
        found += [
            item
            for item in evidence.scores
            if item.label not in taken and (item.segment or not by_segment) and (by_segment or _has_system(item))
        ]
    if not found:
        raise UsageError("There are no metrics to judge: name some with -m, or give files with --scores.")
    return found


def _label(item: Scores, others: Sequence[Scores]) -> str:
    """The metric's name; its whole string where two of them differ only in parameters."""
    alike = [other for other in others if other.label == item.label]
    return item.label if len(alike) == 1 else item.metric


def _has_system(item: Scores) -> bool:
    from math import isnan

    return not all(isnan(value) for value in item.system.values())
