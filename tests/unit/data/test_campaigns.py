"""Exports of annotation campaigns."""

import json
import logging
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.data.formats.campaigns import read_appraise, read_pearmut
from tercet.data.judgements import Judgement, Span
from tercet.errors import DataError, UnknownName, UsageError


def appraise(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


SPANS = (
    '"[{""start_i"":3,""end_i"":3,""severity"":""minor"",""error_type"":[""Accuracy"",""Omission""]},'
    '{""start_i"":""missing"",""end_i"":""missing"",""severity"":""major"",""error_type"":null}]"'
)


def test_appraise_spans_end_after_their_last_character_and_missing_has_no_place(tmp_path: Path) -> None:
    path = appraise(tmp_path / "c.scores.csv", f"u,wmt.A,5,TGT,eng,deu,36,d1#A,False,{SPANS},100.5,112")
    (row,) = read_appraise(path, kind="esa", pair="en-de", system_prefix="wmt.").rows
    spans = (Span(3, 4, "minor", "Accuracy/Omission"), Span(None, None, "major"))
    assert row == Judgement("esa", "d1:1", "A", 36.0, "u", "d1#A", spans, 11.5)
    assert math.isnan(read_appraise(path, kind="mqm").rows[0].value)


def test_appraise_control_items_are_marked_and_meet_their_originals(tmp_path: Path) -> None:
    path = appraise(
        tmp_path / "c.scores.csv",
        "u,t1,1,TGT,eng,deu,9,ende-tutorial1,False,[],0,1",
        "u,A,21,BAD,eng,deu,4,d1#A#bad2,False,[],0,1",
        "u,A,20,BAD,eng,deu,3,d1#A#bad2,False,[],0,1",
        "u,A,11,TGT,eng,deu,8,d1#A,False,[],0,1",
        "u,A,10,TGT,eng,deu,7,d1#A,False,[],0,1",
        "u,A,12,TGT,eng,deu,7,d1#A,True,[],0,1",
        "v,A,40,CHK,eng,deu,7,d1#A,False,[],0,1",
    )
    rows = read_appraise(path, kind="esa").rows
    assert [(row.segment, row.check) for row in rows] == [
        ("ende-tutorial1:1", "tutorial"), ("d1:2", "bad"), ("d1:1", "bad"), ("d1:2", ""), ("d1:1", ""),
        ("d1", "document"), ("d1:1", "repeat"),
    ]  # fmt: skip
    assert all(row.spans == () for row in rows)


def test_appraise_without_documents_or_with_spans_in_pythons_notation(tmp_path: Path) -> None:
    plain = appraise(tmp_path / "a.csv", "u,A,68,TGT,eng,deu,10", "u,R,68,REF,eng,deu,80")
    assert [(row.segment, row.check, row.spans) for row in read_appraise(plain, kind="da").rows] == [
        ("68", "", None),
        ("68", "reference", None),
    ]
    timed = appraise(tmp_path / "b.csv", "u,A,68,TGT,eng,deu,10,5.5,7")
    assert read_appraise(timed, kind="da").rows[0].seconds == 1.5
    text = "\"{'start_i': 0, 'end_i': 50, 'severity': 'major'}\""
    other = appraise(tmp_path / "c.csv", f"u,A,1,TGT,eng,deu,10,d,False,{text}")
    assert read_appraise(other, kind="esa").rows[0].spans == (Span(0, 51, "major"),)


def test_judgements_given_again_are_kept_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = appraise(tmp_path / "c.csv", "u,A,1,TGT,eng,deu,10", "u,A,1,TGT,eng,deu,20")
    assert read_appraise(path, kind="da").values.tolist() == [10, 20]
    assert "1 judgements repeat an earlier one" in caplog.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("u,A,1,TGT,eng,deu", "line 1: not a line of Appraise's scores"),
        ("u,A,1,XXX,eng,deu,5", "line 1: an item of type 'XXX'"),
        ("u,A,1,TGT,eng,deu,x", "line 1: the score must be a number, not 'x'"),
        ("u,A,n,TGT,eng,deu,5,d,False,[]", "line 1: the item's number is 'n'"),
        ("u,A,1,TGT,eng,deu,5,d,False,{", "line 1: the spans are not JSON"),
        ("u,A,1,TGT,eng,deu,5,d,False,3", "line 1: spans must be a list"),
        ('u,A,1,TGT,eng,deu,5,d,False,"[{""start_i"":1}]"', "line 1: a span needs start_i and end_i"),
        ('u,A,1,TGT,eng,deu,5,d,False,"[{""start_i"":1.5,""end_i"":2}]"', "line 1: a span from 1.5 to 2"),
        ("u,A,1,TGT,eng,deu,5,d,False,[],9,8", "line 1: the judgement ends 1 seconds before it begins"),
        ("u,A,1,TGT,eng,deu,500", "500 is out of range for da"),
        ("", "line 1: not a line of Appraise's scores"),
    ],
)
def test_damaged_exports_are_refused_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    kind = "esa" if line.count(",") >= 9 else "da"
    with pytest.raises(DataError, match=message):
        read_appraise(appraise(tmp_path / "c.csv", line), kind=kind)


