"""`tercet qe`: estimate the quality of translations without references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from .console import Progress
from .inputs import ANNOTATE, COLUMNS, annotate, annotating, check_annotation
from .options import INTERVALS, JOBS, QUIET, SEED, ManyValues, all_of, format_option, metrics_option, several
from .qeinputs import (
    check_files,
    check_training_ends,
    feature_resources,
    open_model,
    read_pairs,
    segment_names,
    segment_scores,
    training_data,
)

LEARNERS = ("best", "pls", "ridge", "svr", "gbm")


TEXTS = all_of(click.argument("source", metavar="SRC"), click.argument("output", metavar="MT"))
TEXTS_OR_FILE = all_of(
    click.argument("source", metavar="SRC"), click.argument("output", metavar="[MT]", required=False), COLUMNS
)
MODEL = click.argument("model", metavar="MODEL")
LABELS = click.argument("labels", metavar="LABELS")
CORPORA = all_of(
    several("--source-corpus", "source_corpora", of="FILE",
            help="Texts in the source language, for language models and frequencies."),
    several("--target-corpus", "target_corpora", of="FILE",
            help="Texts in the target language, for language models and frequencies."),
    click.option("--parallel", nargs=2, metavar="SRC TGT", help="Parallel texts, for translation models."),
    click.option("--tags", is_flag=True, help="Also use features of word classes; needs a parser for the languages."),
    click.option("--embeddings", is_flag=True, help="Also use features of sentence embeddings (extra 'embed')."),
    click.option("--network", is_flag=True, help="Also use a network that reads English outputs (extra 'neural')."),
)  # fmt: skip
FEATURES = several("--features", of="NAME", help="Use only these features or groups; see 'tercet qe features --list'.")
EXTRA = click.option("--extra-features", metavar="TSV",
                     help="Your own features: a table with a header, or one column, FILE:COLUMN.")  # fmt: skip
LANGUAGES = click.option("-l", "--languages", metavar="SRC-TGT",
                         help="The language pair; an error if it is not the model's.")  # fmt: skip
LEVEL = click.option("--level", default=0.9, show_default=True,
                     help="The probability that an interval around a prediction contains the label.")  # fmt: skip


RUN = all_of(JOBS, QUIET)
OUT = click.option("-o", "--output", "to", metavar="FILE", help="Write to this file instead of standard output.")


@click.group("qe", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Estimate the quality of translations from source and output alone, without references.

    SRC, MT, LABELS and other inputs are files with one line per segment, or FILE:COLUMN, a column of a tab-separated
    table with a header. Files may be gzipped. One of them may be -, standard input.

    \b
    tercet qe train src.txt mt.txt labels.txt --languages et-en --out model.qe
    tercet qe predict model.qe src.txt mt.txt
    tercet qe rank model.qe src.txt mt.txt --target 80
    """  # fmt: skip


@command.command("train", cls=ManyValues, short_help="Train a model on outputs that people have judged.")
@click.argument("source", metavar="[SRC]", required=False)
@click.argument("output", metavar="[MT]", required=False)
@click.argument("labels", metavar="[LABELS]", required=False)
@click.option("--campaign", metavar="CAMPAIGN", help="Train on the answers of a campaign of 'tercet rate' instead.")
@click.option("--database", metavar="URL", help="The answers of --campaign.  [default: the file beside the campaign]")
@click.option("-l", "--languages", metavar="SRC-TGT",
              help="The language pair, such as et-en; not needed if the campaign names it.")  # fmt: skip
@click.option("-o", "--out", required=True, metavar="MODEL", help="The model file to write.")
@click.option("--learner", type=click.Choice(LEARNERS), default="best", show_default=True,
              help="The learner; best: the one with the lowest error in cross-validation.")  # fmt: skip
@click.option("--groups", metavar="FILE", help="The group of each segment, such as its document, one per line. Groups "
              "are not split between training and test. [default: the source sentence]")  # fmt: skip
@CORPORA
@EXTRA
@FEATURES
@click.option("--range", "label_range", nargs=2, type=float, metavar="MIN MAX", help="The lowest and highest possible "
              "label; other labels are errors. [default: those of LABELS]")  # fmt: skip
