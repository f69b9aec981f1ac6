"""Options that commands of `tercet qe` share, and the reading of what they name."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import is_zipfile

from ...data.grouping import grouped
from ...errors import UsageError
from ...options import REQUIRED, Options, again, shell_option
from ...options.groups import Annotation, Form, Jobs, Quiet, TestSetChoice
from ...options.quality import CorpusChoice

if TYPE_CHECKING:
    from ...data.bilingual import Bitext
    from ...quality.inputs import Column, GivenFeatures
    from ...quality.model import QualityModel

log = logging.getLogger(__name__)

NETWORKS = {"embeddings": "use", "network": "auto"}  # names of `language.embeddings`, `language.output_network`
# Options that name files to read, one or several, or to write.
READ = ("model", "source", "output", "labels", "groups_file", "across", "extra_features", "source_corpora",
        "target_corpora", "parallel_files", "references")  # fmt: skip
WRITTEN = ("out", "to", "curve_file", "figure")


@dataclass(frozen=True, kw_only=True)
class Model(Options, group="Texts"):
    """A model."""

    model: str = shell_option(REQUIRED, metavar="MODEL", help="The model's file.")


@dataclass(frozen=True, kw_only=True)
class Pair(Options, group="Texts"):
    """Sources and outputs, their languages, and features of the user's own."""

    source: str = shell_option(REQUIRED, metavar="SRC", help="The sources.")
    output: str | None = shell_option(None, metavar="[MT]", help="The outputs.")
    languages: str | None = shell_option(
        None, "-l", "--languages", metavar="SRC-TGT", help="The language pair; an error if it is not the model's."
    )
    extra_features: str | None = shell_option(
        None, "--extra-features", metavar="TSV",
        help="Your own features: a table with a header, or one column, FILE:COLUMN.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PairOrFile(Quiet, Annotation, Pair, group="Texts"):
    """Sources and outputs, or one file that has both, into which results can be written."""

    columns: Sequence[str] = again(TestSetChoice, "columns", ())

    def check_annotation(self) -> str:
        """Return a checksum of the file that gets results. Raises UsageError, before any work, if it cannot."""
        from ..shared.annotation import check_annotation

        return check_annotation(self, [self.source] if self.output is None else [])

    def write_notes(self, checksum: str, notes: Mapping[str, Sequence[str]], pair: str | None = None) -> None:
        """Write notes into the file, or a copy of it, if that is asked for. checksum: from `check_annotation`."""
        if self.annotating:
            from ..shared.annotation import annotate

            annotate(self, self.source, notes, checksum=checksum, pair=pair, columns=self.columns, quiet=self.quiet)


@dataclass(frozen=True, kw_only=True)
class Groups(Options, group="Texts"):
    """Segments that belong together."""

    groups_file: str | None = shell_option(
        None, "--groups", metavar="FILE",
        help="The group of each segment, such as its document, one per line. Groups are not split between training and "
        "test. [default: the source sentence]",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Output(Quiet, Jobs, Form, group="Result"):
    """Where the result goes, and the processes that compute it."""

    to: str | None = shell_option(
        None, "-o", "--output", metavar="FILE", recorded=False,
        help="Write to this file instead of standard output.",
    )  # fmt: skip

    def write(self, text: str) -> None:
        if self.to is None:
            import click

            click.echo(text)
            return
        from ...data.files import writing

        with writing(self.to) as stream:
            stream.write(f"{text}\n")


def report_written(path: str, *, quiet: bool = False) -> None:
    """Say on standard error that a file was written."""
    if not quiet:
        import click

        click.echo(f"Wrote {path}", err=True)


def check_files(options: Options) -> None:
    """Raise UsageError, before any work, for files that cannot be written or would overwrite an input."""
    from ...quality.inputs import file_and_column
    from ...rendering.figures import check_figure

    given = [getattr(options, name, None) or () for name in READ]
    read = [path for each in given for path in ([each] if isinstance(each, str) else each)]
    if read.count("-") > 1:
        raise UsageError("Standard input (-) can be read once, and is given for two inputs: name a file for one.")
    places = {os.path.realpath(file_and_column(path)[0]) for path in read}
    written = {name: path for name in WRITTEN if (path := getattr(options, name, None)) is not None}
    for path in written.values():
        _check_place(path, places)
    for name in written.keys() & {"curve_file", "figure"}:
        check_figure(written[name])


def _check_place(path: str, inputs: set[str]) -> None:
    if path in ("", "-"):
        raise UsageError(f"{path!r} is not the name of a file to write.")
    place = Path(path)
    if place.is_dir() or not place.parent.is_dir():
        fault = "it is a directory, or in a folder that does not exist"
    elif not os.access(place.parent, os.W_OK):
        fault = f"there is no permission to write in {place.parent}"
    elif place.exists() and not place.is_file():
        fault = "it is not a regular file"
    else:
        fault = ""
    if fault:
        raise UsageError(f"{path} cannot be written: {fault}.")
    if os.path.realpath(path) in inputs:
        raise UsageError(f"{path} is one of the inputs and would be overwritten. Choose another name.")


def open_file(options: PairOrFile) -> Bitext | None:
    """Return the bilingual file of sources and outputs, None for two files. Raises UsageError if MT is missing."""
    if options.output is not None:
        if options.columns:
            raise UsageError("`columns` is for one file with sources and outputs. Write FILE:COLUMN, or leave out MT.")
        return None
    from ...data.bilingual import format_of, open_bitext
    from ..shared.texts import read_columns

    if format_of(options.source) is None:
        model = str(getattr(options, "model", ""))
        if Path(model).is_file() and not is_zipfile(model):
            raise UsageError(
                f"{model} is where a model is expected. Put its name first: 'default' (the package's), "
                "'triage' (rank without a model) or a file of `qe train`."
            )
        raise UsageError(
            "Give the sources and the outputs, SRC and MT, or one file that has both: XLIFF, TMX, PO, CSV, TSV or XLSX."
        )
    return open_bitext(options.source, columns=read_columns(options.columns), pair=options.languages or None)


def open_model(model: str, languages: str | None, bitext: Bitext | None = None) -> QualityModel:
    """Open a model. Raises UsageError if it is not for the given languages, or those of the bilingual file."""
    from ...quality.default import load_model
    from ...quality.inputs import check_languages

    pair = languages or (bitext.pair if bitext else None)
    return load_model(model, check_languages(pair) if pair else None)


def read_pair(
    options: Pair, languages: tuple[str, str], *others: Column, bitext: Bitext | None = None
) -> tuple[Sequence[str], Sequence[str], GivenFeatures | None]:
    """Read sources, outputs and the user's own features; `others` must have the same length."""
    from ...quality.inputs import read_features, read_texts

    if bitext is not None:
        sources, outputs = tuple(bitext.source), tuple(bitext.output())
    else:
        sources, outputs = read_texts(options.source, str(options.output), *others)
    for role, language, lines in zip(("source", "output"), languages, (sources, outputs), strict=True):
        _check_language(getattr(options, role) or options.source, role, language, lines)
    extra = options.extra_features
    return sources, outputs, read_features(extra, len(sources)) if extra else None


def segment_names(bitext: Bitext | None) -> dict[str, Sequence[str]]:
    """Return the ids and files of the segments, for `rank`; nothing if the inputs are plain texts."""
    return {} if bitext is None else {"ids": bitext.ids, "files": [each.file for each in bitext.segments]}


def _check_language(name: str, role: str, language: str, lines: Sequence[str]) -> None:
    """Warn of texts in another language, such as swapped files or a model for another pair."""
    from ...checking.report import Text
    from ...checking.texts import check_languages
    from ...text.anomalies import ERROR

    for found in check_languages([Text(name, role, list(lines))], {role: (language,)}):
        if found.severity == ERROR:
            log.warning("%s: %s It was given as the %s, in %s.", name, found.message, role, language)


def read_corpora(options: CorpusChoice) -> dict[str, Any]:
    """Read the corpora. Returns the arguments of `Corpora` and of `train`."""
    from ...quality.inputs import read_column, read_texts

    def texts(paths: Sequence[str]) -> list[str]:
        return [line for path in paths for line in read_column(path).values]

    return {
        "source_texts": texts(options.source_corpora),
        "target_texts": texts(options.target_corpora),
        "parallel": read_texts(*options.parallel_files) if options.parallel_files else None,
        "tags": options.tags,
        **{name: used if getattr(options, f"with_{name}") else None for name, used in NETWORKS.items()},
    }


def left_out_lines(left_out: Mapping[str, str], named: int = 3) -> list[str]:
    """Return a line for each reason, with some of the features left out for it; JSON names all."""
    reasons = grouped((why, name) for name, why in left_out.items())
    return [
        f"Left out ({len(names)}): {', '.join(names[:named])}{', …' if len(names) > named else ''}: {why}"
        for why, names in reasons.items()
    ]
