"""The exact two-sided sign test (Conover 1999, "Practical Nonparametric Statistics", chapter 3.4)."""

from functools import lru_cache
from math import comb, exp, lgamma, log


@lru_cache(maxsize=4096)
def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p-value of wins and losses under equal chances; 1 where nothing differs."""
    n, fewer = wins + losses, min(wins, losses)
    if 2 * fewer == n:
        return 1.0
    if n <= 1000:
        return min(1.0, float(2 * sum(comb(n, i) for i in range(fewer + 1)) / 2**n))
    logs = (lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * log(2) for i in range(fewer + 1))
    return min(1.0, 2 * sum(map(exp, logs)))


def least_sign_p(n: int) -> float:
    """Return the smallest p-value that n cases can give."""
    return min(1.0, 2.0 ** (1 - n))
