"""Quality control: filters that choose which raters and judgements to keep. A report names everything left out.

Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone": a rater judges some outputs a
second time, unchanged or in a damaged form. A reliable rater scores damaged copies significantly lower than the
originals, by a paired test, and gives an unchanged output about the same score twice. In rankings, a damaged copy is in
the same set as its original, and a reliable rater ranks it below significantly more often than by chance (sign test).
"""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..data.grouping import grouped
from ..data.judgements import Judgement, Judgements, count
from ..errors import UsageError
from ..stats.student import t_below
from ..types import Floats
from .control_items import DAMAGED
from .gold import check_raters, locate, one_kind

log = logging.getLogger(__name__)

ALPHA = 0.05
REPEATS_APART = 0.25  # the largest accepted mean difference of repeats, as a share of the scale


@dataclass(frozen=True)
class ControlReport:
    """The report of a filter. dropped: the reason for each rater left out. items: control items left out, by check."""

    rule: str
    judgements_before: int
    judgements_after: int
    dropped: Mapping[str, str]
    items: Mapping[str, int]

    def __str__(self) -> str:
        lines = [f"{self.rule}: {self.judgements_after} of {self.judgements_before} judgements kept."]
        lines += [f"  rater {rater}: {why}" for rater, why in self.dropped.items()]
        lines += [f"  {number} control items: {check}" for check, number in self.items.items()]
        return "\n".join(lines)


class Filtered(NamedTuple):
    """The judgements that a filter kept, and its report."""

    kept: Judgements
    report: ControlReport


def without_checks(judgements: Judgements, *, keep: tuple[str, ...] = ()) -> Filtered:
    """Leave out control items, except those whose `check` is in `keep` (such as "repeat")."""
    kept = judgements.where(lambda row: not row.check or row.check in keep)
    items = count(row.check for row in judgements.rows if row.check and row.check not in keep)
    return Filtered(kept, ControlReport("without control items", len(judgements), len(kept), {}, items))


def passing_bad_items(judgements: Judgements, *, keep_untested: bool = False) -> Filtered:
    """Keep raters who score damaged outputs (`check` "bad") lower than the originals: p <= ALPHA, one-sided.

    By the paired t-test of Graham's published scripts. The original is the same rater's judgement of the same system
    and segment; if there are several, their mean. Raters with fewer than two such pairs cannot be tested and are left
    out, unless keep_untested is true.

    In rankings, the damaged copy must be ranked below its original: an exact sign test, in which a tie counts against
    the rater. Raters with so few rankings that no result could be significant (4 or fewer) cannot be tested.
    """
    if "rank" in judgements.kinds:
        dropped = _not_ranked_below(judgements, keep_untested=keep_untested)
        return _without_raters(judgements, dropped, f"damaged outputs ranked lower (sign test, p <= {ALPHA:g})")
    dropped = {}
    for rater, (original, bad) in paired(judgements, "bad").items():
        difference, n = bad - original, len(bad)
        if n < 2:
            if not keep_untested:
                dropped[rater] = f"{n} damaged outputs judged with the originals; at least 2 are needed."
        elif (p := p_lower(difference)) > ALPHA:
            mean = f"{difference.mean():+.3g}"
            dropped[rater] = f"damaged outputs not scored lower: mean difference {mean} over {n}, p = {p:.3g}."
    return _without_raters(judgements, dropped, f"damaged outputs scored lower (paired t, p <= {ALPHA:g})")


def _not_ranked_below(judgements: Judgements, *, keep_untested: bool) -> dict[str, str]:
    """Return the reason for each rater who does not rank damaged copies below their originals."""
    fewest = math.ceil(-math.log2(ALPHA))
    dropped = {}
    for rater, below in ranked_below(judgements).items():
        n, right = len(below), sum(below)
        p = sum(math.comb(n, k) for k in range(right, n + 1)) / 2**n
        if n < fewest:
            if not keep_untested:
                dropped[rater] = f"{n} damaged outputs ranked with the originals; at least {fewest} are needed."
        elif p > ALPHA:
            dropped[rater] = f"damaged outputs ranked below the originals in {right} of {n} rankings, p = {p:.3g}."
    return dropped


