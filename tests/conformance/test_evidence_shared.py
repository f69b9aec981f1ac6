"""The layouts of the reference data, with the counts and sums that its README and the papers give."""

from pathlib import Path

import numpy as np
import pytest

from tercet.data.evidence import evidence_pairs, open_evidence
from tercet.data.judgements import Judgements
from tercet.data.rankings import read_rankings
from tercet.data.scores import Scores


@pytest.fixture
def data(shared: Path) -> Path:
    if not (shared / "data").is_dir():
        pytest.skip("the data sets (../shared/data) are not here")
    return shared / "data"


def by_label(scores: object) -> dict[str, Scores]:
    assert isinstance(scores, list)
    return {item.label: item for item in scores}


def n_tasks(judgements: Judgements) -> int:
    return len(judgements.codes("task")[0])


def test_wmt19_is_gathered_from_three_folders(data: Path) -> None:
    evidence = open_evidence(data / "wmt19", "lt-en")
    (darr,) = evidence.judgements
    assert (darr.name, n_tasks(darr)) == ("darr", 21_862)
    (gold,) = evidence.gold
    assert (gold.label, len(gold.system), len(evidence.segments)) == ("DA", 11, 1000)
    scores = by_label(evidence.scores)
    assert {"chrF", "chrF+", "BERTr", "WMDO", "COMET", "YiSi-1", "sacreBLEU-BLEU"} <= scores.keys()
    assert scores["chrF"].segment["GTCOM-Primary.6998"][0] == 58.8631
    assert not any(np.isnan(list(scores["chrF"].system.values())))


def test_wmt19_has_225_judged_systems_in_18_pairs(data: Path) -> None:
    pairs = evidence_pairs(data / "wmt19")
    assert len(pairs) == 18
    found = [open_evidence(data / "wmt19_sys", pair) for pair in pairs]
    assert sum(len(evidence.gold[0].system) for evidence in found) == 225
    labels = {item.label for evidence in found for item in evidence.scores}
    assert len(labels) == 34 and "LP" in labels, "one of the 34 metrics is called LP"
    gu_en = open_evidence(data / "wmt19", "gu-en")
    assert gu_en.testset is not None
    assert set(gu_en.testset.systems) - set(gu_en.gold[0].system) == {"online-B.0"}


