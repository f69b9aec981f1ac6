"""Every data file of the package has its licence in docs/licences.md."""

import re
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tercet"
CODE = {".py", ".so", ".c", ".pyc", ".typed"}


def rows() -> list[str]:
    page = (ROOT / "docs" / "licences.md").read_text("utf-8")
    return [
        name
        for line in page.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`([^`]+)`", line.split("|")[1])
    ]


def data_files() -> list[str]:
    return sorted(
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in CODE
    )


def test_every_data_file_is_listed_with_its_licence() -> None:
    missing = [name for name in data_files() if not any(fnmatch(name, row) for row in rows())]
    assert not missing


def test_every_row_names_a_file() -> None:
    empty = [row for row in rows() if not any(fnmatch(name, row) for name in data_files())]
    assert not empty
