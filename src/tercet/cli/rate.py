"""`tercet rate`: make, serve, export, import and describe rating campaigns."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..human.protocols import PROTOCOLS, SHOWN
from .inputs import input_options, read_testset
from .options import ManyValues, all_of, format_option, print_as, several
from .rateserver import ADDRESS, DATABASE, backup_command, link_lines, links_command, serve_command

if TYPE_CHECKING:
    from ..data.testset import TestSet
    from ..human.campaign import Campaign

DESIGN = ("protocol", "show", "groups", "sampling", "segments", "metric", "per_segment", "together", "redundancy",
          "bad", "repeats", "hidden", "severities", "categories", "name", "seed")  # fmt: skip
FORMATS = ("tsv", "csv", "jsonl", "wmt", "mqm", "pearmut", "appraise", "json", "xlsx")

_form = format_option()
_out = click.option("-o", "--out", "--output", "out", required=True, metavar="FILE", help="The file to write.")
_made = all_of(
    click.option("--address", default=ADDRESS, show_default=True, help="Address of the server, for the printed links."),
    _out,
    click.option("--replace", is_flag=True, help="Overwrite an existing campaign."),
    _form,
)


@click.group("rate", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Have people judge outputs: make a campaign, serve it to raters, export their judgements.

    A campaign is one JSON file. It holds no secrets: personal links are printed once, and only their hashes are stored.
    """


@command.command("new", cls=ManyValues, short_help="Make a campaign from a test set.")
@input_options
@click.option(
    "--protocol", type=click.Choice(list(PROTOCOLS), case_sensitive=False), required=True, help="How people judge."
)
@several("--raters", of="NUMBER|NAME", default=("5",), show_default=True, help="Number of raters, or their names.")
@click.option("--show", type=click.Choice(SHOWN), help="What to show beside outputs  [default: depends on protocol]")
@click.option("--show-reference", "shown_reference", metavar="NAME", help="Which reference to show.")
@several("--groups", of="NAME", help="What each group of raters sees: names of references, or 'source'.")
@click.option("--sampling", type=click.Choice(["random", "spread", "documents"]), default="random", show_default=True,
              help="Random segments, segments whose scores differ most between references, or whole documents.",
              )  # fmt: skip
@click.option("--segments", type=int, metavar="N", help="Number of segments to judge  [default: all]")
@click.option("--from-rank", metavar="FILE", help="Choose segments by a ranking, JSON of 'tercet qe rank -f json'.")
@click.option("--choose", type=click.Choice(["doubtful", "stratified"]), default="doubtful", show_default=True,
              help="With --from-rank: the first ones, or some from every part of the ranking.")  # fmt: skip
@click.option("--metric", default="chrf", show_default=True, help="The metric of '--sampling spread'.")
@click.option("--per-segment", type=int, metavar="N", help="Number of systems per segment  [default: all]")
@click.option("--together", type=int, default=5, show_default=True, help="Largest number of outputs in a ranking.")
@click.option("--redundancy", type=int, metavar="N", help="Raters (of each group) who judge an item  [default: all]")
@click.option("--bad", type=float, default=0.0, show_default=True, help="Damaged copies per item, such as 0.1.")
@click.option("--repeats", type=float, default=0.0, show_default=True, help="Exact repeats per item.")
@click.option("--hidden", type=float, default=0.0, show_default=True, help="Hidden references per item.")
@click.option("--tutorial", metavar="FILE", help="Items that all raters see first, as JSON lines.")
@click.option("--instructions", metavar="FILE", help="A text with instructions for raters.")
@several("--severities", of="NAME", help="Severities of errors (mqm, esa).")
@several("--categories", of="NAME", help="Categories of errors (mqm).")
@click.option("--name", help="Name of the campaign  [default: the name of the test set]")
@click.option("--seed", type=int, default=12345, show_default=True, help="The same seed gives the same campaign.")
@_made
def new_command(**options: Any) -> None:
    """Make a campaign from a test set, and print the personal links, which are not stored."""
    from ..data.lines import read_lines
    from ..human.campaign_json import read_tutorial
    from ..human.designs import design

    _check_free(options["out"], options["replace"])
    raters = options["raters"]
    testset = read_testset(options, needs_reference=False)
    if options["from_rank"]:
        testset = _ranked(testset, options)
    campaign = design(
        testset,
        raters=int(raters[0]) if len(raters) == 1 and raters[0].isdecimal() else raters,
        reference=options["shown_reference"],
        tutorial=read_tutorial(options["tutorial"]) if options["tutorial"] else (),
        instructions="\n".join(read_lines(options["instructions"])) if options["instructions"] else "",
        **{name: options[name] for name in DESIGN},
    )
    _write(campaign, options)


