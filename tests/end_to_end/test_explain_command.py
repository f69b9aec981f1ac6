"""`tercet explain`: what metrics saw in a segment."""

from pathlib import Path

import pytest

from .command import tercet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ref").write_text("first\nthe cat is on the mat\n", "utf-8")
    (tmp_path / "out").write_text("first\nthe cat on a mat\n", "utf-8")
    return tmp_path


def test_metrics_stand_first_or_after_m(folder: Path) -> None:
    first = tercet("explain", "bleu", "chrf", "ref", "-i", "out", "-n", 2, cwd=folder)
    assert first.code == 0, first.err
    assert "1-grams: 4 of 5 match" in first.out
    assert "unmatched: a\n" in first.out
    assert first.out == tercet("explain", "ref", "-i", "out", "-m", "bleu", "chrf", "-n", 2, cwd=folder).out


def test_json_has_an_object_per_metric_and_system(folder: Path) -> None:
    found = tercet("explain", "bleu", "ref", "-i", "out", "-n", 2, "-f", "json", cwd=folder).json
    assert [(entry["system"], entry["name"], entry["segment"]) for entry in found] == [("out", "BLEU", 2)]
    assert found[0]["parts"][0]["groups"][1]["matched"] == ["the cat"]


def test_misuse(folder: Path) -> None:
    assert tercet("explain", "bleu", "ref", "-i", "out", "-n", 9, cwd=folder).code == 2
    assert "cannot say" in tercet("explain", "length", "ref", "-i", "out", cwd=folder).err
    misspelt = tercet("explain", "trr:normalized=true", "ref", "-i", "out", cwd=folder)
    assert (misspelt.code, misspelt.out) == (2, "")
    assert misspelt.err == "Error: 'trr:normalized=true' is neither a metric nor a file. Did you mean ter?\n"
    assert "There is no file nowhere.txt" in tercet("explain", "nowhere.txt", "-i", "out", cwd=folder).err
    assert "Did you mean" in tercet("explain", "ref", "-i", "out", "-m", "blue", cwd=folder).err
