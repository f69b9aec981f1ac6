"""`judge`: values, intervals, tests and tables of metrics held against people."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from tercet.data.evidence import Evidence, open_evidence
from tercet.data.scores import Scores
from tercet.errors import DataError, UnknownName, UsageError
from tercet.metaeval import TESTS, judge

from .small import (
    SEGMENTS,
    SYSTEMS,
    human_segments,
    judged,
    metric,
    metric_segments,
    rating,
    scored,
    write_rankings,
    write_texts,
)

Oracle = Callable[..., tuple[float, float]]


def noisy(system: int, segment: int) -> float:
    """A metric with little to say."""
    return 0.5 - 0.02 * system + ((system * 11 + segment * 5) % 13) / 10


def wrong_way(system: int, segment: int) -> float:
    return -metric(system, segment)


@pytest.fixture
def small(tmp_path: Path) -> Evidence:
    return judged(tmp_path)


@pytest.fixture
def ranked(tmp_path: Path) -> Evidence:
    folder = tmp_path / "ranked"
    write_texts(folder)
    write_rankings(folder)
    return open_evidence(folder, "en-de")


BOTH = [scored("good"), scored("noisy", noisy)]


@pytest.mark.parametrize(
    ("statistic", "oracle"),
    [
        ("pearson", scipy.stats.pearsonr),
        ("spearman", scipy.stats.spearmanr),
        ("kendall", scipy.stats.kendalltau),
        ("kendall-c", lambda x, y: scipy.stats.kendalltau(x, y, variant="c")),
    ],
)
def test_correlations_are_scipys_at_both_levels(small: Evidence, statistic: str, oracle: Oracle) -> None:
    human, said = human_segments(), metric_segments(noisy)
    (systems,) = judge(small, [scored("noisy", noisy)], statistic=statistic, resamples=10).items
    assert systems.value == pytest.approx(oracle(said.mean(1), human.mean(1))[0], abs=1e-12)
    assert systems.n == len(SYSTEMS)
    (outputs,) = judge(small, [scored("noisy", noisy)], level="seg", statistic=statistic, resamples=10).items
    assert outputs.value == pytest.approx(oracle(said.ravel(), human.ravel())[0], abs=1e-12)
    assert outputs.n == len(SYSTEMS) * len(SEGMENTS)


@pytest.mark.parametrize(("average", "axis", "n"), [("item", 1, 20), ("system", 0, 6)])
def test_averages_are_means_within_segments_or_systems(small: Evidence, average: str, axis: int, n: int) -> None:
    human, said = human_segments(), metric_segments(noisy)
    groups = zip(*(rows.T if axis else rows for rows in (human, said)), strict=True)
    expected = np.mean([scipy.stats.pearsonr(x, y)[0] for x, y in groups])
    result = judge(small, BOTH, level="seg", average=average, resamples=20)
    assert result.items[1].value == pytest.approx(expected, abs=1e-12)
    assert (result.items[1].n, result.average, result.test) == (n, average, "bootstrap")


def test_an_average_leaves_out_segments_in_which_a_metric_sees_no_difference(small: Evidence) -> None:
    flat = scored("flat", lambda i, j: 0.5 if j < 5 else metric(i, j))
    (item,) = judge(small, [flat], level="seg", average="item", resamples=20).items
    expected = [scipy.stats.pearsonr(metric_segments()[:, j], human_segments()[:, j])[0] for j in range(5, 20)]
    assert item.value == pytest.approx(np.mean(expected), abs=1e-12)
    assert item.n == 15


def test_pairwise_accuracy_counts_pairs_of_systems_in_the_right_order(small: Evidence) -> None:
    human, said = human_segments().mean(1), metric_segments(noisy).mean(1)
    right = [(human[i] - human[j]) * (said[i] - said[j]) > 0 for i, j in combinations(range(6), 2)]
    result = judge(small, BOTH, statistic="accuracy", resamples=20)
    assert [item.value for item in result.items] == pytest.approx([1.0, np.mean(right)], abs=1e-12)


def test_accuracy_over_all_pairs_of_outputs_has_no_interval_and_finds_no_winner(small: Evidence) -> None:
    result = judge(small, BOTH, level="seg", statistic="accuracy", resamples=20)
    human, said = human_segments().ravel(), metric_segments(noisy).ravel()
    right = [np.sign(human[i] - human[j]) == np.sign(said[i] - said[j]) for i, j in combinations(range(120), 2)]
    assert result.items[1].value == pytest.approx(np.mean(right), abs=1e-12)
    assert np.isnan(result.items[1].ci_low) and result.items[1].n == 7140
    assert [item.winner for item in result.items] == [None, None]
    assert result.notes == ("There are too few data for the test (bootstrap), so no winners are marked.",)


def test_calibrated_accuracy_says_up_to_which_difference_outputs_are_tied(small: Evidence) -> None:
    result = judge(small, BOTH, level="seg", statistic="accuracy-calibrated", average="item", resamples=20)
    assert [item.epsilon is not None and item.epsilon >= 0 for item in result.items] == [True, True]
    plain = judge(small, BOTH, level="seg", statistic="accuracy", average="item", resamples=20)
    assert all(a.value >= b.value for a, b in zip(result.items, plain.items, strict=True))
    assert plain.items[0].epsilon is None


def test_soft_accuracy_is_1_for_the_people_themselves(small: Evidence) -> None:
    people = scored("people", rating)
    result = judge(small, [people, scored("noisy", noisy)], statistic="soft-accuracy", resamples=100)
    assert result.items[0].value == 1 > result.items[1].value
    with pytest.raises(UsageError, match="soft-accuracy needs segment scores of people and of all metrics"):
        judge(small, [scored("good", segments=False)], statistic="soft-accuracy")


# --- direction and sign ---


def test_a_metric_of_which_lower_is_better_is_turned(small: Evidence) -> None:
    result = judge(small, [scored("good"), scored("errors", wrong_way, higher_is_better=False)], resamples=50)
    assert result.items[0].value == result.items[1].value > 0.9


def test_the_sign_is_kept_unless_sizes_are_asked_for(small: Evidence) -> None:
    upside_down = scored("upside-down", wrong_way)
    kept = judge(small, [upside_down, scored("noisy", noisy)], resamples=50)
    sized = judge(small, [upside_down, scored("noisy", noisy)], resamples=50, absolute=True)
    assert kept.items[0].value == kept.items[0].signed < -0.9
    assert (sized.items[0].value, sized.items[0].signed) == (-kept.items[0].value, kept.items[0].value)
    assert sized.items[0].ci_low > 0.9 and kept.items[0].ci_high < -0.9
    assert (kept.items[0].winner, sized.items[0].winner) == (False, True)


def test_sizes_are_taken_everywhere(small: Evidence) -> None:
    upside_down = [scored("upside-down", wrong_way)]
    sized = judge(small, upside_down, resamples=10, absolute=True, top=True).items[0]
    assert all(low > 0 for _, low, _ in sized.top_n)
    by_level = judge(small, upside_down, level="seg", resamples=10, absolute=True, by_quality=True).items[0].by_quality
    assert all(value > 0 for _, _, value in by_level)


def test_an_unknown_direction_is_said(small: Evidence) -> None:
    result = judge(small, [scored("mystery", higher_is_better=None)], resamples=10)
    assert result.items[0].value > 0.9
    assert result.notes == ("It is not known whether higher is better; this is assumed: mystery.",)


# --- what is missing ---


def test_constant_scores_have_no_correlation(small: Evidence) -> None:
    result = judge(small, [scored("constant", lambda i, j: 1.0), *BOTH], resamples=50)
    constant = result.items[0]
    assert np.isnan([constant.value, constant.ci_low, constant.ci_high]).all()
    assert [item.winner for item in result.items] == [False, True, False]
    assert result.p_values is not None and np.isnan(result.p_values[0, 1:]).all()


def test_a_system_that_a_metric_lacks_leaves_it_without_a_value_or_is_left_out_for_all(small: Evidence) -> None:
    short = scored("short", systems=SYSTEMS[:5])
    result = judge(small, [short, *BOTH], resamples=10)
    assert np.isnan(result.items[0].value) and result.items[1].n == 6
    assert result.notes == (
        "No score for fay, so no value: short. Use `common` to leave out for all metrics what one metric lacks.",
    )
    common = judge(small, [short, *BOTH], resamples=10, common=True)
    assert [item.n for item in common.items] == [5, 5, 5] and common.systems == SYSTEMS[:5]
    assert common.notes == ("Left out, because not all metrics scored them: fay.",)
    assert common.items[0].value == pytest.approx(
        scipy.stats.pearsonr(metric_segments().mean(1)[:5], human_segments().mean(1)[:5])[0], abs=1e-12
    )


def test_one_missing_segment_score_is_said_at_segment_level(small: Evidence) -> None:
    gap = scored("gap", lambda i, j: np.nan if (i, j) == (2, 3) else metric(i, j))
    result = judge(small, [gap, scored("noisy", noisy)], level="seg", resamples=10)
    assert np.isnan(result.items[0].value)
    assert "No score for 1 of 120 judged outputs, so no value: gap." in result.notes[0]
    common = judge(small, [gap, scored("noisy", noisy)], level="seg", resamples=10, common=True)
    assert [item.n for item in common.items] == [119, 119]
    assert common.notes == ("Left out, because not all metrics scored them: 1 judged outputs.",)


def test_two_systems_at_least_are_needed(small: Evidence) -> None:
    message = (
        "1 system with both DA and metric scores, but two are needed. "
        "People judged ada, bob, cyd, dan, eve and 1 more; metrics scored ada."
    )
    with pytest.raises(DataError) as error:
        judge(small, [scored("good", systems=["ada"])])
    assert str(error.value) == message
    with pytest.raises(DataError, match="0 systems with both DA and metric scores"):
        judge(small, [scored("good", systems=["ada"])], systems=["bob"])


def test_with_two_systems_nothing_is_said_of_chance(small: Evidence) -> None:
    result = judge(small, BOTH, systems=["ada", "bob"], resamples=50)
    assert [abs(item.value) for item in result.items] == pytest.approx([1, 1], abs=1e-12)
    assert [item.winner for item in result.items] == [None, None] and result.test is None
    assert result.notes == (
        "With two systems every correlation is 1 or -1: it shows only which of the two the metric prefers.",
        "There are too few data for the test (williams), so no winners are marked.",
    )
    assert not judge(small, BOTH, systems=["ada", "bob", "cyd", "dan"], resamples=50).notes


# --- references that people judged ---


def with_reference(small: Evidence, name: str, texts: str = "ada") -> Evidence:
    """The same evidence with a reference of this name that has the texts of a system."""
    assert small.testset is not None
    references = {**small.testset.references, name: small.testset.outputs[texts]}
    return replace(small, testset=replace(small.testset, references=references))


@pytest.mark.parametrize(("level", "statistic"), [("sys", "pearson"), ("seg", "pearson"), ("seg", "tau")])
def test_a_reference_that_was_judged_is_left_out_by_name(small: Evidence, level: str, statistic: str) -> None:
    by_text = judge(with_reference(small, "refB"), BOTH, level=level, statistic=statistic, resamples=20)
    assert by_text.notes == ("Left out, because they are references (use `systems` to keep them): ada.",)
    others = judge(small, BOTH, level=level, statistic=statistic, systems=SYSTEMS[1:], resamples=20)
    assert [item.value for item in by_text.items] == [item.value for item in others.items]
    assert [item.n for item in by_text.items] == [item.n for item in others.items]
    by_name = judge(with_reference(small, "bob", "fay"), BOTH, level=level, statistic=statistic, resamples=20)
    assert by_name.notes == ("Left out, because they are references (use `systems` to keep them): bob, fay.",)


def test_preferences_between_references_and_systems_are_left_out(ranked: Evidence) -> None:
    found = judge(with_reference(ranked, "refB"), BOTH, level="seg", resamples=20)
    others = judge(ranked, BOTH, level="seg", systems=SYSTEMS[1:], resamples=20)
    assert [(item.value, item.n) for item in found.items] == [(item.value, item.n) for item in others.items]
    wins = judge(with_reference(ranked, "refB"), BOTH, resamples=20)
    assert wins.systems == SYSTEMS[1:] and wins.gold_name == "expected-wins"


def test_a_reference_is_judged_where_it_is_named(small: Evidence) -> None:
    result = judge(with_reference(small, "refB"), BOTH, systems=SYSTEMS, resamples=20)
    assert result.systems == SYSTEMS and not result.notes


def test_quarters_that_ties_merge_are_said_with_their_sizes(small: Evidence) -> None:
    table = small.judgements[0]
    rows = [row._replace(value=90.0 if int(row.segment) > 5 else row.value / 2) for row in table.rows]
    tied = replace(small, judgements=[replace(table, rows=rows)])
    result = judge(tied, [scored("good")], level="seg", by_quality=True, resamples=20)
    assert [n for _, n, _ in result.items[0].by_quality] == [30, 90, 0, 0]
    assert result.notes == (
        "Quarters differ in size, because equal human scores stay together: L1 30, L2 90, L3 0, L4 0 outputs.",
    )


def test_systems_that_no_metric_scored_are_named_at_segment_level(small: Evidence) -> None:
    table = small.judgements[0]
    rows = [row._replace(system="Alderr") if row.system == "ada" else row for row in table.rows]
    misspelt = replace(small, judgements=[replace(table, rows=rows)])
    for statistic in ("pearson", "tau"):
        notes = judge(misspelt, BOTH, level="seg", statistic=statistic, resamples=20).notes
        assert "DA (judgements 'ratings-en-de') has systems that no metric scored: Alderr." in notes


def test_names_are_checked(small: Evidence) -> None:
    with pytest.raises(UsageError, match=r"Two metrics are called 'good'\. Rename one"):
        judge(small, [scored("good"), scored("good")])
    with pytest.raises(UsageError, match="There are no metrics to evaluate"):
        judge(small, [])
    with pytest.raises(UnknownName, match=r"no system judged by people \(DA\) called 'adda'\. Did you mean ada"):
        judge(small, BOTH, systems=["adda"])
    with pytest.raises(UnknownName, match=r"no test called 'wiliams'\. Did you mean williams"):
        judge(small, BOTH, significance="wiliams")


def test_scores_of_another_number_of_segments_are_refused(small: Evidence) -> None:
    other = scored("other")
    shorter = replace(other, segment={k: v[:7] for k, v in other.segment.items()}, n_segments=7)
    with pytest.raises(DataError, match="other: scores of 7 segments, but the data have 20 segments"):
        judge(small, [shorter], level="seg")
    with pytest.raises(DataError, match="good has no segment scores"):
        judge(small, [scored("good", segments=False)], level="seg")


# --- intervals ---


@pytest.mark.parametrize(
    ("level", "statistic", "unit"),
    [
        ("sys", "pearson", "systems"), ("sys", "pearson", "segments"), ("sys", "pearson", "judgements"),
        ("sys", "kendall", "segments"), ("seg", "pearson", "outputs"), ("seg", "pearson", "segments"),
        ("seg", "spearman", "outputs"), ("seg", "tau", "pairs"), ("seg", "tau", "segments"),
        ("seg", "tau", "judgements"),
    ],
)  # fmt: skip
def test_every_unit_gives_an_interval_around_the_value(small: Evidence, level: str, statistic: str, unit: str) -> None:
    usual = judge(small, [scored("noisy", noisy)], level=level, statistic=statistic, resamples=200)
    item = judge(small, [scored("noisy", noisy)], level=level, statistic=statistic, unit=unit, resamples=200).items[0]
    assert item.value == pytest.approx(usual.items[0].value, abs=1e-12)
    assert item.ci_low < item.value < item.ci_high


def test_the_unit_matters_and_the_seed_repeats(small: Evidence) -> None:
    def interval(**options: object) -> tuple[float, float]:
        item = judge(small, [scored("noisy", noisy)], resamples=300, **options).items[0]  # type: ignore[arg-type]
        return item.ci_low, item.ci_high

    intervals = [interval(unit=unit) for unit in ("systems", "segments", "judgements")]
    assert len(set(intervals)) == 3
    assert intervals[0] == interval(seed=12345) != interval(seed=1)
    low, high = interval(confidence=0.5)
    assert intervals[0][0] < low < high < intervals[0][1]


def test_where_segments_are_drawn_the_score_of_a_system_is_a_mean_and_that_is_said(small: Evidence) -> None:
    corpus = scored("corpus")
    other = replace(corpus, system={name: value**3 for name, value in corpus.system.items()})
    result = judge(small, [other], unit="segments", resamples=20)
    assert result.notes == (
        "Segments are resampled or exchanged, so a system's score is the mean of its segment scores.",
    )
    assert not judge(small, [other], resamples=20).notes


# --- system scores as means of segment scores ---


def only_segments(label: str = "mine") -> Scores:
    return replace(scored(label, noisy), system=dict.fromkeys(SYSTEMS, float("nan")))


def test_segment_scores_are_averaged_only_when_asked_for(small: Evidence) -> None:
    corpus = replace(scored("corpus"), system={name: -i for i, name in enumerate(SYSTEMS)})
    given = [only_segments(), corpus, scored("good", segments=False)]
    plain = judge(small, given, resamples=20)
    assert np.isnan(plain.items[0].value) and [item.mean_of_segments for item in plain.items] == [None] * 3
    assert plain.notes == ("No system scores, only segment scores: mine. Use `mean_of_segments` to average them.",)
    means = judge(small, given, resamples=20, mean_of_segments=True)
    assert [item.mean_of_segments for item in means.items] == [20, 20, None]
    assert not means.notes
    human = human_segments().mean(1)
    for item, values in zip(means.items, (noisy, metric, metric), strict=True):
        assert item.value == pytest.approx(scipy.stats.pearsonr(metric_segments(values).mean(1), human)[0], abs=1e-12)
    assert means.items[1].value != plain.items[1].value and means.items[2].value == plain.items[2].value
    assert [row["mean_of_segments"] for row in means.rows()] == [20, 20, None]


def test_the_mean_is_over_segments_that_people_judged(small: Evidence, ranked: Evidence) -> None:
    few = ("2", "5", "11")
    table = small.judgements[0]
    judged_few = replace(small, judgements=[replace(table, rows=[row for row in table.rows if row.segment in few])])
    columns = [int(name) - 1 for name in few]
    expected = scipy.stats.pearsonr(metric_segments(noisy)[:, columns].mean(1), human_segments()[:, columns].mean(1))[0]
    for unit in ("systems", "segments"):
        result = judge(judged_few, [only_segments()], mean_of_segments=True, unit=unit, resamples=20)
        assert result.items[0].value == pytest.approx(expected, abs=1e-12)
        assert result.items[0].mean_of_segments == 3 and not result.notes
    rankings = ranked.judgements[0]
    ranked_few = replace(ranked, judgements=[replace(rankings, rows=[r for r in rankings.rows if r.segment in few])])
    assert judge(ranked_few, [only_segments()], mean_of_segments=True, resamples=20).items[0].mean_of_segments == 3
    published = replace(small, judgements=[], gold=[scored("da", rating, segments=False)])
    assert judge(published, [only_segments()], mean_of_segments=True, resamples=20).items[0].mean_of_segments == 20


def test_a_mean_needs_all_of_the_segment_scores(small: Evidence) -> None:
    gap = scored("gap", lambda i, j: np.nan if (i, j) == (2, 3) else metric(i, j))
    result = judge(small, [gap, scored("good")], mean_of_segments=True, resamples=20)
    assert np.isnan(result.items[0].value) and not np.isnan(result.items[1].value)
    assert result.notes[0].startswith("No score for cyd, so no value: gap. Use `common`")
    with pytest.raises(DataError, match="`mean_of_segments` needs segment scores, but no metric has any"):
        judge(small, [scored("good", segments=False)], mean_of_segments=True)
    with pytest.raises(UsageError, match=r"`mean_of_segments` gives system scores\. Use it with `level` sys"):
        judge(small, BOTH, level="seg", mean_of_segments=True)
    short = replace(only_segments(), segment={name: np.ones(7) for name in SYSTEMS}, n_segments=7)
    with pytest.raises(DataError, match="mine: scores of 7 segments, but the data have 20 segments"):
        judge(small, [short], mean_of_segments=True)


# --- which metric is better ---


@pytest.mark.parametrize("test", TESTS)
def test_every_test_finds_the_better_metric(small: Evidence, test: str) -> None:
    result = judge(small, [scored("noisy", noisy), scored("good")], level="seg", significance=test, resamples=300)
    bad, good = result.items
    assert (result.test, good.winner, bad.winner, bad.outperformed_by) == (test, True, False, ("good",))
    if test == "overlap":
        assert result.p_values is None
    else:
        assert result.p_values is not None and result.p_values[1, 0] < 0.05 < result.p_values[0, 1]


@pytest.mark.parametrize("test", ["williams", "bootstrap", "perm-inputs", "perm-systems", "perm-both"])
def test_equal_metrics_both_win(small: Evidence, test: str) -> None:
    result = judge(small, [scored("one", noisy), scored("other", noisy)], significance=test, resamples=100)
    assert [item.winner for item in result.items] == [True, True]
    assert result.p_values is not None and (result.p_values >= 0.5).all()


def test_without_a_test_there_are_no_winners(small: Evidence) -> None:
    for significance in (None, "none"):
        result = judge(small, BOTH, significance=significance, resamples=10)
        assert [item.winner for item in result.items] == [None, None] and result.p_values is None
    alone = judge(small, BOTH[:1], resamples=10)
    assert (alone.items[0].winner, alone.test, alone.notes) == (None, None, ())


def test_tests_are_refused_where_they_do_not_belong(small: Evidence) -> None:
    with pytest.raises(UsageError, match="Williams' test applies only to Pearson's r"):
        judge(small, BOTH, statistic="spearman", significance="williams")
    with pytest.raises(UsageError, match="Permutation tests apply to correlations, not to tau"):
        judge(small, BOTH, level="seg", statistic="tau", significance="perm-both")
    with pytest.raises(UsageError, match="perm-both compares signed correlations"):
        judge(small, BOTH, absolute=True, significance="perm-both")
    with pytest.raises(UsageError, match="perm-systems needs segment scores of all metrics"):
        judge(small, [scored("good", segments=False), scored("noisy", noisy)], significance="perm-systems")
    with pytest.raises(UsageError, match="The significance level must lie between 0 and 1, not 2"):
        judge(small, BOTH, alpha=2)


# --- outliers, the best, levels of quality ---


def test_outliers_are_named_and_the_value_without_them_given(tmp_path: Path) -> None:
    from .small import write_ratings

    folder = tmp_path / "outlying"
    write_texts(folder)
    write_ratings(folder, value=lambda i, j: 5.0 + j % 2 if i == 5 else 90.0 - i + (i * j) % 3)
    result = judge(open_evidence(folder, "en-de"), BOTH, resamples=10)
    assert result.outliers == ("fay",)
    human = np.array([result.human[name] for name in SYSTEMS[:5]])
    expected = scipy.stats.pearsonr(metric_segments().mean(1)[:5], human)[0]
    assert result.items[0].without_outliers == pytest.approx(expected, abs=1e-12)
    counted = judge(open_evidence(folder, "en-de"), BOTH, statistic="accuracy", resamples=10)
    assert counted.outliers == () and counted.items[0].without_outliers is None


def test_curves_over_the_best_systems_show_ties_as_a_range(tmp_path: Path) -> None:
    from .small import write_ratings

    folder = tmp_path / "tied"
    write_texts(folder)
    write_ratings(folder, value=lambda i, j: 80.0 - 10 * min(i, 4))  # eve and fay are equal
    (item,) = judge(open_evidence(folder, "en-de"), [scored("noisy", noisy)], resamples=10, top=True).items
    assert [n for n, _, _ in item.top_n] == [6, 5, 4]
    ranges = {n: (low, high) for n, low, high in item.top_n}
    assert ranges[6][0] == ranges[6][1] == pytest.approx(item.value, abs=1e-12)
    human, said = np.array([80.0, 70, 60, 50, 40]), metric_segments(noisy).mean(1)
    both = sorted(scipy.stats.pearsonr(human, said[[0, 1, 2, 3, last]])[0] for last in (4, 5))
    assert ranges[5] == pytest.approx(both, abs=1e-12) and both[0] < both[1]
    assert ranges[4][0] == ranges[4][1]


def test_levels_of_quality_are_quarters_of_the_human_scores(small: Evidence) -> None:
    (item,) = judge(small, [scored("noisy", noisy)], level="seg", by_quality=True, resamples=10).items
    human, said = human_segments().ravel(), metric_segments(noisy).ravel()
    bounds = np.quantile(human, [0.25, 0.5, 0.75])
    level = 1 + np.searchsorted(bounds, human, side="left")
    expected = [
        (number, int((level == number).sum()), scipy.stats.pearsonr(human[level == number], said[level == number])[0])
        for number in (1, 2, 3, 4)
    ]
    assert [found[:2] for found in item.by_quality] == [found[:2] for found in expected]
    assert [found[2] for found in item.by_quality] == pytest.approx([found[2] for found in expected], abs=1e-12)


def test_curves_and_levels_are_refused_where_they_mean_nothing(small: Evidence) -> None:
    with pytest.raises(UsageError, match="`top` applies to correlations at system level only"):
        judge(small, BOTH, level="seg", top=True)
    with pytest.raises(UsageError, match="`by_quality` applies to correlations of outputs only: `level` seg"):
        judge(small, BOTH, by_quality=True)


# --- preferences ---


def test_tau_by_every_table_counts_preferences(ranked: Evidence) -> None:
    (judgements,) = ranked.judgements
    tasks: dict[tuple[str, str], dict[str, float]] = {}
    segment_of = {}
    for row in judgements.rows:
        tasks.setdefault((row.task, row.rater), {})[row.system] = row.value
        segment_of[row.task, row.rater] = int(row.segment) - 1

    def rough(system: int, segment: int) -> float:
        return round(noisy(system, segment) * 2)  # ties

    said = metric_segments(rough)
    table = np.zeros((3, 3))  # people: left better, tie, right better; metric: the same
    for task, ranks in tasks.items():
        for left, right in combinations(ranks, 2):
            people = int(np.sign(ranks[left] - ranks[right]))
            scores = [said[SYSTEMS.index(name), segment_of[task]] for name in (left, right)]
            table[people + 1, int(np.sign(scores[1] - scores[0])) + 1] += 1
    assert (table > 0).all(), "all nine cases occur"
    agree, disagree = table[0, 0] + table[2, 2], table[0, 2] + table[2, 0]
    metric_ties, human_ties = table[0, 1] + table[2, 1], table[1].sum()
    strict = agree + disagree + metric_ties
    expected = {
        "wmt12": ((agree - disagree - metric_ties) / strict, strict),
        "wmt13": ((agree - disagree) / (agree + disagree), agree + disagree),
        "wmt14": ((agree - disagree) / strict, strict),
        "hties": ((agree - disagree + table[1, 1]) / (strict + human_ties), strict + human_ties),
        "1,0,-1;X,X,X;-1,0,1": ((agree - disagree) / strict, strict),
    }
    for variant, (value, n) in expected.items():
        result = judge(ranked, [scored("rough", rough)], level="seg", statistic=f"tau:{variant}", resamples=20)
        assert result.items[0].value == pytest.approx(value, abs=1e-12)
        assert (result.items[0].n, result.statistic, result.margin) == (n, f"tau:{variant}", None)


def test_tau_is_usual_where_people_ranked_and_pearson_elsewhere(ranked: Evidence, small: Evidence) -> None:
    assert judge(ranked, BOTH, level="seg", resamples=10).statistic == "tau:wmt14"
    assert judge(ranked, BOTH, resamples=10).gold == "Expected wins"
    assert judge(small, BOTH, level="seg", resamples=10).statistic == "pearson"
    assert judge(small, BOTH, level="seg", statistic="tau", resamples=10).statistic == "tau:wmt12"


def test_scores_become_preferences_beyond_a_margin(small: Evidence) -> None:
    human = human_segments()

    def preferences(apart: Callable[[float], bool]) -> int:
        return sum(apart(abs(human[i, j] - human[k, j])) for i, k in combinations(range(6), 2) for j in range(20))

    usual = judge(small, BOTH, level="seg", statistic="tau", resamples=10)
    assert (usual.margin, usual.items[0].n) == (25, preferences(lambda d: d > 25))
    strict = judge(small, BOTH, level="seg", statistic="tau", margin=22, resamples=10)
    wide = judge(small, BOTH, level="seg", statistic="tau", margin=22, inclusive=True, resamples=10)
    assert strict.items[0].n == preferences(lambda d: d > 22) < wide.items[0].n == preferences(lambda d: d >= 22)


def test_a_margin_is_refused_where_it_would_do_nothing(small: Evidence, ranked: Evidence) -> None:
    with pytest.raises(UsageError, match="`margin` and `inclusive` apply to tau only, not to pearson"):
        judge(small, BOTH, margin=10)
    with pytest.raises(UsageError, match="rankings are rankings"):
        judge(ranked, BOTH, level="seg", margin=10)


def test_preferences_between_some_systems_only(ranked: Evidence) -> None:
    every = judge(ranked, BOTH, level="seg", resamples=10)
    some = judge(ranked, BOTH, level="seg", systems=["ada", "bob", "cyd"], resamples=10)
    assert 0 < some.items[0].n < every.items[0].n
    with pytest.raises(UnknownName, match="called 'zoe'"):
        judge(ranked, BOTH, level="seg", systems=["ada", "zoe"])
    with pytest.raises(DataError, match="There are no preferences between outputs that the metrics scored"):
        judge(ranked, BOTH, level="seg", systems=["ada"])
