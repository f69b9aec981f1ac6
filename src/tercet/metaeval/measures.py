"""The statistics of agreement between metrics and people, each with the resamples for its interval.

| name | level | computed from |
|---|---|---|
| pearson, spearman, kendall, kendall-c | sys, seg | numbers |
| accuracy | sys, seg | numbers: share of pairs in the right order (Kocmi et al. 2021; ties: Deutsch et al. 2023) |
| accuracy-calibrated | seg | numbers: the same, with ties of the metric calibrated (Deutsch et al. 2023) |
| soft-accuracy | sys | segment scores: agreement of p-values (Thompson et al. 2024) |
| tau:VARIANT | seg | preferences: wmt12, wmt13, wmt14, hties or a table such as 1,0,-1;X,X,X;-1,0,1 |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownName, UsageError
from ..human.pairs import RankedPairs
from ..stats.accuracy import accuracy_by_group, agreement_of_pairs, calibrate_ties, paired_p_values, resample_agreement
from ..stats.correlation import CORRELATIONS, Correlation
from ..stats.correlation_bootstrap import (
    Resampled,
    resample_correlations,
    resample_grouped_pearson,
    resample_judgements,
    resample_ratio,
)
from ..stats.tau import VARIANTS, Tau, signs, tau_columns
from ..types import Floats

Codes = NDArray[np.intp]


class Allowed(NamedTuple):
    """Levels at which a statistic is defined, and the units that can be resampled at each; the first is the default."""

    units: Mapping[str, tuple[str, ...]]
    pairs: bool = False  # computed from preferences, not from numbers


_OF_SYSTEMS = ("systems", "segments", "judgements")
_OF_OUTPUTS = ("outputs", "segments")
STATISTICS: Mapping[str, Allowed] = {
    **{name: Allowed({"sys": _OF_SYSTEMS, "seg": _OF_OUTPUTS}) for name in CORRELATIONS},
    "accuracy": Allowed({"sys": ("systems",), "seg": ("segments",)}),
    "accuracy-calibrated": Allowed({"seg": ("segments",)}),
    "soft-accuracy": Allowed({"sys": ("systems",)}),
    "tau": Allowed({"seg": ("pairs", "segments", "judgements")}, pairs=True),
}
# Ways to average, and the units that are resampled for the mean.
AVERAGES: Mapping[str, tuple[str, ...]] = {"none": (), "item": ("segments",), "system": ("systems",)}
NOISE = 1e-12  # relative to a metric's largest score; smaller differences are rounding, and count as ties


@dataclass(frozen=True)
class Statistic:
    """A valid statistic: its name, for tau its variant, and the unit that is resampled for intervals."""

    name: str
    level: str
    variant: str | None = None
    unit: str = ""
    average: str = "none"

    @property
    def text(self) -> str:
        """The form in which users write it, such as "tau:wmt14"."""
        return f"{self.name}:{self.variant}" if self.variant else self.name

    @property
    def wants_pairs(self) -> bool:
        return STATISTICS[self.name].pairs

    @property
    def is_correlation(self) -> bool:
        return self.name in CORRELATIONS

    def with_variant(self, variant: str) -> Statistic:
        """Return the statistic with this variant of tau, if it is tau and has none."""
        return replace(self, variant=variant) if self.wants_pairs and self.variant is None else self


def parse_statistic(text: str, level: str, *, unit: str | None = None, average: str = "none") -> Statistic:
    """Parse a statistic such as "pearson" or "tau:wmt14". Raise an error if level, unit or averaging do not fit."""
    name, _, variant = text.partition(":")
    if name not in STATISTICS:
        raise UnknownName("statistic", name, STATISTICS)
    if variant and name != "tau":
        raise UsageError(f"{name} has no variants. Only tau has: {', '.join(VARIANTS)}.")
    if variant:
        Tau.parse(variant)
    levels = STATISTICS[name].units
    if level not in ("sys", "seg"):
        raise UnknownName("level", level, ("sys", "seg"))
    if level not in levels:
        raise UsageError(f"{name} is defined at level {' and '.join(levels)}, not {level}.")
    if average not in AVERAGES:
        raise UnknownName("way to average", average, AVERAGES)
    if average != "none" and (level != "seg" or name == "tau"):
        raise UsageError(f"`average` is for correlations and accuracies of segments, not for {name} at level {level}.")
    units = levels[level] if average == "none" else AVERAGES[average]
    if unit is not None and unit not in units:
        mean = "" if average == "none" else f", averaged by {average},"
        raise UsageError(f"For {name} at level {level}{mean} the unit must be one of {', '.join(units)}, not {unit!r}.")
    return Statistic(name, level, variant or None, unit or units[0], average)


class ResampleOptions(TypedDict):
    """The number of resamples and the seed."""

    resamples: int
    seed: int


class SegmentRatings(NamedTuple):
    """Judgements as arrays: value, number of the system, item (averaged first), and unit (resampled together)."""

    values: Floats
    systems: Codes
    items: NDArray[Any]
    units: Codes


class Measured(NamedTuple):
    """Values of all metrics, the same on resamples, and the number of items behind each value."""

    resampled: Resampled
    n: NDArray[np.int_]  # (metrics,)
    epsilon: Floats | None = None

    @property
    def values(self) -> Floats:
        return self.resampled.values


def system_level(
    statistic: Statistic, human: Floats, metrics: Floats, *, human_segments: Floats | None,
    metric_segments: Floats | None, ratings: SegmentRatings | None, draws: ResampleOptions,
) -> Measured:  # fmt: skip
    """Return the statistic of systems: human (systems,), metrics (metrics, systems); segments and ratings if needed."""
    n = np.full(len(metrics), len(human))
    if statistic.name == "accuracy":
        return Measured(resample_agreement(agreement_of_pairs(human, metrics), **draws), n)
    if statistic.name == "soft-accuracy":
        if human_segments is None or metric_segments is None:
            raise UsageError(
                "soft-accuracy needs segment scores of people and of all metrics; see `gold` and `scores`."
            )
        judged = ~np.isnan(human_segments).any(0)
        if not judged.any():
            raise UsageError("soft-accuracy needs segments that were judged for all systems, but there is none.")
        people = paired_p_values(human_segments[:, judged], **draws)
        said = np.stack([paired_p_values(scores[:, judged], **draws) for scores in metric_segments])
        return Measured(resample_agreement(1 - np.abs(said - people), **draws), n)
    if statistic.unit == "judgements":
        if ratings is None:
            raise UsageError("Judgements cannot be resampled: there are none.")
        values, systems, items, units = ratings
        drawn = resample_judgements(statistic.name, values, systems, metrics, items=items, units=units, **draws)
        return Measured(drawn, n)
    if statistic.unit == "segments":
        if metric_segments is None:
            raise UsageError("Segments cannot be resampled: not all metrics have segment scores.")
        gold = human if human_segments is None else human_segments
        return Measured(resample_correlations(statistic.name, gold, metric_segments, unit="segments", **draws), n)
    return Measured(resample_correlations(statistic.name, human, metrics, **draws), n)


def segment_level(statistic: Statistic, human: Floats, metrics: Floats, *, draws: ResampleOptions) -> Measured:
    """Return the statistic of outputs: human (systems, segments), NaN if not judged; metrics with one more axis."""
    judged = ~np.isnan(human)
    if statistic.name.startswith("accuracy"):
        return _accuracy(statistic, human, metrics, draws)
    if statistic.average != "none":
        function = CORRELATIONS[statistic.name]
        by_group = np.stack([_by_group(function, human, scores, statistic.average) for scores in metrics])
        defined = ~np.isnan(by_group)
        # Groups in which all human or all metric scores are equal have no correlation; the mean is over the others.
        columns = np.stack([np.where(defined, by_group, 0.0), defined], axis=-1)
        columns[np.isnan(metrics[:, judged]).any(-1)] = np.nan
        return Measured(resample_ratio(columns, **draws), defined.sum(1))
    items, scores = human[judged], metrics[:, judged]
    n = np.full(len(metrics), len(items))
    if statistic.unit == "segments":
        if statistic.name != "pearson":
            raise UsageError(f"For {statistic.name} of outputs only outputs can be resampled, not segments.")
        segments = np.nonzero(judged)[1]
        return Measured(resample_grouped_pearson(items, scores, segments, **draws), n)
    return Measured(resample_correlations(statistic.name, items, scores, **draws), n)


def _by_group(function: Correlation, human: Floats, scores: Floats, average: str) -> Floats:
    """Return the correlation within each segment (item) or system, over the judged outputs."""
    rows, said = (human.T, scores.T) if average == "item" else (human, scores)
    found = np.full(len(rows), np.nan)
    for i, (row, other) in enumerate(zip(rows, said, strict=True)):
        judged = ~np.isnan(row)
        if judged.sum() > 1:
            found[i] = function(other[judged], row[judged])
    return found


def _accuracy(statistic: Statistic, human: Floats, metrics: Floats, draws: ResampleOptions) -> Measured:
    """Return accuracies. Intervals use the epsilon found on all data: resamples are not calibrated again."""
    epsilons = np.zeros(len(metrics))
    if statistic.name == "accuracy-calibrated":
        epsilons = np.array([calibrate_ties(human, one, average=statistic.average).epsilon for one in metrics])
    counted = [
        accuracy_by_group(human, one, epsilon=0.0 if np.isnan(epsilon) else epsilon, average=statistic.average)
        for one, epsilon in zip(metrics, epsilons, strict=True)
    ]
    pairs = np.array([int(count.sum()) for _, count in counted])
    if statistic.average == "none":
        # Pairs include outputs of different segments, so there is no unit that could be resampled.
        columns = np.array([[[right.sum(), count.sum()]] for right, count in counted], dtype=np.float64)
    else:
        right, counts = (np.array(each) for each in zip(*counted, strict=True))
        shares = np.divide(right, counts, out=np.zeros(right.shape), where=counts > 0)
        columns = np.stack([shares, counts > 0], axis=-1)
    columns[np.isnan(metrics[:, ~np.isnan(human)]).any(-1)] = np.nan
    return Measured(
        resample_ratio(columns, **draws), pairs, epsilons if statistic.name == "accuracy-calibrated" else None
    )


def preference_level(
    statistic: Statistic, pairs: RankedPairs, metrics: Floats, *, draws: ResampleOptions
) -> tuple[Measured, Floats]:
    """Return tau, and the signs of metric differences, (metrics, pairs). metrics: (metrics, systems, segments)."""
    left, right = metrics[:, pairs.left, pairs.segment], metrics[:, pairs.right, pairs.segment]
    noise = NOISE * np.nanmax(np.abs([left, right]), axis=(0, 2), initial=0.0)
    pairwise = zip(left, right, noise.tolist(), strict=True)
    said = np.stack([signs(one, other, tolerance=size) for one, other, size in pairwise])
    tau = Tau.parse(statistic.variant or "wmt14")
    groups = {"pairs": None, "segments": pairs.segment, "judgements": pairs.task}[statistic.unit]
    if groups is not None:  # segments and rankings without a pair are not resampled
        groups = np.unique(groups, return_inverse=True)[1]
    columns = tau_columns(pairs.outcome, said, tau, groups=groups)
    counted = np.nan_to_num(columns[..., 1].sum(-1)).astype(np.int_)
    return Measured(resample_ratio(columns, **draws), counted), said
