"""Parts of the document of `tercet compare` beyond the metrics: words by group, n-grams, buckets of segments."""

from collections.abc import Iterator

from ...comparing import Buckets, MetricResult, NgramComparison, WordComparison
from ...data.display import listed
from ...rendering.document import Column, Heading, Notes, Part, Table, listing
from ...rendering.tables import Bold, interval, number

GROUPS = {"frequency": "Frequency", "pos": "Part of speech", "label": "Label"}


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
