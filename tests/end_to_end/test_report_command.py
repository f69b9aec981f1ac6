"""`tercet report` and pages of other commands, as commands."""

import json
from pathlib import Path

import pytest

from tercet import examples
from tests.docs.running import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    examples.write("en-de", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


TEXTS = ["refA.txt", "-i", "Alder.txt", "Birch.txt", "-m", "chrf", "-n", "50"]


def test_it_prints_the_verdict_and_writes_the_page(folder: Path) -> None:
    ran = run(["report", *TEXTS, "-s", "src.txt", "-l", "en-de", "-q"])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("\nWrote report.html\n") and "chrF2" in ran.out
    text = (folder / "report.html").read_text("utf-8")
    assert "<h1>Alder and Birch</h1>" in text
    assert ran.out.split("\n")[0] in text.replace("&lt;", "<")


def test_compare_writes_the_same_page_and_its_gates_hold(folder: Path) -> None:
    ran = run(["compare", *TEXTS, "-q", "-f", "html", "-o", "page.html", "--fail-if", "chrf below 99"])
    assert ran.code == 3 and ran.err.startswith("Failed: ")
    assert (folder / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run(["report", *TEXTS, "-q", "-o", "other.html"]).code == 0
    assert (folder / "page.html").read_text("utf-8").strip() == (folder / "other.html").read_text("utf-8").strip()


def test_outputs_may_come_from_standard_input(folder: Path) -> None:
    outputs = [(folder / f"{name}.txt").read_text("utf-8").splitlines() for name in ("Alder", "Birch")]
    text = "".join("\t".join(row) + "\n" for row in zip(*outputs, strict=True))
    ran = run(["compare", "refA.txt", "-m", "chrf", "-n", "50", "-q", "-f", "html"], stdin=text)
    assert ran.code == 0, ran.err
    assert "<h1>System 1 and System 2</h1>" in ran.out


def test_a_spreadsheet_gets_names_that_are_no_formulas(folder: Path) -> None:
    words = ["score", "refA.txt", "-i", "@sum=Alder.txt", "-m", "chrf", "-f", "csv"]
    assert run(words).out.split("\n")[1].startswith("@sum,")
    assert run([*words, "--spreadsheet"]).out.split("\n")[1].startswith("'@sum,")


def test_only_some_segments_are_compared(folder: Path) -> None:
    words = ["report", "-t", "en-de.jsonl", "-m", "chrf", "-n", "50", "-q"]
    ran = run([*words, "--only", "domain=news"])
    assert ran.code == 0, ran.err
    assert "8 segments" in (folder / "report.html").read_text("utf-8")


def test_judgements_scores_and_a_title_are_taken(folder: Path) -> None:
    comet = ["system\tseg\tCOMET", *(f"{name}\t{i}\t0.{i}" for name in ("Alder", "Birch") for i in range(1, 33))]
    (folder / "comet.tsv").write_text("\n".join(comet))
    words = ["report", "-t", "en-de.jsonl", "-i", "Alder", "Birch", "-m", "chrf", "-n", "50", "-q", "-o", "page.html"]
    ran = run([*words, "--title", "<Old & new>", "--judgements", "judgements.jsonl", "--scores", "comet.tsv"])
    assert ran.code == 0, ran.err
    assert "<h1>&lt;Old &amp; new&gt;</h1>" in (folder / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["report", *TEXTS, "--baseline", "Oak"], 2, "There is no system called 'Oak'"),
        (["report", *TEXTS, "--slice", "domain"], 2, "There is no slice called 'domain'"),
        (
            ["report", *TEXTS, "-o", "none/report.html"],
            2,
            "none/report.html cannot be written: there is no folder none.",
        ),
        (["report", *TEXTS, "-o", "page.pdf"], 2, "The report is a page of HTML: write -o page.html."),
        (["report", *TEXTS, "-o", "-"], 2, "'-' is not the name of a file to write."),
        (["report", *TEXTS, "--judgements", "none.tsv"], 2, "There is no file none.tsv"),
        (["report", *TEXTS, "--top", "3"], 2, "No such option"),
    ],
)
def test_misuse_is_said_and_writes_nothing(folder: Path, words: list[str], code: int, message: str) -> None:
    ran = run([*words, "-q"])
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "tsv", "csv", "json", "html"])
@pytest.mark.parametrize(
    "words",
    [
        ["score", "refA.txt", "-i", "Alder.txt", "Birch.txt"],
        ["compare", *TEXTS],
        ["check", "refA.txt", "-i", "Alder.txt"],
        ["explain", "bleu", "refA.txt", "-i", "Alder.txt"],
        [
            "verify",
            "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0",
            "1.0",
            "refA.txt",
            "-i",
            "Alder.txt",
        ],
        ["metrics"],
        ["data", "list"],
        ["meta", "en-de.jsonl", "--judgements", "judgements.jsonl", "-m", "chrf", "-n", "20"],
        ["agree", "judgements.jsonl", "-n", "20"],
        ["reproduce"],
        ["kb", "info"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_prints_in_every_form(folder: Path, words: list[str], form: str) -> None:
    ran = run([*words, "-f", form])
    assert not ran.err.startswith(("Error", "Usage")), ran.err
    assert ran.out.strip()
    if form == "json":
        json.loads(ran.out)
    assert ran.out.startswith("<!DOCTYPE html>") == (form == "html")
