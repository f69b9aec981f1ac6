"""Twelve jobs are found from the start page in two clicks, and done in at most three commands.

The examples of docs/first-hour.md are executed by `test_examples`; what a test cannot do (installing, a download) is
looked at here, and done by scripts/first_hour.py.
"""

import re
import shlex
from pathlib import Path

import pytest

from tercet import examples

from .running import FENCE, ROOT, run

DOCS = ROOT / "docs"
JOBS = {  # section: what its commands contain
    "Install": "pip install .",
    "Score a system": "tercet score",
    "Is the difference real?": "tercet compare",
    "A table for a paper": "-f latex",
    "A report to read": "tercet report",
    "COMET": "-m comet",
    "Stop a pipeline when quality drops": "--fail-if",
    "Columns of a data frame": "tercet.score",
    "A metric of your own": "overlap.py:overlap",
    "Your own ratings": "--judgements",
    "Review an XLIFF file": "app.xlf",
    "Have people rate outputs": "tercet rate new",
}


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.*)$", (DOCS / "first-hour.md").read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(section: str) -> list[str]:
    found: list[str] = []
    for block in FENCE.finditer(section):
        if block[1] == "console":
            found += [line[2:] for line in block[3].split("\n") if line.startswith("$ ") and line != "$ echo $?"]
        elif block[1] == "sh":
            found += block[3].strip().split("\n")
        elif block[1] == "python" and "title=" not in block[2]:
            found.append(block[3])
    return found


def anchor(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-")


def test_the_start_page_leads_to_every_job_in_one_click() -> None:
    home = (DOCS / "index.md").read_text("utf-8")
    assert list(sections()) == list(JOBS)
    for title in JOBS:
        assert f"(first-hour.md#{anchor(title)})" in home


@pytest.mark.parametrize("title", JOBS)
def test_a_job_takes_at_most_three_commands(title: str) -> None:
    found = commands(sections()[title])
    assert 1 <= len(found) <= 3
    assert any(JOBS[title] in command for command in found)


def test_the_commands_of_comet_run_or_name_the_package(tmp_path: Path) -> None:
    examples.write("de-en", tmp_path)
    install, score = commands(sections()["COMET"])
    words = shlex.split(score.replace("ref.txt", "refA.txt").replace("out.txt", "Alder.txt"))
    ran = run(words[1:], folder=tmp_path)
    assert ran.code == 0 or install in ran.err or "cannot be downloaded" in ran.err


def test_a_search_for_install_leads_to_the_page() -> None:
    text = (DOCS / "install.md").read_text("utf-8")
    assert re.match(r"---\nsearch:\n  boost: \d+\n---\n\n# Install\n", text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scroe"], "There is no command called 'scroe'. Did you mean score?"),
        (["qe", "rnk"], "There is no command of qe called 'rnk'. Did you mean rank?"),
        (["qe", "rank", "tirage", "src.txt", "Alder.txt"], "There is no model called 'tirage'. Did you mean triage?"),
        (["score", "refA.txt", "-i", "Adler.txt"], "There is no file Adler.txt. Did you mean Alder.txt?"),
        (["score", "refA.txt", "-i", "Alder.txt", "-m", "m.py:overlp"], "called 'overlp'. Did you mean overlap?"),
        (["score", "-i", "app.csv"], "'English', 'German'. Give the language pair, en-de or de-en."),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(words: list[str], message: str, tmp_path: Path) -> None:
    examples.write("de-en", tmp_path)
    (tmp_path / "m.py").write_text("def overlap(output, references):\n    return 0.5\n", "utf-8")
    (tmp_path / "app.csv").write_text("English,German\nHello,Hallo\n", "utf-8")
    ran = run(words, folder=tmp_path)
    assert ran.code and message in ran.err
    assert ran.err.count("\n") == 1


def test_columns_are_known_by_the_names_of_languages(tmp_path: Path) -> None:
    (tmp_path / "app.csv").write_text("English,Deutsch,Reference\nHello,Hallo,Hallo\n", "utf-8")
    assert run(["score", "-i", "app.csv", "-m", "chrf", "-l", "en-de", "-b"], folder=tmp_path).out == "100.0\n"
