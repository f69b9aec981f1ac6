"""How `tercet compare` shows a comparison: tables, the sentence on power, deciding segments, JSON."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from math import isnan

import click

from ..comparing import Comparison, MetricResult, PairResult, Segment
from ..explaining import OPERATIONS, EditComparison, MetricEdits
from ..report.tables import DASH, number, shown_width, table, to_json
from .console import use_colour

TEST_NAMES = {"bootstrap": "paired bootstrap", "randomisation": "approximate randomisation"}
PAIRS_WITH_SEGMENTS = 6  # more would bury the tables; JSON has them all
DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither direction is better"}


def render(
    result: Comparison, form: str = "text", width: int | None = None, edits: EditComparison | None = None
) -> str:
    """The whole output of the command; edits: with the edits that were made of it."""
    if form == "json":
        return to_json((edits or result).to_dict())
    blocks: list[str] = []
    for i, metric in enumerate(result.metrics):
        shown = max(2, metric.record.decimals) if width is None else width
        blocks.extend(_blocks(result, metric, form, shown, edits.metrics[i] if edits else None))
    return "\n\n".join([*blocks, *_notes(_legend(result, form, with_edits=edits is not None), form)])


def _blocks(
    result: Comparison, metric: MetricResult, form: str, width: int, edits: MetricEdits | None
) -> Iterator[str]:
    direction = DIRECTIONS[metric.higher_is_better]
    heading = f"{metric.name}: {len(metric.systems)} systems, {metric.n_segments} segments, {direction}"
    if form == "text":
        yield _bold(heading) + f"\n{metric.signature}"
    elif form == "markdown":
        yield f"## {heading}\n\n`{metric.signature}`"
    else:
        yield from _notes([heading, metric.signature], form)
    yield _systems(metric, form, width)
    if len(metric.clusters) == 1:
        yield from _notes(
            ["One cluster: nowhere in this order are all above significantly better than all below."], form
        )
    yield _pairs(result, metric, form, width)
    yield from _notes([metric.mde_sentence], form)
    if metric.slices:
        yield _slices(metric, form, width)
    if form not in ("text", "markdown"):
        if edits:
            yield from (_edits(metric, pair, edits, form) for pair in metric.pairs)
        return
    known = [pair for pair in metric.pairs if pair.segments or pair.deciding or edits]
    for pair in known[:PAIRS_WITH_SEGMENTS]:
        if edits:
            yield _edits(metric, pair, edits, form)
        if pair.segments or pair.deciding:
            yield _deciding(metric, pair, form, width, edits)
    left = len(known) - PAIRS_WITH_SEGMENTS
    if left > 0:
        what = "Edits and deciding segments" if edits else "Deciding segments"
        yield f"{what} of {left} more pairs: use -f json, or choose a --baseline."


def _bold(text: str) -> str:
    return click.style(text, bold=True) if use_colour() else text


def _notes(sentences: Sequence[str], form: str) -> list[str]:
    """Sentences around tables; comments in LaTeX, nothing in TSV, which is for programs."""
    if form == "tsv" or not sentences:
        return []
    return ["\n".join(f"% {sentence}" for sentence in sentences) if form == "latex" else "\n".join(sentences)]


def _table(metric: MetricResult, header: Sequence[str], rows: Sequence[Sequence[str]], form: str) -> str:
    """A table; in TSV, where there are no headings, with the metric in the first column."""
    if form == "tsv":
        return table(["Metric", *header], [[metric.metric, *row] for row in rows], form)
    return table(header, rows, form)


def _systems(metric: MetricResult, form: str, width: int) -> str:
    worth = -1 if metric.higher_is_better is False else 1
    ranked = sorted(metric.systems, key=lambda s: (isnan(s.score), 0.0 if isnan(s.score) else -worth * s.score))
    percent = f"{100 * metric.systems[0].confidence:g} %"
    header = ["Rank", "System", metric.name, "±", f"{percent} interval"]
    rows = []
    for s in ranked:
        ranks = (
            DASH if s.rank_low is None else f"{s.rank_low}–{s.rank_high}" if s.rank_low != s.rank_high else s.rank_low
        )
        half = number((s.ci_high - s.ci_low) / 2, width)
        rows.append([str(ranks), s.system, number(s.score, width), half, _interval(s.ci_low, s.ci_high, width)])
    if not metric.clusters:  # nothing to rank by: not all pairs were compared
        return _table(metric, header[1:], [row[1:] for row in rows], form)
    if form != "text":
        clusters = [DASH if s.cluster is None else str(s.cluster) for s in ranked]
        return _table(metric, ["Cluster", *header], [[c, *row] for c, row in zip(clusters, rows, strict=True)], form)
    lines = _table(metric, header, rows, form).split("\n")
    rule = lines[1]
    shown = lines[:2]
    for place, line in enumerate(lines[2:]):
        if place and ranked[place].cluster != ranked[place - 1].cluster:
            shown.append(rule.replace("─", "╌"))
        shown.append(line)
    return "\n".join(shown)


def _interval(low: float, high: float, width: int, *, sign: str = "") -> str:
    return DASH if isnan(low) or isnan(high) else f"{low:{sign}.{width}f} to {high:{sign}.{width}f}"


def _stars(p_value: float, alpha: float) -> str:
    """One star below alpha, two below a fifth of it, three below a fiftieth: .05, .01, .001."""
    return "*" * sum(p_value < alpha / part for part in (1, 5, 50))


def _pairs(result: Comparison, metric: MetricResult, form: str, width: int) -> str:
    several = len(metric.pairs) > 1
    header = ["A", "B", "A - B", f"{100 * result.confidence:g} % interval"]
    for test in result.tests:
        header += [f"p {test}", "Holm" if form == "text" else f"Holm {test}"] if several else [f"p {test}"]
    header += ["Segments A/tie/B", "Verdict"]
    rows = []
    for pair in metric.pairs:
        change = DASH if isnan(pair.difference) else f"{pair.difference:+.{width}f}"
        row = [pair.a, pair.b, change, _interval(pair.ci_low, pair.ci_high, width, sign="+")]
        for test in result.tests:
            stars = f" {_stars(pair.p_holm[test], result.alpha):3}" if form == "text" else ""
            p_value, corrected = number(pair.p_value[test], 4), number(pair.p_holm[test], 4) + stars
            row += [p_value, corrected] if several else [corrected]
        rates = [number(100 * share, 0) for share in (pair.wins, pair.ties, pair.losses)]
        rows.append([*row, "/".join(rates) + " %", verdict(result, metric, pair)])
    return _table(metric, header, rows, form)


def verdict(result: Comparison, metric: MetricResult, pair: PairResult) -> str:
    """What the decisive test's corrected p-value allows to say. Not finding a difference is not finding equality."""
    p_value = pair.p_holm[result.decisive]
    if isnan(p_value):
        return "undefined"
    if p_value >= result.alpha or pair.difference == 0:
        return "not significantly different"
    better = pair.better(metric.higher_is_better)
    if better is None:
        return "significantly different"
    return "A is better" if better == pair.a else "B is better"


