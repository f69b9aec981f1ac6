"""The data of the papers, shared by the tables of a run."""

from pathlib import Path

import pytest

from tercet.reproduction import DataSets, Reproduction


@pytest.fixture(scope="session")
def data(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> DataSets:
    return DataSets.under(shared / "data", cache=tmp_path_factory.mktemp("counts"))


def values(result: Reproduction, column: str) -> dict[str, float]:
    """The recomputed cells of a column by row."""
    return {cell.row: cell.recomputed for cell in result.cells if cell.column == column}
