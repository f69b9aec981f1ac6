"""`tercet explain`: what metrics saw in one segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..rendering.document import Heading, Notes, Part, Pre, Table
from .console import rendered
from .inputs import chosen_metrics, input_options, metric_options, needs_reference, read_testset
from .options import QUIET, ManyValues, format_option

if TYPE_CHECKING:
    from ..data.testset import TestSet
    from ..explaining import Explanation


@click.command("explain", cls=ManyValues)
@input_options
@metric_options
@click.option("-n", "--segment", default=1, show_default=True, help="The number of the segment, from 1.")
@format_option()
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
    parts = _parts(found, testset, options["segment"] - 1, options["form"])
    data = [explanation.to_dict() for explanation in found]
    click.echo(rendered(options["form"], parts, lambda: data, f"Segment {options['segment']}"))


def _parts(found: Sequence[Explanation], testset: TestSet, row: int, form: str) -> Iterator[Part]:
    if form in ("tsv", "csv"):
        rows = [[one.system, one.metric, repr(one.score), line] for one in found for line in one.lines()]
        yield Table(["system", "metric", "score", "seen"], rows)
        return
    shown = [("source", testset.source[row])] if testset.source is not None else []
    shown += [(name, lines[row] or "") for name, lines in testset.references.items() if lines[row] is not None]
    yield Notes([f"{name}: {text}" for name, text in shown])
    for one in found:
        output, lines = testset.outputs[one.system][row], "\n".join(one.lines())
        if form == "text":
            lines = "\n".join([f"  {output}", *(f"    {line}" for line in one.lines())])
            yield f"{one.label} of {one.system}: {one.score:.4f}\n{lines}"
        else:
            yield from (Heading(f"{one.label} of {one.system}: {one.score:.4f}"), output, Pre(lines))


def _refuse_misspelt(word: str, known: Sequence[str]) -> None:
    """A word that is no file may be a metric with a slip in its name; what is far from all is left to be read."""
    from difflib import get_close_matches

    near = get_close_matches(word.partition(":")[0].lower(), known)
    if near:
        raise UsageError(f"{word!r} is neither a metric nor a file. Did you mean {' or '.join(near)}?")
