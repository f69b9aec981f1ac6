"""Kendall's tau against scipy, results compared while at it, and promises that have no peer: tie calibration, tau.

`rows()` gives (name, our CPU seconds, the peer's or those promised, the promised ratio) for `make bench`.
"""

from __future__ import annotations

import sys

import numpy as np

from tercet.stats import bootstrap_all
from tercet.stats.accuracy import calibrate_ties, paired_p_values
from tercet.stats.correlation import kendall
from tercet.stats.tau import Tau, tau_columns, tau_ratio

from .common import Row, cpu

SYSTEMS, SEGMENTS = 16, 2000
METRICS, PAIRS = 30, 100_000


def check(name: str, ours: object, theirs: object) -> None:
    worst = float(np.nanmax(np.abs(np.asarray(ours) - np.asarray(theirs))))
    if worst > 1e-12:
        sys.exit(f"{name}: differs from scipy by {worst}")


def rows() -> list[Row]:
    """Made-up scores: gold with many ties, as MQM has, and a metric without."""
    from scipy import stats

    rng = np.random.default_rng(1)
    gold = np.where(rng.random((SYSTEMS, SEGMENTS)) < 0.4, 0.0, -rng.integers(0, 26, (SYSTEMS, SEGMENTS)))
    metric = gold + rng.normal(0, 5, gold.shape)

    by_item, found = cpu(lambda: kendall(metric.T, gold.T), 3)
    theirs, expected = cpu(lambda: [stats.kendalltau(a, b).statistic for a, b in zip(metric.T, gold.T, strict=True)])
    check("Kendall by segment", found, expected)
    long, found = cpu(lambda: kendall(metric.ravel(), gold.ravel()), 3)
    long_peer, expected = cpu(lambda: stats.kendalltau(metric.ravel(), gold.ravel()).statistic, 3)
    check("Kendall of all outputs", found, expected)

    rounded = np.round(metric)
    tied, found = cpu(lambda: kendall(rounded.ravel(), gold.ravel()), 5)
    tied_peer, expected = cpu(lambda: stats.kendalltau(rounded.ravel(), gold.ravel()).statistic, 5)
    check("Kendall with ties in both", found, expected)

    human = rng.choice([-1, 1], PAIRS)
    said = rng.integers(-1, 2, (METRICS, PAIRS))
    calibration, _ = cpu(lambda: calibrate_ties(gold, metric), 3)
    tau, _ = cpu(lambda: bootstrap_all(tau_ratio, tau_columns(human, said, Tau("wmt12")), resamples=1000))
    p_values, _ = cpu(lambda: paired_p_values(metric, resamples=1000), 3)
    size = f"{SEGMENTS:,} x {SYSTEMS}"
    return [
        (f"Kendall by segment, {size} (scipy)", by_item, theirs, 10.0),
        (f"Kendall of {metric.size:,} (scipy)", long, long_peer, 1.0),
        (f"Kendall of {metric.size:,}, ties in both (scipy)", tied, tied_peer, 1.0),
        (f"tie calibration, {size} (limit .1 s)", calibration, 0.1, 1.0),
        (f"tau, {METRICS} x {PAIRS:,}, 1,000 resamples (limit 2 s)", tau, 2.0, 1.0),
        (f"paired p-values, {size}, 1,000 (limit .1 s)", p_values, 0.1, 1.0),
    ]


if __name__ == "__main__":
    for name, ours, theirs, wanted in rows():
        print(f"{name:55} {ours:8.4f} {theirs:8.4f} {theirs / ours:8.1f}x  promised {wanted:.0f}x")
