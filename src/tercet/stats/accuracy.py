"""Accuracy on pairs: how often a metric orders two items as the gold scores do, with ties and with doubts.

- `pairwise_accuracy` of systems: Kocmi et al. (2021), "To Ship or Not to Ship: An Extensive Evaluation of Automatic
  Metrics for Machine Translation", WMT.
- `accuracy_with_ties` of segments and `calibrate_ties`: Deutsch, Foster and Freitag (2023), "Ties Matter:
  Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration", EMNLP.
- `soft_pairwise_accuracy` and `paired_p_values`: Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving
  Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise Accuracy", WMT.

Gold scores and metrics are both numbers of which higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from .correlation_bootstrap import Resampled
from .resampling import SEED, TOLERANCE, Floats, batch_rows, check_draws, draw_weights, exact_columns, swapped_sums
from .tau import signs

AVERAGES = ("none", "item", "system")
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
_Steps = tuple[Floats, NDArray[Any]]  # differences of a metric, and what changes if ties are made up to each

_BATCH = 2**20  # pairs that are compared at once, about 100 MB
_SORTED = 2**22  # pairs that are sorted at once, about 300 MB


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy that a metric reaches if differences up to epsilon are ties."""

    accuracy: float
    epsilon: float
    average: str
    pairs: int
    groups: int  # items or systems that the accuracy is the mean of; 1 without averaging


def pairwise_accuracy(gold: ArrayLike, metric: ArrayLike) -> Floats:
    """The share of pairs of systems with the same sign of the difference, shapes (n,) and (..., n) -> (...).

    The paper's formula and mt-metrics-eval agree on ties: a difference of 0 has a sign of its own, so a pair that
    both see as tied is right, one that only one of them does is wrong, and all pairs count. NaN with missing numbers
    or fewer than two systems.
    """
    return _mean_of_pairs(agreement_of_pairs(gold, metric))


