"""`tercet qe features`."""

from dataclasses import dataclass
from typing import Any

from ...errors import UsageError
from ...options import again, command, declared, shell_option
from ...options.groups import FORMS, Form
from ...options.quality import CorpusChoice, FeatureChoice
from .inputs import Output, check_files, left_out_lines, open_model, read_corpora


@dataclass(frozen=True, kw_only=True)
class FeaturesOptions(Output, FeatureChoice, CorpusChoice):
    """Options of `qe features`."""

    source: str | None = shell_option(None, metavar="[SRC]", help="The sources.")
    output: str | None = shell_option(None, metavar="[MT]", help="The outputs.")
    languages: str | None = shell_option(
        None, "-l", "--languages", metavar="SRC-TGT",
        help="The language pair, such as et-en; not needed with --model.",
    )  # fmt: skip
    model: str | None = shell_option(
        None, "--model", metavar="MODEL", help="Use the features of this model, with its resources."
    )
    listed: bool = shell_option(False, "--list", help="List all features, their resources, and which are available.")
    form: str = again(Form, "form", choices=(*FORMS, "jsonl"), help="Output format. [default: tsv; text for --list]")


@command(FeaturesOptions)
def run(options: FeaturesOptions) -> None:
    """Write the features of every segment, or --list all features.

    Features whose resource is missing are left out and reported on standard error.
    """
    from ...engine import open_executor
    from ...quality.features import describe_features, extract
    from .board import show_features, show_list

    check_files(options)
    if options.listed:
        options.write(show_list(describe_features(*_resources(options)), options.form or "text"))
        return
    if options.source is None or options.output is None:
        raise UsageError("Give the sources and the outputs, SRC and MT, or --list.")
    if options.form == "text":
        raise UsageError("Features are written as tsv, csv, jsonl or json; text is only for --list.")
    from ...quality.inputs import read_texts

    sources, outputs = read_texts(options.source, options.output)
    resources, names = _resources(options)
    with open_executor(options.jobs) as executor:
        table = extract(sources, outputs, resources, names=names, executor=executor)
    options.write(show_features(table, options.form or "tsv"))


def _resources(options: FeaturesOptions) -> tuple[Any, list[str] | None]:
    """Return the resources and the features, from a model or from corpora; None for --list alone."""
    from ...quality.inputs import check_languages
    from ...quality.resources import Corpora
    from ...quality.training import chosen_features, features_named

    asked = list(options.features) or None
    if options.model:
        if any(getattr(options, name) for name in declared(CorpusChoice)):
            raise UsageError(
                "A model has its own resources: leave out corpora, --tags, --embeddings and --network with --model."
            )
        model = open_model(options.model, options.languages)
        names = list(model.features) if asked is None else chosen_features(asked, model.resources)[0]
        return model.resources, names
    if not options.languages:
        if options.listed:
            return None, features_named(asked) if asked else None
        raise UsageError("Give the languages, such as --languages et-en, or a --model.")
    resources = Corpora(check_languages(options.languages), **read_corpora(options)).estimate()
    names, left_out = chosen_features(asked, resources)
    if not options.listed and not options.quiet:
        import click

        for line in left_out_lines(left_out):
            click.echo(line, err=True)
    return resources, None if options.listed and asked is None else names
