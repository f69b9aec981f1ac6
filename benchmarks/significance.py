"""Speed of the tests between metrics and of the intervals of tau, against a published figure or a limit.

`rows()` gives (name, our CPU seconds, the peer's or the limit, the promised ratio) for `make bench`. The peer of the
Williams test is not run here: 1 ms for a pair of metrics is the figure given for mt-metrics-eval.
"""

from __future__ import annotations

import numpy as np

from tercet import score
from tercet.stats import compare_all
from tercet.stats.correlation_bootstrap import resample_ratio
from tercet.stats.permutation import permutation_test
from tercet.stats.tau import tau_columns
from tercet.stats.williams import williams_matrix

from .common import Row, cpu, texts

METRICS, SYSTEMS, SEGMENTS, PAIRS, RESAMPLES = 30, 16, 2000, 100_000, 1000
PEER_WILLIAMS = 0.001  # seconds for a pair


def rows() -> list[Row]:
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(SYSTEMS, 1))
    gold = quality + rng.normal(size=(SYSTEMS, SEGMENTS))
    noise = np.linspace(1, 4, METRICS)[:, np.newaxis, np.newaxis]
    metrics = quality + noise * rng.normal(size=(METRICS, SYSTEMS, SEGMENTS))
    systems, means = gold.mean(1), metrics.mean(2)
    human = rng.choice([-1.0, 1.0], PAIRS)
    said = np.where(rng.random((METRICS, PAIRS)) < 0.4, human, rng.choice([-1.0, 0.0, 1.0], (METRICS, PAIRS)))

    times = 50  # one run is too short for the clock
    williams, _ = cpu(lambda: [williams_matrix(systems, means) for _ in range(times)], 5)
    tau, _ = cpu(lambda: resample_ratio(tau_columns(human, said), resamples=RESAMPLES).intervals(), 2)
    both, _ = cpu(lambda: permutation_test(gold, metrics, kind="perm-both", resamples=RESAMPLES), 3)
    (chrf,) = score(texts("en-de", SYSTEMS, SEGMENTS), ["chrf"])
    how = {"test": "randomisation", "baseline": 0}
    resampled, _ = cpu(lambda: compare_all(chrf.metric.score, chrf.cube, **how), 3)
    pairs = METRICS * (METRICS - 1) // 2
    return [
        (f"Williams, {pairs} pairs of metrics", williams / times, PEER_WILLIAMS * pairs, 500.0),
        ("tau, 30 metrics x 100,000 x 1,000 (limit 2 s)", tau, 2.0, 1.0),
        (f"chrF, {len(chrf.cube) - 1} pairs x 10,000 exchanges (limit .4 s)", resampled, 0.4, 1.0),
        (f"PERM-BOTH, {pairs} pairs x 1,000 (limit 1 s)", both, 1.0, 1.0),
    ]


if __name__ == "__main__":
    for name, ours, theirs, wanted in rows():
        print(f"{name:48} {ours:8.5f} {theirs:8.4f} {theirs / ours:8.1f}x  promised {wanted:.0f}x")
