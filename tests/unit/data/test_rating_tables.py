"""Tables of human judgements: long, wide, rankings, choices, errors; exports of Label Studio; what is missing."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tercet.data.evidence import evidence_of, with_human
from tercet.data.formats.format import Request
from tercet.data.formats.reading import read_human
from tercet.data.judgements import Judgement
from tercet.data.testset import TestSet
from tercet.data.workbook import write_xlsx
from tercet.errors import DataError, UsageError


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def rows(path: Path, **request: Any) -> list[tuple[Any, ...]]:
    (found,) = read_human(path, Request(**request)).judgements
    return [(row.kind, row.segment, row.system, row.value, row.rater) for row in found.rows]


EXPECTED = [("da", "1", "a", 80, "Ada"), ("da", "1", "b", 60, "Ada"), ("da", "2", "a", 90.5, "Ben")]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("r.csv", ["Segment,System,Rater,Score", "1,a,Ada,80", "1,b,Ada,60", "2,a,Ben,90.5"]),
        ("r.csv", ["SegID;Model;Annotator;Rating", "1;a;Ada;80", "1;b;Ada;60", "2;a;Ben;90,5"]),
        ("r.tsv", ["seg_id\tengine\tuser\tDA\tcomment", "1\ta\tAda\t80\tgood", "1\tb\tAda\t60\t", "2\ta\tBen\t90.5\t"]),
        ("r.csv", ["judge,id,mt system,kind,value", "Ada,1,a,da,80", "Ada,1,b,da,60", "Ben,2,a,da,90.5"]),
    ],
)
def test_a_long_table_under_its_usual_names(tmp_path: Path, name: str, lines: Sequence[str]) -> None:
    assert rows(table(tmp_path / name, *lines)) == EXPECTED


def test_a_workbook(tmp_path: Path) -> None:
    with (tmp_path / "r.xlsx").open("wb") as stream:
        write_xlsx(stream, ["Line", "System", "Reviewer", "Score"], [["1", "a", "Ada", "80"], ["1", "b", "Ada", "60"]])
    assert rows(tmp_path / "r.xlsx") == EXPECTED[:2]


def test_a_column_per_rater(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "segment,system,Ada,Ben", "1,a,5,4", "2,a,3,")
    assert rows(path) == [
        ("likert", "1", "a", 5, "Ada"), ("likert", "1", "a", 4, "Ben"), ("likert", "2", "a", 3, "Ada"),
    ]  # fmt: skip


@pytest.mark.parametrize("header", ["segment,a,b", "segment,a.txt score,b.txt score", "segment,Score A,Score B"])
def test_a_column_per_system_of_the_test_set(tmp_path: Path, header: str) -> None:
    path = table(tmp_path / "r.csv", header, "1,80,60", "2,90,70")
    found = rows(path, outputs=("a.txt", "b.txt"))
    assert [(row[1], row[2], row[3]) for row in found] == [
        ("1", "a.txt", 80), ("1", "b.txt", 60), ("2", "a.txt", 90), ("2", "b.txt", 70),
    ]  # fmt: skip


def test_ratings_of_systems_are_averaged_over_raters(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "system,rater,score", "a,x,80", "a,y,60", "b,x,50", "b,y,40")
    found = read_human(path)
    assert not found.judgements
    assert [(each.systems, dict(each.columns)) for each in found.published] == [(["a", "b"], {"da": [70, 45]})]
    assert found.about == (
        "r.csv: a table with the columns system, rater, score: ratings by system (da) of 2 raters, 2 systems (a, b); "
        "values of 40 to 80 are taken as points of direct assessment (da), higher is better, unless a kind is given."
    )


def test_rows_without_segments_are_segments_in_order(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "system,score", "a,80", "a,60", "b,50", "b,40")
    assert [row[1:4] for row in rows(path)] == [("1", "a", 80), ("2", "a", 60), ("1", "b", 50), ("2", "b", 40)]
    path = table(tmp_path / "r.csv", "system,score", "a,80", "a,60", "b,50")
    with pytest.raises(DataError, match=r"names no segments, and its systems .* `columns` segment=COLUMN"):
        read_human(path)


def test_several_kinds_of_scores(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "segment,system,rater,Adequacy,Fluency", "1,a,x,4,5")
    assert [(row[0], row[3]) for row in rows(path)] == [("adequacy", 4), ("fluency", 5)]


def test_rankings(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "segment,rater,system,rank", "1,x,a,1", "1,x,b,2", "1,x,c,2")
    (found,) = read_human(path).judgements
    assert found.rows == (
        Judgement("rank", "1", "a", 1, "x", "x:1"), Judgement("rank", "1", "b", 2, "x", "x:1"),
        Judgement("rank", "1", "c", 2, "x", "x:1"),
    )  # fmt: skip


@pytest.mark.parametrize("words", ["a,b,tie", "A,B,equal", "left,right,both", "1,2,0"])
def test_choices(tmp_path: Path, words: str) -> None:
    one, two, tie = words.split(",")
    path = table(
        tmp_path / "r.csv", "segment,annotator,system A,system B,preference", f"1,x,a,b,{one}", f"2,x,a,b,{two}",
        f"3,x,a,b,{tie}", "4,x,a,b,",
    )  # fmt: skip
    assert [row[1:4] for row in rows(path)] == [
        ("1", "a", 1), ("1", "b", 2), ("2", "a", 2), ("2", "b", 1), ("3", "a", 1), ("3", "b", 1),
    ]  # fmt: skip
    with pytest.raises(DataError, match="line 2: the choice 'c' is neither 'a' nor 'b'"):
        read_human(table(tmp_path / "r.csv", "segment,left,right,winner", "1,a,b,c"))


def test_winners_and_losers(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "id,user,winner,loser", "1,x,b,a")
    assert [row[1:4] for row in rows(path)] == [("1", "b", 1), ("1", "a", 2)]


def test_lists_of_errors(tmp_path: Path) -> None:
    path = table(
        tmp_path / "r.csv", "segment,system,reviewer,severity,category", "1,a,x,Major,Accuracy", "1,a,x,minor,Style",
        "2,a,x,no-error,",
    )  # fmt: skip
    (found,) = read_human(path).judgements
    assert [(row.segment, [(span.severity, span.category) for span in row.spans or ()]) for row in found.rows] == [
        ("1", [("Major", "Accuracy"), ("minor", "Style")]), ("2", []),
    ]  # fmt: skip


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "Nr,Maschine,Wer,Punkte", "1,a,Ada,80")
    with pytest.raises(DataError, match="holds no judgements in a known format"):
        read_human(path)
    columns = {"segment": "Nr", "system": "Maschine", "rater": "Wer", "score": "Punkte"}
    assert rows(path, columns=columns) == EXPECTED[:1]
    with pytest.raises(DataError, match=r"no column 'Wo'\. Columns: Nr, Maschine"):
        read_human(path, Request(columns=columns | {"rater": "Wo"}))


def test_the_message_says_what_is_missing(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "segment,rater,system,remark", "1,x,a,fine")
    with pytest.raises(
        DataError,
        match=r"the columns segment, rater, system, remark \(segment = segment, system = system, rater = rater\)\. "
        r"Judgements also need a column with scores\. Say which it is: `columns`",
    ):
        read_human(path)
    path = table(tmp_path / "r.csv", "segment,system,severity,score", "1,a,major,x")
    with pytest.raises(DataError, match="line 2, column 'score': 'good' is not a number"):
        read_human(table(tmp_path / "r.csv", "segment,system,rater,score", "1,a,x,good"))


def test_the_kind_can_be_given(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "segment,system,rater,score", "1,a,x,80")
    assert rows(path, kind="esa") == [("esa", "1", "a", 80, "x")]
    known = table(tmp_path / "known.tsv", "rater\titem\tsegment\tsystem\tkind\tvalue", "x\t1\t1\ta\tda\t80")
    with pytest.raises(UsageError, match="states its kind of judgement"):
        read_human(known, Request(kind="esa"))


def test_scores_of_metrics_are_no_judgements(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no judgements"):
        read_human(table(tmp_path / "scores.tsv", "system\tBLEU", "a\t31.5"))


TASKS = [
    {
        "id": 7, "data": {"segment": "1", "system": "a", "text": "Hallo"},
        "annotations": [
            {"completed_by": 3, "result": [{"from_name": "quality", "type": "rating", "value": {"rating": 4}}]},
            {"completed_by": {"id": 4, "email": "ada@example.org"},
             "result": [{"from_name": "quality", "type": "choices", "value": {"choices": ["2"]}}]},
            {"completed_by": 5, "was_cancelled": True, "result": []},
        ],
    },
]  # fmt: skip


def test_label_studio(tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text(json.dumps(TASKS), "utf-8")
    assert rows(tmp_path / "export.json") == [("likert", "1", "a", 4, "3"), ("likert", "1", "a", 2, "ada@example.org")]
    small = [{"segment": 1, "system": "a", "quality": 4, "annotator": 3, "id": 9, "annotation_id": 1, "lead_time": 2.5}]
    (tmp_path / "min.json").write_text(json.dumps(small), "utf-8")
    assert rows(tmp_path / "min.json") == [("likert", "1", "a", 4, "3")]


def test_label_studio_spans_are_errors(tmp_path: Path) -> None:
    spans = [{"from_name": "mqm", "type": "labels", "value": {"start": 0, "end": 2, "text": "Ha", "labels": ["Major"]}}]
    tasks = [{"id": 1, "data": {"segment": "1", "system": "a"}, "annotations": [{"completed_by": 3, "result": spans}]}]
    (tmp_path / "export.json").write_text(json.dumps(tasks), "utf-8")
    (found,) = read_human(tmp_path / "export.json").judgements
    assert [(row.kind, [span.severity for span in row.spans or ()]) for row in found.rows] == [("mqm", ["Major"])]


def test_systems_and_segments_are_called_as_in_the_texts(tmp_path: Path) -> None:
    texts = TestSet({"out/a.txt": ["x", "y"], "out/b.txt": ["x", "y"]}, {"ref": ["x", "y"]})
    path = table(tmp_path / "r.csv", "segment,system,rater,score", "0,a,x,80", "1,a,x,70", "0,b,x,60", "1,c,x,50")
    found = with_human(evidence_of(texts), read_human(path))
    assert [(row.segment, row.system) for row in found.judgements[0].rows] == [
        ("1", "out/a.txt"), ("2", "out/a.txt"), ("1", "out/b.txt"), ("2", "c"),
    ]  # fmt: skip
    assert found.about[-1].startswith("Segments are counted from 0 there")
