"""False alarms of `tercet track gate`, and how soon it finds drops: python -m benchmarks.track_gate [YEARS]

Simulates years of nightly runs. A pool of systems of the same quality is made by replacing words of references; every
night each segment's output comes from a random system of the pool, with a share of segments kept from the night before.
A drop is of the size that `compare` calls detectable on this test set (80 % power, one test at 5 %).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tercet import TestSet, score
from tercet.data.scores import Scores
from tercet.rendering.tables import table
from tercet.stats import detectable_difference
from tercet.tasks.track.drops import gate, paired_error
from tercet.tasks.track.runs import Run, RunScore

SEGMENTS, POOL, NIGHTS, CLEAN = 500, 24, 365, 60
GOOD, BAD = 0.30, 0.45  # shares of words that are wrong


class Nights:
    """A history in memory: what `gate` asks of one, with the runs of a year."""

    def __init__(self, like: Scores) -> None:
        self.like, self.known, self.counts = like, [], []

    def add(self, counts: np.ndarray) -> None:
        value = float(self.like.metric.score(counts.sum(0)))
        row = RunScore(self.like.label, self.like.signature, True, value)
        night = len(self.known) + 1
        self.known.append(Run("nmt", (row,), f"{night:04}", segments=len(counts), number=night))
        self.counts.append(counts)

    def runs(self, **_: Any) -> list[Run]:
        return self.known

    def find(self, name: int | str, runs: Any = None) -> Run:
        return self.known[-1] if name == "last" else self.known[int(name) - 1]

    def load(self, run: Run) -> list[Scores]:
        counts = self.counts[run.number - 1]
        return [replace(self.like, system={"": 0.0}, counts={"": counts}, segment={}, totals={})]

    def joined(self, run: Run, metrics: Any = ()) -> list[Scores]:
        return self.load(run)


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
    cube = found.cube
    like = replace(found, n_segments=SEGMENTS, system={"": 0.0}, counts={"": cube[0, :SEGMENTS]}, segment={}, totals={})
    return like, cube[:POOL], cube[POOL:]


def zipf(n: int) -> np.ndarray:
    weights = 1 / np.arange(1, n + 1)
    return weights / weights.sum()


def year(
    like: Scores, good: np.ndarray, bad: np.ndarray, against: str, share: float, seed: int, *, kept: float, drop: bool
) -> int | None:
    """Return the night of the first alarm, counted from the drop if there is one; None without an alarm."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, good.shape[1], SEGMENTS)  # a test set of its own
    good, bad, rows = good[:, chosen], bad[:, chosen], np.arange(SEGMENTS)
    nights = Nights(like)
    system, worse = rng.integers(0, POOL, SEGMENTS), rng.random(SEGMENTS) < share
    for night in range(CLEAN + 60 if drop else NIGHTS):
        again = rng.random(SEGMENTS) >= kept
        system = np.where(again, rng.integers(0, POOL, SEGMENTS), system)
        counts = good[system, rows]
        if drop and night >= CLEAN:
            counts = np.where(worse[:, np.newaxis], bad[system, rows], counts)
        nights.add(counts)
        named = "1" if against == "named" else against
        if (not drop or night >= CLEAN) and night and gate(nights, against=named).failed:  # type: ignore[arg-type]
            return night - CLEAN if drop else night
    return None


def share_of_drop(like: Scores, good: np.ndarray, bad: np.ndarray) -> tuple[float, float]:
    """Return the share of segments that must get worse for a drop that `compare` calls detectable, and the drop."""
    metric = like.metric
    means = [float(metric.score(pool.mean(0).sum(0))) for pool in (good, bad)]
    rng, errors = np.random.default_rng(1), []
    for _ in range(20):
        chosen, rows = rng.integers(0, good.shape[1], SEGMENTS), np.arange(SEGMENTS)
        pair = [replace(like, system={"": 0.0}, counts={"": good[rng.integers(0, POOL, SEGMENTS), chosen][rows]})
                for _ in range(2)]  # fmt: skip
        errors.append(paired_error(*pair)[1])
    drop = detectable_difference(float(np.mean(errors)))
    return drop / (means[0] - means[1]), drop


def main() -> None:
    years = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = []
    known = {metric: pools(metric) for metric in ("chrf", "bleu")}
    for against in ("earlier", "named", "last", "best"):
        for like, good, bad in known.values():
            share, drop = share_of_drop(like, good, bad)
            for kept in (0.0, 0.9):
                one = partial(year, like, good, bad, against, share, kept=kept)
                alarms = sum(one(seed, drop=False) is not None for seed in range(years))
                found = [one(10_000 + seed, drop=True) for seed in range(years)]
                within = [
                    sum(each is not None and each < nights for each in found) / years for nights in (1, 3, 7, 30, 60)
                ]
                cells = [against, like.label, f"{100 * kept:g} %", f"{drop:.2f}", f"{100 * alarms / years:.1f} %"]
                rows.append([*cells, *(f"{100 * part:.0f} %" for part in within)])
                print(*rows[-1], sep="\t", flush=True)
    head = ["against", "metric", "kept", "drop", "years with a false alarm", "found in 1", "3", "7", "30", "60 nights"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
