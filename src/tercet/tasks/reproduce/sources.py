"""The data that the tables need: what they are, which files hold them, and where these files are.

`tables.toml` describes each data set by its content: the files, their columns and the names that its folder may have.
A folder of exactly such a name is taken as it is, in any layout that Tercet reads. Other folders are searched for the
files.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...data import tables
from ...data.catalogue import installed, where
from ...data.grouping import places_of
from ...errors import DataError, MissingDependency, UsageError
from .tables import LISTED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ...data.scores import Scores
    from ...data.testset import TestSet
    from ...metrics import Metric

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

EVERY_ROW = "all"  # instead of names of rows
DEPTH = 3  # how deep folders are searched
FOLDERS = 2000  # the most folders that are searched
TRIED = 10  # segments on which rows of our own are tried: whether a package or model is missing shows there


@dataclass(frozen=True)
class Source:
    """A data set that tables need.

    files: the names of its files (without .gz), with the columns that each must have; {pair} stands for a language
    pair. names: what its folder may be called, besides its own name. catalogue: its name in the catalogue, if it
    differs. distinct: the files alone identify it, so that the folder may have any name. owner: who has the data, if
    they are not public.
    """

    name: str
    what: str
    files: Mapping[str, str] = field(default_factory=dict)
    names: Sequence[str] = ()
    catalogue: str = ""
    distinct: bool = False
    owner: str = ""

    @property
    def known_as(self) -> list[str]:
        return [self.name, *([self.catalogue] if self.catalogue else []), *self.names]

    def described(self) -> str:
        """Return a sentence on the files that would provide the data."""
        listed = "; ".join(
            f"{file} ({columns.replace(' ', ', ')})" if columns else file for file, columns in self.files.items()
        )
        files = f": {listed}" if listed else ""
        return f"{self.what}{files}" + (f". Available from {self.owner}" if self.owner else "")

    def is_in(self, folder: Path) -> bool:
        present = {path.name.removesuffix(".gz"): path for path in folder.iterdir() if path.is_file()}
        pairs: set[str] | None = None
        for pattern, columns in self.files.items():
            start, mark, end = pattern.partition("{pair}")
            found = {
                name[len(start) : len(name) - len(end)] if mark else ""
                for name, path in present.items()
                if fnmatch(name, f"{start}*-*{end}" if mark else pattern) and _has_columns(path, columns.split())
            }
            pairs = found if pairs is None or not mark or pairs == {""} else pairs & found
            if not found or not pairs:
                return False
        return bool(self.files)


def _has_columns(path: Path, columns: Sequence[str]) -> bool:
    """Return whether the first line of a table names these columns."""
    if not columns:
        return True
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            header = stream.readline(1 << 16).decode("utf-8").rstrip("\r\n").split("\t")
    except (OSError, EOFError, UnicodeDecodeError):
        return False
    return set(columns) <= set(header)


def file_in(folder: Path, file: str) -> Path:
    """Return the path of a file, plain or compressed. Raise DataError if it is missing."""
    path = next((path for path in (folder / file, folder / f"{file}.gz") if path.is_file()), None)
    if path is None:
        raise DataError(f"{folder} has no {file}.")
    return path


def read_table(folder: Path, file: str, columns: Sequence[str]) -> dict[str, list[str]]:
    """Return columns of a TSV file, plain or compressed. Raise DataError if the file or a column is missing."""
    table = tables.read_table(file_in(folder, file))
    return {name: table.column(name) for name in columns}


def grouped(table: Mapping[str, Sequence[str]], by: str) -> dict[str, dict[str, list[str]]]:
    """Return the rows of a table that have the same value in a column, by this value."""
    rows = places_of(table[by]).items()
    return {value: {name: [column[i] for i in of] for name, column in table.items()} for value, of in rows}


def numbers(texts: Sequence[str], what: str) -> NDArray[np.float64]:
    """Return texts as numbers. Raise DataError if one is not a number."""
    try:
        return np.array([float(text) for text in texts])
    except ValueError as error:
        raise DataError(f"{what}: {error}.") from None


SOURCES = {name: Source(name, **fields) for name, fields in LISTED["data"].items()}


def once(make: Callable[Concatenate[DataSets, P], T]) -> Callable[Concatenate[DataSets, P], T]:
    """Make a function of data sets run only once, for all tables of a run, with the same other arguments."""

    def kept(data: DataSets, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return data.once((make, *args, *kwargs.items()), lambda: make(data, *args, **kwargs))

    return kept


class DataSets:
    """The data sets of one run, by their names in `tables.toml`, and how scores are computed from them.

    find: returns the folder of a data set, or None. cache, executor: see `tercet.score`. progress: called with a text.
    rows: which rows with our own metrics are computed; None for those whose metric is not in `slow`, ["all"] for all.
    """

    def __init__(
        self,
        find: Callable[[Source], Path | None],
        *,
        cache: str | Path | None = None,
        executor: Executor | None = None,
        progress: Callable[[str], None] | None = None,
        rows: Collection[str] | None = None,
        slow: Collection[str] = (),
    ) -> None:
        self._find = find
        self._kept: dict[Hashable, Any] = {}
        self.cache, self.executor, self.progress, self.rows, self.slow = cache, executor, progress, rows, slow
        self.title = ""  # of the table that is being recomputed

    @classmethod
    def under(cls, *folders: str | Path, also: str | Path | None = None, **options: Any) -> DataSets:
        """Return the data sets in folders, and those of `tercet data` in the folder `also`."""
        places = [Path(folder) for folder in folders]
        for place in places:
            if not place.is_dir():
                raise UsageError(f"There is no folder {place}.")

        def find(source: Source) -> Path | None:
            found = (_found(place, source) for place in places)
            first = next((folder for folder in found if folder is not None), None)
            return first if first is not None or also is None else _installed(Path(also), source)

        return cls(find, **options)

    def __call__(self, name: str) -> Path | None:
        source = SOURCES.get(name) or Source(name, name)
        return self.once(("folder", name), lambda: self._find(source))

    def needed(self, name: str) -> Path:
        found = self(name)
        if found is None:
            raise UsageError(self.missing([name]))
        return found

    def missing(self, needs: Iterable[str]) -> str:
        """Return a message on missing data sets and the files that would provide them; empty if none is missing."""
        absent = [need for need in needs if all(self(name) is None for name in alternatives(need))]
        if not absent:
            return ""
        sentences = []
        for need in absent:
            sources = [SOURCES.get(name) or Source(name, name) for name in alternatives(need)]
            known = [f"in the catalogue: {one.catalogue}" for one in sources[:1] if one.catalogue]
            names = f"{need} ({known[0]})" if known else need
            contents = "; or ".join(one.described() for one in sources if one.what != one.name)
            sentences.append(f"The data set {names} was not found" + (f": {contents}." if contents else "."))
        them, each = ("them", "each") if len(absent) > 1 else ("it", "it")
        return (
            f"{' '.join(sentences)} Give the folder that contains {them} with --data, or add {each}: tercet data add "
            f"FOLDER {alternatives(absent[0])[0]}."
        )

    def has(self, key: Hashable) -> bool:
        return key in self._kept

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    def scored(self, texts: TestSet, rows: Mapping[str, str | Metric], *, optional: bool = False) -> list[Scores]:
        """Return the scores of metrics, labelled by row. optional: rows that are left out unless asked for."""
        from ...scoring import make_ready, score

        wanted = {
            row: self.as_published(metric, texts)
            for row, metric in rows.items()
            if not optional or self.asks_for(row, metric)
        }
        if optional:
            for row, metric in list(wanted.items()):
                try:
                    make_ready(texts[:TRIED], [metric])
                except (MissingDependency, UsageError) as error:
                    log.warning("%s: the row %s is left out. %s", self.title, row, error)
                    del wanted[row]
        if not wanted:
            return []
        start = f"{self.title} ({texts.pair})" if texts.pair else self.title

        def show(done: int, total: int | None) -> None:
            if self.progress is not None:
                self.progress(f"{start}: {done} of {total}" if total else f"{start}: {done}")

        found = score(texts, list(wanted.values()), cache=self.cache, executor=self.executor, progress=show)
        return [item.relabelled(row) for row, item in zip(wanted, found, strict=True)]

    def as_published(self, metric: str | Metric, texts: TestSet) -> str | Metric:
        """Return METEOR as its program with its table, and BEER with its weights, where the user has them."""
        if not (texts.pair or "").endswith("-en"):
            return metric
        if metric == "meteor" and (table := self.meteor_table):
            return f"meteor:variant=original,paraphrases={table}"
        if metric == "beer" and (model := self("beer_model")):
            return f"beer:model={model}"
        return metric

    @cached_property
    def meteor_table(self) -> Path | None:
        """METEOR's English table of paraphrases in the package pycocoevalcap, which is not imported."""
        package = find_spec("pycocoevalcap")
        folders = [Path(place) for place in package.submodule_search_locations or ()] if package else []
        tables = (folder / "meteor" / "data" / "paraphrase-en.gz" for folder in folders)
        return next((table for table in tables if table.is_file()), None)

    def asks_for(self, row: str, metric: str | Metric) -> bool:
        if self.rows is None:
            return not isinstance(metric, str) or metric.partition(":")[0] not in self.slow
        return row in self.rows or EVERY_ROW in self.rows


