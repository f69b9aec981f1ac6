"""`judge`: how well metrics agree with people, with intervals, and which of them no other outperforms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..data.evidence import Evidence
from ..data.scores import Scores
from ..errors import DataError, UnknownName, UsageError
from ..human.pairs import Pairs
from ..stats.correlation import CORRELATIONS, Correlation
from ..stats.outliers import mad_outliers, quality_levels, top_n
from ..stats.permutation import permutation_test
from ..stats.resampled import Resampled, separate
from ..stats.resampling import SEED, check_share
from ..stats.williams import williams_matrix
from ..stats.winners import outperforms
from .aligning import align_segments, align_systems, drop_gaps, listed
from .gold import Gold, find_gold, gold_names, has_preferences, margin_of, preferences_of
from .measures import (
    Codes,
    Draws,
    Measured,
    Statistic,
    parse_statistic,
    preference_level,
    segment_level,
    system_level,
)
from .results import Verdict, Verdicts

Floats = NDArray[np.float64]

TESTS = ("williams", "bootstrap", "overlap", "perm-inputs", "perm-systems", "perm-both")
DARR = "darr"  # preferences of this name were made of scores; ties of the metric count against it, as in WMT17 to 19
LEVELS = 4  # of quality, as in section 4.5.4 of Fomicheva (2017)


@dataclass(frozen=True, eq=False)
class _Found:
    """What one level gives: the measured statistic and what tests, plots and tables take from the same data."""

    measured: Measured
    systems: tuple[str, ...]
    human: Floats  # (systems,) or (outputs,)
    metrics: Floats  # (metrics, systems) or (metrics, outputs)
    notes: tuple[str, ...]
    gold: Floats | None = None  # (systems,) or (systems, segments), for permutation tests
    segments: Floats | None = None  # (metrics, systems, segments)


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
) -> Verdicts:
    """Hold metric scores against what people said, for one language pair.

    level: "sys" or "seg". statistic: as in `meta.measures`; None is tau at segment level where people ranked outputs,
    else Pearson's r. gold: the name of a human standard, needed where there are several. systems: only these. common:
    leave out systems that a metric lacks, instead of giving it no value. absolute: sizes without signs, as the tables
    of WMT19. average: of segment correlations, by item or system. margin, inclusive: how far apart scores must be to
    make a preference (more than, or at least). unit: what is drawn anew for intervals. significance: a test of TESTS;
    "auto" is Williams' for Pearson's r and the bootstrap for all else; None for none. top: also over the N best
    systems. by_quality: also by quarters of human scores.
    """
    if statistic is None:
        statistic = "tau" if level == "seg" and has_preferences(evidence, gold) else "pearson"
    wanted, test = parse_question(statistic, level, unit=unit, average=average, significance=significance)
    check_share("The significance level", alpha)
    if (margin is not None or inclusive) and not wanted.wants_pairs:
        raise UsageError(f"A margin makes preferences of scores, for tau; {wanted.name} takes the scores themselves.")
    if not scores:
        raise UsageError("There are no metrics to judge: name some, or give files of scores.")
    _check_names(scores)
    standard = find_gold(evidence, name=gold, level=level, wants_pairs=wanted.wants_pairs)
    draws = Draws(resamples=resamples, seed=seed)
    if wanted.wants_pairs:
        wanted = wanted.with_variant("wmt12" if standard.name == DARR or standard.pairs is None else "wmt14")
        found = _judge_preferences(wanted, standard, evidence, scores, systems, common, margin, inclusive, draws)
    elif level == "sys":
        found = _judge_systems(wanted, standard, evidence, scores, systems, common, draws)
    else:
        found = _judge_outputs(wanted, standard, evidence, scores, systems, common, draws)
    notes = [*found.notes, *_remarks(wanted, scores, found, test)]
    values, resampled = found.measured.values, found.measured.resampled
    if absolute:
        resampled = replace(resampled, values=np.abs(values), samples=np.abs(resampled.samples))
    p_values, beats = _significance(test, wanted, found, resampled, absolute, alpha, confidence, draws)
    if beats is None:
        if test and (~np.isnan(values)).sum() > 1:
            notes.append(f"There is too little data to test by {test}, so that winners were not looked for.")
        test = None
    outliers, without = _without_outliers(wanted, found, absolute) if level == "sys" else ((), None)
    curves = _curves(wanted, found, absolute) if top else ()
    levels = _quality(wanted, found, absolute) if by_quality else ()
    labels = [item.label for item in scores]
    items = [
        Verdict(
            metric=item.metric,
            label=item.label,
            value=interval.value,
            signed=float(values[i]),
            n=int(found.measured.n[i]),
            ci_low=interval.low,
            ci_high=interval.high,
            winner=None if beats is None else bool(not beats[:, i].any() and not np.isnan(values[i])),
            outperformed_by=() if beats is None else tuple(labels[j] for j in np.flatnonzero(beats[:, i]).tolist()),
            without_outliers=None if without is None else float(without[i]),
            top_n=curves[i] if curves else (),
            by_quality=levels[i] if levels else (),
            epsilon=None if found.measured.epsilon is None else float(found.measured.epsilon[i]),
            signature=item.signature,
        )
        for i, (item, interval) in enumerate(zip(scores, resampled.intervals(confidence), strict=True))
    ]
    at_system = level == "sys"
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
        human=dict(zip(found.systems, found.human.tolist(), strict=True)) if at_system else {},
        scores={
            label: dict(zip(found.systems, row.tolist(), strict=True))
            for label, row in zip(labels, found.metrics, strict=True)
        }
        if at_system
        else {},
    )


def _remarks(wanted: Statistic, scores: Sequence[Scores], found: _Found, test: str | None) -> Iterator[str]:
    """What a reader would not expect."""
    # The interchange format does not say whether higher is better, and for a ratio of lengths neither is.
    labels = [item.label for item in scores if item.higher_is_better is None]
    if labels:
        yield f"Nothing says that higher is better; it is taken to be so: {listed(labels)}."
    by_segment = wanted.unit == "segments" or (test or "").startswith("perm-")
    if wanted.level == "sys" and wanted.is_correlation and by_segment and found.segments is not None:
        means = CORRELATIONS[wanted.name](found.segments.mean(-1), found.human)
        if not np.allclose(means, CORRELATIONS[wanted.name](found.metrics, found.human), atol=1e-6, equal_nan=True):
            yield "Where segments are drawn or exchanged, a system's score is the mean of its segments' scores."


def _check_names(scores: Sequence[Scores]) -> None:
    seen: set[str] = set()
    for item in scores:
        if item.label in seen:
            raise UsageError(f"Two metrics are called {item.label!r}. Rename one, or leave one out.")
        seen.add(item.label)


def _judge_systems(
    wanted: Statistic,
    gold: Gold,
    evidence: Evidence,
    scores: Sequence[Scores],
    systems: Collection[str],
    common: bool,
    draws: Draws,
) -> _Found:
    human, aligned = align_systems(gold, scores, systems=systems, common=common)
    kept = [gold.systems.index(name) for name in aligned.systems]
    notes = list(aligned.notes)
    # Exports of campaigns call segments otherwise than the texts: their judgements are of systems only.
    unknown = [name for name in gold.segments if name not in set(evidence.segments)] if gold.judgements else []
    if unknown and evidence.segments:
        notes.append(f"{gold.label} was also given to segments that the data do not have: {listed(unknown)}.")
    gold_segments = None if gold.segment is None or unknown else gold.segment[kept]
    segments = None
    if all(item.segment for item in scores) and evidence.segments:
        of_outputs = replace(gold, segments=tuple(evidence.segments))
        segments = align_segments(of_outputs, scores, evidence.segments, systems=aligned.systems).values
    measured = system_level(
        wanted,
        human,
        aligned.values,
        human_segments=gold_segments,
        metric_segments=segments,
        ratings=_ratings(gold, aligned.systems),
        draws=draws,
    )
    return _Found(
        measured,
        aligned.systems,
        human,
        aligned.values,
        tuple(notes),
        human if gold_segments is None else gold_segments,
        segments,
    )


def _ratings(gold: Gold, systems: Sequence[str]) -> tuple[Floats, Codes, Codes] | None:
    """The judgements behind a gold standard, for drawing them anew: value, number of the system, unit."""
    place = {name: i for i, name in enumerate(systems)}
    if gold.judgements is not None:
        rows = [row for row in gold.judgements.rows if row.system in place]
        units = np.arange(len(rows))
        return np.array([row.value for row in rows]), np.array([place[row.system] for row in rows]), units
    if gold.pairs is not None:  # the winner of a comparison gets 1, the loser 0, as for a win rate
        pairs = gold.pairs.without_ties()
        names = [place.get(name, -1) for name in pairs.systems]
        left, right = np.array(names)[pairs.left], np.array(names)[pairs.right]
        both = (left >= 0) & (right >= 0)
        won = (pairs.outcome[both] > 0).astype(np.float64)
        units = np.arange(len(won))
        return np.concatenate([won, 1 - won]), np.concatenate([left[both], right[both]]), np.tile(units, 2)
    return None


def _judge_outputs(
    wanted: Statistic,
    gold: Gold,
    evidence: Evidence,
    scores: Sequence[Scores],
    systems: Collection[str],
    common: bool,
    draws: Draws,
) -> _Found:
    if gold.segment is None:
        raise DataError(f"The gold standard {gold.name!r} has no segment scores.")
    aligned = align_segments(gold, scores, evidence.segments, systems=systems)
    human = gold.segment[[gold.systems.index(name) for name in aligned.systems]]
    judged = ~np.isnan(human)
    dropped, notes = drop_gaps(np.isnan(aligned.values[:, judged]), scores, common, "judged outputs")
    human = human.copy()
    human[judged] = np.where(dropped, np.nan, human[judged])
    judged = ~np.isnan(human)
    if judged.sum() < 2:
        raise DataError(f"{int(judged.sum())} judged outputs with metric scores: at least two are needed.")
    measured = segment_level(wanted, human, aligned.values, draws=draws)
    return _Found(
        measured,
        aligned.systems,
        human[judged],
        aligned.values[:, judged],
        (*aligned.notes, *notes),
        human,
        aligned.values,
    )


def _judge_preferences(
    wanted: Statistic,
    gold: Gold,
    evidence: Evidence,
    scores: Sequence[Scores],
    systems: Collection[str],
    common: bool,
    margin: float | None,
    inclusive: bool,
    draws: Draws,
) -> _Found:
    pairs = preferences_of(gold, margin, inclusive=inclusive)
    standard = replace(gold, systems=pairs.systems, segments=pairs.segments)
    aligned = align_segments(standard, scores, evidence.segments)
    if systems:
        align_segments(standard, scores, evidence.segments, systems=systems)  # refuses unknown names
        pairs = _between(pairs, systems)
    gaps = np.isnan(aligned.values[:, pairs.left, pairs.segment] + aligned.values[:, pairs.right, pairs.segment])
    dropped, notes = drop_gaps(gaps, scores, common, "pairs")
    pairs = pairs.take(np.flatnonzero(~dropped))
    if not len(pairs.outcome):
        raise DataError("There are no preferences between outputs that the metrics scored.")
    measured, said = preference_level(wanted, pairs, aligned.values, draws=draws)
    return _Found(measured, pairs.systems, pairs.outcome.astype(np.float64), said, (*aligned.notes, *notes))


def _between(pairs: Pairs, systems: Collection[str]) -> Pairs:
    wanted = np.array([name in systems for name in pairs.systems])
    return pairs.take(np.flatnonzero(wanted[pairs.left] & wanted[pairs.right]))


def parse_question(
    statistic: str, level: str, *, unit: str | None, average: str, significance: str | None
) -> tuple[Statistic, str | None]:
    """The statistic and the test that are asked for, refused where they do not go together."""
    wanted = parse_statistic(statistic, level, unit=unit, average=average)
    return wanted, _test_of(significance, wanted)


def _test_of(significance: str | None, wanted: Statistic) -> str | None:
    if significance is None or significance == "none":
        return None
    if significance == "auto":
        return "williams" if wanted.name == "pearson" and wanted.average == "none" else "bootstrap"
    if significance not in TESTS:
        raise UnknownName("test", significance, (*TESTS, "none"))
    if significance == "williams" and (wanted.name != "pearson" or wanted.average != "none"):
        raise UsageError("Williams' test is for Pearson's r over all systems or outputs. Use the bootstrap.")
    if significance.startswith("perm-") and not wanted.is_correlation:
        raise UsageError(f"Permutation tests are for correlations, not for {wanted.name}. Use the bootstrap.")
    return significance


def _significance(
    test: str | None,
    wanted: Statistic,
    found: _Found,
    resampled: Resampled,
    absolute: bool,
    alpha: float,
    confidence: float,
    draws: Draws,
) -> tuple[Floats | None, NDArray[np.bool_] | None]:
    """P-values that the row's metric is no better than the column's, and which metric (row) beats which.

    None where there was no test, or it has nothing to say of any two metrics, as Williams' of three systems.
    """
    if test is None:
        return None, None
    if test == "overlap":
        intervals = resampled.intervals(confidence)
        bounded = sum(not np.isnan(interval.low) for interval in intervals)
        return None, separate(intervals) if bounded > 1 else None
    if test == "williams":
        p = williams_matrix(found.human, found.metrics, absolute=absolute)
    elif test == "bootstrap":
        p = _bootstrap_p(resampled, alpha)
    else:
        if found.segments is None or found.gold is None:
            raise UsageError(f"{test} needs segment scores of all metrics.")
        if absolute:
            raise UsageError(f"{test} compares correlations with their signs; leave out --absolute.")
        level = "system" if wanted.level == "sys" else "segment" if wanted.average == "item" else "global"
        p = permutation_test(found.gold, found.segments, kind=test, statistic=wanted.name, level=level, **draws).p_value
    if np.isnan(p[~np.eye(len(p), dtype=bool)]).all():
        return None, None
    return p, outperforms(p, alpha, scores=resampled.values)


def _bootstrap_p(resampled: Resampled, alpha: float) -> Floats:
    """How often the row's metric is not better than the column's on the same resample; one added on both sides.

    NaN where a difference is undefined on so many resamples that they could decide, and for a single unit to draw.
    """
    count = len(resampled.values)
    p = np.full((count, count), np.nan)
    for i in range(count):
        difference = resampled.samples[i] - resampled.samples
        defined = ~np.isnan(difference)
        with np.errstate(invalid="ignore"):
            hits = ((difference <= 0) & defined).sum(1)
        enough = (defined.mean(1) > 1 - alpha) & (resampled.n > 1)
        p[i] = np.where(enough, (1 + hits) / (1 + defined.sum(1)), np.nan)
    return p


def _without_outliers(wanted: Statistic, found: _Found, absolute: bool) -> tuple[tuple[str, ...], Floats | None]:
    """Outlying systems, and correlations without them; None where the statistic is no correlation."""
    if not wanted.is_correlation:
        return (), None
    outlying = mad_outliers(found.human)
    names = tuple(name for name, out in zip(found.systems, outlying, strict=True) if out)
    return names, _sized(wanted, absolute)(found.metrics[:, ~outlying], found.human[~outlying])


def _curves(wanted: Statistic, found: _Found, absolute: bool) -> tuple[tuple[tuple[int, float, float], ...], ...]:
    if wanted.level != "sys" or not wanted.is_correlation:
        raise UsageError("Curves over the N best systems are for correlations at system level.")
    function = _sized(wanted, absolute)
    return tuple(tuple(top_n(found.human, row, function)) for row in found.metrics)


def _sized(wanted: Statistic, absolute: bool) -> Correlation:
    function = CORRELATIONS[wanted.name]
    return (lambda x, y: np.abs(function(x, y))) if absolute else function


def _quality(wanted: Statistic, found: _Found, absolute: bool) -> tuple[tuple[tuple[int, int, float], ...], ...]:
    if wanted.level != "seg" or not wanted.is_correlation or wanted.average != "none":
        raise UsageError("Levels of quality are for correlations of outputs: --level seg --stat pearson.")
    of = quality_levels(found.human, LEVELS)
    function = _sized(wanted, absolute)
    by_level = [
        (level, int((of == level).sum()), function(found.metrics[:, of == level], found.human[of == level]))
        for level in range(1, LEVELS + 1)
    ]
    return tuple(
        tuple((level, n, float(values[i])) for level, n, values in by_level) for i in range(len(found.metrics))
    )
