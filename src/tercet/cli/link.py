"""`tercet link`: find the entities that a text mentions."""

from __future__ import annotations

from typing import Any

import click

from .console import Progress
from .options import QUIET

_BATCH = 2000  # segments linked at once


@click.command("link")
@click.argument("file", default="-")
@click.option("-l", "--language", required=True, metavar="CODE", help="The language of the text, as ru.")
@click.option(
    "--kb", default="default", show_default=True, metavar="KB", help="A knowledge base: a folder, or default."
)
@click.option(
    "-f", "--format", "layout", type=click.Choice(["text", "jsonl"]), default="text", show_default=True,
    help="jsonl: one line per segment, for 'score -m kobe:annotations=FILE'.",
)  # fmt: skip
@click.option(
    "--senses", default="best", show_default=True, help="Entities to keep for an ambiguous name: best, all or a number."
)
@click.option("--categories", default="", metavar="A+B", help="Keep only these categories, as person+place.")
@click.option("--lemmas/--no-lemmas", default=True, show_default=True, help="Also look up base forms.")
@click.option("--capitals/--no-capitals", default=True, show_default=True, help="Use capitals as evidence.")
@click.option(
    "--guards/--no-guards", default=True, show_default=True,
    help="Ignore what is rarely a mention: stop words, most words of two letters.",
)  # fmt: skip
@click.option("--language-filter", is_flag=True, help="Ignore mentions that are not in the language.")
@click.option("--numbers", is_flag=True, help="Also link numbers and web addresses.")
@QUIET
def command(file: str, language: str, kb: str, layout: str, quiet: bool, **options: Any) -> None:
    """Find the entities that FILE mentions. FILE has one segment per line; the default is standard input."""
    from ..data.lines import read_blocks
    from ..knowledge.annotations import to_json
    from ..knowledge.default import resolve
    from ..knowledge.linking import KBLinker

    linker = KBLinker(resolve(kb), **options)
    done = 0
    with Progress("linking", quiet=quiet) as progress:
        for block in read_blocks(file):
            for first in range(0, len(block), _BATCH):
                batch = block[first : first + _BATCH]
                for number, (text, mentions) in enumerate(
                    zip(batch, linker.link(batch, language), strict=True), done + 1
                ):
                    if layout == "jsonl":
                        click.echo(to_json(text, mentions))
                    else:
                        for m in mentions:
                            click.echo(f"{number}\t{m.start}-{m.end}\t{m.text}\t{','.join(m.entities)}\t{m.category}")
                done += len(batch)
                progress.say(f"{done} segments")
