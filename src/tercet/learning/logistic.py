"""Logistic regression on pairs of outputs: weights with which the better of two outputs has the higher score.

Fomicheva (2017), section 5.1.1: the examples are the differences of features, x_good - x_bad, and their mirrors. With
both there is no intercept, and the mirrors change nothing else: log(1 + exp(-w x)) is the same for both. The penalty is
the squared length of the weights of standardised features, per example. Solved by Newton's method, whose result does
not depend on the order of work; a few steps suffice.
"""

from __future__ import annotations

import numpy as np

from ..types import Floats

STEPS = 50
CLOSE = 1e-10  # the gain below which a step ends the search
CHUNK = 20_000  # examples whose weighted squares are in memory at once


def fit_logistic(differences: Floats, weights: Floats, penalty: float, start: Floats | None = None) -> Floats:
    """Return the coefficients that minimise the mean loss plus penalty / 2 times their squared length.

    differences: features of the better output minus those of the worse, shape (pairs, k). weights: of the pairs; only
    their ratios count. start: coefficients to begin with.
    """
    share = weights / weights.sum()
    width = differences.shape[1]
    coefficients = np.zeros(width) if start is None else start.copy()
    loss = _loss(differences, share, coefficients, penalty)
    for _ in range(STEPS):
        margins = differences @ coefficients
        wrong = 1 / (1 + np.exp(np.clip(margins, -500, 500)))  # the probability of the other outcome
        gradient = penalty * coefficients - differences.T @ (share * wrong)
        curvature = penalty * np.eye(width)
        bend = share * wrong * (1 - wrong)
        for first in range(0, len(differences), CHUNK):
            part = differences[first : first + CHUNK]
            curvature += part.T @ (bend[first : first + CHUNK, np.newaxis] * part)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while True:
            tried = coefficients - size * step
            new = _loss(differences, share, tried, penalty)
            if new <= loss or size < 1e-6:
                break
            size /= 2
        gained, coefficients, loss = loss - new, tried, new
        if gained < CLOSE:
            break
    return coefficients


def _loss(differences: Floats, share: Floats, coefficients: Floats, penalty: float) -> float:
    margins = differences @ coefficients
    return float(share @ np.logaddexp(0, -margins) + penalty / 2 * coefficients @ coefficients)
