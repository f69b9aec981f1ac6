"""Fomicheva (2017), doctoral thesis, Table 5.6: groups of features of fluency, learnt here on WMT12, tested on WMT14.

The thesis trained on WMT14 to test on WMT15, and on WMT13 to test on WMT14; the texts of WMT13 and WMT15 with their
rankings are not at hand. Only outputs that people judged are parsed, and their features are computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from ..errors import MissingDependency, UsageError
from ..learning import SEED
from ..learning.computing import compute_features
from ..learning.examples import gather
from ..learning.learners import find_learner
from ..learning.training import Part, choose, fit, measure
from ..metrics._members import find_members
from ..metrics.features_f import GROUPS as FEATURES
from . import Cell, DataSets, Reproduction, Unchecked, check, printed
from .rankings import pairs_of

GROUPS = {"Fluency-SIMPLE": "simple", "Fluency-refined": "refined", "Fluency-words": "words", "Fluency-Pos": "tags"}
ALL = "all features"
TRAINED, TESTED = ("cs-en", "de-en", "es-en", "fr-en"), ("fr-en", "de-en", "hi-en", "cs-en", "ru-en")
METRIC = "features_f"
WITHIN = 0.05  # other language models, parser and training data
NO_WIDTH = "Half-widths are not recomputed."
NO_TEXTS = "It needs the texts and rankings of WMT15."


def fluency_group_table(data: DataSets) -> Reproduction:
    """Return Table 5.6, the column of WMT14; for comparison tau by language pair, and with all features."""
    table = printed("thesis_t5_6")
    values: dict[str, dict[str, float]] = {}
    reason = NO_WIDTH
    try:
        values = _taus(data)
    except (MissingDependency, UsageError) as error:  # no parser, or no language models
        reason = str(error)
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in table.numbers():
        if column == "WMT2014" and row in values:
            cells.append(check(row, column, text, mean(values[row].values()), within=WITHIN, must=False))
        else:
            why = reason if column.startswith("WMT2014") else NO_TEXTS
            unchecked.append(Unchecked(row, column, float(text), why))
    return Reproduction(cells, unchecked, extra=values, note_values={"within": WITHIN})


def _taus(data: DataSets) -> dict[str, dict[str, float]]:
    """Return tau on each language pair of WMT14, by group of features."""
    members = find_members([f"{METRIC}@*"])

    def parts(name: str, pairs: Sequence[str]) -> list[Part]:
        examples = gather([data.needed(name)], pairs=pairs_of(data, name, pairs))
        return [
            Part(one, compute_features(one, members, executor=data.executor, cache=data.cache).values)
            for one in examples
        ]

    training, tested = parts("wmt12", TRAINED), parts("wmt14", TESTED)
    learner, found = find_learner("logistic"), {}
    for row, group in {**GROUPS, ALL: "all"}.items():
        columns = [FEATURES["all"].index(name) for name in FEATURES[group]]
        some, held = ([Part(part.examples, part.features[:, columns]) for part in some] for some in (training, tested))
        setting, _ = choose(learner, some, SEED)
        predictor = fit(learner, some, setting, SEED)
        found[row] = {part.examples.pair: measure("", [part], predictor.predict).tau for part in held}
    return found
