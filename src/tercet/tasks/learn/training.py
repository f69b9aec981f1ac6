"""Train a metric: settings by held-out language pairs, figures on what was held out, weights, ablation by group."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import DataError, UsageError
from ...learning.examples import FOLDS, Examples, folds, on_one_thread, standard_units
from ...learning.fitting import Learner
from ...learning.predictors import LinearPredictor, Predictor
from ...metrics.bases.members import groups_of
from ...stats.correlation import is_constant_series, pearson
from ...types import Floats
from .judged import Part

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HeldOut:
    """Agreement on unseen judgements. tau: over pairs, where the metric's ties count half. pearson: with scores."""

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
    return [
        part._replace(examples=replace(part.examples, weights=np.full(len(part.examples.labels), mean / size)))
        for part, size in zip(parts, sizes, strict=True)
    ]


def join(parts: Sequence[Part], columns: Sequence[int] | slice = slice(None)) -> Examples:
    """Return the examples of all parts, with labels standardised within each, or some of their features."""
    all_of = [part.examples for part in parts]
    starts = np.cumsum([0, *(len(each.labels) for each in all_of)])

    def rows(name: str) -> list[Floats]:
        return [getattr(each, name) + start for each, start in zip(all_of, starts, strict=False)]

    return Examples(
        np.concatenate([each.features[:, columns] for each in all_of]),
        np.concatenate([_standardised(each.labels) for each in all_of]),
        np.concatenate([each.groups for each in all_of]),
        np.concatenate(rows("better")),
        np.concatenate(rows("worse")),
        np.concatenate([np.ones(len(each.labels)) if each.weights is None else each.weights for each in all_of]),
        all_of[0].seed,
    )


def _standardised(labels: Floats) -> Floats:
    if np.isnan(labels).all():
        return labels
    spread = float(np.nanstd(labels))
    return (labels - np.nanmean(labels)) / spread if spread else labels - labels


def check_parts(learner: Learner, parts: Sequence[Part], names: Sequence[str]) -> None:
    """Raise an error if nothing can be learnt, and warn of features that never vary."""
    pairs = any(len(part.examples.better) for part in parts)
    labels = any(not np.isnan(part.examples.labels).all() for part in parts)
    if learner.learns_from == "labels" and not labels:
        raise UsageError(f"{learner.name} learns from scores of outputs, and there are only rankings. Use logistic.")
    if learner.learns_from == "pairs" and not pairs:
        raise UsageError(
            f"{learner.name} learns from pairs of outputs, and there are none: no two outputs of a segment were judged "
            "differently enough. Use `learner` ridge, a smaller `margin`, or `across` 10: pairs of different segments."
        )
    if not pairs and not labels:
        raise UsageError("There is nothing to learn from: no pairs of outputs, and no scores.")
    constant = is_constant_series(np.concatenate([part.examples.features for part in parts]).T)
    if constant.all():
        raise DataError(f"No feature differs between outputs ({', '.join(names[:3])}): there is nothing to learn from.")
    if constant.any():
        left = [name for name, out in zip(names, constant.tolist(), strict=True) if out]
        log.warning("Left out, because they are the same for all outputs: %s.", ", ".join(left))


def splits(parts: Sequence[Part]) -> list[tuple[str, list[Part], list[Part]]]:
    """Return (name, training, held out): each language pair once, or fifths of the segments of a single one."""
    pairs = list(dict.fromkeys(part.pair for part in parts))
    if len(pairs) > 1:
        return [(pair, [p for p in parts if p.pair != pair], [p for p in parts if p.pair == pair]) for pair in pairs]
    # Segments of different years are different; a fold takes some of each.
    divided = [
        [
            [Part(part.pair, part.examples.take(rows)) for rows in split]
            for split in folds(part.examples.groups.tolist(), FOLDS, part.examples.seed)
        ]
        for part in parts
    ]
    return [
        (f"fold {number}", [train for train, _ in fold], [test for _, test in fold])
        for number, fold in enumerate(zip(*divided, strict=False), 1)
    ]


