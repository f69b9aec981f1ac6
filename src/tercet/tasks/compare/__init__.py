"""`tercet compare`: differences, intervals, tests, clusters, power, deciding segments; a gate for CI pipelines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...options import again, command, shell_option, takes
from ...options.groups import (
    FORMS,
    Decimals,
    DifferenceTests,
    MetricChoice,
    OtherScores,
    SegmentChoice,
    SegmentGroups,
    Style,
    Texts,
    Where,
    WordChoice,
)

if TYPE_CHECKING:
    from ...comparing import Comparison, NgramComparison, WordComparison
    from ...data.stream import TextFiles
    from ...data.testset import TestSet
    from ...metrics import Metric


@dataclass(frozen=True, kw_only=True)
class CompareOptions(
    Where, Style, Decimals, WordChoice, SegmentGroups, SegmentChoice, DifferenceTests, OtherScores, MetricChoice, Texts
):
    """Options of `compare`."""

    form: str = again(
        Style, "form", "text", choices=(*FORMS, "github"), help="Output format; github is a comment on a pull request."
    )
    ngrams: bool = shell_option(
        False, "--ngrams", help="Words and n-grams that one system gets right more often, with a test."
    )
    details: bool = shell_option(
        False, "--details",
        help="Text: also the pairs with p-values, the power and the deciding segments of each metric. Other forms have "
        "them always.",
    )  # fmt: skip
    pairs: bool = shell_option(
        False, "--pairs", help="With --details, list all pairs of systems; above six systems the default is a matrix."
    )
    full: bool = shell_option(
        False, "--full",
        help="JSON: add the deciding segments of all pairs, and the segments of slices and buckets.",
    )  # fmt: skip
    edits: bool = shell_option(
        False, "--edits",
        help="Show edit scripts of deciding segments and sums of edits, for metrics that have them, as ter and wer.",
    )  # fmt: skip
    gates: Sequence[str] = shell_option(
        (), "--fail-if", metavar="SENTENCE",
        help="Exit with 3 if a system is significantly worse than the baseline (or the first): 'bleu drops', 'any "
        "worsens'; worse at all: 'bleu drops at all'; by more than 'bleu drops by 0.5' or 'by 1 %'; or 'bleu below "
        "40'. Repeat for more.",
    )  # fmt: skip
    junit: str | None = shell_option(
        None, "--junit", metavar="FILE", help="Write the verdicts of --fail-if in JUnit's XML form."
    )
    intervals: bool = shell_option(False, "--intervals", help="Add intervals to the table of --style paper.")

    def check(self) -> None:
        super().check()
        if self.intervals and self.style != "paper":
            raise UsageError("--intervals goes with --style paper; the other tables have intervals.")
        if self.full and self.form != "json":
            raise UsageError("--full goes with -f json.")


@takes(CompareOptions)
def compare(
    testset: TestSet | TextFiles, metrics: Sequence[str | Metric] | str | Metric = ("bleu",), *, options: CompareOptions
) -> Comparison:
    """Compare all pairs of systems, or all systems with a baseline, by every metric.

    Parameters
    ----------
    testset : TestSet or TextFiles
        The texts.
    metrics : sequence of str or Metric
        One or more metrics, as for `score`.

    Returns
    -------
    Comparison : differences, intervals, p-values, clusters and deciding segments; `to_pandas()` gives a table of pairs.

    Examples
    --------
    >>> import tercet
    >>> texts = {"a": ["the cat sat", "a dog"], "b": ["the cat", "dog"]}
    >>> testset = tercet.TestSet(texts, {"ref": ["the cat sat", "a dog"]})
    >>> tercet.compare(testset, "chrf", tests=["randomisation"]).metric("chrf").pair("a", "b").better(True)
    'a'
    """
    from ...comparing import compare_texts
    from ...comparing.plan import Plan

    return compare_texts(testset, metrics, Plan.of(options), options.scores, **options.python(Where))


@command(CompareOptions)
def run(options: CompareOptions) -> None:
    """Compare systems: differences with intervals, paired tests corrected for their number, clusters, power, and the
    segments that make the difference.

    \b
    tercet compare ref.txt -i a.txt b.txt c.txt -m bleu chrf
    tercet compare ref.txt -i old.txt new.txt --fail-if "bleu drops"
    tercet compare -t DIR -l en-de -m chrf --baseline online-A --slice length --slice domain
    tercet compare ref.txt -i old.txt new.txt -m ter --edits
    """
    import click

    from ...cli.console import Progress, rendered
    from ...explaining import check_edits, compare_edits
    from ...rendering.document import Notes
    from ...scoring import make_ready
    from ..shared.metrics import chosen_metrics, other_scores
    from ..shared.texts import selected_segments
    from .board import comparison_parts, ngram_parts, word_parts
    from .gates import check_gates, read_gates, report_verdicts
    from .summary import summary_parts

    gates = read_gates(options)
    specs = chosen_metrics(options)
    texts = _texts(options, kept=bool(gates) or options.form == "html")
    if options.edits:
        check_edits(specs)
    others = other_scores(options, texts)
    segments = selected_segments(options.only, texts)
    if gates:
        compared = [*make_ready(texts, specs), *(item.metric for item in others)]
        check_gates(gates, texts, len(texts if segments is None else segments), compared, options)
    if options.form == "html":
        from ..report import ReportOptions, report_of

        found = report_of(ReportOptions.of(options), texts)
        click.echo(found.html())
        verdicts = [verdict for gate in gates for verdict in gate.verdicts(found.comparison)]
        if code := report_verdicts(verdicts, found.comparison, options.junit):
            sys.exit(code)
        return
    with Progress("Counting", quiet=options.quiet) as progress:
        result = compare(texts, specs, **options.python(scores=others, segments=segments, progress=progress))
    edits = None
    if options.edits:
        with Progress("Listing edits", quiet=options.quiet) as progress:
            edits = compare_edits(result, texts, segments=segments, progress=progress)
    words, ngrams = _words(options, texts, segments), _ngrams(options, texts, segments)
    verdicts = [verdict for gate in gates for verdict in gate.verdicts(result)]
    if options.style == "paper":
        from ..shared.paper import comparison_table

        table = comparison_table(result, len(texts.references), options.width, intervals=options.intervals)
        click.echo(table.render(options.form))
    elif options.form == "github":
        from .github import comment

        click.echo(comment(verdicts, result, options.width))
    else:
        chosen = [] if segments is None else [
            Notes([f"Only {', '.join(options.only)}: {len(segments)} of {len(texts)} segments."])
        ]  # fmt: skip
        last = chain(*map(word_parts, words), *map(ngram_parts, ngrams))
        if options.form == "text" and not (options.details or options.edits or options.pairs):
            parts = summary_parts(result, options.width, first=chosen, last=last)
        else:
            pairs = comparison_parts(result, options.form, options.width, edits, pairs=options.pairs)
            parts = chain(chosen, pairs, last)
        extra: dict[str, list[Any]] = {"words": words, "ngrams": ngrams, "gates": verdicts}
        more = {name: list(map(asdict, found)) for name, found in extra.items()}
        click.echo(rendered(options.form, parts, lambda: (edits or result).to_dict(full=options.full) | more))
    if code := report_verdicts(verdicts, result, options.junit):
        sys.exit(code)


def _texts(options: CompareOptions, *, kept: bool) -> Any:
    """Return the texts; in memory if they are used for more than scores and for the segments that are shown."""
    from ...data.stream import TextFiles
    from ..shared.metrics import needs_reference
    from ..shared.texts import read_inputs

    given = read_inputs(options, needs_reference=needs_reference(options))
    using = ("edits", "score_files", "only", "words", "ngrams", "slices", "buckets")
    kept = kept or any(getattr(options, name) for name in using)
    return given.read() if kept and isinstance(given, TextFiles) else given


def _words(options: CompareOptions, texts: TestSet, segments: list[int] | None) -> list[WordComparison]:
    given = word_arguments(options, options, options.words)
    if not options.words:
        return []
    from ...comparing import compare_words

    given |= {"baseline": options.baseline, "alpha": options.alpha, "seed": options.seed, "segments": segments}
    return [compare_words(texts, by, **given) for by in dict.fromkeys(options.words)]


def word_arguments(options: WordChoice, metrics: MetricChoice, groupings: Sequence[str]) -> dict[str, Any]:
    """Return how `compare_words` finds and groups words: the training text, the parser, the labels, the tokeniser."""
    from ...data.lines import read_lines
    from ...data.names import split_name

    for option, grouping in (("training_file", "frequency"), ("parser", "pos"), ("word_labels", "label")):
        if getattr(options, option) and grouping not in groupings:
            raise UsageError(f"`{option}` goes with `words` {grouping}.")
    labels: dict[str, list[str]] = {}
    for text in options.word_labels:
        name, path = split_name(text)
        if name is None:
            raise UsageError(f"`word_labels` {text}: write NAME=FILE with the name of a reference or system.")
        labels[name] = read_lines(path)
    training = read_lines(options.training_file) if options.training_file else None
    how = {"tokenize": metrics.tokenize, "lowercase": bool(metrics.lowercase)}
    return {"training": training, "parser": options.parser, "labels": labels, **how}


def _ngrams(options: CompareOptions, texts: TestSet, segments: list[int] | None) -> list[NgramComparison]:
    if not options.ngrams:
        return []
    from ...comparing import compare_ngrams

    return compare_ngrams(
        texts, baseline=options.baseline, segments=segments, tokenize=options.tokenize,
        lowercase=bool(options.lowercase), alpha=options.alpha,
    )  # fmt: skip
