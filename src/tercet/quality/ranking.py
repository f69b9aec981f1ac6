"""Triage: which outputs need a person most, why, and how many to look at so that the rest is as good as asked for.

A reason is a feature whose usual value would make the prediction better: the effect of a feature is the prediction less
that with the feature at its mean over the training texts. For linear models that is the feature's term. Of features
that count the same thing in different ways, the one with the worst effect is given.

A cut-off rests on what the model predicted for training texts that it had not seen. Their labels are regressed on those
predictions, which corrects a model that exaggerates or plays down; the mean of what is kept then has the usual standard
error of a mean predicted by linear regression (Draper and Smith, 1998, "Applied Regression Analysis", section 1.4).
Segments unlike the training texts are never kept: what is predicted of them is not to be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UsageError
from .features.families import family

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .inputs import GivenFeatures
    from .model import Predictions, QualityModel

Floats = NDArray[np.float64]
REASONS = 3
LEAST = 1e-9  # of the range of labels: the effect of a feature that is no rounding error
REVIEW, KEEP = "review", "keep"


@dataclass(frozen=True)
class Reason:
    """A feature that speaks against an output: its value, the usual one, and what that does to the prediction."""

    feature: str
    description: str
    value: float
    usual: float
    effect: float


@dataclass(frozen=True)
class Ranked:
    """A segment, numbered from 1 as in the files, with its predicted quality.

    unusual: why it is unlike the training texts, if it is. Where source or output is empty there are no other reasons.
    decision: "review" or "keep", where a target was given.
    """

    segment: int
    source: str
    output: str
    quality: float
    low: float
    high: float
    reasons: tuple[Reason, ...]
    unusual: str | None
    decision: str | None


@dataclass(frozen=True)
class CutOff:
    """How many segments may be kept as they are so that their mean quality is expected to be the target.

    threshold: the predicted quality of the worst that is kept; NaN where none can be. expected: the mean quality of
    what is kept, with its standard error `error`; both NaN where none can be kept. typical_error: how far the quality
    of a single segment is from what is expected of it, as a root mean square. best: the best mean that can be expected,
    that of the best segment alone; NaN where all are unusual. unusual: how many of `to_review` are there because they
    are unlike the training texts.
    """

    target: float
    threshold: float
    kept: int
    to_review: int
    expected: float
    error: float
    typical_error: float
    best: float
    unusual: int


@dataclass(frozen=True)
class SegmentRanking:
    """Segments, the one most in need of a person first; all of them, or the first `top`."""

    segments: tuple[Ranked, ...]
    n: int
    level: float
    higher_is_better: bool
    model: str
    cut_off: CutOff | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self)


def rank(
    model: QualityModel,
    sources: Sequence[str],
    outputs: Sequence[str],
    *,
    top: int | None = None,
    target: float | None = None,
    level: float = 0.9,
    given: GivenFeatures | None = None,
    executor: Executor | None = None,
) -> SegmentRanking:
    """Segments by predicted quality, the worst first, with reasons; and the cut-off for a target quality."""
    if top is not None and top < 1:
        raise UsageError(f"top must be 1 or more, not {top}.")
    if target is not None:
        check_target(model, target)  # before any work
    found = model.predict(sources, outputs, level=level, given=given, executor=executor)
    badness = -found.values if model.higher_is_better else found.values
    order = np.argsort(-badness, kind="stable")
    shown = order[:top]
    reasons = _reasons(model, found, shown)
    cut_off = None if target is None else find_cut_off(model, found.values, target, unusual=tuple(found.unusual))
    decisions = _decisions(order, found, cut_off)
    segments = tuple(
        Ranked(
            int(row) + 1, sources[row], outputs[row],
            float(found.values[row]), float(found.lower[row]), float(found.upper[row]),
            why if sources[row].strip() and outputs[row].strip() else (),
            found.unusual.get(int(row)), decisions.get(int(row)),
        )
        for row, why in zip(shown, reasons, strict=True)
    )  # fmt: skip
    return SegmentRanking(segments, len(found.values), level, model.higher_is_better, model.checksum, cut_off)


def _decisions(order: NDArray[np.int64], found: Predictions, cut_off: CutOff | None) -> dict[int, str]:
    """By row what to do with it; nothing without a target. order: the worst first."""
    if cut_off is None:
        return {}
    usual = [int(row) for row in order if int(row) not in found.unusual]
    return dict.fromkeys(map(int, order), REVIEW) | dict.fromkeys(usual[len(usual) - cut_off.kept :], KEEP)


def _reasons(model: QualityModel, found: Predictions, rows: NDArray[np.int64]) -> list[tuple[Reason, ...]]:
    """For each row the features that make its prediction worst; none where the model did not make it."""
    table = found.features.values[rows]
    effects = model.predictor.predict(table)[:, np.newaxis] - model.predictor.predict_with_usual(table, model.means)
    harm = -effects if model.higher_is_better else effects
    harm[found.one_sided[rows]] = 0.0
    least = LEAST * (model.label_range[1] - model.label_range[0])
    described = model.descriptions()
    reasons = []
    for row in range(len(rows)):
        worst: dict[object, int] = {}  # by what the feature counts
        for column in np.argsort(-harm[row], kind="stable").tolist():
            if len(worst) == REASONS or harm[row, column] <= least:
                break
            name = found.features.names[column]
            worst.setdefault(name if name in model.given else family(name), column)
        reasons.append(
            tuple(
                Reason(
                    found.features.names[column],
                    described[found.features.names[column]],
                    float(table[row, column]),
                    float(model.means[column]),
                    float(effects[row, column]),
                )
                for column in worst.values()
            )
        )
    return reasons


def check_target(model: QualityModel, target: float) -> None:
    """Refuse a target that no label has."""
    low, high = model.label_range
    if not low <= target <= high:
        raise UsageError(f"The target {target:g} is outside the model's labels, which go from {low:g} to {high:g}.")


def find_cut_off(model: QualityModel, predictions: Floats, target: float, *, unusual: Sequence[int] = ()) -> CutOff:
    """The largest number of the best segments whose expected mean quality is no worse than the target.

    unusual: rows that must not be kept, whatever is predicted of them.
    """
    check_target(model, target)
    slope, intercept, spread = _straightened(model.held_out_predictions, model.held_out_labels)
    sign = 1.0 if model.higher_is_better else -1.0
    best = -sign * np.sort(-sign * np.delete(predictions, list(unusual)))  # the best first
    means = np.cumsum(intercept + slope * best) / np.arange(1, len(best) + 1)
    # Sums in floating point may miss a mean that is the target itself.
    reached = sign * (means - target) >= -1e-12 * max(abs(target), 1.0)
    kept = int(np.flatnonzero(reached)[-1]) + 1 if reached.any() else 0
    reachable = float(means[0]) if len(means) else nan
    rest = len(predictions) - kept
    if not kept:
        return CutOff(target, nan, 0, rest, nan, nan, spread, reachable, len(unusual))
    error = _error_of_mean(best[:kept], model.held_out_predictions, spread)
    return CutOff(
        target, float(best[kept - 1]), kept, rest, float(means[kept - 1]), error, spread, reachable, len(unusual)
    )


def _straightened(predictions: Floats, labels: Floats) -> tuple[float, float, float]:
    """Slope, intercept and residual spread of labels given held-out predictions."""
    x, y = predictions - predictions.mean(), labels - labels.mean()
    square = float(x @ x)
    slope = float(x @ y) / square if square > 0 else 0.0
    if slope <= 0:
        raise DataError(
            "This model's predictions for training texts that it had not seen do not go with their labels: it cannot "
            "say which outputs are good enough. Train it with more examples or other features."
        )
    residuals = y - slope * x
    spread = float(np.sqrt(residuals @ residuals / max(len(y) - 2, 1)))
    return slope, float(labels.mean() - slope * predictions.mean()), spread


def _error_of_mean(kept: Floats, predictions: Floats, spread: float) -> float:
    """Standard error of the mean of new labels at these predictions."""
    deviations = predictions - predictions.mean()
    away = (kept.mean() - predictions.mean()) ** 2 / float(deviations @ deviations)
    return float(spread * np.sqrt(1 / len(kept) + 1 / len(predictions) + away))
