"""`tercet explain`: what metrics saw in one segment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..report.tables import to_json
from .inputs import input_options, read_testset
from .options import QUIET, ManyValues, format_option
from .score import chosen_metrics, metric_options, needs_reference


@click.command("explain", cls=ManyValues)
@input_options
@metric_options
@click.option("-n", "--segment", default=1, show_default=True, help="The number of the segment, from 1.")
@format_option("text", "json")
@QUIET
def command(**options: Any) -> None:
    """Show what metrics saw in one segment: matched n-grams, edits and shifts, alignments.

    \b
    tercet explain bleu ref.txt -i a.txt b.txt -n 17
    tercet explain ref.txt -i a.txt -m ter meteor -n 17 -f json
    """  # fmt: skip
    from ..explaining import check_explained, explain
    from ..metrics import names

    words = list(options["references"])
    while words and words[0].partition(":")[0].lower() in names() and not Path(words[0]).exists():
        options["metrics"] = (*options["metrics"], words.pop(0))
    if words and not Path(words[0]).exists():
        _refuse_misspelt(words[0], names())
    options["references"] = tuple(words)
    check_explained(chosen_metrics(options))  # before the texts are asked for, which would not help
    testset = read_testset(options, needs_reference=needs_reference(options))
    found = explain(testset, chosen_metrics(options), segment=options["segment"])
    if options["form"] == "json":
        click.echo(to_json([explanation.to_dict() for explanation in found]))
        return
    row = options["segment"] - 1
    shown = [("source", testset.source[row])] if testset.source is not None else []
    shown += [(name, lines[row] or "") for name, lines in testset.references.items() if lines[row] is not None]
    click.echo("\n".join(f"{name}: {text}" for name, text in shown))
    for explanation in found:
        click.echo(f"\n{explanation.label} of {explanation.system}: {explanation.score:.4f}")
        click.echo(f"  {testset.outputs[explanation.system][row]}")
        click.echo("\n".join(f"    {line}" for line in explanation.lines()))


def _refuse_misspelt(word: str, known: Sequence[str]) -> None:
    """A word that is no file may be a metric with a slip in its name; what is far from all is left to be read."""
    from difflib import get_close_matches

    near = get_close_matches(word.partition(":")[0].lower(), known)
    if near:
        raise UsageError(f"{word!r} is neither a metric nor a file. Did you mean {' or '.join(near)}?")
