"""Texts in columns of Parquet files, read piece by piece (pyarrow)."""

import re
from collections.abc import Generator
from pathlib import Path

from ..errors import DataError, MissingDependency, UnknownName, UsageError

ROWS = 20_000  # read at once
_PLACE = re.compile(r"(?P<file>.+\.parquet)(?::(?P<column>.+))?", re.IGNORECASE | re.DOTALL)


def split_column(path: str | Path) -> tuple[Path, str | None] | None:
    """Return file and column of FILE.parquet:COLUMN; None for the name of another file."""
    found = _PLACE.fullmatch(str(path))
    if found is None:
        return None
    whole = found["column"] is None or Path(path).is_file()
    return (Path(path), None) if whole else (Path(found["file"]), found["column"])


def read_column(path: Path, column: str | None = None) -> Generator[list[str]]:
    """Yield the texts of a column in lists, one of which is in memory at a time. column: None if there is one."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency("Reading Parquet files", "parquet") from None
    if not path.is_file():
        raise UsageError(f"There is no file {path}.")
    done = 0
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
            names = file.schema_arrow.names
            if column is None and len(names) != 1:
                raise UsageError(
                    f"{path} has {len(names)} columns: {', '.join(names)}. Name one, as {path}:{names[0]}."
                )
            column = names[0] if column is None else column
            if column not in names:
                raise UnknownName(f"column in {path}", column, names)
            for batch in file.iter_batches(ROWS, columns=[column], use_threads=False):
                texts = batch.column(0).to_pylist()
                for row, text in enumerate(texts, done + 1):
                    if not isinstance(text, str):
                        raise DataError(f"{path}, row {row}: the column {column} has no text there.")
                done += len(texts)
                yield texts
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"{path} is no Parquet file that can be read: {str(error).splitlines()[0]}") from None
