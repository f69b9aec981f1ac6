"""Tables of ratings: TSV and CSV hold the same judgements, and what is wrong is said with its place."""

import csv
from pathlib import Path

import pytest

from tercet.data.evidence import evidence_pairs
from tercet.data.formats.reading import read_judgement_file
from tercet.data.judgements import Span
from tercet.errors import DataError

HEADER = ["rater", "item", "segment", "system", "kind", "value", "spans", "lp"]
SPANS = '[{"start": 0, "end": 3, "severity": "major", "category": "a, \\"b\\"", "in_source": false}]'
ROWS = [
    ["anna", "i1", "1", "good, really", "esa", "80", SPANS, "en-de"],
    ["anna", "i2", "2", "poor", "esa", "20", "[]", "en-de"],
]


def write(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            csv.writer(stream, lineterminator="\n").writerows(rows)
        else:
            stream.writelines("\t".join(row) + "\n" for row in rows)
    return path


def test_tsv_and_csv_hold_the_same(tmp_path: Path) -> None:
    (one,) = read_judgement_file(write(tmp_path / "ratings.tsv", [HEADER, *ROWS]))
    (other,) = read_judgement_file(write(tmp_path / "ratings.csv", [HEADER, *ROWS]))
    assert one == other
    assert one.rows[0].spans == (Span(0, 3, "major", 'a, "b"'),)
    assert one.rows[1].spans == ()
    assert one.pair == "en-de"
    assert evidence_pairs(tmp_path / "ratings.csv") == ["en-de"]


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_a_bad_value_is_named_with_its_line(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"ratings.{ending}", [HEADER, ROWS[0], [*ROWS[1][:5], "much", "[]", "en-de"]])
    with pytest.raises(DataError, match=rf"ratings\.{ending}, line 3, column 'value': 'much' is not a number"):
        read_judgement_file(path)
