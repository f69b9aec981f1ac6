"""Fomicheva (2017), doctoral thesis: Pearson's r with direct assessment of segments (WMT16), by quality, and ablations.

Where the WMT16 set is missing, the same numbers of the WMT17 set are shown for comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....data.evidence import evidence_pairs, open_evidence
from ....data.lines import read_lines
from ....data.testset import TestSet
from ....errors import DataError
from ....metrics.structure.cobalt import Cobalt
from ....stats.correlation import pearson
from ....types import Floats
from ..printed import Printed, check, printed
from ..recomputing import LEFT_OUT
from ..results import Cell, Plot, Reproduction, Statement, Unchecked
from ..sources import DataSets, numbers, read_table
from .cobalt_scores import SYSTEM, cobalt_scores
from .thesis_cobalt import ABLATIONS, NO_PROGRAM, OWN, SAME_ROW, language_pairs, variants, year_values

SET, ANALOGUE, RANKED = "wmt16_da", "wmt17", "wmt16"
COUNTED, ROUNDED = ("Assessments", "Translations"), "It is a count that the thesis rounds."
LEVELS = ("L1", "L2", "L3", "L4")  # quarters of the data by human score; L4 is the best
WITHIN = {OWN: 0.03}  # how far Tercet's metric is from print by language pair
ASSESSED_EQUAL = ("BLEU", "ChrF2", "Translations")  # rows of Table 5.3 that need nothing but the texts
COLUMNS = ("lp", "z", "reference", "mt")


@dataclass(frozen=True, eq=False)
class Assessed:
    """Outputs of a language pair as one system, each with its reference and its human score."""

    texts: TestSet
    human: Floats


def assessed(data: DataSets) -> tuple[bool, dict[str, Assessed]]:
    """Return whether the data are those of the thesis, and the assessed outputs into English by language pair."""

    def read() -> tuple[bool, dict[str, Assessed]]:
        folder = data(SET)
        if folder is not None:
            return True, _wmt16(folder)
        return False, _wmt17(data.needed(ANALOGUE))

    return data.once(("thesis", "assessed"), read)


def _wmt16(folder: Path) -> dict[str, Assessed]:
    """Read wmt16.tsv, or the files of the task: DAseg.newstest2016.{human,mt-system,reference}.PAIR."""
    rows: dict[str, list[tuple[str, str, float]]] = {}
    if any(folder.glob("wmt16.tsv*")):
        found = read_table(folder, "wmt16.tsv", COLUMNS)
        human = numbers(found["z"], "wmt16.tsv, z").tolist()
        for pair, *item in zip(found["lp"], found["mt"], found["reference"], human, strict=True):
            if pair.endswith("-en"):
                rows.setdefault(pair, []).append((item[0], item[1], item[2]))
    else:
        for path in sorted(folder.glob("DAseg.newstest2016.human.*-en")):
            outputs, references, human = (
                read_lines(path.with_name(path.name.replace("human", part)))
                for part in ("mt-system", "reference", "human")
            )
            rows[path.name.rpartition(".")[2]] = list(
                zip(outputs, references, numbers(human, path.name).tolist(), strict=True)
            )
    if not rows:
        raise DataError(f"{folder} has neither wmt16.tsv nor DAseg.newstest2016.human.PAIR.")
    return {pair: _assessed(pair, items) for pair, items in rows.items()}


def _wmt17(folder: Path) -> dict[str, Assessed]:
    """Read the direct assessments and texts of WMT17."""
    found = {}
    for pair in evidence_pairs(folder):
        evidence = open_evidence(folder, pair) if pair.endswith("-en") else None
        gold = next((item for item in evidence.gold if item.segment), None) if evidence else None
        if evidence is None or gold is None or evidence.testset is None:
            continue
        (references,) = evidence.testset.references.values()
        outputs = evidence.testset.outputs
        items = [
            (outputs[system][row], references[row] or "", float(values[row]))
            for system, values in gold.segment.items()
            if system in outputs
            for row in np.flatnonzero(~np.isnan(values)).tolist()
        ]
        found[pair] = _assessed(pair, items)
    return found


def _assessed(pair: str, items: list[tuple[str, str, float]]) -> Assessed:
    outputs, references, human = (list(column) for column in zip(*items, strict=True))
    return Assessed(TestSet({SYSTEM: outputs}, {"reference": references}, pair=pair), np.array(human))


def scores_of(data: DataSets, pair: str, rows: Mapping[str, str]) -> dict[str, Floats]:
    """Return segment scores by row: UPF-Cobalt, its ablations and variants, and the metrics of `rows`."""
    one = assessed(data)[1][pair]
    cobalts: Mapping[str, Cobalt] = {OWN: Cobalt(), **ABLATIONS, **variants(data)}
    found = data.once(("thesis da", pair), lambda: cobalt_scores(data, one.texts, cobalts))
    others = {item.label: item.segment[SYSTEM] for item in data.scored(one.texts, rows, optional=True)}
    return {**found, **others}


def _by_column(data: DataSets, rows: Mapping[str, str], table: Printed) -> dict[str, dict[str, float]]:
    """Return Pearson's r by row and column: by language pair, or by quality over all language pairs."""
    _, people = assessed(data)
    scores = {pair: scores_of(data, pair, rows) for pair in people}
    names = list(dict.fromkeys(row for found in scores.values() for row in found))
    if not set(LEVELS) <= set(table.columns):
        return {
            row: {pair: float(pearson(scores[pair][row], one.human)) for pair, one in people.items()} for row in names
        }
    human = np.concatenate([one.human for one in people.values()])
    quarters = np.array_split(np.argsort(human, kind="stable"), len(LEVELS))
    joined = {row: np.concatenate([scores[pair][row] for pair in people]) for row in names}
    return {
        row: {level: float(pearson(values[part], human[part])) for level, part in zip(LEVELS, quarters, strict=True)}
        for row, values in joined.items()
    }


