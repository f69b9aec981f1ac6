"""`tercet link`: find the entities that a text mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..options import REQUIRED, command, option, shell_option, takes
from ..options.groups import Quiet

if TYPE_CHECKING:
    from ..knowledge.linking import KBLinker
    from ..knowledge.mentions import Mention

_BATCH = 2000  # segments linked at once


@dataclass(frozen=True, kw_only=True)
class LinkOptions(Quiet):
    """Options of `link`."""

    file: str = shell_option("-", metavar="[FILE]", help="One segment per line, also gzipped; - is standard input.")
    language: str = option(
        REQUIRED, "-l", "--language", metavar="CODE", positional=True, help="The language of the text, as ru."
    )
    kb: str | Path = option("default", "--kb", help="A knowledge base: a folder of 'tercet kb build', or default.")
    layout: str = shell_option(
        "text", "-f", "--format", choices=("text", "jsonl"),
        help="jsonl: one line per segment, for 'score -m kobe:annotations=FILE'.",
    )  # fmt: skip
    senses: str | int = option(
        "best", "--senses", help="Entities to keep for an ambiguous name: best, all or a number."
    )
    categories: str = option(
        "", "--categories", metavar="A+B",
        help="Keep only these categories, as person+place; the most likely entity of a mention counts.",
    )  # fmt: skip
    lemmas: bool = option(
        True, "--lemmas/--no-lemmas", help="Also look up base forms, with simplemma if installed. [default: yes]"
    )
    capitals: bool = option(True, "--capitals/--no-capitals", help="Use capitals as evidence. [default: yes]")
    guards: bool = option(
        True, "--guards/--no-guards",
        help="Ignore what is rarely a mention: stop words, most words of two letters, inflected ordinary words. "
        "[default: yes]",
    )  # fmt: skip
    language_filter: bool = option(
        False, "--language-filter", help="Ignore mentions that are not in the language (needs py3langid)."
    )
    numbers: bool = option(
        False, "--numbers", help="Also link numbers and web addresses: number:1000.5, address:example.org."
    )

    explain: bool = shell_option(
        False, "--explain", help="Say how each mention was found: as written, by a base form, in a compound."
    )

    def linker(self) -> KBLinker:
        from ..knowledge.default import resolve
        from ..knowledge.linking import KBLinker

        names = ("senses", "categories", "lemmas", "capitals", "guards", "language_filter", "numbers")
        return KBLinker(resolve(self.kb), **{name: getattr(self, name) for name in names})


@takes(LinkOptions)
def link(texts: Sequence[str], *, options: LinkOptions) -> list[list[Mention]]:
    """Link the entities that texts mention to a knowledge base.

    Parameters
    ----------
    texts : sequence of str
        The texts, in one language.

    Returns
    -------
    list : for each text its mentions, with their place, text, entities and category.

    Examples
    --------
    >>> import tercet
    >>> [mention.text for mention in tercet.link(["He lives in Berlin."], "en")[0]]
    ['Berlin']
    """
    from ..data.testset import check_several

    check_several(texts)
    return options.linker().link(texts, options.language)


@command(LinkOptions)
def run(options: LinkOptions) -> None:
    """Find the entities that FILE mentions. FILE has one segment per line; the default is standard input."""
    import click

    from ..cli.console import Progress
    from ..data.lines import read_blocks
    from ..knowledge.annotations import to_json

    linker, done = options.linker(), 0
    with Progress("linking", quiet=options.quiet) as progress:
        for block in read_blocks(options.file):
            for first in range(0, len(block), _BATCH):
                batch = block[first : first + _BATCH]
                found = zip(batch, linker.link(batch, options.language), strict=True)
                for number, (text, mentions) in enumerate(found, done + 1):
                    if options.layout == "jsonl":
                        click.echo(to_json(text, mentions))
                        continue
                    for m in mentions:
                        row = [str(number), f"{m.start}-{m.end}", m.text, ",".join(m.entities), m.category]
                        click.echo("\t".join([*row, linker.explain(m, options.language)] if options.explain else row))
                done += len(batch)
                progress.say(f"{done} segments")
