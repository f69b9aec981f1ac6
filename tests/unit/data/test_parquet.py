"""Test texts in Parquet files and in compressed files: read piece by piece, with the scores of plain ones."""

import bz2
import lzma
from pathlib import Path

import pytest

from tercet import score
from tercet.data import lines
from tercet.data.lines import read_lines
from tercet.data.stream import TextFiles
from tercet.errors import DataError, UnknownName, UsageError

LINES = [f"the cat {i} sat on mat {i % 7}" for i in range(500)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    path = tmp_path / "texts.parquet"
    columns = {"mt": LINES, "ref": [line.replace("sat", "was") for line in LINES], "id": range(500)}
    write_table(pyarrow.table({**columns, "gap": [None, *LINES[1:]]}), path, row_group_size=100)
    return path


def test_columns_are_read_in_pieces_and_score_as_files_do(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "ROWS", 70)
    blocks = list(lines.read_column(table, "mt"))
    assert max(map(len, blocks)) <= 100 and [line for block in blocks for line in block] == LINES
    files = TextFiles({"mt": f"{table}:mt"}, {"ref": f"{table}:ref"})
    assert files.rereadable()
    (table.parent / "mt").write_text("\n".join(LINES) + "\n")
    (table.parent / "ref").write_text("\n".join(read_lines(f"{table}:ref")) + "\n")
    plain = TextFiles({"mt": table.parent / "mt"}, {"ref": table.parent / "ref"})
    assert score(files, ["bleu", "chrf"])[1].system == score(plain, ["bleu", "chrf"])[1].system


def test_what_is_no_text_is_refused(table: Path) -> None:
    for place, error, message in (
        (f"{table}:nothing", UnknownName, "no column"),
        (table, UsageError, "has 4 columns: mt, ref, id, gap. Name one"),
        (f"{table}:gap", DataError, "row 1: the column gap has no text there"),
        (f"{table}:id", DataError, "row 1: the column id has no text"),
        (table.with_name("none.parquet"), UsageError, "There is no file"),
    ):
        with pytest.raises(error, match=message):
            read_lines(place)
    table.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(DataError, match="is no Parquet file that can be read"):
        read_lines(f"{table}:mt")


@pytest.mark.parametrize(("module", "name"), [(bz2, "bzip2"), (lzma, "xz")])
def test_bzip2_and_xz_are_decompressed(module: object, name: str, tmp_path: Path) -> None:
    path = tmp_path / "text"
    data = module.compress("\n".join(LINES).encode())  # type: ignore[attr-defined]
    path.write_bytes(data)
    assert read_lines(path) == LINES
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match=f"damaged {name} file|cannot be read"):
        read_lines(path)
