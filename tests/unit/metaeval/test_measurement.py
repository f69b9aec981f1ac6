"""What is resampled, which data a statistic uses, and that nothing is negated or dropped silently."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tercet.data.evidence import Evidence, open_evidence
from tercet.data.judgements import Judgement, Judgements
from tercet.data.scores import MetricRecord, Scores
from tercet.errors import UsageError
from tercet.metaeval import judge
from tercet.metaeval.gold import find_gold, margin_of, preferences_of
from tercet.metaeval.measurement import ratings_of
from tercet.metaeval.measures import ResampleOptions, parse_statistic, preference_level

from .small import SEGMENTS, SYSTEMS, human_segments, judged, rating, scored, write_rankings, write_texts

MQM = MetricRecord("mqm", "MQM", "m")


def of_people(rows: Sequence[Judgement]) -> Evidence:
    return Evidence("en-de", "made up", SEGMENTS, judgements=[Judgements(rows, "en-de", "people")])


@pytest.fixture
def ranked(tmp_path: Path) -> Evidence:
    write_texts(tmp_path / "ranked")
    write_rankings(tmp_path / "ranked")
    return open_evidence(tmp_path / "ranked", "en-de")


def test_judgements_that_are_lower_for_better_outputs_are_turned_when_drawn_too() -> None:
    rows = [
        Judgement("hter", segment, system, (100 - rating(i, j)) / 100, "r")
        for j, segment in enumerate(SEGMENTS)
        for i, system in enumerate(SYSTEMS)
    ]
    usual, drawn = (judge(of_people(rows), [scored("good")], unit=unit, resamples=50) for unit in (None, "judgements"))
    assert drawn.items[0].value == pytest.approx(usual.items[0].value, abs=1e-12) and drawn.items[0].value > 0.9
    assert 0.9 < drawn.items[0].ci_low <= drawn.items[0].ci_high


def test_segments_that_many_judged_count_no_more_when_judgements_are_drawn() -> None:
    rows = [
        Judgement("da", segment, system, rating(i, j), f"r{again}")
        for j, segment in enumerate(SEGMENTS)
        for i, system in enumerate(SYSTEMS)
        for again in range(1 + 9 * (j == 3 * i))
    ]
    noisy = scored("noisy", lambda i, j: 0.5 - 0.02 * i + ((i * 11 + j * 5) % 13) / 10)
    usual, drawn = (judge(of_people(rows), [noisy], unit=unit, resamples=50) for unit in (None, "judgements"))
    assert drawn.items[0].value == pytest.approx(usual.items[0].value, abs=1e-12)
    counted_alike = np.bincount([SYSTEMS.index(row.system) for row in rows], [row.value for row in rows]) / 29
    assert not np.allclose(list(usual.human.values()), counted_alike)


@pytest.mark.parametrize("gold", ["expected-wins", "win-rate"])
@pytest.mark.parametrize("systems", [(), SYSTEMS[1:5]])
def test_rankings_are_drawn_whole_and_give_the_standard_that_was_asked_for(
    ranked: Evidence, gold: str, systems: Sequence[str]
) -> None:
    (rankings,) = ranked.judgements
    contrary = tuple(row._replace(value=6 - row.value) if int(row.segment) < 8 else row for row in rankings.rows)
    ranked = replace(ranked, judgements=[replace(rankings, rows=contrary)])
    noisy = scored("noisy", lambda i, j: 0.5 - 0.02 * i + ((i * 11 + j * 5) % 13) / 10)
    usual, drawn = (
        judge(ranked, [noisy], gold=gold, systems=systems, unit=unit, resamples=100) for unit in (None, "judgements")
    )
    assert drawn.items[0].value == pytest.approx(usual.items[0].value, abs=1e-12)
    assert drawn.items[0].ci_low < drawn.items[0].value < drawn.items[0].ci_high
    standard = find_gold(ranked, name=gold)
    assert len(set(ratings_of(standard, SYSTEMS).units.tolist())) == 2 * len(SEGMENTS)


def test_judgements_are_not_drawn_where_there_are_none_or_no_sum_gives_the_standard(ranked: Evidence) -> None:
    with pytest.raises(UsageError, match="of TrueSkill cannot be resampled. Set `gold` to expected-wins or win-rate"):
        judge(ranked, [scored("good")], gold="trueskill", unit="judgements", resamples=5)
    cube = dict(zip(SYSTEMS, human_segments(), strict=True))
    means = {name: float(row.mean()) for name, row in cube.items()}
    published = Evidence("en-de", "made up", SEGMENTS, gold=[Scores(MQM, means)])
    with pytest.raises(UsageError, match="this gold standard has only averages"):
        judge(published, [scored("good")], unit="judgements", resamples=5)


def test_only_segments_and_rankings_with_a_pair_that_counts_are_drawn(ranked: Evidence) -> None:
    pairs = preferences_of(find_gold(ranked, level="seg", wants_pairs=True))
    some = pairs.take(np.flatnonzero(pairs.segment >= 15))
    cube = np.stack([scored("good").segment[name] for name in pairs.systems])[np.newaxis]
    for unit, n in (("segments", 5), ("judgements", 10)):
        wanted = parse_statistic("tau:wmt14", "seg", unit=unit)
        measured, _ = preference_level(wanted, some, cube, draws=ResampleOptions(resamples=5, seed=1))
        assert measured.resampled.n == n


@pytest.mark.parametrize(("name", "margin"), [("da_raw", 25), ("wmt-raw", 25), ("da", 0), ("mqm", 0)])
def test_published_raw_scores_have_the_margin_of_raw_scores(name: str, margin: float) -> None:
    cube = dict(zip(SYSTEMS, human_segments(), strict=True))
    means = {system: float(row.mean()) for system, row in cube.items()}
    gold = Scores(MetricRecord(name, name, name), means, cube, n_segments=20)
    evidence = Evidence("en-de", "made up", SEGMENTS, gold=[gold])
    assert margin_of(find_gold(evidence, level="seg", wants_pairs=True)) == margin
    result = judge(evidence, [scored("good")], level="seg", statistic="tau", resamples=5)
    apart = np.abs(human_segments()[:, np.newaxis] - human_segments())[np.triu_indices(6, 1)]
    assert (result.margin, result.items[0].n) == (margin, int((apart > margin).sum()))


def test_a_system_that_was_published_without_segments_is_not_judged_by_segments() -> None:
    cube = dict(zip(SYSTEMS, human_segments(), strict=True))
    means = {system: float(row.mean()) for system, row in cube.items()}
    gold = Scores(MQM, means, {name: cube[name] for name in SYSTEMS[:4]}, n_segments=20)
    evidence = Evidence("en-de", "made up", SEGMENTS, gold=[gold])
    assert judge(evidence, [scored("good")], resamples=5).items[0].n == 6
    assert judge(evidence, [scored("good")], level="seg", resamples=5).items[0].n == 4 * 20


def test_control_items_do_not_count_among_rankings(ranked: Evidence, caplog: pytest.LogCaptureFixture) -> None:
    (rankings,) = ranked.judgements
    again = [row._replace(check="repeat", task=f"again {row.task}", value=9 - row.value) for row in rankings.rows[:10]]
    same = [row._replace(system="twin", check="same as ada") for row in rankings.rows if row.system == "ada"]
    more = replace(ranked, judgements=[replace(rankings, rows=(*rankings.rows, *again))])
    for options in ({"level": "seg", "wants_pairs": True}, {"name": "win-rate"}):
        found, plain = find_gold(more, **options), find_gold(ranked, **options)  # type: ignore[arg-type]
        assert found.pairs is not None and plain.pairs is not None
        assert list(found.pairs.rows()) == list(plain.pairs.rows())
    assert "left out control items: 10 repeat" in caplog.text
    twins = replace(ranked, judgements=[replace(rankings, rows=(*rankings.rows, *same))])
    assert "twin" in find_gold(twins, level="seg", wants_pairs=True).systems


def test_soft_accuracy_says_which_segments_it_leaves_out() -> None:
    rows = [
        Judgement("da", segment, system, rating(i, j), "r")
        for j, segment in enumerate(SEGMENTS)
        for i, system in enumerate(SYSTEMS)
        if (i, j) not in ((2, 4), (3, 7), (4, 7))
    ]
    result = judge(of_people(rows), [scored("good")], statistic="soft-accuracy", resamples=20)
    assert result.notes == ("Left out, because not all systems were judged on them: 2 of 20 segments.",)


def test_a_permutation_test_of_means_over_systems_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Permutation tests cannot average by system"):
        judge(judged(tmp_path), [scored("good")], level="seg", average="system", significance="perm-both")


def test_means_of_people_s_segments_that_are_not_their_system_scores_are_said() -> None:
    cube = dict(zip(SYSTEMS, human_segments(), strict=True))
    gold = Scores(MQM, {name: float(i**2) for i, name in enumerate(SYSTEMS)}, cube, n_segments=20)
    evidence = Evidence("en-de", "made up", SEGMENTS, gold=[gold])
    result = judge(evidence, [scored("good")], unit="segments", resamples=5)
    assert result.notes == (
        "Segments are resampled or exchanged, so a system's score is the mean of its segment scores.",
    )
    assert result.items[0].value > 0.9
