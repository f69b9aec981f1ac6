"""Files of metric scores: every accepted form says the same, and what is wrong is said with file and line."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from tercet.data.formats.reading import pairs_of_scores, read_scores
from tercet.data.score_archive import save_scores
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
        ("m.seg.score", ["A 1", "A 2", "B 1", "B 2"], r"2 scores of 'A', but at level seg the data need 3\."),
        ("m.sys.score", ["A 1", "A 2"], r"2 scores of 'A', but at level sys the data need 1\."),
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
        ("m.txt", ["0.5", "0.25"], r"m\.txt: 2 segment scores, but the data have 3 segments\."),
        ("m.txt", ["0.5", "0.25", "half"], r"m\.txt, line 3: 'half' is not a number; write None"),
        ("m.txt", ["0.5", "nan", "0.25"], r"m\.txt, line 2: 'nan' is not a number; write None"),
        ("m.txt", ["1 0.5", "2 inf", "3 1"], r"m\.txt, line 2: 'inf' is not a number; write None"),
        ("m.txt", ["id score", "1 0.5", "2 1", "2 1"], r"m\.txt, line 4: segment '2' again, after line 3\."),
        ("m.txt", ["id score", "1 0.5", "2 1", "4 1"], r"m\.txt, line 4: there is no segment '4' in the test set"),
        ("m.txt", ["id score", "1 0.5", "2 1 1", "4 1"], r"m\.txt, line 3: 3 words; a segment and its score are"),
        ("m.txt", ["1 0.5", "2 1"], r"2 segment scores, .* 3 segments\. If the first column holds systems, call the"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str, lines: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_scores(write(tmp_path / name, *lines), pair="en-de", segments=SEGMENTS)


@pytest.mark.parametrize(
    ("name", "lines", "what"),
    [
        ("m.txt", ["half"], "holds no scores in a known form"),
        ("m.csv", ["a,b", "A,1"], "holds no scores in a known form"),
        ("m.json", ["[", " {", '  "name": "BLEU"', "  }", "]"], "holds JSON that is not COMET's"),
        ("m.json", ['{"A": 1}'], "holds JSON that is not COMET's"),
        ("m.json", ["[]"], "holds JSON that is not COMET's"),
    ],
)
def test_of_other_files_it_is_said_shortly_what_is_read(tmp_path: Path, name: str, lines: list[str], what: str) -> None:
    with pytest.raises(DataError) as caught:
        read_scores(write(tmp_path / name, *lines), pair="en-de", segments=SEGMENTS)
    first, *forms = str(caught.value).split("\n")
    seen = " It is a table with the columns a, b." if name == "m.csv" else ""
    assert first == f"{tmp_path / name} {what} (docs/formats.md, 'Scores').{seen} What is read:"
    assert len(forms) == 4 and max(map(len, forms)) < 100


def test_a_name_in_the_header_of_csv_may_hold_blanks(tmp_path: Path) -> None:
    (found,) = read_scores(write(tmp_path / "m.csv", "system,my metric", "A,1", "B,2"), pair="en-de")
    assert (found.label, found.system) == ("my metric", {"A": 1, "B": 2})


def test_files_that_are_not_there_and_other_levels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no file .*none\.score"):
        read_scores(tmp_path / "none.score", pair="en-de")
    with pytest.raises(UsageError, match=r"is a folder; a file of scores is needed\."):
        read_scores(tmp_path, pair="en-de")
    with pytest.raises(UsageError, match="scores of level doc, but only levels sys and seg can be used"):
        read_scores(write(tmp_path / "m-refA.doc.score", "A 1"), pair="en-de")


COMET = {f"out/{system}.txt": values for system, values in SYSTEMS.items()}


def comet_items(values: list[float]) -> list[dict[str, object]]:
    return [{"src": "s", "mt": "m", "ref": "r", "COMET": value, "variance": 0.1, "errors": []} for value in values]


COMET_FORMS = {
    "score.json": [json.dumps({file: comet_items(values) for file, values in COMET.items()}, indent=4)],
    "compare.json": [
        json.dumps(
            {
                "model": "m", "statistical_results": [], "source": ["s"] * 3,
                "translations": [{"name": file, "mt": ["m"] * 3, "scores": values} for file, values in COMET.items()],
            }
        )
    ],
    "predictions.json": [
        json.dumps(
            {file: {"scores": values, "system_score": sum(values) / 3} for file, values in COMET.items()}
        )
    ],
    "printed.txt": [
        *(f"{file}\tSegment {i}\tscore: {values[i]:.4f}" for i in range(3) for file, values in COMET.items()),
        *(f"{file}\tscore: {sum(values) / 3:.4f}" for file, values in COMET.items()),
        "Predictions saved in: scores.json.",
    ],
    "variance.txt": [
        f"{file}\tSegment {i}\tscore: {value}\tvariance: 0.01"
        for file, values in COMET.items()
        for i, value in enumerate(values)
    ],
}  # fmt: skip


@pytest.mark.parametrize("pair", ["en-de", None])
@pytest.mark.parametrize("name", COMET_FORMS)
def test_comet_s_output_is_read_in_every_form(tmp_path: Path, name: str, pair: str | None) -> None:
    path = write(tmp_path / name, *COMET_FORMS[name])
    assert pairs_of_scores(path) is None
    (found,) = read_scores(path, pair=pair, segments=SEGMENTS)
    assert (found.label, found.systems, found.higher_is_better) == ("COMET", ("A", "B"), True)
    assert found.system == pytest.approx(MEANS, abs=5e-5 if name == "printed.txt" else 1e-15)
    for system, values in SYSTEMS.items():
        np.testing.assert_array_equal(found.segment[system], values)


@pytest.mark.parametrize(
    "lines",
    [
        [json.dumps(comet_items(SYSTEMS["A"]))],
        [json.dumps({"scores": SYSTEMS["A"]})],
        ["Segment 0\tscore: 0.5", "Segment 1\tscore: 0.25", "Segment 2\tscore: 1", "System score: 0.5833"],
    ],
)
def test_a_system_without_a_name_in_comet_s_output_is_named_by_the_caller_or_the_file(
    tmp_path: Path, lines: list[str]
) -> None:
    path = write(tmp_path / "Alder.json", *lines)
    assert read_scores(path)[0].systems == ("Alder",)
    (found,) = read_scores(path, system="A", segments=SEGMENTS)
    assert found.system["A"] == pytest.approx(MEANS["A"], abs=5e-5)


def test_other_numbers_of_a_segment_beside_comet_are_metrics_too(tmp_path: Path) -> None:
    items = [item | {"CometKiwi": 2 * SYSTEMS["A"][i]} for i, item in enumerate(comet_items(SYSTEMS["A"]))]
    found = read_scores(write(tmp_path / "m.json", json.dumps({"a/x": items})), segments=SEGMENTS)
    assert {item.label: list(item.segment["x"]) for item in found} == {
        "COMET": [0.5, 0.25, 1],
        "CometKiwi": [1, 0.5, 2],
    }


def test_files_of_one_name_in_comet_s_output_keep_their_folders(tmp_path: Path) -> None:
    path = write(tmp_path / "m.txt", "a/mt.txt\tscore: 1", "b/mt.txt\tscore: 2")
    (found,) = read_scores(path)
    assert (found.system, found.segment) == ({"a/mt": 1, "b/mt": 2}, {})


def broken(key: object, value: object) -> str:
    """COMET's JSON with a wrong value in the second segment of A."""
    items = comet_items(SYSTEMS["A"])
    items[1] = {k: v for k, v in items[1].items() if k != "COMET"} if key is None else items[1] | {str(key): value}
    return json.dumps({"A": items})


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([json.dumps({"A": comet_items([1, 2])})], r"m\.json: 2 scores of 'A', but at level seg the data need 3\."),
        (
            ['{"A": {"scores": [1, 2, 3]}, "B": {"scores": [1]}}'],
            r"1 scores of 'B', but at level seg the data need 3\.",
        ),
        ([broken("COMET", "good")], r"m\.json, system 'A', segment 2: COMET must be a number, not 'good'\."),
        ([broken("COMET", math.nan)], r"system 'A', segment 2: COMET must be a number, not nan\."),
        ([broken("COMET", math.inf)], r"m\.json: Infinity is not a number\."),
        ([broken("COMET", 10**400)], r"segment 2: COMET must be a number, not 1000"),
        ([broken("COMET", True)], r"segment 2: COMET must be a number, not True\."),
        ([broken("COMET", None)], r"segment 2: COMET must be a number, not None\."),
        ([broken(None, None)], r"system 'A', segment 2: no COMET, which the first segment has\."),
        (['{"A": [], "A": []}'], r"m\.json: the name 'A' occurs twice in an object\."),
        (["{", '"A": [,]', "}"], r"m\.json, line 2: not JSON: Expecting value at character 7\."),
        (['{"scores": [1, 2, "x"]}'], r"m\.json, segment 3: the score must be a number, not 'x'\."),
        (["a\tSegment 0\tscore: 1", "a\tSegment 0\tscore: 1"], r"line 2: segment 0, but the next one .* is 1\."),
        (["a\tSegment 0\tscore: 1", "a\tSegment 2\tscore: 1"], r"line 2: segment 2, but the next one .* is 1\."),
        (["a\tSegment 0\tscore: good"], r"m\.json, line 1: the score must be a number, not 'good'\."),
        (["a\tSegment 0\tscore: nan"], r"m\.json, line 1: the score must be a number, not 'nan'\."),
        (["a\tscore: 1", "a\tscore: 1"], r"m\.json, line 2: a second system score of 'a'\. Remove one of the two\."),
        (["a\tscore: 1", "GPU available"], r"m\.json, line 2: 'GPU available' is not a line that comet-score prints\."),
        (["a\tscore: 1", "System score: 1"], r"m\.json: some lines name the file of the translations, others do not"),
    ],
)
def test_what_is_wrong_in_comet_s_output_is_said_with_its_place(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_scores(write(tmp_path / "m.json", *lines), segments=SEGMENTS)


@pytest.mark.parametrize(
    "lines",
    [
        ["0.5", "0.25", "1"],
        ["1\t0.5", "2\t0.25", "3\t1"],
        ["0 0.5", "1 0.25", "2 1.0"],
        ["3 1", "1 0.5", "2 0.25"],
        ["id score", "1 0.5", "2 0.25", "3 1"],
        ["segment\tscore", "1\t0.5", "2\t0.25", "3\t1"],
        ["seg\tscore", "1\t0.5", "2\t0.25", "3\t1"],
    ],
)
def test_segment_scores_of_one_system_are_a_number_per_line(tmp_path: Path, lines: list[str]) -> None:
    path = write(tmp_path / "Alder.txt", *lines)
    assert pairs_of_scores(path) is None
    (found,) = read_scores(path, segments=SEGMENTS)
    assert (found.label, found.systems) == ("score", ("Alder",))
    np.testing.assert_array_equal(found.segment["Alder"], SYSTEMS["A"])
    (found,) = read_scores(path, segments=SEGMENTS, system="A")
    assert (found.label, found.systems, list(found.segment["A"])) == ("Alder", ("A",), SYSTEMS["A"])


def test_segments_of_one_system_may_have_names_and_no_score(tmp_path: Path) -> None:
    path = write(tmp_path / "Alder.comet", "train:9 1", "train:7 None")
    (found,) = read_scores(path, segments=["train:7", "train:9"])
    assert (found.label, found.systems) == ("comet", ("Alder",))
    np.testing.assert_array_equal(found.segment["Alder"], [np.nan, 1])
    (found,) = read_scores(path, system="A")
    np.testing.assert_array_equal(found.segment["A"], [1, np.nan])


@pytest.mark.parametrize(
    ("name", "system", "label"),
    [
        ("en-de.Alder.txt", "en-de.Alder", "score"),
        ("Alder.seg.score", "Alder", "score"),
        ("Alder.scores", "Alder", "score"),
        ("Alder.comet.gz", "Alder", "comet"),
        ("online-A.0", "online-A.0", "score"),
        ("Alder", "Alder", "score"),
    ],
)
def test_a_file_of_one_system_has_its_name(tmp_path: Path, name: str, system: str, label: str) -> None:
    (found,) = read_scores(write(tmp_path / name, "0.5", "1"))
    assert (found.label, found.systems) == (label, (system,))


def test_numbered_systems_are_systems_if_the_file_is_called_so(tmp_path: Path) -> None:
    (found,) = read_scores(write(tmp_path / "mine.sys.score", "1 0.5", "2 0.25"), segments=SEGMENTS)
    assert (found.label, found.system) == ("mine", {"1": 0.5, "2": 0.25})


def test_a_name_is_refused_where_the_file_names_its_systems(tmp_path: Path) -> None:
    tables = [("m.tsv", "system\tm"), ("m.sys.score", "A 1"), ("m.jsonl", '{"tgt": {"A": "a"}}')]
    for name, line in tables:
        with pytest.raises(UsageError, match="names its systems itself; no other name can be given"):
            read_scores(write(tmp_path / name, line), system="A")
    with pytest.raises(UsageError, match="has scores of 2 systems, so they cannot all be called 'A'"):
        read_scores(write(tmp_path / "m.txt", "a\tscore: 1", "b\tscore: 2"), system="A")


def test_the_pair_is_needed_only_where_there_are_several(tmp_path: Path) -> None:
    path = write(tmp_path / "m.sys.score", "m\ten-de\tset\tA\t1")
    assert read_scores(path)[0].system == {"A": 1}
    for name in ("wmt14.sys.score", "long.tsv"):
        lines = {"wmt14.sys.score": ["m\ten-de\tset\tA\t1", "m\tde-en\tset\tA\t1"]}.get(
            name, ["lp\tsystem\tm", "en-de\tA\t1", "de-en\tA\t2"]
        )
        with pytest.raises(UsageError, match=r"has several language pairs\. Choose one: de-en, en-de\."):
            read_scores(write(tmp_path / name, *lines))
