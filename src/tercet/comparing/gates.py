"""Conditions under which a comparison fails, such as "bleu drops": a gate for continuous integration."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan

from ..data.scores import MetricRecord, find_metric
from ..errors import UsageError
from ..stats import holm
from .results import Comparison, GateVerdict, MetricResult

FORMS = (
    "Write METRIC (or any) drops|rises|worsens, then nothing, significantly, at all, 'by NUMBER' or 'by NUMBER %'; "
    "or METRIC below|above NUMBER (also < and >)."
)
SENTENCE = re.compile(
    r"(?P<metric>\S+)\s+(?:(?P<verb>drops|rises|worsens)(?:\s+(?P<how>significantly|at\s+all))?"
    r"(?:\s+by\s+(?P<by>[^\s%]+)\s*(?P<percent>%)?)?|(?P<limit>below|above|<|>)\s*(?P<value>\S+))",
    re.IGNORECASE,
)
_WRONG_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Gate:
    """A condition under which the command fails.

    metric: may be "any". verb: drops, rises, worsens, below or above. significantly: the change must be significant.
    by: the tolerated change, if given, or with below and above the limit. percent: `by` is a share of the baseline's
    score.
    """

    text: str
    metric: str
    verb: str
    significantly: bool = False
    by: float | None = None
    percent: bool = False

    def check(self, metrics: Sequence[MetricRecord]) -> None:
        """Refuse what cannot be meant: a metric that is not compared, or the verb of an improvement."""
        limits = self.verb in ("below", "above")
        problem = ""
        if self.metric == "any":
            if limits:
                problem = "name a metric, as metrics differ in scale."
            elif self.verb == "rises":
                problem = "write 'any worsens', whichever direction is worse."
        elif (metric := metrics[find_metric(self.metric, metrics)]).higher_is_better is None:
            problem = f"no direction of {metric.label} is better."
        else:
            words = ("higher", "drops", "below") if metric.higher_is_better else ("lower", "rises", "above")
            better, drops, below = words
            write = f"{below} {self.by:g}'" if limits else f"{drops}' or '{self.metric} worsens'"
            if self.verb not in (drops, below, "worsens"):
                problem = f"{better} {metric.label} is better. Write '{self.metric} {write}."
        if problem:
            raise UsageError(f"Condition {self.text!r}: {problem}")

    def verdicts(self, result: Comparison) -> Iterator[GateVerdict]:
        """Yield for every system whether the gate fails, corrected for the comparisons with the baseline."""
        directed = [metric for metric in result.metrics if metric.higher_is_better is not None]
        for metric in directed if self.metric == "any" else (result.metric(self.metric),):
            baseline = result.baseline or metric.systems[0].system
            score = {system.system: system.score for system in metric.systems}
            others = [system for system in score if system != baseline]
            raw = [metric.pair(system, baseline).p_value[result.decisive] for system in others]
            for system, p_value in zip(others, holm(raw).tolist(), strict=True):
                yield self._verdict(metric, result.alpha, system, baseline, score[system], score[baseline], p_value)

    def _verdict(
        self, metric: MetricResult, alpha: float, system: str, baseline: str, score: float, old: float, p_value: float
    ) -> GateVerdict:
        change = score - old
        loss = -change if metric.higher_is_better else change
        against = f"{system} against {baseline}: {metric.name} {score:.4g} against {old:.4g}"
        if self.verb in ("below", "above"):
            needed, facts, numbers = score, f"{system}: {metric.name} {score:.4g}", ""
            limit = self.by or 0.0
            holds = score < limit if self.verb == "below" else score > limit
        else:
            needed, facts = change + (p_value if self.significantly else 0), against
            numbers = f" ({change:+.4g}, corrected p = {p_value:.4f})"
            significant = loss > 0 and p_value < alpha
            if self.percent:
                share = 100 * loss / abs(old) if old else inf if loss > 0 else 0.0
                numbers = f" ({change:+.4g}, {-share if metric.higher_is_better else share:+.2f} %)"
                loss = share
            holds = (significant or not self.significantly) and loss > (self.by or 0)
        message = f"{self.text!r} {'holds' if holds else 'does not hold'} for {facts}{numbers}."
        if isnan(needed):
            holds, message = True, f"{self.text!r} cannot be judged for {facts}, an undefined comparison."
        return GateVerdict(holds, system, metric.metric, message, self.text, baseline, score, old, p_value)


def read_gate(text: str) -> Gate:
    """Return the gate that a sentence means.

    "bleu drops" and "bleu drops significantly": a significant drop. "bleu drops at all": any drop. "bleu drops by 0.5",
    "bleu drops by 1 %": a drop of more than that, significant or not. "bleu below 40": a score under the limit.
    """
    found = SENTENCE.fullmatch(text.strip())
    if not found or ((found["how"] or "").lower().startswith("at") and found["by"]):
        raise UsageError(f"The condition {text!r} is not understood. {FORMS}")
    metric = "any" if found["metric"].lower() == "any" else found["metric"]
    if found["limit"]:
        limit = _number(text, found["limit"], found["value"], least=-inf)
        verb = {"<": "below", ">": "above"}.get(found["limit"], found["limit"].lower())
        return Gate(text, metric, verb, by=limit)
    by = None if found["by"] is None else _number(text, "by", found["by"], least=0)
    how = (found["how"] or "").lower()
    significantly = how == "significantly" or (not how and by is None)
    return Gate(text, metric, found["verb"].lower(), significantly, by, percent=bool(found["percent"]))


def _number(text: str, after: str, written: str, *, least: float) -> float:
    try:
        value = float(written)
    except ValueError:
        value = float("nan")
    if not least <= value < inf:
        what = "a number from 0 is" if least == 0 else "a number is"
        raise UsageError(f"Condition {text!r}: {what} needed after {after!r}, not {written!r}.")
    return value


def junit_xml(verdicts: Sequence[GateVerdict]) -> str:
    """Return verdicts as a report in JUnit's XML form, which GitLab, Jenkins and others show: one test case each."""
    from xml.sax.saxutils import quoteattr

    def attribute(value: str) -> str:
        return quoteattr(_WRONG_IN_XML.sub("\ufffd", value))

    failures = sum(verdict.failed for verdict in verdicts)
    counts = f'tests="{len(verdicts)}" failures="{failures}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {counts}>"]
    lines.append(f'  <testsuite name="tercet compare" {counts} skipped="0">')
    for verdict in verdicts:
        name = attribute(f"{verdict.condition}: {verdict.system} against {verdict.baseline}")
        case = f"    <testcase classname={attribute(f'tercet.compare.{verdict.metric}')} name={name}"
        if not verdict.failed:
            lines.append(f"{case}/>")
            continue
        lines += [f"{case}>", f"      <failure message={attribute(verdict.message)}/>", "    </testcase>"]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"
