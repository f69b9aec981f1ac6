"""Options that write results back into the user's file: --annotate and --in-place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..data.formats import is_bilingual
from ..errors import UsageError
from .options import all_of

ANNOTATE = all_of(
    click.option("--annotate", metavar="FILE", help="Write a copy of the bilingual input file with the results in it."),
    click.option(
        "--in-place", is_flag=True, help="Write results into the input file; the old one is kept as FILE.bak."
    ),
)


def annotating(options: Mapping[str, Any]) -> bool:
    """Return whether results are to be written into a file."""
    return bool(options["annotate"] or options["in_place"])


def check_annotation(options: Mapping[str, Any], paths: Sequence[str]) -> None:
    """Raise UsageError, before any work, if results cannot be written into these inputs."""
    if not annotating(options):
        return
    if options["annotate"] and options["in_place"]:
        raise UsageError("Choose --annotate FILE or --in-place, not both.")
    if len(paths) != 1 or not (is_bilingual(paths[0]) or paths[0].lower().endswith(".tsv")):
        raise UsageError(
            "Results are written into one file with sources and translations: XLIFF, TMX, PO, CSV, TSV or XLSX. "
            "Give one such file."
        )
    to = options["annotate"]
    if to and os.path.realpath(to) == os.path.realpath(paths[0]):
        raise UsageError(f"{to} is the input. Use --in-place, which keeps a backup, or choose another name.")
    if to and Path(to).suffix.lower() != Path(paths[0]).suffix.lower():
        raise UsageError(f"{to} must end in {Path(paths[0]).suffix}, as the input does: it is a copy of it.")


def annotate(options: Mapping[str, Any], path: str, notes: Mapping[str, Sequence[str]], pair: str | None) -> None:
    """Write notes, by name with one text per segment, into a copy of the file or into the file itself."""
    from ..data.bilingual import open_bitext
    from .inputs import read_columns

    bitext = open_bitext(path, columns=read_columns(options), pair=pair)
    if options["in_place"]:
        backup = bitext.annotate_in_place(notes)
        written = f"{path} (the old file is {backup})"
    else:
        bitext.annotate(notes, options["annotate"])
        written = options["annotate"]
    if not options["quiet"]:
        click.echo(f"Wrote {written}", err=True)
