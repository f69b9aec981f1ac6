"""The tables of Specia, Cancedda and Dymetman (2010) from its own data, EAMT09 or ce_dataset, for those who have them.

One TSV file with the columns system, source, reference, mt and score. The paper does not say how it divided the data;
here a model of a system is trained on the first four fifths of its sentences and tested on the last fifth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....data.testset import TestSet
from ....quality.training import train
from ....stats.correlation import pearson
from ....types import Floats
from ..printed import all_unchecked, compare_rows
from ..results import Reproduction, Statement
from ..sources import DataSets, numbers, read_table

CE = "ce_dataset"
PAIR = "en-es"
TRAINED_ON = "System3"
SHARE = 0.8  # of the sentences of a system, for training
CORPUS = {"BLEU": "bleu:variant=mteval", "NIST": "nist", "METEOR": "meteor:matchers=exact", "TER": "ter"}
NO_HALF_WIDTHS = "The paper does not say how it computed them."
ANALOGUE = "iwslt2019_pe"


@dataclass(frozen=True, eq=False)
class Scored:
    """The translations of one system, with scores from 1 to 4."""

    sources: list[str]
    outputs: list[str]
    references: list[str]
    scores: Floats

    @property
    def first_test(self) -> int:
        return int(SHARE * len(self.scores))

    def texts(self, start: int = 0) -> TestSet:
        return TestSet({"mt": self.outputs[start:]}, {"reference": self.references[start:]}, pair=PAIR)


def _systems(data: DataSets) -> dict[str, Scored]:
    def read() -> dict[str, Scored]:
        columns = ["system", "source", "reference", "mt", "score"]
        found = read_table(data.needed(CE), "ce_dataset.tsv", columns)
        score = numbers(found["score"], "ce_dataset.tsv, score")
        made = {}
        for system in dict.fromkeys(found["system"]):
            rows = [place for place, name in enumerate(found["system"]) if name == system]
            parts = [[found[name][row] for row in rows] for name in ("source", "mt", "reference")]
            made[system.replace(" ", "")] = Scored(parts[0], parts[1], parts[2], score[rows])
        return made

    return data.once("ce_dataset systems", read)


def score_table(data: DataSets) -> Reproduction:
    """Return Table 1: mean and median scores of translators."""
    values = {
        name: {"Average score": float(one.scores.mean()), "Median score": float(np.median(one.scores))}
        for name, one in _systems(data).items()
    }
    return compare_rows("specia_t1", values)


def system_table(data: DataSets) -> Reproduction:
    """Return Table 2: scores of systems by metrics."""
    values = {
        name: {item.label: item.system["mt"] for item in data.scored(one.texts(), CORPUS)}
        for name, one in _systems(data).items()
    }
    return compare_rows("specia_t2", values, decimals=4)


def _predictions(data: DataSets, trained_on: str, name: str) -> Floats:
    """Return predictions for the last fifth of a system, of a model of the first four fifths of another."""

    def make() -> Floats:
        one, other = _systems(data)[trained_on], _systems(data)[name]
        model = data.once(
            ("ce_dataset model", trained_on),
            lambda: train(
                one.sources[: one.first_test],
                one.outputs[: one.first_test],
                one.scores[: one.first_test],
                PAIR,
                learner="pls",
            ),
        )
        return model.predict(other.sources[other.first_test :], other.outputs[other.first_test :]).values

    return data.once(("ce_dataset predictions", trained_on, name), make)


def error_table(data: DataSets) -> Reproduction:
    """Return Table 3: root mean squared error of predictions."""
    values = {}
    for name, one in _systems(data).items():
        errors = _predictions(data, name, name) - one.scores[one.first_test :]
        values[name] = {"RMSPE": float(np.sqrt((errors**2).mean()))}
    return _noted(compare_rows("specia_t3", values, no_half_widths=NO_HALF_WIDTHS))


def correlation_table(data: DataSets, metrics: Mapping[str, str]) -> Reproduction:
    """Return Table 4: |r| of metrics and of predictions, on the last fifth of each system."""
    values: dict[str, dict[str, float]] = {}
    for name, one in _systems(data).items():
        human = one.scores[one.first_test :]
        scores = {item.label: item.segment["mt"] for item in data.scored(one.texts(one.first_test), metrics)}
        scores["QE"] = _predictions(data, name, name)
        values[name] = {label: abs(float(pearson(row, human))) for label, row in scores.items()}
    return _noted(compare_rows("specia_t4", values))


def cross_system_table(data: DataSets) -> Reproduction:
    """Return r of a model of System3 on the other systems; IWSLT 2019 stands in where EAMT09 is missing."""
    if data(CE) is not None:
        values: dict[str, dict[str, float]] = {}
        for name, one in _systems(data).items():
            if name != TRAINED_ON:
                predicted = _predictions(data, TRAINED_ON, name)
                values[name] = {"Pearson": float(pearson(predicted, one.scores[one.first_test :]))}
        return _noted(compare_rows("specia_text_crosssystem", values))
    found = _analogue(data)
    extra = {
        f"trained on the {name} systems": {f"half {half}": one[name][0] for half, one in enumerate(found, 1)}
        for name in ("same", "other")
    }
    lowest = min(_lower_bound(*one["other"]) for one in found)
    shown = [" and ".join(f"{one[name][0]:.3f}" for one in found) for name in ("other", "same")]
    statement = Statement(
        "a model of other systems still correlates with people (r above 0 in both halves, 95 %)",
        lowest > 0,
        f"{shown[0]}; of the same systems {shown[1]}",
        must=False,
    )
    note = "For comparison: post-editing effort (HTER) of IWSLT 2019, en-es; half of the systems for training."
    unchecked = all_unchecked("specia_text_crosssystem", data.missing([CE]))
    return Reproduction(unchecked=unchecked, statements=[statement], notes=[note], extra=extra)


def _lower_bound(r: float, n: int) -> float:
    """Return the lower end of the 95 % interval of a correlation, by Fisher's transformation."""
    return float(np.tanh(np.arctanh(r) - 1.96 / np.sqrt(n - 3)))


