"""`tercet meta`: judge metrics against people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import ManyValues

if TYPE_CHECKING:
    from ..data.evidence import Evidence
    from ..data.judgements import Judgements
    from ..data.scores import Scores
    from ..data.testset import TestSet
    from ..meta import Verdicts

# What can be checked without data: the arguments of `meta.judging.parse_question`.
ASKED = (
    "unit",
    "average",
    "absolute",
    "significance",
    "confidence",
    "alpha",
    "margin",
    "inclusive",
    "top",
    "by_quality",
)
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
@click.option(
    "-r", "--reference", "references", multiple=True, metavar="REFERENCE...",
    help="References for -m: names of the test set's, or files. [default: all of the test set]",
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
    from ..meta import sign_flips
    from .console import hush
    from .metaboard import render

    if options["quiet"]:
        hush()
    results = _judged(dataset_path(options["data"], options["root"]), options)
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


def _judged(place: Path, options: dict[str, Any]) -> list[Verdicts]:
    """The verdicts for every pair. Pairs that nobody asked for and that cannot be judged so are named and left out."""
    from ..data.evidence import evidence_pairs
    from ..errors import DataError, UnknownName, UsageError
    from ..meta import judge
    from ..meta.judging import check_question
    from .score import seed_of

    _check(options)
    pairs: Sequence[str | None] = options["pairs"] or evidence_pairs(place) or [None]
    _check_files(pairs, options)
    asked = {name: options[name] for name in ("level", "statistic", "gold", "systems", *ASKED)}
    drawn = {name: options[name] for name in ("common", "resamples")}
    ready: list[tuple[Evidence, TestSet | None]] = []
    results: list[Verdicts] = []
    problems: dict[str, DataError | UnknownName] = {}
    # All that can be refused is refused before the first metric is computed.
    for evidence in _evidence(place, pairs, options):
        try:
            check_question(evidence, **asked)
            ready.append((evidence, texts_to_score(evidence, options)))
        except (DataError, UnknownName) as error:
            if options["pairs"]:
                raise
            problems[evidence.pair] = error
    for evidence, texts in ready:
        try:
            scores, notes = gather(evidence, texts, options)
            result = judge(evidence, scores, seed=seed_of(options), **asked, **drawn)
            results.append(replace(result, notes=(*notes, *result.notes)))
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


def _check(options: dict[str, Any]) -> None:
    """Refuse what cannot be done with any data, before anything is read or counted."""
    from ..errors import UsageError
    from ..meta.judging import parse_question
    from ..metrics import create

    if options["statistic"] or options["level"] == "sys":
        parse_question(options["statistic"] or "pearson", options["level"], **{name: options[name] for name in ASKED})
    if (options["kind"] or options["system_prefix"]) and not options["judgements"]:
        raise UsageError("--kind and --system-prefix are for the files of --judgements.")
    if options["references"] and not options["metrics"]:
        raise UsageError("--reference is for metrics that are computed here: name some with -m.")
    for spec in options["metrics"]:
        create(spec)


def _check_files(pairs: Sequence[str | None], options: dict[str, Any]) -> None:
    """Refuse files of scores and judgements that are of none of the pairs, or do not say of which of several."""
    from ..errors import DataError, UsageError

    for path in map(Path, (*options["files"], *options["judgements"])):
        if not path.is_file():
            raise UsageError(f"{path} is a folder; a file is needed." if path.is_dir() else f"There is no file {path}.")
    for path, stated in (
        *((path, _pair_of_scores(Path(path))) for path in options["files"]),
        *((path, _pairs_of_judgements(Path(path))) for path in options["judgements"]),
    ):
        if stated is None and len(pairs) > 1:
            raise UsageError(f"{path} names no language pair; give --pair.")
        if stated and pairs != [None] and not set(stated) & set(pairs):
            raise DataError(f"{path} is of {', '.join(stated)}, not of {', '.join(map(str, pairs))}.")


def _pair_of_scores(path: Path) -> Sequence[str] | None:
    """The pairs that a file of scores is of: none where its reader chooses among its rows, None if nothing says it."""
    import json

    from ..data.assessments import SYSTEM, has_pairs
    from ..data.recognising import bare_name
    from ..data.saved import load_scores
    from ..data.tables import fields_of, first_lines, separator_of

    name = bare_name(path)
    if name.endswith(".npz"):
        found = {item.provenance.get("pair") for item in load_scores(path)}
        return sorted(str(pair) for pair in found if pair) or None
    first = first_lines(path, 1)
    if not first:
        return ()  # its reader says that it is empty
    if name.endswith(".jsonl"):
        try:
            item = json.loads(first[0])
        except (ValueError, RecursionError):
            return ()  # its reader says where
        return [str(item["pair"])] if isinstance(item, dict) and item.get("pair") else None
    fields = fields_of(first[0], separator_of(first[0]))
    if set(fields) & {"seg", *SYSTEM}:
        return None if has_pairs(fields) is None else ()
    return None if len(first[0].split()) == 2 else ()


def _pairs_of_judgements(path: Path) -> Sequence[str] | None:
    """The pairs that a file of judgements is of; None if nothing says it."""
    from ..data.judgement_files import is_appraise
    from ..data.lines import read_lines
    from ..data.rankings import short_pair
    from ..data.recognising import recognised

    if is_appraise(path):
        languages = {"-".join(line.split(",")[4:6]) for line in read_lines(path)}
        # Codes that have no shorter form here may be called otherwise by the data: these say nothing.
        pairs = sorted(map(short_pair, languages))
        return pairs if all(len(code) == 2 for pair in pairs for code in pair.split("-")) else None
    file = recognised(path)
    return (file.pairs() or None) if file else None


def _save_figures(results: Sequence[Verdicts], folder: Path, ending: str) -> list[Path]:
    """One file per figure, called PAIR.WHAT.ENDING."""
    from ..errors import UsageError
    from ..meta.drawing import SCATTERS, draw

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


def _evidence(place: Path, pairs: Sequence[str | None], options: dict[str, Any]) -> Iterator[Evidence]:
    """What there is for each pair; without named pairs, for those that people judged."""
    from ..data.evidence import open_evidence
    from ..data.judgement_files import read_judgement_file

    more = [(path, _pairs_of_judgements(Path(path))) for path in options["judgements"]]
    for pair in pairs:
        found = open_evidence(place, pair)
        judgements = [*found.judgements]
        for path, stated in more:
            if found.pair and stated and found.pair not in stated:
                continue
            judgements += read_judgement_file(
                path, pair=found.pair or None, kind=options["kind"], system_prefix=options["system_prefix"]
            )
        if options["passing_raters"]:
            judgements = [_passing(table) for table in judgements]
        found = replace(found, judgements=judgements)
        if options["pairs"] or found.gold or found.judgements:
            yield found


def _passing(judgements: Judgements) -> Judgements:
    """Without the raters who fail on damaged outputs; they are named."""
    from ..human.control import passing_bad_items

    if not any(row.check == "bad" for row in judgements.rows):
        _warn(f"Judgements {judgements.name!r}: no rater saw damaged outputs, so that --passing-raters keeps all.")
        return judgements
    kept, report = passing_bad_items(judgements)
    for rater, why in report.dropped.items():
        _warn(f"Judgements {judgements.name!r}: left out rater {rater}: {why}")
    return kept


def texts_to_score(evidence: Evidence, options: dict[str, Any]) -> TestSet | None:
    """The texts for the metrics that are to be computed, with the references that were chosen; None for no metrics."""
    from ..errors import DataError, UsageError
    from ..metrics import create
    from .inputs import _chosen

    texts = evidence.testset
    if not options["metrics"]:
        return None
    if texts is None or not texts.outputs:
        raise DataError(
            f"{evidence.name} has no texts for {evidence.pair}, so that metrics cannot be computed. Give --scores."
        )
    if options["references"]:
        texts = replace(texts, references=_chosen("reference", options["references"], texts.references))
    for spec in options["metrics"]:
        try:
            create(spec, language=texts.target_language).check_needs(texts)
        except UsageError as error:  # of these data, not of what was asked
            raise DataError(str(error)) from None
    return texts


def gather(evidence: Evidence, texts: TestSet | None, options: dict[str, Any]) -> tuple[list[Scores], list[str]]:
    """The scores to judge, and notes: computed from the texts, read from files, published with the data."""
    from ..data.scorefiles import read_scores
    from ..errors import DataError, UsageError

    read: list[Scores] = []
    for path in options["files"]:
        stated = _pair_of_scores(Path(path))
        if stated and evidence.pair and evidence.pair not in stated:
            raise DataError(f"{path} is of {', '.join(stated)}, not of {evidence.pair}.")
        read += read_scores(path, pair=evidence.pair, segments=evidence.segments)
    computed, notes = ([], []) if texts is None else _computed(evidence, texts, options)
    found = computed + read
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
    return found, notes


def _computed(evidence: Evidence, texts: TestSet, options: dict[str, Any]) -> tuple[list[Scores], list[str]]:
    """Scores by the metrics of -m. An output that is one of the references would be perfect, and is not scored."""
    from ..errors import DataError
    from ..meta.aligning import listed, references_among
    from ..metrics import create
    from ..scoring import score
    from .console import Progress

    copies: list[str] = []
    if any("reference" in create(spec).needs for spec in options["metrics"]):
        copies = references_among(texts, texts.outputs)
    # `judge` says it of the test set's own references, unless they were asked for.
    said_later = [] if options["systems"] else references_among(evidence.testset, copies)
    named = [name for name in copies if name not in said_later and name in (options["systems"] or copies)]
    notes = [f"Not scored by -m, because they are among the references used: {listed(named)}."] if named else []
    if len(copies) == len(texts.outputs):
        raise DataError(f"{evidence.name} {evidence.pair}: all outputs are references, so that none can be scored.")
    texts = texts.only([name for name in texts.systems if name not in copies])
    with Progress(f"Counting {evidence.pair}", quiet=options["quiet"]) as progress:
        found = score(texts, options["metrics"], jobs=options["jobs"], cache=options["cache"], progress=progress)
    # Called as the user calls it; the signature has the parameters that depend on the language.
    asked = zip(found, options["metrics"], strict=True)
    return [replace(item, label=_label(item, found), metric=name) for item, name in asked], notes


def _label(item: Scores, others: Sequence[Scores]) -> str:
    """The metric's name; its whole string where two of them differ only in parameters."""
    alike = [other for other in others if other.label == item.label]
    return item.label if len(alike) == 1 else item.metric


def _has_system(item: Scores) -> bool:
    from math import isnan

    return not all(isnan(value) for value in item.system.values())
