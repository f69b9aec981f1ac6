"""Pairwise accuracy: how often a metric orders two items as the gold scores do, with ties and with p-values.

- `pairwise_accuracy` of systems: Kocmi et al. (2021), "To Ship or Not to Ship: An Extensive Evaluation of Automatic
  Metrics for Machine Translation", WMT.
- `accuracy_with_ties` of segments and `calibrate_ties`: Deutsch, Foster and Freitag (2023), "Ties Matter:
  Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration", EMNLP.
- `soft_pairwise_accuracy` and `paired_p_values`: Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving
  Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise Accuracy", WMT.

Higher is better for both gold scores and metrics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from ..types import Floats
from .correlation_bootstrap import Resampled
from .resampling import SEED, TOLERANCE, batch_rows, check_draws, draw_weights, exact_columns, swapped_sums
from .tau import signs

AVERAGES = ("none", "item", "system")
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
_Steps = tuple[Floats, NDArray[Any]]  # metric differences, and the change of accuracy if epsilon reaches each

_BATCH = 2**20  # pairs compared at once, about 100 MB
_SORTED = 2**22  # pairs sorted at once, about 300 MB


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy of a metric when differences up to epsilon count as ties."""

    accuracy: float
    epsilon: float
    average: str
    pairs: int
    groups: int  # number of items or systems averaged; 1 without averaging


def pairwise_accuracy(gold: ArrayLike, metric: ArrayLike) -> Floats:
    """Return the share of system pairs whose difference has the same sign, shapes (n,) and (..., n) -> (...).

    As in the paper, a pair tied in both is correct, and one tied in only one is wrong. NaN if numbers are missing.
    """
    return _mean_of_pairs(agreement_of_pairs(gold, metric))


