"""Triage: which outputs need review most, for which reasons, and how many to review so that the rest reaches a target.

A reason is a feature whose usual value would make the prediction better. The effect of a feature is the prediction
minus the prediction with the feature at its mean over the training texts. For linear models that is the feature's term.
Of features that count the same thing in different ways, the one with the worst effect is given.

The cut-off is based on held-out predictions of the training texts. Their labels are regressed on these predictions,
which corrects predictions that are too extreme or not extreme enough. The mean of the kept segments then has the usual
standard error of a mean predicted by linear regression (Draper and Smith, 1998, "Applied Regression Analysis", section
1.4). Segments unlike the training texts are never kept, because their predictions are not reliable.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..data.display import Tabular
from ..errors import DataError, UsageError
from ..options import takes
from ..options.quality import Ranking
from ..types import Floats
from .default import load_model
from .features.families import family
from .inputs import GivenFeatures, check_languages
from .model import Predictions, QualityModel

REASONS = 3
LEAST = 1e-9  # times the range of labels: a smaller effect of a feature is rounding error
REVIEW, KEEP = "review", "keep"


@dataclass(frozen=True)
class Reason:
    """A feature that makes a prediction worse: its value, its usual value, and its effect on the prediction."""

    feature: str
    description: str
    value: float
    usual: float
    effect: float

    def __str__(self) -> str:
        return f"{self.description}: {_short(self.value)}, usually {_short(self.usual)}"


@dataclass(frozen=True)
class Ranked:
    """A segment, numbered from 1 as in the files, with its predicted quality.

    unusual: why it is unlike the training texts, or None. If source or output is empty, there are no other reasons.
    decision: "review" or "keep", if a target was given. id, file: of the segment in the user's file, if it has any.
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
    id: str = ""
    file: str = ""

    @property
    def name(self) -> str:
        """Its id, or its number if it has none."""
        return self.id or str(self.segment)

    @property
    def why(self) -> str:
        return " | ".join(map(str, self.reasons))


@dataclass(frozen=True)
class CutOff:
    """How many segments can be kept without review so that their expected mean quality reaches the target.

    threshold: the predicted quality of the worst kept segment. expected: the expected mean quality of the kept
    segments, with its standard error `error`. These three are NaN if no segment can be kept. typical_error: the root
    mean squared error of a single segment's expected quality. best: the expected quality of the best segment, which no
    mean can exceed; NaN if all segments are unusual. unusual: how many segments of `to_review` are unlike the training
    texts.
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
class SegmentRanking(Tabular):
    """Segments by need of review, the worst first; all of them, or the first `top`."""

    segments: tuple[Ranked, ...]
    n: int
    level: float
    higher_is_better: bool
    model: str
    cut_off: CutOff | None

    @property
    def advice(self) -> str:
        """What to do to reach the target; empty without a target."""
        cut, n = self.cut_off, self.n
        if cut is None:
            return ""
        if not cut.kept:
            best = f"The best possible mean is {cut.best:.3f}, the expected quality of the best segment."
            best = "All are unlike the training texts." if np.isnan(cut.best) else best
            return f"Target {cut.target:g}: no segment can be kept unchanged; all {n} need review. {best}"
        worse = "below" if self.higher_is_better else "above"
        look = f", review the {cut.to_review} ({100 * cut.to_review / n:.0f} %) predicted {worse} {cut.threshold:.3f}"
        look += f" or unlike the training texts ({cut.unusual})" if cut.unusual else ""
        return (
            f"Target {cut.target:g}: keep {cut.kept} of {n} segments unchanged{look if cut.to_review else ''}. "
            f"Expected mean quality of the kept segments: {cut.expected:.3f} ± {cut.error:.3f} (standard error). The "
            f"typical error for a single segment is {cut.typical_error:.3f}."
        )

    def rows(self) -> list[dict[str, object]]:
        """Return one row per segment, for a spreadsheet. Reasons have descriptions of features, not their names."""
        names = ("quality", "low", "high", "decision", "reasons", "source", "output", "unusual")
        return [
            {"segment": each.name} | {name: getattr(each, name) for name in names} | {"reasons": each.why}
            for each in self.segments
        ]

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def _short(value: float) -> str:
    """Format with three significant digits and no exponent. Values below 0.00005 become 0."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{round(value, 4):.3g}"


