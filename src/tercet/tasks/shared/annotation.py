"""Write results back into the user's file: a copy of it, or the file itself."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ...data.files import content_checksum, is_file
from ...data.formats import is_bilingual
from ...errors import UsageError
from ...options.groups import Annotation


def check_annotation(options: Annotation, paths: Sequence[str]) -> str:
    """Return a checksum of the file that gets results. Raises UsageError, before any work, if it cannot get them."""
    if not options.annotating:
        return ""
    if len(paths) != 1 or not (is_bilingual(paths[0]) or paths[0].lower().endswith(".tsv")):
        raise UsageError(
            "Results are written into one file with sources and translations: XLIFF, TMX, PO, CSV, TSV or XLSX. "
            "Give one such file."
        )
    if not is_file(paths[0]):
        raise UsageError(f"{paths[0]} is not a file, so nothing can be written into it.")
    to = options.annotate
    if to and os.path.realpath(to) == os.path.realpath(paths[0]):
        raise UsageError(f"{to} is the input. Use `in_place`, which keeps a backup, or choose another name.")
    if to and Path(to).suffix.lower() != Path(paths[0]).suffix.lower():
        raise UsageError(f"{to} must end in {Path(paths[0]).suffix}, as the input does: it is a copy of it.")
    return content_checksum(Path(paths[0]))


def annotate(
    options: Annotation,
    path: str,
    notes: Mapping[str, Sequence[str]],
    *,
    checksum: str,
    pair: str | None = None,
    columns: Sequence[str] = (),
    quiet: bool = False,
) -> None:
    """Write notes, by name with one text per segment, into a copy of the file or into the file itself.

    checksum: as `check_annotation` returned it. If the file has another one now, nothing is written.
    """
    from ...data.bilingual import open_bilingual
    from .texts import read_columns

    bitext = open_bilingual(path, columns=read_columns(columns), pair=pair)
    bitext.check_unchanged(checksum)
    if options.in_place:
        backup = bitext.annotate_in_place(notes)
        written = f"{path} (the old file is {backup})"
    else:
        written = str(options.annotate)
        bitext.annotate(notes, written)
    if not quiet:
        click.echo(f"Wrote {written}", err=True)
