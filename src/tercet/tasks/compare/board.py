"""The document of `tercet compare`: tables, the sentence on power, deciding segments; words, n-grams, buckets."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan

from ...comparing import (
    Buckets,
    Comparison,
    MetricResult,
    NgramComparison,
    PairResult,
    Segment,
    SystemResult,
    WordComparison,
)
from ...data.display import listed
from ...explaining import OPERATIONS, EditComparison, MetricEdits
from ...rendering.document import Column, Heading, Notes, Part, Segments, SegmentTexts, Table, listing
from ...rendering.tables import DASH, Bold, interval, number
from ...stats.paired import FEW_SEGMENTS, RESAMPLES, is_exact, resamples_made, smallest_p_value, test_name

MATRIX_FROM = 7  # systems; fewer are listed in pairs
PAIRS_WITH_SEGMENTS = 6  # more would bury the tables; JSON with --full has them all
STARS = (1, 5, 50)  # parts of alpha, each for a further star: .05, .01, .001
GROUPS = {"frequency": "Frequency", "pos": "Part of speech", "label": "Label"}
DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither direction is better"}


def comparison_parts(
    result: Comparison,
    form: str = "text",
    width: int | None = None,
    edits: EditComparison | None = None,
    *,
    pairs: bool = False,
) -> Iterator[Part]:
    """Yield the parts of the document. pairs: list all pairs of systems instead of showing a matrix."""
    many = result.baseline is None and len(result.metrics[0].systems) >= MATRIX_FROM
    matrix = many and form not in ("tsv", "csv") and not pairs
    for i, metric in enumerate(result.metrics):
        decimals = metric.decimals if width is None else width
        yield from _MetricParts(result, metric, form, decimals, edits.metrics[i] if edits else None, matrix).parts()
    yield Notes(list(dict.fromkeys(legend(result, form, with_edits=edits is not None, matrix=matrix))))


@dataclass(frozen=True)
class _MetricParts:
    """The parts of the document about one metric."""

    result: Comparison
    metric: MetricResult
    form: str
    width: int
    edits: MetricEdits | None
    matrix: bool

    def parts(self) -> Iterator[Part]:
        metric = self.metric
        direction = DIRECTIONS[metric.higher_is_better]
        title = f"{metric.name}: {len(metric.systems)} systems, {metric.n_segments} segments, {direction}"
        yield Heading(title, metric.signature)
        yield self.systems()
        if len(metric.clusters) == 1:
            yield "One cluster: nowhere in this order are all above significantly better than all below."
        yield self.differences() if self.matrix else self.pairs()
        yield metric.mde_sentence
        yield from group_parts(metric, self.width)
        pairs = metric.pairs
        if self.matrix:  # systems that are next to each other in rank come first
            place = {system.system: i for i, system in enumerate(metric.ranked)}
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

    @property
    def key(self) -> tuple[str, str]:
        return "Metric", self.metric.metric

    def number(self, value: float) -> str:
        return number(value, self.width, "+")

    def systems(self) -> Table:
        ranked = self.metric.ranked
        columns: dict[str, Column] = {
            "Rank": ranks,
            "System": "system",
            self.metric.name: "score",
            "±": lambda s: (s.ci_high - s.ci_low) / 2,
            f"{100 * ranked[0].confidence:g} % interval": lambda s: (s.ci_low, s.ci_high),
        }
        return listing(ranked, columns, self.width, optional=["Rank"], key=self.key, groups=clusters(self.metric))

    def differences(self) -> Table:
        """Return the matrix of differences, systems in order of rank; significant differences are bold."""
        names = [system.system for system in self.metric.ranked]

        def difference(i: int, j: int) -> str:
            pair = self.metric.pair(names[i], names[j])
            cell = self.number(pair.difference if pair.a == names[i] else -pair.difference)
            return Bold(cell) if self.result.is_significant(pair) else cell

        places = range(len(names))
        rows = [[str(i + 1), names[i], *(difference(i, j) if j > i else "" for j in places)] for i in places]
        return Table(["", "Row - column", *(str(i + 1) for i in places)], rows, key=self.key)

    def pairs(self) -> Table:
        result, several, text = self.result, len(self.metric.pairs) > 1, self.form == "text"
        header = ["A", "B", "A - B", f"{100 * result.confidence:g} % interval"]
        for test in result.tests:
            header += [f"p {test}", "Holm" if text else f"Holm {test}"] if several else [f"p {test}"]
        rows = []
        for pair in self.metric.pairs:
            row = [pair.a, pair.b, self.number(pair.difference)]
            row.append(interval(pair.ci_low, pair.ci_high, self.width, "+"))
            for test in result.tests:
                # Where the other test is not to be trusted, it gets no stars.
                starred = test == result.decisive or self.metric.n_segments >= FEW_SEGMENTS
                stars = "*" * sum(pair.p_holm[test] < result.alpha / part for part in STARS) if starred else ""
                corrected = number(pair.p_holm[test], 4) + (f" {stars:3}" if text else "")
                row += [number(pair.p_value[test], 4), corrected] if several else [corrected]
            rates = "/".join(number(100 * share, 0) for share in (pair.wins, pair.ties, pair.losses))
            rows.append([*row, f"{rates} %", verdict(result, self.metric, pair)])
        return Table([*header, "Segments A/tie/B", "Verdict"], rows, key=self.key)

    def edit_sums(self, pair: PairResult, edits: MetricEdits) -> Table:
        """Return the numbers of edits that two systems need in the whole test set; jumps only if there are any."""
        kinds = [kind for kind in OPERATIONS if kind != "jumps" or any(sums[kind] for sums in edits.sums.values())]
        a, b = ([edits.sums[system][kind] for kind in kinds] for system in (pair.a, pair.b))
        a, b = [*a, sum(a)], [*b, sum(b)]
        rows = [[pair.a, *map(str, a)], [pair.b, *map(str, b)]]
        rows.append([f"{pair.a} - {pair.b}", *(f"{x - y:+d}" for x, y in zip(a, b, strict=True))])
        return Table([f"{self.metric.name} edits", *map(str.capitalize, kinds), "All"], rows, key=self.key)

    def deciding(self, pair: PairResult) -> Segments:
        """Return the segments that contribute most to a difference, with their texts."""
        title = f"What decides {pair.a} - {pair.b} = {self.number(pair.difference)} {self.metric.name}"
        if pair.deciding is not None:
            title += (
                f": {pair.deciding.segments} of {self.metric.n_segments} segments make {100 * pair.deciding.share:g} % "
                f"of it (without them it is {self.number(pair.deciding.difference_without)})"
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


def ranks(system: SystemResult) -> str:
    """Return the best and the worst rank that a system may have."""
    return "–".join(str(rank or DASH) for rank in dict.fromkeys((system.rank_low, system.rank_high)))


def clusters(metric: MetricResult) -> tuple[str, list[str]] | None:
    """Return the clusters that group a table of systems; None if there are none, as not all pairs were compared."""
    return ("Cluster", [str(system.cluster or DASH) for system in metric.ranked]) if metric.clusters else None


def verdict(result: Comparison, metric: MetricResult, pair: PairResult) -> str:
    """Return what the decisive test's corrected p-value shows. No significant difference does not mean equality."""
    if isnan(pair.p_holm[result.decisive]):
        return "undefined"
    if not result.is_significant(pair):
        return "not significantly different"
    better = pair.better(metric.higher_is_better)
    return "significantly different" if better is None else f"{'A' if better == pair.a else 'B'} is better"


