"""Train a metric: settings by held-out language pairs, figures on what was held out, weights, ablation by group."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..errors import DataError
from ..metrics.bases.members import groups_of
from ..quality.learner_base import on_one_thread, standard_units
from ..quality.predictors import LinearPredictor, Predictor
from ..quality.splits import folds
from ..stats.correlation import is_constant_series, pearson
from ..types import Floats
from .examples import Examples, Rows
from .learners import Material, MetricLearner, check_material

log = logging.getLogger(__name__)
FOLDS = 5  # of segments, if there is one language pair only
Mask = Rows


@dataclass(frozen=True, eq=False)
class Part:
    """Examples with their features. weight: of each of its pairs and scores."""

    examples: Examples
    features: Floats
    weight: float = 1.0

    @property
    def scores(self) -> Floats:
        """What people said of each row, standardised within the set; NaN if they ranked."""
        found = self.examples.scores
        if found is None:
            return np.full(len(self.features), np.nan)
        spread = float(np.nanstd(found))
        return (found - np.nanmean(found)) / spread if spread else found - found


@dataclass(frozen=True)
class HeldOut:
    """How a model agrees with people on judgements that it was not trained on.

    tau: Kendall's tau over pairs, where a tie of the metric counts as half. pearson: with people's scores.
    """

    name: str
    pairs: int
    tau: float
    outputs: int
    pearson: float


@dataclass(frozen=True)
class Weight:
    """A feature's weight for one standard deviation, and the share of the mean margin that it adds."""

    feature: str
    weight: float
    contribution: float


@dataclass(frozen=True)
class Ablation:
    """The held-out figure without the features of one metric, and with these alone."""

    group: str
    features: int
    without: float
    alone: float


def balanced(parts: Sequence[Part]) -> list[Part]:
    """Return the parts weighted so that each has the same total weight."""
    sizes = [max(len(part.examples.better), 1) for part in parts]
    mean = sum(sizes) / len(sizes)
    return [replace(part, weight=mean / size) for part, size in zip(parts, sizes, strict=True)]


def join(parts: Sequence[Part], columns: Sequence[int] | None = None) -> Material:
    """Return all parts as one material, with features standardised over all rows."""
    table = np.concatenate([part.features if columns is None else part.features[:, columns] for part in parts])
    inputs, units = standard_units(table)
    starts = np.cumsum([0, *(len(part.features) for part in parts)])
    better = [part.examples.better + start for part, start in zip(parts, starts, strict=False)]
    worse = [part.examples.worse + start for part, start in zip(parts, starts, strict=False)]
    return Material(
        inputs,
        units,
        np.concatenate(better),
        np.concatenate(worse),
        np.concatenate([np.full(len(part.examples.better), part.weight) for part in parts]),
        np.concatenate([part.scores for part in parts]),
        np.concatenate([np.full(len(part.features), part.weight) for part in parts]),
    )


def check_parts(learner: MetricLearner, parts: Sequence[Part], names: Sequence[str]) -> None:
    """Raise an error if nothing can be learnt, and warn of features that never vary."""
    check_material(
        learner,
        sum(len(part.examples.better) for part in parts),
        sum(part.examples.scores is not None for part in parts),
    )
    constant = is_constant_series(np.concatenate([part.features for part in parts]).T)
    if constant.all():
        raise DataError(f"No feature differs between outputs ({', '.join(names[:3])}): there is nothing to learn from.")
    if constant.any():
        left = [name for name, out in zip(names, constant.tolist(), strict=True) if out]
        log.warning("Left out, because they are the same for all outputs: %s.", ", ".join(left))


def splits(parts: Sequence[Part], seed: int) -> list[tuple[str, list[Part], list[Part]]]:
    """Return (name, training, held out): each language pair once, or fifths of the segments of a single one."""
    pairs = list(dict.fromkeys(part.examples.pair for part in parts))
    if len(pairs) > 1:
        return [
            (pair, [p for p in parts if p.examples.pair != pair], [p for p in parts if p.examples.pair == pair])
            for pair in pairs
        ]
    found = []
    # Segments of different years are different; a fold takes some of each.
    divided = [folds(part.examples.segment.tolist(), FOLDS, seed) for part in parts]
    for number in range(min(len(each) for each in divided)):
        sides = [
            [_rows(part, each[number][side]) for part, each in zip(parts, divided, strict=True)] for side in (0, 1)
        ]
        found.append((f"fold {number + 1}", sides[0], sides[1]))
    return found


