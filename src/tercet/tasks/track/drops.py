"""`tercet track gate`: does the newest run score worse than earlier ones? With a bound on the false alarms of a year.

Each test is one-sided, by the jackknife's standard error of the paired difference over segments (Efron and Tibshirani
1993, "An Introduction to the Bootstrap", chapter 11). Every run may spend `alpha` / `looks` on its tests, which share
it equally. By the union bound the probability of any false alarm in `looks` consecutive runs is at most alpha, however
the runs depend on each other, and a run may be tested again at no cost.

A drop that stays is sought by windows: the last 1, 3 and 7 runs together against the runs before them. Counts add, so
the mean of the counts of several runs is scored as one system. Where most outputs are those of the run before, the
difference from that run varies least: so it is a test, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import erfc, isnan, nan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ...data.scores import Scores
from ...errors import UsageError
from ...options import takes
from ...stats.resampling import check_share, evaluate
from ...types import Floats
from . import AGAINST, KEPT, Gating
from . import ALPHA as ALPHA
from . import LOOKS as LOOKS
from .runs import by_signature, comparable, difference

if TYPE_CHECKING:
    from .history import History
    from .runs import Run

WINDOWS = (1, 3, 7)
TESTS = len(WINDOWS) + 1  # of a metric against earlier runs
FEWEST = 50  # segments; below, the normal approximation is too rough so far out in the tail
POWER = 0.8


@dataclass(frozen=True)
class GateTest:
    """A test of a gate. window: of newest runs. level: it fails below. detectable: drop found with 80 % power."""

    metric: str
    against: str
    window: int
    score: float
    old: float
    p_value: float
    level: float
    detectable: float

    @property
    def failed(self) -> bool:
        return self.p_value < self.level

    @property
    def message(self) -> str:
        """The verdict in a sentence."""
        runs = "the run is" if self.window == 1 else f"the last {self.window} runs together are"
        says = "worse than" if self.failed else "not significantly worse than"
        return (
            f"{self.metric}: {runs} {says} {self.against}: {self.score:.4g} against {self.old:.4g} "
            f"({self.score - self.old:+.4g}, p = {self.p_value:.2g}, level {self.level:.2g}; finds drops from "
            f"{self.detectable:.2g})."
        )


@dataclass(frozen=True)
class GateResult:
    """The verdict on a run: its tests, and whether any of them fails."""

    run: int
    tests: tuple[GateTest, ...]
    alpha: float
    looks: int

    @property
    def failed(self) -> bool:
        return any(test.failed for test in self.tests)

    def to_dict(self) -> dict[str, object]:
        """Return the verdict and the tests."""
        tests = [asdict(test) | {"failed": test.failed, "message": test.message} for test in self.tests]
        return {"run": self.run, "failed": self.failed, "alpha": self.alpha, "looks": self.looks, "tests": tests}


@takes(Gating)
def gate(
    history: History, run: int | str = "last", *, tags: Mapping[str, str] | None = None, options: Gating
) -> GateResult:
    """Test whether a run is worse than earlier runs on the same test set. tags: of the runs that count."""
    against, alpha, looks = options.against, options.alpha, options.looks
    check_share("The rate of false alarms", alpha)
    known = history.runs(tags=tags)
    new = history.find(run, known)
    before = [each for each in known if (each.time, each.number) < (new.time, new.number)]
    alike = [each for each in before if (options.any_system or each.system == new.system) and not difference(new, each)]
    special = against in (AGAINST, "last", "best")
    named = None if special else history.find(against, history.runs())
    if not alike and named is None:
        return GateResult(new.number, (), alpha, looks)  # the first run: nothing to compare with
    if new.segments < FEWEST:
        raise UsageError(f"A gate needs {FEWEST} segments or more; run {new.number} has {new.segments}.")
    items = history.joined(new, metrics=options.metrics)
    items = [item for item in items if item.higher_is_better is not None or options.metrics]
    if undirected := [item.label for item in items if item.higher_is_better is None]:
        raise UsageError(f"No direction of {undirected[0]} is better, so it cannot drop.")
    loaded: dict[int, dict[str, Scores]] = {}

    def mean_of(runs: Sequence[Run], like: Scores) -> Scores:
        counts = []
        for each in runs:
            if each.number not in loaded:
                loaded[each.number] = by_signature(history.load(each))
            found = loaded[each.number].get(comparable(like.signature))
            if found is None:
                raise UsageError(f"Run {each.number} has no segment scores by {like.signature}.")
            counts.append(next(iter(found.counts.values())))
        return pooled(counts, like)

    tests: list[GateTest] = []
    for item in items:
        level = alpha / looks / len(items)
        key = comparable(item.signature)
        usable = [each for each in alike if any(comparable(row.signature) == key for row in each.scores)]
        if named is not None:
            choices = [([new], [named], f"run {named.number}", level)]
        elif not usable:
            continue
        elif against == "last":
            choices = [([new], usable[-1:], f"run {usable[-1].number}", level)]
        elif against == "best":
            best = max(usable, key=lambda each: _gain(each, item))
            choices = [([new], [best], f"run {best.number}, the best of {len(usable)}", level / len(usable))]
        else:
            share, runs = level / TESTS, [*usable, new]
            choices = [
                (runs[start:], runs[first:start], _mean_of(runs[first:start]), share)
                for first, start in windows(len(usable), options.kept)
            ]
        for newest, old, title, share in choices:
            both = mean_of(newest, item), mean_of(old, item)
            tests.append(drop_test(*both, level=share, against=title, window=len(newest), margin=options.margin))
    return GateResult(new.number, tuple(tests), alpha, looks)


def windows(earlier: int, kept: int = KEPT) -> list[tuple[int, int]]:
    """Return where the tests of a run with so many earlier ones begin: the first of the old runs, and of the new."""
    starts = [start for size in WINDOWS if (start := earlier + 1 - size) > 0]
    return [(max(0, start - kept), start) for start in starts] + [(earlier - 1, earlier)] * (earlier > 1)


def _mean_of(runs: Sequence[Run]) -> str:
    if len(runs) == 1:
        return f"run {runs[0].number}"
    return f"the {len(runs)} runs from {runs[0].number} to {runs[-1].number}"


def _gain(run: Run, item: Scores) -> float:
    key = comparable(item.signature)
    score = next(row.score for row in run.scores if comparable(row.signature) == key)
    return -np.inf if isnan(score) else score if item.higher_is_better else -score


def pooled(counts: Sequence[Floats], like: Scores) -> Scores:
    """Return the scores of several runs as those of one system: by the means of their counts."""
    mean = np.mean(counts, axis=0) if len(counts) > 1 else counts[0]
    total = mean.sum(0)
    value = float(like.metric.score(total))
    return replace(like, system={"": value}, counts={"": mean}, segment={}, totals={"": total})


def drop_test(
    new: Scores, old: Scores, *, level: float, against: str = "", window: int = 1, margin: float = 0.0
) -> GateTest:
    """Test whether a run, or the mean of several, is worse than another by more than the margin."""
    change, error = paired_error(new, old)
    loss = -change if new.higher_is_better else change
    p_value = upper_tail((loss - margin) / error) if error > 0 else (0.0 if loss > margin else 1.0)
    detectable = margin + (NormalDist().inv_cdf(1 - level) + NormalDist().inv_cdf(POWER)) * error
    return GateTest(new.label, against, window, new.system[""], old.system[""], p_value, level, detectable)


def upper_tail(z: float) -> float:
    """Return P(Z > z) of a standard normal variable, exact far out where 1 - cdf is not."""
    return nan if isnan(z) else erfc(z / sqrt(2)) / 2


def paired_error(new: Scores, old: Scores | None = None) -> tuple[float, float]:
    """Return a score, or its difference from another one on the same segments, and its jackknife standard error."""
    values, whole = _without_each(new)
    if old is not None:
        others, other = _without_each(old)
        values, whole = values - others, whole - other
    n = len(values)
    spread = float(np.square(values - values.mean()).sum()) if n else nan
    error = sqrt((n - 1) / n * spread) if n > 1 else nan
    noise = 1e-9 * max(1.0, abs(next(iter(new.system.values()))))
    return whole, 0.0 if error < noise else error  # rounding alone


def _without_each(item: Scores) -> tuple[Floats, float]:
    """Return the corpus score without each of the segments in turn, and that of all."""
    counts = next(iter(item.counts.values()))
    total = counts.sum(0)
    parts = [
        evaluate(item.metric.score, total - counts[first : first + 65536]) for first in range(0, len(counts), 65536)
    ]
    return np.concatenate(parts), float(evaluate(item.metric.score, total[np.newaxis])[0])


def standard_error(item: Scores) -> float | None:
    """Return the standard error of the score of the only system."""
    error = paired_error(item)[1]
    return None if isnan(error) else error


def change_between(new: Scores, old: Scores) -> float | None:
    """Return the two-sided p-value of the difference between two runs by one metric."""
    change, error = paired_error(new, old)
    p_value = 2 * upper_tail(abs(change) / error) if error > 0 else 1.0 if change == 0 else 0.0
    return None if isnan(p_value) else p_value
