"""`tercet demo`, and the texts it shows."""

from pathlib import Path

import pytest

import tercet
from tercet import examples as demo
from tercet.data.lines import read_lines
from tercet.text.scripts import shares
from tests.docs.running import run

SCRIPTS = {"de-en": "Latin", "en-de": "Latin", "en-ru": "Cyrillic", "en-zh": "Han"}


def test_there_are_four_pairs() -> None:
    assert set(demo.pairs()) == set(SCRIPTS)


@pytest.mark.parametrize("pair", SCRIPTS)
def test_texts_are_complete_and_systems_differ_as_they_should(pair: str) -> None:
    testset = demo.load(pair)
    assert testset.pair == pair
    assert 30 <= len(testset) <= 40
    assert testset.systems == ("Alder", "Birch", "Cedar")
    assert set(testset.references) == {"refA", "refB"}
    assert len(set(testset.documents or ())) == 4
    assert len(set(testset.labels["domain"])) == 4
    assert (
        max(shares([text or "" for text in testset.references["refA"]]).items(), key=lambda item: item[1])[0]
        == (SCRIPTS[pair])
    )
    for scores in tercet.score(testset, ["bleu", "chrf"]):
        values = list(scores.system.values())
        assert values == sorted(values, reverse=True)
        assert values[1] - values[2] > 10


@pytest.mark.parametrize("pair", SCRIPTS)
def test_the_two_references_are_different_translations(pair: str) -> None:
    references = demo.load(pair).references
    texts = zip(references["refA"], references["refB"], strict=True)
    assert all(first and second and first != second for first, second in texts)


@pytest.mark.parametrize("pair", SCRIPTS)
def test_it_shows_each_command_with_its_result(pair: str) -> None:
    ran = run(["demo", "-l", pair])
    assert ran.code == 0
    assert ran.err == ""
    sections = ran.out.split("$ tercet ")
    assert [section.split()[0] for section in sections[1:4]] == ["score", "compare", "check"]
    for section in sections[1:4]:
        assert "Cedar" in section.split("\n", 1)[1]
    assert "Error" not in ran.out
    assert "What to try next" in ran.out


def test_it_ends_with_the_path_of_a_report(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    ran = run(["demo", "--report", str(page)])
    assert ran.out.endswith(f"\nThe report is in {page}\n")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_what_it_shows_is_what_the_command_prints(tmp_path: Path) -> None:
    shown = run(["demo", "--write", str(tmp_path / "texts")]).out
    for line in shown.split("\n"):
        if line.startswith("$ tercet "):
            ran = run(line.removeprefix("$ tercet ").split(), folder=tmp_path / "texts")
            assert f"{line}\n{ran.out}" in shown


def test_written_texts_stay_and_can_be_scored(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    ran = run(["demo", "--write", str(folder), "-l", "en-ru"])
    assert f"They are in {folder}." in ran.out
    testset = demo.load("en-ru")
    assert read_lines(folder / "Birch.txt") == list(testset.outputs["Birch"])
    scored = run(["score", "-t", str(folder / "en-ru.jsonl"), "-b", "-w", "10"])
    expected = tercet.score(testset, ["bleu"])[0].system
    assert [float(line) for line in scored.out.split()] == [round(value, 10) for value in expected.values()]


def test_writing_again_changes_nothing_and_other_files_are_left_alone(tmp_path: Path) -> None:
    demo.write("en-de", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    demo.write("en-de", tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / "refA.txt").write_text("my own\n")
    ran = run(["demo", "--write", str(tmp_path)])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("refA.txt exists with other contents. Choose another folder; nothing is overwritten.\n")
    assert (tmp_path / "refA.txt").read_text() == "my own\n"


def test_an_unknown_pair_is_refused() -> None:
    ran = run(["demo", "-l", "en-fr"])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: There is no demo language pair called 'en-fr'.")


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    ran = run(["demo", "--write", str(tmp_path / "file")])
    assert ran.code == 2
    assert "Cannot make the folder" in ran.err
