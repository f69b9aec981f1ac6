"""Table 6.1 of Fomicheva (2017): raters agree more when they were shown the same reference.

The printed columns come from 22 raters of the four groups that saw a reference; the fifth group saw the source.
"""

import gzip

import numpy as np
import pytest

from tercet.stats.agreement import kappa_matrix


@pytest.fixture(scope="module")
def raters(shared):
    """The group of each rater, and ratings, shape (raters, items); an output with four references is one item."""
    lines = gzip.decompress((shared / "data/tradopad/thesis_ratings.tsv.gz").read_bytes()).decode("utf-8").split("\n")
    rows = [line.split("\t") for line in lines[1:] if line]
    rows = [row for row in rows if row[0] != "5"]
    judges = sorted({(batch, judge) for batch, judge, _, _ in rows})
    ratings = np.full((len(judges), 100), np.nan)
    for batch, judge, segment, rating in rows:
        ratings[judges.index((batch, judge)), (int(segment) - 1) // 4] = float(rating)
    return [batch for batch, _ in judges], ratings


@pytest.mark.parametrize(
    ("weights", "different", "same"),
    [("standard", 0.1612, 0.1880), ("linear", 0.3277, 0.3615), ("one-off", 0.5852, 0.6330)],
)
def test_kappa_with_different_and_with_the_same_reference(raters, weights, different, same):
    groups, ratings = raters
    assert len(groups) == 22 and not np.isnan(ratings).any()
    matrix = kappa_matrix(ratings, weights=weights)
    found = {
        equal: [matrix[i, j] for i in range(22) for j in range(i) if (groups[i] == groups[j]) == equal]
        for equal in (False, True)
    }
    assert (len(found[False]), len(found[True])) == (181, 50)
    assert (round(np.mean(found[False]), 4), round(np.mean(found[True]), 4)) == (different, same)
