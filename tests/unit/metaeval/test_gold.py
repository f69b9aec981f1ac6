"""Which human standard is meant, and what is in it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tercet.data.evidence import Evidence, open_evidence
from tercet.data.judgements import Judgement, Judgements, Span
from tercet.data.scores import MetricRecord, Scores
from tercet.errors import DataError, UnknownName, UsageError
from tercet.metaeval.gold import find_gold, gold_names, has_preferences, preferences_of

from .small import SEGMENTS, SYSTEMS, human_segments, judged, rating, write, write_rankings, write_texts


@pytest.fixture
def small(tmp_path: Path) -> Evidence:
    return judged(tmp_path)


def published(name: str, *, segments: bool = False, higher_is_better: bool = True) -> Scores:
    cube = {system: np.array([rating(i, j) for j in range(20)]) for i, system in enumerate(SYSTEMS)}
    means = {system: float(row.mean()) for system, row in cube.items()}
    n = 20 if segments else 0
    record = MetricRecord(name, name.upper(), name, higher_is_better)
    return Scores(record, means, cube if segments else {}, n_segments=n)


def test_the_only_standard_is_meant_without_a_name(small: Evidence) -> None:
    gold = find_gold(small)
    assert (gold.name, gold.label, gold.systems, gold.raw) == ("da", "DA", SYSTEMS, True)
    assert gold.system is not None and gold.segment is not None
    np.testing.assert_allclose(gold.system, human_segments().mean(1), rtol=1e-14)
    np.testing.assert_array_equal(find_gold(small, level="seg").segment, human_segments())


def test_ratings_can_be_standardised_by_rater(small: Evidence) -> None:
    gold = find_gold(small, name="da-z")
    assert (gold.name, gold.label) == ("da-z", "DA z")
    assert gold.system is not None and abs(gold.system.mean()) < 1e-12
    assert np.corrcoef(gold.system, human_segments().mean(1))[0, 1] == pytest.approx(1, abs=1e-12)


def test_an_unknown_name_is_refused_with_the_nearest(small: Evidence) -> None:
    with pytest.raises(UnknownName) as error:
        find_gold(small, name="daz")
    assert str(error.value) == "There is no gold standard in small en-de called 'daz'. Did you mean da-z or da?"


def test_a_standard_that_does_not_fit_is_refused_with_those_that_do(small: Evidence) -> None:
    evidence = replace(small, gold=[published("mqm")])
    with pytest.raises(UsageError, match=r"The gold standard 'mqm' has no scores at level seg\. These have: da, da-z"):
        find_gold(evidence, name="mqm", level="seg")
    with pytest.raises(UsageError, match=r"'mqm' has no preferences\. These have: da\."):
        find_gold(evidence, name="mqm", level="seg", wants_pairs=True)


def test_several_standards_must_be_chosen_from(small: Evidence) -> None:
    evidence = replace(small, gold=[published("mqm", segments=True)])
    with pytest.raises(UsageError) as error:
        find_gold(evidence)
    assert str(error.value) == "small en-de has several gold standards. Choose with `gold`: mqm, da."
    assert gold_names(evidence) == ["mqm", "da"]
    assert find_gold(evidence, name="mqm").label == "MQM"


def test_published_means_of_the_same_judgements_are_meant(small: Evidence) -> None:
    evidence = replace(small, gold=[published("da", segments=True)])
    assert find_gold(evidence).judgements is None
    assert find_gold(evidence, name="ratings-en-de-da").judgements is not None


def test_two_sets_of_ratings_are_both_offered(small: Evidence) -> None:
    other = replace(small.judgements[0], name="second")
    evidence = replace(small, judgements=[*small.judgements, other])
    with pytest.raises(UsageError, match=r"several gold standards\. Choose with `gold`: da, second-da\."):
        find_gold(evidence)
    assert find_gold(evidence, name="second-da-z").label == "DA z"
    with pytest.raises(DataError, match=r"has two gold standards called 'ratings-en-de-da'\. Give the sets"):
        find_gold(replace(small, judgements=[*small.judgements, *small.judgements, *small.judgements]))


def test_what_is_lower_for_better_outputs_is_turned(small: Evidence) -> None:
    gold = find_gold(replace(small, judgements=[], gold=[published("hter", higher_is_better=False)]))
    assert gold.system is not None and gold.system[0] < gold.system[-1] < 0


def test_nothing_that_fits_is_said_with_what_there_is(small: Evidence) -> None:
    with pytest.raises(DataError, match=r"small has no human scores at level sys for en-de\.$"):
        find_gold(replace(small, judgements=[]))
    with pytest.raises(DataError, match=r"no human scores at level seg for en-de\. There is only: mqm\."):
        find_gold(replace(small, judgements=[], gold=[published("mqm")]), level="seg")


def test_marked_errors_are_weighed(tmp_path: Path) -> None:
    rows = [
        Judgement("mqm", "1", "ada", float("nan"), "r", spans=()),
        Judgement("mqm", "1", "bob", float("nan"), "r", spans=(Span(0, 2, "major", "accuracy"),)),
    ]
    gold = find_gold(Evidence("en-de", "set", ("1",), judgements=[Judgements(rows, "en-de", "errors")]))
    assert gold.system is not None and gold.system.tolist() == [0, -5]


@pytest.fixture
def ranked(tmp_path: Path) -> Evidence:
    write_texts(tmp_path / "ranked")
    write_rankings(tmp_path / "ranked")
    return open_evidence(tmp_path / "ranked", "en-de")


def test_rankings_give_preferences_and_shares_of_wins(ranked: Evidence) -> None:
    gold = find_gold(ranked, level="seg", wants_pairs=True)
    assert gold.pairs is not None and gold.pairs.n == 20 * 2 * 10
    assert preferences_of(gold) is gold.pairs
    assert find_gold(ranked).name == "expected-wins"
    for name in ("win-rate", "expected-wins"):
        shares = find_gold(ranked, name=name).system
        assert shares is not None and 1 >= shares[0] > shares[-1] >= 0
    with pytest.raises(DataError, match=r"no human scores at level seg for en-de\. There is only: rankings"):
        find_gold(ranked, level="seg")


def test_people_s_preferences_come_before_those_made_of_scores(ranked: Evidence, small: Evidence) -> None:
    both = replace(ranked, judgements=[*ranked.judgements, *small.judgements])
    name = ranked.judgements[0].name
    assert gold_names(both, level="seg", wants_pairs=True) == [name]
    assert gold_names(both) == ["da"]
    assert find_gold(both, name="da", level="seg", wants_pairs=True).pairs is None
    assert has_preferences(both) and has_preferences(both, name) and not has_preferences(both, "da")
    assert not has_preferences(small)


def test_two_sets_of_rankings_are_both_offered(ranked: Evidence) -> None:
    evidence = replace(ranked, judgements=[*ranked.judgements, replace(ranked.judgements[0], name="darr")])
    with pytest.raises(UsageError, match=r"Choose with `gold`: expected-wins, darr-expected-wins\."):
        find_gold(evidence)


def test_judgements_with_names_of_their_own_for_segments_are_of_systems(tmp_path: Path) -> None:
    write_texts(tmp_path / "set")
    own = [
        {"kind": "da", "segment": f"doc:{j}", "system": system, "value": 50 + j, "set": "own", "pair": "en-de"}
        for j in range(3)
        for system in SYSTEMS
    ]
    from tercet.data.formats.reading import read_judgement_file

    path = write(tmp_path / "own.jsonl", *(json.dumps(item) for item in own))
    evidence = replace(open_evidence(tmp_path / "set", "en-de"), judgements=read_judgement_file(path))
    gold = find_gold(evidence)
    assert gold.segments == ("doc:0", "doc:1", "doc:2") and len(evidence.segments) == len(SEGMENTS)
