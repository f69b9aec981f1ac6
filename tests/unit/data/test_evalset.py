import math
from dataclasses import replace
from pathlib import Path

import pytest

from tercet.data import TestSet
from tercet.data.evalset import (
    is_evalset,
    pairs,
    read_evalset,
    read_human_scores,
    read_metric_scores,
    read_score_file,
    write_evalset,
)
from tercet.errors import DataError, NotParallel, UnknownName, UsageError


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


TEXTS = {
    "sources/en-de.txt": "s1\ns2\n",
    "sources/zh-en.txt": "s1\n",
    "documents/en-de.docs": "news\td1\nchat d2\n",
    "references/en-de.refA.txt": "r1\nr2\n",
    "references/zh-en.refA.txt": "q1\n",
    "system-outputs/en-de/online-A.0.txt": "a1\na2 \n",
    "system-outputs/en-de/refA.txt": "r1\nr2\n",
    "system-outputs/zh-en/x.txt": "x1\n",
    "human-scores/en-de.mqm.seg.score": "online-A.0\tNone\nonline-A.0\t-1.5\nrefA 0\nrefA -0.0\n",
    "human-scores/en-de.mqm.sys.score": "online-A.0 -1.5\nrefA 0\n",
    "human-scores/zh-en.mqm.sys.score": "x 1\n",
    "metric-scores/en-de/COMET-refA.seg.score": "online-A.0\t.5\nonline-A.0\t1e-3\n",
    "metric-scores/en-de/Comet-QE-src.sys.score": "online-A.0\t0.25\n",
    "metric-scores/en-de/two-refA.refB.sys.score": "online-A.0\t0.25\n",
}


def test_a_language_pair_is_read(tmp_path: Path) -> None:
    put(tmp_path, TEXTS)
    assert is_evalset(tmp_path)
    assert pairs(tmp_path) == ["en-de", "zh-en"]
    assert read_evalset(tmp_path, "en-de") == TestSet(
        {"online-A.0": ["a1", "a2 "], "refA": ["r1", "r2"]},
        {"refA": ["r1", "r2"]},
        ["s1", "s2"],
        ["d1", "d2"],
        {"domain": ["news", "chat"]},
        pair="en-de",
        name=tmp_path.name,
    )
    assert read_evalset(tmp_path, "en-de", systems=["refA"]).systems == ("refA",)
    assert read_evalset(tmp_path, "zh-en").documents is None


def test_scores_of_people_and_metrics_are_read(tmp_path: Path) -> None:
    put(tmp_path, TEXTS)
    seg, system = read_human_scores(tmp_path, "en-de")
    assert (seg.name, seg.level, system.level) == ("mqm", "seg", "sys")
    assert math.isnan(seg.scores["online-A.0"][0])
    assert seg.scores["online-A.0"][1] == -1.5
    assert system.scores == {"online-A.0": [-1.5], "refA": [0.0]}
    found = [(s.name, s.level) for s in read_metric_scores(tmp_path, "en-de")]
    assert found == [("COMET-refA", "seg"), ("Comet-QE-src", "sys"), ("two-refA.refB", "sys")]


def test_an_unknown_pair_is_named(tmp_path: Path) -> None:
    put(tmp_path, TEXTS)
    with pytest.raises(UnknownName, match=r"There is no language pair in .* called 'en-dd'. Did you mean en-de?"):
        read_evalset(tmp_path, "en-dd")


def test_texts_must_be_parallel(tmp_path: Path) -> None:
    put(tmp_path, TEXTS | {"system-outputs/en-de/refA.txt": "r1\n"})
    with pytest.raises(NotParallel, match="output 'refA': 1"):
        read_evalset(tmp_path, "en-de")
    put(tmp_path, TEXTS | {"documents/en-de.docs": "news d1\nd2\n"})
    with pytest.raises(DataError, match=r"en-de\.docs, line 2: 1 words; DOMAIN and DOCUMENT are needed\."):
        read_evalset(tmp_path, "en-de")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", " is empty."),
        ("a 1\na\n", ", line 2: 1 words; a system and its score are needed."),
        ("a one\n", ", line 1: 'one' is not a number; write None where there is none."),
        ("a inf\n", ", line 1: 'inf' is not a number; write None where there is none."),
        ("a 1_0\n", ", line 1: '1_0' is not a number; write None where there is none."),
        ("a 1\nb 1\na 2\n", ", line 3: system 'a' again, after line 1."),
        ("a 1\na 1\nb 2\n", ": 2 scores of 'a' (from line 1), 1 of 'b' (from line 3)."),
    ],
)
def test_a_bad_score_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.score"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_score_file(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_metric_file_must_name_reference_and_level(tmp_path: Path) -> None:
    put(tmp_path, {"metric-scores/en-de/COMET.seg.score": "a 1\n"})
    with pytest.raises(DataError, match=r"must be called METRIC-REFERENCE\.LEVEL\.score"):
        read_metric_scores(tmp_path, "en-de")


def test_a_pair_is_written_beside_others(tmp_path: Path) -> None:
    put(tmp_path, TEXTS)
    before = read_evalset(tmp_path, "en-de")
    new = replace(before, pair="en-ru", labels={})
    write_evalset(new, tmp_path)
    assert pairs(tmp_path) == ["en-de", "en-ru", "zh-en"]
    assert read_evalset(tmp_path, "en-ru") == new
    assert read_evalset(tmp_path, "en-de") == before
    assert (tmp_path / "documents/en-ru.docs").read_text() == "- d1\n- d2\n"


def test_what_an_evalset_cannot_hold_is_refused(tmp_path: Path) -> None:
    whole = TestSet({"x": ["a"]}, {"A": ["r"]}, ["s"], ["d"], {"domain": ["news"]}, pair="ru-en")
    for testset, message in (
        (replace(whole, references={"a-b": ["r"]}), "names of references may not contain '-' or '.'"),
        (replace(whole, documents=["d 1"]), "'d 1' cannot be written in an EvalSet"),
        (replace(whole, documents=None), "has domains but no documents"),
        (replace(whole, labels={"domain": ["-"]}), "the domain '-' means no domain"),
        (replace(whole, labels={"seg": ["9"]}), "has the label 'seg', which .* cannot hold"),
        (replace(whole, outputs={"x": ["a\r"]}), r"x\.txt, segment 1 ends in a carriage return"),
        (replace(whole, source=["\ufeffs"]), "begins with U\\+FEFF"),
        (replace(whole, references={"A": [None], "B": ["r"]}), r"ru-en\.A\.txt, segment 1 is missing"),
    ):
        with pytest.raises(DataError, match=message):
            write_evalset(testset, tmp_path)
    with pytest.raises(UsageError, match="An EvalSet needs a language pair and a source"):
        write_evalset(replace(whole, pair=None), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"Cannot make the folder .*sources: "):
        write_evalset(TestSet({"x": ["a"]}, source=["s"], pair="ru-en"), tmp_path / "file")
