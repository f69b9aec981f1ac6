import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from tercet.data import TestSet
from tercet.data.tsv import pairs, read_pair, read_tsv, write_pair, write_tsv
from tercet.errors import DataError, UnknownName, UsageError


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def test_the_header_says_what_columns_hold(tmp_path: Path) -> None:
    path = table(
        tmp_path / "t.tsv",
        "seg\tsrc\tref0\tref_B\tdoc\tdomain\tonline-A\tuedin\n7\ts\tr\tb\td1\tnews\tx\ty\n8\tS\tR\tB\td2\tchat\tX\tY\n",
    )
    testset = read_tsv(path, pair="ru-en")
    assert testset == TestSet(
        {"online-A": ["x", "X"], "uedin": ["y", "Y"]},
        {"ref0": ["r", "R"], "B": ["b", "B"]},
        ["s", "S"],
        ["d1", "d2"],
        {"seg": ["7", "8"], "domain": ["news", "chat"]},
        pair="ru-en",
        name="t",
    )


def test_with_sys_columns_the_others_are_labels(tmp_path: Path) -> None:
    testset = read_tsv(table(tmp_path / "t.tsv", "source\treference\ttopic\tsys:ref\ns\tr\tsport\to\n"))
    assert testset.outputs == {"ref": ("o",)}
    assert testset.labels == {"topic": ("sport",)}
    assert testset.references == {"reference": ("r",)}


def test_texts_are_kept_exactly(tmp_path: Path) -> None:
    testset = read_tsv(table(tmp_path / "t.tsv", 'a\tb\n "x \u2028\ty"" \n'))
    assert testset.outputs == {"a": (' "x \u2028',), "b": ('y"" ',)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.tsv is empty; a table with a header is needed."),
        ("a\tb\n", "t.tsv has a header but no rows."),
        ("a\tb\nx\n", "t.tsv, line 2: 1 tab-separated fields, but line 1 has 2."),
        ("a\ta\nx\ty\n", "t.tsv, line 1: two columns are called 'a'."),
        ("a\t\nx\ty\n", "t.tsv, line 1: column 2 has no name. The first line must name the columns."),
        ("src\tsource\nx\ty\n", "t.tsv, line 1: two columns hold the source: source and src."),
        ("ref:A\tref_A\nx\ty\n", "t.tsv, line 1: two columns hold the reference 'A'."),
        (
            "reformer\nx\n",
            "is column 'reformer' a reference or a system? Call it 'ref:reformer' or 'sys:reformer'.",
        ),
    ],
)
def test_a_bad_table_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = table(tmp_path / "t.tsv", text)
    with pytest.raises(DataError) as caught:
        read_tsv(path)
    assert str(caught.value).endswith(message)
    assert str(path) in str(caught.value)


def test_an_unknown_system_is_named(tmp_path: Path) -> None:
    path = table(tmp_path / "t.tsv", "alpha\tbeta\nx\ty\n")
    assert read_tsv(path, systems=["beta"]).systems == ("beta",)
    with pytest.raises(UnknownName, match="There is no system called 'betta'. Did you mean beta?"):
        read_tsv(path, systems=["betta"])


@pytest.mark.parametrize("bad", ["a\tb", "a\nb", "a\rb", "a\0b", "\ud800"])
def test_what_a_table_cannot_hold_is_refused_and_nothing_written(tmp_path: Path, bad: str) -> None:
    with pytest.raises(DataError, match="Column 'sys:x', segment 2"):
        write_tsv(TestSet({"x": ["fine", bad]}), tmp_path / "t.tsv")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_reference_cannot_be_written(tmp_path: Path) -> None:
    testset = TestSet({"x": ["a", "b"]}, {"A": ["a", None], "B": ["a", "b"]})
    with pytest.raises(DataError, match="Column 'ref:A', segment 2 is missing"):
        write_tsv(testset, tmp_path / "t.tsv")


PAIR = TestSet(
    {"seg-model": ["x", "y"], "ref_A": ["X", "Y"]},
    {"A": ["r", "R"]},
    ["s", "S"],
    labels={"seg": ["11", "12"], "mood": ["sad", "glad"]},
    pair="ru-en",
)


def test_a_folder_of_two_tables_comes_back(tmp_path: Path) -> None:
    write_pair(PAIR, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ru-en.outputs.tsv.gz", "ru-en.segments.tsv.gz"]
    assert pairs(tmp_path) == ["ru-en"]
    assert read_pair(tmp_path, "ru-en") == replace(PAIR, name=tmp_path.name)


def test_segment_numbers_must_agree(tmp_path: Path) -> None:
    table(tmp_path / "ru-en.segments.tsv", "seg\tsource\n1\ta\n2\tb\n")
    outputs = table(tmp_path / "ru-en.outputs.tsv", "seg\tx\n1\ta\n3\tb\n")
    with pytest.raises(DataError, match=r"not parallel: line 3 is segment '2' and segment '3'\."):
        read_pair(tmp_path, "ru-en")
    table(outputs, "seg\tx\n1\ta\n")
    with pytest.raises(DataError, match=r"not parallel: 2 segments and 1 segments\."):
        read_pair(tmp_path, "ru-en")
    table(outputs, "seg\tx\n1\ta\n1\tb\n")
    with pytest.raises(DataError, match=r"line 3: segment '1' again, after line 2\."):
        read_pair(tmp_path, "ru-en")
    table(outputs, "x\na\nb\n")
    with pytest.raises(DataError, match="no column 'seg' with the segment numbers. Columns: x"):
        read_pair(tmp_path, "ru-en")


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    write_pair(PAIR, tmp_path)
    table(tmp_path / "ru-en.outputs.tsv", "seg\tx\n11\ta\n12\tb\n")
    with pytest.raises(DataError, match=r"has both ru-en\.outputs\.tsv and ru-en\.outputs\.tsv\.gz\. Remove one\."):
        read_pair(tmp_path, "ru-en")
    with pytest.raises(UsageError, match=r"has no en-ru\.segments\.tsv\.gz\."):
        read_pair(tmp_path, "en-ru")


def test_zipped_or_not_is_told_by_the_content(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes(gzip.compress(b"a\nx\n"))
    assert read_tsv(path).outputs == {"a": ("x",)}