def _rows(part: Part, rows: Rows) -> Part:
    """Return some rows, and the pairs within them."""
    number = np.full(len(part.features), -1, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    better, worse = number[part.examples.better], number[part.examples.worse]
    both = (better >= 0) & (worse >= 0)
    scores = part.examples.scores
    examples = replace(
        part.examples, segment=part.examples.segment[rows], better=better[both], worse=worse[both],
        scores=None if scores is None else scores[rows],
    )  # fmt: skip
    return replace(part, examples=examples, features=part.features[rows])


def measure(name: str, parts: Sequence[Part], score: Callable[[Floats], Floats]) -> HeldOut:
    """Return how scores agree with people on these parts."""
    outcomes, people, numbers = [], [], []
    for part in parts:
        found = score(part.features)
        outcomes.append(np.sign(found[part.examples.better] - found[part.examples.worse]))
        if part.examples.scores is not None:
            people.append(part.scores)
            numbers.append(found)
    signs = np.concatenate(outcomes)
    r = float(pearson(np.concatenate(people), np.concatenate(numbers))) if people else float("nan")
    tau = float(signs.mean()) if len(signs) else float("nan")
    return HeldOut(name, len(signs), tau, sum(map(len, people)), r)


def figure(held_out: Sequence[HeldOut], learner: MetricLearner) -> float:
    """Return the number by which settings are chosen: the mean r if it learns from scores, else tau."""
    by_pairs = [one.tau for one in held_out if not np.isnan(one.tau)]
    by_scores = [one.pearson for one in held_out if not np.isnan(one.pearson)]
    chosen = by_scores if by_scores and (learner.needs != "pairs" or not by_pairs) else by_pairs
    return float(np.mean(chosen)) if chosen else float("nan")


def hold_out(
    learner: MetricLearner, parts: Sequence[Part], setting: float, seed: int, columns: Sequence[int] | None = None
) -> list[HeldOut]:
    """Return the figures of models that have not seen what they are judged by."""
    found = []
    for name, training, held in splits(parts, seed):
        material = join(training, columns)
        if not len(material.better) and np.isnan(material.scores).all():
            continue
        predictor = learner.fit(material, setting, seed)
        found.append(measure(name, held, partial(_predict, predictor, columns)))
    return found


def _predict(predictor: Predictor, columns: Sequence[int] | None, features: Floats) -> Floats:
    return predictor.predict(features if columns is None else features[:, columns])


def choose(learner: MetricLearner, parts: Sequence[Part], seed: int) -> tuple[float, list[HeldOut]]:
    """Return the setting with the best held-out figure, and the figures."""
    if len(parts) == 1 and len(set(parts[0].examples.segment.tolist())) < 2:
        raise DataError("All judgements are about one segment: there is nothing to hold out. More are needed.")
    tried = [(setting, hold_out(learner, parts, setting, seed)) for setting in learner.settings]
    return max(tried, key=lambda pair: np.nan_to_num(figure(pair[1], learner), nan=-2.0))


def fit(learner: MetricLearner, parts: Sequence[Part], setting: float, seed: int) -> Predictor:
    """Return the predictor of all parts."""
    return on_one_thread(partial(learner.fit, join(parts), setting, seed))


def weigh(predictor: Predictor, parts: Sequence[Part], names: Sequence[str]) -> list[Weight]:
    """Return the weights of a linear model, the largest contribution first; nothing for other models."""
    if not isinstance(predictor, LinearPredictor):
        return []
    material = join(parts)
    moved = material.differences if len(material.better) else material.units
    # Without pairs: how far a feature moves the score together with people's scores.
    sign = np.ones(len(moved)) if len(material.better) else np.nan_to_num(material.scores)
    margins = (moved * sign[:, np.newaxis]).mean(0) * predictor.coefficients
    total = float(margins.sum())
    used = [names[column] for column in predictor.inputs.columns.tolist()]
    rows = zip(used, predictor.coefficients.tolist(), margins.tolist(), strict=True)
    found = [Weight(name, weight, margin / total if total else 0.0) for name, weight, margin in rows]
    return sorted(found, key=lambda row: -abs(row.contribution))


def ablate(
    learner: MetricLearner, parts: Sequence[Part], setting: float, names: Sequence[str], seed: int
) -> list[Ablation]:
    """Return the held-out figure without, and with only, the features of each metric."""
    groups = groups_of(names)
    if len(groups) < 2:
        return []
    found = []
    for group, columns in groups.items():
        rest = [column for column in range(len(names)) if column not in columns]
        without = figure(hold_out(learner, parts, setting, seed, rest), learner)
        alone = figure(hold_out(learner, parts, setting, seed, columns), learner)
        found.append(Ablation(group, len(columns), without, alone))
    return found
