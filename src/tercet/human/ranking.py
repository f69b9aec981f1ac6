"""System scores from pairwise preferences: win rates, expected wins, TrueSkill.

Bojar et al. (2011), "A Grain of Salt for the WMT Manual Evaluation", on the treatment of ties; Koehn (2012),
"Simulating Human Judgment in Machine Translation Evaluation Campaigns", expected wins; Sakaguchi, Post and Van Durme
(2014), "Efficient Elicitation of Annotations for Human Evaluation of Machine Translation", TrueSkill. WMT ranked
systems by ">= others" until 2010, by "> others" in 2011 and 2012, by expected wins in 2013, by TrueSkill until 2016.
"""

import logging
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.scores import MetricRecord, Scores
from ..errors import DataError, UnknownName, UsageError, optional
from ..types import Floats
from .gold import ratio
from .pairs import RankedPairs

log = logging.getLogger(__name__)

TIES = {  # what a tie adds to the number of wins, and to the number of comparisons
    "ignored": (0.0, 0.0),  # "> others" of WMT11 and WMT12: wins / (wins + losses)
    "wins": (1.0, 1.0),  # ">= others" of WMT10 and before: (wins + ties) / all
    "losses": (0.0, 1.0),  # wins / all
    "half": (0.5, 1.0),
}


def win_rates(pairs: RankedPairs, *, ties: str = "ignored") -> Scores:
    """Return the share of comparisons that each system won, 0 to 1. ties: how to count ties, one of TIES."""
    if ties not in TIES:
        raise UnknownName("way of counting ties", ties, TIES)
    won, compared = TIES[ties]
    wins, tied = _wins(pairs), _table(pairs, pairs.left, pairs.right, pairs.outcome == 0)
    tied = tied + tied.T
    scores = ratio((wins + won * tied).sum(1), (wins + wins.T + compared * tied).sum(1))
    return _scores(pairs, scores, "win_rate", "Win rate", {"ties": ties})


def expected_wins(pairs: RankedPairs) -> Scores:
    """Return each system's mean over opponents of wins / (wins + losses), without opponents of ties alone."""
    wins = _wins(pairs)
    shares = ratio(wins, wins + wins.T)
    known = ~np.isnan(shares)
    lacking = [(a, b) for a, b in np.argwhere(~known) if a < b]
    if lacking:
        named = ", ".join(f"{pairs.systems[a]} and {pairs.systems[b]}" for a, b in lacking[:5])
        more = f" and {len(lacking) - 5} more pairs" if len(lacking) > 5 else ""
        log.warning("Expected wins of %r: no comparison without a tie for %s%s.", pairs.name, named, more)
    scores = ratio(np.where(known, shares, 0).sum(1), known.sum(1).astype(np.float64))
    return _scores(pairs, scores, "expected_wins", "Expected wins", {})


def trueskill_means(
    pairs: RankedPairs,
    *,
    sample: int | None = None,
    runs: int = 1,
    draw_probability: float = 0.25,
    sigma: float = 0.5,
    seed: int = 12345,
) -> Scores:
    """Return the mean of every system's TrueSkill after all comparisons in random order. Ties are draws.

    sample: the number of comparisons in a run, sampled without replacement; default: all. runs: the number of runs to
    average. The defaults are WMT's: skills start at 0 +- sigma without drift, and the noise of a comparison grows with
    their number (beta = sigma * comparisons / 40). WMT preferred comparisons of systems with similar skills and took
    the mean of many runs, so that its values are on the same scale but not equal. Skills are relative to the other
    systems.
    """
    trueskill = optional("trueskill", "TrueSkill", "meta")
    used = pairs.n if sample is None else sample
    if not 0 < used <= pairs.n or runs < 1:
        raise UsageError(f"TrueSkill needs 1 to {pairs.n} comparisons and at least 1 run, not {used} and {runs}.")
    beta = sigma * used / 40
    library = trueskill.TrueSkill(0.0, sigma, beta, 0.0, draw_probability)
    margin = trueskill.calc_draw_margin(draw_probability, 2, library)
    generator = np.random.default_rng(seed)
    found = [_skills(pairs, generator.permutation(pairs.n)[:used], sigma, beta, margin, library) for _ in range(runs)]
    means, variances = np.mean(found, axis=0)
    spread = dict(zip(pairs.systems, np.sqrt(variances).tolist(), strict=True))
    facts = {
        "comparisons": used, "runs": runs, "seed": seed, "draw_probability": draw_probability, "sigma": spread
    }  # fmt: skip
    return _scores(pairs, means, "trueskill", "TrueSkill", facts)


def _skills(
    pairs: RankedPairs, order: NDArray[np.int64], sigma: float, beta: float, margin: float, library: Any
) -> tuple[list[float], list[float]]:
    """Return means and variances after the comparisons, in closed form (Herbrich et al. 2007), as `rate_1vs1`."""
    means, variances = [0.0] * len(pairs.systems), [sigma**2] * len(pairs.systems)
    left, right, outcome = pairs.left.tolist(), pairs.right.tolist(), pairs.outcome.tolist()
    for i in order.tolist():
        a, b = (left[i], right[i]) if outcome[i] >= 0 else (right[i], left[i])
        total = variances[a] + variances[b] + 2 * beta**2
        scale = math.sqrt(total)
        gap, width = (means[a] - means[b]) / scale, margin / scale
        if outcome[i]:
            v, w = library.v_win(gap, width), library.w_win(gap, width)
        else:
            v, w = library.v_draw(gap, width), library.w_draw(gap, width)
        means[a] += variances[a] / scale * v
        means[b] -= variances[b] / scale * v
        variances[a] *= 1 - variances[a] / total * w
        variances[b] *= 1 - variances[b] / total * w
    return means, variances


def _wins(pairs: RankedPairs) -> Floats:
    """Count how often the system of a row was better than the system of a column, shape (systems, systems)."""
    better = np.where(pairs.outcome > 0, pairs.left, pairs.right)
    worse = np.where(pairs.outcome > 0, pairs.right, pairs.left)
    return _table(pairs, better, worse, pairs.outcome != 0)


def _table(pairs: RankedPairs, row: NDArray[np.int64], column: NDArray[np.int64], counted: NDArray[np.bool_]) -> Floats:
    n = len(pairs.systems)
    return np.bincount(row[counted] * n + column[counted], minlength=n * n).reshape(n, n).astype(np.float64)


def _scores(pairs: RankedPairs, values: Floats, name: str, label: str, facts: Mapping[str, object]) -> Scores:
    if not pairs.n:
        raise DataError(f"Pairs {pairs.name!r} are empty.")
    return Scores(
        MetricRecord(
            name, label, "|".join([label, f"pairs:{pairs.n}", *(f"{k}:{v}" for k, v in facts.items() if k != "sigma")])
        ),
        system=dict(zip(pairs.systems, values.tolist(), strict=True)),
        n_segments=len(pairs.segments),
        provenance={"pairs": pairs.n, "ties": pairs.ties, "source": pairs.name, **facts},
    )
