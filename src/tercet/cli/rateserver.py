"""`tercet rate serve`, `links` and `backup`: what concerns the server of campaigns, its links and its databases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError

if TYPE_CHECKING:
    from ..human.campaign import Campaign, Tokens

ADDRESS = "http://127.0.0.1:8000"
DATABASE = click.option(
    "--database", metavar="URL",
    help="Database of the answers: a file, or postgresql://…  [default: a file beside the campaign]",
)  # fmt: skip
_campaigns = click.argument("campaigns", metavar="CAMPAIGN...", nargs=-1, required=True)


@click.command("serve", short_help="Serve campaigns to raters.")
@_campaigns
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; default: only locally.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 chooses a free port.")
@DATABASE
@click.option("--behind-proxy", is_flag=True, help="Trust the client address reported by a proxy on this machine.")
@click.option("--address", help="Address by which raters reach the server, for links. [default: --host and --port]")
@click.option("--new-links", is_flag=True, help="Print new links for all, and revoke the old ones.")
def serve_command(
    campaigns: tuple[str, ...],
    host: str,
    port: int,
    database: str | None,
    behind_proxy: bool,
    address: str | None,
    new_links: bool,
) -> None:
    """Serve a campaign to raters until it is stopped with Ctrl-C; or several, or those of a folder, together.

    Prints links for raters who have none yet. Needs the extra tercet[web].
    """
    from ..human.campaign_json import campaign_files
    from ..human.links import complete_links, renew_links
    from ..human.server import names_of, read_campaigns
    from ..rate import serve

    if address is not None and not address.startswith(("http://", "https://")):
        raise UsageError(f"--address {address}: an address begins with http:// or https://.")
    paths = campaign_files(campaigns)
    read = read_campaigns(paths)
    made = renew_links(paths, read, database) if new_links else complete_links(paths, read)
    started_at: list[str] = []

    def started(address: str) -> None:
        started_at.append(address)
        if len(made) == 1:
            click.echo(f"Serving campaign {made[0][0].name!r} at {address} (stop with Ctrl-C).", err=True)
        else:
            click.echo(f"Serving {len(made)} campaigns at {address} (stop with Ctrl-C):", err=True)
            for (campaign, _), name in zip(made, names_of(paths), strict=True):
                click.echo(f"  {campaign.name}: {address}/c/{name}", err=True)
        _print_links(made, address)

    try:
        serve(
            paths,
            host=host,
            port=port,
            database=database,
            behind_proxy=behind_proxy,
            address=address,
            started=started,
        )
    finally:
        if not started_at:  # the server did not start, but the new links are valid and cannot be printed later
            _print_links(made, (address or f"http://{host}:{port}").rstrip("/"))


@click.command("links", short_help="Print new links for all, and revoke the old ones.")
@_campaigns
@DATABASE
@click.option("--address", default=ADDRESS, show_default=True, help="Address of the server, for the printed links.")
def links_command(campaigns: tuple[str, ...], database: str | None, address: str) -> None:
    """Print new links for all raters and the organiser, and revoke the old ones; also while a server is running."""
    from ..human.campaign_json import campaign_files
    from ..human.links import renew_links
    from ..human.server import read_campaigns

    paths = campaign_files(campaigns)
    _print_links(renew_links(paths, read_campaigns(paths), database), address.rstrip("/"))


@click.command("backup", short_help="Copy the answers, also while a server is running.")
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("-o", "--out", "--output", "out", required=True, metavar="FILE", help="The file to write.")
@DATABASE
def backup_command(campaign: str, out: str, database: str | None) -> None:
    """Copy the answers to another file, consistently, also while a server is running. SQLite only."""
    from ..human.campaign import Campaign
    from ..human.storage import open_store

    if Path(out).exists():
        raise UsageError(f"{out} exists already. Choose another name.")
    found = Campaign.read(campaign)
    with closing(open_store(campaign, found, database, create=False)) as store:
        store.backup(out)
    click.echo(f"Wrote {out}. To use it: tercet rate serve {campaign} --database {out}", err=True)


def _print_links(made: Sequence[tuple[Campaign, Tokens]], address: str) -> None:
    if len(made) == 1:
        _print(link_lines(*made[0], address))
        return
    organised = [campaign.name for campaign, tokens in made if tokens.organiser]
    for campaign, tokens in made:
        if tokens.raters:
            click.echo(f"{campaign.name}:")
            _print(f"  {line}" for line in link_lines(campaign, tokens._replace(organiser=""), address))
    if organised:
        secret = next(tokens.organiser for _, tokens in made if tokens.organiser)
        click.echo(f"organiser of {', '.join(organised)}:\n  {address}/o/{secret}")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def link_lines(campaign: Campaign, tokens: Tokens, address: str) -> Iterator[str]:
    """Yield a line with the name and the link of everybody who has a new one."""
    width = max(len("organiser"), *(len(rater.name) for rater in campaign.raters), 0)
    yield from (f"{name:{width}}  {address}/r/{token}" for name, token in tokens.raters.items())
    if tokens.organiser:
        yield f"{'organiser':{width}}  {address}/o/{tokens.organiser}"
