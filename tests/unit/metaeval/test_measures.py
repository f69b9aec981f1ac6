"""Statistics by name: which there are, at which level, and what may be drawn."""

import numpy as np
import pytest

from tercet.errors import UnknownName, UsageError
from tercet.metaeval.measures import STATISTICS, Measured, parse_statistic, segment_level


@pytest.mark.parametrize("name", STATISTICS)
def test_the_first_unit_of_a_level_is_the_usual(name: str) -> None:
    for level, units in STATISTICS[name].units.items():
        for unit in units:
            assert parse_statistic(name, level, unit=unit).unit == unit
        assert parse_statistic(name, level).unit == units[0]


def test_a_variant_of_tau_is_part_of_the_name() -> None:
    statistic = parse_statistic("tau:hties", "seg")
    assert (statistic.name, statistic.variant, statistic.text) == ("tau", "hties", "tau:hties")
    assert parse_statistic("tau", "seg").with_variant("wmt12").text == "tau:wmt12"
    assert statistic.with_variant("wmt12") is statistic


@pytest.mark.parametrize(
    ("text", "level", "message"),
    [
        ("pearsn", "sys", r"no statistic called 'pearsn'\. Did you mean pearson"),
        ("tau:wmt11", "seg", r"no tau variant called 'wmt11'\. Did you mean"),
        ("pearson", "segment", r"no level called 'segment'"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(text: str, level: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        parse_statistic(text, level)


@pytest.mark.parametrize(
    ("text", "level", "options", "message"),
    [
        ("pearson:wmt12", "sys", {}, "pearson has no variants. Only tau has: wmt12, wmt13, wmt14, hties"),
        ("tau", "sys", {}, "tau is defined at level seg, not sys"),
        ("soft-accuracy", "seg", {}, "soft-accuracy is defined at level sys, not seg"),
        ("pearson", "sys", {"unit": "pairs"}, "the unit must be one of systems, segments, judgements, not 'pairs'"),
        ("pearson", "sys", {"average": "item"}, "`average` is for correlations and accuracies of segments"),
        ("tau", "seg", {"average": "item"}, "`average` is for correlations and accuracies of segments, not for tau"),
        (
            "pearson",
            "seg",
            {"average": "system", "unit": "segments"},
            "averaged by system, the unit must be one of systems, not",
        ),
        ("tau:1,0;X", "seg", {}, "table"),
    ],
)
def test_what_does_not_go_together_is_refused(text: str, level: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_statistic(text, level, **options)  # type: ignore[arg-type]


# Three systems, four segments: one pair is tied for people only, one pair is wrong, the last segment has no pair.
PEOPLE = np.array([[1, 1, 1, np.nan], [1, 2, np.nan, 5], [2, 3, 2, np.nan]])
METRIC = np.array([[[1.0, 1.0, 2.0, 0.0], [1.1, 2.0, 9.0, 0.0], [2.0, 3.0, 1.0, 0.0]]])


def accuracy(name: str, average: str, segments: slice = slice(None)) -> Measured:
    statistic = parse_statistic(name, "seg", average=average)
    return segment_level(statistic, PEOPLE[:, segments], METRIC[..., segments], draws={"resamples": 30, "seed": 1})


def test_accuracy_of_segments_is_the_mean_over_those_with_pairs() -> None:
    found = accuracy("accuracy", "item")
    assert found.values == pytest.approx([(2 / 3 + 1 + 0) / 3])
    assert (found.n.tolist(), found.resampled.n, found.epsilon) == ([7], 4, None)
    assert np.ptp(found.resampled.samples) > 0


def test_calibrated_accuracy_counts_small_differences_as_ties() -> None:
    found = accuracy("accuracy-calibrated", "item")
    assert found.values == pytest.approx([2 / 3])
    assert found.epsilon == pytest.approx([0.1])


def test_accuracy_without_averaging_is_of_all_pairs_and_has_no_interval() -> None:
    two = slice(0, 2)
    assert accuracy("accuracy", "none", two).values == pytest.approx([13 / 15])
    assert accuracy("accuracy-calibrated", "none", two).values == pytest.approx([1])
    found = accuracy("accuracy", "none", two)
    assert (found.n.tolist(), found.resampled.n) == ([15], 1)
    assert np.isnan(found.resampled.intervals()[0].low)
