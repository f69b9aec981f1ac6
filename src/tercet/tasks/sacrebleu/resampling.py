"""The interval and the paired tests of sacreBLEU 2.6, with its random numbers: the same means, widths and p-values.

Koehn (2004), "Statistical Significance Tests for Machine Translation Evaluation", EMNLP; Riezler and Maxwell (2005),
"On Some Pitfalls in Automatic Evaluation and Significance Testing for MT", MTSumm. sacreBLEU centres absolute
differences of resamples and counts strictly larger ones; `tercet score` and `compare` have other p-values.
"""

import math
import os
from dataclasses import dataclass

import numpy as np

from ...metrics import Metric
from ...types import Floats

ROWS = 320  # resamples that are drawn at once: a multiple of 32, because booleans are drawn in words of 32 bits


@dataclass
class Result:
    """What sacreBLEU says of a system: in JSON under these names."""

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None


def seed() -> int | None:
    """Return $SACREBLEU_SEED; None draws other numbers each time."""
    text = os.environ.get("SACREBLEU_SEED", "12345")
    return None if text.lower() == "none" else int(text)


def scores_of(metric: Metric, sums: Floats) -> Floats:
    """Return the scores of sums, (n, k) -> (n,); BLEU's by Python's logarithm, equal to sacreBLEU's last bit."""
    if metric.name != "bleu":
        return metric.score(sums)
    precisions, _ = metric._precisions(np.moveaxis(sums, -1, 0).copy())  # type: ignore[attr-defined]
    orders = len(precisions)
    found = []
    for row, values in zip(sums, precisions.T.tolist(), strict=True):
        length, closest = int(row[0]), int(row[1])
        penalty = 1.0 if length >= closest else math.exp(1 - closest / length) if length else 0.0
        logs = sum(math.log(value) if value > 0 else -9999999999 for value in values)
        found.append(penalty * math.exp(logs / orders) if row[2 : 2 + orders].any() else 0.0)
    return np.array(found)


def score_of(metric: Metric, counts: Floats) -> float:
    """Return the score of a system from the counts of its segments."""
    return float(scores_of(metric, counts.sum(0)[None])[0])


def bootstrap(metric: Metric, systems: list[Floats], resamples: int) -> list[Floats]:
    """Return by system the scores of resamples, the same for all, in single precision as sacreBLEU's."""
    segments, rng = len(systems[0]), np.random.default_rng(seed())
    sums: list[list[Floats]] = [[] for _ in systems]
    for start in range(0, resamples, ROWS):
        rows = rng.integers(0, segments, size=(min(ROWS, resamples - start), segments))
        weights = np.zeros(rows.shape)
        np.add.at(weights, (np.arange(len(rows))[:, None], rows), 1)
        for counts, found in zip(systems, sums, strict=True):
            found.append(weights @ counts.astype(np.float32))
    return [scores_of(metric, np.concatenate(found).astype(np.float32)) for found in sums]


def mean_and_width(scores: Floats) -> tuple[float, float]:
    """Return the mean of resamples, and half the distance between the 2.5 % at both ends."""
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    return float(ordered.mean()), float(0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut]))


def interval(metric: Metric, counts: Floats, resamples: int) -> tuple[float, float]:
    """Return mean and width for one system. sacreBLEU adds exactly here, and as NumPy does in paired tests."""
    (scores,) = bootstrap(metric, [counts], resamples)
    return float(scores.dtype.type(math.fsum(scores) / len(scores))), mean_and_width(scores)[1]


def paired_bootstrap(metric: Metric, systems: list[Floats], resamples: int) -> list[Result]:
    """Test all systems against the first."""
    found: list[Result] = []
    resampled = bootstrap(metric, systems, resamples)
    for counts, scores in zip(systems, resampled, strict=True):
        result = Result(score_of(metric, counts), None, *mean_and_width(scores))
        if found:
            differences = np.abs(scores - resampled[0])
            result.p_value = _p_value(differences - differences.mean(), abs(found[0].score - result.score))
        found.append(result)
    return found


def paired_randomisation(metric: Metric, systems: list[Floats], resamples: int) -> list[Result]:
    """Test all systems against the first by exchanging outputs."""
    first, *others = systems
    found = [Result(score_of(metric, first))]
    for counts in others:
        rng, differences = np.random.default_rng(seed() or None), []
        for start in range(0, resamples, ROWS):
            kept = rng.integers(2, size=(min(ROWS, resamples - start), len(first)), dtype=bool).astype(np.float64)
            one, two = kept @ first + (1 - kept) @ counts, (1 - kept) @ first + kept @ counts
            differences.append(np.abs(metric.score(one) - metric.score(two)))
        score = score_of(metric, counts)
        found.append(Result(score, _p_value(np.concatenate(differences), abs(found[0].score - score))))
    return found


def _p_value(statistics: Floats, observed: float) -> float:
    return (int(np.sum(statistics > observed)) + 1) / (len(statistics) + 1)
