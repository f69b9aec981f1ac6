"""`tercet demo`: the main commands on a small test set, each shown with what it prints."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..options import Options, command, option, shell_option, takes

if TYPE_CHECKING:
    from ..data.testset import TestSet


@dataclass(frozen=True, kw_only=True)
class DemoOptions(Options):
    """Options of `demo`."""

    pair: str = option(
        "en-de", "-l", "--language-pair", metavar="SRC-TGT", positional=True, help="en-de, en-ru, en-zh or de-en."
    )
    folder: str | None = shell_option(None, "--write", metavar="DIR", help="Keep the texts in this folder.")
    page: str | None = shell_option(
        None, "--report", metavar="FILE", help="The page of the report. [default: in the temporary folder]"
    )


@takes(DemoOptions)
def demo(*, options: DemoOptions) -> TestSet:
    """Return a small test set to try things on, the one of `tercet demo`.

    Returns
    -------
    TestSet : 32 segments, two references, three systems.

    Examples
    --------
    >>> import tercet
    >>> tercet.demo("en-de").systems
    ('Alder', 'Birch', 'Cedar')
    """
    from ..examples import load

    return load(options.pair)


@command(DemoOptions)
def run(options: DemoOptions) -> None:
    """Show score, compare, check and report on a small test set: three systems, two references.

    Needs no network. With --write the texts stay, so that you can go on with them.
    """
    with contextlib.ExitStack() as stack:
        temporary = options.folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="tercet-"))
        page = Path(options.page) if options.page else Path(tempfile.gettempdir(), f"tercet-demo-{options.pair}.html")
        _show(options.pair, Path(temporary), page.absolute(), kept=options.folder is not None)


def _show(pair: str, place: Path, report: Path, *, kept: bool) -> None:
    import click

    from ..examples import pairs, write

    files = write(pair, place)
    texts = [*files["references"], "-i", *files["outputs"]]
    where = f"They are in {place}." if kept else "They are deleted at the end; --write DIR keeps them."
    click.echo(f"An invented test set, {pair}: 32 segments, two references, the outputs of three systems. {where}\n")
    with contextlib.chdir(place):
        _say("How good are they? Two metrics, with 95 % intervals: on so few segments they are wide.")
        _run(["score", *texts, "-l", pair, "-m", "bleu", "chrf", "--confidence"])
        _say("Which differences are real? All pairs are tested, and the p-values corrected for their number.")
        _run(["compare", *texts, "-l", pair, "-m", "chrf", "--top", "1"])
        _say("Are the files sound? The check finds what is wrong with the file of Cedar.")
        _run(["check", *texts, "-s", *files["source"], "-l", pair])
        _say("What do the differences look like? One page shows them, down to every segment. Open it in a browser.")
        _run(["report", "-t", *files["jsonl"], "-m", "chrf", "bleu", "-o", str(report)])
    others = [other for other in pairs() if other != pair]
    _say("What to try next:")
    for words, why in (
        (f"tercet demo -l {others[-1]}", f"another language pair ({', '.join(others)})"),
        (f"tercet demo -l {pair} --write demo", "keep the texts, and go on with them in demo/"),
        ("tercet score refA.txt -i Alder.txt -sl -f json", "scores of segments, for programs"),
        ("tercet compare refA.txt -i Alder.txt Birch.txt --fail-if 'bleu drops'", "a gate for CI: exit code 3"),
        ("tercet metrics", "all metrics and their parameters"),
    ):
        click.echo(f"  {words}\n      {why}")
    click.echo(f"\nThe report is in {report}")


def _say(text: str) -> None:
    import click

    from ..cli.console import use_colour

    click.echo(click.style(text, bold=True) if use_colour() else text)


def _run(words: Sequence[str]) -> None:
    """Print a command and run it, through the very code that the command line runs."""
    import click

    from ..cli import group

    click.echo(f"$ tercet {shlex.join(words)}")
    # A command that finds something wrong leaves by SystemExit; the demo goes on.
    with contextlib.suppress(SystemExit):
        group.main(args=list(words), prog_name="tercet", standalone_mode=False)
    click.echo()
