"""Files of metric scores: every accepted form says the same, and what is wrong is said with file and line."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tercet.data.score_archive import save_scores
from tercet.data.scorefiles import read_scores
from tercet.data.testset import TestSet
from tercet.errors import DataError, UsageError
from tercet.scoring import score

SYSTEMS = {"A": [0.5, 0.25, 1.0], "B": [0.125, 0.0, 0.75]}
MEANS = {system: sum(values) / 3 for system, values in SYSTEMS.items()}
SEGMENTS = ("1", "2", "3")


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def items() -> list[tuple[str, int, float]]:
    return [(system, number, value) for system in SYSTEMS for number, value in enumerate(SYSTEMS[system], 1)]


SEGMENT_FORMS = {
    "mine-refA.seg.score": [f"{system}\t{value}" for system, _, value in items()],
    "mine.score": [f"{system} {value}" for system, _, value in items()],
    "mine.seg.tsv": [f"{system}\t{value}" for system, _, value in items()],
    "wmt19.seg.score": [f"mine\ten-de\tset\t{s}\t{n}\t{v}\tnon-ensemble\tno" for s, n, v in items()],
    "wmt21.seg.score": [f"mine\ten-de\tset\trefA\t{s}\t{n}\t{v}" for s, n, v in items()],
    "long.tsv": ["system\tseg\tmine", *(f"{s}\t{n}\t{v}" for s, n, v in items())],
    "pairs.tsv": ["lp\tsystem\tseg\tmine", *(f"en-de\t{s}\t{n}\t{v}" for s, n, v in items()), "de-en\tA\t1\t9"],
    "long.csv": ['"system",seg,mine', *(f'"{s}",{n},{v}' for s, n, v in items())],
    "en-de.mine.tsv": ["seg\tA\tB", *(f"{n}\t{SYSTEMS['A'][n - 1]}\t{SYSTEMS['B'][n - 1]}" for n in (1, 2, 3))],
    "scores.jsonl": [
        json.dumps(
            {
                "i": number, "src": "s", "tgt": {"A": "a", "B": "b"}, "pair": "en-de",
                "scores": {system: {"mine": SYSTEMS[system][number]} for system in SYSTEMS},
            }
        )
        for number in range(3)
    ],
}  # fmt: skip
SYSTEM_FORMS = {
    "mine-src.sys.score": [f"{system}\t{value!r}" for system, value in MEANS.items()],
    "mine.sys.score": [f"{system}\t{value!r}" for system, value in MEANS.items()],
    "mine.txt": [f"{system} {value!r}" for system, value in MEANS.items()],
    "wmt14.sys.score": [f"mine\ten-de\tset\t{system}\t{value!r}" for system, value in MEANS.items()],
    "wmt19.sys.score": [f"mine\ten-de\tset\t{s}\t{v!r}\tnon-ensemble\tno" for s, v in MEANS.items()],
    "long.tsv": ["system\tmine", *(f"{system}\t{value!r}" for system, value in MEANS.items())],
    "long.csv": ["lp,system,mine", *(f"en-de,{system},{value!r}" for system, value in MEANS.items()), "de-en,A,9"],
    "blanks.txt": ["system mine", *(f"{system} {value!r}" for system, value in MEANS.items())],
    "molten.tsv": ["metric\tsystem\tscore", *(f"mine\t{system}\t{value!r}" for system, value in MEANS.items())],
}


@pytest.mark.parametrize("name", SEGMENT_FORMS)
def test_segment_scores_are_the_same_in_every_form(tmp_path: Path, name: str) -> None:
    (found,) = read_scores(write(tmp_path / name, *SEGMENT_FORMS[name]), pair="en-de", segments=SEGMENTS)
    assert (found.label, found.systems, found.n_segments) == ("mine", ("A", "B"), 3)
    assert found.higher_is_better is (None if name.endswith(".jsonl") else True)
    for system, values in SYSTEMS.items():
        np.testing.assert_array_equal(found.segment[system], values)


@pytest.mark.parametrize("name", SYSTEM_FORMS)
def test_system_scores_are_the_same_in_every_form(tmp_path: Path, name: str) -> None:
    (found,) = read_scores(write(tmp_path / name, *SYSTEM_FORMS[name]), pair="en-de", segments=SEGMENTS)
    assert (found.label, found.system, found.segment) == ("mine", MEANS, {})


def test_a_file_may_be_gzipped(tmp_path: Path) -> None:
    path = tmp_path / "mine.sys.score.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in SYSTEM_FORMS["mine.sys.score"]).encode()))
    (found,) = read_scores(path, pair="en-de")
    assert (found.label, found.system) == ("mine", MEANS)


def test_what_score_saves_is_read_with_its_direction(tmp_path: Path) -> None:
    testset = TestSet({"A": ["a b c d"], "B": ["a b"]}, {"r": ["a b c d"]}, pair="en-de")
    (made,) = score(testset, ["ter"])
    save_scores(tmp_path / "mine.npz", [made])
    (found,) = read_scores(tmp_path / "mine.npz", pair="en-de", segments=["1"])
    assert (found.label, found.system, found.higher_is_better) == ("TER", dict(made.system), False)
    with pytest.raises(DataError, match=r"mine\.npz: TER of 1 segments, but the data have 3\."):
        read_scores(tmp_path / "mine.npz", pair="en-de", segments=SEGMENTS)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("my-metric.sys.score", "my-metric"),
        ("COMET-22-refA.sys.score", "COMET-22"),
        ("chrF-refA.refB.sys.score", "chrF"),
        ("KoBE-src.sys.score", "KoBE"),
        ("x.score", "x"),
    ],
)
def test_a_name_without_references_is_the_metric_s(tmp_path: Path, name: str, label: str) -> None:
    (found,) = read_scores(write(tmp_path / name, "A 1", "B 2"), pair="en-de")
    assert found.label == label


def test_scores_without_numbers_are_in_the_order_of_the_segments(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.seg.score", "A 1", "A 2", "B 3", "B None")
    (found,) = read_scores(path, pair="en-de", segments=["train:7", "train:9"])
    np.testing.assert_array_equal(found.segment["A"], [1, 2])
    np.testing.assert_array_equal(found.segment["B"], [3, np.nan])


def test_segments_may_be_those_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "long.tsv", "system\tseg\tmine", "A\t4\t1", "A\t2\t5")
    (found,) = read_scores(path, pair="en-de")
    np.testing.assert_array_equal(found.segment["A"], [1, 5])


def test_several_metrics_and_references_of_a_file_are_told_apart(tmp_path: Path) -> None:
    rows = [f"mine\ten-de\tset\t{ref}\t{system}\t{len(ref)}" for ref in ("refA", "refBB") for system in SYSTEMS]
    path = write(tmp_path / "mine.sys.score", *rows, "other\ten-de\tset\trefA\tA\t1")
    found = {item.label: item.system for item in read_scores(path, pair="en-de")}
    assert found == {"mine-refA": {"A": 4, "B": 4}, "mine-refBB": {"A": 5, "B": 5}, "other": {"A": 1}}


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("m.seg.score", ["A 1", "A 2", "B 1"], r"m\.seg\.score: 2 scores of 'A' \(from line 1\), 1 of 'B' \("),
        ("m.seg.score", ["A 1", "A 2", "B 1", "B 2"], r"2 scores per system, but at level seg the data need 3\."),
        ("m.sys.score", ["A 1", "A 2"], r"2 scores per system, but at level sys the data need 1\."),
        ("m.sys.score", ["A 1", "B 2", "A 1"], r"m\.sys\.score, line 3: system 'A' again, after line 1\. Remove one"),
        ("m.sys.score", ["A one"], r"m\.sys\.score, line 1: 'one' is not a number; write None where there is none"),
        ("m.sys.score", ["A 1", "B inf"], r"m\.sys\.score, line 2: 'inf' is not a number; write None where there is"),
        ("m.sys.score", ["A 1", "B -1e999"], r"m\.sys\.score, line 2: '-1e999' is not a number"),
        ("m.tsv", ["system\tm", "A\tinf"], r"m\.tsv, line 2, column 'm': 'inf' is not a number"),
        ("m.csv", ["system,m", "A,1", "B,1e999"], r"m\.csv, line 3, column 'm': '1e999' is not a number"),
        ("m.sys.score", ["m\ten-de\tset\tA\tinf"], r"line 1: field 5 \(score\) is 'inf', not a number"),
        ("m.sys.score", ["m\ten-de\tset\tA\t1e999"], r"line 1: field 5 \(score\) is '1e999', not a number"),
        ("m.tsv", ["system\tm", "A\t1", "A\t2"], r"m\.tsv, line 3: system 'A' again, after line 2\. Remove one"),
        ("m.tsv", ["system\tseg\tm", "A\t9\t1"], r"m\.tsv, line 2: there is no segment '9' in the test set"),
        ("m.tsv", ["system\tm", "A\tnine"], r"m\.tsv, line 2, column 'm': 'nine' is not a number"),
        ("m.tsv", ["system\tDA", "A\t1"], r"m\.tsv holds no metric scores for en-de, only human ones: DA\."),
        ("m.sys.score", ["m\tde-en\tset\tA\t1"], r"m\.sys\.score has no scores for en-de\. It has: de-en\."),
        ("m.sys.score", [], r"m\.sys\.score is empty\."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str, lines: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_scores(write(tmp_path / name, *lines), pair="en-de", segments=SEGMENTS)


@pytest.mark.parametrize(
    ("name", "lines", "what"),
    [
        ("m.txt", ["0.5", "0.25"], "holds no scores in a known form"),
        ("m.csv", ["a,b", "A,1"], "holds no scores in a known form"),
        ("m.json", ["[", " {", '  "name": "BLEU",', "  }", "]"], "is JSON, which is not read"),
        ("m.json", ['{"A": 1}'], "is JSON, which is not read"),
    ],
)
def test_of_other_files_it_is_said_shortly_what_is_read(tmp_path: Path, name: str, lines: list[str], what: str) -> None:
    with pytest.raises(DataError) as caught:
        read_scores(write(tmp_path / name, *lines), pair="en-de", segments=SEGMENTS)
    first, *forms = str(caught.value).split("\n")
    assert first == f"{tmp_path / name} {what} (docs/formats.md, 'Scores'). What is read:"
    assert len(forms) == 3 and max(map(len, forms)) < 100


def test_a_name_in_the_header_of_csv_may_hold_blanks(tmp_path: Path) -> None:
    (found,) = read_scores(write(tmp_path / "m.csv", "system,my metric", "A,1", "B,2"), pair="en-de")
    assert (found.label, found.system) == ("my metric", {"A": 1, "B": 2})


def test_files_that_are_not_there_and_other_levels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no file .*none\.score"):
        read_scores(tmp_path / "none.score", pair="en-de")
    with pytest.raises(UsageError, match=r"is a folder; a file of scores is needed\."):
        read_scores(tmp_path, pair="en-de")
    with pytest.raises(UsageError, match="scores of level doc; those of sys and seg can be judged"):
        read_scores(write(tmp_path / "m-refA.doc.score", "A 1"), pair="en-de")
