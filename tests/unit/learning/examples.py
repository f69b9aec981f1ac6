"""Examples with a known cause, for tests of learners."""

import numpy as np

from tercet.learning.examples import Examples, number_groups


def planted(n=240, irrelevant=12, *, noise=0.5, seed=0, group_size=2):
    """Features of which the first three matter, labels, and groups that share a part of their features."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(-(-n // group_size)), group_size)[:n]
    features = rng.normal(size=(n, 3 + irrelevant)) + rng.normal(size=(len(groups), 3 + irrelevant))[groups]
    features = features * rng.uniform(0.1, 50, features.shape[1]) + rng.uniform(-100, 100, features.shape[1])
    units = (features - features.mean(0)) / features.std(0)
    labels = 3 + units[:, 0] - 0.7 * units[:, 1] + 0.5 * units[:, 2] + noise * rng.normal(size=n)
    return features, labels, groups.tolist()


def labelled(features, labels, seed=0):
    """Examples as learners take them, each its own group."""
    return Examples(features, labels, number_groups(None, len(labels), ""), seed=seed)