@click.option("--lower-is-better", is_flag=True, help="Lower labels are better, as with HTER.")
@LEVEL
@click.option("--curve", metavar="FILE", help="Draw the learning curve: .svg, .png, .html or .json.")
@SEED
@RUN
@format_option()
def train_command(**options: Any) -> None:
    """Train a model on sources, outputs and the labels that people gave, and report how good it is on unseen groups.

    Language and translation models are estimated from corpora (--source-corpus, --target-corpus, --parallel). Those
    without a corpus are estimated from the training texts; the features of each training sentence then come from models
    that have not seen it.
    """  # fmt: skip
    from ..quality.training import train
    from .qeboard import show_model

    curve, quiet = options["curve"], options["quiet"]
    check_training_ends(options)
    given = training_data(options)
    with _executor(options) as executor, Progress("Training", quiet=quiet) as progress:
        model = train(**given, curve=curve is not None, seed=options["seed"], executor=executor, progress=progress.say)
    model.save(options["out"])
    click.echo(show_model(model, options["form"], options["level"]))
    _wrote(options["out"], quiet=quiet)
    if curve is not None:
        from .qefigures import curve_figure

        curve_figure(model).save(curve)
        _wrote(curve, quiet=quiet)


@command.command("predict", cls=ManyValues, short_help="Predict the quality of outputs, with intervals.")
@MODEL
@TEXTS_OR_FILE
@ANNOTATE
@LANGUAGES
@LEVEL
@EXTRA
@OUT
@RUN
@format_option("jsonl")
def predict_command(**options: Any) -> None:
    """Predict the quality of each output, with an interval that contains it with the probability --level.

    SRC may be a file with sources and outputs (XLIFF, TMX, PO, CSV, TSV, XLSX); then MT is left out.
    """
    from .qeboard import show_predictions

    check_files(options)
    check_annotation(options, [options["source"]] if options["output"] is None else [])
    model = open_model(options)
    sources, outputs, given = read_pairs(options, model.languages)
    with _executor(options) as executor:
        found = model.predict(sources, outputs, level=options["level"], given=given, executor=executor)
    ids = segment_names(options).get("ids", ())
    _print(show_predictions(model, found, options["form"], ids), options["to"])
    if annotating(options):
        annotate(options, options["source"], {"quality": [f"{value:.3f}" for value in found.values.tolist()]}, None)


@command.command("evaluate", cls=ManyValues, short_help="Compare a model's predictions with people's labels.")
@MODEL
@TEXTS
@LABELS
@LANGUAGES
@EXTRA
@several("-r", "--reference", "references", of="FILE", help="References, for metrics on the same segments.")
@metrics_option("Metrics to compare with the model by their correlation with the labels.")
@click.option(
    "--across",
    metavar="FILE",
    help="The system of each segment, for figures by system and for models trained on one system and tested on others.",
)
@click.option(
    "--groups",
    metavar="FILE",
    help="The group of each segment, such as its document, one per line. Groups are resampled as a whole and not split "
    "between training and test by --across. [default: the source sentence]",
)
@LEVEL
@INTERVALS
@OUT
@RUN
@format_option()
def evaluate_command(**options: Any) -> None:
    """Compare a model's predictions with labels: correlation, error, and coverage of its intervals.

    The model must not have been trained on these texts.
    """  # fmt: skip
    from ..quality.cross_system import assess
    from ..quality.inputs import read_labels, read_names
    from .qeboard import show_assessment

    check_files(options)
    model = open_model(options)
    labelled, labels = read_labels(options["labels"], model.label_range if model.range_given else None)
    asked = {"across": "system", "groups": "group"}
    named = [read_names(options[name], what) if options[name] else None for name, what in asked.items()]
    sources, outputs, given = read_pairs(options, model.languages, labelled, *filter(None, named))
    systems, groups = (column.values if column else None for column in named)
    metrics = segment_scores(options, model, sources, outputs)
    with _executor(options) as executor:
        found = assess(
            model, sources, outputs, labels, given=given, systems=systems, groups=groups, metrics=metrics,
            level=options["level"], resamples=options["resamples"], confidence=options["confidence"],
            seed=options["seed"], executor=executor,
        )  # fmt: skip
    _print(show_assessment(found, options["form"]), options["to"])


@command.command("features", cls=ManyValues, short_help="Write the features of outputs, or list all features.")
@click.argument("source", metavar="[SRC]", required=False)
@click.argument("output", metavar="[MT]", required=False)
@click.option("-l", "--languages", metavar="SRC-TGT", help="The language pair, such as et-en; not needed with --model.")
@click.option("--model", metavar="MODEL", help="Use the features of this model, with its resources.")
@click.option("--list", "listed", is_flag=True, help="List all features, their resources, and which are available.")
@CORPORA
@FEATURES
@OUT
@RUN
@format_option("jsonl", default=None, help="Output format. [default: tsv; text for --list]")
def features_command(**options: Any) -> None:
    """Write the features of every segment, or --list all features.

    Features whose resource is missing are left out and reported on standard error.
    """  # fmt: skip
    from ..quality.features import describe_features, extract
    from .qeboard import show_features, show_list

    check_files(options)
    if options["listed"]:
        listed = describe_features(*feature_resources(options))
        _print(show_list(listed, options["form"] or "text"), options["to"])
        return
    if options["output"] is None:
        raise UsageError("Give the sources and the outputs, SRC and MT, or --list.")
    if options["form"] == "text":
        raise UsageError("Features are written as tsv, csv, jsonl or json; text is only for --list.")
    from ..quality.inputs import read_texts

    sources, outputs = read_texts(options["source"], options["output"])
    with _executor(options) as executor:
        resources, names = feature_resources(options)
        table = extract(sources, outputs, resources, names=names, executor=executor)
    _print(show_features(table, options["form"] or "tsv"), options["to"])


