"""`tercet rate new`: make a campaign from a test set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ...cli.console import print_as
from ...errors import UsageError
from ...human.design_options import Design
from ...options import command, shell_option
from ...options.groups import Form, Texts
from . import Address, Out, described, facts, link_lines

if TYPE_CHECKING:
    from ...data.testset import TestSet
    from ...human.campaign import Campaign


@dataclass(frozen=True, kw_only=True)
class Making(Form, Out, Address):
    """Where a campaign is written, and how its links are printed."""

    replace: bool = shell_option(False, "--replace", recorded=False, help="Overwrite an existing campaign.")

    def check_free(self) -> None:
        """Raise UsageError if the file exists: a new campaign under its name would make its answers unreadable."""
        if not self.replace:
            self.refuse_existing("Choose another name, or overwrite it with `replace`.")


@dataclass(frozen=True, kw_only=True)
class NewOptions(Making, Design, Texts):
    """Options of `rate new`."""

    from_rank: str | None = shell_option(
        None, "--from-rank", metavar="FILE", help="Choose segments by a ranking, JSON of 'tercet qe rank -f json'."
    )
    choose: str = shell_option(
        "doubtful", "--choose", choices=("doubtful", "stratified"),
        help="With --from-rank: the first ones, or some from every part of the ranking.",
    )  # fmt: skip
    tutorial_file: str | None = shell_option(
        None, "--tutorial", metavar="FILE", help="Items that all raters see first, as JSON lines."
    )
    instructions_file: str | None = shell_option(
        None, "--instructions", metavar="FILE", help="A text with instructions for raters."
    )


@command(NewOptions)
def run(options: NewOptions) -> None:
    """Make a campaign from a test set, and print the personal links, which are not stored.

    Without --protocol the one that is recommended for the texts is taken, and the reason is printed.
    """

    from ...data.lines import read_lines
    from ...human.campaign_json import read_tutorial
    from ...human.designs import design
    from ..shared.texts import read_testset

    options.check_free()
    testset = read_testset(options, needs_reference=False)
    segments = options.segments
    if options.from_rank:
        testset, segments = _ranked(testset, options), None
    tutorial = read_tutorial(options.tutorial_file) if options.tutorial_file else ()
    instructions = "\n".join(read_lines(options.instructions_file)) if options.instructions_file else ""
    given = options.python(Design, segments=segments, tutorial=tutorial, instructions=instructions)
    campaign = design(testset, **given)
    if options.protocol is None:
        from ...human.protocols import recommended

        _, why = recommended(len(testset.systems), has_source=testset.source is not None)
        click.echo(f"Protocol: {campaign.protocol}, because {why}.", err=True)
    write(campaign, options)


def _ranked(testset: TestSet, options: NewOptions) -> TestSet:
    """Return the segments that a ranking and `segments` choose, with their names in the whole test set."""
    from ...data.assessments import segment_names
    from ...human.sampling import choose_ranked, read_order

    if options.sampling != "random":
        raise UsageError("`from_rank` chooses the segments; leave out `sampling`.")
    order = read_order(str(options.from_rank), len(testset))
    rows = choose_ranked(order, options.segments or len(order), how=options.choose, seed=options.seed)
    return replace(testset, labels={**testset.labels, "seg": list(segment_names(testset))}).take(rows)


def write(campaign: Campaign, options: Making) -> None:
    """Write a campaign with new links, and print a description of it and the links."""
    campaign, tokens = campaign.with_tokens()
    campaign.write(options.out)
    links = {name: f"{options.address}/r/{token}" for name, token in tokens.raters.items()}
    data = {**facts(campaign), "links": links, "organiser": f"{options.address}/o/{tokens.organiser}"}
    lines = [*described(campaign), "", *link_lines(campaign, tokens, options.address)]
    lines += ["These links are shown only once. Send each rater their link, and keep the organiser's link.",
              f"Serve the campaign: tercet rate serve {options.out}"]  # fmt: skip
    print_as(options.form, data, "\n".join(lines))
