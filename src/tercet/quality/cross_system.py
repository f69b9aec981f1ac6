"""Evaluate a model on labelled texts: as a whole, against metrics, by system, and across systems.

This corresponds to Tables 3 and 4 and the end of section 3 of Specia, Cancedda and Dymetman (2010), "A Dataset for
Assessing Machine Translation Evaluation Metrics", where a model trained on the outputs of one system is tested on those
of the others. All systems translate the same sentences, and a model must not be tested on sentences that it was trained
on. So it is trained on a system's outputs in some groups and tested on all systems' outputs in the other groups.
"""

from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, UsageError
from ..learning import SEED
from ..learning.examples import MINIMUM, Examples, folds, number_groups
from ..learning.fitting import predict_held_out
from ..learning.learners import learnt_by
from ..options import takes
from ..options.quality import Assessing
from ..stats.correlation import is_constant_series, pearson
from ..types import Floats
from .evaluating import Evaluation, check_pair, compare_pearson, evaluate
from .inputs import GivenFeatures
from .model import QualityModel


@dataclass(frozen=True)
class Rival:
    """A metric on the same segments, and the model's lead; confidence: share of resamples that it wins (Koehn 2004)."""

    metric: str
    pearson: float
    difference: float
    low: float
    high: float
    confidence: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Across:
    """Models trained on one system (rows) and tested on another (columns), on other groups; NaN where undefined."""

    systems: tuple[str, ...]
    segments: tuple[int, ...]
    pearson: Floats
    rmse: Floats

    @property
    def untested(self) -> list[str]:
        """The systems on which no model was trained: too few segments, or labels that are all the same."""
        return [name for name, row in zip(self.systems, self.rmse, strict=True) if np.isnan(row).all()]


@dataclass(frozen=True, eq=False)
class Assessment:
    """The evaluation of a model's predictions. level: of the intervals around predictions."""

    all: Evaluation
    level: float
    rivals: tuple[Rival, ...]
    by_system: Mapping[str, Evaluation]
    across: Across | None
    model: str

    def to_dict(self) -> dict[str, object]:
        """Return a dictionary for JSON, with the figures at the top level and their intervals in `intervals`."""
        found = self.all.to_dict() | {"level": self.level, "model": self.model}
        found["metrics"] = [asdict(rival) for rival in self.rivals]
        if self.across is not None:
            found["systems"] = {name: each.to_dict() for name, each in self.by_system.items()}
            found["across"] = {name: np.array(value).tolist() for name, value in vars(self.across).items()}
        return found


@takes(Assessing)
def assess(
    model: QualityModel,
    sources: Sequence[str],
    outputs: Sequence[str],
    labels: ArrayLike,
    *,
    given: GivenFeatures | None = None,
    systems: Sequence[str] | None = None,
    groups: Sequence[Hashable] | None = None,
    metrics: Mapping[str, Floats] | None = None,
    executor: Executor | None = None,
    options: Assessing,
) -> Assessment:
    """Evaluate the model's predictions of texts that it was not trained on.

    Parameters
    ----------
    model : the model.
    sources, outputs, labels : the texts and the labels that people gave, one per segment.
    given : features of your own, for a model that was trained with them.
    systems : the system of each output. Adds figures by system, and models with this model's settings that are trained
        on each system.
    groups : segments to resample together and never to split, by default those of the same source sentence.
    metrics : scores of the same segments by name, in the same direction as the model's labels.
    executor : for other processes.
    """
    level, seed = options.level, options.seed
    found = model.predict(sources, outputs, level=level, given=given, executor=executor)
    truth, values = check_pair(labels, found.values)
    alike = list(sources if groups is None else groups)
    for what, each in (("groups", alike), ("systems", systems)):
        if each is not None and len(each) != len(truth):
            raise DataError(f"There are {len(truth)} segments, but {what} for {len(each)}. Give one per segment.")
    how: dict[str, Any] = {"seed": seed, "resamples": options.resamples, "level": options.confidence}

    def figures(rows: Sequence[int] | NDArray[np.int64]) -> Evaluation:
        bounds = found.lower[rows], found.upper[rows]
        same = [alike[row] for row in rows]
        better = model.higher_is_better
        return evaluate(truth[rows], values[rows], intervals=bounds, groups=same, higher_is_better=better, **how)

    rivals = [_rival(name, truth, values, scores, alike, how) for name, scores in (metrics or {}).items()]
    by_system: dict[str, Evaluation] = {}
    matrix = None
    if systems is not None:
        rows_of = {name: np.flatnonzero(np.array(systems) == name) for name in dict.fromkeys(systems)}
        by_system = {name: figures(rows) for name, rows in rows_of.items()}
        matrix = across_systems(model, found.features.values, truth, rows_of, alike, seed=seed, executor=executor)
    return Assessment(figures(range(len(truth))), level, tuple(rivals), by_system, matrix, model.checksum)


def _rival(
    metric: str, labels: Floats, predictions: Floats, scores: Floats, groups: list[Hashable], how: Mapping[str, Any]
) -> Rival:
    """Compare the model with a metric, on the segments that the metric scores."""
    if scores.shape != labels.shape:
        raise DataError(f"There are {len(labels)} segments, but scores of {metric} for {scores.size}.")
    scored = np.isfinite(scores)
    if is_constant_series(scores[scored]):
        return Rival(metric, nan, nan, nan, nan, nan, nan)
    rows = np.flatnonzero(scored)
    same = [groups[row] for row in rows]
    found = compare_pearson(labels[rows], predictions[rows], scores[rows], groups=same, **how)
    return Rival(
        metric, float(pearson(labels[rows], scores[rows])), found.difference, found.low, found.high, found.wins,
        found.p_value,
    )  # fmt: skip


def across_systems(
    model: QualityModel,
    features: Floats,
    labels: Floats,
    rows_of: Mapping[str, Any],
    groups: Sequence[Hashable],
    *,
    seed: int = SEED,
    executor: Executor | None = None,
) -> Across:
    """Train on one system and test on each, on other groups, with the learner and the settings of the model."""
    if len(rows_of) < 2:
        raise UsageError(f"`across` needs at least two systems, and all segments are of {next(iter(rows_of))!r}.")
    learner, settings = learnt_by(model.predictor, model.names)
    splits = folds(groups, seed=seed)
    trained = {}
    for system, rows in rows_of.items():
        parts = [np.intersect1d(rows, train) for train, _ in splits]
        can_learn = all(len(part) > 1 and not is_constant_series(labels[part]) for part in parts)
        if len(rows) >= MINIMUM and can_learn:
            trained[system] = [(part, test) for part, (_, test) in zip(parts, splits, strict=True)]
    numbers = number_groups(groups, len(labels), "segments")
    data = Examples(features, labels, numbers, seed=seed, executor=executor)
    results = iter(predict_held_out(learner, settings, data, [split for parts in trained.values() for split in parts]))
    correlations, errors = np.full((2, len(rows_of), len(rows_of)), nan)
    for place, system in enumerate(rows_of):
        if system not in trained:
            continue
        predictions = np.full(len(labels), nan)
        for _, test in splits:
            predictions[test] = next(results)
        for other, rows in enumerate(rows_of.values()):
            correlations[place, other] = pearson(labels[rows], predictions[rows])
            errors[place, other] = np.sqrt(np.mean((labels[rows] - predictions[rows]) ** 2))
    return Across(tuple(rows_of), tuple(len(rows) for rows in rows_of.values()), correlations, errors)
