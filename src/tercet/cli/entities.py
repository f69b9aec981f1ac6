"""`tercet entities`: report which names, places and things systems keep, lose and invent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..rendering.document import Document, Heading, Notes, Part, Picture, Table
from .console import rendered
from .inputs import input_options, read_testset
from .options import QUIET, ManyValues, format_option

if TYPE_CHECKING:
    from ..entity_report import EntityCounts, EntityReport
    from ..rendering.figures import Figure

SHOWN = 10  # entities of each list, except on pages
ENTITY_HEADER = ["entity", "category", "times", "of", "lines", "id"]


@click.command("entities", cls=ManyValues)
@input_options
@click.option("--kb", default="default", show_default=True, help="The knowledge base: a folder of 'tercet kb build'.")
@click.option("--annotations", metavar="FILE", help="Mentions linked by another program, instead of a knowledge base.")
@click.option("--all-entities", is_flag=True, help="Also count entities that only one of the two languages can name.")
@click.option("--senses", default="all", show_default=True, help="Candidates per name: best, all or a number.")
@click.option("--categories", default="names", show_default=True, help="Count only these, as person+place; or all.")
@click.option("--language-filter", is_flag=True, help="Ignore parts of outputs that are not in their language.")
@click.option("--most", default=20, show_default=True, help="Number of lost and invented entities to list.")
@click.option("--examples", default=3, show_default=True, help="Number of line numbers to list for each.")
@format_option()
@click.option("--html", metavar="FILE", help="Write the whole report as an HTML page, with figures.")
@click.option("--plot", metavar="FILE", help="Write the shares by category as .svg, .png, .html or .json.")
@click.option("--histogram", metavar="FILE", help="Write the numbers of entities per source text as a figure.")
@QUIET
def command(**options: Any) -> None:
    """Report which entities of the source each system keeps, loses and invents.

    \b
    tercet entities -s src.txt -i a.txt b.txt -l ru-en
    tercet entities -t DIR -l ru-en --html entities.html
    """  # fmt: skip
    from ..entity_report import entities

    passed = ("kb", "annotations", "senses", "categories", "language_filter", "most", "examples")
    report = entities(
        read_testset(options, needs_reference=False),
        shared=not options["all_entities"],
        **{name: options[name] for name in passed},
    )
    for name, figure in (("plot", share_figure), ("histogram", histogram_figure)):
        if options[name]:
            figure(report).save(options[name])
    title, form = f"Entities of {report.test_set}", options["form"]
    if options["html"]:
        from ..rendering.pages import write_page

        write_page(options["html"], Document(report_parts(report, "html"), title))
    click.echo(rendered(form, report_parts(report, form), report.to_dict, title))


def share_figure(report: EntityReport) -> Figure:
    """Draw the paper's Figure 3: the share of the source's entities that systems keep, by category."""
    from ..rendering.bars import share_bars

    shares = {
        f"{category} ({times})": {system: found.categories[category] for system, found in report.systems.items()}
        for category, times in report.categories.items()
    }
    return share_bars(shares, label="entities of the source kept", title=f"Entities kept, {report.test_set}")


def histogram_figure(report: EntityReport) -> Figure:
    """Draw the paper's Figure 4: the number of entities per source text."""
    from ..rendering.bars import count_bars

    title = f"Entities per source text, {report.test_set}"
    return count_bars(report.histogram, label="entities in the text", title=title)


def report_parts(report: EntityReport, form: str = "text") -> Iterator[Part]:
    """Yield the parts of the report. Pages have all that is listed, and figures."""
    on_page = form == "html"
    yield Heading(f"Entities kept, {report.test_set}")
    yield "The share of the source's entities that each output names too, by category."
    yield _share_table(report)
    if on_page and report.categories:  # else there are no shares to draw
        yield Picture(share_figure(report))
    for title, listed in _listings(report):
        yield Heading(title)
        yield Table(ENTITY_HEADER, [_entity_row(entity) for entity in listed[: None if on_page else SHOWN]])
    doubtful = [f"{system} {found.doubtful}" for system, found in report.systems.items() if found.doubtful]
    if doubtful:
        yield (
            f"Not listed, because the other text seems to have the name in another form, or because it is an ordinary "
            f"word: {', '.join(doubtful)}."
        )
    yield Heading("Statistics")
    yield "All entities that were linked, whether or not both languages can name them."
    yield Table(["what", "number"], [[name, str(value)] for name, value in report.statistics.items()])
    if on_page:
        yield Picture(histogram_figure(report))
    yield Notes([report.signature])


def _share_table(report: EntityReport) -> Table:
    """Return the percentage of entities kept: systems in rows; all entities, then each category, in columns."""
    header = ["system", f"all ({sum(report.categories.values())})"]
    header += [f"{category} ({times})" for category, times in report.categories.items()]
    rows = []
    for system, found in sorted(report.systems.items(), key=lambda item: -item[1].kept):
        shares = [(found.kept, found.source), *found.categories.values()]
        rows.append([system, *(f"{100 * kept / whole:.1f}" if whole else "–" for kept, whole in shares)])
    return Table(header, rows)


def _listings(report: EntityReport) -> Iterator[tuple[str, tuple[EntityCounts, ...]]]:
    listed = [("Most often lost by all systems", report.most_lost)] if len(report.systems) > 1 else []
    for system, found in report.systems.items():
        listed += [(f"Lost by {system}", found.lost), (f"Invented by {system}", found.invented)]
    return (item for item in listed if item[1])


def _entity_row(entity: EntityCounts) -> list[str]:
    places = ", ".join(str(place.line) for place in entity.examples)
    return [entity.name, entity.category, str(entity.times), str(entity.mentions), places, entity.id]
