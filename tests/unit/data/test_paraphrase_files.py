"""Which files are tables of paraphrases."""

from pathlib import Path

import pytest

from tercet.data.paraphrase_files import is_paraphrases, paraphrase_format


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[NP] ||| a dog ||| the cat", "ppdb"),
        ("[X] ||| a\tb ||| c", "ppdb"),
        ("a dog\tthe cat", "pairs"),
        ("0.5", "meteor"),
        ("1e-05", "meteor"),
        ("a dog", None),
        ("a|||b", None),
        ("", None),
    ],
)
def test_a_first_line_says_the_format(line: str, expected: str | None) -> None:
    assert paraphrase_format(line) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("table", "0.5\na\nb\n", True),
        ("table.tsv", "a\tb\n", True),
        ("table.jsonl", "a\tb\n", False),  # the name says that it is a test set
        ("table.xml.gz", "a\tb\n", False),
        ("table.tsv", "src\tref\n", False),  # the header of a test set
        ("table.tsv", "seg\tonline-A\n", False),
        ("table.tsv", "words\tsys:x\n", False),
        ("table", "a dog\n", False),
        ("table", "", False),
        ("table", "\0\t", False),
    ],
)
def test_tables_are_told_from_test_sets_and_damaged_files(tmp_path: Path, name: str, text: str, expected: bool) -> None:
    (tmp_path / name).write_text(text)
    assert is_paraphrases(tmp_path / name) is expected
