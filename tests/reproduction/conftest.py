"""The data of the papers, shared by the tables of a run."""

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tercet.tasks.reproduce.results import Reproduction
from tercet.tasks.reproduce.sources import DataSets

QUICK = ("chrf", "chrf:word_order=2", "bleu", "ter", "yisi0:tokenize=moses-en")
SMALL = 100  # segments


@pytest.fixture(scope="session")
def data(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> DataSets:
    return DataSets.under(shared / "data", cache=tmp_path_factory.mktemp("counts"))


@pytest.fixture(scope="session", autouse=True)
def quick_rows():
    """Of WMT19, whose texts are many: no rows of our own at system level, and quick metrics in lt-en at segment level.

    Names of rows are known all the same, and are made on small data in test_makers.
    """
    scored = DataSets.scored

    def few(self, texts, rows, *, optional=False):
        if optional and self.title.startswith("wmt19") and len(texts) > SMALL:
            known = QUICK if self.title.endswith("6") and texts.pair == "lt-en" else ()
            rows = {row: spec for row, spec in rows.items() if row in known}
        return scored(self, texts, rows, optional=optional)

    with mock.patch.object(DataSets, "scored", few):
        yield


@pytest.fixture(autouse=True)
def no_title(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a test, forget the title of the last table of `data`, by which `quick_rows` knows those of WMT19."""
    yield
    if "data" in request.fixturenames:
        request.getfixturevalue("data").title = ""


def values(result: Reproduction, column: str) -> dict[str, float]:
    """The recomputed cells of a column by row."""
    return {cell.row: cell.recomputed for cell in result.cells if cell.column == column}