def legend(
    result: Comparison, form: str = "text", *, with_edits: bool = False, matrix: bool = False, short: bool = False
) -> Iterator[str]:
    """Yield what the numbers mean. short: without the columns that the short form does not have."""
    n, resampled = result.n_segments, result.resamples.items()
    facts = [f"{test_name(test, n)} ({resamples_made(test, n, resamples)})" for test, resamples in resampled]
    yield f"p: two-sided, {', '.join(facts)}, seed {result.seed}."
    if matrix:
        marked = "marked" if form == "text" else "bold"
        yield f"Matrix: score of the row minus that of the column; {marked}: significant. --pairs lists pairs."
    elif not short:
        yield "Segments: shares in which A is better, both tie, B is better."
    if with_edits:
        yield "Edits, over all segments: insertions are too much in the output, deletions are missing from it."
    pairs = max(len(metric.pairs) for metric in result.metrics)
    if pairs > 1 and not short:
        yield "Holm: corrected for the number of comparisons by this metric and test."
    for test, resamples in resampled:
        smallest, exact = smallest_p_value(test, n, resamples), is_exact(test, n)
        if test in result.raised:
            yield f"{resamples} resamples instead of {RESAMPLES[test]}: {pairs} comparisons need them."
        elif resamples != RESAMPLES[test] and not exact:
            among = f", corrected for {pairs} comparisons {min(pairs * smallest, 1):.2g}" if pairs > 1 else ""
            yield f"The smallest p-value of {resamples} resamples is {smallest:.2g}{among}."
        if pairs * smallest >= result.alpha:
            what = f"{n} segments" if exact else f"{resamples} resamples"
            among = f" among {pairs} comparisons" if pairs > 1 else ""
            yield f"{what} are too few for {test} to be significant{among}."
    if form == "text" and not matrix and not short:
        yield ", ".join(f"{'*' * (i + 1)} below {result.alpha / part:g}" for i, part in enumerate(STARS)) + "."
    clustered = " and clusters" * any(metric.clusters for metric in result.metrics)
    yield f"Verdicts{clustered} go by {test_name(result.decisive, n)}{' (Holm)' * (pairs > 1)} at {result.alpha:g}."
    if n < FEW_SEGMENTS and "bootstrap" in result.tests:
        yield (
            f"Below {FEW_SEGMENTS} segments the bootstrap finds differences too often and its intervals are too narrow."
        )
    if any(len(metric.clusters) > 1 for metric in result.metrics) and not short:
        yield "Clusters: every system of one is significantly better than every system of those below."


