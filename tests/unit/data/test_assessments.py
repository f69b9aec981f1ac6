"""Tables of numbers about outputs: published scores, ratings, post-editing; and how several become one."""

import math
from pathlib import Path

import numpy as np
import pytest

from tercet.data.assessments import (
    read_direct_assessments,
    read_effort_scores,
    read_post_editing,
    read_published,
    read_ratings_by_reference,
)
from tercet.data.scores import Scores
from tercet.data.tables import merged, number, read_table
from tercet.errors import DataError, UsageError


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def scores_of(path: Path, pair: str | None = None, segments: int = 0) -> tuple[dict[str, Scores], dict[str, Scores]]:
    names = {str(number): number - 1 for number in range(1, segments + 1)}
    gold, scores = merged(read_published(path, pair), names)
    return {item.label: item for item in gold}, {item.label: item for item in scores}


def test_the_metric_called_lp_is_not_the_language_pair(tmp_path: Path) -> None:
    path = write(
        tmp_path / "sys.tsv", "lp\tsystem\tDA\tLP\tchrF", "de-en\tx\t0.5\t3\t", "de-en\ty\t-.5\t4\t", "fr-en\tx\t1\t\t2"
    )
    gold, scores = scores_of(path, "de-en")
    assert gold["DA"].system == {"x": 0.5, "y": -0.5}
    assert (gold["DA"].metric.spec, gold["DA"].signature, gold["DA"].higher_is_better) == ("da", "DA|kind:z", True)
    assert scores["LP"].system == {"x": 3, "y": 4}
    assert "chrF" not in scores, "nobody has a chrF in de-en"


def test_a_table_of_several_pairs_needs_one_named(tmp_path: Path) -> None:
    path = write(tmp_path / "sys.tsv", "lp\tsystem\tDA", "de-en\tx\t1", "fr-en\tx\t1")
    with pytest.raises(UsageError, match="Choose one: de-en, fr-en"):
        read_published(path)


def test_segment_scores_come_in_the_order_of_segments(tmp_path: Path) -> None:
    path = write(tmp_path / "de-en.x.tsv", "seg\tsystem\tmqm\tM", "3\tx\t-1\t.1", "1\tx\tNone\t.2", "1\ty\t-5\t.3")
    gold, scores = scores_of(path, segments=3)
    np.testing.assert_array_equal(gold["MQM"].segment["x"], [math.nan, math.nan, -1])
    np.testing.assert_array_equal(scores["M"].segment["y"], [0.3, math.nan, math.nan])
    assert math.isnan(scores["M"].system["x"]) and scores["M"].n_segments == 3


def test_molten_tables_say_in_each_row_whose_score_it_is(tmp_path: Path) -> None:
    human = write(tmp_path / "en-de.human_sys.tsv", "kind\tsystem\tscore", "mqm\tx\t-3", "da-sqm\tx\t80", "mqm\ty\t-4")
    gold, none = scores_of(human)
    assert (gold["MQM"].system, gold["DA+SQM"].system, none) == ({"x": -3, "y": -4}, {"x": 80}, {})
    metric = write(tmp_path / "en-de.metric_sys.tsv", "metric\tsystem\tscore", "BLEU-refA\tx\t30")
    assert scores_of(metric)[1]["BLEU-refA"].system == {"x": 30}


def test_wide_tables_are_named_by_their_metric(tmp_path: Path) -> None:
    path = write(tmp_path / "de-en.chrF+.tsv", "seg\tx\ty", "1\t10\t20", "2\t11\tNone")
    (scores,) = scores_of(path, segments=2)[1].values()
    assert scores.label == "chrF+"
    np.testing.assert_array_equal(scores.segment["y"], [20, math.nan])


def test_blanks_separate_where_the_header_has_no_tab(tmp_path: Path) -> None:
    path = write(
        tmp_path / "DA-x-sys-scores.csv", "LP SYSTEM HUMAN HUMAN_RAW TER", "en-de x .1 70 -.5", "en-de h .2 80 "
    )
    gold, scores = scores_of(path, "en-de")
    assert (gold["DA"].system, gold["DA raw"].system) == ({"x": 0.1, "h": 0.2}, {"x": 70, "h": 80})
    assert scores["TER"].system == {"x": -0.5}, "no score, no entry"
    ends = write(tmp_path / "ad-sys-scores-cs-en.csv", "RAW.SCR Z.SCR N SYS N.ALL ", "73 .1 627 x 877 ")
    assert set(scores_of(ends)[0]) == {"DA", "DA raw"} and not scores_of(ends)[1]