def _slices(metric: MetricResult, form: str, width: int) -> str:
    systems = [system.system for system in metric.systems]
    rows = [
        [part.by, part.slice, str(part.n_segments), *(number(part.scores[system], width) for system in systems)]
        for part in metric.slices
    ]
    return _table(metric, ["By", "Slice", "Segments", *systems], rows, form)


def _edits(metric: MetricResult, pair: PairResult, edits: MetricEdits, form: str) -> str:
    """How many edits of each kind two systems need in the whole test set; jumps only where a metric makes some."""
    kinds = [kind for kind in OPERATIONS if kind != "jumps" or any(sums[kind] for sums in edits.sums.values())]
    a, b = ([edits.sums[system][kind] for kind in kinds] for system in (pair.a, pair.b))
    rows = [(name, [*counts, sum(counts)]) for name, counts in ((pair.a, a), (pair.b, b))]
    cells = [[name, *map(str, counts)] for name, counts in rows]
    changes = [f"{x - y:+d}" for x, y in zip(rows[0][1], rows[1][1], strict=True)]
    header = [f"{metric.name} edits", *map(str.capitalize, kinds), "All"]
    return _table(metric, header, [*cells, [f"{pair.a} - {pair.b}", *changes]], form)


def _deciding(metric: MetricResult, pair: PairResult, form: str, width: int, edits: MetricEdits | None) -> str:
    """The segments that contribute most to a difference, with their texts."""
    title = f"What decides {pair.a} - {pair.b} = {pair.difference:+.{width}f} {metric.name}"
    if pair.deciding is not None:
        rest = f"{pair.deciding.difference_without:+.{width}f}"
        title += (
            f": {pair.deciding.segments} of {metric.n_segments} segments make {100 * pair.deciding.share:g} % of it "
            f"(without them it is {rest})"
        )
    lines = [_bold(title) if form == "text" else f"### {title}\n"]
    for segment in pair.segments:
        lines.extend(_segment(pair, segment, form, width))
        if edits:
            lines.extend(_scripts(pair, segment, edits, form))
    return "\n".join(lines)


