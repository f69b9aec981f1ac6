"""MQM scores from marked errors and weights.

Freitag et al. (2021), "Experts, Errors, and Context": the score is minus the sum of the weights of the errors. A weight
is named `severity[/category[/subcategory]]`. The most specific matching weight counts. Upper and lower case are the
same. `*` as severity matches any severity.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from ..data.judgements import Judgement, Judgements, Span
from ..errors import DataError, UsageError
from .gold import locate

GOOGLE: Mapping[str, float] = {
    "Major": 5,
    "Minor": 1,
    "Neutral": 0,
    "Major/Non-translation!": 25,
    "Minor/Fluency/Punctuation": 0.1,
}
# The published ratings of WMT23 give two more categories the weight 0.
WMT23: Mapping[str, float] = {**GOOGLE, "*/Source issue": 0, "*/Accuracy/Creative Reinterpretation": 0}

_WEIGHT = re.compile(r"\s*(?P<name>[^:]+?)\s*:\s*(?P<weight>[^\s,:]+)(?:[\s,]+|$)")


def parse_weights(text: str) -> dict[str, float]:
    """Parse weights such as "Major:5 Minor:1 Minor/Fluency/Punctuation:0.1"."""
    weights: dict[str, float] = {}
    position = 0
    while position < len(text.rstrip()):
        match = _WEIGHT.match(text, position)
        if match is None:
            raise UsageError(f"Weights of errors: {text[position:]!r} must have the form 'severity[/category]:number'.")
        try:
            weight = float(match["weight"])
        except ValueError:
            weight = math.nan
        if not math.isfinite(weight):
            raise UsageError(
                f"Weights of errors: the weight of {match['name']!r}, {match['weight']!r}, is not a number."
            )
        if match["name"] in weights:
            raise UsageError(f"Weights of errors: {match['name']!r} occurs twice.")
        weights[match["name"]] = weight
        position = match.end()
    if not weights:
        raise UsageError("Weights of errors: the list is empty.")
    return weights


def weigh(judgements: Judgements, weights: Mapping[str, float] | str = GOOGLE) -> Judgements:
    """Return MQM judgements with values: minus the sum of the weights of their errors, added in order."""
    table = parse_weights(weights) if isinstance(weights, str) else weights
    folded = {name.casefold(): float(weight) for name, weight in table.items()}
    if len(folded) != len(table):
        raise UsageError("Weights of errors: two names differ only in upper and lower case.")
    known: dict[tuple[str, str], float] = {}
    return replace(judgements, rows=tuple(_weighed(row, folded, known, judgements) for row in judgements.rows))


def _weighed(
    row: Judgement, weights: Mapping[str, float], known: dict[tuple[str, str], float], judgements: Judgements
) -> Judgement:
    if row.kind != "mqm" or row.spans is None:
        raise DataError(
            f"{locate(row, judgements)}: weights are for marked errors, and this is a judgement of kind {row.kind}."
        )
    total = 0.0
    for span in row.spans:
        key = span.severity, span.category
        if key not in known:
            weight = _weight(span, weights)
            if weight is None:
                raise DataError(
                    f"{locate(row, judgements)}: there is no weight for an error of severity {span.severity!r} and "
                    f"category {span.category!r}. There are weights for {', '.join(weights)}."
                )
            known[key] = weight
        total += known[key]
    return row._replace(value=0.0 - total)  # -total would be -0.0 if there are no errors


def _weight(span: Span, weights: Mapping[str, float]) -> float | None:
    """Return the most specific weight, or None: the longest category first, then the severity before `*`."""
    severity = span.severity.casefold()
    parts = [part.strip() for part in span.category.casefold().split("/")] if span.category else []
    for length in range(len(parts), -1, -1):
        for first in (severity, "*"):
            name = "/".join([first, *parts[:length]])
            if name in weights:
                return weights[name]
    return None
