"""Agreement of many raters, with missing ratings: Fleiss' kappa, Krippendorff's alpha, intraclass correlations; and
agreement on preferences.

Fleiss (1971), "Measuring Nominal Scale Agreement among Many Raters"; Krippendorff (2011), "Computing Krippendorff's
Alpha-Reliability"; Shrout and Fleiss (1979), "Intraclass Correlations: Uses in Assessing Rater Reliability"; McGraw and
Wong (1996), "Forming Inferences about Some Intraclass Correlation Coefficients". Kappa of two raters is in `agreement`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UnknownName, UsageError
from ..types import Floats
from .resampling import check_share
from .student import f_quantile

Codes = NDArray[np.intp]

LEVELS = ("nominal", "ordinal", "interval", "ratio")
MOST_VALUES = 2000  # distinct ratings that can be compared at the level ratio


class Cells(NamedTuple):
    """Ratings as three arrays of shape (ratings,): the number of the rater, the number of the item, and the value."""

    rater: Codes
    item: Codes
    value: Floats


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings prepared for computing coefficients many times, as a bootstrap over raters does.

    weights, shape (raters,), say how often each rater counts; the default is 1. A rater who is resampled three times
    has weight 3, but is never compared with themselves, because that would always be agreement.
    """

    cells: Cells
    values: Floats  # distinct values
    code: Codes = field(repr=False)  # index of each cell's value
    pair: Codes = field(repr=False)  # number of each cell's combination of item and value
    pair_item: Codes = field(repr=False)  # the item of each combination

    @classmethod
    def of(cls, cells: Cells) -> Ratings:
        values, code = np.unique(cells.value, return_inverse=True)
        pairs, pair = np.unique(cells.item * max(len(values), 1) + code, return_inverse=True)
        return cls(cells, values, code, pair, pairs // max(len(values), 1))

    def fleiss(self, weights: ArrayLike | None = None) -> float:
        """Return Fleiss' kappa; NaN if all ratings are the same. An item's agreement is the share of equal pairs."""
        weighed = self._weigh(weights)
        if weighed is None:
            return math.nan
        own, (total, squares, pairs) = weighed
        equal = self._equal(own)
        used = pairs > 0
        observed = float(np.mean((equal[used] - squares[used]) / pairs[used]))
        shares = np.bincount(self.code, own) / total[used].sum()
        chance = float((shares**2).sum())
        return (observed - chance) / (1 - chance) if chance < 1 else math.nan

    def alpha(self, level: str = "nominal", weights: ArrayLike | None = None) -> float:
        """Return Krippendorff's alpha: 1 - observed disagreement / disagreement of any two ratings.

        level: "nominal" (values are names), "ordinal" (their order counts), "interval" (squared differences count) or
        "ratio" (squares of difference / sum; values must not be negative). Returns NaN if all ratings are the same, or
        no item has two.
        """
        if level not in LEVELS:
            raise UnknownName("level of measurement", level, LEVELS)
        weighed = self._weigh(weights)
        if weighed is None:
            return math.nan
        own, (total, squares, pairs) = weighed
        used = pairs > 0
        whole = float(total[used].sum())
        if level == "nominal":
            apart = total**2 - self._equal(own)
            overall = whole**2 - float((np.bincount(self.code, own) ** 2).sum())
        elif level == "ratio":
            apart, overall = self._ratios(own)
        else:
            x = self._positions(level, own)
            item = self.cells.item
            sums, of_squares = np.bincount(item, own * x), np.bincount(item, own * x * x)
            apart = 2 * (total * of_squares - sums**2)
            overall = 2 * (whole * float((own * x * x).sum()) - float((own * x).sum()) ** 2)
        observed = float((total[used] * apart[used] / pairs[used]).sum()) / whole
        expected = overall / (whole**2 - float(squares[used].sum()))
        varied = np.count_nonzero(np.bincount(self.code, own)) > 1
        return 1 - observed / expected if varied and expected > 0 else math.nan

    def _weigh(self, weights: ArrayLike | None) -> tuple[Floats, tuple[Floats, Floats, Floats]] | None:
        """Return the weight of each rating (0 if it is the item's only one); by item, sum, sum of squares, pairs."""
        rater, item = self.cells.rater, self.cells.item
        if not len(rater):
            return None
        given = np.ones(int(rater.max()) + 1) if weights is None else np.asarray(weights, dtype=np.float64)
        own = given[rater]
        total: Floats = np.bincount(item, own).astype(np.float64)
        squares: Floats = np.bincount(item, own * own).astype(np.float64)
        pairs: Floats = total**2 - squares  # ordered, of different raters
        alone = pairs <= 0
        if alone.all():
            return None
        own = np.where(alone[item], 0.0, own)
        total[alone] = squares[alone] = pairs[alone] = 0.0
        return own, (total, squares, pairs)

    def _equal(self, own: Floats) -> Floats:
        """Return by item the number of ordered pairs of equal ratings, including a rating with itself."""
        squares = np.bincount(self.pair, own) ** 2
        return np.bincount(self.pair_item, squares, minlength=int(self.cells.item.max()) + 1).astype(np.float64)

    def _ratios(self, own: Floats) -> tuple[Floats, float]:
        """Return the disagreement of ordered pairs of ratings by item, and of all ratings, at the level ratio."""
        if (self.values < 0).any():
            raise UsageError("Alpha at the level ratio needs ratings that are 0 or more.")
        if len(self.values) > MOST_VALUES:
            raise UsageError(f"Alpha at the level ratio needs at most {MOST_VALUES} different ratings.")
        sums = np.add.outer(self.values, self.values)
        differences = np.subtract.outer(self.values, self.values)
        distance = np.divide(differences, sums, out=np.zeros_like(sums), where=sums > 0) ** 2
        counts = np.zeros((int(self.cells.item.max()) + 1, len(self.values)))
        np.add.at(counts, (self.cells.item, self.code), own)
        everything = counts.sum(0)
        return ((counts @ distance) * counts).sum(1), float(everything @ distance @ everything)

    def _positions(self, level: str, own: Floats) -> Floats:
        """Return positions whose squared distances are the disagreement: the values, or the middles of their ranks."""
        if level == "interval":
            mean = float((own * self.cells.value).sum() / own.sum())
            return self.cells.value - mean  # squares of large numbers would lose the digits of differences
        counts = np.bincount(self.code, own, minlength=len(self.values))
        ranks = np.cumsum(counts) - counts / 2 - own.sum() / 2
        positions: Floats = ranks[self.code]
        return positions


@dataclass(frozen=True)
class IntraclassCorrelation:
    """An intraclass correlation, named as in Shrout and Fleiss; without SciPy its bounds are NaN."""

    form: str
    value: float
    low: float
    high: float
    items: int
    raters: int  # ratings of an item; the largest number if items differ
    confidence: float


def icc(ratings: ArrayLike, *, confidence: float = 0.95) -> tuple[IntraclassCorrelation, ...]:
    """Return intraclass correlations of ratings, shape (raters, items); items with fewer than two ratings are left out.

    ICC(1,1): each item has its own random raters. It is also given if items have different numbers of ratings, from the
    mean squares of the analysis of variance; the bounds are then approximate. If every rater rated every item, there
    are also ICC(2,1): raters are a random sample and must give the same values; ICC(3,1): the raters are fixed, and
    differences in severity do not count; and all three for the mean over raters, such as ICC(2,k). Values are NaN for
    fewer than two items.
    """
    check_share("The confidence", confidence)
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(f"Ratings must have the shape (raters, items), not {table.shape}.")
    table = table[:, (~np.isnan(table)).sum(0) > 1]
    table = table[(~np.isnan(table)).any(1)]
    raters, items = table.shape
    if items < 2:
        return (IntraclassCorrelation("ICC(1,1)", math.nan, math.nan, math.nan, items, raters, confidence),)
    complete = not np.isnan(table).any()
    found = _one_way(table, confidence, mean_too=complete)
    if complete:
        found |= _two_way(table, confidence)
    most = int((~np.isnan(table)).sum(0).max())
    return tuple(IntraclassCorrelation(form, *found[form], items, most, confidence) for form in sorted(found))


Bounded = tuple[float, float, float]


def _one_way(table: Floats, confidence: float, *, mean_too: bool) -> dict[str, Bounded]:
    counts = (~np.isnan(table)).sum(0)
    n, total = table.shape[1], int(counts.sum())
    means, mean = np.nansum(table, 0) / counts, float(np.nansum(table)) / total
    between = float((counts * (means - mean) ** 2).sum()) / (n - 1)
    within = float(np.nansum((table - means) ** 2)) / (total - n)
    k = (total - float((counts**2).sum()) / total) / (n - 1)  # the number of ratings per item, if all have the same
    low, high = _f_bounds(between, within, n - 1, total - n, confidence)
    found = {"ICC(1,1)": (_share(between - within, between + (k - 1) * within), _single(low, k), _single(high, k))}
    if mean_too:
        found["ICC(1,k)"] = (_share(between - within, between), 1 - _share(1, low), 1 - _share(1, high))
    return found


def _two_way(table: Floats, confidence: float) -> dict[str, Bounded]:
    k, n = table.shape
    mean, of_items, of_raters = float(table.mean()), table.mean(0), table.mean(1)
    rows = k * float(((of_items - mean) ** 2).sum()) / (n - 1)
    columns = n * float(((of_raters - mean) ** 2).sum()) / (k - 1)
    rest = float(((table - of_items - of_raters[:, np.newaxis] + mean) ** 2).sum()) / ((n - 1) * (k - 1))
    found: dict[str, Bounded] = {}
    single = _share(rows - rest, rows + (k - 1) * rest + k * (columns - rest) / n)
    low, high = _agreement_bounds(rows, columns, rest, (n, k), single, confidence)
    found["ICC(2,1)"] = single, low, high
    found["ICC(2,k)"] = _share(rows - rest, rows + (columns - rest) / n), _stepped(low, k), _stepped(high, k)
    low, high = _f_bounds(rows, rest, n - 1, (n - 1) * (k - 1), confidence)
    found["ICC(3,1)"] = _share(rows - rest, rows + (k - 1) * rest), _single(low, k), _single(high, k)
    found["ICC(3,k)"] = _share(rows - rest, rows), 1 - _share(1, low), 1 - _share(1, high)
    return found


def _f_bounds(above: float, below: float, df_above: float, df_below: float, confidence: float) -> tuple[float, float]:
    ratio, share = _share(above, below), (1 + confidence) / 2
    return ratio / f_quantile(df_above, df_below, share), ratio * f_quantile(df_below, df_above, share)


def _agreement_bounds(
    rows: float, columns: float, rest: float, shape: tuple[int, int], value: float, confidence: float
) -> tuple[float, float]:
    """Return the bounds of ICC(2,1), by Satterthwaite's degrees of freedom (Shrout and Fleiss, p. 424)."""
    n, k = shape
    if not rest > 0 or math.isnan(value):
        return math.nan, math.nan
    ratio, inner = columns / rest, n * (1 + (k - 1) * value) - k * value
    df = (n - 1) * (k - 1) * (k * value * ratio + inner) ** 2 / ((n - 1) * (k * value * ratio) ** 2 + inner**2)
    upper, lower = (f_quantile(a, b, (1 + confidence) / 2) for a, b in ((n - 1, df), (df, n - 1)))
    noise = k * columns + (k * n - k - n) * rest
    return (
        n * (rows - upper * rest) / (upper * noise + n * rows),
        n * (lower * rows - rest) / (noise + n * lower * rows),
    )


def _single(ratio: float, k: float) -> float:
    return _share(ratio - 1, ratio + k - 1)


def _stepped(value: float, k: float) -> float:
    """Return the reliability of a mean of k ratings from that of one (Spearman and Brown)."""
    return _share(k * value, 1 + (k - 1) * value)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


@dataclass(frozen=True)
class PreferenceAgreement:
    """How often two raters who compared the same two outputs agreed, and the agreement expected by chance."""

    observed: float  # P(A)
    expected: float  # P(E)
    kappa: float


def preference_agreement(same: float, different: float, *, ties: float) -> PreferenceAgreement:
    """Return P(A), P(E) and kappa, equations 2.10 to 2.12 of Fomicheva (2017).

    same, different: numbers of pairs of comparisons, C and D. ties: the share of ties among all comparisons. The order
    of the two outputs is arbitrary, so each of the other two outcomes has half of the rest. Without ties chance is 1/2.
    """
    if not (math.isnan(ties) or 0 <= ties <= 1):
        raise UsageError(f"The share of ties must be between 0 and 1, not {ties}.")
    observed = _share(same, same + different)
    expected = ties**2 + 2 * ((1 - ties) / 2) ** 2
    return PreferenceAgreement(observed, expected, _share(observed - expected, 1 - expected))