def da_table(data: DataSets, *, expected: str, rows: Mapping[str, str]) -> Reproduction:
    """Return r with direct assessment, by language pair (Tables 4.12, 4.15, A.8) or by quality (4.21, A.9)."""
    table = printed(expected)
    own_data = assessed(data)[0]
    values = _by_column(data, rows, table)
    values |= {row: values[same] for row, same in SAME_ROW.items()}
    places = {row.casefold(): row for row in values}
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    missing = data.missing([SET])
    required = {"chrF2", "Meteor"} if data.meteor_table else {"chrF2"}
    for row, column, text in table.numbers():
        ours = values.get(places.get(row.casefold(), row))
        if missing:
            unchecked.append(Unchecked(row, column, float(text), missing))
        elif ours is None or column not in ours:
            unchecked.append(Unchecked(row, column, float(text), NO_PROGRAM if ours is None else missing))
        else:
            cells.append(check(row, column, text, ours[column], within=WITHIN.get(row), must=row in required))
    ablated = any(row in table.cells for row in ABLATIONS)
    hidden = {*SAME_ROW, *(() if ablated else ABLATIONS)}
    shown = {
        row: found
        for row, found in values.items()
        if row not in hidden and not (own_data and row.casefold() in {name.casefold() for name in table.cells})
    }
    notes = (
        [] if own_data else ["For comparison: the direct assessments of WMT17, 560 segments for each language pair."]
    )
    return Reproduction(cells, unchecked, _parts_help(values) if ablated else (), notes, extra=shown)


def rankings_table(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return Table 5.3: tau on the rankings of WMT16, and r with its direct assessments, whichever are there."""
    pairs = language_pairs("thesis_t4_12")
    values: dict[str, dict[str, dict[str, float]]] = {RANKED: {}, SET: {}}
    if data(RANKED) is not None:
        taus = year_values(data, RANKED, pairs, rows)
        values[RANKED] = {**taus, "BLEU": taus.get("SENTBLEU", {})}
    if data(SET) is not None:
        values[SET] = _by_column(data, rows, printed("thesis_t4_12"))
        values[SET]["Translations"] = {pair: float(len(one.human)) for pair, one in assessed(data)[1].items()}
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in printed("thesis_t5_3").numbers():
        pair, _, kind = column.partition("_")
        name = RANKED if kind == "RR_tau" else SET
        value = values[name].get(row, {}).get(pair)
        if value is not None:
            cells.append(check(row, column, text, value, must=name == SET and row in ASSESSED_EQUAL))
        else:
            reason = data.missing([name]) or (ROUNDED if row in COUNTED else NO_PROGRAM)
            unchecked.append(Unchecked(row, column, float(text), reason))
    return Reproduction(cells, unchecked)


def _parts_help(values: Mapping[str, Mapping[str, float]]) -> list[Statement]:
    lower = [row for row in ABLATIONS if np.mean(list(values[row].values())) < np.mean(list(values[OWN].values()))]
    text = "on average r is lower without the context penalty"
    return [Statement(text, "penalty off" in lower, f"lower: {', '.join(lower) or 'none'}", must=False)]


def quality_figure(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return Figure 4.4: the difference in r between UPF-Cobalt and other metrics, by quality."""
    values = _by_column(data, rows, printed("thesis_tA_9"))
    others = [row for row in rows if row in values]
    if not others:
        return Reproduction(notes=[f"Not recomputed. {LEFT_OUT}"])
    gains = {row: [(level, values[OWN][level] - abs(values[row][level])) for level in LEVELS] for row in others}
    best = max(others, key=lambda row: sum(abs(value) for value in values[row].values()))
    last = gains[best][-1][1]
    statement = Statement(
        f"UPF-Cobalt gains nothing over the best metric (here {best}) for the best quarter", last <= 0, f"{last:+.3f}",
        must=False,
    )  # fmt: skip
    plot = Plot(
        "bars", _of(data, "UPF-Cobalt less other metrics, by quality"), "quarter of the data", "difference in r", gains
    )
    return Reproduction(
        statements=[statement], extra={row: dict(points) for row, points in gains.items()}, plots=[plot]
    )


def scatter_figure(data: DataSets, *, row: str, rows: Mapping[str, str] | None = None) -> Reproduction:
    """Return one of Figures A.1 to A.10: scores of a metric and human scores of segments, by language pair."""
    _, people = assessed(data)
    points, r = {}, {}
    for pair, one in people.items():
        scores = scores_of(data, pair, rows or {})
        if row not in scores:  # there is a warning if a package or model is missing
            asked = data.asks_for(row, (rows or {}).get(row, ""))
            reason = f"{row} cannot run here." if asked else LEFT_OUT
            return Reproduction(notes=[f"Not recomputed. {reason}"])
        r[pair] = float(pearson(scores[row], one.human))
        points[f"{pair}, r = {r[pair]:.3f}"] = list(zip(one.human.tolist(), scores[row].tolist(), strict=True))
    plot = Plot("scatter", _of(data, f"{row} and direct assessment"), "human score (z)", row, points)
    return Reproduction(extra={row: r}, plots=[plot])


def _of(data: DataSets, title: str) -> str:
    return f"{title}, {'WMT16' if assessed(data)[0] else 'WMT17'}"
