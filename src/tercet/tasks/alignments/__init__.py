"""`tercet alignments`: count aligned words of outputs and references, and their context penalties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...options import command, option, shell_option, takes
from ...options.groups import Form, Texts, Where

if TYPE_CHECKING:
    from ...data.stream import TextFiles
    from ...data.testset import TestSet
    from ...metrics import Metric
    from .counting import AlignmentReport

TABLES = ("matches", "penalties", "equivalence")


@dataclass(frozen=True, kw_only=True)
class AlignmentsOptions(Where, Form, Texts):
    """Options of `alignments`."""

    metric: str | Metric = option(
        "cobalt", "-m", "--metric", positional=True, help="The metric, e.g. cobalt:vectors=FILE.",
        about="cobalt with its parameters. METEOR aligns the same words, with the same synonyms and paraphrases.",
    )  # fmt: skip
    table: str | None = shell_option(
        None, "--table", choices=TABLES,
        help="Print only this table. Required for TSV and CSV, which hold one.",
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        if self.form in ("tsv", "csv") and self.table is None:
            raise UsageError(f"{self.form.upper()} holds one table. Choose one with --table: {', '.join(TABLES)}.")


@takes(AlignmentsOptions)
def alignments(testset: TestSet | TextFiles, *, options: AlignmentsOptions) -> AlignmentReport:
    """Report how words of outputs and references are aligned: by level, beside METEOR, with penalties.

    Parameters
    ----------
    testset : TestSet or TextFiles
        The texts.

    Returns
    -------
    AlignmentReport : by system and in total: matches by level, penalties, and the effect of equivalent relations.

    Examples
    --------
    >>> import tercet
    >>> testset = tercet.TestSet({"a": ["Dogs bark."]}, {"ref": ["Dogs bark ."]}, pair="de-en")
    >>> tercet.alignments(testset).systems["a"].matches["exact"].content
    2
    """
    from .counting import count_alignments

    return count_alignments(testset, options)


@command(AlignmentsOptions)
def run(options: AlignmentsOptions) -> None:
    """Count aligned words of outputs and references by level, and measure how much their contexts differ.

    \b
    tercet alignments ref.txt -i a.txt b.txt -l cs-en
    tercet alignments ref.txt -i a.txt -l cs-en -m cobalt:vectors=words.vec --table matches -f csv
    """
    import click

    from ...cli.console import Progress, rendered
    from ...rendering.document import Notes, Table
    from ..shared.texts import read_inputs
    from .board import TITLES, table_rows

    with Progress("Aligning", quiet=options.quiet) as progress:
        report = alignments(read_inputs(options), **options.python(progress=progress))
    rounded = options.form not in ("tsv", "csv")
    tables = (
        Table(*table_rows(name, report, rounded=rounded), caption=TITLES[name])
        for name in ([options.table] if options.table else TABLES)
    )
    click.echo(rendered(options.form, [*tables, Notes([report.signature])], report.to_dict))
