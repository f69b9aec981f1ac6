"""The tables and figures of papers that `tables.toml` lists, and the functions that recompute them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ...errors import UnknownName

if TYPE_CHECKING:
    from .results import Reproduction
    from .sources import DataSets

ALL = "all"  # every paper
LISTED = tomllib.loads(files(__package__).joinpath("tables.toml").read_text(encoding="utf-8"))
PAPERS: dict[str, str] = LISTED["papers"]
SLOW: list[str] = LISTED["rows"]["slow"]  # metrics
CONTRADICTIONS: list[dict[str, str]] = LISTED["contradictions"]
ABSENT: dict[str, str] = LISTED["absent"]  # by metric
NOTES: dict[str, str] = LISTED["notes"]  # that several tables share


@dataclass(frozen=True)
class Maker:
    """A function that recomputes a table, imported when it is called. name: module and function. rows: our own."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, data: DataSets) -> Reproduction:
        module, _, name = self.name.partition(".")
        found: Reproduction = getattr(import_module(f".papers.{module}", __package__), name)(data, **self.options)
        return found


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper. expected: its CSV. needs: the data sets to recompute it; "a or b": one of two.

    make: the function that recomputes it; without one, `reason` says why. notes: printed below it, with {names} of
    `Reproduction.note_values`. required: rows whose numbers must be equal or near, except those in `differs` ("row
    column"). of: the row with a metric of ours, and the metric, of which all of the table is.
    """

    caption: str
    expected: str | None = None
    needs: Sequence[str] = ()
    make: Callable[[DataSets], Reproduction] | None = None
    reason: str = ""
    notes: Sequence[str] = ()
    required: Sequence[str] = ()
    differs: Sequence[str] = ()
    of: Mapping[str, str] = field(default_factory=dict)

    @property
    def own_rows(self) -> Mapping[str, str]:
        """The rows with our own metrics: name and metric."""
        return self.of or (self.make.options.get("rows", {}) if isinstance(self.make, Maker) else {})


def why_absent(row: str, column: str = "") -> str:
    """Return why the row of a metric is not computed, and what it needs, if this is known."""
    return ABSENT.get("".join(filter(str.isalnum, row.lower())), ABSENT["other"])


def _read(fields: Mapping[str, Any]) -> PaperTable:
    own = {key: fields[key] for key in ("rows", "same") if key in fields}
    kept = {key: value for key, value in fields.items() if key not in ("make", "options", *own)}
    maker = Maker(fields["make"], fields.get("options", {}) | own) if "make" in fields else None
    notes = [NOTES.get(note, note) for note in kept.pop("notes", ())]
    return PaperTable(**kept, make=maker, notes=notes)


TABLES = {paper: {name: _read(fields) for name, fields in LISTED[paper].items()} for paper in PAPERS}


def tables(paper: str) -> Mapping[str, PaperTable]:
    """Return the tables of a paper by number; figures are "figure N"."""
    if paper not in TABLES:
        raise UnknownName("paper", paper, [*PAPERS, ALL])
    return TABLES[paper]


def list_tables() -> list[dict[str, Any]]:
    """Return one dictionary per table and figure: its caption, the data that it needs, or why it cannot be made."""
    return [
        {"paper": paper, "table": name, "caption": one.caption, "data": list(one.needs), "reason": one.reason}
        for paper in PAPERS
        for name, one in tables(paper).items()
    ]