def agreement_of_pairs(gold: ArrayLike, metric: ArrayLike) -> Floats:
    """Return 1 where gold and metric order two systems alike, else 0; shapes (n,) and (..., n) -> (..., n, n)."""
    people, said = np.asarray(gold, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if people.ndim != 1 or said.shape[-1:] != people.shape:
        raise UsageError(f"A metric of shape {said.shape} does not match gold scores of shape {people.shape}.")
    one, other = signs(people[:, np.newaxis], people), signs(said[..., np.newaxis], said[..., np.newaxis, :])
    return np.where(np.isnan(one) | np.isnan(other), np.nan, one == other)


def resample_agreement(agreement: ArrayLike, *, resamples: int = 1000, seed: int = SEED) -> Resampled:
    """Return the mean agreement over pairs of systems, and the same on resamples of systems.

    `agreement` has shape (metrics, n, n); only entries [i, j] with i < j are read. A system that is resampled twice
    does not form a pair with itself.
    """
    check_draws(resamples, seed)
    values = np.asarray(agreement, dtype=np.float64)
    if values.ndim != 3 or values.shape[1] != values.shape[2]:
        raise UsageError(f"Agreement must have the shape (metrics, systems, systems), not {values.shape}.")
    n = values.shape[1]
    left, right = np.triu_indices(n, 1)
    samples = np.full((len(values), resamples), np.nan)
    done = 0
    for weights in draw_weights(n, resamples, seed=seed, rows=batch_rows(max(len(left), n, 1))) if n > 1 else ():
        pairs = weights[:, left] * weights[:, right]
        with np.errstate(divide="ignore", invalid="ignore"):
            samples[:, done : done + len(pairs)] = values[:, left, right] @ pairs.T / pairs.sum(1)
        done += len(pairs)
    return Resampled(_mean_of_pairs(values), samples, seed, n)


def _mean_of_pairs(matrices: Floats) -> Floats:
    """Return the mean of the entries above the diagonal, shape (..., n, n) -> (...)."""
    left, right = np.triu_indices(matrices.shape[-1], 1)
    if not len(left):
        return np.full(matrices.shape[:-2], np.nan)
    return np.asarray(matrices[..., left, right].mean(-1))


def accuracy_with_ties(gold: ArrayLike, metric: ArrayLike, *, epsilon: float = 0.0, average: str = "item") -> float:
    """Return acc_eq: the share of pairs that are ordered, or tied, as in the gold scores; shapes (systems, segments).

    The metric is tied where the difference is at most epsilon. Pairs are within a segment (average="item", as in the
    WMT metrics tasks since 2023) or within a system ("system"), with the plain mean over segments or systems that have
    a pair; or all pairs of outputs ("none"). NaN in gold marks an output without a judgement, which is left out. NaN of
    the metric where there is a judgement makes the result NaN.
    """
    return _Groups.of(gold, metric, average).accuracy(epsilon)


def accuracy_by_group(
    gold: ArrayLike, metric: ArrayLike, *, epsilon: float = 0.0, average: str = "item"
) -> tuple[Integers, Integers]:
    """Return the number of correct pairs and of all pairs in each group (segment, system or all), for a bootstrap."""
    groups = _Groups.of(gold, metric, average)
    return groups.right(epsilon), groups.pairs


def calibrate_ties(gold: ArrayLike, metric: ArrayLike, *, average: str = "item") -> Calibrated:
    """Return the best accuracy over all epsilons, and the smallest epsilon that reaches it.

    Arguments are as in `accuracy_with_ties`. The result is exact: 0 and every difference that occurs are tried, and
    accuracies are compared as integers. mt-metrics-eval also takes the smallest of several best epsilons, but it
    compares sums of rounded fractions, and by default uses a random tenth of the pairs.
    """
    groups = _Groups.of(gold, metric, average)
    total, count = int(groups.pairs.sum()), int(np.count_nonzero(groups.pairs))
    if not total or groups.undefined:
        return Calibrated(float("nan"), float("nan"), average, total, count)
    weights = groups.weights
    gained, most, epsilon = 0, 0, 0.0  # gain by ties: so far, the largest, and where it is reached
    # One range of differences at a time: hundreds of millions of pairs would not fit into memory.
    for low, high in pairwise(groups.edges()):
        steps = [_steps(pairs, weights, low, high) for pairs in groups.batches(low, high)]
        if not steps:
            continue
        differences, changes = _sum_by_difference(*map(np.concatenate, zip(*steps, strict=True)))
        if len(differences):
            reached = gained + changes.cumsum()
            place = int(np.argmax(reached))
            if reached[place] > most:
                most, epsilon = reached[place], float(differences[place])
            gained = reached[-1]
    return Calibrated(groups.accuracy(epsilon), epsilon, average, total, count)


def soft_pairwise_accuracy(gold_p: ArrayLike, metric_p: ArrayLike) -> float:
    """Return 1 - the mean absolute difference of one-sided p-values over pairs of systems i < j, (systems, systems)."""
    people, said = np.asarray(gold_p, dtype=np.float64), np.asarray(metric_p, dtype=np.float64)
    if people.ndim != 2 or people.shape[0] != people.shape[1] or people.shape != said.shape:
        raise UsageError(f"P-values must be two square matrices of one shape, not {people.shape} and {said.shape}.")
    return float(_mean_of_pairs(1 - np.abs(people - said)))


def paired_p_values(scores: ArrayLike, *, resamples: int = 1000, seed: int = SEED) -> Floats:
    """Return p-values of one-sided permutation tests, shape (systems, segments) -> (systems, systems).

    The entry [i, j] is the share of permutations in which the sum of system i exceeds that of j by at least the
    observed difference, if the two exchange each segment's score with probability 1/2. As in the authors' program, all
    pairs share the permutations. Unlike there, sums are exact instead of single precision, differences that are equal
    up to rounding count as equal, one is added to numerator and denominator (Phipson and Smyth 2010, "Permutation
    P-values Should Never Be Zero"), both directions are filled in, and a system compared with itself has p = 1. Entries
    of a system with a missing score are NaN.
    """
    check_draws(resamples, seed)
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2:
        raise UsageError(f"Scores must have the shape (systems, segments), not {values.shape}.")
    columns = exact_columns(values[:, :, np.newaxis])
    totals = columns.totals[:, 0]
    difference = totals[:, np.newaxis] - totals
    size = np.abs(totals)
    bound = difference - TOLERANCE * np.maximum(size[:, np.newaxis], size)
    extreme = np.zeros(difference.shape, dtype=np.int64)
    with np.errstate(invalid="ignore"):
        for chosen in swapped_sums(columns, trials=resamples, seed=seed):
            # Chosen segments stay, the others are exchanged. The new difference is 2 * (chosen_i - chosen_j) -
            # (total_i - total_j). It is at least the old one if and only if chosen_i - chosen_j is.
            kept = chosen[:, :, 0]
            for system, bounds in enumerate(bound):
                extreme[system] += np.count_nonzero(kept[:, system, np.newaxis] - kept >= bounds, axis=0)
    return np.where(np.isnan(difference), np.nan, (extreme + 1) / (resamples + 1))


class _Pairs(NamedTuple):
    """Pairs of outputs within groups."""

    group: Integers
    tied: Bools  # in the gold scores
    same: Bools  # the metric's sign is that of the gold scores
    difference: Floats  # of the metric, absolute


@dataclass(frozen=True, eq=False)
class _Groups:
    """Outputs in groups; pairs are formed within a group. Outputs without a judgement are NaN in gold."""

    gold: Floats  # (groups, members)
    metric: Floats
    pairs: Integers  # (groups,)
    undefined: bool  # the metric lacks a score of a judged output

    @classmethod
    def of(cls, gold: ArrayLike, metric: ArrayLike, average: str) -> _Groups:
        people, said = np.asarray(gold, dtype=np.float64), np.asarray(metric, dtype=np.float64)
        if people.ndim != 2 or people.shape != said.shape:
            raise UsageError(
                "Gold scores and metric must have the same shape (systems, segments), "
                f"not {people.shape} and {said.shape}."
            )
        if average not in AVERAGES:
            raise UnknownName("way to average", average, AVERAGES)
        if average == "none":
            people, said = people.reshape(1, -1), said.reshape(1, -1)
        elif average == "item":
            people, said = people.T, said.T
        judged = ~np.isnan(people)
        members = judged.sum(1)
        return cls(people, said, members * (members - 1) // 2, bool(np.isnan(said[judged]).any()))

    @property
    def common(self) -> int:
        """The least common multiple of the groups' numbers of pairs."""
        return math.lcm(*(int(pairs) for pairs in np.unique(self.pairs) if pairs))

    @property
    def weights(self) -> NDArray[Any]:
        """The weight of a pair in each group, as integers, so that equal means compare as equal."""
        common = self.common
        exact = [common // int(pairs) if pairs else 0 for pairs in self.pairs]
        # Python integers are slower, and are used only where int64 would overflow.
        return np.array(exact, dtype=np.int64 if common * len(exact) < 2**62 else object)

    def accuracy(self, epsilon: float) -> float:
        count = int(np.count_nonzero(self.pairs))
        if not count or self.undefined:
            return float("nan")
        return int((self.weights * self.right(epsilon)).sum()) / (self.common * count)

    def right(self, epsilon: float) -> Integers:
        if not epsilon >= 0:
            raise UsageError(f"Epsilon must be 0 or more, not {epsilon!r}.")
        right = np.zeros(len(self.pairs), dtype=np.int64)
        for pairs in self.batches():
            correct = np.where(pairs.difference <= epsilon, pairs.tied, pairs.same)
            right += np.bincount(pairs.group[correct], minlength=len(right))
        return right

    def batches(self, low: float = -1.0, high: float = np.inf) -> Iterator[_Pairs]:
        """Yield all pairs whose metric difference is in (low, high], and maybe others, a batch of groups at a time."""
        groups, size = self.gold.shape
        if size * (size - 1) // 2 > _BATCH:
            for group in range(groups):
                yield from self._large_group(group, low, high)
            return
        left, right = np.triu_indices(size, 1)
        rows = max(_BATCH // max(len(left), 1), 1)
        for start in range(0, groups, rows):
            part = slice(start, start + rows)
            numbers = np.repeat(np.arange(groups)[part], len(left))
            yield _compare(numbers, self.gold[part], self.metric[part], left, right)

    def _large_group(self, group: int, low: float, high: float) -> Iterator[_Pairs]:
        """Yield the pairs of one group. Sorted by the metric, the partners of each member are contiguous."""
        judged = np.flatnonzero(~np.isnan(self.gold[group]))
        order = judged[np.argsort(self.metric[group, judged])]
        gold, metric = self.gold[group : group + 1, order], self.metric[group : group + 1, order]
        values, n = metric[0], len(order)
        slack = TOLERANCE * np.abs(values[np.isfinite(values)]).max(initial=0.0)  # allows for rounding
        begin = np.maximum(np.searchsorted(values, values + (low - slack)), np.arange(n) + 1)
        end = np.full(n, n) if high == np.inf else np.searchsorted(values, values + (high + slack), side="right")
        partners = np.maximum(end - begin, 0)
        until = partners.cumsum()
        cuts = np.searchsorted(until, np.arange(_BATCH, int(partners.sum()) + _BATCH, _BATCH)) + 1
        for start, stop in pairwise([0, *np.unique(np.minimum(cuts, n))]):
            few = partners[start:stop]
            left = np.repeat(np.arange(start, stop), few)
            before = few.cumsum() - few  # pairs of this batch that belong to earlier members
            right = np.arange(len(left)) + np.repeat(begin[start:stop] - before, few)
            yield _compare(np.full(len(left), group), gold, metric, left, right)

    def edges(self) -> list[float]:
        """Return bounds of ranges of metric differences, from 0 upwards, with at most about `_SORTED` pairs each."""
        parts = -(-int(self.pairs.sum()) // _SORTED)
        if parts == 1:
            return [0.0, np.inf]
        rng = np.random.default_rng(SEED)  # affects only how evenly the work is divided, not the results
        groups = rng.integers(0, len(self.metric), 2**14)
        members = rng.integers(0, self.metric.shape[1], (2, 2**14))
        with np.errstate(invalid="ignore"):
            sample = np.abs(self.metric[groups, members[0]] - self.metric[groups, members[1]])
        sample = sample[(sample > 0) & np.isfinite(sample)]
        inner = np.quantile(sample, np.arange(1, parts) / parts) if len(sample) else []
        return [0.0, *np.unique(inner), np.inf]


def _compare(numbers: Integers, gold: Floats, metric: Floats, left: Integers, right: Integers) -> _Pairs:
    """Return the pairs of members `left` and `right` in which both have a judgement; arrays (groups, members)."""
    one, other = gold[:, left].ravel(), gold[:, right].ravel()
    said, other_said = metric[:, left].ravel(), metric[:, right].ravel()
    judged = ~(np.isnan(one) | np.isnan(other))
    if not judged.all():
        numbers, one, other = numbers[judged], one[judged], other[judged]
        said, other_said = said[judged], other_said[judged]
    people = signs(one, other)
    with np.errstate(invalid="ignore"):  # two infinite scores are equal and already a tie
        return _Pairs(numbers, people == 0, signs(said, other_said) == people, np.abs(said - other_said))


def _steps(pairs: _Pairs, weights: NDArray[Any], low: float, high: float) -> _Steps:
    """Return the differences in (low, high] at which the accuracy changes, ascending, and the change at each.

    When epsilon reaches its difference, a pair that is tied in gold becomes correct, and a pair in the right order
    becomes wrong. Other pairs do not change, nor do pairs that the metric ties already.
    """
    gain = pairs.tied.astype(np.int64) - pairs.same
    used = (gain != 0) & (pairs.difference > low) & (pairs.difference <= high)
    return _sum_by_difference(pairs.difference[used], weights[pairs.group[used]] * gain[used])


def _sum_by_difference(differences: Floats, changes: NDArray[Any]) -> _Steps:
    """Return the distinct differences, ascending, and for each the sum of its changes."""
    order = np.argsort(differences)
    values, changes = differences[order], changes[order]
    if not len(values):
        return values, changes
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    return values[begins], np.add.reduceat(changes, begins)
