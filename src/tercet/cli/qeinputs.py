"""Read and check the inputs of `tercet qe` from its command-line options."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError

if TYPE_CHECKING:
    from ..checking.triage import Triage
    from ..data.bilingual import Bitext
    from ..quality.inputs import Column, GivenFeatures
    from ..quality.model import QualityModel

log = logging.getLogger(__name__)

NETWORKS = {"embeddings": "use", "network": "english"}  # names of `language.embeddings`, `language.output_network`
Options = dict[str, Any]
# Options that name files to read (one or several) or to write.
READ = ("model", "source", "output", "labels", "groups", "across", "extra_features")
READ_MANY = ("source_corpora", "target_corpora", "parallel", "references")
WRITTEN = ("out", "to", "curve", "figure")
ZIP = b"PK\x03\x04"  # the first bytes of a model file


def check_files(options: Options) -> None:
    """Raise UsageError, before any work, for files that cannot be written or would overwrite an input."""
    from ..quality.inputs import file_and_column
    from .qefigures import check_figure

    read = [options[name] for name in READ if options.get(name)]
    read += [path for name in READ_MANY for path in options.get(name) or ()]
    if read.count("-") > 1:
        raise UsageError("Standard input (-) can be read once, and is given for two inputs: name a file for one.")
    places = {os.path.realpath(file_and_column(path)[0]) for path in read}
    for name in WRITTEN:
        if options.get(name) is not None:
            _check_place(options[name], places)
    for name in ("curve", "figure"):
        if options.get(name):
            check_figure(options[name])


def _check_place(path: str, inputs: set[str]) -> None:
    place = Path(path)
    if path in ("", "-"):
        raise UsageError(f"{path!r} is not the name of a file to write.")
    if place.is_dir() or not place.parent.is_dir():
        raise UsageError(f"{path} cannot be written: it is a directory, or in a folder that does not exist.")
    if not os.access(place.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written: there is no permission to write in {place.parent}.")
    if place.exists() and not place.is_file():
        raise UsageError(f"{path} cannot be written: it is not a regular file.")
    if os.path.realpath(path) in inputs:
        raise UsageError(f"{path} is one of the inputs and would be overwritten. Choose another name.")


def check_training_ends(options: Options) -> None:
    """Raise an error, before any work, for options that would fail after minutes of training."""
    from ..quality.splits import scikit_learn
    from ..stats.resampling import check_share

    check_share("The level of intervals", options["level"])
    check_files(options)
    out = Path(options["out"])
    if out.is_file() and out.stat().st_size:
        with out.open("rb") as stream:
            if stream.read(len(ZIP)) != ZIP:
                raise UsageError(f"{out} exists and is not a model, so it is not overwritten. Choose another name.")
    scikit_learn("base")


def open_model(options: Options) -> QualityModel:
    """Open the model. Raises UsageError if it is not for the given languages, or those of the bilingual file."""
    from ..quality.default import load_model
    from ..quality.inputs import check_languages

    pair = options["languages"]
    if not pair and "columns" in options and (bitext := open_file(options)) is not None:
        pair = bitext.pair
    return load_model(options["model"], check_languages(pair) if pair else None)


def read_pairs(
    options: Options, languages: tuple[str, str], *others: Column
) -> tuple[Sequence[str], Sequence[str], GivenFeatures | None]:
    """Read sources, outputs and the user's own features; `others` must have the same length."""
    from ..quality.inputs import read_features, read_texts

    bitext = open_file(options)
    if bitext is not None:
        sources, outputs = tuple(bitext.source), tuple(bitext.output())
    else:
        sources, outputs = read_texts(options["source"], options["output"], *others)
    for role, language, lines in zip(("source", "output"), languages, (sources, outputs), strict=True):
        _check_language(options[role] or options["source"], role, language, lines)
    extra = options["extra_features"]
    return sources, outputs, read_features(extra, len(sources)) if extra else None