def _ranked(testset: TestSet, options: dict[str, Any]) -> TestSet:
    """Return the segments that a ranking and --segments choose, with their names in the whole test set."""
    from dataclasses import replace

    from ..data.assessments import segment_names
    from ..human.sampling import choose_ranked, read_order

    if options["sampling"] != "random":
        raise UsageError("--from-rank chooses the segments; leave out --sampling.")
    order = read_order(options["from_rank"], len(testset))
    rows = choose_ranked(order, options["segments"] or len(order), how=options["choose"], seed=options["seed"])
    options["segments"] = None  # they are chosen
    named = replace(testset, labels={**testset.labels, "seg": list(segment_names(testset))})
    return named.take(rows)


for _command in (serve_command, links_command, backup_command):
    command.add_command(_command)


@command.command("export", short_help="Write the judgements, or the campaign for another tool.")
@click.argument("campaign", metavar="CAMPAIGN")
@_out
@click.option("-f", "--format", "form", type=click.Choice(FORMATS),
              help="Format of the ratings; pearmut, appraise: the campaign itself  [default: by FILE's ending, or tsv]",
              )  # fmt: skip
@click.option("--texts", is_flag=True, help="One row per judgement with source, reference and output: tsv, json, xlsx.")
@click.option("--revisions", type=click.Choice(["last", "all"]), default="last", show_default=True,
              help="Write only a rater's last answer to an item, or all answers.")  # fmt: skip
@DATABASE
def export_command(
    campaign: str, out: str, form: str | None, texts: bool, revisions: Any, database: str | None
) -> None:
    """Write the judgements, for 'tercet agree' and 'tercet meta'; or the campaign, for Pearmut or Appraise."""
    from ..human.campaign import Campaign

    found = Campaign.read(campaign)
    if form in ("pearmut", "appraise"):
        from ..human.campaign_formats import write_campaign

        for path in write_campaign(found, out, form=form):
            click.echo(f"Wrote {path}", err=True)
        return
    from ..human.export import export, export_texts
    from ..human.storage import open_store

    if texts:
        with closing(open_store(campaign, found, database, create=False)) as store:
            number = export_texts(found, store.rows(), out, form=form)
        click.echo(f"Wrote {out}: {number} judgements.", err=True)
        return
    if form in ("json", "xlsx"):
        raise UsageError(f"The format {form} goes with --texts.")
    with closing(open_store(campaign, found, database, create=False)) as store:
        number = export(found, store.rows(), out, form=form, revisions=revisions)
    click.echo(f"Wrote {out}: {number} judgements.", err=True)


@command.command("results", short_help="Show the results so far.")
@click.argument("campaign", metavar="CAMPAIGN")
@DATABASE
@click.option("--no-names", is_flag=True, help="Leave out the names of raters, to give the results to others.")
@_form
def results_command(campaign: str, database: str | None, no_names: bool, form: str) -> None:
    """Show the results so far: means, ranking, marked errors, agreement, raters, worst and most disputed outputs."""
    from ..rate import results
    from .console import rendered

    document = results(campaign, database=database).document(form, names=not no_names)
    behind = (document.data, document.title, document.rows, document.columns)
    click.echo(rendered(form, document.parts, *behind))


