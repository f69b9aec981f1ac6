"""How results appear in Python: pandas data frames, and HTML tables in notebooks."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MissingDependency

if TYPE_CHECKING:
    from pandas import DataFrame


def to_frame(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> "DataFrame":
    """Return a pandas data frame with one row per mapping. Raise MissingDependency where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingDependency("A pandas data frame", "frames") from None
    return pandas.DataFrame(list(rows), columns=columns)


class Tabular:
    """A result with rows, one dictionary each, which pandas can show."""

    def rows(self) -> list[dict[str, object]]:
        """Return the rows, which all have the same keys."""
        raise NotImplementedError

    def to_pandas(self) -> "DataFrame":
        return to_frame(self.rows())


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return an HTML table with escaped texts; floats have four decimals at most."""
    from html import escape  # slow to import, and only notebooks need it

    lines = ["<table>", f"<caption>{escape(caption)}</caption>"] if caption else ["<table>"]
    lines.append("<thead><tr>" + "".join(f"<th>{escape(name)}</th>" for name in header) + "</tr></thead><tbody>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def listed(names: Sequence[object], most: int = 5) -> str:
    """Return the first names, and the number of the others, for a sentence."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more


def _shown(cell: object) -> str:
    return f"{cell:.4f}".rstrip("0").rstrip(".") if isinstance(cell, float) else "" if cell is None else str(cell)


def json_able(value: object) -> Any:
    """Return the same value with None for numbers that are not finite, which JSON cannot hold."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: json_able(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [item if type(item) is int or type(item) is str else json_able(item) for item in value]
    return value
