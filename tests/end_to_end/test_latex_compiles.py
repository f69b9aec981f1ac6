"""LaTeX that commands print compiles: tables of every kind, the paper style, and names with any character."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tercet import examples
from tercet.rendering.document import Document, Heading, Notes, Pre, Table
from tercet.rendering.tables import Bold
from tests.docs.running import run

PAGE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""
SPECIAL = r"a_b & 50% #1 $x$ {y} ~ ^ \ <i> | ` ' -- − – ≥ ≤ ≈ ± × ✓ ✗ Δ ∞ ↑ ↓ é ß “x”"
COMMANDS = [
    "score -t en-de.jsonl -m bleu chrf ter --confidence",
    "score -t en-de.jsonl -m bleu chrf --style paper",
    "compare -t en-de.jsonl -m bleu chrf --slice length --ngrams --words frequency -n 200",
    "compare -t en-de.jsonl -m bleu ter --style paper --intervals -n 200",
    "meta en-de.jsonl --judgements judgements.jsonl -m bleu ter --level seg --stat pearson --matrix -n 200",
    "agree judgements.jsonl -n 200",
    "check -t en-de.jsonl",
    "reproduce thesis --table 4.9 -q",
    "metrics",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex (Debian: texlive-latex-base, texlive-latex-recommended)")
    place = tmp_path_factory.mktemp("latex")
    examples.write("en-de", place)
    return place


def compiles(text: str, folder: Path) -> str:
    """Compile a page with the text. Returns what went wrong, empty if nothing did."""
    (folder / "page.tex").write_text(PAGE % text, "utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    ran = subprocess.run(words, cwd=folder, capture_output=True, timeout=120, check=False)
    log = ran.stdout.decode("utf-8", "replace")
    return "" if ran.returncode == 0 else log[log.find("\n!") :][:400]


def test_what_commands_print_compiles(folder: Path) -> None:
    found = []
    for command in COMMANDS:
        ran = run([*command.split(), "-f", "latex"], folder=folder)
        assert ran.code in (0, 1), ran.err
        found.append(ran.out)
    assert compiles("\n\n".join(found), folder) == ""


def test_any_name_compiles(folder: Path) -> None:
    table = Table(["name", SPECIAL], [[SPECIAL, "1"], ["b", Bold("2")]], SPECIAL)
    document = Document([Heading(SPECIAL, code=SPECIAL), Notes([SPECIAL]), table, Pre(SPECIAL), SPECIAL])
    assert compiles(document.render("latex"), folder) == ""
