"""Fomicheva (2017): Pearson's r with direct assessment of segments (WMT16; WMT17 where that is missing)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....data.evidence import evidence_pairs, open_evidence
from ....data.lines import read_lines
from ....data.testset import TestSet
from ....errors import DataError
from ....stats.correlation import pearson
from ....types import Floats
from ..printed import all_unchecked, compare, printed
from ..recomputing import LEFT_OUT
from ..results import Plot, Reproduction, Statement
from ..sources import DataSets, grouped, numbers, once, read_table
from ..tables import why_absent
from .rankings import Taus
from .thesis_cobalt import ABLATIONS, OWN, SAME_ROW, SYSTEM, asks_for_cobalt, cobalt_scores, cobalts, year_values

SET, ANALOGUE, RANKED = "wmt16_da", "wmt17", "wmt16"
COUNTED, ROUNDED = ("Assessments", "Translations"), "It is a count that the thesis rounds."
LEVELS = ("L1", "L2", "L3", "L4")  # quarters of the data by human score; L4 is the best
WITHIN = {OWN: 0.03}  # how far Tercet's metric is from print by language pair
ASSESSED_EQUAL = ("BLEU", "ChrF2", "Translations")  # rows of Table 5.3 that need nothing but the texts
STAND_IN = "For comparison: the direct assessments of WMT17, 560 segments for each language pair."

Items = Iterator[tuple[str, tuple[Sequence[str], Sequence[str], Sequence[float] | Floats]]]  # by language pair


@dataclass(frozen=True, eq=False)
class Assessed:
    """Outputs of a language pair as one system, each with its reference and its human score."""

    texts: TestSet
    human: Floats


@once
def assessed(data: DataSets) -> tuple[bool, dict[str, Assessed]]:
    """Return whether the data are those of the thesis, and the assessed outputs into English by language pair."""
    folder = data(SET)
    items = dict(_wmt17(data.needed(ANALOGUE)) if folder is None else _wmt16(folder))
    if folder is not None and not items:
        raise DataError(f"{folder} has neither wmt16.tsv nor DAseg.newstest2016.human.PAIR.")
    return folder is not None, {
        pair: Assessed(TestSet({SYSTEM: outputs}, {"reference": references}, pair=pair), np.array(human))
        for pair, (outputs, references, human) in items.items()
    }


def _wmt16(folder: Path) -> Items:
    """Read wmt16.tsv, or the files of the task: DAseg.newstest2016.{human,mt-system,reference}.PAIR."""
    if any(folder.glob("wmt16.tsv*")):
        for pair, table in grouped(read_table(folder, "wmt16.tsv", ["lp", "z", "reference", "mt"]), "lp").items():
            if pair.endswith("-en"):
                yield pair, (table["mt"], table["reference"], numbers(table["z"], "wmt16.tsv, z"))
        return
    for path in sorted(folder.glob("DAseg.newstest2016.human.*-en")):
        outputs, references, human = (
            read_lines(path.with_name(path.name.replace("human", part))) for part in ("mt-system", "reference", "human")
        )
        yield path.name.rpartition(".")[2], (outputs, references, numbers(human, path.name))


def _wmt17(folder: Path) -> Items:
    """Read the direct assessments and texts of WMT17."""
    for pair in (pair for pair in evidence_pairs(folder) if pair.endswith("-en")):
        evidence = open_evidence(folder, pair)
        gold = next((item for item in evidence.gold if item.segment), None)
        if gold is None or evidence.testset is None:
            continue
        (references,) = evidence.testset.references.values()
        outputs = evidence.testset.outputs
        items = [
            (outputs[system][row], references[row] or "", float(values[row]))
            for system, values in gold.segment.items()
            if system in outputs
            for row in np.flatnonzero(~np.isnan(values)).tolist()
        ]
        texts, matching, human = (list(column) for column in zip(*items, strict=True))
        yield pair, (texts, matching, human)


@once
def _scores_of_cobalt(data: DataSets, pair: str) -> dict[str, Floats]:
    return cobalt_scores(data, assessed(data)[1][pair].texts, cobalts(data))


def scores_of(data: DataSets, pair: str, rows: Mapping[str, str]) -> dict[str, Floats]:
    """Return segment scores by row; with UPF-Cobalt its ablations and variants."""
    others = {row: spec for row, spec in rows.items() if row != OWN}
    found = data.scored(assessed(data)[1][pair].texts, others, optional=True)
    cobalt = _scores_of_cobalt(data, pair) if OWN in rows and asks_for_cobalt(data) else {}
    return cobalt | {item.label: item.segment[SYSTEM] for item in found}


def _r_by_pair(data: DataSets, rows: Mapping[str, str]) -> Taus:
    values: Taus = {}
    for pair, one in assessed(data)[1].items():
        for row, scores in scores_of(data, pair, rows).items():
            values.setdefault(row, {})[pair] = float(pearson(scores, one.human))
    return values


def _r_by_quality(data: DataSets, rows: Mapping[str, str]) -> Taus:
    _, people = assessed(data)
    scores = [scores_of(data, pair, rows) for pair in people]
    human = np.concatenate([one.human for one in people.values()])
    quarters = np.array_split(np.argsort(human, kind="stable"), len(LEVELS))
    joined = {row: np.concatenate([found[row] for found in scores]) for row in scores[0]}
    return {
        row: {level: float(pearson(values[part], human[part])) for level, part in zip(LEVELS, quarters, strict=True)}
        for row, values in joined.items()
    }


def da_table(data: DataSets, *, expected: str, rows: Mapping[str, str]) -> Reproduction:
    """Return r with direct assessment, by language pair (Tables 4.12, 4.15, A.8) or by quality (4.21, A.9)."""
    table, own_data = printed(expected), assessed(data)[0]
    values = (_r_by_quality if {*LEVELS} <= {*table.columns} else _r_by_pair)(data, rows)
    values |= {row: values[same] for row, same in SAME_ROW.items() if same in values}
    printed_rows = {row.casefold() for row in table.cells}
    ablated = any(row in table.cells for row in ABLATIONS)
    hidden = {*SAME_ROW, *(() if ablated else ABLATIONS)}
    extra = {
        row: found
        for row, found in values.items()
        if row not in hidden and not (own_data and row.casefold() in printed_rows)
    }
    statements: list[Statement] = []
    if ablated and OWN in values:
        means = {row: np.mean(list(values[row].values())) for row in (OWN, *ABLATIONS)}
        lower = [row for row in ABLATIONS if means[row] < means[OWN]]
        holds, found_lower = "penalty off" in lower, f"lower: {', '.join(lower) or 'none'}"
        text = "on average r is lower without the context penalty"
        statements.append(Statement(text, holds, found_lower, must=False))
    if not own_data:
        unchecked = all_unchecked(expected, data.missing([SET]))
        return Reproduction(unchecked=unchecked, statements=statements, notes=[STAND_IN], extra=extra)
    required = {"chrF2", "TER", *(["Meteor"] if data.meteor_table else [])}
    places = {row.casefold(): row for row in values}
    ours = {row: values.get(places.get(row.casefold(), row), {}) for row in table.cells}
    return compare(
        expected, ours, lambda row, _: LEFT_OUT if row in (*ABLATIONS, *SAME_ROW) else why_absent(row),
        lambda row, _: {"within": WITHIN.get(row), "must": row in required}, statements=statements, extra=extra,
    )  # fmt: skip


def rankings_table(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return Table 5.3: tau on the rankings of WMT16, and r with its direct assessments, whichever are there."""
    values: dict[str, Taus] = {RANKED: {}, SET: {}}
    if data(RANKED) is not None:
        taus = year_values(data, "thesis_t4_12", RANKED, rows)
        values[RANKED] = {**taus, "BLEU": taus.get("SENTBLEU", {})}
    if data(SET) is not None:
        values[SET] = _r_by_pair(data, rows)
        values[SET]["Translations"] = {pair: float(len(one.human)) for pair, one in assessed(data)[1].items()}
    table = printed("thesis_t5_3")
    sources = {column: RANKED if column.endswith("RR_tau") else SET for column in table.columns}
    by_column: Taus = {row: {} for row in table.cells}
    for row, found in by_column.items():
        for column, name in sources.items():
            if (value := values[name].get(row, {}).get(column.partition("_")[0])) is not None:
                found[column] = value
    return compare(
        "thesis_t5_3",
        by_column,
        lambda row, column: data.missing([sources[column]]) or (ROUNDED if row in COUNTED else why_absent(row)),
        lambda row, column: {"must": sources[column] == SET and row in ASSESSED_EQUAL},
    )