@command.command("info", short_help="Describe a model: training data, figures, features.")
@MODEL
@click.option("--figure", metavar="FILE", help="Draw the importance of features: .svg, .png, .html or .json.")
@format_option()
def info_command(model: str, figure: str | None, form: str) -> None:
    """Describe a model: languages, training data, learner, figures, features by importance, checksums."""
    from ..quality.default import load_model
    from .qeboard import show_model

    check_files({"model": model, "figure": figure})
    opened = load_model(model)
    click.echo(show_model(opened, form))
    if figure:
        from .qefigures import importance_figure

        importance_figure(opened).save(figure)
        _wrote(figure)


@command.command("rank", cls=ManyValues, short_help="List the outputs that need review most, with reasons.")
@MODEL
@TEXTS_OR_FILE
@LANGUAGES
@ANNOTATE
@click.option("--terms", metavar="FILE", help="Terminology that outputs must follow (triage): TBX, CSV, TSV, XLSX.")
@click.option("--top", type=click.IntRange(1), help="Only this many segments.")
@click.option(
    "--target",
    type=float,
    metavar="QUALITY",
    help="The mean quality of the segments to keep without review: decide for each segment whether to review it.",
)
@LEVEL
@EXTRA
@OUT
@RUN
@format_option()
def rank_command(**options: Any) -> None:
    """List the segments that need review most, each with the features that make its prediction worse.

    SRC may be a file with sources and outputs (XLIFF, TMX, PO, CSV, TSV, XLSX); then MT is left out. MODEL may be
    'triage': rank without a model, by findings such as lost numbers, names, tags and terms.

    The formats tsv (for a spreadsheet) and html (a page) are for reviewers:

    \b
    tercet qe rank model.qe src.txt mt.txt --target 80 -f html -o review.html
    tercet qe rank triage app.xliff --in-place
    """
    from ..checking.triage import TRIAGE
    from ..quality.ranking import rank
    from .rankboard import notes, show_ranking

    is_triage = options["model"] == TRIAGE and not Path(TRIAGE).exists()
    check_files({**options, "model": None} if is_triage else options)
    check_annotation(options, [options["source"]] if options["output"] is None else [])
    if is_triage:
        _triage(options)
        return
    if options["terms"]:
        raise UsageError(f"--terms goes with {TRIAGE!r} as MODEL.")
    model = open_model(options)
    sources, outputs, given = read_pairs(options, model.languages)
    asked = {name: options[name] for name in ("top", "target", "level")} | segment_names(options)
    with _executor(options) as executor:
        found = rank(model, sources, outputs, given=given, executor=executor, **asked)
    _print(show_ranking(model, found, options["form"]), options["to"])
    if annotating(options):
        annotate(options, options["source"], notes(found), None)
    if options["form"] in ("tsv", "html") and not options["quiet"] and found.advice:
        click.echo(found.advice, err=True)


def _triage(options: dict[str, Any]) -> None:
    """Rank by findings, without a model."""
    from .qeinputs import triaged
    from .triageboard import show_triage, triage_notes

    for name in ("target", "extra_features"):
        if options[name] is not None:
            raise UsageError(f"--{name.replace('_', '-')} needs a model; 'triage' ranks by findings.")
    found = triaged(options)
    _print(show_triage(found, options["top"], options["form"]), options["to"])
    if annotating(options):
        annotate(options, options["source"], triage_notes(found), found.pair)


def _executor(options: dict[str, Any]) -> Any:
    from ..engine import open_executor

    return open_executor(options["jobs"])


def _wrote(path: str, *, quiet: bool = False) -> None:
    if not quiet:
        click.echo(f"Wrote {path}", err=True)


def _print(text: str, to: str | None) -> None:
    if to is None:
        click.echo(text)
        return
    from ..data.files import writing

    with writing(to) as stream:
        stream.write(f"{text}\n")