def _segment(pair: PairResult, segment: Segment, form: str, width: int) -> Iterator[str]:
    scores = f"{pair.a} {number(segment.a_score, width)}, {pair.b} {number(segment.b_score, width)}"
    head = f"segment {segment.segment}: {segment.contribution:+.{width + 2}f} ({scores})"
    texts = [("source", segment.source), *(segment.references or {}).items()]
    texts += [(pair.a, segment.a_output), (pair.b, segment.b_output)]
    present = [(name, text) for name, text in texts if text is not None]
    if form == "markdown":
        yield f"- {head}"
        yield from (f"    - {name}: {_clip(text, 200)}" for name, text in present)
        return
    yield f"  {head}"
    columns = min(max(shutil.get_terminal_size((100, 24)).columns, 40), 160)
    names = [_clip(name, 20) for name, _ in present]
    margin = max(map(shown_width, names), default=0)
    for name, (_, text) in zip(names, present, strict=True):
        yield f"    {name}{' ' * (margin - shown_width(name))}  {_clip(text, columns - margin - 6)}"


def _scripts(pair: PairResult, segment: Segment, edits: MetricEdits, form: str) -> Iterator[str]:
    """What `tercet explain` shows of a segment, for both systems."""
    head, line = ("    - ", "        - ") if form == "markdown" else ("    ", "      ")
    for system in (pair.a, pair.b):
        yield f"{head}edits of {system}:"
        yield from (line + _printable(shown) for shown in edits.deciding[segment.segment, system].lines())


def _printable(text: str) -> str:
    """The text, without characters that would disturb a terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def _clip(text: str, columns: int) -> str:
    """The beginning of a text, as much as fits; characters that would disturb a terminal are replaced."""
    start = _printable(text[: 3 * columns])
    if len(start) == len(text) and shown_width(start) <= columns:
        return start
    while shown_width(start) > columns - 1:
        start = start[:-1]
    return start.rstrip() + "…"


def _legend(result: Comparison, form: str, *, with_edits: bool) -> list[str]:
    tests = ", ".join(f"{TEST_NAMES[test]} ({result.resamples[test]} resamples)" for test in result.tests)
    several = any(len(metric.pairs) > 1 for metric in result.metrics)
    legend = [
        f"p: two-sided, {tests}, seed {result.seed}.",
        "Segments: shares in which A is better, both tie, B is better.",
    ]
    if with_edits:
        legend.append("Edits, over all segments: insertions are too much in the output, deletions are missing from it.")
    if several:
        legend.append("Holm: corrected for the number of comparisons by this metric and test.")
    pairs = max(len(metric.pairs) for metric in result.metrics)
    for test, resamples in result.resamples.items():
        if pairs / (resamples + 1) >= result.alpha:
            legend.append(f"{resamples} resamples are too few for {test} to be significant among {pairs} comparisons.")
    if form == "text":
        levels = ((1, 1), (2, 5), (3, 50))
        legend.append(", ".join(f"{'*' * stars} below {result.alpha / part:g}" for stars, part in levels) + ".")
    clusters = " and clusters" if any(metric.clusters for metric in result.metrics) else ""
    corrected = " (Holm)" if several else ""
    legend.append(f"Verdicts{clusters} go by {TEST_NAMES[result.decisive]}{corrected} at {result.alpha:g}.")
    if any(len(metric.clusters) > 1 for metric in result.metrics):
        legend.append("Clusters: every system of one is significantly better than every system of those below.")
    return legend