@command.command("import", short_help="Make a campaign from one of Pearmut or Appraise.")
@click.argument("path", metavar="FILE")
@click.option("--protocol", type=click.Choice(list(PROTOCOLS)), help="How people judge, if the file does not name it.")
@click.option("--name", help="Name of the campaign  [default: as in the file]")
@click.option("-l", "--language-pair", "pair", metavar="SRC-TGT", help="The language pair, such as en-de.")
@_made
def import_command(path: str, protocol: str | None, name: str | None, pair: str | None, **options: Any) -> None:
    """Make a campaign from one of Pearmut (a JSON file) or Appraise (batches.json, with or without manifest.json)."""
    from ..human.campaign_formats import read_campaign

    _check_free(options["out"], options["replace"])
    _write(read_campaign(path, protocol=protocol, name=name, pair=pair), options)


@command.command("info")
@click.argument("campaign", metavar="CAMPAIGN")
@_form
def info_command(campaign: str, form: str) -> None:
    """Describe a campaign: items, control items, raters."""
    from ..human.campaign import Campaign

    found = Campaign.read(campaign)
    print_as(form, _facts(found), "\n".join(_described(found)))


def _check_free(out: str, replace: bool) -> None:
    """Raise UsageError if the file exists: a new campaign under its name would make its answers unreadable."""
    if Path(out).exists() and not replace:
        raise UsageError(f"{out} exists already. Choose another name, or overwrite it with --replace.")


def _write(campaign: Campaign, options: dict[str, Any]) -> None:
    campaign, tokens = campaign.with_tokens()
    campaign.write(options["out"])
    address = options["address"].rstrip("/")
    links = {name: f"{address}/r/{token}" for name, token in tokens.raters.items()}
    facts = {**_facts(campaign), "links": links, "organiser": f"{address}/o/{tokens.organiser}"}
    lines = [*_described(campaign), "", *link_lines(campaign, tokens, address)]
    lines += ["These links are shown only once. Send each rater their link, and keep the organiser's link.",
              f"Serve the campaign: tercet rate serve {options['out']}"]  # fmt: skip
    print_as(options["form"], facts, "\n".join(lines))


def _facts(campaign: Campaign) -> dict[str, Any]:
    from ..data.judgements import count

    own = [item for item in campaign.items if item.check != "tutorial"]
    return {
        "name": campaign.name,
        "id": campaign.id,
        "protocol": campaign.protocol,
        "pair": campaign.pair or None,
        "show": campaign.show,
        "segments": len({item.segment for item in own}),
        "systems": sorted({system for item in own if not item.check for system in item.judged}),
        "items": len(own),
        "checks": count(item.check for item in own if item.check),
        "tutorial": len(campaign.tutorial),
        "judgements": sum(len(rater.items) for rater in campaign.raters),
        "raters": [
            {"name": rater.name, "group": rater.group, "items": len(rater.items), "link": bool(rater.token_hash)}
            for rater in campaign.raters
        ],
        "seed": campaign.seed,
        "created": campaign.created,
    }


def _numbered(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _described(campaign: Campaign) -> list[str]:
    facts = _facts(campaign)
    checks = ", ".join(f"{number} {check}" for check, number in facts["checks"].items()) or "none"
    lines = [
        f"Campaign {campaign.name!r}: {campaign.protocol}{f' ({campaign.pair})' if campaign.pair else ''}, "
        f"showing {'what the group sees' if campaign.show == 'groups' else campaign.show}",
        f"{_numbered(facts['segments'], 'segment')}, {_numbered(len(facts['systems']), 'system')}, "
        f"{_numbered(facts['items'], 'item')} to judge; "
        f"control items among them: {checks}; tutorial: {facts['tutorial']}",
        f"{_numbered(len(campaign.raters), 'rater')}, {_numbered(facts['judgements'], 'judgement')} in all",
    ]
    width = max((len(rater.name) for rater in campaign.raters), default=0)
    group_width = max((len(rater.group) for rater in campaign.raters), default=0)
    return lines + [
        f"  {rater.name:{width}}  {f'{rater.group:{group_width}}  ' if group_width else ''}{len(rater.items):5} items"
        for rater in campaign.raters
    ]