def test_the_odd_table_of_ted_averages(tmp_path: Path) -> None:
    path = write(tmp_path / "ted.en-de.mqm_avg_seg.tsv", "system mqm_avg_score seg_id", "x\t-1.0 1", "x\tNone 2")
    np.testing.assert_array_equal(scores_of(path, segments=2)[0]["MQM"].segment["x"], [-1, math.nan])


def test_system_and_segment_tables_of_one_name_become_one_score(tmp_path: Path) -> None:
    first = write(tmp_path / "seg.tsv", "seg\tsystem\tDA_z", "1\tx\t.5")
    second = write(tmp_path / "sys.tsv", "system\tDA", "x\t.4", "y\t.3")
    (gold,), _ = merged([*read_published(first), *read_published(second)], {"1": 0})
    assert gold.system == {"x": 0.4, "y": 0.3} and list(gold.segment) == ["x"]
    assert gold.provenance["files"] == [str(first), str(second)]


def test_a_number_in_two_files_must_be_the_same(tmp_path: Path) -> None:
    first = write(tmp_path / "a.tsv", "seg\tsystem\tM", "1\tx\t0.5")
    rounded = write(tmp_path / "b.tsv", "seg\tsystem\tM", "1\tx\t0.50000000001", "2\tx\t0.7")
    other = write(tmp_path / "c.tsv", "seg\tsystem\tM", "1\tx\t0.6")
    segments = {"1": 0, "2": 1}
    _, (scores,) = merged([*read_published(first), *read_published(rounded)], segments)
    np.testing.assert_array_equal(scores.segment["x"], [0.5, 0.7])
    with pytest.raises(DataError, match=r"M of system 'x' differs between .*c\.tsv and .*a\.tsv\. Give the file"):
        merged([*read_published(first), *read_published(other)], segments)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["system\tDA", "x\t1", "y\t2", "x\t1"], r"line 4: system 'x' again, after line 2\. Remove one"),
        (["seg\tsystem\tM", "1\tx\t1", "1\tx\t2"], r"line 3: system 'x', segment '1' again, after line 2"),
        (["seg\tsystem\tM", "1\tx\t1", "9\tx\t1"], r"line 3: there is no segment '9' in the test set, which has 2"),
        (["system\tM", "x\tgood"], r"line 2, column 'M': 'good' is not a number; write None"),
        (["system\tM", "x\tinf"], r"'inf' is not a number"),
        (["system\tM", "x\t1\t2"], r"line 2: 3 tab-separated fields"),
        (["system\tM\tM", "x\t1\t2"], r"line 1: two columns are called 'M'"),
        (["system\t\tM", "x\t1\t2"], r"line 1: column 2 has no name"),
        (["system\tM"], r"a header but no rows"),
        (["system\tseg", "x\t1"], r"line 1: no column with scores"),
        (["a\tb", "x\t1"], r"line 1: no column 'system'"),
        ([], r"is empty"),
    ],
)
def test_a_bad_table_is_refused_with_its_line(tmp_path: Path, lines: list[str], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        scores_of(write(tmp_path / "bad.tsv", *lines), segments=2)


def test_a_row_that_is_there_twice_is_read_once_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path / "de-cs.COMET.tsv", "seg\tsystem\tM\tN", "1\tx\t1\t", "2\tx\t3\t", "1\tx\t1\t")
    scores = scores_of(path, segments=2)[1]["M"]
    assert scores.segment["x"].tolist() == [1, 3]
    assert "1 rows repeat earlier rows, the first one in line 4 (equal to line 2)" in caplog.text