def _analogue(data: DataSets) -> list[dict[str, tuple[float, int]]]:
    """Return r and n of models of the same and of other systems, with the post-editing effort (HTER) of IWSLT 2019.

    Systems are divided into two halves. Each half is tested once, by two models that have as many sentences for
    training: one of the same half, one of the other.
    """

    def make() -> list[dict[str, tuple[float, int]]]:
        found = read_table(data.needed(ANALOGUE), "annotations.tsv", ["file_name", "S", "MT", "HTER"])
        effort: dict[tuple[str, str, str], list[float]] = {}
        human = numbers(found["HTER"], "annotations.tsv, HTER").tolist()
        for file, source, output, value in zip(found["file_name"], found["S"], found["MT"], human, strict=True):
            effort.setdefault((_system(file), source, output), []).append(value)
        keys = list(effort)
        systems = sorted({system for system, _, _ in keys})
        labels = np.array([np.mean(values) for values in effort.values()])
        second = np.array([systems.index(system) % 2 == 1 for system, _, _ in keys])
        return [_halves(data, keys, labels, tested) for tested in (second, ~second)]

    return data.once("specia analogue", make)


def _halves(
    data: DataSets, keys: Sequence[tuple[str, str, str]], labels: Floats, tested: NDArray[np.bool_]
) -> dict[str, tuple[float, int]]:
    """Return r and n on every second sentence of a half of the systems, of a model of this half and of the other."""
    test = np.zeros(len(keys), dtype=bool)
    test[np.flatnonzero(tested)[::2]] = True
    parts = {"same": tested & ~test, "other": ~tested}
    size = min(int(part.sum()) for part in parts.values())
    asked, found = np.flatnonzero(test).tolist(), {}
    for name, part in parts.items():
        used = np.flatnonzero(part)[:size].tolist()
        sources, outputs = [keys[i][1] for i in used], [keys[i][2] for i in used]
        model = train(
            sources, outputs, labels[used], PAIR, learner="pls", higher_is_better=False, executor=data.executor
        )
        values = model.predict([keys[i][1] for i in asked], [keys[i][2] for i in asked]).values
        found[name] = float(pearson(values, labels[asked])), len(asked)
    return found


def _system(file: str) -> str:
    """Return the system in a name such as newstest2011.en-es.uedin_doc-38."""
    return file.partition("_doc")[0]


def _noted(found: Reproduction) -> Reproduction:
    note = "Models: partial least squares on Tercet's features, trained on four fifths of a system's sentences."
    return replace(found, notes=[note])
