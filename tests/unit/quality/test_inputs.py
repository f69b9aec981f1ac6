"""What quality estimation reads, and what it refuses, with file and line."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tercet.errors import DataError, TercetError, UsageError
from tercet.quality.inputs import (
    GivenFeatures,
    check_labels,
    check_languages,
    check_parallel,
    check_range,
    read_column,
    read_features,
    read_labels,
    read_names,
    read_texts,
    same_languages,
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_file_has_a_value_per_line_and_a_table_has_columns(tmp_path: Path) -> None:
    lines = read_column(write(tmp_path / "a.txt", "one\ntwo\n"))
    assert (lines.values, lines.place(1)) == (("one", "two"), f"{tmp_path}/a.txt, line 2")
    table = write(tmp_path / "t.tsv", 'id\ttext\n1\t"quoted\n2\tb\n')
    column = read_column(f"{table}:text")
    assert (column.values, column.place(0)) == (('"quoted', "b"), f"{table}, line 2")


def test_a_table_may_be_gzipped_and_a_file_name_may_hold_a_colon(tmp_path: Path) -> None:
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(b"a\tb\n1\t2\n"))
    assert read_column(f"{tmp_path}/t.tsv.gz:b").values == ("2",)
    write(tmp_path / "t", "a\n1\n")
    assert read_column(write(tmp_path / "t:a", "whole\n")).values == ("whole",)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.txt", "There is no file"),
        ("none.txt:a", "There is no file"),
        (f"{'long' * 2000}:a", "cannot be read"),
        ("empty.txt", "empty.txt is empty: one line per segment is needed"),
        ("t.tsv:bb", r"There is no column of .*t\.tsv called 'bb'\. Did you mean b\?"),
        ("ragged.tsv:a", r"ragged\.tsv, line 3: 1 tab-separated fields, but line 1 has 2"),
        ("header.tsv:a", "header.tsv:a is empty"),
        ("twice.tsv:a", r"twice\.tsv, line 1: 2 columns are called 'a'\. Rename all but one"),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, name: str, message: str) -> None:
    write(tmp_path / "empty.txt", "")
    write(tmp_path / "t.tsv", "a\tb\n1\t2\n")
    write(tmp_path / "ragged.tsv", "a\tb\n1\t2\n3\n")
    write(tmp_path / "header.tsv", "a\tb\n")
    write(tmp_path / "twice.tsv", "a\tb\ta\n1\t2\t3\n")
    with pytest.raises(TercetError, match=message):
        read_column(tmp_path / name)


def test_names_are_not_blank(tmp_path: Path) -> None:
    assert read_names(write(tmp_path / "n", "a\na\n"), "group").values == ("a", "a")
    with pytest.raises(DataError, match="n, line 2: the group is missing. Every line needs one"):
        read_names(write(tmp_path / "n", "a\n \n"), "group")
    with pytest.raises(
        UsageError, match=r"^There is no file systems\. A file with the system of each segment is needed"
    ):
        read_names("systems", "system")


def test_texts_of_different_lengths_are_refused_with_their_counts(tmp_path: Path) -> None:
    source, output = write(tmp_path / "s", "a\nb\n"), write(tmp_path / "o", "a\n")
    labels = read_column(write(tmp_path / "l", "1\n2\n3\n"))
    with pytest.raises(DataError, match=f"not parallel. Segments: {source}: 2, {output}: 1, {tmp_path}/l: 3"):
        read_texts(source, output, labels)
    check_parallel(labels, labels)
    assert read_texts(source, source) == (("a", "b"), ("a", "b"))


def test_labels_are_numbers(tmp_path: Path) -> None:
    column, labels = read_labels(write(tmp_path / "l", "1\n 2.5\n-3e1\n"), (-30, 3))
    assert labels.tolist() == [1, 2.5, -30]
    assert len(column) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n\n2\n", "l, line 2: the label is missing. Every line needs a number"),
        ("1\ngood\n", "l, line 2: 'good' where a label is needed, which must be a finite number"),
        ("1\nnan\n", "l, line 2: 'nan' where a label is needed"),
        ("1\n1_5\n", "l, line 2: '1_5' where a label is needed"),
        ("inf\n1\n", "l, line 1: 'inf' where a label is needed, which must be a finite number\\.$"),
        ("72,5\n1\n", r"l, line 1: '72,5' .* a finite number\. Write decimals with a point and no commas, as 72\.5\.$"),
        ("1\n1,234.5\n", "l, line 2: '1,234.5' .* Write decimals with a point and no commas"),
        ("72%\n1\n", r"l, line 1: '72%' where a label is needed, which must be a finite number\.$"),
        (
            "-1e308\n1\n",
            r"l, line 1: '-1e308' where a label is needed, which must be a finite number of at most 1e\+100",
        ),
        ("1\n2\n6\n", r"l, line 3: the label 6 is outside the range from 1 to 5"),
        ("0.5\n2\n6\n", r"l, line 1: the label 0\.5 is outside the range from 1 to 5"),
    ],
)
def test_labels_that_cannot_be_right_are_refused_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_labels(write(tmp_path / "l", text), (1, 5))


def test_labels_in_memory_are_checked_the_same_way() -> None:
    with pytest.raises(DataError, match="Label 2: the label is missing or not a finite number"):
        check_labels(np.array([1, np.nan]), None, lambda row: f"Label {row + 1}")
    with pytest.raises(DataError, match=r"Label 1: the label is missing or not a finite number of at most 1e\+100"):
        check_labels(np.array([1e101, 1]), None, lambda row: f"Label {row + 1}")


def test_a_range_goes_upwards() -> None:
    assert check_range([1, 5]) == (1.0, 5.0)
    for wrong in ([5, 1], [1, 1], [0, np.inf], [np.nan, 1]):
        with pytest.raises(UsageError, match="from a lower to a higher number"):
            check_range(wrong)


def test_features_of_ones_own_are_a_table_with_a_header(tmp_path: Path) -> None:
    found = read_features(write(tmp_path / "f.tsv", "x\ty\n1\t2\n3\t4.5\n"), 2)
    assert found.names == ("x", "y")
    assert found.values.tolist() == [[1, 2], [3, 4.5]]
    assert found.only(["y"]).values.tolist() == [[2], [4.5]]
    with pytest.raises(UsageError, match="no given feature called 'z'"):
        found.only(["z"])


def test_a_feature_of_ones_own_may_be_a_column_among_others(tmp_path: Path) -> None:
    table = write(tmp_path / "f.tsv", "text\tscore\na\t2\nb\t4.5\n")
    found = read_features(f"{table}:score", 2)
    assert (found.names, found.values.tolist()) == (("score",), [[2], [4.5]])
    with pytest.raises(DataError, match=rf"{table}, line 2, column 'text': 'a' where a feature is needed"):
        read_features(f"{table}:text", 2)
    with pytest.raises(UsageError, match=rf"There is no column of {table} called 'scores'\. Did you mean score\?"):
        read_features(f"{table}:scores", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"f\.tsv has no rows"),
        ("x\ty\n", r"f\.tsv has no rows"),
        ("x\ty\n1\t2\n", r"f\.tsv has 1 rows below its header, but there are 2 segments"),
        ("x\ty\n1\t2\n1\n", r"f\.tsv, line 3: 1 tab-separated fields"),
        ("x\t\n1\t2\n1\t2\n", r"f\.tsv, line 1: column 2 has no name"),
        ("x\ty\n1\t2\n1\tu\n", r"f\.tsv, line 3, column 'y': 'u' where a feature is needed"),
        ("x\ty\n1\t\n1\t2\n", r"f\.tsv, line 2, column 'y': the feature is missing"),
        ("x\tx\n1\t2\n1\t2\n", "The feature 'x' is given twice"),
    ],
)
def test_a_wrong_table_of_features_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_features(write(tmp_path / "f.tsv", text), 2)


def test_features_in_memory_are_checked_too() -> None:
    with pytest.raises(DataError, match="Feature 'b', segment 1: not a finite number"):
        GivenFeatures(("a", "b"), np.array([[1, np.nan]]))
    with pytest.raises(DataError, match=r"Feature 'a', segment 1: not a finite number of at most 1e\+100"):
        GivenFeatures(("a", "b"), np.array([[-1e300, 1]]))
    with pytest.raises(UsageError, match=r"There are 2 names of features, but values of shape \(1, 3\)"):
        GivenFeatures(("a", "b"), np.ones((1, 3)))


def test_languages_are_two() -> None:
    assert check_languages("et-en") == ("et", "en")
    assert check_languages(["zh_CN", "en"]) == ("zh_CN", "en")
    assert check_languages(" ET - en") == ("et", "en")
    assert check_languages(("zh-Hans", "EN_gb")) == ("zh_Hans", "en_gb")
    for wrong in ("et", "et-", "a-b-c", ["et"], "", "-", ["et", 3], "et-en\n\n-de"):
        with pytest.raises(UsageError, match="Give the languages as SRC-TGT, such as et-en"):
            check_languages(wrong)
    assert same_languages(("zh_CN", "en"), ("zh", "EN"))
    assert not same_languages(("en", "zh"), ("zh", "en"))


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("en_de", "not 'en_de'. Write en-de."),
        ("pt-BR-en", "Join a region or script to its language with an underscore, as in pt_BR-en."),
        ("estonian-english", "Use language codes of two or three letters."),
        ("e-f", "Use language codes of two or three letters."),
    ],
)
def test_how_to_write_languages_is_said(wrong: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_languages(wrong)
    assert str(raised.value).endswith(hint)


def test_a_table_with_semicolons_instead_of_tabs_is_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", "source;label\na;1\nb;2\n")
    message = rf"{path}, line 1: there is no tab, but ';'\. Tables must be separated by tabs"
    with pytest.raises(DataError, match=message):
        read_labels(f"{path}:label")
    with pytest.raises(DataError, match=message):
        read_features(path, 2)
    assert read_column(f"{path}:source;label").values == ("a;1", "b;2")


def test_columns_of_a_csv_file_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "source;label\na;1\nb;2\n")
    assert read_labels(f"{path}:label")[1].tolist() == [1, 2]


def test_columns_that_are_not_parallel_are_named(tmp_path: Path) -> None:
    table = write(tmp_path / "t.tsv", "a\tb\n1\t2\n3\t4\n")
    with pytest.raises(
        DataError,
        match=rf"{table}:a: 2, {table}: 3\. {table} without a column means all its lines, with the header: name",
    ):
        read_texts(f"{table}:a", table)
    other = write(tmp_path / "o", "x\n")
    with pytest.raises(DataError, match=rf"{table}:a: 2, {other}: 1\. Run 'tercet check'"):
        read_texts(f"{table}:a", other)


def test_a_header_among_labels_is_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "l", "score\n1\n2\n")
    with pytest.raises(
        DataError, match=rf"l, line 1: 'score' where .* If line 1 is a header, name the column: {path}:score\."
    ):
        read_labels(path)
    path = write(tmp_path / "t", "id\tscore\nx\t2\n")
    with pytest.raises(DataError, match=rf"If line 1 is a header, name the column: {path}:COLUMN\."):
        read_labels(path)
    for text in ("\n1\n", "1\nscore\n"):
        with pytest.raises(DataError) as raised:
            read_labels(write(tmp_path / "l", text))
        assert "is a header" not in str(raised.value)
