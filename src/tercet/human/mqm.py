"""What marked errors cost: MQM scores from spans and weights.

Freitag et al. (2021), "Experts, Errors, and Context": a judgement is worth minus the sum of its errors' weights. A
weight is named `severity[/category[/subcategory]]`; the most specific one that fits counts, whatever the case of
letters. `*` as severity stands for any.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from ..data.judgements import Judgement, Judgements, Span
from ..errors import DataError, UsageError
from .gold import place

GOOGLE: Mapping[str, float] = {
    "Major": 5,
    "Minor": 1,
    "Neutral": 0,
    "Major/Non-translation!": 25,
    "Minor/Fluency/Punctuation": 0.1,
}
# The ratings of WMT23 as published count two categories more as no error.
WMT23: Mapping[str, float] = {**GOOGLE, "*/Source issue": 0, "*/Accuracy/Creative Reinterpretation": 0}

_WEIGHT = re.compile(r"\s*(?P<name>[^:]+?)\s*:\s*(?P<weight>[^\s,:]+)(?:[\s,]+|$)")


def parse_weights(text: str) -> dict[str, float]:
    """Weights from a text such as "Major:5 Minor:1 Minor/Fluency/Punctuation:0.1"."""
    weights: dict[str, float] = {}
    position = 0
    while position < len(text.rstrip()):
        match = _WEIGHT.match(text, position)
        if match is None:
            raise UsageError(f"Weights of errors: {text[position:]!r} is not of the form 'severity[/category]:number'.")
        try:
            weight = float(match["weight"])
        except ValueError:
            weight = math.nan
        if not math.isfinite(weight):
            raise UsageError(
                f"Weights of errors: {match['weight']!r}, the weight of {match['name']!r}, is not a number."
            )
        if match["name"] in weights:
            raise UsageError(f"Weights of errors: {match['name']!r} occurs twice.")
        weights[match["name"]] = weight
        position = match.end()
    if not weights:
        raise UsageError("Weights of errors: none are given.")
    return weights


def weigh(judgements: Judgements, weights: Mapping[str, float] | str = GOOGLE) -> Judgements:
    """MQM judgements with their values: the weights of their errors, summed in order and negated.

    All judgements must be of kind mqm. An error that no weight fits is refused.
    """
    table = parse_weights(weights) if isinstance(weights, str) else weights
    folded = {name.casefold(): float(weight) for name, weight in table.items()}
    if len(folded) != len(table):
        raise UsageError("Weights of errors: two names differ only in the case of letters.")
    known: dict[tuple[str, str], float] = {}
    return replace(judgements, rows=tuple(_weighed(row, folded, known, judgements) for row in judgements.rows))


def _weighed(
    row: Judgement, weights: Mapping[str, float], known: dict[tuple[str, str], float], judgements: Judgements
) -> Judgement:
    if row.kind != "mqm" or row.spans is None:
        raise DataError(
            f"{place(row, judgements)}: a judgement of kind {row.kind} cannot be weighed; marked errors can."
        )
    total = 0.0
    for span in row.spans:
        key = span.severity, span.category
        if key not in known:
            weight = _weight(span, weights)
            if weight is None:
                raise DataError(
                    f"{place(row, judgements)}: no weight for an error of severity {span.severity!r} and category "
                    f"{span.category!r}. Weights are given for {', '.join(weights)}."
                )
            known[key] = weight
        total += known[key]
    return row._replace(value=0.0 - total)  # not -total, which is -0.0 for no errors


def _weight(span: Span, weights: Mapping[str, float]) -> float | None:
    """The most specific weight: longest category first, then the severity itself before any severity."""
    severity = span.severity.casefold()
    parts = [part.strip() for part in span.category.casefold().split("/")] if span.category else []
    for length in range(len(parts), -1, -1):
        for first in (severity, "*"):
            name = "/".join([first, *parts[:length]])
            if name in weights:
                return weights[name]
    return None
