"""The document of `tercet compare`: tables, the sentence on power, deciding segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from ..comparing import Comparison, MetricResult, PairResult, Segment
from ..explaining import OPERATIONS, EditComparison, MetricEdits
from ..rendering.document import Heading, Notes, Part, Segments, SegmentTexts, Table
from ..rendering.tables import DASH, Bold, interval, number
from ..stats.paired import FEW_SEGMENTS, RESAMPLES, exchanges, is_exact, smallest_p_value, test_name
from .compare_findings import bucket_parts

MATRIX_FROM = 7  # systems; fewer are listed in pairs
PAIRS_WITH_SEGMENTS = 6  # more would bury the tables; JSON with --full has them all
DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither direction is better"}


def comparison_parts(
    result: Comparison,
    form: str = "text",
    width: int | None = None,
    edits: EditComparison | None = None,
    *,
    pairs: bool = False,
) -> Iterator[Part]:
    """Yield the parts of the document. `edits` adds edit scripts. Only text has stars after p-values.

    pairs: list all pairs of systems, instead of a matrix from MATRIX_FROM systems on; TSV always lists them.
    """
    matrix = _is_matrix(result, form) and not pairs
    for i, metric in enumerate(result.metrics):
        decimals = max(2, metric.record.decimals) if width is None else width
        yield from _MetricParts(result, metric, form, decimals, edits.metrics[i] if edits else None, matrix).parts()
    yield Notes(_legend(result, form, with_edits=edits is not None, matrix=matrix))


def _is_matrix(result: Comparison, form: str) -> bool:
    return result.baseline is None and len(result.metrics[0].systems) >= MATRIX_FROM and form not in ("tsv", "csv")


class _MetricParts:
    """The parts of the document about one metric."""

    def __init__(
        self,
        result: Comparison,
        metric: MetricResult,
        form: str,
        width: int,
        edits: MetricEdits | None,
        matrix: bool,
    ) -> None:
        self.result, self.metric, self.form, self.width, self.edits = result, metric, form, width, edits
        self.matrix = matrix

    def parts(self) -> Iterator[Part]:
        metric = self.metric
        direction = DIRECTIONS[metric.higher_is_better]
        title = f"{metric.name}: {len(metric.systems)} systems, {metric.n_segments} segments, {direction}"
        yield Heading(title, metric.signature)
        yield self.systems()
        if len(metric.clusters) == 1:
            yield Notes(["One cluster: nowhere in this order are all above significantly better than all below."])
        yield self.differences() if self.matrix else self.pairs()
        yield Notes([metric.mde_sentence])
        if metric.slices:
            yield self.slices()
        for buckets in metric.buckets:
            yield from bucket_parts(metric, buckets, self.width)
        pairs = metric.pairs
        if self.matrix:  # systems that are next to each other in rank come first
            place = {system.system: i for i, system in enumerate(self.metric.ranked)}
            pairs = tuple(sorted(pairs, key=lambda pair: (abs(place[pair.a] - place[pair.b]), place[pair.a])))
        known = [pair for pair in pairs if pair.segments or pair.deciding or self.edits]
        listed = known[:PAIRS_WITH_SEGMENTS] if self.form in ("text", "markdown") else known
        for pair in listed:
            if self.edits:
                yield self.edit_sums(pair, self.edits)
            if pair.segments or pair.deciding:
                yield self.deciding(pair)
        if len(known) > len(listed):
            what = "Edits and deciding segments" if self.edits else "Deciding segments"
            yield f"{what} of {len(known) - len(listed)} more pairs: use -f json --full, or choose a --baseline."

    def table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], groups: tuple[str, list[str]] | None = None
    ) -> Table:
        return Table(header, rows, groups=groups, key=("Metric", self.metric.metric))

    def systems(self) -> Table:
        ranked = self.metric.ranked
        header = ["Rank", "System", self.metric.name, "±", f"{100 * ranked[0].confidence:g} % interval"]
        rows = []
        for s in ranked:
            ranks = DASH if s.rank_low is None else "–".join(map(str, dict.fromkeys((s.rank_low, s.rank_high))))
            half = number((s.ci_high - s.ci_low) / 2, self.width)
            span = interval(s.ci_low, s.ci_high, self.width)
            rows.append([ranks, s.system, number(s.score, self.width), half, span])
        if not self.metric.clusters:  # nothing to rank by: not all pairs were compared
            return self.table(header[1:], [row[1:] for row in rows])
        return self.table(header, rows, ("Cluster", [str(s.cluster or DASH) for s in ranked]))

    def differences(self) -> Table:
        """Return the matrix of differences, systems in order of rank; significant differences are bold."""
        names = [system.system for system in self.metric.ranked]
        rows = []
        for i, a in enumerate(names):
            row = [str(i + 1), a]
            for j, b in enumerate(names):
                cell = ""
                if j > i:
                    pair = self.metric.pair(a, b)
                    sign = 1 if pair.a == a else -1
                    cell = number(sign * pair.difference, self.width, "+")
                    cell = Bold(cell) if pair.p_holm[self.result.decisive] < self.result.alpha else cell
                row.append(cell)
            rows.append(row)
        return self.table(["", "Row - column", *(str(i + 1) for i in range(len(names)))], rows)

    def pairs(self) -> Table:
        result, several, text = self.result, len(self.metric.pairs) > 1, self.form == "text"
        header = ["A", "B", "A - B", f"{100 * result.confidence:g} % interval"]
        for test in result.tests:
            header += [f"p {test}", "Holm" if text else f"Holm {test}"] if several else [f"p {test}"]
        rows = []
        for pair in self.metric.pairs:
            span = interval(pair.ci_low, pair.ci_high, self.width, "+")
            row = [pair.a, pair.b, number(pair.difference, self.width, "+"), span]
            for test in result.tests:
                # Where the other test is not to be trusted, it gets no stars.
                starred = test == result.decisive or self.metric.n_segments >= FEW_SEGMENTS
                stars = f" {_stars(pair.p_holm[test], result.alpha) if starred else '':3}" if text else ""
                corrected = number(pair.p_holm[test], 4) + stars
                row += [number(pair.p_value[test], 4), corrected] if several else [corrected]
            rates = "/".join(number(100 * share, 0) for share in (pair.wins, pair.ties, pair.losses))
            rows.append([*row, f"{rates} %", verdict(result, self.metric, pair)])
        return self.table([*header, "Segments A/tie/B", "Verdict"], rows)

    def slices(self) -> Table:
        systems = [system.system for system in self.metric.systems]
        rows = [
            [part.by, part.slice, str(part.n_segments), *(number(part.scores[name], self.width) for name in systems)]
            for part in self.metric.slices
        ]
        return self.table(["By", "Slice", "Segments", *systems], rows)

    def edit_sums(self, pair: PairResult, edits: MetricEdits) -> Table:
        """Return the numbers of edits that two systems need in the whole test set; jumps only if there are any."""
        kinds = [kind for kind in OPERATIONS if kind != "jumps" or any(sums[kind] for sums in edits.sums.values())]
        a, b = ([edits.sums[system][kind] for kind in kinds] for system in (pair.a, pair.b))
        a, b = [*a, sum(a)], [*b, sum(b)]
        rows = [[pair.a, *map(str, a)], [pair.b, *map(str, b)]]
        rows.append([f"{pair.a} - {pair.b}", *(f"{x - y:+d}" for x, y in zip(a, b, strict=True))])
        return self.table([f"{self.metric.name} edits", *map(str.capitalize, kinds), "All"], rows)

    def deciding(self, pair: PairResult) -> Segments:
        """Return the segments that contribute most to a difference, with their texts."""
        title = f"What decides {pair.a} - {pair.b} = {pair.difference:+.{self.width}f} {self.metric.name}"
        if pair.deciding is not None:
            title += (
                f": {pair.deciding.segments} of {self.metric.n_segments} segments make {100 * pair.deciding.share:g} % "
                f"of it (without them it is {pair.deciding.difference_without:+.{self.width}f})"
            )
        return Segments(title, [self.segment(pair, segment) for segment in pair.segments])

    def segment(self, pair: PairResult, segment: Segment) -> SegmentTexts:
        scores = f"{pair.a} {number(segment.a_score, self.width)}, {pair.b} {number(segment.b_score, self.width)}"
        texts = [("source", segment.source), *(segment.references or {}).items()]
        texts += [(pair.a, segment.a_output), (pair.b, segment.b_output)]
        scripts = [
            (f"edits of {system}", list(self.edits.deciding[segment.segment, system].lines()))
            for system in (pair.a, pair.b)
            if self.edits
        ]
        head = f"segment {segment.segment}: {segment.contribution:+.{self.width + 2}f} ({scores})"
        return SegmentTexts(head, [(name, text) for name, text in texts if text is not None], scripts)


def _stars(p_value: float, alpha: float) -> str:
    """Return one star below alpha, two below a fifth of it, three below a fiftieth: .05, .01, .001."""
    return "*" * sum(p_value < alpha / part for part in (1, 5, 50))


def verdict(result: Comparison, metric: MetricResult, pair: PairResult) -> str:
    """Return what the decisive test's corrected p-value shows. No significant difference does not mean equality."""
    p_value = pair.p_holm[result.decisive]
    if isnan(p_value):
        return "undefined"
    if p_value >= result.alpha or pair.difference == 0:
        return "not significantly different"
    better = pair.better(metric.higher_is_better)
    if better is None:
        return "significantly different"
    return "A is better" if better == pair.a else "B is better"


