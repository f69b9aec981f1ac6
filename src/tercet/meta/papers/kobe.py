"""Gekhman, Aharoni, Beryozkin, Freitag and Macherey (2020), "KoBE: Knowledge-Based Machine Translation Evaluation",
Findings of EMNLP.

The metrics beside KoBE are those of WMT19, with the signs of their correlations. KoBE itself needs the annotations of
all texts with entities of a large knowledge base, of which only a sample was published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import mean

from . import Cell, DataSets, Reproduction, Statement, Table, Unchecked, check, printed
from .wmt19 import system_level

OWN = "KoBE"
NO_ENTITIES = "KoBE needs the entities of sources, references and outputs in its knowledge base, which are not at hand."


def _correlations(expected: str) -> Callable[[DataSets], Reproduction]:
    """Tables 1 to 4: Pearson's r with its sign."""

    def make(data: DataSets) -> Reproduction:
        cells: list[Cell] = []
        unchecked: list[Unchecked] = []
        statements: list[Statement] = []
        for row, pair, text in printed(expected).numbers():
            if row == OWN:
                unchecked.append(Unchecked(row, pair, float(text), NO_ENTITIES))
            elif pair == "mean":
                found = mean(cell.recomputed for cell in cells if cell.row == row)
                statements.append(Statement(f"{row}: mean {text}", check(row, pair, text, found).equal, f"{found:.4f}"))
            else:
                one = system_level(data, pair)
                r = dict(zip(one.metrics, one.correlations.tolist(), strict=True)).get(row, float("nan"))
                cells.append(check(row, pair, text, r, decimals=3))
        return Reproduction(cells, unchecked, statements, notes=_NOTES.get(expected, ()))

    return make


_NOTES = {
    f"kobe_t{number}": (
        "WMT19 has ibm1-morpheme and ibm1-pos4gram for these language pairs too; the paper leaves them out.",
    )
    for number in (1, 2)
}
_SYSTEM = ("wmt19_sys",)
TABLES: Mapping[str, Table] = {
    "1": Table("system level, into English, r", "kobe_t1", _SYSTEM, _correlations("kobe_t1")),
    "2": Table("system level, out of English, r", "kobe_t2", _SYSTEM, _correlations("kobe_t2")),
    "3": Table("system level, without English, r", "kobe_t3", _SYSTEM, _correlations("kobe_t3")),
    "4": Table("BLEU and KoBE with references, into English, r", "kobe_t4", _SYSTEM, _correlations("kobe_t4")),
    "5": Table("entities, into English", "kobe_t5", reason=NO_ENTITIES),
    "6": Table("entities, out of English", "kobe_t6", reason=NO_ENTITIES),
    "7": Table("entities, without English", "kobe_t7", reason=NO_ENTITIES),
}
