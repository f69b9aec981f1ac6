import json
import logging
import math
from pathlib import Path
from typing import Any

import pytest

from tercet.data import TestSet
from tercet.data.jsonl import read_items, read_jsonl, write_jsonl
from tercet.errors import DataError, UnknownName


def lines(path: Path, *items: Any) -> Path:
    path.write_text("".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in items))
    return path


def test_items_of_subset2evaluate_are_read(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "set.jsonl",
        {
            "i": 0,
            "src": "s",
            "ref": "r",
            "tgt": {"x": "a", "y": "b"},
            "doc": "d1",
            "domain": "news",
            "scores": {"x": {"human": 1, "bleu": None}, "y": {"human": 0.25}},
        },
        {"i": 1, "src": "S", "ref": "R", "tgt": {"y": "B", "x": "A"}, "doc": "d1", "domain": "chat", "scores": {}},
    )
    testset, scores = read_items(path, pair="ru-en")
    assert testset == TestSet(
        {"x": ["a", "A"], "y": ["b", "B"]},
        {"ref": ["r", "R"]},
        ["s", "S"],
        ["d1", "d1"],
        {"domain": ["news", "chat"]},
        pair="ru-en",
        name="set",
    )
    assert scores.keys() == {"human", "bleu"}
    assert scores["human"]["x"][0] == 1.0
    assert math.isnan(scores["human"]["x"][1])
    assert scores["human"]["y"][0] == 0.25
    assert math.isnan(scores["bleu"]["x"][0])


def test_a_reference_may_lack_segments(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "x.jsonl",
        {"ref": {"A": "a", "B": "b"}, "tgt": {"x": "o"}},
        {"ref": {"A": "c", "B": None}, "tgt": {"x": "p"}},
    )
    assert read_jsonl(path).references == {"A": ("a", "c"), "B": ("b", None)}


def test_what_is_written_has_the_agreed_keys(tmp_path: Path) -> None:
    testset = TestSet({"x": ["a\tb\nc"]}, {"A": ["r"]}, ["s"], ["d"], {"domain": ["news"], "seg": ["7"]}, pair="ru-en")
    write_jsonl(testset, tmp_path / "x.jsonl", scores={"bleu": {"x": [math.nan]}, "ter": {"x": [1 / 3]}})
    assert json.loads((tmp_path / "x.jsonl").read_text()) == {
        "i": 0,
        "src": "s",
        "ref": {"A": "r"},
        "tgt": {"x": "a\tb\nc"},
        "doc": "d",
        "domain": "news",
        "labels": {"seg": "7"},
        "pair": "ru-en",
        "scores": {"x": {"bleu": None, "ter": 1 / 3}},
    }


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("{", "line 2: not JSON: Expecting property name enclosed in double quotes at character 2."),
        ("", "line 2: not JSON: Expecting value at character 1."),
        ([], "line 2: one JSON object per line is needed, not a list."),
        ({"tgt": {"x": "a", "y": "b"}}, "line 1: no output of 'y', but {path}, line 2 has one."),
        ({"tgt": {}}, "line 2: no output of 'x', but {path}, line 1 has one."),
        ({"tgt": {"x": 3}}, "line 2: the output of 'x' must be a text, not a number."),
        ({"tgt": {"x": None}}, "line 2: the output of 'x' must be a text, not null."),
        ({"tgt": "a"}, 'line 2: "tgt" must be an object, not a text.'),
        (
            {"src": "s", "tgt": {"x": "a"}},
            'line 1: no "src", but {path}, line 2 has it. Give it for all segments or for none.',
        ),
        ({"i": 0, "tgt": {"x": "a"}}, """line 2: segment "i" 0 occurs already in {path}, line 1."""),
        ({"tgt": {"x": "a"}, "scores": {"z": {"m": 1}}}, "line 2: scores of 'z', which has no output in this line."),
        ({"tgt": {"x": "a"}, "scores": {"x": {"m": "1"}}}, "line 2: m of 'x' must be a number or null, not a text."),
        (
            {"tgt": {"x": "a"}, "scores": {"x": {"m": True}}},
            "line 2: m of 'x' must be a number or null, not true or false.",
        ),
        ('{"tgt": {"x": "a"}, "scores": {"x": {"m": 1e999}}}', "line 2: m of 'x' is too large."),
        ('{"tgt": {"x": "a"}, "scores": {"x": {"m": Infinity}}}', "line 2: Infinity is not a number."),
        ('{"tgt": {"x": "a", "x": "b"}}', "line 2: the name 'x' occurs twice in an object."),
        ('{"tgt": {"x": "\\ud800"}}', "is half a surrogate pair, not a character. It cannot be written in UTF-8."),
        ("[" * 100_000, "line 2: a number is too long, or objects are nested too deeply."),
        ("9" * 5000, "line 2: a number is too long, or objects are nested too deeply."),
        (
            {"tgt": {"x": "a"}, "pair": "ru-en"},
            'line 1: no "pair", but {path}, line 2 has it. Give it for all segments or for none.',
        ),
    ],
)
def test_a_bad_line_is_refused_with_its_place(tmp_path: Path, second: Any, message: str) -> None:
    path = lines(tmp_path / "x.jsonl", {"i": 0, "tgt": {"x": "o"}}, second)
    with pytest.raises(DataError) as caught:
        read_jsonl(path)
    assert str(caught.value).endswith(message.replace("{path}", str(path)))
    assert str(caught.value).startswith(str(path))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is empty; one JSON object per line is needed\."):
        read_jsonl(lines(tmp_path / "x.jsonl"))


def test_keys_that_are_not_ours_are_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = lines(tmp_path / "x.jsonl", {"tgt": {"x": "a"}, "cost": 3})
    with caplog.at_level(logging.WARNING):
        read_jsonl(path)
    assert [r.getMessage() for r in caplog.records] == [
        f"{path}: keys that are not part of the format were ignored: 'cost'."
    ]


def test_systems_can_be_chosen(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", {"tgt": {"x": "a", "y": "b"}, "scores": {"x": {"m": 1}, "y": {"m": 2}}})
    testset, scores = read_items(path, systems=["y"])
    assert testset.systems == ("y",)
    assert scores == {"m": {"y": [2.0]}}
    with pytest.raises(UnknownName):
        read_items(path, systems=["z"])


def test_scores_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    testset = TestSet({"x": ["a"]})
    for scores, message in (
        ({"m": {"y": [1.0]}}, "m has scores of 'y', which is not in test set 'unnamed'."),
        ({"m": {"x": [1.0, 2.0]}}, "m of 'x' has 2 scores for the 1 segments of test set 'unnamed'."),
        ({"m": {"x": [math.inf]}}, "m of 'x', segment 1: JSON cannot hold inf."),
    ):
        with pytest.raises(DataError) as caught:
            write_jsonl(testset, tmp_path / "x.jsonl", scores=scores)
        assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def test_judgements_are_not_taken_for_texts(tmp_path):
    path = tmp_path / "judgements.jsonl"
    path.write_text('{"kind": "da", "segment": "1", "system": "a", "value": 3}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"judgements\.jsonl holds judgements, not texts\."):
        read_jsonl(path)
