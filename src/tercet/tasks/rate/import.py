# ruff: noqa: N999  the module has the command's name
"""`tercet rate import`: make a campaign from one of Pearmut or Appraise."""

from __future__ import annotations

from dataclasses import dataclass

from ...human.protocols import PROTOCOLS
from ...options import REQUIRED, command, shell_option
from .new import Making, write


@dataclass(frozen=True, kw_only=True)
class ImportOptions(Making):
    """Options of `rate import`."""

    path: str = shell_option(REQUIRED, metavar="FILE")
    protocol: str | None = shell_option(
        None, "--protocol", choices=tuple(PROTOCOLS), help="How people judge, if the file does not name it."
    )
    name: str | None = shell_option(None, "--name", help="Name of the campaign  [default: as in the file]")
    pair: str | None = shell_option(
        None, "-l", "--language-pair", metavar="SRC-TGT", help="The language pair, such as en-de."
    )


@command(ImportOptions)
def run(options: ImportOptions) -> None:
    """Make a campaign from one of Pearmut (a JSON file) or Appraise (batches.json, with or without manifest.json)."""
    from ...human.campaign_formats import read_campaign

    options.check_free()
    write(read_campaign(options.path, protocol=options.protocol, name=options.name, pair=options.pair), options)
