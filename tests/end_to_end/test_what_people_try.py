"""What people type who know other tools, or guess: it works, or one line says what to write."""

import json
from pathlib import Path

import pytest

from tercet import examples
from tests.docs.running import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    examples.write("en-de", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("help score", "Help is an option: tercet --help, tercet score --help."),
        ("version", "The version is an option: tercet --version."),
        ("bleu refA.txt Alder.txt", "Metrics are chosen by -m: tercet score REFERENCE -i OUTPUT -m bleu chrf."),
        ("score refA.txt -i Alder.txt -m bleu,chrf", "Metrics are separated by blanks, not by commas: bleu chrf"),
        ("score refA.txt -i Alder.txt -m cometkiwi", "Write comet:model=Unbabel/wmt22-cometkiwi-da"),
        ("score refA.txt -i Alder.txt -o out.xlsx", "out.xlsx: results are not written as .xlsx. Write -o out.csv"),
        ("qe rank src.txt Alder.txt -l en-de", "src.txt is where a model is expected. Put its name first: 'default'"),
        ("score refA.txt -i Alder.txt -l de", "A language pair is SRC-TGT, as en-de"),
    ],
)
def test_a_guess_is_answered_in_one_line(words: str, message: str, folder: Path) -> None:
    ran = run(words.split(), folder=folder)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: ") and ran.err.count("\n") == 1 and message in ran.err
    assert not (folder / "out.xlsx").exists()


def test_the_ending_of_the_file_chooses_the_form_unless_it_is_given(folder: Path) -> None:
    words = ["score", "refA.txt", "-i", "Alder.txt", "Birch.txt"]
    for ending, form in (("json", "json"), ("csv", "csv"), ("tex", "latex"), ("md", "markdown"), ("txt", "text")):
        assert run([*words, "-o", f"made.{ending}"], folder=folder).code == 0
        written = (folder / f"made.{ending}").read_text("utf-8")
        if form == "json":
            assert json.loads(written)[0]["system"] == "Alder"
        else:
            assert written == run([*words, "-f", form], folder=folder).out
    assert run([*words, "-f", "text", "-o", "plain.json"], folder=folder).code == 0
    assert (folder / "plain.json").read_text("utf-8") == run(words, folder=folder).out