def word_parts(words: WordComparison) -> Iterator[Part]:
    """Yield the table of one grouping of words, with its legend."""
    systems = list(words.groups[0].scores) if words.groups else []
    where = f" in {words.frequencies}" if words.frequencies else ""
    yield Heading(f"Words by {GROUPS[words.by].lower()}{where}: {words.measure} of systems")
    rows = []
    for group in words.groups:
        row = [group.group, str(group.scores[words.baseline].reference_words)]
        for system in systems:
            score = group.scores[system]
            value = score.f if words.measure == "F" else score.recall
            row.append(_marked(value, 3, significant=score.p_value < words.alpha))
            row.append(interval(score.low, score.high, 3))
        rows.append(row)
    header = [name for system in systems for name in (system, f"{system} interval")]
    yield Table([GROUPS[words.by], "Words", *header], rows, key=("Words by", words.by))
    yield Notes(
        [
            f"{words.measure}: 0 to 1, of words that the reference has too, with {100 * (1 - words.alpha):g} % "
            f"bootstrap intervals. Words: in the references that {words.baseline} is compared with.",
            f"Marked: significantly different from {words.baseline} (approximate randomisation, {words.resamples} "
            f"resamples, seed {words.seed}; Holm over groups and systems) at {words.alpha:g}.",
        ]
    )


def ngram_parts(found: NgramComparison) -> Iterator[Part]:
    """Yield the n-grams that tell two systems apart."""
    yield Heading(f"Words and n-grams that {found.a} or {found.b} gets right more often")
    rows = [
        (system, each) for system, better in ((found.a, found.a_better), (found.b, found.b_better)) for each in better
    ]
    if rows:
        columns: dict[str, Column] = {
            "More often right": lambda row: row[0],
            "N-gram": lambda row: row[1].ngram,
            f"{found.a} right": lambda row: row[1].a_right,
            f"{found.b} right": lambda row: row[1].b_right,
            "In references": lambda row: row[1].in_references,
            "Ratio": lambda row: row[1].ratio,
            "p Holm": lambda row: _marked(row[1].p_holm, 4, significant=row[1].p_holm < found.alpha),
            "Segments": lambda row: listed(max(row[1].b_segments, row[1].a_segments, key=len)),
        }
        yield listing(rows, columns, 2, key=("Pair", f"{found.a} - {found.b}"))
    notes = [
        f"{found.differing} n-grams differ; {found.tested} in enough segments to be tested (sign test, Holm; "
        f"significant ones at {found.alpha:g} are marked). A dash: not tested.",
        f"Ratio: ({found.a} right + 1) / ({found.b} right + 1). Segments: where it is right more often.",
    ]
    yield Notes(notes if rows else [f"{found.a} and {found.b} get the same words right."])


def _marked(value: float, width: int, *, significant: bool) -> str:
    text = number(value, width)
    return Bold(text) if significant else text


def group_parts(metric: MetricResult, width: int, title: str = "") -> Iterator[Part]:
    """Yield the tables of slices and buckets. title: of the slices."""
    if metric.slices:
        columns: dict[str, Column] = {"By": "by", "Slice": "slice", "Segments": "n_segments"}
        columns |= {system.system: ("scores", system.system) for system in metric.systems}
        if title:
            yield Heading(title, level=3)
        yield listing(metric.slices, columns, width, key=("Metric", metric.metric))
    for buckets in metric.buckets:
        yield from _bucket_parts(metric, buckets, width)


def _bucket_parts(metric: MetricResult, buckets: Buckets, width: int) -> Iterator[Part]:
    """Yield the table of one kind of buckets: segments of each system, and scores where these say something new."""
    systems = [system.system for system in metric.systems]
    by_length = buckets.by == "length-difference"
    header = [buckets.by.replace("-", " ").capitalize()]
    header += [cell for system in systems for cell in (system, f"{system} {metric.name if by_length else '%'}")]
    rows = []
    for bucket in buckets.buckets:
        row = [bucket.bucket]
        for system in systems:
            n = bucket.n_segments[system]
            share = 100 * n / metric.n_segments
            row += [str(n), number(bucket.scores[system], width) if by_length else number(share, 1)]
        rows.append(row)
    what = "Segments of each system" + (f", and its {metric.name} on them" if by_length else "")
    yield Table(header, rows, caption=what, key=("Metric", metric.metric))
    if buckets.note:
        yield Notes(
            [buckets.note + " Others: --thresholds." * (buckets.by == "quality" and "quartiles" in buckets.note)]
        )
