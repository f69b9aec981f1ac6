"""How many outputs that pass a review people would have changed: figures from sets with post-edits.

The figures are made by scripts/measure_changed.py and apply to the model, or the checks without one, that they name.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import Any

PLACE = ("quality", "data", "changed.json")
Z = 1.96


@dataclass(frozen=True)
class Changed:
    """Of `green` outputs without findings, predicted at least `limit`, people changed `changed`.

    source: the data. segments, all_changed: of all outputs in it, how many there are and how many people changed.
    """

    limit: float
    green: int
    changed: int
    source: str
    segments: int
    all_changed: int

    @property
    def per_100(self) -> tuple[float, float, float]:
        """Of 100 green outputs, how many were changed, with Wilson's 95 % interval."""
        share, n = self.changed / self.green, self.green
        middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
        return 100 * share, 100 * (middle - half), 100 * (middle + half)


@cache
def _figures() -> list[dict[str, Any]]:
    figures: list[dict[str, Any]] = json.loads(files("tercet").joinpath(*PLACE).read_text("utf-8"))
    return figures


def changed_of(model: str, pair: str | None, limit: float) -> Changed | None:
    """Return the figures of a model, by checksum, or of checks alone (""), at the nearest lower limit; or None."""
    for each in _figures():
        below = [row for row in each["at"] if row[0] <= limit]
        if each["model"] == model and (model or each["pair"] == pair) and below:
            at, green, changed = below[-1]
            return Changed(at, green, changed, each["source"], each["segments"], each["changed"])
    return None


def table_of_changed(model: str) -> tuple[str, list[list[str]]] | None:
    """Return what was measured of a model, by its checksum, as a caption and rows; None if nothing was."""
    for each in _figures():
        if model and each["model"] == model:
            few = [row for row in each["at"] if row[1] < each["at"][0][1]]  # below, no output is left out
            rows = [[str(at), str(green), f"{100 * changed / green:.0f}"] for at, green, changed in few]
            source = f"{each['segments']} outputs of {each['source']}"
            return f"Outputs without findings that people changed, by the lowest prediction. Data: {source}", rows
    return None
