"""`tercet explain`: what metrics saw in one segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..options import command, option, python_option, takes
from ..options.groups import Form, MetricChoice, Quiet, Texts

if TYPE_CHECKING:
    from ..data.testset import TestSet
    from ..explaining import Explanation
    from ..metrics import Metric
    from ..rendering.document import Part


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(Quiet, Form, MetricChoice, Texts):
    """Options of `explain`."""

    segment: int = option(1, "-n", "--segment", help="The number of the segment, from 1.")
    systems: Sequence[str] | None = python_option(None, "Names of systems; all by default.")


@takes(ExplainOptions)
def explain(
    testset: TestSet, metrics: Sequence[str | Metric] | str | Metric, *, options: ExplainOptions
) -> list[Explanation]:
    """Show what every metric saw in one segment: matching n-grams, edits, alignments, entities.

    Parameters
    ----------
    testset : TestSet
        The texts.
    metrics : sequence of str or Metric
        One or more metrics that can explain a segment.

    Returns
    -------
    list of Explanation : one per metric and system; `lines()` gives text, `to_dict()` all of it.

    Examples
    --------
    >>> import tercet
    >>> testset = tercet.TestSet({"a": ["a black cat"]}, {"ref": ["the black cat"]})
    >>> tercet.explain(testset, "wer")[0].operations["substitutions"]
    1
    """
    from .. import explaining

    return explaining.explain(testset, metrics, segment=options.segment, systems=options.systems)


@command(ExplainOptions)
def run(options: ExplainOptions) -> None:
    """Show what metrics saw in one segment: matched n-grams, edits and shifts, alignments.

    \b
    tercet explain bleu ref.txt -i a.txt b.txt -n 17
    tercet explain ref.txt -i a.txt -m ter meteor -n 17 -f json
    """
    from difflib import get_close_matches

    import click

    from ..cli.console import rendered
    from ..explaining import check_explained
    from ..metrics import names
    from .shared.metrics import chosen_metrics, needs_reference
    from .shared.texts import read_testset

    words, metrics = list(options.references), list(options.metrics)
    while words and words[0].partition(":")[0].lower() in names() and not Path(words[0]).exists():
        metrics.append(words.pop(0))
    missing = [word.partition(":")[0].lower() for word in words[:1] if not Path(word).exists()]
    if near := [name for word in missing for name in get_close_matches(word, names())]:  # a metric's name with a slip
        raise UsageError(f"{words[0]!r} is neither a metric nor a file. Did you mean {' or '.join(near)}?")
    options = replace(options, references=words, metrics=metrics)
    specs = chosen_metrics(options)
    check_explained(specs)  # before the texts are asked for, which would not help
    testset = read_testset(options, needs_reference=needs_reference(options))
    found = explain(testset, specs, **options.python())
    parts = _parts(found, testset, options.segment - 1, options.form)
    data = [explanation.to_dict() for explanation in found]
    click.echo(rendered(options.form, parts, lambda: data, f"Segment {options.segment}"))


def _parts(found: Sequence[Explanation], testset: TestSet, row: int, form: str) -> Iterator[Part]:
    from ..rendering.document import Heading, Notes, Picture, Pre, Table
    from ..rendering.drawings import AlignedWords

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
            yield from map(Picture, AlignedWords.of(f"{one.label} of {one.system}", one.seen))