def test_wmt19_repeats_ten_scores_of_comet(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    evidence = open_evidence(data / "wmt19", "de-cs")
    assert "de-cs.COMET.tsv.gz: 10 rows repeat earlier rows" in caplog.text
    assert len(evidence.gold[0].system) == 11


@pytest.mark.parametrize(
    ("pair", "pairs"), [("cs-en", 15_732), ("de-en", 18_310), ("fr-en", 19_620), ("hi-en", 18_603), ("ru-en", 28_838)]
)
def test_wmt14_preferences(data: Path, pair: str, pairs: int) -> None:
    evidence = open_evidence(data / "wmt14", pair)
    (rr,) = evidence.judgements
    assert (rr.name, n_tasks(rr), len(rr)) == ("rr", pairs, 2 * pairs)
    assert evidence.testset is not None and set(rr.systems) <= set(evidence.testset.systems)


# All outputs blank in 26 rows of WMT12: somebody looked and ranked nothing, which is no judgement.
@pytest.mark.parametrize(
    ("name", "rankings", "blank", "judges"),
    [("wmt12", 12_339, 26, 230), ("wmt15_rr", 28_260, 0, 131), ("wmt16_rr", 31_758, 0, 150)],
)
def test_rankings_and_judges(data: Path, name: str, rankings: int, blank: int, judges: int) -> None:
    path = data / name / "rankings.tsv.gz"
    found = [read_rankings(path, pair) for pair in evidence_pairs(path)]
    assert sum(n_tasks(table) for table in found) == rankings - blank
    assert len({rater for table in found for rater in table.raters}) == judges


def test_a_ranking_of_wmt15_gives_the_pairs_of_the_official_export(data: Path) -> None:
    """Ranking 382 of wmt15.fre-eng.csv: 21 pairs of 7 systems, 5 of which had the same text."""
    rankings = read_rankings(data / "wmt15_rr" / "rankings.tsv.gz", "fr-en")
    ranking = rankings.where(lambda row: row.segment == "453" and row.rater == "judge37")
    assert sorted(ranking.values.tolist()) == [1, 1, 1, 1, 1, 2, 2]
    assert sum(row.check == "" for row in ranking.rows) == 3
    assert n_tasks(ranking) == 1 and {row.seconds for row in ranking.rows} == {36.1}


def test_wmt12_takes_nothing_from_the_quality_estimation_set_beside_it(data: Path) -> None:
    evidence = open_evidence(data / "wmt12", "en-es")
    assert [table.kinds.keys() for table in evidence.judgements] == [{"rank"}]
    assert (len(evidence.segments), evidence.gold, evidence.scores) == (3003, [], [])
    effort = open_evidence(data / "wmt12_qe", "en-es")
    assert len(effort.segments) == 1832 + 422
    assert sum(len(table) for table in effort.judgements) == 3 * (1832 + 422)


def test_wmt17_has_560_judged_outputs_per_pair(data: Path) -> None:
    counts = {}
    for pair in evidence_pairs(data / "wmt17"):
        (gold,) = open_evidence(data / "wmt17", pair).gold
        counts[pair] = sum(int(np.isfinite(values).sum()) for values in gold.segment.values())
    assert len(counts) == 14
    assert {count for count in counts.values() if count} == {560}
    assert sum(count > 0 for count in counts.values()) == 9


def test_wmt18_system_scores(data: Path) -> None:
    golds = [open_evidence(data / "wmt18", pair).gold[0] for pair in evidence_pairs(data / "wmt18")]
    assert sum(len(gold.system) for gold in golds) == 149


def test_wmt23_system_mqm_is_the_mean_of_its_segments(data: Path) -> None:
    evidence = open_evidence(data / "wmt23", "en-de")
    gold = by_label(evidence.gold)
    for system, official in gold["MQM"].system.items():
        judged = gold["MQM"].segment[system]
        assert int(np.isfinite(judged).sum()) == 460
        assert float(np.nanmean(judged)) == pytest.approx(official, abs=1e-13)
    assert len(gold["DA+SQM"].system) == 13
    scores = by_label(evidence.scores)
    assert sum(bool(item.segment) for item in scores.values()) == 43
    (ratings,) = evidence.judgements
    assert ratings.kinds == {"mqm": 13 * 460}


def test_mqm_averages_of_several_years_are_kept_apart(data: Path) -> None:
    sizes = {}
    for path in sorted((data / "mqm").glob("*.mqm_avg_seg.tsv.gz")):
        evidence = open_evidence(path)
        sizes[path.name.removesuffix(".mqm_avg_seg.tsv.gz")] = (len(evidence.segments), len(evidence.gold[0].system))
    assert sizes == {
        "newstest2020.en-de": (1418, 10), "newstest2020.zh-en": (2000, 10), "newstest2021.en-de": (1002, 17),
        "newstest2021.zh-en": (1948, 15), "ted.en-de": (606, 14), "ted.zh-en": (843, 15),
    }  # rows divided by systems  # fmt: skip


def test_wmt20_gold_and_preferences(data: Path) -> None:
    evidence = open_evidence(data / "wmt20_metrics", "cs-en")
    assert {item.label for item in evidence.gold} == {"DA", "DA raw"}
    assert [(table.name, n_tasks(table)) for table in evidence.judgements] == [("darr", 14_018)]
    # Two columns of this file have the same name, which does not matter for preferences.
    assert open_evidence(data / "wmt20_metrics", "en-de").judgements[0].name == "darr"
    assert len(evidence.scores) == 29, "the columns of the file but for LP, SYSTEM, HUMAN and HUMAN_RAW"


def test_direct_assessments_of_2013(data: Path) -> None:
    evidence = open_evidence(data / "graham_da", "es-en")
    for gold in evidence.gold:
        assert sum(int(np.isfinite(values).sum()) for values in gold.segment.values()) == 840
    assert len(evidence_pairs(data / "graham_da")) == 9


def test_ratings_and_post_editing(data: Path) -> None:
    mlqe = open_evidence(data / "mlqe", "en-de")
    assert len(mlqe.segments) == 8000 and sum(len(table) for table in mlqe.judgements) == 3 * 6407 + 6 * (593 + 1000)
    edited = open_evidence(data / "iwslt2019_pe")
    assert (edited.pair, edited.judgements[0].kinds["hter"]) == ("en-es", 5235)


def test_ratings_by_reference_give_the_means_of_the_thesis(data: Path) -> None:
    evidence = open_evidence(data / "tradopad")
    ratings, thesis = evidence.judgements
    assert (len(ratings), len(ratings.raters), len(thesis.raters)) == (2500, 25, 27)
    means = [ratings.where(lambda row, b=batch: row.reference == b).values.mean() for batch in "12345"]
    # Table 6.2, and the group that saw the source.
    assert [round(float(mean), 3) for mean in means] == [1.980, 2.342, 2.562, 2.740, 2.878]
    assert evidence.testset is not None and len(evidence.testset) == 100