def measure(name: str, examples: Examples, score: Callable[[Floats], Floats]) -> HeldOut:
    """Return the agreement with people of a function from features to scores."""
    found = score(examples.features)
    signs = np.sign(found[examples.better] - found[examples.worse])
    known = ~np.isnan(examples.labels)
    r = float(pearson(examples.labels[known], found[known])) if known.any() else float("nan")
    return HeldOut(name, len(signs), float(signs.mean()) if len(signs) else float("nan"), int(known.sum()), r)


def figure(held_out: Sequence[HeldOut], learner: Learner) -> float:
    """Return the number by which settings are chosen: the mean r if it learns from scores, else tau."""
    by_pairs = [one.tau for one in held_out if not np.isnan(one.tau)]
    by_scores = [one.pearson for one in held_out if not np.isnan(one.pearson)]
    chosen = by_scores if by_scores and (learner.learns_from != "pairs" or not by_pairs) else by_pairs
    return float(np.mean(chosen)) if chosen else float("nan")


def hold_out(
    learner: Learner, parts: Sequence[Part], setting: float, columns: Sequence[int] | slice = slice(None)
) -> list[HeldOut]:
    """Return the figures of models that have not seen what they are judged by."""
    found = []
    for name, training, held in splits(parts):
        examples = join(training, columns)
        if len(examples.better) or not np.isnan(examples.labels).all():
            predictor = learner.fit_with(examples, learner.grid[setting])
            found.append(measure(name, join(held, columns), predictor.predict))
    return found


def choose(learner: Learner, parts: Sequence[Part]) -> tuple[float, list[HeldOut]]:
    """Return the setting with the best held-out figure, and the figures."""
    if len(parts) == 1 and len(set(parts[0].examples.groups.tolist())) < 2:
        raise DataError("All judgements are about one segment: there is nothing to hold out. More are needed.")
    tried = [(setting, hold_out(learner, parts, setting)) for setting in learner.grid]
    return max(tried, key=lambda pair: np.nan_to_num(figure(pair[1], learner), nan=-2.0))


def fit(learner: Learner, parts: Sequence[Part], setting: float) -> Predictor:
    """Return the predictor of all parts."""
    return on_one_thread(learner.fit_with, join(parts), learner.grid[setting])


def weigh(predictor: Predictor, parts: Sequence[Part], names: Sequence[str]) -> list[Weight]:
    """Return the weights of a linear model, the largest contribution first; nothing for other models."""
    if not isinstance(predictor, LinearPredictor):
        return []
    examples = join(parts)
    _, units = standard_units(examples.features)
    if len(examples.better):
        moved, sign = units[examples.better] - units[examples.worse], np.ones(len(examples.better))
    else:  # how far a feature moves the score together with people's scores
        moved, sign = units, np.nan_to_num(examples.labels)
    margins = (moved * sign[:, np.newaxis]).mean(0) * predictor.coefficients
    total = float(margins.sum())
    used = [names[column] for column in predictor.inputs.columns.tolist()]
    rows = zip(used, predictor.coefficients.tolist(), margins.tolist(), strict=True)
    found = [Weight(name, weight, margin / total if total else 0.0) for name, weight, margin in rows]
    return sorted(found, key=lambda row: -abs(row.contribution))


def ablate(learner: Learner, parts: Sequence[Part], setting: float, names: Sequence[str]) -> list[Ablation]:
    """Return the held-out figure without, and with only, the features of each metric."""
    groups = groups_of(names)
    if len(groups) < 2:
        return []
    found = []
    for group, columns in groups.items():
        rest = [column for column in range(len(names)) if column not in columns]
        without, alone = (figure(hold_out(learner, parts, setting, some), learner) for some in (rest, columns))
        found.append(Ablation(group, len(columns), without, alone))
    return found
