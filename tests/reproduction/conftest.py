"""The data of the papers, shared by the tables of a run."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tercet.reproduction import DataSets, Reproduction, wmt19

QUICK = ("chrf", "chrf:word_order=2", "bleu", "ter", "yisi0:tokenize=moses-en")


@pytest.fixture(scope="session")
def data(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> DataSets:
    return DataSets.under(shared / "data", cache=tmp_path_factory.mktemp("counts"))


@pytest.fixture(scope="session", autouse=True)
def quick_rows():
    """Of our own rows in the table of segments only quick metrics: encoders and word mover's distance take minutes."""
    table = wmt19.TABLES["6"]
    options = dict(table.make.keywords)
    options["rows"] = {row: spec for row, spec in options["rows"].items() if row in QUICK}
    wmt19.TABLES["6"] = replace(table, make=partial(table.make.func, **options))
    yield
    wmt19.TABLES["6"] = table


def values(result: Reproduction, column: str) -> dict[str, float]:
    """The recomputed cells of a column by row."""
    return {cell.row: cell.recomputed for cell in result.cells if cell.column == column}
