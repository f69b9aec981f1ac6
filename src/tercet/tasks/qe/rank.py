"""`tercet qe rank`: with a model, or by findings without one."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...options import command, shell_option
from ...options.quality import Ranking
from .inputs import Model, Output, PairOrFile, check_files, open_file, open_model, read_pair, segment_names

if TYPE_CHECKING:
    from ...checking.triage import Triage
    from ...data.bilingual import Bitext

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RankOptions(Output, Ranking, PairOrFile, Model):
    """Options of `qe rank`."""

    terms: str | None = shell_option(
        None, "--terms", metavar="FILE",
        help="Terminology that outputs must follow (triage): TBX, CSV, TSV, XLSX.",
    )  # fmt: skip


@command(RankOptions)
def run(options: RankOptions) -> None:
    """List the segments that need review most, each with the features that make its prediction worse.

    SRC may be a file with sources and outputs (XLIFF, TMX, PO, CSV, TSV, XLSX); then MT is left out. MODEL may be
    'triage': rank without a model, by findings such as lost numbers, names, tags and terms.

    The formats tsv (for a spreadsheet) and html (a page) are for reviewers:

    \b
    tercet qe rank model.qe src.txt mt.txt --target 80 -f html -o review.html
    tercet qe rank triage app.xliff --in-place
    """
    from ...checking.triage import TRIAGE
    from ...engine import open_executor
    from ...quality.ranking import rank
    from .ranking_board import ranking_notes, show_ranking, show_triage, triage_notes

    by_findings = options.model == TRIAGE and not Path(TRIAGE).exists()
    check_files(replace(options, model="") if by_findings else options)
    checksum = options.check_annotation()
    if by_findings:
        for name in ("target", "extra_features"):
            if getattr(options, name) is not None:
                raise UsageError(f"`{name}` needs a model; 'triage' ranks by findings.")
        triaged = triage_texts(options, open_file(options))
        options.write(show_triage(triaged, options.top, options.form))
        options.write_notes(checksum, triage_notes(triaged), triaged.pair)
        return
    if options.terms:
        raise UsageError(f"`terms` goes with {TRIAGE!r} as MODEL.")
    bitext = open_file(options)
    model = open_model(options.model, options.languages, bitext)
    sources, outputs, given = read_pair(options, model.languages, bitext=bitext)
    with open_executor(options.jobs) as executor:
        how = options.python(Ranking, given=given, executor=executor, **segment_names(bitext))
        found = rank(model, sources, outputs, **how)
    options.write(show_ranking(model, found, options.form))
    options.write_notes(checksum, ranking_notes(found))
    if options.form in ("tsv", "html") and not options.quiet and found.advice:
        import click

        click.echo(found.advice, err=True)


def triage_texts(options: RankOptions, bitext: Bitext | None) -> Triage:
    """Read the texts and rank them by findings."""
    from ...checking.triage import triage
    from ...data.terminology import read_terms
    from ...quality.inputs import check_languages, read_texts

    pair = "-".join(check_languages(options.languages)) if options.languages else None
    more: dict[str, Any] = dict(segment_names(bitext))
    if bitext is None:
        sources, outputs = read_texts(options.source, str(options.output))
    else:
        sources, outputs, pair = tuple(bitext.source), tuple(bitext.output()), pair or bitext.pair
        more |= {name: [getattr(each, name) for each in bitext.segments] for name in ("source_tags", "output_tags")}
    return triage(sources, outputs, pair=pair, terms=read_terms(options.terms, pair) if options.terms else None, **more)