def open_file(options: Options) -> Bitext | None:
    """Return the bilingual file that holds sources and outputs, or None if they are two files.

    Raises UsageError if MT is missing and SRC is not such a file.
    """
    if options.get("output") is not None:
        if options.get("columns"):
            raise UsageError("--columns is for one file with sources and outputs. Write FILE:COLUMN, or leave out MT.")
        return None
    from ..data.bilingual import format_of, open_bitext
    from .inputs import read_columns

    if format_of(options["source"]) is None:
        raise UsageError(
            "Give the sources and the outputs, SRC and MT, or one file that has both: XLIFF, TMX, PO, CSV, TSV or XLSX."
        )
    if "opened" not in options:  # read once, however many ask for it
        columns = read_columns(options)
        options["opened"] = open_bitext(options["source"], columns=columns, pair=options["languages"] or None)
    found: Bitext = options["opened"]
    return found


def segment_names(options: Options) -> dict[str, Sequence[str]]:
    """Return the ids and files of the segments, for `rank`; nothing if the inputs are plain texts."""
    bitext = open_file(options)
    return {} if bitext is None else {"ids": bitext.ids, "files": [each.file for each in bitext.segments]}


def triaged(options: Options) -> Triage:
    """Read the texts and rank them by findings."""
    from ..checking.triage import triage
    from ..data.terminology import read_terms
    from ..quality.inputs import check_languages, read_texts

    pair = "-".join(check_languages(options["languages"])) if options["languages"] else None
    bitext = open_file(options)
    more: dict[str, Any] = dict(segment_names(options))
    if bitext is None:
        sources, outputs = read_texts(options["source"], options["output"])
    else:
        sources, outputs, pair = tuple(bitext.source), tuple(bitext.output()), pair or bitext.pair
        more["source_tags"] = [each.source_tags for each in bitext.segments]
        more["output_tags"] = [each.output_tags for each in bitext.segments]
    terms = read_terms(options["terms"], pair) if options["terms"] else None
    return triage(sources, outputs, pair=pair, terms=terms, **more)


def _check_language(name: str, role: str, language: str, lines: Sequence[str]) -> None:
    """Warn of texts in another language, such as swapped files or a model for another pair."""
    from ..checking.languages import check_languages
    from ..checking.report import Text
    from ..text.anomalies import ERROR

    for found in check_languages([Text(name, role, list(lines))], {role: (language,)}):
        if found.severity == ERROR:
            log.warning("%s: %s It was given as the %s, in %s.", name, found.message, role, language)


def segment_scores(
    options: Options, model: QualityModel, sources: Sequence[str], outputs: Sequence[str]
) -> dict[str, Any]:
    """Score each segment with metrics; scores are negated if their direction is not that of the model."""
    if not options["metrics"]:
        if options["references"]:
            raise UsageError("--reference is for metrics: name them with -m.")
        return {}
    from ..data.stream import unique_names
    from ..data.testset import TestSet
    from ..quality.inputs import read_column
    from ..scoring import score

    named = {name: read_column(path).values for name, path in unique_names(options["references"]).items()}
    testset = TestSet({"output": outputs}, named, source=sources, pair=model.pair, name="the segments")
    found = {}
    for asked, scores in zip(options["metrics"], score(testset, options["metrics"], jobs=options["jobs"]), strict=True):
        sign = 1.0 if scores.higher_is_better in (None, model.higher_is_better) else -1.0
        found[asked] = sign * scores.segment["output"]
    return found


