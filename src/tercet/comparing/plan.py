"""The plan of a comparison: its tests, their resamples, its parts; checked before anything is counted."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, log2, nan
from typing import Any

from ..data.names import find_name
from ..errors import UnknownName, UsageError
from ..options.groups import DifferenceTests, SegmentChoice, SegmentGroups
from ..stats.paired import FEW_SEGMENTS, RESAMPLES, is_exact, smallest_p_value
from ..stats.resampling import check_draws, check_share
from .results import decisive_test

log = logging.getLogger(__name__)

TESTS = tuple(RESAMPLES)
BUCKETS = ("length-difference", "score", "quality")
MOST_RESAMPLES = 200_000  # more are made only if the user says so


@dataclass(frozen=True, kw_only=True)
class Plan(SegmentGroups, SegmentChoice, DifferenceTests):
    """What is to be compared and how; refused early, before anything is counted, if it makes no sense.

    raised: tests with more resamples than usual, see `settled`. alone: whether there may be only one system.
    """

    raised: Mapping[str, int] = field(default_factory=dict)
    alone: bool = False

    def check(self) -> None:
        super().check()
        for what in ("tests", "slices", "buckets"):
            object.__setattr__(self, what, tuple(dict.fromkeys(getattr(self, what))))
        if not self.tests:
            raise UsageError(f"A comparison needs a test: {' or '.join(TESTS)}.")
        for test in self.tests:
            if test not in RESAMPLES:
                raise UnknownName("test", test, RESAMPLES)
        for by in self.buckets:
            if by not in BUCKETS:
                raise UnknownName("kind of buckets", by, BUCKETS)
        object.__setattr__(self, "thresholds", _check_thresholds(self.bounds))
        check_draws(min(map(self.resamples_of, self.tests)), self.seed)
        check_share("The significance level", self.alpha)
        check_share("The confidence", self.confidence)

    @property
    def bounds(self) -> Mapping[str, tuple[float, float]]:
        """The thresholds by metric, as pairs of numbers."""
        if isinstance(self.thresholds, Mapping):
            return self.thresholds
        if self.thresholds:
            raise UsageError('`thresholds` must be given by metric, as {"chrf": (40, 60)}.')
        return {}

    @property
    def needs_texts(self) -> bool:
        """Whether segments are chosen or grouped by their texts, which must then be kept."""
        return bool(self.slices or self.buckets or self.segments is not None)

    def for_segments(self, n: int) -> Plan:
        """Return the plan for n segments: if they are few, with the randomisation test, which then decides."""
        if n >= FEW_SEGMENTS or "randomisation" in self.tests:
            return self
        return replace(self, tests=(*self.tests, "randomisation"))

    def with_enough_resamples(self, pairs: int, n: int) -> Plan:
        """Return the plan with more resamples where the usual number cannot give a significant corrected p-value.

        A number that the user gave stays. The test that decides gets twice the number that is just enough, so that one
        resample may be as extreme as the observed difference.
        """
        if self.resamples is not None:
            return self
        raised = {
            test: (2 if test == self.decisive(n) else 1) * pairs / self.alpha
            for test in self.tests
            if pairs * smallest_p_value(test, n, RESAMPLES[test]) >= self.alpha and not is_exact(test, n)
        }
        if max(raised.values(), default=0) > MOST_RESAMPLES:
            return self
        return replace(self, raised={test: ceil(resamples) for test, resamples in raised.items()})

    def decisive(self, n: int) -> str:
        return decisive_test({test: self.resamples_of(test) for test in self.tests}, n)

    @property
    def interval_resamples(self) -> int:
        """Of intervals: those of the bootstrap test; where only randomisation is made, not more than usual."""
        if "bootstrap" in self.tests:
            return self.resamples_of("bootstrap")
        return min(self.resamples_of("randomisation"), RESAMPLES["bootstrap"])

    def resamples_of(self, test: str) -> int:
        return self.raised.get(test, RESAMPLES[test]) if self.resamples is None else self.resamples

    def for_systems(self, systems: Sequence[str], where: str) -> Plan:
        """Return the plan with the baseline as the systems are called. Raises UsageError if they cannot be compared."""
        if len(systems) < 2 - self.alone:
            named = f"only one system, {systems[0]!r}" if systems else "no system"
            raise UsageError(f"{where} has {named}. Two or more are needed for a comparison.")
        return self if self.baseline is None else replace(self, baseline=find_name(self.baseline, systems))

    def settled(self, systems: int, n: int) -> Plan:
        """Return the plan for these systems and segments; warn of an added test, or if nothing can be significant."""
        baseline = self.baseline is not None
        plan = self.for_segments(n).with_enough_resamples(_pairs(systems, baseline), n)
        if plan.tests != self.tests:
            few = "bootstrap: below %d segments its p-values are too small, and there are %d. Randomisation decides."
            log.warning(few, FEW_SEGMENTS, n)
        advice = find_no_hope(systems, n, plan.tests, plan.resamples, plan.alpha, baseline=baseline)
        if advice:
            log.warning("%s", advice)
        return plan


def find_no_hope(
    systems: int, n: int, tests: Sequence[str], resamples: int | None, alpha: float, *, baseline: bool
) -> str | None:
    """Return what to do if the smallest p-value that n segments and the resamples allow cannot be significant."""
    pairs = _pairs(systems, baseline)
    plan = Plan(tests=tests, resamples=resamples, alpha=alpha).for_segments(n).with_enough_resamples(pairs, n)
    test = plan.decisive(n)
    count = plan.resamples_of(test)
    smallest = smallest_p_value(test, n, count)
    if pairs * smallest < alpha:
        return None
    corrected = f" corrected for {pairs} comparisons" if pairs > 1 else ""
    if is_exact(test, n):
        what, needed = f"{n} segment{'s' * (n != 1)}", floor(1 + log2(pairs) - log2(alpha)) + 1
        advice = f"At least {needed} segments are needed"
    else:
        what = f"{count} resamples"
        advice = f"Use at least {ceil(pairs / alpha)} resamples" if pairs / alpha < 1e9 else "No test is so exact"
    hint = "" if baseline or systems == 2 else ", or a baseline"
    return f"{test}: with {what} no p-value{corrected} can fall below {alpha:g}. {advice}{hint}."


def _pairs(systems: int, baseline: bool) -> int:
    """Return the number of comparisons."""
    return systems - 1 if baseline else systems * (systems - 1) // 2


def _check_thresholds(thresholds: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Return thresholds as pairs of rising numbers; raise UsageError for anything else."""
    checked = {}
    for metric, given in thresholds.items():
        try:
            low, high = map(float, given)
        except (TypeError, ValueError):
            low = high = nan
        if not low < high:
            raise UsageError(f"The thresholds of {metric} must be two rising numbers, as 40 and 60, not {given!r}.")
        checked[metric] = (low, high)
    return checked
