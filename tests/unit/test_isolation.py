"""Tests do not see the home folder of whoever runs them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.data.catalogue import data_folder
from tests.conftest import HOME

ROOT = Path(__file__).parents[2]
CONCERNED = "tests/end_to_end/test_compare_command.py::test_edits_of_a_metric_without_edit_scripts_are_refused"
LISTED = f"{CONCERNED}_before_anything_is_counted"
OWN = "tests/unit/test_isolation.py::test_every_folder_of_the_user_is_in_the_tests_own_home"


def test_every_folder_of_the_user_is_in_the_tests_own_home() -> None:
    home = Path(os.environ[HOME])
    assert Path.home() == home
    assert data_folder().is_relative_to(home)
    assert all(Path(os.environ[f"XDG_{kind}_HOME"]).is_relative_to(home) for kind in ("CACHE", "CONFIG", "DATA"))
    assert not (home / ".sacrebleu").exists()


def home_with_everything(folder: Path) -> Path:
    models = folder / ".cache" / "tercet" / "data" / "language-models"
    models.mkdir(parents=True)
    (models / "en.model").write_bytes(b"damaged")
    (models.parent / "judge").write_text("a file where a folder is expected")
    (folder / ".config" / "tercet").mkdir(parents=True)
    (folder / ".sacrebleu").mkdir()
    return folder


def home_that_is_a_file(folder: Path) -> Path:
    (folder / "file").write_text("nothing can be written below a file, not even by root")
    return folder / "file"


@pytest.mark.parametrize("make", [home_with_everything, home_that_is_a_file])
def test_concerned_tests_pass_whatever_the_home_of_the_user_is(make, tmp_path: Path) -> None:
    real = {name: value for name, value in os.environ.items() if name != HOME and not name.startswith("XDG_")}
    real |= {"HOME": str(make(tmp_path)), "TERCET_DATA": ""}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", LISTED, OWN],
        cwd=ROOT, env=real, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