def test_the_kind_must_fit_the_export(tmp_path: Path) -> None:
    path = appraise(tmp_path / "c.csv", "u,A,1,TGT,eng,deu,5")
    with pytest.raises(DataError, match="line 1: no spans, which judgements of kind esa need"):
        read_appraise(path, kind="esa")
    with pytest.raises(UnknownName, match="kind of campaign"):
        read_appraise(path, kind="rank")
    (tmp_path / "empty").write_text("")
    with pytest.raises(DataError, match="is empty"):
        read_appraise(tmp_path / "empty", kind="da")


def entry(**changes: Any) -> dict[str, Any]:
    span = {"start_i": 1, "end_i": 2, "category": "Accuracy/Omission", "severity": "major"}
    base: dict[str, Any] = {
        "annotation": [{"A": {"score": 70, "error_spans": [span]}, "B": {"score": 90, "error_spans": []}}],
        "item": [{"item_id": "i1", "tgt": {"A": "a🙂\nbc", "B": "x"}}],
        "actions": [{"time": 10.0, "action": "load"}, {"time": 14.0, "action": "submit"}],
        "user_id": "u",
        "item_i": 3,
    }
    return base | changes


def pearmut(path: Path, *entries: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in entries), encoding="utf-8")
    return path


def test_pearmut_counts_utf16_units_and_no_line_feeds(tmp_path: Path) -> None:
    def marked(start: int, end: int) -> Span:
        spans = [{"start_i": start, "end_i": end, "severity": "minor", "category": None}]
        log = pearmut(tmp_path / "log.jsonl", entry(annotation=[{"A": {"score": 1, "error_spans": spans}}]))
        (row,) = read_pearmut(log, kind="esa").rows
        assert row.spans is not None
        return row.spans[0]

    assert marked(0, 0) == Span(0, 1, "minor")
    assert marked(1, 2) == Span(1, 2, "minor")  # both halves of the emoji
    assert marked(2, 3) == Span(1, 4, "minor")  # over the line feed, which is not counted
    assert marked(4, 4) == Span(4, 5, "minor")
    assert marked(5, 5) == Span(None, None, "minor")  # [missing]
    with pytest.raises(DataError, match=r"line 1, item 1, 'A': a span from 4 to 5 in a text of 5 characters"):
        marked(4, 5)


def test_pearmut_logs_and_downloads_give_the_same(tmp_path: Path) -> None:
    log = pearmut(tmp_path / "c1.jsonl", entry())
    download = tmp_path / "annotations.json"
    download.write_text(json.dumps({"c1": [entry()]}))
    rows = read_pearmut(log, kind="esa", pair="en-de").rows
    assert rows == read_pearmut(download, kind="esa").rows
    assert rows == (
        Judgement("esa", "i1", "A", 70.0, "u", "3", (Span(1, 2, "major", "Accuracy/Omission"),), 2.0),
        Judgement("esa", "i1", "B", 90.0, "u", "3", (), 2.0),
    )
    assert [math.isnan(row.value) for row in read_pearmut(log, kind="mqm").rows] == [True, True]
    assert read_pearmut(log, kind="da").rows[0].spans is None
    download.write_text(json.dumps({"c1": [entry()], "c2": []}))
    with pytest.raises(UsageError, match="holds several campaigns. Choose one: c1, c2"):
        read_pearmut(download, kind="esa")


