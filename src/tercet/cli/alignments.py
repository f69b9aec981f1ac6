"""`tercet alignments`: count aligned words of outputs and references, and their context penalties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..rendering.document import Notes, Table
from ..rendering.tables import number
from .console import Progress, rendered
from .inputs import input_options, read_inputs
from .options import ManyValues, format_option, run_options, where

if TYPE_CHECKING:
    from ..alignment_report import AlignmentReport

    Rows = tuple[list[str], list[list[str]]]

TITLES = {  # by the name of --table
    "matches": "Aligned words by level",
    "penalties": "Context penalties by level",
    "equivalence": "Segment scores changed by equivalent relations",
}


@click.command("alignments", cls=ManyValues)
@input_options
@click.option("-m", "--metric", default="cobalt", show_default=True, help="The metric, e.g. cobalt:vectors=FILE.")
@click.option(
    "--table", type=click.Choice(list(TITLES)), help="Print only this table. Required for TSV and CSV, which hold one."
)
@format_option()
@run_options()
def command(**options: Any) -> None:
    """Count aligned words of outputs and references by level, and measure how much their contexts differ.

    \b
    tercet alignments ref.txt -i a.txt b.txt -l cs-en
    tercet alignments ref.txt -i a.txt -l cs-en -m cobalt:vectors=words.vec --table matches -f csv
    """  # fmt: skip
    from ..alignment_report import alignments

    form = options["form"]
    if form in ("tsv", "csv") and options["table"] is None:
        raise UsageError(f"{form.upper()} holds one table. Choose one with --table: {', '.join(TITLES)}.")
    with Progress("Aligning", quiet=options["quiet"]) as progress:
        report = alignments(read_inputs(options), options["metric"], **where(options), progress=progress)
    wanted = [options["table"]] if options["table"] else list(TITLES)
    tables = (Table(*_rows(name, report, rounded=form not in ("tsv", "csv")), caption=TITLES[name]) for name in wanted)
    click.echo(rendered(form, [*tables, Notes([report.signature])], report.to_dict))


def _rows(name: str, report: AlignmentReport, *, rounded: bool) -> Rows:
    """Return the header and the rows of one table."""
    from ..alignment_report import ALL

    total = report.total

    def decimals(value: float, width: int) -> str:
        return number(value, width) if rounded or value != value else repr(value)

    def percent(part: int, whole: int) -> str:
        return decimals(100 * part / whole if whole else float("nan"), 1)

    if name == "equivalence":
        listed = [*report.systems.items(), *([(ALL, total)] if len(report.systems) > 1 else [])]
        return ["system", "changed", "segments", "%"], [
            [system, str(found.changed), str(found.segments), percent(found.changed, found.segments)]
            for system, found in listed
        ]
    if name == "penalties":
        return ["level", "mean", "words with one", "%"], [
            [level, decimals(found.mean, 3), str(found.penalised), percent(found.penalised, found.words)]
            for level, found in total.penalties.items()
        ]
    header = ["level"]
    header += [f"{metric}{part}" for metric in ("Cobalt", "METEOR") for part in (" content", " function", "", " %")]
    sides = (total.matches, total.aligned), (total.meteor, total.meteor_aligned)
    rows = []
    for level in total.matches:
        row = [level]
        for found, aligned in sides:
            cells = found.get(level)
            row += (
                [str(cells.content), str(cells.function), str(cells.total), percent(cells.total, aligned)]
                if cells
                else [""] * 4
            )
        rows.append(row)
    rows.append(["aligned"])
    for found, aligned in sides:
        content = sum(cells.content for cells in found.values())
        rows[-1] += [str(content), str(aligned - content), str(aligned), percent(aligned, aligned)]
    for side, words in (("output words", total.output_words), ("reference words", total.reference_words)):
        rows.append([side])
        for _, aligned in sides:
            rows[-1] += ["", "", str(words), percent(aligned, words)]
    return header, rows
