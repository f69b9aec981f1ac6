"""Escape sequences in texts and names reach files and pipes unchanged, and a terminal only as visible escapes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.cli.console import _Terminal, visible

from .command import TERCET, tercet

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b2J\r"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ref").write_text("the cat sat\na dog ran\n", "utf-8")
    (tmp_path / "out").write_text(f"the {EVIL} cat\na {EVIL}\n", "utf-8")
    ratings = [f"anna{EVIL[:-1]}\ti{i}\t{i}\ts{EVIL[:-1]}\tda\t{50 + i}" for i in range(4)]
    head = "rater\titem\tsegment\tsystem\tkind\tvalue"
    (tmp_path / "ratings.tsv").write_text("\n".join([head, *ratings, ""]), "utf-8")
    return tmp_path


def on_a_terminal(*arguments: str, cwd: Path) -> str:
    """Run the command with standard output and standard error on a pseudo-terminal, and return what it shows."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, its = pty.openpty()
    process = subprocess.Popen([str(TERCET), *arguments], cwd=cwd, stdout=its, stderr=its, stdin=subprocess.DEVNULL)
    os.close(its)
    shown = b""
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:  # closed by the other side
            break
        if not read:
            break
        shown += read
    os.close(ours)
    process.wait()
    return shown.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "ref", "-i", f"x{EVIL}=out", "out", "-m", "chrf"],
        ["explain", "ref", "-i", "out", "-m", "wer"],
        ["agree", "ratings.tsv"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_terminal_gets_no_escape_of_others(folder: Path, arguments: list[str]) -> None:
    shown = on_a_terminal(*arguments, cwd=folder)
    assert r"\x1b]0;owned\x07\x1b[2J\x9b2J" in shown
    ours = re.sub(r"\r\x1b\[K|\r\n|^\x1b\[1m|\x1b\[0m(?=\r\n)", "\n", shown, flags=re.MULTILINE)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", ours)


def test_redirected_bytes_stay_as_they_are(folder: Path) -> None:
    assert EVIL in tercet("explain", "ref", "-i", "out", "-m", "wer", cwd=folder).out


def test_only_whole_words_at_the_start_of_a_line_are_bold_or_coloured(capsys: pytest.CaptureFixture[str]) -> None:
    stream = _Terminal(sys.stdout)
    own = "\x1b[1mTitle\x1b[0m\n\x1b[31merror\x1b[0m x\n"
    assert stream.write(own) == len(own)
    stream.writelines(["a \x1b[31mred\n", "\x1b[1mno end\n", "\r\x1b[Kb\n"])
    assert capsys.readouterr().out == own + r"a \x1b[31mred" "\n" r"\x1b[1mno end" "\n" r"\r\x1b[Kb" "\n"
    assert not hasattr(stream, "buffer")
    assert visible("tab\tline\n") == "tab\tline\n"
