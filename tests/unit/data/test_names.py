"""Texts are called after their files, as shortly as they can be told apart, and are found by the file, too."""

import pytest

from tercet.data.names import find_name, same_name, unique_names
from tercet.errors import UnknownName, UsageError


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["out/a.txt", "b.txt.gz", "c.hyp", "d.out", "e.text.xz"], ["a", "b", "c", "d", "e"]),
        (["a/out.txt", "b/out.txt"], ["a/out", "b/out"]),
        (["x/run/out.txt", "y/run/out.txt", "a.txt"], ["x/run/out", "y/run/out", "a"]),
        (["a.txt", "a.out"], ["a.txt", "a.out"]),
        (["a", "a.txt"], ["a", "a.txt"]),
        (["a.txt", "a.txt"], ["a", "a#2"]),
        (["a=x.txt", "a.txt"], ["a", "a.txt"]),
        (["-", "a.txt"], ["stdin", "a"]),
        (["out.de", "app.xlf", ".txt", "v1.2.txt"], ["out.de", "app.xlf", ".txt", "v1.2"]),
    ],
)
def test_a_name_is_as_short_as_it_can_be(files: list[str], names: list[str]) -> None:
    assert list(unique_names(files)) == names
    assert list(unique_names(files).values()) == [file.removeprefix("a=") for file in files]


def test_a_name_that_is_taken_is_not_given_again() -> None:
    assert list(unique_names(["out/a.txt"], taken=["a"])) == ["a.txt"]
    with pytest.raises(UsageError, match="'a' is given twice"):
        unique_names(["a=x", "a=y"])


@pytest.mark.parametrize(
    ("asked", "names", "found"),
    [
        ("a", ["a.txt", "a"], "a"),
        ("out/a.txt", ["a", "b"], "a"),
        ("a", ["out/a.txt", "b"], "out/a.txt"),
        ("a/out.txt", ["a/out", "b/out"], "a/out"),
        ("out.txt", ["a/out", "b/out"], None),
        ("app", ["app.xlf", "b"], "app.xlf"),
        ("online-A.1", ["online-A.0", "online-B.0"], None),
        ("c", ["a", "b"], None),
    ],
)
def test_a_text_is_found_by_its_name_or_its_file(asked: str, names: list[str], found: str | None) -> None:
    assert same_name(asked, names) == found
    if found is None:
        with pytest.raises(UnknownName, match="There is no system called"):
            find_name(asked, names)
