import gzip
import math
from pathlib import Path

import pytest

from tercet.data.wmtscores import FORMS, ScoreRecord, read_wmt_scores
from tercet.errors import DataError

LINES = {
    "wmt14-sys": "BLEU\tru-en\tnewstest2014\tonlineB.0\t0.33",
    "wmt14-seg": "BLEU\tru-en\tnewstest2014\tonlineB.0\t12\t-0.33",
    "wmt19-sys": "BLEU\tru-en\tnewstest2019\tonline-B.0\t0.33\tnon-ensemble\tno",
    "wmt19-seg": "BLEU\tru-en\tnewstest2019\tonline-B.0\t12\t0.33\tensemble\thttps://example.org",
    "wmt20-seg": "BLEU\tru-en\tnewstest2020\tref\tOnline-B.1\tdoc.3\t12\t33",
    "wmt21-sys": "BLEU\tru-en\tnewstest2021\tref-A\tOnline-B\t.5",
    "wmt21-seg": "BLEU\tru-en\tnewstest2021\tsrc\tOnline-B\t12\t1e-05",
    "wmt23-sys": "BLEU\tru-en\tgeneraltest2023\tall\trefA\tOnline-B\t0.33",
    "wmt23-seg": "BLEU\tru-en\tgeneraltest2023\tnews\tdoc.3\trefA\tOnline-B\t12\tNone",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_recognised_by_its_columns(tmp_path: Path, form: str) -> None:
    path = tmp_path / "m.score.gz"
    path.write_bytes(gzip.compress(f"{LINES[form]}\n".encode()))
    (record,) = read_wmt_scores(path)
    fields = LINES[form].split("\t")
    for name, value in record._asdict().items():
        if name not in FORMS[form]:
            assert value is None
        elif name == "score":
            text = fields[FORMS[form].index(name)]
            assert math.isnan(value) if text == "None" else value == float(text)
        else:
            assert str(value) == fields[FORMS[form].index(name)]


def test_some_submissions_count_segments_from_zero(tmp_path: Path) -> None:
    path = tmp_path / "m.seg.score"
    path.write_text("M\tru-en\tt\tx.1\t0\t.5\nM\tru-en\tt\tx.1\t1\t.6\n")
    assert [record.segment for record in read_wmt_scores(path)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", " is empty."),
        ("a\tb\n", ", line 1: 2 tab-separated fields. A WMT score file has 5, 6, 7, 8 or 9: wmt14-sys (metric pair"),
        (LINES["wmt14-sys"] + "\n" + LINES["wmt14-seg"], ", line 2: 6 tab-separated fields, but line 1 has 5."),
        (LINES["wmt14-sys"].replace("0.33", "high"), "not wmt14-sys: line 1: field 5 (score) is 'high', not a number."),
        (LINES["wmt14-sys"].replace("0.33", "inf"), "field 5 (score) is 'inf', not a number."),
        (LINES["wmt14-sys"].replace("ru-en", "russian"), "field 2 (pair) is 'russian', not a pair such as ru-en."),
        (LINES["wmt14-sys"].replace("onlineB.0", ""), "field 4 (system) is empty."),
        ((LINES["wmt14-sys"] + "\n") * 2, ", line 2: repeats the score of line 1."),
        (
            "M\tru-en\tt\tx\t0.5\t3\t4\n",
            " fits several forms of WMT score files: wmt19-sys (metric pair testset system score "
            "ensemble available), wmt21-seg (metric pair testset reference system segment score).",
        ),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "m.score"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_wmt_scores(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


def test_systems_called_by_numbers_are_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "m.score"
    path.write_text("M\tru-en\tt\trefA\t1\t.5\nM\tru-en\tt\trefA\t2\t.6\n")
    assert [record.segment for record in read_wmt_scores(path)] == [1, 2]  # systems called 1 and 2 are rarer
    path.write_text("M\tru-en\tt\trefA\t1\t.5\nM\tru-en\tt\trefA\tx\t.6\n")
    assert [record.system for record in read_wmt_scores(path)] == ["1", "x"]


def test_the_submission_of_hlepor_to_wmt19_is_read(shared: Path) -> None:
    folder = shared / "data" / "wmt19" / "hlepor_submission"
    systems = read_wmt_scores(folder / "sys.hLEPORa_baseline.txt.gz")
    assert systems[0] == ScoreRecord(
        "hLEPORa_baseline", "cs-de", "newstest2019", "online-Y.0", None, 0.552433334055236,
        ensemble="No", available="poethan.github.com/poethan/LEPOR",
    )  # fmt: skip
    segments = read_wmt_scores(folder / "seg.hLEPORa_baseline.txt.gz")
    assert {record[1] for record in segments} <= {record.pair for record in systems}
    assert segments[1].segment == 2
    assert segments[1].score == 0.285400656884234