def test_columns_of_one_name_matter_only_to_those_who_ask(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.tsv", "a\tb\tb", "1\t2\t3"))
    assert table.column("a") == ["1"]
    with pytest.raises(DataError, match="two columns are called 'b'"):
        table.column("b")


def test_raw_direct_assessments_of_unknown_raters(tmp_path: Path) -> None:
    path = write(
        tmp_path / "en-de.dev.tsv",
        "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\tmodel_scores",
        "0\tA \"b\"\tC\t[70, 80.5]\t75.25\t[0.1, 0.2]\t0.15\t-0.3",
    )  # fmt: skip
    found = read_direct_assessments(path, "en-de")
    (judgements,) = found.judgements
    assert [(row.kind, row.segment, row.system, row.value) for row in judgements.rows] == [
        ("da", "dev:0", "mt", 70), ("da", "dev:0", "mt", 80.5),
    ]  # fmt: skip
    gold, scores = merged(found.published, {"dev:0": 0})
    assert {item.label: item.segment["mt"].tolist() for item in gold} == {"DA": [0.15], "DA raw": [75.25]}
    assert [item.label for item in scores] == ["model_scores"]
    assert found.testset is not None and found.testset.source == ('A "b"',)


@pytest.mark.parametrize(
    ("scores", "problem"), [("70", "not a list"), ("[true]", "not a list"), ("[101]", "101 is out of")]
)
def test_bad_direct_assessments_are_refused(tmp_path: Path, scores: str, problem: str) -> None:
    path = write(tmp_path / "d.tsv", "index\toriginal\ttranslation\tscores", f"0\ta\tb\t{scores}")
    with pytest.raises(DataError, match=f"line 2: .*{problem}"):
        read_direct_assessments(path)


def test_effort_has_three_raters_and_a_weighted_mean(tmp_path: Path) -> None:
    header = "seg source mt postedit reference effort score1 score2 score3 weight1 weight2 weight3 f1".split()
    row = "1 s m p r 4.5 5 5 4 0.33 0.17 0.50 13.0".split()
    found = read_effort_scores(write(tmp_path / "training.tsv", "\t".join(header), "\t".join(row)))
    assert [(row.kind, row.rater, row.value) for row in found.judgements[0].rows] == [
        ("likert", "1", 5), ("likert", "2", 5), ("likert", "3", 4),
    ]  # fmt: skip
    (gold,), none = merged(found.published, {"training:1": 0})
    assert gold.signature == "effort|kind:likert|weights:0.33+0.17+0.50" and not none
    assert found.testset is not None and set(found.testset.references) == {"reference", "postedit"}


PE = "file_name\tline_in_file\twho\ttime\tkeystrokes\tDA\tHTER\tTER\tBLEU\tMETEOR"


def test_post_editing_counts_seconds_keys_and_edits(tmp_path: Path) -> None:
    path = write(
        tmp_path / "annotations.tsv",
        PE,
        "newstest2011.en-es.uedin-x.y_doc-9\t5\tann1\t1500\t68\t.5\t.25\t.6\t.1\t.3",
        "en-es.newstest2009.rwth_doc-36\t6\tann1\t2000\t10\t.7\t.5\t.4\t.2\t.3",
        "newstest2011.en-es.uedin-x.y_doc-9\t5\tann2\t500\t3\t.5\t.125\t.6\t.1\t.3",
    )
    found = read_post_editing(path)
    (judgements,) = found.judgements
    assert judgements.kinds == {"hter": 3, "seconds": 3, "keystrokes": 3}
    assert judgements.of("seconds").values.tolist() == [1.5, 2, 0.5]
    assert judgements.systems == ("uedin-x.y", "rwth")
    assert judgements.segments == ("newstest2011:doc-9:5", "newstest2009:doc-36:6")
    gold, scores = merged(found.published, {name: place for place, name in enumerate(judgements.segments)})
    assert [item.label for item in gold] == ["DA"]
    assert {item.label: item.higher_is_better for item in scores} == {"TER": False, "BLEU": True, "METEOR": True}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("newstest2011.x_doc-9\t5\ta\t1\t6\t.5\t.2\t.6\t.1\t.3", "is not TESTSET.PAIR.SYSTEM_doc-N"),
        ("en-es.t.x_doc-9\t5\ta\t1\t6\t.9\t.2\t.6\t.1\t.3", "line 3: DA of this output differs from its DA in line 2"),
        ("en-es.t.x_doc-9\t5\ta\t1\t6\t.5\t\t.6\t.1\t.3", "line 3: nan is out of range for hter"),
    ],
)  # fmt: skip
def test_bad_post_editing_is_refused(tmp_path: Path, row: str, problem: str) -> None:
    first = "en-es.t.x_doc-9\t5\ta\t1\t6\t.5\t.2\t.6\t.1\t.3"
    with pytest.raises(DataError, match=problem):
        read_post_editing(write(tmp_path / "annotations.tsv", PE, first, row))