def training_data(options: Options) -> dict[str, Any]:
    """Read the files of the options and return the arguments of `train`."""
    from ..quality.inputs import check_languages, check_range, read_labels, read_names

    if options["campaign"]:
        return _campaign_data(options)
    if options["labels"] is None:
        raise UsageError("Give SRC, MT and LABELS, or a campaign with judgements: --campaign CAMPAIGN.")
    if not options["languages"]:
        raise UsageError("Give the language pair, such as -l et-en.")
    if options["database"]:
        raise UsageError("--database goes with --campaign.")
    languages = check_languages(options["languages"])
    label_range = check_range(options["label_range"]) if options["label_range"] else None
    labelled, labels = read_labels(options["labels"], label_range)
    groups = read_names(options["groups"], "group") if options["groups"] else None
    sources, outputs, given = read_pairs(options, languages, labelled, *([groups] if groups else []))
    return {
        "sources": sources,
        "outputs": outputs,
        "labels": labels,
        "languages": languages,
        "learner": options["learner"],
        "groups": groups.values if groups else None,
        "given": given,
        "features": _words(options["features"]),
        "label_range": label_range,
        "higher_is_better": not options["lower_is_better"],
        **_corpora(options),
    }


def _campaign_data(options: Options) -> dict[str, Any]:
    """Return the arguments of `train` from the answers of a campaign. The label of an output is its mean judgement."""
    from contextlib import closing

    import numpy as np

    from ..human.campaign import Campaign
    from ..human.judged_outputs import labelled_outputs
    from ..human.storage import open_store
    from ..quality.inputs import check_languages, check_range

    given = [name for name in ("source", "labels", "groups", "extra_features", "lower_is_better") if options[name]]
    if given:
        raise UsageError(f"--campaign has sources, outputs and labels; leave out {given[0].replace('_', '-')}.")
    campaign = Campaign.read(options["campaign"])
    if not (options["languages"] or campaign.pair):
        raise UsageError("The campaign names no languages: give them, such as -l et-en.")
    with closing(open_store(options["campaign"], campaign, options["database"], create=False)) as store:
        found = labelled_outputs(campaign, store.rows())
    return {
        "sources": found.sources,
        "outputs": found.outputs,
        "labels": np.array(found.labels),
        "languages": check_languages(options["languages"] or campaign.pair),
        "learner": options["learner"],
        "groups": None,
        "given": None,
        "features": _words(options["features"]),
        "label_range": check_range(options["label_range"]) if options["label_range"] else found.label_range,
        "higher_is_better": found.higher_is_better,
        **_corpora(options),
    }


def _words(given: Sequence[str]) -> list[str] | None:
    return [word for text in given for word in text.replace(",", " ").split()] or None


def _corpora(options: Options) -> dict[str, Any]:
    from ..quality.inputs import read_column, read_texts

    found: dict[str, Any] = {
        f"{side}_texts": [line for path in options[f"{side}_corpora"] for line in read_column(path).values]
        for side in ("source", "target")
    }
    parallel = read_texts(*options["parallel"]) if options["parallel"] else None
    networks = {name: used if options[name] else None for name, used in NETWORKS.items()}
    return found | {"parallel": parallel, "tags": options["tags"], **networks}


def feature_resources(options: Options) -> tuple[Any, list[str] | None]:
    """Return the resources and features of `qe features`, from a model or from corpora; None for --list alone."""
    from ..quality.inputs import check_languages
    from ..quality.resources import Corpora
    from ..quality.training import chosen_features, features_named
    from .qeboard import left_out_lines

    asked = _words(options["features"])
    if options["model"]:
        if any(options[name] for name in ("source_corpora", "target_corpora", "parallel", "tags", *NETWORKS)):
            raise UsageError(
                "A model has its own resources: leave out corpora, --tags, --embeddings and --network with --model."
            )
        model = open_model(options)
        names = list(model.features) if asked is None else chosen_features(asked, model.resources)[0]
        return model.resources, names
    if not options["languages"]:
        if options["listed"]:
            return None, features_named(asked) if asked else None
        raise UsageError("Give the languages, such as --languages et-en, or a --model.")
    resources = Corpora(check_languages(options["languages"]), **_corpora(options)).estimate()
    names, left_out = chosen_features(asked, resources)
    if not options["listed"] and not options["quiet"]:
        for line in left_out_lines(left_out):
            click.echo(line, err=True)
    return resources, None if options["listed"] and asked is None else names
