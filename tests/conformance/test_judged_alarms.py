"""The names that `tercet entities` reports, against a hand-checked sample of alarms (tests/data/judged_alarms.tsv).

One judge read 693 names without a partner, drawn at random from ten language pairs. The rules were made on parts A to
D; part E was drawn and judged afterwards, and measured once: docs/commands/entities.md.
"""

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tercet import TestSet, entities

TABLE = Path(__file__).parents[1] / "data" / "judged_alarms.tsv"


def test_precision_and_recall_of_alarms_are_those_of_the_docs() -> None:
    pytest.importorskip("simplemma")
    with TABLE.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == 693
    found: Counter[tuple[bool, str, bool]] = Counter()  # unseen, verdict, reported
    for pair in sorted({row["pair"] for row in rows}):
        mine = [row for row in rows if row["pair"] == pair]
        texts = TestSet({"a": [row["output"] for row in mine]}, source=[row["source"] for row in mine], pair=pair)
        places = defaultdict(list)
        for finding in entities(texts).findings:
            places[finding.line, finding.kind].append((finding.start, finding.end))
        for line, row in enumerate(mine, 1):
            start, end = int(row["start"]), int(row["end"])
            reported = any(first < end and start < last for first, last in places[line, row["kind"]])
            found[row["part"] == "E", row["verdict"], reported] += 1
    for unseen, whole, hits, precision in ((False, 93, 67, 0.74), (True, 34, 25, 0.67)):
        right, wrong = found[unseen, "right", True], found[unseen, "wrong", True]
        assert right + found[unseen, "right", False] == whole
        assert right >= hits
        assert right / (right + wrong) >= precision
