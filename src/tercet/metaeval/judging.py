"""`judge`: how well metrics agree with people, with intervals, and which metrics no other outperforms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.evidence import Evidence
from ..data.scores import Scores
from ..errors import UsageError
from ..stats.correlation import CORRELATIONS, Correlation
from ..stats.correlation_bootstrap import Resampled, system_means
from ..stats.outliers import mad_outliers, quality_levels, top_n
from ..stats.resampling import SEED, check_share
from .gold import check_gold, find_gold, gold_names, has_preferences, margin_of, without_systems
from .joining import check_systems, listed, references_among
from .measurement import Measurement, Question, find
from .measures import ResampleOptions, Statistic, parse_statistic
from .results import Verdict, Verdicts
from .significance import find_better, find_test

Floats = NDArray[np.float64]

DARR = "darr"  # preferences of this name come from scores; ties of the metric count against it, as in WMT17 to 19
LEVELS = 4  # of quality, as in section 4.5.4 of Fomicheva (2017)


def judge(
    evidence: Evidence,
    scores: Sequence[Scores],
    *,
    level: str = "sys",
    statistic: str | None = None,
    gold: str | None = None,
    systems: Collection[str] = (),
    common: bool = False,
    absolute: bool = False,
    average: str = "none",
    margin: float | None = None,
    inclusive: bool = False,
    unit: str | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    significance: str | None = "auto",
    alpha: float = 0.05,
    seed: int = SEED,
    top: bool = False,
    by_quality: bool = False,
    mean_of_segments: bool = False,
) -> Verdicts:
    """Measure how well metric scores agree with human judgements, for one language pair.

    The keyword arguments are those of `judge_pairs`, which describes them. scores: one per metric.

    References of the test set are left out unless `systems` names them, because a metric cannot score the reference
    that it compares with. A note says so.
    """
    wanted, test = check_question(
        evidence, level=level, statistic=statistic, gold=gold, systems=systems, absolute=absolute, average=average,
        margin=margin, inclusive=inclusive, unit=unit, confidence=confidence, significance=significance, alpha=alpha,
        top=top, by_quality=by_quality, mean_of_segments=mean_of_segments,
    )  # fmt: skip
    _check_metrics(scores)
    standard = find_gold(evidence, name=gold, level=level, wants_pairs=wanted.wants_pairs)
    wanted = wanted.with_variant("wmt12" if standard.name == DARR or standard.pairs is None else "wmt14")
    draws = ResampleOptions(resamples=resamples, seed=seed)
    notes = []
    if not systems:
        everyone = [*standard.systems, *(name for item in scores for name in item.system)]
        references = references_among(evidence.testset, everyone)
        if references:
            standard = without_systems(standard, references)
            notes.append(f"Left out, because they are references (use --systems to keep them): {listed(references)}.")
    found = find(
        Question(wanted, standard, evidence, scores, draws, systems, common, margin, inclusive, mean_of_segments)
    )
    notes += [*found.notes, *_remarks(wanted, scores, found, test)]
    values, resampled = found.measured.values, found.measured.resampled
    if absolute:
        resampled = replace(resampled, values=np.abs(values), samples=np.abs(resampled.samples))
    p_values, beats = find_better(
        test, wanted, found, resampled, absolute=absolute, alpha=alpha, confidence=confidence, draws=draws
    )
    if test and beats is None:
        if (~np.isnan(values)).sum() > 1:
            notes.append(f"There are too few data for the test ({test}), so no winners are marked.")
        test = None
    outliers, items = _with_parts(
        wanted, found, _verdicts(scores, found, resampled, beats, confidence), absolute, top=top, by_quality=by_quality
    )
    notes += _tied_quarters(items)
    return Verdicts(
        dataset=evidence.name,
        pair=evidence.pair,
        level=level,
        statistic=wanted.text,
        gold=standard.label,
        gold_name=gold or gold_names(evidence, level=level, wants_pairs=wanted.wants_pairs)[0],
        average=average,
        margin=(margin_of(standard) if margin is None else margin) if wanted.wants_pairs else None,
        absolute=absolute,
        items=tuple(items),
        systems=found.systems,
        outliers=outliers,
        unit=wanted.unit,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        test=test,
        alpha=alpha,
        p_values=p_values,
        notes=tuple(notes),
        human=_by_system(found, found.human) if level == "sys" else {},
        scores={item.label: _by_system(found, row) for item, row in zip(items, found.metrics, strict=True)}
        if level == "sys"
        else {},
    )


def parse_question(
    statistic: str,
    level: str,
    *,
    unit: str | None = None,
    average: str = "none",
    absolute: bool = False,
    significance: str | None = "auto",
    confidence: float = 0.95,
    alpha: float = 0.05,
    margin: float | None = None,
    inclusive: bool = False,
    top: bool = False,
    by_quality: bool = False,
    mean_of_segments: bool = False,
) -> tuple[Statistic, str | None]:
    """Return the statistic and the test. Raise UsageError if the options are wrong whatever the data are."""
    wanted = parse_statistic(statistic, level, unit=unit, average=average)
    test = find_test(significance, wanted, absolute=absolute)
    check_share("The significance level", alpha)
    check_share("The confidence", confidence)
    if (margin is not None or inclusive) and not wanted.wants_pairs:
        raise UsageError(f"--margin and --inclusive apply to tau only, not to {wanted.name}.")
    if top and (level != "sys" or not wanted.is_correlation):
        raise UsageError("--top-n applies to correlations at system level only.")
    if by_quality and (level != "seg" or not wanted.is_correlation or average != "none"):
        raise UsageError("--by-quality applies to correlations of outputs only: --level seg --stat pearson.")
    if mean_of_segments and level != "sys":
        raise UsageError("--mean-of-segments gives system scores. Use it with --level sys.")
    return wanted, test


def check_question(
    evidence: Evidence,
    *,
    level: str = "sys",
    statistic: str | None = None,
    gold: str | None = None,
    systems: Collection[str] = (),
    **asked: Any,
) -> tuple[Statistic, str | None]:
    """Return the statistic and the test. Raise an error if the data do not allow them. Computes nothing.

    asked: the arguments of `parse_question`.
    """
    if statistic is None:
        statistic = "tau" if level == "seg" and has_preferences(evidence, gold) else "pearson"
    wanted, test = parse_question(statistic, level, **asked)
    check_gold(evidence, name=gold, level=level, wants_pairs=wanted.wants_pairs)
    if systems:
        check_systems(find_gold(evidence, name=gold, level=level, wants_pairs=wanted.wants_pairs), systems)
    return wanted, test


def _check_metrics(scores: Sequence[Scores]) -> None:
    if not scores:
        raise UsageError("There are no metrics to evaluate. Name some, or give files of scores.")
    seen: set[str] = set()
    for item in scores:
        if item.label in seen:
            raise UsageError(f"Two metrics are called {item.label!r}. Rename one, or leave one out.")
        seen.add(item.label)


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
    scores: Sequence[Scores],
    found: Measurement,
    resampled: Resampled,
    beats: NDArray[np.bool_] | None,
    confidence: float,
) -> list[Verdict]:
    """Return one verdict per metric, with its interval and the metrics that outperform it."""
    items = []
    for i, (item, interval) in enumerate(zip(scores, resampled.intervals(confidence), strict=True)):
        better = [] if beats is None else [scores[j].label for j in np.flatnonzero(beats[:, i]).tolist()]
        items.append(
            Verdict(
                metric=item.metric.names[0],
                label=item.label,
                value=interval.value,
                signed=float(found.measured.values[i]),
                n=int(found.measured.n[i]),
                ci_low=interval.low,
                ci_high=interval.high,
                winner=None if beats is None else not better and not np.isnan(interval.value),
                outperformed_by=tuple(better),
                epsilon=None if found.measured.epsilon is None else float(found.measured.epsilon[i]),
                mean_of_segments=found.averaged[i] if found.averaged else None,
                signature=item.signature,
                references=tuple(item.provenance.get("references", ())),
            )
        )
    return items


def _with_parts(
    wanted: Statistic, found: Measurement, items: list[Verdict], absolute: bool, *, top: bool, by_quality: bool
) -> tuple[tuple[str, ...], list[Verdict]]:
    """Return outlying systems, and the verdicts with the statistic on parts of the data."""
    outliers: tuple[str, ...] = ()
    if wanted.level == "sys" and wanted.is_correlation:
        outliers, items = _without_outliers(wanted, found, items, absolute)
    if top:
        items = _with_curves(wanted, found, items, absolute)
    if by_quality:
        items = _by_quality(wanted, found, items, absolute)
    return outliers, items


def _by_system(found: Measurement, values: Floats) -> dict[str, float]:
    return dict(zip(found.systems, values.tolist(), strict=True))


def _without_outliers(
    wanted: Statistic, found: Measurement, items: Sequence[Verdict], absolute: bool
) -> tuple[tuple[str, ...], list[Verdict]]:
    """Return outlying systems, and the verdicts with correlations without them."""
    outlying = mad_outliers(found.human)
    names = tuple(name for name, out in zip(found.systems, outlying, strict=True) if out)
    values = _sized(wanted, absolute)(found.metrics[:, ~outlying], found.human[~outlying])
    return names, [replace(item, without_outliers=value) for item, value in zip(items, values.tolist(), strict=True)]


def _with_curves(wanted: Statistic, found: Measurement, items: Sequence[Verdict], absolute: bool) -> list[Verdict]:
    """Return the verdicts with the statistic over the N best systems."""
    function = _sized(wanted, absolute)
    return [
        replace(item, top_n=tuple(top_n(found.human, row, function)))
        for item, row in zip(items, found.metrics, strict=True)
    ]


def _by_quality(wanted: Statistic, found: Measurement, items: Sequence[Verdict], absolute: bool) -> list[Verdict]:
    """Return the verdicts with the statistic on each quarter of the human scores."""
    of = quality_levels(found.human, LEVELS)
    function = _sized(wanted, absolute)
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


def _sized(wanted: Statistic, absolute: bool) -> Correlation:
    function = CORRELATIONS[wanted.name]
    return (lambda x, y: np.abs(function(x, y))) if absolute else function
