"""What the report on one system has beside scores: what checks find, and which names it loses and invents."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...comparison_report.layers import Layer
from ...errors import TercetError
from ...text.explanations import Seen, Span, Spans

if TYPE_CHECKING:
    from ...data.testset import TestSet

log = logging.getLogger(__name__)
FOUND, NAMES = "finding", "names"
NOTHING = "nothing found"


def examined(testset: TestSet) -> tuple[TestSet, list[Layer]]:
    """Return a test set of one system with labels that say what was found, and a layer that marks its names."""
    from ...checking.triage import triage

    if testset.source is None:
        return testset, []
    [outputs] = testset.outputs.values()
    found = sorted(triage(testset.source, outputs, pair=testset.pair).segments, key=lambda each: each.segment)
    findings = [each.findings[0].kind if each.findings else NOTHING for each in found]
    names, layers = _names(testset)
    labels = {**testset.labels, FOUND: findings, **({NAMES: names} if layers else {})}
    return replace(testset, labels=labels), layers


def _names(testset: TestSet) -> tuple[Sequence[str], list[Layer]]:
    from ..entities import entities

    try:
        report = entities(testset)
    except TercetError as error:
        log.info("Names are not examined: %s", error)
        return [], []
    sides: dict[int, tuple[list[Span], list[Span]]] = defaultdict(lambda: ([], []))
    kinds = [NOTHING] * len(testset)
    for each in report.findings:
        span = Span(each.start, each.end, 0.0, f"{each.kind}: {each.category}, {each.confidence:.0%} sure")
        sides[each.line - 1][each.kind == "lost"].append(span)
        kinds[each.line - 1] = each.kind
    rows = sorted(sides)
    seen = [[Seen(parts=[Spans(sorted(sides[row][0]), sorted(sides[row][1]))])] for row in rows]
    return kinds, [Layer(NAMES, ("", "", "lost or invented"), rows, seen)] if rows else []
