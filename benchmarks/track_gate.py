"""False alarms of `tercet track gate`, and how soon it finds drops: python -m benchmarks.track_gate [--years 250]

Simulates years of nightly runs. A pool of systems of the same quality is made by replacing words of references; every
night each segment's output comes from a random system of the pool, with a share of segments kept from the night before.
A drop is of the size that `compare` calls detectable on this test set (80 % power, one test at 5 %).

All nights of a year are computed at once. Standard errors are first taken from the slope of the score (the delta
method), and wherever that comes near an alarm the test of the command decides, `drops.drop_test`, on the same runs
(`drops.windows`). `tests/unit/tasks/test_track.py` holds that the verdicts are those of the command.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from tercet import TestSet, score
from tercet.data.scores import Scores
from tercet.rendering.tables import table
from tercet.stats import detectable_difference
from tercet.stats.resampling import evaluate
from tercet.tasks.track.drops import ALPHA, LOOKS, TESTS, drop_test, paired_error, pooled, windows

SEGMENTS, POOL, NIGHTS, CLEAN = 500, 24, 365, 60
GOOD, BAD = 0.30, 0.45  # shares of words that are wrong
NEAR = 3.0  # standard errors by the delta method from which the test itself is made; an alarm needs 3.98
AT_ONCE = 64  # tests


def pools(metric: str) -> tuple[Scores, np.ndarray, np.ndarray]:
    """Return a metric, and the counts of the good and of the bad systems, shape (systems, segments, k)."""
    rng = np.random.default_rng(7)
    words = np.array([f"w{i}" for i in range(400)])
    lengths = rng.integers(5, 40, 4 * SEGMENTS)
    reference = [rng.choice(words, n, p=zipf(400)) for n in lengths]
    hard = rng.beta(2, 2, len(lengths)) * 2  # some segments are harder than others

    def system(rate: float) -> list[str]:
        made = []
        for line, factor in zip(reference, hard, strict=True):
            wrong = rng.random(len(line)) < np.minimum(rate * factor, 0.95)
            made.append(" ".join(np.where(wrong, rng.choice(words, len(line)), line)))
        return made

    outputs = {f"{rate}-{i}": system(rate) for rate in (GOOD, BAD) for i in range(POOL)}
    found = score(TestSet(outputs, {"ref": [" ".join(line) for line in reference]}), metric)[0]
    first = found.cube[0, :SEGMENTS]
    parts = {"counts": {"": first}, "totals": {"": first.sum(0)}, "system": {"": 0.0}, "segment": {}}
    return replace(found, n_segments=SEGMENTS, **parts), found.cube[:POOL], found.cube[POOL:]


def zipf(n: int) -> np.ndarray:
    weights = 1 / np.arange(1, n + 1)
    return weights / weights.sum()


def year(good: np.ndarray, bad: np.ndarray, share: float, seed: int, *, kept: float, drop: bool) -> np.ndarray:
    """Return the counts of a year of nights, or of a drop after CLEAN nights: shape (nights, segments, k)."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, good.shape[1], SEGMENTS)  # a test set of its own
    system, worse = rng.integers(0, POOL, SEGMENTS), rng.random(SEGMENTS) < share
    nights = []
    for night in range(CLEAN + 60 if drop else NIGHTS):
        again = rng.random(SEGMENTS) >= kept
        system = np.where(again, rng.integers(0, POOL, SEGMENTS), system)
        counts = good[system, chosen]
        if drop and night >= CLEAN:
            counts = np.where(worse[:, np.newaxis], bad[system, chosen], counts)
        nights.append(counts)
    return np.stack(nights)


def alarms(like: Scores, counts: np.ndarray, begin: int = 1) -> list[int]:
    """Return the nights from `begin` on at which the gate fails, of counts of shape (nights, segments, k)."""
    sums = np.concatenate([np.zeros((1, *counts.shape[1:])), counts.cumsum(0)])  # exact: counts are whole numbers
    tests = [(first, start, night) for night in range(begin, len(counts)) for first, start in windows(night)]
    failed = set()
    for place in range(0, len(tests), AT_ONCE):
        first, start, night = np.array(tests[place : place + AT_ONCE]).T
        sizes = [size[:, np.newaxis, np.newaxis] for size in (night + 1 - start, start - first)]
        new, old = (sums[night + 1] - sums[start]) / sizes[0], (sums[start] - sums[first]) / sizes[1]
        for which in np.flatnonzero(_away(like, new, old) > NEAR):
            runs = counts[start[which] : night[which] + 1], counts[first[which] : start[which]]
            both = [pooled(list(each), like) for each in runs]
            if drop_test(both[0], both[1], level=ALPHA / LOOKS / TESTS).failed:
                failed.add(int(night[which]))
    return sorted(failed)


def _away(like: Scores, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Return how many standard errors the new scores are below the old ones, by the delta method: shape (tests,)."""
    scores, influence = [], 0.0
    for sign, counts in ((-1.0, new), (1.0, old)):
        totals = counts.sum(1)
        steps = 1e-4 * np.maximum(totals, 1.0)[:, np.newaxis] * np.eye(totals.shape[1])
        up, down = (evaluate(like.metric.score, totals[:, np.newaxis] + way * steps) for way in (1, -1))
        slopes = (up - down) / (2 * steps.sum(-1))
        influence = influence + sign * np.einsum("nsk,nk->ns", counts, slopes)
        scores.append(evaluate(like.metric.score, totals))
    error = np.sqrt(np.square(influence - influence.mean(1, keepdims=True)).sum(1))
    return np.divide(scores[1] - scores[0], error, out=np.zeros(len(error)), where=error > 0)


def share_of_drop(like: Scores, good: np.ndarray, bad: np.ndarray) -> tuple[float, float]:
    """Return the share of segments that must get worse for a drop that `compare` calls detectable, and the drop."""
    means = [float(like.metric.score(pool.mean(0).sum(0))) for pool in (good, bad)]
    rng, errors = np.random.default_rng(1), []
    for _ in range(20):
        chosen = rng.integers(0, good.shape[1], SEGMENTS)
        pair = [pooled([good[rng.integers(0, POOL, SEGMENTS), chosen]], like) for _ in range(2)]
        errors.append(paired_error(*pair)[1])
    drop = detectable_difference(float(np.mean(errors)))
    return drop / (means[0] - means[1]), drop


def main() -> None:
    parser = argparse.ArgumentParser(description="False alarms and found drops of the gate.")
    parser.add_argument("--years", type=int, default=250, help="of each of four kinds, without and with a drop")
    years = parser.parse_args().years
    rows = []
    for metric in ("chrf", "bleu"):
        like, good, bad = pools(metric)
        share, drop = share_of_drop(like, good, bad)
        for kept in (0.0, 0.9):
            false = sum(bool(alarms(like, year(good, bad, share, i, kept=kept, drop=False))) for i in range(years))
            found = [
                alarms(like, year(good, bad, share, 10_000 + i, kept=kept, drop=True), CLEAN) for i in range(years)
            ]
            within = [sum(bool(each) and each[0] - CLEAN < n for each in found) / years for n in (1, 3, 7, 30, 60)]
            rows.append([like.label, f"{100 * kept:g} %", f"{drop:.2f}", f"{false} of {years}"])
            rows[-1] += [f"{100 * part:.0f} %" for part in within]
            print(*rows[-1], sep="\t", flush=True)
    print(table(["metric", "kept", "drop", "years with an alarm", "found in 1", "3", "7", "30", "60 nights"], rows))


if __name__ == "__main__":
    main()
