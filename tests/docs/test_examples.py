"""Every example in the README and the documentation runs and prints what the page says."""

import re
from pathlib import Path

import pytest

from tercet import examples as demo

from .running import FENCE, ROOT, Page, check_output

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = {"console", "python", "text", "sh", "toml", "json", "yaml", "bibtex"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_run_and_print_what_the_page_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    folder = tmp_path / "work"
    demo.write("en-de", folder)
    done = Page(path, folder).run()
    text = path.read_text("utf-8")
    assert done == len(re.findall(r"^```(?:console|python)\b", text, re.MULTILINE))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_has_a_known_language_and_an_end(path: Path) -> None:
    text = path.read_text("utf-8")
    assert {block[1] for block in FENCE.finditer(text)} <= LANGUAGES
    assert text.count("```") == 2 * len(FENCE.findall(text))


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ("a\nb\n", "a\nb"),
        ("a  \n\n", "a"),
        ("a\nb\nc\nd\n", "a\n...\nd"),
        ("a\nd\n", "a\n...\nd"),
        ("p = 0.05, n = 3", "p = ..., n = 3"),
        ("", ""),
    ],
)
def test_expected_output_with_gaps_matches(actual: str, expected: str) -> None:
    check_output(actual, expected, "here")


@pytest.mark.parametrize(
    ("actual", "expected"),
    [("a\nb\n", "a"), ("a", "a\nb"), ("ab", "a...c"), ("a\nb\nc", "a\n...\nd"), ("a.b", "a*b"), ("a", "")],
)
def test_other_output_is_refused(actual: str, expected: str) -> None:
    with pytest.raises(AssertionError, match="the page says"):
        check_output(actual, expected, "here")