def ranked_below(judgements: Judgements) -> dict[str, list[bool]]:
    """Return, by rater, whether each damaged copy in a ranking is ranked below its original; a tie is not below."""
    check_raters(judgements, "Quality control")
    tasks: dict[tuple[str, str], dict[str, float]] = {}
    for row in judgements.rows:
        if row.kind == "rank" and row.check == "bad":
            tasks.setdefault((row.rater, row.task), {})[row.system] = row.value
    found: dict[str, list[bool]] = {rater: [] for rater in judgements.raters}
    for (rater, _), ranks in tasks.items():
        copies = [system for system in ranks if system.removesuffix(DAMAGED) in ranks.keys() - {system}]
        found[rater] += [ranks[system] > ranks[system.removesuffix(DAMAGED)] for system in copies]
    return found


def passing_repeats(judgements: Judgements, *, largest: float, keep_untested: bool = False) -> Filtered:
    """Keep raters whose scores of repeats (`check` "repeat") differ by at most `largest` on average."""
    if not largest >= 0:
        raise UsageError(f"The largest difference of repeats cannot be negative, but is {largest}.")
    dropped = {}
    for rater, (original, again) in paired(judgements, "repeat").items():
        difference = np.abs(again - original)
        if not len(difference):
            if not keep_untested:
                dropped[rater] = "no output was judged twice."
        elif difference.mean() > largest:
            dropped[rater] = f"repeats differ by {difference.mean():.3g} on average over {len(difference)}."
    return _without_raters(judgements, dropped, f"repeats differ by at most {largest:g} on average")


def with_originals(judgements: Judgements) -> Judgements:
    """Leave out control items that copy an output which the same rater did not judge."""
    judged = {_output(row) for row in judgements.rows if not row.check}
    return judgements.where(lambda row: not row.check or _output(row) in judged)


def failed_checks(judgements: Judgements, largest: float) -> dict[str, list[str]]:
    """Return, by rater, descriptions of failed checks. largest: the largest mean difference of repeats."""
    bad = passing_bad_items(judgements, keep_untested=True).report.dropped
    repeats = passing_repeats(judgements, largest=largest, keep_untested=True).report.dropped
    return grouped((*bad.items(), *repeats.items()))


def _output(row: Judgement) -> tuple[str, str, str]:
    return row.rater, row.system, row.segment


def paired(judgements: Judgements, check: str) -> dict[str, tuple[Floats, Floats]]:
    """Return, by rater, the scores of originals and of their copies. Warns about copies without an original."""
    one_kind(judgements)
    check_raters(judgements, "Quality control")
    originals = grouped((_output(row), row.value) for row in judgements.rows if not row.check)
    found: dict[str, list[tuple[float, float]]] = {rater: [] for rater in judgements.raters}
    alone = []
    for row in judgements.rows:
        if row.check == check:
            scores = originals.get(_output(row))
            if scores:
                found[row.rater].append((sum(scores) / len(scores), row.value))
            else:
                alone.append(row)
    if alone:
        first = locate(alone[0], judgements)
        log.warning("%d items of check %r: the rater did not judge the original. First: %s.", len(alone), check, first)
    arrays = {rater: np.array(pairs, dtype=np.float64).reshape(-1, 2) for rater, pairs in found.items()}
    return {rater: (array[:, 0], array[:, 1]) for rater, array in arrays.items()}


def p_lower(difference: Floats) -> float:
    """Return the p-value of the one-sided t-test that differences are below 0; if all are equal, 0 or 1 by sign."""
    spread = float(difference.std(ddof=1))
    if not difference.any():
        return 1.0
    if spread == 0:
        return float(difference[0] > 0)
    return float(t_below(len(difference) - 1, difference.mean() / (spread / np.sqrt(len(difference)))))


def _without_raters(judgements: Judgements, dropped: Mapping[str, str], rule: str) -> Filtered:
    kept = judgements.where(lambda row: row.rater not in dropped)
    return Filtered(kept, ControlReport(rule, len(judgements), len(kept), dropped, {}))
