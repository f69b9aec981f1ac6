"""Fomicheva (2017), doctoral thesis, Table 5.6: groups of features of fluency, learnt here on WMT12, tested on WMT14.

The thesis trained on WMT14 to test on WMT15, and on WMT13 to test on WMT14; the texts of WMT13 and WMT15 with their
rankings are not at hand. Only outputs that people judged are parsed.
"""

from __future__ import annotations

from statistics import mean

from ..errors import MissingDependency, UsageError
from ..learning import learn
from . import Cell, DataSets, Reproduction, Unchecked, check, printed
from .rankings import pairs_of

GROUPS = {"Fluency-SIMPLE": "simple", "Fluency-refined": "refined", "Fluency-words": "words", "Fluency-Pos": "tags"}
TRAINED, TESTED = ("cs-en", "de-en", "es-en", "fr-en"), ("fr-en", "de-en", "hi-en", "cs-en", "ru-en")
WITHIN = 0.05  # other language models, parser and training data
NO_WIDTH = "Half-widths are not recomputed."
NO_TEXTS = "It needs the texts and rankings of WMT15."


def fluency_group_table(data: DataSets) -> Reproduction:
    """Return Table 5.6, the column of WMT14."""
    table = printed("thesis_t5_6")
    train, test = data.needed("wmt12"), data.needed("wmt14")
    wanted = [pair for pair in TRAINED if pair in pairs_of(data, "wmt12", TRAINED)]
    values: dict[str, float] = {}
    reason = ""
    for row, group in GROUPS.items():
        try:
            found = learn(
                [train], [f"features_f:of={group}@*"], pairs=wanted, test=[test], cache=data.cache, jobs=data.jobs
            )
        except (MissingDependency, UsageError) as error:  # no parser, or no language models
            reason = str(error)
            break
        values[row] = mean(one.tau for one in found.tests if one.name.split()[-1] in TESTED)
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in table.numbers():
        if column == "WMT2014" and row in values:
            cells.append(check(row, column, text, values[row], within=WITHIN, must=False))
        else:
            why = (reason or NO_WIDTH) if column.startswith("WMT2014") else NO_TEXTS
            unchecked.append(Unchecked(row, column, float(text), why))
    return Reproduction(cells, unchecked, note_values={"within": WITHIN})
