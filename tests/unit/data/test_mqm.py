"""Reading MQM annotations and giving errors their weights."""

import gzip
import math
from pathlib import Path

import pytest

from tercet.data.judgements import Judgement, Judgements, Span
from tercet.data.mqm import marked, read_mqm, read_ratings
from tercet.errors import DataError, UnknownName, UsageError
from tercet.human.mqm import GOOGLE, WMT23, parse_weights, weigh

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


def table(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("".join(f"{row}\n" for row in (header, *rows) if row), encoding="utf-8")
    return path


def test_a_table_gives_one_judgement_per_system_segment_and_rater(tmp_path: Path) -> None:
    path = table(
        tmp_path / "ted.mqm.tsv",
        'A\td1\t1\t1\tr1\tx "y\tDas <v>ist</v> 🙂 "gut\tFluency/Grammar\tMinor',
        "B\td1\t1\t1\tr1\tx\tDas\tNo-error\tNo-error",
        'A\td1\t1\t1\tr1\t<v>x</v> "y\tDas ist 🙂 "gut\tAccuracy/Omission\tMajor',
        'A\td1\t1\t1\tr2\tx "y\tDas ist 🙂 "<v>gut</v>\tOther\tNeutral',
        "A\td1\t2\t2\tr1\ty\tz\tNon-translation!\tMajor",
    )
    judgements = read_mqm(path, pair="en-de")
    assert judgements.pair == "en-de" and judgements.name == "ted.mqm"
    first, clean, second, unmarked = judgements.rows
    assert (first.system, first.segment, first.rater, first.kind) == ("A", "1", "r1", "mqm")
    assert math.isnan(first.value)
    assert first.spans == (
        Span(4, 7, "Minor", "Fluency/Grammar"),
        Span(0, 1, "Major", "Accuracy/Omission", in_source=True),
    )
    assert (clean.system, clean.spans) == ("B", ())
    assert second.spans == (Span(11, 14, "Neutral", "Other"),)  # code points: the emoji is one
    assert unmarked.spans == (Span(None, None, "Major", "Non-translation!"),)


def test_marot_names_its_columns_otherwise_and_has_a_tenth(tmp_path: Path) -> None:
    header = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"
    path = table(tmp_path / "m.tsv", 'A\td\t1\t7\tr\ts\t<v>t</v>\tc\tminor\t{"timestamp": 1}', header=header)
    assert [row.segment for row in read_mqm(path).rows] == ["7"]


@pytest.mark.parametrize("last", ["", "\ta comment"])
def test_a_table_may_lack_its_header(tmp_path: Path, last: str) -> None:
    path = table(tmp_path / "m.tsv", f"A\td\t1\t7\tr\ts\t<v>t</v>\tc\tminor{last}", header="")
    assert read_mqm(path).rows[0].spans == (Span(0, 1, "minor", "c"),)


def test_unbabel_quotes_fields_and_brings_its_own_score(tmp_path: Path) -> None:
    path = table(
        tmp_path / "m.tsv",
        'A\td\t1\t1\tr\ts\t"sagt ""<v>ja</v>"" ."\tc\tminor\t"{""mqm"": 90.5}"',
        'A\td\t1\t1\tr\ts\t"sagt ""ja"" <v>.</v>"\tc\tminor\t"{""mqm"": 90.5}"',
        header=f"{HEADER}\tmisc",
    )
    (row,) = read_mqm(path).rows
    assert row.value == 90.5
    assert row.spans == (Span(6, 8, "minor", "c"), Span(10, 11, "minor", "c"))


@pytest.mark.parametrize(
    ("text", "place"),
    [("ab", (None, None)), ("<v>a</v>b", (0, 1)), ("a<v>b</v>c<v>d</v>e", (1, 4)), ("a<v></v>b", (1, 1))],
)
def test_a_mark_is_found_in_the_text_without_marks(text: str, place: tuple[int | None, int | None]) -> None:
    assert marked(text, "here") == place


def test_a_mark_that_is_never_closed_reaches_to_the_end_and_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    assert marked("ab <v>c.", "f, line 3") == (3, 5)
    assert "f, line 3: <v> is never closed" in caplog.text
    with pytest.raises(DataError, match="here: </v> without <v>"):
        marked("ab</v>", "here")


def test_segment_numbers_that_count_within_documents_are_refused_unless_said(tmp_path: Path) -> None:
    path = table(tmp_path / "m.tsv", "A\td1\t1\t1\tr\ts\tt\tc\tminor", "A\td2\t1\t1\tr\ts\tt\tc\tminor")
    with pytest.raises(DataError, match=r"line 3: segment '1' is d2:1 here and d1:1 in .*line 2.*identity='document'"):
        read_mqm(path)
    assert read_mqm(path, identity="document").segments == ("d1:1", "d2:1")
    with pytest.raises(UnknownName, match="identity of segments"):
        read_mqm(path, identity="docs")


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        (["A\td\t1"], HEADER, "line 2: 3 tab-separated fields, but 9"),
        ([], HEADER, "holds no annotations"),
        (["A\td"], "system\tdoc", "line 1: no column doc_id, seg_id"),
        (["A\td\t1\t1\tr\ts\tt\tc\tminor\t{"], f"{HEADER}\tmisc", "line 2, misc: not JSON"),
        (['A\td\t1\t1\tr\ts\tt\tc\tminor\t"{""mqm"": true}"'], f"{HEADER}\tmisc", "line 2, misc: mqm must be a number"),
    ],
)
def test_damaged_tables_are_refused_with_their_line(tmp_path: Path, rows: list[str], header: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_mqm(table(tmp_path / "m.tsv", *rows, header=header))


def test_ratings_are_numbered_by_their_lines_and_none_is_nobody(tmp_path: Path) -> None:
    path = tmp_path / "en-de.mqm.seg.rating.gz"
    error = '{"start": 3, "end": 5, "category": "c", "severity": "major", "score": %s, "is_source_error": true}'
    lines = ["A\tNone", f'A\t{{"errors": [{error % 5}, {error % 0.1}]}}\tr2', 'B\t{"errors": []}', "B\tNone"]
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    judgements = read_ratings(path, n_segments=2)
    assert judgements.name == "en-de.mqm"
    assert judgements.rows == (
        Judgement("mqm", "2", "A", -5.1, "r2", spans=(Span(3, 5, "major", "c", True),) * 2),
        Judgement("mqm", "1", "B", 0.0, spans=()),
    )
    assert math.copysign(1, judgements.values[1]) == 1
    with pytest.raises(DataError, match="2 ratings of 'A', but 3 are needed"):
        read_ratings(path, n_segments=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A\tNone\nB\tNone\nA\tNone\n", "line 3: the ratings of 'A' are not in consecutive lines"),
        ("A\tNone\nA\tNone\nB\tNone\n", "1 ratings of 'B', but 2"),
        ("A None\n", "line 1: 1 tab-separated fields"),
        ("A\t{\n", "line 1: not JSON"),
        ("A\t[]\n", 'line 1: an object with a list "errors"'),
        ('A\t{"errors": [3]}\n', "line 1: an error must be an object"),
        ('A\t{"errors": [{"start": "a"}]}\n', "line 1: start and end of an error must be whole numbers, not 'a'"),
        ('A\t{"errors": [{"score": "a"}]}\n', "line 1: score must be a number"),
        ("", "is empty"),
    ],
)
def test_damaged_ratings_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.seg.rating"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_ratings(path)


