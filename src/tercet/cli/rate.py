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

if TYPE_CHECKING:
    from ..data.testset import TestSet
    from ..human.campaign import Campaign, Tokens

DESIGN = ("protocol", "show", "groups", "sampling", "segments", "metric", "per_segment", "together", "redundancy",
          "bad", "repeats", "hidden", "severities", "categories", "name", "seed")  # fmt: skip
ADDRESS = "http://127.0.0.1:8000"
FORMATS = ("tsv", "csv", "jsonl", "wmt", "mqm", "pearmut", "appraise", "json", "xlsx")

_form = format_option()
_out = click.option("-o", "--out", "--output", "out", required=True, metavar="FILE", help="The file to write.")
_made = all_of(
    click.option("--address", default=ADDRESS, show_default=True, help="Address of the server, for the printed links."),
    _out,
    click.option("--replace", is_flag=True, help="Overwrite an existing campaign."),
    _form,
)
_database = click.option(
    "--database", metavar="URL",
    help="Database of the answers: a file, or postgresql://…  [default: a file beside the campaign]",
)  # fmt: skip


@click.group("rate", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Have people judge outputs: make a campaign, serve it to raters, export their judgements.

    A campaign is one JSON file. It holds no secrets: personal links are printed once, and only their hashes are stored.
    """


@command.command("new", cls=ManyValues)
@input_options
@click.option("--protocol", type=click.Choice(list(PROTOCOLS)), required=True, help="How people judge.")
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


@command.command("serve")
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; default: only locally.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 chooses a free port.")
@_database
@click.option("--behind-proxy", is_flag=True, help="Trust the client address reported by a proxy on this machine.")
@click.option("--address", help="Address by which raters reach the server, for links. [default: --host and --port]")
@click.option("--new-links", is_flag=True, help="Print new links for all, and revoke the old ones.")
def serve_command(
    campaign: str,
    host: str,
    port: int,
    database: str | None,
    behind_proxy: bool,
    address: str | None,
    new_links: bool,
) -> None:
    """Serve a campaign to raters until it is stopped with Ctrl-C.

    Prints links for raters who have none yet. Needs the extra tercet[web].
    """
    from ..human.campaign import Campaign, Tokens
    from ..human.server import serve

    if address is not None and not address.startswith(("http://", "https://")):
        raise UsageError(f"--address {address}: an address begins with http:// or https://.")
    found, tokens = Campaign.read(campaign), Tokens({}, "")
    if new_links:
        _end_links(found, campaign, database)
    lacking = [rater.name for rater in found.raters if new_links or not rater.token_hash]
    organiser = new_links or not found.organiser_hash
    if lacking or organiser:
        found, tokens = found.with_tokens(lacking, organiser=organiser)
        found.write(campaign)
    if new_links:
        _announce(found, campaign, database, tokens)
    started_at: list[str] = []

    def started(address: str) -> None:
        started_at.append(address)
        click.echo(f"Serving campaign {found.name!r} at {address} (stop with Ctrl-C).", err=True)
        for line in _link_lines(found, tokens, address):
            click.echo(line)

    try:
        serve(
            campaign,
            host=host,
            port=port,
            database=database,
            behind_proxy=behind_proxy,
            address=address,
            started=started,
        )
    finally:
        if not started_at:  # the server did not start, but the new links are valid and cannot be printed later
            for line in _link_lines(found, tokens, (address or f"http://{host}:{port}").rstrip("/")):
                click.echo(line)


def _end_links(campaign: Campaign, path: str, database: str | None) -> None:
    """Revoke all links in the database, which has those issued later too, and which a running server reads."""
    from ..human.storage import ORGANISER, VIEWER, open_store

    with closing(open_store(path, campaign, database)) as store:
        for token_hash, rater in store.tokens(campaign).items():
            store.revoke(rater, [token_hash])
        if campaign.organiser_hash:
            store.revoke(ORGANISER, [campaign.organiser_hash])
        for who in (ORGANISER, VIEWER):
            store.revoke(who, sorted(store.holders(who)))


def _announce(campaign: Campaign, path: str, database: str | None, tokens: Tokens) -> None:
    """Make new links valid in the database too, for a server that is already running."""
    from ..human.campaign import hashed
    from ..human.storage import ORGANISER, open_store

    with closing(open_store(path, campaign, database)) as store:
        for name, token in tokens.raters.items():
            store.issue(name, hashed(token))
        if tokens.organiser:
            store.issue(ORGANISER, hashed(tokens.organiser))


@command.command("links")
@click.argument("campaign", metavar="CAMPAIGN")
@_database
@click.option("--address", default=ADDRESS, show_default=True, help="Address of the server, for the printed links.")
def links_command(campaign: str, database: str | None, address: str) -> None:
    """Print new links for all raters and the organiser, and revoke the old ones; also while a server is running."""
    from ..human.campaign import Campaign

    found = Campaign.read(campaign)
    _end_links(found, campaign, database)
    found, tokens = found.with_tokens()
    found.write(campaign)
    _announce(found, campaign, database, tokens)
    for line in _link_lines(found, tokens, address.rstrip("/")):
        click.echo(line)


@command.command("backup")
@click.argument("campaign", metavar="CAMPAIGN")
@_out
@_database
def backup_command(campaign: str, out: str, database: str | None) -> None:
    """Copy the answers to another file, consistently, also while a server is running. SQLite only."""
    from ..human.campaign import Campaign
    from ..human.storage import open_store

    _check_free(out, replace=False)
    found = Campaign.read(campaign)
    with closing(open_store(campaign, found, database, create=False)) as store:
        store.backup(out)
    click.echo(f"Wrote {out}. To use it: tercet rate serve {campaign} --database {out}", err=True)


@command.command("export")
@click.argument("campaign", metavar="CAMPAIGN")
@_out
@click.option("-f", "--format", "form", type=click.Choice(FORMATS),
              help="Format of the ratings; pearmut, appraise: the campaign itself  [default: by FILE's ending, or tsv]",
              )  # fmt: skip
@click.option("--texts", is_flag=True, help="One row per judgement with source, reference and output: tsv, json, xlsx.")
@click.option("--revisions", type=click.Choice(["last", "all"]), default="last", show_default=True,
              help="Write only a rater's last answer to an item, or all answers.")  # fmt: skip
@_database
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


@command.command("import")
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
    lines = [*_described(campaign), "", *_link_lines(campaign, tokens, address)]
    lines += ["These links are shown only once. Send each rater their link, and keep the organiser's link.",
              f"Serve the campaign: tercet rate serve {options['out']}"]  # fmt: skip
    print_as(options["form"], facts, "\n".join(lines))


def _link_lines(campaign: Campaign, tokens: Tokens, address: str) -> list[str]:
    width = max(len("organiser"), *(len(rater.name) for rater in campaign.raters), 0)
    lines = [f"{name:{width}}  {address}/r/{token}" for name, token in tokens.raters.items()]
    return [*lines, f"{'organiser':{width}}  {address}/o/{tokens.organiser}"] if tokens.organiser else lines


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
        "systems": sorted({system for item in own if item.check != "reference" for system in item.systems}),
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


def _described(campaign: Campaign) -> list[str]:
    facts = _facts(campaign)
    checks = ", ".join(f"{number} {check}" for check, number in facts["checks"].items()) or "none"
    lines = [
        f"Campaign {campaign.name!r}: {campaign.protocol}{f' ({campaign.pair})' if campaign.pair else ''}, "
        f"showing {'what the group sees' if campaign.show == 'groups' else campaign.show}",
        f"{facts['segments']} segments, {len(facts['systems'])} systems, {facts['items']} items to judge; "
        f"control items among them: {checks}; tutorial: {facts['tutorial']}",
        f"{len(campaign.raters)} raters, {facts['judgements']} judgements in all",
    ]
    width = max((len(rater.name) for rater in campaign.raters), default=0)
    group_width = max((len(rater.group) for rater in campaign.raters), default=0)
    return lines + [
        f"  {rater.name:{width}}  {f'{rater.group:{group_width}}  ' if group_width else ''}{len(rater.items):5} items"
        for rater in campaign.raters
    ]
