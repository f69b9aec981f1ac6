"""`tercet rate serve`: show campaigns to their raters."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass

import click

from ...errors import UsageError
from ...options import again, command, option, shell_option, takes
from ...options.groups import Listening
from . import CampaignFiles, print_links


@dataclass(frozen=True, kw_only=True)
class ServeOptions(Listening, CampaignFiles):
    """Options of `rate serve`."""

    port: int = again(Listening, "port", 8000)
    address: str | None = option(
        None, "--address", help="Address by which raters reach the server, for links. [default: --host and --port]",
        about="Address by which raters reach the server, for links; by default `host` and `port`.",
    )  # fmt: skip
    new_links: bool = shell_option(False, "--new-links", help="Print new links for all, and revoke the old ones.")

    def check(self) -> None:
        super().check()
        if self.address is not None and not self.address.startswith(("http://", "https://")):
            raise UsageError(f"`address` {self.address}: an address begins with http:// or https://.")


@takes(ServeOptions)
def serve(*, options: ServeOptions) -> None:
    """Serve a campaign, or several, until interrupted. The organiser can download the results as a report."""
    from ...human.campaign_json import campaign_files
    from ...human.server import create_app, create_site, names_of, read_campaigns
    from ...human.storage import open_store
    from ...human.web_pages import listen, run_server
    from ...rating_report import report_page

    paths = campaign_files(options.campaigns)
    read = read_campaigns(paths)
    with ExitStack() as opened:
        stores = [
            opened.enter_context(closing(open_store(path, campaign, options.database, shared=len(paths) > 1)))
            for path, campaign in zip(paths, read, strict=True)
        ]
        listening, own = listen(options.host, options.port)
        opened.enter_context(listening)
        address = (options.address or own).rstrip("/")
        if len(paths) > 1:
            app = create_site(names_of(paths), read, stores, address=address, report=report_page)
        else:
            app = create_app(read[0], stores[0], address=address, report=report_page)
        if options.started is not None:
            options.started(address)
        run_server(app, listening, behind_proxy=options.behind_proxy)


@command(ServeOptions)
def run(options: ServeOptions) -> None:
    """Serve a campaign to raters until it is stopped with Ctrl-C; or several, or those of a folder, together.

    Prints links for raters who have none yet. Needs the extra tercet[web].
    """

    from ...human.campaign_json import campaign_files
    from ...human.server import complete_links, names_of, read_campaigns, renew_links

    paths = campaign_files(options.campaigns)
    read = read_campaigns(paths)
    made = renew_links(paths, read, options.database) if options.new_links else complete_links(paths, read)
    started_at: list[str] = []

    def started(address: str) -> None:
        started_at.append(address)
        if len(made) == 1:
            click.echo(f"Serving campaign {made[0][0].name!r} at {address} (stop with Ctrl-C).", err=True)
        else:
            click.echo(f"Serving {len(made)} campaigns at {address} (stop with Ctrl-C):", err=True)
            for (campaign, _), name in zip(made, names_of(paths), strict=True):
                click.echo(f"  {campaign.name}: {address}/c/{name}", err=True)
        print_links(made, address)

    try:
        serve(**options.python(started=started))
    finally:
        if not started_at:  # the server did not start, but the new links are valid and cannot be printed later
            print_links(made, (options.address or f"http://{options.host}:{options.port}").rstrip("/"))