def quality_figure(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return Figure 4.4: the difference in r between UPF-Cobalt and other metrics, by quality."""
    values = _r_by_quality(data, rows)
    others = [row for row in rows if row in values and row != OWN]
    if not others or OWN not in values:
        return Reproduction(notes=[f"Not recomputed. {LEFT_OUT}"])
    gains = {row: [(level, values[OWN][level] - abs(values[row][level])) for level in LEVELS] for row in others}
    best = max(others, key=lambda row: sum(abs(value) for value in values[row].values()))
    last, said = gains[best][-1][1], f"UPF-Cobalt gains nothing over the best metric (here {best}) for the best quarter"
    statement = Statement(said, last <= 0, f"{last:+.3f}", must=False)
    title = _of(data, "UPF-Cobalt less other metrics, by quality")
    plot = Plot("bars", title, "quarter of the data", "difference in r", gains)
    extra = {row: dict(points) for row, points in gains.items()}
    return Reproduction(statements=[statement], extra=extra, plots=[plot])


def scatter_figure(data: DataSets, *, rows: Mapping[str, str]) -> Reproduction:
    """Return one of Figures A.1 to A.10: scores of a metric and human scores of segments, by language pair."""
    ((row, spec),) = rows.items()
    points, r = {}, {}
    for pair, one in assessed(data)[1].items():
        scores = scores_of(data, pair, rows)
        if row not in scores:  # there is a warning if a package or model is missing
            return Reproduction(
                notes=[f"Not recomputed. {f'{row} cannot run here.' * data.asks_for(row, spec) or LEFT_OUT}"]
            )
        r[pair] = float(pearson(scores[row], one.human))
        points[f"{pair}, r = {r[pair]:.3f}"] = list(zip(one.human.tolist(), scores[row].tolist(), strict=True))
    plot = Plot("scatter", _of(data, f"{row} and direct assessment"), "human score (z)", row, points)
    return Reproduction(extra={row: r}, plots=[plot])


def _of(data: DataSets, title: str) -> str:
    return f"{title}, {'WMT16' if assessed(data)[0] else 'WMT17'}"
