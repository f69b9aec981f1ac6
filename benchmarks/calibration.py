"""Do the tests and intervals keep their promises? A simulation: python -m benchmarks.calibration

Two systems that are equally good are compared again and again on new samples of segments: at the 5 % level each test
must reject in 5 % of the runs. Intervals of one system's score must contain the true score in 95 % of the runs.
With few segments the bootstrap fails, and `tercet compare` goes by randomisation: `--segments` takes several numbers.
Samples are drawn from a large made-up population, whose score is therefore known exactly. There are two statistics: a
mean of segment scores, and a ratio of sums as BLEU is, on n-gram counts that are correlated within a segment (long
segments count more, and a match of order n + 1 needs one of order n) and between systems (difficult segments are
difficult for both).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from tercet.stats import bootstrap, paired_bootstrap, randomisation
from tercet.stats.paired import FEW_SEGMENTS
from tercet.stats.resampling import Score
from tercet.types import Floats

POPULATION = 50_000
ALPHA = 0.05
LIMITS = {"rejected": (0.035, 0.065), "covered": (0.93, 0.97)}
SMALL = 10  # segments below which a test may find less than LIMITS say, because few p-values are possible


@dataclass(frozen=True)
class Simulation:
    """A statistic and the counts of two systems on all segments of the population, shape (2, segments, k)."""

    name: str
    score: Score
    cube: Floats


@dataclass(frozen=True)
class Outcome:
    """In how many of the runs something happened, and how often it may."""

    statistic: str
    procedure: str
    kind: str  # rejected or covered
    hits: int
    runs: int
    n: int

    @property
    def share(self) -> float:
        return self.hits / self.runs

    @property
    def limits(self) -> tuple[float, float] | None:
        """None where nothing is promised: the bootstrap on few segments."""
        if self.n < FEW_SEGMENTS and self.procedure != "randomisation":
            return None
        low, high = LIMITS[self.kind]
        return (0.0 if self.n < SMALL else low), high

    @property
    def within(self) -> bool:
        return self.limits is None or self.limits[0] <= self.share <= self.limits[1]


def mean_score(totals: Floats) -> Floats:
    return totals[..., 0] / totals[..., 1]


def ratio_score(totals: Floats) -> Floats:
    """BLEU without smoothing: lengths of output and reference, then matches and n-grams of four orders."""
    matches, ngrams = totals[..., 2:6], totals[..., 6:10]
    precision = np.exp(np.log(np.maximum(matches, 1e-9) / ngrams).mean(-1))
    penalty = np.exp(np.minimum(0, 1 - totals[..., 1] / totals[..., 0]))
    return 100 * penalty * precision


def mean_simulation(rng: np.random.Generator) -> Simulation:
    """Segment scores between 0 and 1, skewed, with a correlation of about .5 between the systems."""
    ease = rng.beta(4, 2, POPULATION)
    scores = rng.beta(6 * ease, 6 * (1 - ease), size=(2, POPULATION))
    return Simulation("mean", mean_score, np.stack([scores, np.ones_like(scores)], axis=-1))


def ratio_simulation(rng: np.random.Generator) -> Simulation:
    """N-gram counts of segments of 4 to 80 words or so."""
    reference = np.clip(np.rint(rng.lognormal(2.95, 0.55, POPULATION)), 4, 120)
    ease = rng.beta(6, 4, POPULATION)
    systems = []
    for _ in range(2):
        length = np.maximum(np.rint(reference * rng.normal(0.99, 0.08, POPULATION)), 4)
        ngrams = np.stack([length - order for order in range(4)], axis=-1)
        matches = np.empty_like(ngrams)
        possible = length
        for order, share in enumerate((0.3 + 0.6 * ease, 0.2 + 0.7 * ease, 0.2 + 0.75 * ease, 0.2 + 0.8 * ease)):
            matches[:, order] = rng.binomial(np.minimum(possible, ngrams[:, order]).astype(int), np.minimum(share, 1))
            possible = matches[:, order]
        systems.append(np.column_stack([length, reference, matches, ngrams]))
    return Simulation("ratio", ratio_score, np.stack(systems))


def null_samples(simulation: Simulation, *, n: int, runs: int, seed: int) -> Iterator[Floats]:
    """Two systems of which each output is as likely to come from one as from the other, shape (2, n, k)."""
    rng = np.random.default_rng(seed)
    for _ in range(runs):
        sample = simulation.cube[:, rng.integers(0, POPULATION, n)]
        swapped = rng.integers(0, 2, n).astype(bool)
        yield np.where(swapped[:, np.newaxis], sample[::-1], sample)


def rejections(simulation: Simulation, *, n: int, runs: int, resamples: int, seed: int) -> list[Outcome]:
    """How often each paired test finds a difference where there is none."""
    hits = {"paired bootstrap": 0, "randomisation": 0}
    for run, (first, second) in enumerate(null_samples(simulation, n=n, runs=runs, seed=seed)):
        draws = seed + run  # new draws in each run, so that runs are independent
        one = paired_bootstrap(simulation.score, first, second, resamples=resamples, seed=draws)
        two = randomisation(simulation.score, first, second, resamples=resamples, interval_resamples=0, seed=draws)
        hits["paired bootstrap"] += one.p_value <= ALPHA
        hits["randomisation"] += two.p_value <= ALPHA
    return [Outcome(simulation.name, name, "rejected", count, runs, n) for name, count in hits.items()]


def coverage(simulation: Simulation, *, n: int, runs: int, resamples: int, seed: int) -> list[Outcome]:
    """How often each interval contains the score of the whole population."""
    rng = np.random.default_rng(seed)
    counts = simulation.cube[0]
    truth = float(simulation.score(counts.sum(0)))
    hits = {"percentile": 0, "bca": 0}
    for run in range(runs):
        sample = counts[rng.integers(0, POPULATION, n)]
        for method in hits:
            found = bootstrap(simulation.score, sample, resamples=resamples, method=method, seed=seed + run)
            hits[method] += found.low <= truth <= found.high
    return [Outcome(simulation.name, name, "covered", count, runs, n) for name, count in hits.items()]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Size of the paired tests and coverage of the intervals.")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--segments", type=int, default=[500], nargs="+")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=12345)
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    start = time.process_time()
    print(f"{options.runs} runs, {options.resamples} resamples, seed {options.seed}")
    print(f"{'segments':>8}  {'statistic':<9}  {'procedure':<16}  {'kind':<8}  {'share':>6}  limits")
    good = True
    simulations = mean_simulation(rng), ratio_simulation(rng)
    for n in options.segments:
        for measure, simulation in product((rejections, coverage), simulations):
            how = {"n": n, "runs": options.runs, "resamples": options.resamples, "seed": options.seed}
            for outcome in measure(simulation, **how):
                verdict = "none"
                if outcome.limits is not None:
                    low, high = outcome.limits
                    verdict = f"{low:.1%} to {high:.1%}  {'ok' if outcome.within else 'OUTSIDE'}"
                print(
                    f"{n:>8}  {outcome.statistic:<9}  {outcome.procedure:<16}  {outcome.kind:<8}  {outcome.share:>6.1%}"
                    f"  {verdict}",
                    flush=True,
                )
                good = good and outcome.within
    print(f"{time.process_time() - start:.0f} s CPU")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
