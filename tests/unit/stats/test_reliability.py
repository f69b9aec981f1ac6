"""Fleiss, Krippendorff and intraclass correlations: by textbooks, by hand, by other programs; and drawing raters."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import UnknownName, UsageError
from tercet.stats.agreement import kappa, kappa_matrix
from tercet.stats.raters import bounds, draw_raters, pair_means, pair_ratio, t_quantile
from tercet.stats.reliability import (
    LEVELS,
    icc,
    preference_agreement,
)

from .coefficients import fleiss_kappa, krippendorff_alpha

nan = float("nan")

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": four observers, twelve units, gaps.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
    [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
]
# Shrout and Fleiss (1979), Table 2: four judges (columns), six targets.
JUDGES = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float).T
# A much printed example of Fleiss' kappa: ten subjects (rows), fourteen raters, five categories (columns).
SUBJECTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip

tables = (
    st.integers(2, 5)
    .flatmap(
        lambda raters: st.lists(
            st.lists(st.sampled_from([nan, 1.0, 2.0, 3.0, 5.0]), min_size=raters, max_size=raters),
            min_size=2,
            max_size=8,
        )
    )
    .map(lambda items: np.array(items).T)
)


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_the_one_of_krippendorffs_own_example(level, expected):
    assert round(krippendorff_alpha(OBSERVERS, level=level), 3) == expected


def test_fleiss_kappa_is_the_one_of_the_textbook():
    raters = np.array([np.repeat(np.arange(5), counts) for counts in SUBJECTS], dtype=float).T
    assert round(fleiss_kappa(raters), 3) == 0.210


@pytest.mark.parametrize(
    ("form", "expected"),
    [("ICC(1,1)", 0.17), ("ICC(2,1)", 0.29), ("ICC(3,1)", 0.71), ("ICC(1,k)", 0.44), ("ICC(2,k)", 0.62),
     ("ICC(3,k)", 0.91)],
)  # fmt: skip
def test_icc_is_the_one_of_shrout_and_fleiss(form, expected):
    found = {item.form: item for item in icc(JUDGES)}
    assert round(found[form].value, 2) == expected
    assert (found[form].items, found[form].raters) == (6, 4)


def coincidences(table, level, weights=None):
    """Alpha from the definition, pair by pair; a rater is never paired with himself."""
    weights = np.ones(len(table)) if weights is None else weights
    ratings = [
        [(r, table[r, u]) for r in range(len(table)) if not np.isnan(table[r, u])] for u in range(table.shape[1])
    ]
    ratings = [[(r, v) for r, v in unit if weights[r]] for unit in ratings]
    ratings = [unit for unit in ratings if len(unit) > 1]
    everything = [(u, r, v) for u, unit in enumerate(ratings) for r, v in unit]
    amount = {v: sum(weights[r] for _, r, x in everything if x == v) for _, _, v in everything}

    def distance(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        if level == "ratio":
            return ((a - b) / (a + b)) ** 2
        between = sum(n for v, n in amount.items() if min(a, b) <= v <= max(a, b))
        return (between - (amount[a] + amount[b]) / 2) ** 2 if a != b else 0.0

    observed = whole = 0.0
    for unit in ratings:
        pairs = [(weights[r] * weights[s], a, b) for (r, a), (s, b) in permutations(unit, 2)]
        mean = sum(w * distance(a, b) for w, a, b in pairs) / sum(w for w, _, _ in pairs)
        observed += mean * sum(weights[r] for r, _ in unit)
        whole += sum(weights[r] for r, _ in unit)
    pairs = [(weights[r] * weights[s], a, b) for (_, r, a), (_, s, b) in permutations(everything, 2)]
    expected = sum(w * distance(a, b) for w, a, b in pairs) / sum(w for w, _, _ in pairs) if pairs else 0
    return 1 - observed / whole / expected if expected else nan


@given(tables, st.sampled_from(LEVELS), st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_alpha_is_what_the_definition_gives_also_with_weights(table, level, weights):
    weights = np.array(weights[: len(table)], dtype=float)
    assert krippendorff_alpha(table, level=level) == pytest.approx(coincidences(table, level), nan_ok=True)
    expected = coincidences(table, level, weights)
    assert krippendorff_alpha(table, level=level, weights=weights) == pytest.approx(expected, nan_ok=True, abs=1e-9)


def test_alpha_at_the_level_ratio_needs_amounts():
    with pytest.raises(UsageError, match="needs ratings that are 0 or more"):
        krippendorff_alpha(np.array([[1.0, -2.0], [1.0, 2.0]]), level="ratio")
    with pytest.raises(UsageError, match="at most 2000 different ratings"):
        krippendorff_alpha(np.arange(4002.0).reshape(2, 2001), level="ratio")
    assert krippendorff_alpha(np.array([[0.0, 2.0], [0.0, 2.0]]), level="ratio") == 1


@given(tables, st.sampled_from(LEVELS))
def test_alpha_equals_the_package_krippendorff(table, level):
    package = pytest.importorskip("krippendorff")
    found = krippendorff_alpha(table, level=level)
    if not np.isnan(found):
        assert found == pytest.approx(package.alpha(table, level_of_measurement=level), abs=1e-9)


def test_fleiss_kappa_equals_statsmodels():
    package = pytest.importorskip("statsmodels.stats.inter_rater")
    ratings = np.random.default_rng(1).integers(1, 6, (5, 40))
    counts, _ = package.aggregate_raters(ratings.T)
    assert fleiss_kappa(ratings) == pytest.approx(package.fleiss_kappa(counts), abs=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [("standard", None), ("linear", "linear"), ("quadratic", "quadratic")])
def test_kappa_equals_scikit_learn(ours, theirs):
    package = pytest.importorskip("sklearn.metrics")
    one, other = np.random.default_rng(2).integers(1, 6, (2, 60))
    assert kappa(one, other, weights=ours) == pytest.approx(package.cohen_kappa_score(one, other, weights=theirs))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [3, 4])
def test_icc_and_its_bounds_equal_pingouin(seed):
    package = pytest.importorskip("pingouin")
    pandas = pytest.importorskip("pandas")
    generator = np.random.default_rng(seed)
    table = generator.normal(size=(4, 12)) + 2 * generator.normal(size=12)
    rows = [(i, j, table[j, i]) for j in range(4) for i in range(12)]
    frame = pandas.DataFrame(rows, columns=["item", "rater", "value"])
    theirs = package.intraclass_corr(frame, "item", "rater", "value")
    found = {item.form: item for item in icc(table)}
    # pingouin names them after McGraw and Wong in some versions, and rounds bounds to two decimals.
    order = ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]
    bounds_of = theirs["CI95%" if "CI95%" in theirs else "CI95"]
    for form, value, (low, high) in zip(order, theirs["ICC"], bounds_of, strict=True):
        assert found[form].value == pytest.approx(value, abs=1e-9)
        assert (round(found[form].low, 2), round(found[form].high, 2)) == (pytest.approx(low), pytest.approx(high))


def test_icc_with_gaps_is_the_one_way_analysis_by_hand():
    # Means 2, 5, 7 of 2, 3 and 2 ratings, overall 33/7; sums of squares between 28.857..., within 2 + 2 + 2.
    table = [[1, 4, nan], [3, 5, 6], [nan, 6, 8]]
    between = (2 * (2 - 33 / 7) ** 2 + 3 * (5 - 33 / 7) ** 2 + 2 * (7 - 33 / 7) ** 2) / 2
    k = (7 - (4 + 9 + 4) / 7) / 2
    (found,) = icc(table)
    assert found.form == "ICC(1,1)"
    assert found.value == pytest.approx((between - 1.5) / (between + (k - 1) * 1.5))
    assert (found.items, found.raters) == (3, 3)
    assert found.low < found.value < found.high


def test_items_that_only_one_rater_rated_say_nothing():
    table = np.array([[1, 2, 3, 5], [1, 3, 3, nan], [2, 2, 3, nan]])
    for level in LEVELS:
        assert krippendorff_alpha(table, level=level) == krippendorff_alpha(table[:, :3], level=level)
    assert fleiss_kappa(table) == fleiss_kappa(table[:, :3])
    assert icc(table) == icc(table[:, :3])


def test_a_rater_with_weight_0_is_left_out_and_copies_of_a_rater_bring_no_agreement():
    table = np.random.default_rng(5).integers(1, 6, (4, 30)).astype(float)
    for level in LEVELS:
        without = krippendorff_alpha(table[1:], level=level)
        assert krippendorff_alpha(table, level=level, weights=[0, 1, 1, 1]) == pytest.approx(without)
        same = krippendorff_alpha(table[:2], level=level, weights=[1, 1])
        copies = krippendorff_alpha(table[:2], level=level, weights=[3, 1])
        # As if copies were people, they would agree on everything and push this up towards 1.
        assert copies == pytest.approx(same, abs=0.1)
        assert krippendorff_alpha(table[[0, 0, 0, 1]], level=level) > same + 0.2


def test_where_all_ratings_are_equal_nothing_is_defined():
    table = np.full((3, 4), 2.0)
    assert np.isnan(fleiss_kappa(table))
    assert all(np.isnan(krippendorff_alpha(table, level=level)) for level in LEVELS)
    assert np.isnan(icc(table)[0].value)


def test_without_two_ratings_of_an_item_nothing_is_defined():
    table = [[1, nan], [nan, 2]]
    assert np.isnan(fleiss_kappa(table))
    assert np.isnan(krippendorff_alpha(table))
    assert np.isnan(icc(table)[0].value)
    assert np.isnan(fleiss_kappa(np.empty((0, 0))))


def test_what_is_no_table_or_level_is_refused():
    with pytest.raises(UsageError, match=r"shape \(raters, items\)"):
        icc([1, 2, 3])
    with pytest.raises(UnknownName, match="level of measurement called 'rational'"):
        krippendorff_alpha(OBSERVERS, level="rational")


def test_agreement_on_preferences_is_that_of_equations_2_10_to_2_12():
    found = preference_agreement(60, 40, ties=0.2)
    assert found.observed == 0.6
    assert found.expected == pytest.approx(0.2**2 + 2 * 0.4**2)
    assert found.kappa == pytest.approx((0.6 - 0.36) / 0.64)
    third = preference_agreement(1, 1, ties=1 / 3)
    assert third.expected == pytest.approx(1 / 3)
    assert preference_agreement(3, 1, ties=0).kappa == pytest.approx(0.5)
    assert np.isnan(preference_agreement(0, 0, ties=0.1).kappa)
    with pytest.raises(UsageError, match="share of ties must be between 0 and 1, not 2"):
        preference_agreement(1, 1, ties=2)


def test_raters_are_drawn_within_their_groups():
    drawn = draw_raters(["a", "a", "b", "b", "b"], resamples=200, seed=7)
    assert drawn.shape == (200, 5)
    assert (drawn[:, :2].sum(1) == 2).all() and (drawn[:, 2:].sum(1) == 3).all()
    assert drawn.max() == 3 and (drawn == draw_raters(["a", "a", "b", "b", "b"], resamples=200, seed=7)).all()


def test_means_over_pairs_are_those_of_a_loop():
    generator = np.random.default_rng(8)
    values = generator.normal(size=(5, 5))
    values += values.T
    values[1, 2] = values[2, 1] = nan
    pairs = ~np.eye(5, dtype=bool)
    pairs[0, 4] = pairs[4, 0] = False
    weights = generator.integers(0, 3, (20, 5)).astype(float)
    for row, found in zip(weights, pair_means(values, pairs, weights), strict=True):
        counted = [(i, j) for i, j in combinations(range(5), 2) if pairs[i, j] and not np.isnan(values[i, j])]
        total = sum(row[i] * row[j] for i, j in counted)
        expected = sum(row[i] * row[j] * values[i, j] for i, j in counted) / total if total else nan
        assert found == pytest.approx(expected, nan_ok=True)
    assert np.isnan(pair_ratio(np.zeros((2, 2)), np.zeros((2, 2)), np.ones((1, 2)))).all()


def test_drawing_people_gives_wider_intervals_than_drawing_pairs():
    """One odd rater among eight is in seven pairs: pairs drawn one by one hide how much hangs on him."""
    values = np.full((8, 8), 0.6)
    values[0], values[:, 0] = 0.0, 0.0
    pairs = ~np.eye(8, dtype=bool)
    people = pair_means(values, pairs, draw_raters([""] * 8, resamples=2000, seed=9))
    flat = values[np.triu_indices(8, 1)]
    single = flat[np.random.default_rng(9).integers(len(flat), size=(2000, len(flat)))].mean(1)
    low, high = bounds(people, raters=8)
    assert high - low > 1.5 * (np.percentile(single, 97.5) - np.percentile(single, 2.5))


def test_few_raters_have_no_interval():
    drawn = np.linspace(0, 1, 101)
    assert np.isnan(bounds(drawn, raters=4)).all() and not np.isnan(bounds(drawn, raters=5)).any()
    assert np.isnan(bounds(drawn, raters=6, strata=3)).all() and not np.isnan(bounds(drawn, raters=6, strata=2)).any()
    assert np.isnan(bounds(np.ones(100), raters=4, strata=4)).all()  # one rater each: nothing varies, nothing is known
    assert np.isnan(bounds(np.array([0.1, nan, nan, nan]), raters=9)).all()


def test_intervals_are_wider_than_plain_percentiles_the_more_so_the_fewer_raters():
    drawn = np.random.default_rng(11).normal(size=20_000)
    wide, middle, narrow = (np.ptp(bounds(drawn, raters=raters)) for raters in (5, 10, 10_000))
    assert wide > middle > narrow == pytest.approx(2 * 1.96, abs=0.06)
    # Hesterberg's level for ten raters: the normal probability of t with 9 degrees of freedom, times the root of 10/9.
    assert middle == pytest.approx(2 * 2.262157 * np.sqrt(10 / 9), abs=0.15)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 40])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_quantiles_of_t_are_those_of_scipy(confidence, freedom):
    stats = pytest.importorskip("scipy.stats")
    assert t_quantile(confidence, freedom) == pytest.approx(stats.t.ppf((1 + confidence) / 2, freedom), rel=1e-9)


def test_intervals_over_people_hold_the_truth_and_those_over_pairs_do_not():
    """Raters of different care and strictness, 100 outputs: how often 95 % intervals of linear kappa hold the mean over
    a large crowd. The page on `tercet agree` has the numbers of a longer run of this."""
    generator = np.random.default_rng(10)
    quality = generator.normal(size=100)

    def rate(raters):
        care, strictness = generator.uniform(0.4, 1.6, raters), generator.normal(0, 0.4, raters)
        noise = care[:, np.newaxis] * generator.normal(size=(raters, 100))
        return np.clip(np.round(3 + quality + strictness[:, np.newaxis] + noise), 1, 5)

    truth = np.mean([np.nanmean(kappa_matrix(rate(100), weights="linear")) for _ in range(3)])
    people = pairs = 0
    for seed in range(100):
        values = kappa_matrix(rate(12), weights="linear")
        drawn = pair_means(values, ~np.eye(12, dtype=bool), draw_raters([""] * 12, resamples=300, seed=seed))
        low, high = bounds(drawn, raters=12)
        people += low <= truth <= high
        flat = values[np.triu_indices(12, 1)]
        single = flat[generator.integers(len(flat), size=(300, len(flat)))].mean(1)
        pairs += np.percentile(single, 2.5) <= truth <= np.percentile(single, 97.5)
    assert people >= 88  # of 100; where it is 95 %, fewer have a chance of less than 1 %
    assert pairs <= 65


@pytest.mark.parametrize(("defined", "known"), [(4, False), (5, False), (6, True)])
def test_bounds_need_values_in_more_than_half_of_the_resamples(defined, known):
    drawn = np.array([float(i) if i < defined else np.nan for i in range(10)])
    assert np.isfinite(bounds(drawn, raters=8)).all() == known


def test_bounds_of_zero_have_no_sign():
    assert str(bounds(np.full(20, -0.0), raters=9)) == "(0.0, 0.0)"
