"""`tercet rate`: have people judge outputs: make a campaign, serve it to raters, export their judgements.

A campaign is one JSON file. It holds no secrets: personal links are printed once, and only their hashes are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ...cli.console import print_as, rendered
from ...errors import UsageError
from ...options import REQUIRED, Command, Options, command, option, shell_option
from ...options.groups import Form

if TYPE_CHECKING:
    from ...human.campaign import Campaign, Tokens
    from ...human.storage import Store

ADDRESS = "http://127.0.0.1:8000"
FORMATS = ("tsv", "csv", "jsonl", "wmt", "mqm", "pearmut", "appraise", "json", "xlsx")


@dataclass(frozen=True, kw_only=True)
class Database(Options):
    """Where answers are stored."""

    database: str | Path | None = option(
        None, "--database", metavar="URL",
        help="Database of the answers: a file, or postgresql://…  [default: a file beside the campaign]",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CampaignFile(Database):
    """A campaign and its answers."""

    campaign: str = shell_option(REQUIRED, metavar="CAMPAIGN", recorded=False)

    @contextmanager
    def opened(self) -> Iterator[tuple[Campaign, Store]]:
        """Read the campaign and open its answers, which must exist."""
        from ...human.campaign import Campaign
        from ...human.storage import open_store

        campaign = Campaign.read(self.campaign)
        with closing(open_store(self.campaign, campaign, self.database, create=False)) as store:
            yield campaign, store


@dataclass(frozen=True, kw_only=True)
class CampaignFiles(Database):
    """Campaigns and their answers."""

    campaigns: Sequence[str | Path] = option(
        REQUIRED, metavar="CAMPAIGN...", positional=True, recorded=False, help="Campaigns, or folders of campaigns."
    )


@dataclass(frozen=True, kw_only=True)
class Address(Options):
    """The server that the printed links lead to."""

    address: str = shell_option(ADDRESS, "--address", help="Address of the server, for the printed links.")

    def check(self) -> None:
        super().check()
        object.__setattr__(self, "address", self.address.rstrip("/"))


@dataclass(frozen=True, kw_only=True)
class Out(Options):
    """The file to write."""

    out: str = shell_option(
        REQUIRED, "-o", "--out", "--output", metavar="FILE", recorded=False, help="The file to write."
    )

    def refuse_existing(self, advice: str = "Choose another name.") -> None:
        """Raise UsageError if the file exists."""
        if Path(self.out).exists():
            raise UsageError(f"{self.out} exists already. {advice}")


@dataclass(frozen=True, kw_only=True)
class ResultsOptions(Form, CampaignFile):
    """Options of `rate results`."""

    no_names: bool = shell_option(
        False, "--no-names", help="Leave out the names of raters, to give the results to others."
    )


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Out, CampaignFile):
    """Options of `rate export`."""

    form: str | None = shell_option(
        None, "-f", "--format", choices=FORMATS,
        help="Format of the ratings; pearmut, appraise: the campaign itself  [default: by FILE's ending, or tsv]",
    )  # fmt: skip
    texts: bool = shell_option(
        False, "--texts", help="One row per judgement with source, reference and output: tsv, json, xlsx."
    )
    revisions: Literal["last", "all"] = shell_option(
        "last", "--revisions", choices=("last", "all"),
        help="Write only a rater's last answer to an item, or all answers.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class InfoOptions(Form):
    """Options of `rate info`."""

    campaign: str = shell_option(REQUIRED, metavar="CAMPAIGN", recorded=False)


@dataclass(frozen=True, kw_only=True)
class LinksOptions(Address, CampaignFiles):
    """Options of `rate links`."""


@dataclass(frozen=True, kw_only=True)
class BackupOptions(Out, CampaignFile):
    """Options of `rate backup`."""


@command(ResultsOptions)
def _results(options: ResultsOptions) -> None:
    """Show the results so far: means, ranking, marked errors, agreement, raters, worst and most disputed outputs."""

    from ...rating_report import results

    found = results(options.campaign, database=options.database).document(options.form, names=not options.no_names)
    click.echo(rendered(options.form, found.parts, found.data, found.title, found.rows, found.columns))


@command(ExportOptions)
def _export(options: ExportOptions) -> None:
    """Write the judgements, for 'tercet agree' and 'tercet meta'; or the campaign, for Pearmut or Appraise."""

    from ...human.campaign import Campaign
    from ...human.campaign_formats import FORMS, write_campaign
    from ...human.export import export, export_texts

    if options.form in FORMS:
        for path in write_campaign(Campaign.read(options.campaign), options.out, form=options.form):
            click.echo(f"Wrote {path}", err=True)
        return
    if options.form in ("json", "xlsx") and not options.texts:
        raise UsageError(f"The format {options.form} goes with `texts`.")
    with options.opened() as (campaign, store):
        if options.texts:
            number = export_texts(campaign, store.rows(), options.out, form=options.form)
        else:
            number = export(campaign, store.rows(), options.out, form=options.form, revisions=options.revisions)
    click.echo(f"Wrote {options.out}: {number} judgements.", err=True)


@command(InfoOptions)
def _info(options: InfoOptions) -> None:
    """Describe a campaign: items, control items, raters."""
    from ...human.campaign import Campaign

    campaign = Campaign.read(options.campaign)
    print_as(options.form, facts(campaign), "\n".join(described(campaign)))


def facts(campaign: Campaign) -> dict[str, Any]:
    """Return what is known of a campaign, for JSON."""
    from ...data.judgements import count

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


def described(campaign: Campaign) -> Iterator[str]:
    """Yield the same in lines of text."""
    known = facts(campaign)
    raters = known["raters"]
    pair = f" ({campaign.pair})" if campaign.pair else ""
    shown = "what the group sees" if campaign.show == "groups" else campaign.show
    checks = ", ".join(f"{number} {name}" for name, number in known["checks"].items()) or "none"
    yield f"Campaign {campaign.name!r}: {campaign.protocol}{pair}, showing {shown}"
    yield (
        f"{_numbered(known['segments'], 'segment')}, {_numbered(len(known['systems']), 'system')}, "
        f"{_numbered(known['items'], 'item')} to judge; control items among them: {checks}; "
        f"tutorial: {known['tutorial']}"
    )
    yield f"{_numbered(len(raters), 'rater')}, {_numbered(known['judgements'], 'judgement')} in all"
    width, group_width = (max((len(rater[key]) for rater in raters), default=0) for key in ("name", "group"))
    for rater in raters:
        group = f"{rater['group']:{group_width}}  " if group_width else ""
        yield f"  {rater['name']:{width}}  {group}{rater['items']:5} items"


def _numbered(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


@command(LinksOptions)
def _links(options: LinksOptions) -> None:
    """Print new links for all raters and the organiser, and revoke the old ones; also while a server is running."""
    from ...human.campaign_json import campaign_files
    from ...human.server import read_campaigns, renew_links

    paths = campaign_files(options.campaigns)
    print_links(renew_links(paths, read_campaigns(paths), options.database), options.address)


def print_links(made: Sequence[tuple[Campaign, Tokens]], address: str) -> None:
    """Print the new links of one campaign, or of several that have the same organiser."""
    if len(made) == 1:
        lines = list(link_lines(*made[0], address))
    else:
        lines = []
        for campaign, tokens in made:
            if tokens.raters:
                own = link_lines(campaign, tokens._replace(organiser=""), address)
                lines += [f"{campaign.name}:", *(f"  {line}" for line in own)]
        if secrets := {campaign.name: tokens.organiser for campaign, tokens in made if tokens.organiser}:
            lines += [f"organiser of {', '.join(secrets)}:", f"  {address}/o/{next(iter(secrets.values()))}"]
    for line in lines:
        click.echo(line)


def link_lines(campaign: Campaign, tokens: Tokens, address: str) -> Iterator[str]:
    """Yield a line with the name and the link of everybody who has a new one."""
    width = max(len("organiser"), *(len(rater.name) for rater in campaign.raters), 0)
    yield from (f"{name:{width}}  {address}/r/{token}" for name, token in tokens.raters.items())
    if tokens.organiser:
        yield f"{'organiser':{width}}  {address}/o/{tokens.organiser}"


@command(BackupOptions)
def _backup(options: BackupOptions) -> None:
    """Copy the answers to another file, consistently, also while a server is running. SQLite only."""
    options.refuse_existing()
    with options.opened() as (_, store):
        store.backup(options.out)
    click.echo(
        f"Wrote {options.out}. To use it: tercet rate serve {options.campaign} --database {options.out}", err=True
    )


COMMANDS: dict[str, Command | str] = {
    "new": "Make a campaign from a test set.",
    "serve": "Serve campaigns to raters.",
    "results": _results,
    "export": _export,
    "import": "Make a campaign from one of Pearmut or Appraise.",
    "info": _info,
    "links": _links,
    "backup": _backup,
}