def alternatives(need: str) -> list[str]:
    """Return the names of the data sets of which one is needed."""
    return need.split(" or ")


def _found(place: Path, source: Source) -> Path | None:
    """Return the folder of a data set at or below a place: by its exact name, a part of it, or distinct files."""
    for name in source.known_as:
        if (place / name).is_dir():
            return _inner(place / name, source)
    if place.resolve().name in source.known_as:
        return place
    if not source.files:
        return None
    named: list[Path] = []
    others: list[Path] = []
    for folder in _folders(place):
        parts = "/".join([place.resolve().name, *folder.relative_to(place).parts]).lower()
        (named if any(name.lower() in parts for name in source.known_as) else others).append(folder)
    candidates = [*named, *(others if source.distinct else [])]
    return next((folder for folder in candidates if source.is_in(folder)), None)


def _folders(place: Path) -> Iterator[Path]:
    level, seen = [place], 0
    for _ in range(DEPTH + 1):
        below: list[Path] = []
        for folder in level:
            seen += 1
            if seen > FOLDERS:
                return
            yield folder
            try:
                inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
            except OSError:
                continue
            below += inside
        level = below


def _installed(folder: Path, source: Source) -> Path | None:
    """Return the folder of a data set among those of `tercet data`."""
    names = {item.name for item in installed(folder)}
    known = next((known for known in source.known_as if known in names), None)
    return None if known is None else _inner(where(known, folder), source)


def _inner(folder: Path, source: Source) -> Path:
    """Return the subfolder of this name if there is one: a catalogue entry may contain several data sets."""
    return folder / source.name if (folder / source.name).is_dir() else folder