def _p(p_value: float) -> str:
    return f"{min(p_value, 1):.2g}"


def _test_facts(test: str, resamples: int, n: int) -> str:
    if is_exact(test, n):
        return f"{test_name(test, n)} (all {exchanges(n, resamples)} exchanges)"
    return f"{test_name(test, n)} ({resamples} resamples)"


def _legend(result: Comparison, form: str, *, with_edits: bool, matrix: bool) -> list[str]:
    n = min(metric.n_segments for metric in result.metrics)
    tests = ", ".join(_test_facts(test, result.resamples[test], n) for test in result.tests)
    several = any(len(metric.pairs) > 1 for metric in result.metrics)
    legend = [f"p: two-sided, {tests}, seed {result.seed}."]
    if matrix:
        marked = "marked" if form == "text" else "bold"
        legend.append(f"Matrix: score of the row minus that of the column; {marked}: significant. --pairs lists pairs.")
    else:
        legend.append("Segments: shares in which A is better, both tie, B is better.")
    if with_edits:
        legend.append("Edits, over all segments: insertions are too much in the output, deletions are missing from it.")
    if several:
        legend.append("Holm: corrected for the number of comparisons by this metric and test.")
    pairs = max(len(metric.pairs) for metric in result.metrics)
    for test, resamples in result.resamples.items():
        smallest = smallest_p_value(test, n, resamples)
        if test in result.raised:
            legend.append(f"{resamples} resamples instead of {RESAMPLES[test]}: {pairs} comparisons need them.")
        elif resamples != RESAMPLES[test] and not is_exact(test, n):
            among = f", corrected for {pairs} comparisons {_p(pairs * smallest)}" if pairs > 1 else ""
            said = f"The smallest p-value of {resamples} resamples is {_p(smallest)}{among}."
            legend += [said] if said not in legend else []
        if pairs * smallest < result.alpha:
            continue
        what = f"{n} segments" if is_exact(test, n) else f"{resamples} resamples"
        among = f" among {pairs} comparisons" if pairs > 1 else ""
        legend.append(f"{what} are too few for {test} to be significant{among}.")
    if form == "text" and not matrix:
        levels = ((1, 1), (2, 5), (3, 50))
        legend.append(", ".join(f"{'*' * stars} below {result.alpha / part:g}" for stars, part in levels) + ".")
    clusters = " and clusters" if any(metric.clusters for metric in result.metrics) else ""
    corrected = " (Holm)" if several else ""
    legend.append(f"Verdicts{clusters} go by {test_name(result.decisive, n)}{corrected} at {result.alpha:g}.")
    if n < FEW_SEGMENTS and "bootstrap" in result.tests:
        legend.append(
            f"Below {FEW_SEGMENTS} segments the bootstrap finds differences too often and its intervals are too narrow."
        )
    if any(len(metric.clusters) > 1 for metric in result.metrics):
        legend.append("Clusters: every system of one is significantly better than every system of those below.")
    return legend