def errors(*pairs: tuple[str, str]) -> Judgements:
    spans = tuple(Span(0, 1, severity, category) for severity, category in pairs)
    return Judgements([Judgement("mqm", "1", "A", math.nan, "r", spans=spans)], name="set")


@pytest.mark.parametrize(
    ("error", "weight"),
    [
        (("Major", "Accuracy/Mistranslation"), 5),
        (("minor", "fluency/punctuation"), 0.1),
        (("Major", "Fluency/Punctuation"), 5),
        (("Minor", "Fluency/Punctuation/Comma"), 0.1),
        (("MAJOR", "Non-translation!"), 25),
        (("Minor", "Non-translation!"), 1),
        (("Neutral", "x"), 0),
        (("Major", ""), 5),
        (("Major", "Source issue"), 5),
    ],
)
def test_the_most_specific_weight_counts_whatever_the_case(error: tuple[str, str], weight: float) -> None:
    assert weigh(errors(error)).values.tolist() == [-weight]


def test_wmt23_counts_two_categories_as_no_error_of_any_severity() -> None:
    listed = errors(("major", "source issue"), ("minor", "accuracy/creative reinterpretation"), ("minor", "other"))
    assert weigh(listed, WMT23).values.tolist() == [-1]
    assert weigh(listed, GOOGLE).values.tolist() == [-7]


def test_no_errors_cost_nothing_and_weights_can_be_text() -> None:
    assert math.copysign(1, weigh(errors()).values[0]) == 1
    assert weigh(errors(("a", "b c/d"), ("a", "")), "a:2, a/b c:3.5").values.tolist() == [-5.5]
    assert parse_weights("Major:5 Minor:1 Minor/Fluency/Punctuation:0.1 ") == {
        "Major": 5, "Minor": 1, "Minor/Fluency/Punctuation": 0.1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the list is empty"),
        ("Major", "'Major' must have the form"),
        ("Major:x", "the weight of 'Major', 'x', is not a number"),
        ("Major:nan", "'nan'"),
        ("Major:1 Major:2", "'Major' occurs twice"),
    ],
)
def test_bad_weights_are_usage_errors(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_weights(text)


def test_an_error_without_weight_and_other_kinds_are_refused_by_place() -> None:
    with pytest.raises(
        DataError, match=r"'set', segment '1', system 'A', rater 'r': there is no weight .* severity 'critical'"
    ):
        weigh(errors(("critical", "x")))
    with pytest.raises(DataError, match="weights are for marked errors, and this is a judgement of kind da"):
        weigh(Judgements([Judgement("da", "1", "A", 5)]))
    with pytest.raises(UsageError, match="differ only in upper and lower case"):
        weigh(errors(), {"major": 1, "Major": 2})


def test_a_quotation_mark_that_is_never_closed_is_said(tmp_path: Path) -> None:
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tmisc"
    opened = 'a\td\t1\t1\tr\t"source\ttarget\tAccuracy\tMajor\t{}'
    rest = ["a\td\t1\t1\tr\tsource\ttarget\tAccuracy\tMajor\t{}"] * 4000
    path = tmp_path / "unbabel.tsv"
    path.write_text("\n".join([header, opened, *rest, ""]), "utf-8")
    with pytest.raises(DataError, match=r"unbabel\.tsv, line \d+: .*Is a quotation mark in this line never closed"):
        read_mqm(path)


@pytest.mark.parametrize("score", ["9" * 400, "true", '"5"', "Infinity"])
def test_a_score_that_is_no_number_is_refused_in_ratings(tmp_path: Path, score: str) -> None:
    path = tmp_path / "en-de.mqm.seg.rating"
    path.write_text(f'a\t{{"errors": [{{"score": {score}}}]}}\n', "utf-8")
    with pytest.raises(DataError, match=r"line 1: (score must be a number, not .{1,90}|Infinity is not a number)\.$"):
        read_ratings(path)
