"""`tercet rate links`: print new links for all raters and the organiser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...options import command
from . import Address, CampaignFiles

if TYPE_CHECKING:
    from ...human.campaign import Campaign, Tokens


@dataclass(frozen=True, kw_only=True)
class LinksOptions(Address, CampaignFiles):
    """Options of `rate links`."""


@command(LinksOptions)
def run(options: LinksOptions) -> None:
    """Print new links for all raters and the organiser, and revoke the old ones; also while a server is running."""
    from ...human.campaign_json import campaign_files
    from ...human.links import renew_links
    from ...human.server import read_campaigns

    paths = campaign_files(options.campaigns)
    print_links(renew_links(paths, read_campaigns(paths), options.database), options.address)


def print_links(made: Sequence[tuple[Campaign, Tokens]], address: str) -> None:
    """Print the new links of one campaign, or of several that have the same organiser."""
    import click

    if len(made) == 1:
        lines = list(link_lines(*made[0], address))
    else:
        lines = []
        for campaign, tokens in made:
            if tokens.raters:
                own = link_lines(campaign, tokens._replace(organiser=""), address)
                lines += [f"{campaign.name}:", *(f"  {line}" for line in own)]
        organised = [campaign.name for campaign, tokens in made if tokens.organiser]
        if organised:
            secret = next(tokens.organiser for _, tokens in made if tokens.organiser)
            lines += [f"organiser of {', '.join(organised)}:", f"  {address}/o/{secret}"]
    for line in lines:
        click.echo(line)


def link_lines(campaign: Campaign, tokens: Tokens, address: str) -> Iterator[str]:
    """Yield a line with the name and the link of everybody who has a new one."""
    width = max(len("organiser"), *(len(rater.name) for rater in campaign.raters), 0)
    yield from (f"{name:{width}}  {address}/r/{token}" for name, token in tokens.raters.items())
    if tokens.organiser:
        yield f"{'organiser':{width}}  {address}/o/{tokens.organiser}"
