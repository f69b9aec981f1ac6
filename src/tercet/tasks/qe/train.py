"""`tercet qe train`."""

from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...options import REQUIRED, command, shell_option
from ...options.groups import Form, Jobs, Quiet
from ...options.quality import Level, Training
from .inputs import Groups, Pair, check_files, read_corpora, read_pair, report_written

ZIP = b"PK\x03\x04"  # the first bytes of a model file


@dataclass(frozen=True, kw_only=True)
class TrainOptions(Quiet, Jobs, Form, Level, Training, Groups, Pair):
    """Options of `qe train`."""

    source: str = shell_option(None, metavar="[SRC]", help="The sources.")
    labels: str | None = shell_option(None, metavar="[LABELS]", help="The labels, numbers.")
    campaign: str | None = shell_option(
        None, "--campaign", metavar="CAMPAIGN", help="Train on the answers of a campaign of 'tercet rate' instead."
    )
    database: str | None = shell_option(
        None, "--database", metavar="URL",
        help="The answers of --campaign. [default: the file beside the campaign]",
    )  # fmt: skip
    languages: str | None = shell_option(
        None, "-l", "--languages", metavar="SRC-TGT",
        help="The language pair, such as et-en; not needed if the campaign names it.",
    )  # fmt: skip
    out: str = shell_option(REQUIRED, "-o", "--out", metavar="MODEL", recorded=False, help="The model file to write.")
    lower_is_better: bool = shell_option(False, "--lower-is-better", help="Lower labels are better, as with HTER.")
    curve_file: str | None = shell_option(
        None, "--curve", metavar="FILE", recorded=False,
        help="Draw the learning curve: .svg, .png, .html or .json.",
    )  # fmt: skip


@command(TrainOptions)
def run(options: TrainOptions) -> None:
    """Train a model on sources, outputs and the labels that people gave, and report how good it is on unseen groups.

    Language and translation models are estimated from corpora (--source-corpus, --target-corpus, --parallel). Those
    without a corpus are estimated from the training texts; the features of each training sentence then come from models
    that have not seen it.
    """
    import click

    from ...cli.console import Progress
    from ...engine import open_executor
    from ...quality.training import train
    from .board import show_model

    _check(options)
    given = _campaign_data(options, options.campaign) if options.campaign else _labelled_data(options)
    with open_executor(options.jobs) as executor, Progress("Training", quiet=options.quiet) as progress:
        how = {"curve": options.curve_file is not None, "executor": executor, "progress": progress.say}
        model = train(**options.python(Training, **read_corpora(options), **given, **how))
    model.save(options.out)
    click.echo(show_model(model, options.form, options.level))
    report_written(options.out, quiet=options.quiet)
    if options.curve_file is not None:
        from .figures import curve_figure

        curve_figure(model).save(options.curve_file)
        report_written(options.curve_file, quiet=options.quiet)


def _check(options: TrainOptions) -> None:
    """Raise an error, before any work, for options that would fail after minutes of training."""
    from ...learning.examples import scikit_learn
    from ...stats.resampling import check_share

    check_share("The level of intervals", options.level)
    check_files(options)
    out = Path(options.out)
    if out.is_file() and out.stat().st_size:
        with out.open("rb") as stream:
            if stream.read(len(ZIP)) != ZIP:
                raise UsageError(f"{out} exists and is not a model, so it is not overwritten. Choose another name.")
    scikit_learn("base")


def _labelled_data(options: TrainOptions) -> dict[str, object]:
    """Return what the files of the options have, as arguments of `train`."""
    from ...quality.inputs import check_languages, check_range, read_labels, read_names

    if options.labels is None:
        raise UsageError("Give SRC, MT and LABELS, or a campaign with judgements: --campaign CAMPAIGN.")
    if not options.languages:
        raise UsageError("Give the language pair, such as -l et-en.")
    if options.database:
        raise UsageError("--database goes with --campaign.")
    languages = check_languages(options.languages)
    labelled, labels = read_labels(options.labels, check_range(options.label_range) if options.label_range else None)
    groups = read_names(options.groups_file, "group") if options.groups_file else None
    sources, outputs, given = read_pair(options, languages, labelled, *([groups] if groups else []))
    return {
        "sources": sources, "outputs": outputs, "labels": labels, "languages": languages, "given": given,
        "groups": groups.values if groups else None, "higher_is_better": not options.lower_is_better,
    }  # fmt: skip


def _campaign_data(options: TrainOptions, path: str) -> dict[str, object]:
    """Return the answers of a campaign as arguments of `train`. The label of an output is its mean judgement."""
    from contextlib import closing

    import numpy as np

    from ...human.campaign import Campaign
    from ...human.results import labelled_outputs
    from ...human.storage import open_store
    from ...quality.inputs import check_languages

    names = {"source": "source", "labels": "labels", "groups_file": "groups", "extra_features": "extra-features",
             "lower_is_better": "lower-is-better"}  # fmt: skip
    for name, shown in names.items():
        if getattr(options, name):
            raise UsageError(f"--campaign has sources, outputs and labels; leave out {shown}.")
    campaign = Campaign.read(path)
    if not (options.languages or campaign.pair):
        raise UsageError("The campaign names no languages: give them, such as -l et-en.")
    with closing(open_store(path, campaign, options.database, create=False)) as store:
        found = labelled_outputs(campaign, store.rows())
    return {
        "sources": found.sources, "outputs": found.outputs, "labels": np.array(found.labels),
        "languages": check_languages(options.languages or campaign.pair),
        "label_range": options.label_range or found.label_range, "higher_is_better": found.higher_is_better,
    }  # fmt: skip
