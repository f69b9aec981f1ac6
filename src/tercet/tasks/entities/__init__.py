"""`tercet entities`: report which names, places and things systems keep, lose and invent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...options import command, option, shell_option, takes
from ...options.groups import Form, Quiet, Texts

if TYPE_CHECKING:
    from ...data.testset import TestSet
    from .counting import EntityReport


@dataclass(frozen=True, kw_only=True)
class EntitiesOptions(Quiet, Form, Texts):
    """Options of `entities`."""

    kb: str | Path = option("default", "--kb", help="The knowledge base: a folder of 'tercet kb build'.")
    annotations: str | Path | None = option(
        None, "--annotations", metavar="FILE", help="Mentions linked by another program, instead of a knowledge base."
    )
    shared: bool = option(
        True, "--shared/--all-entities",
        help="Count only entities that both languages can name, or also those that only one can. [default: --shared]",
        about="Count only entities that both languages can name.",
    )  # fmt: skip
    senses: str | int = option(
        "all", "--senses", help="Candidates that count for an ambiguous name: best, all or a number."
    )
    categories: str = option(
        "names", "--categories",
        help="Count only these, as person+place; names are all but concepts (common nouns, whose links are often "
        "wrong); or all.",
    )  # fmt: skip
    numbers: bool = option(
        True, "--numbers/--no-numbers", help="Numbers, amounts, times and web addresses too. [default: yes]",
        about="Include numbers, amounts, times and web addresses.",
    )  # fmt: skip
    confidence: float = option(
        0.6, "--confidence", low=0, high=1, help="List names that are lost or invented with this probability or more."
    )
    language_filter: bool = option(
        False, "--language-filter", help="Ignore parts of outputs that are not in their language."
    )
    most: int = option(20, "--most", low=0, help="Number of lost and invented entities to list.")
    examples: int = option(3, "--examples", low=0, help="Number of line numbers to list for each.")
    html: str | None = shell_option(
        None, "--html", metavar="FILE", help="Write the whole report as an HTML page, with figures."
    )
    plot: str | None = shell_option(
        None, "--plot", metavar="FILE", help="Write the shares by category as .svg, .png, .html or .json."
    )
    histogram: str | None = shell_option(
        None, "--histogram", metavar="FILE", help="Write the numbers of entities per source text as a figure."
    )


@takes(EntitiesOptions)
def entities(testset: TestSet, *, options: EntitiesOptions) -> EntityReport:
    """Report which entities of the source each system keeps, loses and invents.

    Parameters
    ----------
    testset : TestSet
        The texts, with source and language pair.

    Returns
    -------
    EntityReport : by system, the entities kept, lost and invented.

    Examples
    --------
    >>> import tercet
    >>> testset = tercet.TestSet({"a": ["Sie lebt in Rom."]}, source=["She lives in Berlin."], pair="en-de")
    >>> [entity.name for entity in tercet.entities(testset).systems["a"].lost]
    ['Berlin']
    """
    from ...metrics.entities.kobe import KoBE
    from .counting import report_entities

    names = ("kb", "annotations", "shared", "senses", "categories", "numbers", "language_filter")
    metric = KoBE(forms=True, **{name: getattr(options, name) for name in names})
    return report_entities(testset, metric, most=options.most, examples=options.examples, confidence=options.confidence)


@command(EntitiesOptions)
def run(options: EntitiesOptions) -> None:
    """Report which entities of the source each system keeps, loses and invents.

    \b
    tercet entities -s src.txt -i a.txt b.txt -l ru-en
    tercet entities -t DIR -l ru-en --html entities.html
    """
    import click

    from ...cli.console import rendered
    from ...data.files import writing
    from ..shared.texts import read_testset
    from .board import entity_page, histogram_figure, report_parts, share_figure

    testset = read_testset(options, needs_reference=False)
    report = entities(testset, **options.python())
    for path, figure in ((options.plot, share_figure), (options.histogram, histogram_figure)):
        if path:
            figure(report).save(path)
    page = entity_page(report, testset) if options.html or options.form == "html" else ""
    if options.html:
        with writing(options.html) as stream:
            stream.write(page)
    if options.form == "html":
        click.echo(page, nl=False)
    else:
        click.echo(rendered(options.form, report_parts(report), report.to_dict, f"Entities of {report.test_set}"))
