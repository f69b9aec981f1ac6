"""Every kind of file is read as it was by 0.2.0: what each reader returns for it, or the error.

`python -m tests.unit.data.test_reading` writes the expected file again; look at the difference before committing it.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from .reading_examples import readings, write_examples

EXPECTED = Path(__file__).parents[2] / "data" / "reading.json"


def compact(found: dict[str, Any]) -> dict[str, Any]:
    """Return the readings of a file without those that return nothing; of equal ones, all but the first name that."""
    kept: dict[str, Any] = {}
    for name, value in found.items():
        same = next((other for other, before in kept.items() if before == value and len(str(value)) > 40), None)
        if value is not None:
            kept[name] = value if same is None else f"= {same}"
    return kept


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return everything(tmp_path_factory.mktemp("files"))


def everything(folder: Path) -> dict[str, Any]:
    folder = folder / "files"  # data without a name have that of their folder
    folder.mkdir()
    return {path.name: compact(readings(path)) for path in write_examples(folder)}


@pytest.mark.parametrize("name", sorted(json.loads(EXPECTED.read_text("utf-8"))) if EXPECTED.is_file() else [])
def test_a_file_is_read_as_before(name: str, found: dict[str, Any]) -> None:
    assert json.loads(json.dumps(found[name])) == json.loads(EXPECTED.read_text("utf-8"))[name]


def test_every_example_has_an_expected_reading(found: dict[str, Any]) -> None:
    assert sorted(found) == sorted(json.loads(EXPECTED.read_text("utf-8")))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        text = json.dumps(everything(Path(folder)), ensure_ascii=False, indent=0, separators=(",", ":"))
        EXPECTED.write_text(text + "\n", "utf-8")
