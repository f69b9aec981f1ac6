"""Human and metric scores side by side."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tercet.data.evidence import Evidence
from tercet.errors import DataError
from tercet.metaeval.gold import Gold, find_gold
from tercet.metaeval.joining import align_segments, align_systems, drop_gaps, listed

from .small import SEGMENTS, SYSTEMS, human_segments, judged, metric, metric_segments, scored


@pytest.fixture
def small(tmp_path: Path) -> Evidence:
    return judged(tmp_path)


@pytest.fixture
def gold(small: Evidence) -> Gold:
    return find_gold(small)


def test_systems_are_in_one_order_on_both_sides(gold: Gold) -> None:
    human, aligned = align_systems(gold, [scored("m", systems=SYSTEMS[::-1])])
    np.testing.assert_allclose(human, human_segments().mean(1), rtol=1e-14)
    np.testing.assert_allclose(aligned.values, metric_segments().mean(1)[np.newaxis], rtol=1e-14)
    assert (aligned.systems, aligned.notes) == (SYSTEMS, ())


def test_systems_missing_on_either_side_are_named(small: Evidence) -> None:
    unjudged = replace(small.judgements[0], rows=tuple(r for r in small.judgements[0].rows if r.system != "ada"))
    gold = find_gold(replace(small, judgements=[unjudged]))
    human, aligned = align_systems(gold, [scored("m", systems=SYSTEMS[:-1]), scored("n", systems=SYSTEMS[:-1])])
    assert aligned.systems == SYSTEMS[1:-1] and len(human) == 4
    assert aligned.notes == (
        "Left out, because people did not judge them: ada.",
        "Left out, because no metric scored them: fay.",
    )


def test_metrics_that_lack_the_same_are_named_together(gold: Gold) -> None:
    short = [scored(name, systems=SYSTEMS[2:]) for name in ("m", "n")]
    _, aligned = align_systems(gold, [*short, scored("all")])
    assert aligned.notes == (
        "No score for ada, bob, so no value: m, n. Use `common` to leave out for all metrics what one metric lacks.",
    )
    assert np.isnan(aligned.values).sum(1).tolist() == [2, 2, 0]


def test_only_the_systems_that_were_asked_for(gold: Gold) -> None:
    human, aligned = align_systems(gold, [scored("m")], systems=["bob", "eve"])
    assert aligned.systems == ("bob", "eve") and len(human) == 2 and not aligned.notes


def test_segment_scores_follow_the_segments_of_the_gold_standard(gold: Gold) -> None:
    some = replace(gold, segments=("3", "1"))
    aligned = align_segments(some, [scored("m"), scored("e", lambda i, j: -metric(i, j), higher_is_better=False)],
                             SEGMENTS)  # fmt: skip
    np.testing.assert_array_equal(aligned.values[0], metric_segments()[:, [2, 0]])
    np.testing.assert_array_equal(aligned.values[1], aligned.values[0])


def test_judgements_of_segments_that_nobody_scored_are_refused(gold: Gold) -> None:
    with pytest.raises(DataError, match=r"has segments that the metrics did not score: 21, 22, 23, 24, 25 and 2 more"):
        align_segments(replace(gold, segments=tuple(map(str, range(21, 28)))), [scored("m")], SEGMENTS)


def test_what_no_metric_scored_is_dropped_and_what_one_lacks_only_in_common() -> None:
    gaps = np.array([[True, True, False], [True, False, False]])
    scores = [scored("m"), scored("n")]
    dropped, notes = drop_gaps(gaps, scores, False, "pairs")
    assert dropped.tolist() == [True, False, False]
    assert notes[0] == "Left out, because no metric scored them: 1 pairs."
    assert notes[1].startswith("No score for 1 of 3 pairs, so no value: m. Use `common`")
    dropped, notes = drop_gaps(gaps, scores, True, "pairs")
    assert dropped.tolist() == [True, True, False]
    assert notes == ["Left out, because not all metrics scored them: 2 pairs."]


def test_long_lists_are_cut_and_counted() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed([*"abcdefgh"]) == "a, b, c, d, e and 3 more"


def test_scores_of_segments_are_no_scores_of_systems(gold: Gold) -> None:
    only = replace(scored("m"), system=dict.fromkeys(SYSTEMS, float("nan")))
    with pytest.raises(DataError, match=r"metrics scored none\. There are only segment scores of m: use `level` seg"):
        align_systems(gold, [only])
