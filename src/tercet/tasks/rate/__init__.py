"""`tercet rate`: have people judge outputs: make a campaign, serve it to raters, export their judgements.

A campaign is one JSON file. It holds no secrets: personal links are printed once, and only their hashes are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...options import REQUIRED, Options, option, shell_option

if TYPE_CHECKING:
    from ...human.campaign import Campaign
    from ...human.storage import Store

COMMANDS = {
    "new": "Make a campaign from a test set.",
    "serve": "Serve campaigns to raters.",
    "results": "Show the results so far.",
    "export": "Write the judgements, or the campaign for another tool.",
    "import": "Make a campaign from one of Pearmut or Appraise.",
    "info": "Describe a campaign.",
    "links": "Print new links for all, and revoke the old ones.",
    "backup": "Copy the answers, also while a server is running.",
}
ADDRESS = "http://127.0.0.1:8000"


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
        store = open_store(self.campaign, campaign, self.database, create=False)
        try:
            yield campaign, store
        finally:
            store.close()


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


def refuse_existing(path: str, advice: str = "Choose another name.") -> None:
    """Raise UsageError if a file exists."""
    if Path(path).exists():
        raise UsageError(f"{path} exists already. {advice}")