def test_ratings_know_the_reference_that_was_shown(tmp_path: Path) -> None:
    write(
        tmp_path / "segments.tsv",
        "segment_id\tbatch\tmt_id\tkind\tmt\tshown_text",
        "1\t1\t1\treference\tOut\tRef one", "2\t2\t1\treference\tOut\tRef two", "401\t5\t1\tsource\tOut\tSrc",
    )  # fmt: skip
    path = write(tmp_path / "ratings.tsv", "judge\tsegment_id\tbatch\tmt_id\trating", "9\t2\t2\t1\t4")
    found = read_ratings_by_reference(path)
    (row,) = found.judgements[0].rows
    assert (row.kind, row.segment, row.system, row.value, row.rater, row.reference) == (
        "adequacy",
        "1",
        "mt",
        4,
        "9",
        "2",
    )
    assert found.testset is not None
    assert (found.testset.source, dict(found.testset.references)) == (("Src",), {"1": ("Ref one",), "2": ("Ref two",)})
    thesis = write(tmp_path / "thesis_ratings.tsv", "batch\tjudge\tsegment_id\trating", "5\t9\t2001\t3")
    assert read_ratings_by_reference(thesis).judgements[0].rows[0].reference == "5"
    wrong = write(tmp_path / "wrong.tsv", "judge\tsegment_id\tbatch\trating", "9\t2\t1\t4")
    with pytest.raises(DataError, match="line 2: segment_id '2' has batch 1, but 2 in"):
        read_ratings_by_reference(wrong)


def test_ratings_need_the_table_of_what_was_shown(tmp_path: Path) -> None:
    path = write(tmp_path / "ratings.tsv", "judge\tsegment_id\tbatch\trating", "9\t2\t2\t4")
    with pytest.raises(DataError, match=r"needs segments\.tsv in the same folder"):
        read_ratings_by_reference(path)


def test_numbers_are_plain_decimal_numbers() -> None:
    assert number("-1.5e-3", "") == -0.0015 and math.isnan(number("None", ""))
    for text in ("1_000", "٣", "1,5", "infinity", " 1"):
        with pytest.raises(DataError, match="is not a number"):
            number(text, "here")


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 1: no column 'c'. Columns: a, b"):
        read_table(write(tmp_path / "t.tsv", "a\tb", "1\t2")).column("c")


@pytest.mark.parametrize("scores", ["[" * 100_000, f"[{'9' * 400}]", f"[{'9' * 5000}]", '["70"]', "70"])
def test_lists_of_scores_that_are_none_are_refused(tmp_path: Path, scores: str) -> None:
    path = write(tmp_path / "en-de.train.tsv", "index\toriginal\ttranslation\tscores", f"0\ta\tb\t{scores}")
    with pytest.raises(
        DataError, match=r"train\.tsv, line 2: scores .{1,42} are not a list of numbers such as \[70, 65\]"
    ):
        read_direct_assessments(path)


def test_outputs_that_were_post_edited_need_not_have_a_direct_assessment(tmp_path: Path) -> None:
    header = "file_name\tline_in_file\twho\tHTER\ttime\tkeystrokes\tDA\tTER\tBLEU\tMETEOR"
    rows = [f"tst.en-es.A_doc-1\t1\t{who}\t.1\t900\t5\t{{da}}\t.1\t.2\t.3" for who in ("p", "q")]
    path = write(tmp_path / "pe.tsv", header, *(row.format(da="NA") for row in rows))
    found = read_post_editing(path)
    assert len(found.judgements[0]) == 6 and math.isnan(found.published[0].columns["DA"][0])
    path = write(tmp_path / "pe.tsv", header, rows[0].format(da="NA"), rows[1].format(da="70"))
    with pytest.raises(DataError, match=r"line 3: DA of this output differs from its DA in line 2"):
        read_post_editing(path)