@takes(Ranking)
def rank(
    model: QualityModel | str | Path,
    sources: Sequence[str],
    outputs: Sequence[str],
    *,
    languages: str | Sequence[str] | None = None,
    given: GivenFeatures | None = None,
    ids: Sequence[str] | None = None,
    files: Sequence[str] | None = None,
    executor: Executor | None = None,
    options: Ranking,
) -> SegmentRanking:
    """Rank segments by predicted quality, the worst first, with reasons and the cut-off for a target quality.

    Parameters
    ----------
    model : a model, its file, or "default", the package's own.
    sources, outputs : the texts, one per segment.
    languages : the language pair, for a model by name.
    given : features of your own, for a model that was trained with them.
    ids, files : the id and the file of each segment, for the result.
    executor : for other processes.
    """
    if isinstance(model, str | Path):
        model = load_model(str(model), None if languages is None else check_languages(languages))
    target, level = options.target, options.level
    if target is not None:
        check_target(model, target)  # before any work
    found = model.predict(sources, outputs, level=level, given=given, executor=executor)
    order = np.argsort(found.values if model.higher_is_better else -found.values, kind="stable")  # the worst first
    shown = order[: options.top]
    cut_off, decisions = None, {}
    if target is not None:
        cut_off = find_cut_off(model, found.values, target, unusual=tuple(found.unusual))
        usual = [row for row in order.tolist() if row not in found.unusual]
        decisions = dict.fromkeys(order.tolist(), REVIEW) | dict.fromkeys(usual[len(usual) - cut_off.kept :], KEEP)
    segments = tuple(
        Ranked(
            row + 1, sources[row], outputs[row],
            float(found.values[row]), float(found.lower[row]), float(found.upper[row]),
            why if sources[row].strip() and outputs[row].strip() else (), found.unusual.get(row), decisions.get(row),
            ids[row] if ids else "", files[row] if files else "",
        )
        for row, why in zip(shown.tolist(), reasons_for(model, found, shown), strict=True)
    )  # fmt: skip
    return SegmentRanking(segments, len(found.values), level, model.higher_is_better, model.checksum, cut_off)


def reasons_for(model: QualityModel, found: Predictions, rows: NDArray[np.int64]) -> list[tuple[Reason, ...]]:
    """Return for each row the features that make its prediction worst; none if the prediction is by rule."""
    table = found.features.values[rows]
    effects = model.predictor.predict(table)[:, np.newaxis] - model.predictor.predict_with_usual(table, model.means)
    harm = -effects if model.higher_is_better else effects
    harm[found.one_sided[rows]] = 0.0
    least = LEAST * (model.label_range[1] - model.label_range[0])
    described = model.descriptions()
    numbers = np.stack(np.broadcast_arrays(table, model.means, effects))
    reasons = []
    for row in range(len(rows)):
        worst: dict[object, Reason] = {}  # by family of features
        for column in np.argsort(-harm[row], kind="stable").tolist():
            if len(worst) == REASONS or harm[row, column] <= least:
                break
            name = found.features.names[column]
            reason = Reason(name, described[name], *map(float, numbers[:, row, column]))
            worst.setdefault(name if name in model.given else family(name), reason)
        reasons.append(tuple(worst.values()))
    return reasons


def check_target(model: QualityModel, target: float) -> None:
    """Raise UsageError if the target is outside the range of labels."""
    low, high = model.label_range
    if not low <= target <= high:
        raise UsageError(f"The target {target:g} is outside the range of the model's labels, {low:g} to {high:g}.")


def find_cut_off(model: QualityModel, predictions: Floats, target: float, *, unusual: Sequence[int] = ()) -> CutOff:
    """Find the largest number of best segments that reach the target. unusual: rows that must not be kept."""
    check_target(model, target)
    x, y = model.held_out_predictions, model.held_out_labels
    slope, intercept, spread = _regressed(x, y)
    sign = 1.0 if model.higher_is_better else -1.0
    best = -sign * np.sort(-sign * np.delete(predictions, list(unusual)))  # the best first
    means = np.cumsum(intercept + slope * best) / np.arange(1, len(best) + 1)
    # Because of rounding, a mean equal to the target may come out slightly below it.
    reached = np.flatnonzero(sign * (means - target) >= -1e-12 * max(abs(target), 1.0))
    kept = int(reached[-1]) + 1 if len(reached) else 0
    threshold = expected = error = nan
    if kept:
        threshold, expected = float(best[kept - 1]), float(means[kept - 1])
        away = (best[:kept].mean() - x.mean()) ** 2 / float((x - x.mean()) @ (x - x.mean()))
        error = float(spread * np.sqrt(1 / kept + 1 / len(x) + away))
    reachable = float(means[0]) if len(means) else nan
    return CutOff(target, threshold, kept, len(predictions) - kept, expected, error, spread, reachable, len(unusual))


def _regressed(predictions: Floats, labels: Floats) -> tuple[float, float, float]:
    """Regress labels on held-out predictions; return slope, intercept and residual standard deviation."""
    x, y = predictions - predictions.mean(), labels - labels.mean()
    square = float(x @ x)
    slope = float(x @ y) / square if square > 0 else 0.0
    if slope <= 0:
        raise DataError(
            "This model's held-out predictions of training texts do not correlate with their labels, so it cannot tell "
            "which outputs are good enough. Train it with more examples or other features."
        )
    residuals = y - slope * x
    spread = float(np.sqrt(residuals @ residuals / max(len(y) - 2, 1)))
    return slope, float(labels.mean() - slope * predictions.mean()), spread
