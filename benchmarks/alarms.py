"""Fit and measure the confidences of `tercet entities` on hand-checked alarms.

    python -m benchmarks.alarms [tests/data/judged_alarms.tsv]

prints the weights of `tercet.knowledge.name_checks.WEIGHTS`, learnt on parts A to D, and the precision and recall of
each part at several confidences.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from tercet import TestSet, entities
from tercet.knowledge import name_checks

TABLE = Path(__file__).parents[1] / "tests" / "data" / "judged_alarms.tsv"
LEARNT_ON = "ABCD"
CONFIDENCES = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7)
Row = dict[str, str]


def read(table: Path = TABLE) -> list[Row]:
    """Return the judged alarms."""
    with table.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def listed(rows: list[Row], confidence: float = 0.0) -> list[float]:
    """Return the confidence of each judged name that is listed, and NaN for those that are not."""
    found = np.full(len(rows), np.nan)
    for pair in sorted({row["pair"] for row in rows}):
        mine = [number for number, row in enumerate(rows) if row["pair"] == pair]
        outputs, sources = ([rows[number][text] for number in mine] for text in ("output", "source"))
        places = defaultdict(list)
        for each in entities(TestSet({"a": outputs}, source=sources, pair=pair), confidence=confidence).findings:
            places[each.line, each.kind].append(each)
        for line, number in enumerate(mine, 1):
            start, end = int(rows[number]["start"]), int(rows[number]["end"])
            here = places[line, rows[number]["kind"]]
            sure = [each.confidence for each in here if each.start < end and start < each.end]
            found[number] = max(sure, default=np.nan)
    return found.tolist()


def evidence(rows: list[Row]) -> list[dict[str, float]]:
    """Return the evidence for each judged name that passes the other checks; an empty table for the others.

    The evidence is what gives the confidence that `entities` reports.
    """
    seen: dict[float, dict[str, float]] = {}
    whole = name_checks.NameChecks.evidence

    def noted(self: name_checks.NameChecks, *texts: Any, changed: bool) -> dict[str, float]:
        values = whole(self, *texts, changed=changed)
        seen[len(seen) + 1.0] = values
        return values

    def numbered(self: name_checks.NameChecks, *texts: Any, changed: bool) -> float:
        self.evidence(*texts, changed=changed)
        return float(len(seen))

    with patch.multiple(name_checks.NameChecks, evidence=noted, confidence=numbered):
        return [seen.get(number, {}) for number in listed(rows, 0.0)]


def fit(values: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression; the first is not drawn to 0."""
    weights, ridge = np.zeros(values.shape[1]), np.eye(values.shape[1])
    ridge[0, 0] = 0.01
    for _ in range(50):
        p = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (p - right) + ridge @ weights
        weights -= np.linalg.solve((values.T * (p * (1 - p))) @ values + ridge, slope)
    return weights


def main() -> None:
    rows = read(Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE)
    seen = evidence(rows)
    learnt = [(each, row) for each, row in zip(seen, rows, strict=True) if each and row["part"] in LEARNT_ON]
    names = list(name_checks.WEIGHTS)
    values = np.array([[each[name] for name in names] for each, _ in learnt], dtype=np.float64)
    weights = fit(values, np.array([row["verdict"] == "right" for _, row in learnt], dtype=np.float64))
    print(len(learnt), "names:", {name: round(weight, 2) for name, weight in zip(names, weights.tolist(), strict=True)})
    now = np.array(listed(rows))
    for part in sorted({row["part"] for row in rows}):
        mine = np.array([row["part"] == part for row in rows])
        right = np.array([row["verdict"] == "right" for row in rows])
        for confidence in CONFIDENCES:
            on = mine & (now >= confidence)
            hits = int((on & right).sum())
            print(
                f"{part} {confidence}: {hits} of {on.sum()} listed are right, of {int((mine & right).sum())} right ones"
            )


if __name__ == "__main__":
    main()
