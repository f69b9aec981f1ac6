"""`judge`: how well metrics agree with people, with intervals, and which metrics no other outperforms."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..data.display import listed
from ..data.evidence import Evidence
from ..data.scores import Scores
from ..errors import UsageError
from ..options import takes
from ..options.judging import Judging
from ..stats.correlation import CORRELATIONS, Correlation
from ..stats.correlation_bootstrap import system_means
from ..stats.intervals import Interval
from ..stats.outliers import mad_outliers, quality_levels, top_n
from ..stats.resampling import check_share
from ..types import Floats
from .gold import Gold, check_gold, find_gold, gold_names, has_preferences, margin_of, without_systems
from .joining import check_systems, references_among
from .measurement import Measurement, find
from .measures import ResampleOptions, Statistic, parse_statistic
from .results import Verdict, Verdicts
from .significance import find_better, find_test

DARR = "darr"  # preferences of this name come from scores; ties of the metric count against it, as in WMT17 to 19
LEVELS = 4  # of quality, as in section 4.5.4 of Fomicheva (2017)


@dataclass(frozen=True, kw_only=True)
class Request(Judging):
    """What to compute, checked against the data."""

    @property
    def draws(self) -> ResampleOptions:
        """The number of resamples and the seed."""
        return ResampleOptions(resamples=self.resamples, seed=self.seed)

    def parse(self, default: str = "pearson") -> tuple[Statistic, str | None]:
        """Return the statistic and the test. Raise UsageError if the options are wrong whatever the data are."""
        wanted = parse_statistic(self.statistic or default, self.level or "sys", unit=self.unit, average=self.average)
        test = find_test(self.significance, wanted, absolute=self.absolute)
        check_share("The significance level", self.alpha)
        check_share("The confidence", self.confidence)
        if (self.margin is not None or self.inclusive) and not wanted.wants_pairs:
            raise UsageError(f"`margin` and `inclusive` apply to tau only, not to {wanted.name}.")
        if self.top and (wanted.level != "sys" or not wanted.is_correlation):
            raise UsageError("`top` applies to correlations at system level only.")
        if self.by_quality and (wanted.level != "seg" or not wanted.is_correlation or self.average != "none"):
            raise UsageError("`by_quality` applies to correlations of outputs only: `level` seg, `statistic` pearson.")
        if self.mean_of_segments and wanted.level != "sys":
            raise UsageError("`mean_of_segments` gives system scores. Use it with `level` sys.")
        return wanted, test

    def check_data(self, evidence: Evidence) -> tuple[Statistic, str | None]:
        """Return the statistic and the test. Raise an error if the data do not allow them. Computes nothing."""
        wanted, test = self.parse("tau" if self.level == "seg" and has_preferences(evidence, self.gold) else "pearson")
        check_gold(evidence, name=self.gold, level=wanted.level, wants_pairs=wanted.wants_pairs)
        if self.systems:
            check_systems(self.find_gold(evidence, wanted), self.systems)
        return wanted, test

    def find_gold(self, evidence: Evidence, wanted: Statistic) -> Gold:
        return find_gold(evidence, name=self.gold, level=wanted.level, wants_pairs=wanted.wants_pairs)


@takes(Request)
def judge(evidence: Evidence, scores: Sequence[Scores], *, options: Request) -> Verdicts:
    """Measure how well metrics agree with human judgements. References count as systems only if `systems` says so."""
    asked = replace(options, level=options.level or "sys")
    wanted, test = asked.check_data(evidence)
    if not scores:
        raise UsageError("There are no metrics to evaluate. Name some, or give files of scores.")
    twice = [label for label, count in Counter(item.label for item in scores).items() if count > 1]
    if twice:
        raise UsageError(f"Two metrics are called {twice[0]!r}. Rename one, or leave one out.")
    standard = asked.find_gold(evidence, wanted)
    wanted = wanted.with_variant("wmt12" if standard.name == DARR or standard.pairs is None else "wmt14")
    notes = []
    if not asked.systems:
        everyone = [*standard.systems, *(name for item in scores for name in item.system)]
        references = references_among(evidence.testset, everyone)
        if references:
            standard = without_systems(standard, references)
            notes.append(f"Left out, because they are references (use `systems` to keep them): {listed(references)}.")
    found = find(wanted, standard, evidence, scores, asked)
    notes += [*found.notes, *_remarks(wanted, scores, found, test)]
    values, resampled = found.measured.values, found.measured.resampled
    if asked.absolute:
        resampled = replace(resampled, values=np.abs(values), samples=np.abs(resampled.samples))
    p_values, beats = find_better(test, wanted, found, resampled, asked)
    if test and beats is None:
        if (~np.isnan(values)).sum() > 1:
            notes.append(f"There are too few data for the test ({test}), so no winners are marked.")
        test = None
    verdicts = list(_verdicts(scores, found, resampled.intervals(asked.confidence), beats))
    outliers, items = _with_parts(wanted, found, verdicts, asked)
    notes += _tied_quarters(items)
    by_system = asked.level == "sys"
    # For plots, where a correlation of segments was computed from the scores of all outputs.
    of_outputs = wanted.level == "seg" and wanted.is_correlation and found.metrics.shape[1:] == found.human.shape
    named = zip(items, found.metrics, strict=True)
    repeated = ("level", "average", "absolute", "inclusive", "resamples", "confidence", "seed", "alpha")
    return Verdicts(
        dataset=evidence.name, repeated=standard.repeated, pair=evidence.pair, statistic=wanted.text,
        gold=standard.label,
        gold_name=asked.gold or gold_names(evidence, level=wanted.level, wants_pairs=wanted.wants_pairs)[0],
        margin=(margin_of(standard) if asked.margin is None else asked.margin) if wanted.wants_pairs else None,
        items=tuple(items), systems=found.systems, outliers=outliers, unit=wanted.unit, test=test, p_values=p_values,
        notes=tuple(notes), human=_by_system(found, found.human) if by_system else {},
        scores={item.label: _by_system(found, row) for item, row in named} if by_system else {},
        outputs=(found.human, found.metrics) if of_outputs else None,
        **{name: getattr(asked, name) for name in repeated},
    )  # fmt: skip


def _remarks(wanted: Statistic, scores: Sequence[Scores], found: Measurement, test: str | None) -> Iterator[str]:
    """Yield notes on results that a reader would not expect."""
    # The interchange format does not say whether higher is better; for a ratio of lengths neither is.
    labels = [item.label for item in scores if item.higher_is_better is None]
    if labels:
        yield f"It is not known whether higher is better; this is assumed: {listed(labels)}."
    if wanted.level == "sys" and wanted.is_correlation and len(found.systems) == 2:
        yield "With two systems every correlation is 1 or -1: it shows only which of the two the metric prefers."
    by_segment = wanted.unit == "segments" or (test or "").startswith("perm-")
    if wanted.level == "sys" and wanted.is_correlation and by_segment and found.segments is not None:
        function, people = CORRELATIONS[wanted.name], found.human if found.gold is None else system_means(found.gold)
        means = function(found.segments.mean(-1), people)
        if not np.allclose(means, function(found.metrics, found.human), atol=1e-6, equal_nan=True):
            yield "Segments are resampled or exchanged, so a system's score is the mean of its segment scores."


def _verdicts(
    scores: Sequence[Scores], found: Measurement, intervals: Sequence[Interval], beats: NDArray[np.bool_] | None
) -> Iterator[Verdict]:
    """Yield one verdict per metric, with its interval and the metrics that outperform it."""
    (_, n, epsilon), values = found.measured, found.measured.values
    for i, (item, interval) in enumerate(zip(scores, intervals, strict=True)):
        better = [] if beats is None else [scores[j].label for j in np.flatnonzero(beats[:, i]).tolist()]
        yield Verdict(
            item.metric.names[0], item.label, interval.value, float(values[i]), int(n[i]), interval.low, interval.high,
            winner=None if beats is None else not better and not np.isnan(interval.value),
            outperformed_by=tuple(better),
            epsilon=None if epsilon is None else float(epsilon[i]),
            mean_of_segments=found.averaged[i] if found.averaged else None,
            signature=item.signature,
            references=tuple(item.provenance.get("references", ())),
        )  # fmt: skip


def _with_parts(
    wanted: Statistic, found: Measurement, items: list[Verdict], asked: Request
) -> tuple[tuple[str, ...], list[Verdict]]:
    """Return outlying systems, and the verdicts with the statistic on parts of the data."""
    outliers: tuple[str, ...] = ()
    if not wanted.is_correlation:
        return outliers, items
    function = CORRELATIONS[wanted.name]
    sized: Correlation = (lambda x, y: np.abs(function(x, y))) if asked.absolute else function
    if wanted.level == "sys":
        outlying = mad_outliers(found.human)
        outliers = tuple(name for name, out in zip(found.systems, outlying, strict=True) if out)
        values = sized(found.metrics[:, ~outlying], found.human[~outlying]).tolist()
        items = [replace(item, without_outliers=value) for item, value in zip(items, values, strict=True)]
    if asked.top:
        rows = zip(items, found.metrics, strict=True)
        items = [replace(item, top_n=tuple(top_n(found.human, row, sized))) for item, row in rows]
    if asked.by_quality:
        items = _by_quality(found, items, sized)
    return outliers, items


def _by_system(found: Measurement, values: Floats) -> dict[str, float]:
    return dict(zip(found.systems, values.tolist(), strict=True))


def _by_quality(found: Measurement, items: Sequence[Verdict], function: Correlation) -> list[Verdict]:
    """Return the verdicts with the statistic on each quarter of the human scores."""
    of = quality_levels(found.human, LEVELS)
    by_level = [
        (level, int((of == level).sum()), function(found.metrics[:, of == level], found.human[of == level]))
        for level in range(1, LEVELS + 1)
    ]
    return [
        replace(item, by_quality=tuple((level, n, float(values[i])) for level, n, values in by_level))
        for i, item in enumerate(items)
    ]


def _tied_quarters(items: Sequence[Verdict]) -> list[str]:
    """Return a note if equal human scores, which are always on one level, make quarters of different sizes."""
    sizes = [n for _, n, _ in items[0].by_quality]
    if not sizes or max(sizes) - min(sizes) <= 1:
        return []
    shown = ", ".join(f"L{level} {n}" for level, n in enumerate(sizes, 1))
    return [f"Quarters differ in size, because equal human scores stay together: {shown} outputs."]
