"""Help and version answer at once and correctly."""

import subprocess
import sys
from pathlib import Path

import pytest

import tercet
from tercet.cli import COMMANDS
from tests.docs.running import run


def test_the_installed_command_answers() -> None:
    command = Path(sys.executable).with_name("tercet")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"tercet {tercet.__version__}\n", "")


def test_help_lists_every_command() -> None:
    ran = run(["--help"])
    assert ran.code == 0
    for name, line in COMMANDS.items():
        assert f"  {name} " in ran.out
        assert line.split(".")[0][:30] in ran.out


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_explains_itself(name: str, flag: str) -> None:
    ran = run([name, flag])
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: tercet {name} ")
    assert ran.err == ""


@pytest.mark.parametrize("group", ["data", "kb", "qe", "rate"])
def test_the_list_of_a_group_cuts_no_sentence(group: str) -> None:
    _, _, commands = run([group, "--help"]).out.partition("Commands:")
    assert commands and "..." not in commands


def test_an_unknown_command_is_refused_with_the_nearest() -> None:
    ran = run(["scor"])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "Error: There is no command called 'scor'. Did you mean score?\n"
