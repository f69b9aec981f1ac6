"""`tercet rate backup`: copy the answers."""

from __future__ import annotations

from dataclasses import dataclass

from ...options import command
from . import CampaignFile, Out, refuse_existing


@dataclass(frozen=True, kw_only=True)
class BackupOptions(Out, CampaignFile):
    """Options of `rate backup`."""


@command(BackupOptions)
def run(options: BackupOptions) -> None:
    """Copy the answers to another file, consistently, also while a server is running. SQLite only."""
    import click

    refuse_existing(options.out)
    with options.opened() as (_, store):
        store.backup(options.out)
    click.echo(
        f"Wrote {options.out}. To use it: tercet rate serve {options.campaign} --database {options.out}", err=True
    )
