"""Conditions under which a comparison fails, such as "bleu drops": a gate for continuous integration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from ..data.scores import MetricRecord, find_metric
from ..errors import UsageError
from ..stats import holm
from .results import Comparison, GateVerdict

SENTENCE = re.compile(r"(\S+)\s+(drops|rises|worsens)(\s+significantly)?(?:\s+by\s+(\S+))?", re.IGNORECASE)


@dataclass(frozen=True)
class Gate:
    """A condition under which the command fails. `metric` may be any; `by` is the tolerated difference, if given."""

    text: str
    metric: str
    verb: str
    significantly: bool
    by: float | None

    @property
    def tests(self) -> bool:
        """Whether it asks for a significant difference."""
        return self.significantly or self.by is None

    def check(self, metrics: Sequence[MetricRecord]) -> None:
        """Refuse what cannot be meant: a metric that is not compared, or the verb of an improvement."""
        if self.metric == "any":
            if self.verb == "rises":
                raise UsageError(f"--fail-if {self.text!r}: write 'any worsens', whichever direction is worse.")
            return
        metric = metrics[find_metric(self.metric, metrics)]
        if metric.higher_is_better is None:
            raise UsageError(f"--fail-if {self.text!r}: no direction of {metric.label} is better.")
        right = "drops" if metric.higher_is_better else "rises"
        if self.verb not in (right, "worsens"):
            better = "higher" if metric.higher_is_better else "lower"
            raise UsageError(
                f"--fail-if {self.text!r}: {better} {metric.label} is better. "
                f"Write '{self.metric} {right}' or '{self.metric} worsens'."
            )

    def verdicts(self, result: Comparison) -> Iterator[GateVerdict]:
        """Yield for every system whether the gate fails against the baseline, with the reason.

        The p-values are corrected for the comparisons with the baseline, as only these matter here.
        """
        directed = [metric for metric in result.metrics if metric.higher_is_better is not None]
        for metric in directed if self.metric == "any" else (result.metric(self.metric),):
            baseline = result.baseline or metric.systems[0].system
            score = {system.system: system.score for system in metric.systems}
            others = [system for system in score if system != baseline]
            raw = [metric.pair(system, baseline).p_value[result.decisive] for system in others]
            for system, p_value in zip(others, holm(raw).tolist(), strict=True):
                change = score[system] - score[baseline]
                facts = f"{system} against {baseline}: {metric.name} {score[system]:.4g} against {score[baseline]:.4g}"
                if isnan(change) or (self.tests and isnan(p_value)):
                    why = f"{self.text!r} cannot be judged for {facts}, an undefined comparison."
                    yield GateVerdict(True, system, metric.metric, why)
                    continue
                loss = -change if metric.higher_is_better else change
                significant = loss > 0 and p_value < result.alpha
                holds = (significant or not self.tests) and (loss > self.by if self.by is not None else True)
                says = "holds" if holds else "does not hold"
                why = f"{self.text!r} {says} for {facts} ({change:+.4g}, corrected p = {p_value:.4f})."
                yield GateVerdict(holds, system, metric.metric, why)


def read_gate(text: str) -> Gate:
    """Return the gate that a sentence means: 'METRIC (or any) drops|rises|worsens [significantly] [by NUMBER]'."""
    found = SENTENCE.fullmatch(text.strip())
    if not found:
        raise UsageError(
            f"--fail-if {text!r} is not understood. "
            "Write METRIC (or any) drops|rises|worsens [significantly] [by NUMBER]."
        )
    metric, verb, significantly, by = found.groups()
    tolerated = None
    if by is not None:
        try:
            tolerated = float(by)
        except ValueError:
            tolerated = -1.0
        if not 0 <= tolerated < float("inf"):
            raise UsageError(f"--fail-if {text!r}: a number from 0 is needed after 'by', not {by!r}.")
    metric = "any" if metric.lower() == "any" else metric
    return Gate(text, metric, verb.lower(), bool(significantly), tolerated)