def agreement_of_pairs(gold: ArrayLike, metric: ArrayLike) -> Floats:
    """Whether gold scores and metric order two systems alike, 1 or 0, shapes (n,) and (..., n) -> (..., n, n)."""
    people, said = np.asarray(gold, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if people.ndim != 1 or said.shape[-1:] != people.shape:
        raise UsageError(f"A metric of shape {said.shape} does not go with gold scores of shape {people.shape}.")
    one, other = signs(people[:, np.newaxis], people), signs(said[..., np.newaxis], said[..., np.newaxis, :])
    return np.where(np.isnan(one) | np.isnan(other), np.nan, one == other)


def resample_agreement(agreement: ArrayLike, *, resamples: int = 1000, seed: int = SEED) -> Resampled:
    """Mean agreement over pairs of systems, on all systems and on resamples of them; shape (metrics, n, n).

    For pairwise accuracy the agreement of a pair is 1 or 0, for soft pairwise accuracy 1 - the difference of p-values.
    Only entries [i, j] with i < j are read. A system that is drawn twice is no pair with itself.
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
    """Over entries above the diagonal, shape (..., n, n) -> (...)."""
    left, right = np.triu_indices(matrices.shape[-1], 1)
    if not len(left):
        return np.full(matrices.shape[:-2], np.nan)
    return np.asarray(matrices[..., left, right].mean(-1))


def accuracy_with_ties(gold: ArrayLike, metric: ArrayLike, *, epsilon: float = 0.0, average: str = "item") -> float:
    """acc_eq: the share of pairs that are ordered, or tied, as in the gold scores; shapes (systems, segments).

    The metric is tied where the difference is at most epsilon. Pairs are those of the same segment (`item`, as in the
    WMT metrics tasks since 2023) or of the same system (`system`), with the plain mean over segments or systems that
    have a pair, or all pairs of outputs (`none`). A NaN in gold is an output without a judgement, which is left out;
    a NaN of the metric where there is a judgement makes the result NaN.
    """
    return _Groups.of(gold, metric, average).accuracy(_check_epsilon(epsilon))


def accuracy_by_group(
    gold: ArrayLike, metric: ArrayLike, *, epsilon: float = 0.0, average: str = "item"
) -> tuple[Integers, Integers]:
    """How many pairs are right in each group, and how many there are, shape (groups,): what a bootstrap draws from.

    Groups are segments (`item`), systems, or all outputs together. Otherwise as `accuracy_with_ties`; the caller sees
    to metrics without a score for an output that was judged.
    """
    groups = _Groups.of(gold, metric, average)
    return groups.right(_check_epsilon(epsilon)), groups.pairs


def calibrate_ties(gold: ArrayLike, metric: ArrayLike, *, average: str = "item") -> Calibrated:
    """The best accuracy over all epsilons and the smallest epsilon that reaches it; otherwise as `accuracy_with_ties`.

    Exact: every difference that occurs is tried, and 0, and accuracies are compared as whole numbers. Of several best
    epsilons mt-metrics-eval takes the smallest too, but it compares sums of rounded fractions, and by default looks at
    a random tenth of the pairs.
    """
    groups = _Groups.of(gold, metric, average)
    total, count = int(groups.pairs.sum()), int(np.count_nonzero(groups.pairs))
    if not total or groups.undefined:
        return Calibrated(float("nan"), float("nan"), average, total, count)
    weights = groups.weights
    gained, most, epsilon = 0, 0, 0.0  # by ties: so far, and where it is the most
    # Range after range: all pairs at once would not fit into memory if there are hundreds of millions.
    for low, high in pairwise(groups.edges()):
        differences, changes = _merge([_steps(pairs, weights, low, high) for pairs in groups.batches(low, high)])
        if len(differences):
            reached = gained + changes.cumsum()
            place = int(np.argmax(reached))
            if reached[place] > most:
                most, epsilon = reached[place], float(differences[place])
            gained = reached[-1]
    return Calibrated(groups.accuracy(epsilon), epsilon, average, total, count)


def soft_pairwise_accuracy(gold_p: ArrayLike, metric_p: ArrayLike) -> float:
    """1 - the mean difference of p-values, over pairs of systems; shapes (systems, systems).

    The entry [i, j] is the one-sided p-value for system i being better than system j. Only those with i < j are read,
    as in the authors' program. NaN with fewer than two systems or with missing p-values.
    """
    people, said = np.asarray(gold_p, dtype=np.float64), np.asarray(metric_p, dtype=np.float64)
    if people.ndim != 2 or people.shape[0] != people.shape[1] or people.shape != said.shape:
        raise UsageError(f"P-values must be two equal squares, not of the shapes {people.shape} and {said.shape}.")
    return float(_mean_of_pairs(1 - np.abs(people - said)))


def paired_p_values(scores: ArrayLike, *, resamples: int = 1000, seed: int = SEED) -> Floats:
    """One-sided permutation tests of all pairs of systems, shape (systems, segments) -> (systems, systems).

    The entry [i, j] says how often the sum of system i exceeds that of j by at least as much as it does, if the two
    exchange each segment's score with probability 1/2. As in the authors' program, all pairs share the exchanges.
    Unlike there, sums are exact and not in single precision, equal differences count as equal whatever their last
    digit, one is added on both sides (Phipson and Smyth 2010, "Permutation P-values Should Never Be Zero"), both
    directions are filled in, and a system compared with itself has p = 1. NaN for a system with a missing score.
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
            # Chosen segments stay and the others are exchanged: the new difference is 2 * (chosen_i - chosen_j) -
            # (total_i - total_j), and is at least the old one if chosen_i - chosen_j is.
            kept = chosen[:, :, 0]
            for system, bounds in enumerate(bound):
                extreme[system] += np.count_nonzero(kept[:, system, np.newaxis] - kept >= bounds, axis=0)
    return np.where(np.isnan(difference), np.nan, (extreme + 1) / (resamples + 1))


def _check_epsilon(epsilon: float) -> float:
    if not epsilon >= 0:
        raise UsageError(f"Epsilon must not be negative, but it is {epsilon!r}.")
    return epsilon


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Some pairs of outputs of the same group."""

    group: Integers
    tied: Bools  # in the gold scores
    same: Bools  # the metric's sign is that of the gold scores
    difference: Floats  # of the metric, absolute


@dataclass(frozen=True, eq=False)
class _Groups:
    """Outputs in groups within which they are compared; those without a judgement are NaN in gold."""

    gold: Floats  # (groups, members)
    metric: Floats
    pairs: Integers  # (groups,)
    undefined: bool  # the metric lacks a score where there is a judgement

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
        """The least number that the numbers of pairs of all groups divide."""
        return math.lcm(*(int(pairs) for pairs in np.unique(self.pairs) if pairs))

    @property
    def weights(self) -> NDArray[Any]:
        """What a pair of each group is worth, as whole numbers, so that equal means are equal exactly."""
        common = self.common
        exact = [common // int(pairs) if pairs else 0 for pairs in self.pairs]
        # Python's own numbers, which are slower, where those of the machine are too small.
        return np.array(exact, dtype=np.int64 if common * len(exact) < 2**62 else object)

    def accuracy(self, epsilon: float) -> float:
        """The mean over groups that have a pair."""
        count = int(np.count_nonzero(self.pairs))
        if not count or self.undefined:
            return float("nan")
        return int((self.weights * self.right(epsilon)).sum()) / (self.common * count)

    def right(self, epsilon: float) -> Integers:
        """How many pairs of each group are right."""
        right = np.zeros(len(self.pairs), dtype=np.int64)
        for pairs in self.batches():
            correct = np.where(pairs.difference <= epsilon, pairs.tied, pairs.same)
            right += np.bincount(pairs.group[correct], minlength=len(right))
        return right

    def batches(self, low: float = -1.0, high: float = np.inf) -> Iterator[_Pairs]:
        """All pairs whose difference is in (low, high], and maybe others: of some groups at a time, or of one."""
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
        """Some members at a time. With members in the metric's order, the partners of each stand together."""
        judged = np.flatnonzero(~np.isnan(self.gold[group]))
        order = judged[np.argsort(self.metric[group, judged])]
        gold, metric = self.gold[group : group + 1, order], self.metric[group : group + 1, order]
        values, n = metric[0], len(order)
        slack = TOLERANCE * np.abs(values[np.isfinite(values)]).max(initial=0.0)  # sums are rounded, differences too
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
        """Bounds between differences of the metric, from 0 upwards, with at most about `_SORTED` pairs in between."""
        parts = -(-int(self.pairs.sum()) // _SORTED)
        if parts == 1:
            return [0.0, np.inf]
        rng = np.random.default_rng(SEED)  # has no influence on results, only on how evenly the work is cut
        groups = rng.integers(0, len(self.metric), 2**14)
        members = rng.integers(0, self.metric.shape[1], (2, 2**14))
        with np.errstate(invalid="ignore"):
            sample = np.abs(self.metric[groups, members[0]] - self.metric[groups, members[1]])
        sample = sample[(sample > 0) & np.isfinite(sample)]
        inner = np.quantile(sample, np.arange(1, parts) / parts) if len(sample) else []
        return [0.0, *np.unique(inner), np.inf]


def _compare(numbers: Integers, gold: Floats, metric: Floats, left: Integers, right: Integers) -> _Pairs:
    """Members `left` with members `right` of some groups, shape (groups, members), where both have a judgement."""
    one, other = gold[:, left].ravel(), gold[:, right].ravel()
    said, other_said = metric[:, left].ravel(), metric[:, right].ravel()
    judged = ~(np.isnan(one) | np.isnan(other))
    if not judged.all():
        numbers, one, other = numbers[judged], one[judged], other[judged]
        said, other_said = said[judged], other_said[judged]
    people = signs(one, other)
    with np.errstate(invalid="ignore"):  # two infinite scores are equal, and then already a tie
        return _Pairs(numbers, people == 0, signs(said, other_said) == people, np.abs(said - other_said))


def _steps(pairs: _Pairs, weights: NDArray[Any], low: float, high: float) -> _Steps:
    """Differences in (low, high] at which ties change something, ascending, and what each changes.

    A pair that is tied in gold becomes right, one in the right order becomes wrong; others stay as they are, and so do
    all that the metric has tied already.
    """
    gain = pairs.tied.astype(np.int64) - pairs.same
    used = (gain != 0) & (pairs.difference > low) & (pairs.difference <= high)
    return _sum_by_difference(pairs.difference[used], weights[pairs.group[used]] * gain[used])


def _merge(steps: list[_Steps]) -> _Steps:
    """The steps of several batches as one."""
    if len(steps) == 1:
        return steps[0]
    if not steps:
        return np.empty(0), np.empty(0)
    return _sum_by_difference(*(np.concatenate(parts) for parts in zip(*steps, strict=True)))


def _sum_by_difference(differences: Floats, changes: NDArray[Any]) -> _Steps:
    """Each difference once, ascending, with the sum of its changes: an epsilon ties all pairs that differ by it."""
    order = np.argsort(differences)
    values, changes = differences[order], changes[order]
    if not len(values):
        return values, changes
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    return values[begins], np.add.reduceat(changes, begins)