def test_pearmut_resets_and_skipped_items_are_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    skipped = entry(item_i=4, annotation=[{"A": {"score": None, "error_spans": []}, "B": {"score": 1}}])
    path = pearmut(
        tmp_path / "log.jsonl",
        entry(),
        {"annotation": "__RESET__", "user_id": "u", "item_i": 3},
        entry(annotation=[{"A": {"score": 5, "error_spans": []}}]),
        skipped,
        entry(item_i=5, annotation=[None]),
        entry(item_i=6, actions=[{"time": 1.0, "action": "submit_skip"}]),
    )
    with caplog.at_level(logging.WARNING):
        assert read_pearmut(path, kind="esa").values.tolist() == [5, 1]
    assert "2 entries that the organisers had reset were ignored" in caplog.text
    assert "raters skipped 4 items or outputs" in caplog.text


def test_pearmut_checks_sliders_and_entries_without_texts(tmp_path: Path) -> None:
    answer = {"A": {"sliders": {"Fluency": 3, "Adequacy": 4}, "error_spans": []}}
    old = {"user_id": "v", "item_i": 0, "annotation": {"A": {"score": 85, "error_spans": [{"start_i": 1, "end_i": 6}]}}}
    path = pearmut(
        tmp_path / "log.jsonl",
        entry(item_i="welcome_0"),
        entry(item_i="random_1"),
        entry(item=[{"item_id": "i9", "tgt": {"A": "abc", "B": "x"}, "validation": {"A": {"score": [0, 5]}}}]),
        entry(item_i=7, annotation=[answer]),
        old,
    )
    rows = read_pearmut(path, kind="esa").rows
    assert [row.check for row in rows[::2][:3]] == ["tutorial", "attention", "attention"]
    assert [(row.kind, row.value) for row in rows[6:8]] == [("fluency", 3), ("adequacy", 4)]
    assert (rows[8].segment, rows[8].spans) == ("0:1", (Span(1, 7, ""),))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"annotation": [{}, {}]}, "line 1: 2 annotations for 1 items"),
        ({"user_id": 3}, "line 1: an annotation needs user_id and item_i"),
        ({"annotation": [3]}, "line 1, item 1: an object"),
        ({"annotation": [{"A": 3}]}, "line 1, item 1, 'A': an object with a score"),
        ({"annotation": [{"A": {"score": "x"}}]}, "line 1, item 1, 'A': the score must be a number"),
        ({"annotation": [{"A": {"sliders": {"Style": 1}}}]}, "line 1, item 1, 'A': unknown slider 'Style'"),
    ],
)
def test_damaged_logs_are_refused_with_their_line(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_pearmut(pearmut(tmp_path / "log.jsonl", entry(**changes)), kind="esa")


JUNK = st.sampled_from([None, True, 3, -1, 1.5, "x", "missing", [], [3], {}, {"A": 3}, [{}], [{"A": {}}]])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


@given(st.data(), JUNK, st.sampled_from(["da", "esa", "mqm"]), st.booleans())
def test_anything_in_a_log_is_read_or_refused_never_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, junk: Any, kind: str, download: bool
) -> None:
    base = entry()
    *path, last = data.draw(st.sampled_from(list(places(base))))
    holder: Any = base
    for key in path:
        holder = holder[key]
    holder[last] = junk
    file = tmp_path_factory.mktemp("log") / "log.json"
    file.write_text(json.dumps({"c": data.draw(st.sampled_from([[base], base, junk]))} if download else base))
    try:
        read_pearmut(file, kind=kind)
    except (DataError, UsageError) as error:
        assert str(file) in str(error) or "Judgements" in str(error)


def test_logs_that_are_not_json_lines_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for text, message in (
        ("{\n", "line 1: not JSON"),
        ("3\n4\n", "line 1: one JSON object per annotation"),
        ("", "no annotations"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=message):
            read_pearmut(path, kind="esa")


def test_a_quotation_mark_that_is_never_closed_in_an_appraise_export_is_said(tmp_path: Path) -> None:
    path = appraise(tmp_path / "scores.csv", '"u,sys,1,TGT,en,de,50', *["u,sys,1,TGT,en,de,50"] * 9000)
    with pytest.raises(DataError, match="Is a quotation mark in this line never closed"):
        read_appraise(path, kind="da")
